# SPDX-License-Identifier: BSD-3-Clause
"""The small tests of GPUs on an emulated device, in a child process beside the other tests."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["TESTS", "start", "why_no_child", "why_not"]

ROOT = Path(__file__).parents[2]
# Small enough for the emulated device. Run with each value of each of their parameters, they launch
# every kernel but those of MPI ranks, which tests/mpi launches.
TESTS = (
    "tests/transversal/test_gpu_small.py",
    "tests/transversal/test_gpu_parts.py",
    "tests/transversal/test_added_kernel.py",
    "tests/dulmage_mendelsohn/test_gpu_small.py",
    "tests/pattern/test_gpu_small.py",
    "tests/pattern/test_values_gpu.py",
    "tests/weighted/test_gpu_small.py",
    "tests/weighted/graph/test_gpu_small.py",
    "tests/backends/test_counting_sort.py",
    "tests/backends/test_grouping.py",
    "tests/backends/test_block_queue.py",
)


def why_not() -> str | None:
    """The reason why kernels cannot run on the CPU of this machine; None if they can."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64") or shutil.which("g++") is None:
        return "needs Linux, g++ and an x86-64 processor"
    if "LD_PRELOAD" in os.environ:
        return "a sanitizer of the core takes the place of the kernels' own"
    if "BTFPERM_EMULATED" in os.environ:
        return "runs on an emulated device already"
    return None


def why_no_child() -> str | None:
    """The reason why no child runs here, or why none has to; None if one runs."""
    if os.environ.get("BTFPERM_CI"):
        return "runs in the step emulated of .ci/run"
    return why_not()


def start(seed: int) -> subprocess.Popen[str]:
    """Starts the child. It runs each test function with one drawn combination of its parameters, or
    with one for each algorithm; `.ci/run emulated` runs all values, with AddressSanitizer."""
    options = ["-q", "-x", "-m", "gpu", "--one", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command = [sys.executable, "-m", "tests.emulated_gpu", "-m", "pytest", *options, *TESTS]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "BTFPERM_SEED": str(seed)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
