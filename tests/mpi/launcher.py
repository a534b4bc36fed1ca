# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program on several ranks by the launcher of the MPI that is installed beside mpi4py."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.emulated_gpu import beside

ROOT = Path(__file__).parents[2]


def launcher():
    """The path of mpiexec; skips the test without MPI unless CI requires it."""
    required = os.environ.get("BTFPERM_REQUIRE_MPI")
    if os.environ.get("BTFPERM_CI") and not required:
        pytest.skip("runs in the step mpi of .ci/run")
    found = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which(
        "mpiexec"
    )
    try:
        import mpi4py  # noqa: F401
    except ImportError:
        found = None
    if found is None and required:
        pytest.fail("mpi4py or mpiexec is not installed")
    if found is None:
        pytest.skip("MPI is not installed")
    return found


def emulated_or_skip():
    """The arguments of Python before a program that runs on emulated GPUs; skips the test where
    there is no emulation. If BTFPERM_REAL_GPUS is set, there are no such arguments, and the program
    uses the GPUs of the machine."""
    if os.environ.get("BTFPERM_REAL_GPUS"):
        return ()
    launcher()
    why = beside.why_not()
    if why is not None:
        pytest.skip(why.replace("a sanitizer of the core takes", "a sanitizer takes"))
    return ("-m", "tests.emulated_gpu")


def on_ranks(ranks, *command, timeout=300, env=None, stdin=None):
    """The finished process of ``mpiexec -n ranks command``."""
    return subprocess.run(
        [launcher(), "-n", str(ranks), *map(str, command)],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
