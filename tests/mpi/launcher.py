# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program on several ranks by the launcher of `benchmarks.mpi.launcher`."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.mpi.launcher import launcher as mpiexec
from tests.emulated_gpu import beside

ROOT = Path(__file__).parents[2]


def launcher():
    """The command that starts ranks, without their number; skips the test without MPI unless CI
    requires it."""
    required = os.environ.get("BTFPERM_REQUIRE_MPI")
    if os.environ.get("BTFPERM_CI") and not required:
        pytest.skip("runs in the step mpi of .ci/run")
    try:
        import mpi4py  # noqa: F401

        return mpiexec()
    except (ImportError, OSError):
        if required:
            pytest.fail("mpi4py or mpiexec is not installed")
        pytest.skip("MPI is not installed")


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


# Open MPI's launcher writes its own sentences about a job that fails between lines of dashes.
_OF_THE_LAUNCHER = re.compile(r"^-{60,}\n.*?^-{60,}\n", re.DOTALL | re.MULTILINE)


def on_ranks(ranks, *command, timeout=300, env=None, stdin=None):
    """The finished process of ``mpiexec -n ranks command``."""
    ended = subprocess.run(
        [*launcher(), "-n", str(ranks), *map(str, command)],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    ended.stderr = _OF_THE_LAUNCHER.sub("", ended.stderr)
    return ended
