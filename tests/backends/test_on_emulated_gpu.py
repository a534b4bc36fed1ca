# SPDX-License-Identifier: BSD-3-Clause
"""Kernels and their drivers on an emulated device, in the suite of machines without a GPU.

A child process runs the small tests of GPUs, because the stand-in for CuPy must be installed before
any module imports CuPy. The child starts after the collection of tests and runs beside the other
tests; the test here waits for it. The child runs each test function with one drawn combination of
its parameters, or with one for each algorithm. `.ci/run emulated` runs each value of each
parameter, so BTFPERM_CI leaves out this test. Compiled kernels are cached under
`build/emulated_gpu`.
"""

from __future__ import annotations

import subprocess

import pytest

from tests.emulated_gpu import beside


@pytest.mark.skipif(beside.why_no_child() is not None, reason=str(beside.why_no_child()))
def test_small_matrices_on_an_emulated_device(emulated_run):
    """If the child fails, the message is its output."""
    try:
        output, _ = emulated_run.communicate(timeout=1200)
    except subprocess.TimeoutExpired:
        emulated_run.kill()
        output, _ = emulated_run.communicate()
        pytest.fail(f"the child did not end within 1,200 s:\n{output[-4000:]}")
    assert emulated_run.returncode == 0, output[-8000:]
    assert " passed" in output and "skipped" not in output, output[-2000:]
