# SPDX-License-Identifier: BSD-3-Clause
"""The emulation of a device: the functions of CUDA return what they must, and mistakes of kernels
are detected."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from btfperm.backends.gpu.compile import options

if (sys.platform, platform.machine()) != ("linux", "x86_64") or shutil.which("g++") is None:
    pytest.skip("needs Linux, g++ and an x86-64 processor", allow_module_level=True)
if os.environ.get("BTFPERM_CI"):  # there, the compiler's output is shared with other tests
    pytest.skip("runs in the step emulated of .ci/run", allow_module_level=True)

from tests.emulated_gpu.__main__ import shared_library
from tests.emulated_gpu.modules import Module, RefusedError

SOURCE = Path(__file__).with_name("emulated.cu").read_text(encoding="utf-8")
LANE = np.arange(32)


@pytest.fixture(scope="module")
def module():
    return Module(SOURCE, options("int32"))


def place(array):
    return array.ctypes.data, array.itemsize


def test_functions_of_a_warp(module):
    out = np.full((64, 8), -1, np.int32)
    module.launch("words", 1, 64, [place(out)], at_once=False)
    expected = [
        (LANE + 5) % 32,
        LANE // 8 * 8 + 1,
        np.where(LANE + 3 < 32, LANE + 3, LANE),
        np.where(LANE % 16 >= 3, LANE - 3, LANE),
        LANE ^ 6,
        np.full(32, 11),
        LANE // 10 * 10,
        np.full(32, 1),
    ]
    for warp in (out[:32], out[32:]):
        np.testing.assert_array_equal(warp, np.transpose(expected))


def test_lanes_that_a_block_does_not_have_are_not_waited_for(module):
    out = np.full((48, 8), -1, np.int32)
    module.launch("words", 1, 48, [place(out)], at_once=False)
    assert (out[:, 5] == 11).all() and (out[32:, 7] == 0).all()


def test_lanes_that_arrive_together_see_the_same_mask(module):
    masks, sizes = np.zeros(64, np.uint32), set()
    for _ in range(20):
        module.launch("together", 1, 64, [place(masks)], at_once=False)
        for warp in (masks[:32], masks[32:]):
            members = warp[:, None] >> LANE & 1 == 1
            assert members.diagonal().all()
            assert ((warp[:, None] == warp) == members).all()
            sizes.update(members.sum(axis=1).tolist())
    assert len(sizes) > 1


@pytest.mark.parametrize("n", [1, 33, 5000])
def test_concurrent_appends_lose_nothing(module, n):
    listed, size = np.full(n, -1, np.int32), np.zeros(1, np.uint64)
    module.launch("append", 3, 96, [np.int32(n), place(listed), place(size)], at_once=False)
    expected = np.setdiff1d(np.arange(n), np.arange(0, n, 3))
    np.testing.assert_array_equal(np.sort(listed[: int(size[0])]), expected)


def test_a_missing_barrier_is_detected(module):
    numbers, out = np.arange(256, dtype=np.int32), np.zeros(1, np.int32)

    def found(careless):
        module.launch(
            "sum", 1, 256, [np.int32(careless), place(numbers), place(out)], at_once=False
        )
        return int(out[0])

    assert {found(0) for _ in range(10)} == {numbers.sum()}
    assert {found(1) for _ in range(10)} != {numbers.sum()}


def test_blocks_of_one_launch_meet(module):
    barrier, written, missing = np.zeros(1, np.uint64), np.zeros(4, np.int32), np.zeros(1, np.int32)
    module.launch("meet", 4, 64, [place(barrier), place(written), place(missing)], at_once=True)
    assert written.tolist() == [20] * 4 and missing[0] == 0


def test_threads_interleave(module):
    count = np.zeros(1, np.int32)
    module.launch("count_carelessly", 2, 512, [place(count)], at_once=False)
    assert 0 < count[0] < 1024


@pytest.mark.parametrize(
    ("kernel", "fragment"),
    [
        ("two_barriers", "wait at different barriers: kernel.cu"),
        (
            "a_lane_stays_away",
            "no thread can continue; block 0: thread 0 waits for its warp at kernel.cu",
        ),
        ("not_in_its_own_mask", "not in its own mask: kernel.cu"),
    ],
)
def test_kernels_with_undefined_behaviour_are_refused(module, kernel, fragment):
    with pytest.raises(RefusedError, match=fragment):
        module.launch(kernel, 1, 64, [], at_once=False)


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ([np.int32(1)], "takes 2 arguments, not 1"),
        ([np.int64(1), place(np.zeros(2, np.int32))], "argument 0 has 8 bytes, not 4"),
        ([np.int32(1), place(np.zeros(2, np.int64))], "argument 1 points to 8 bytes, not 4"),
    ],
)
def test_arguments_of_other_types_are_refused(module, arguments, fragment):
    with pytest.raises(RefusedError, match=fragment):
        module.launch("write_at", 1, 1, arguments, at_once=False)


def test_a_compile_error_is_reported():
    with pytest.raises(RefusedError, match="no_such_word"):
        Module('extern "C" __global__ void f() { no_such_word(); }', options("int32"))


BEYOND = """
import cupy
from btfperm.backends.gpu.compile import Kernels
run = Kernels("{file}", "int32")
for place in (9, 10):
    run.launch("write_at", 1, 1, place, cupy.zeros(10, dtype="int32"))
    print("written at", place, flush=True)
"""


@pytest.fixture
def script(tmp_path):
    """BEYOND on a file with that kernel alone, which compiles faster than all kernels."""
    (kernel,) = [line for line in SOURCE.splitlines() if " write_at(" in line]
    file = tmp_path / "write_at.cu"
    file.write_text(f'#include "backends/gpu/index.cuh"\n{kernel}\n', encoding="utf-8")
    return BEYOND.format(file=file)


def sanitized(*arguments):
    """Runs Python on the emulated device, with AddressSanitizer."""
    if not Path(shared_library("libasan.so")).is_absolute():
        pytest.skip("g++ has no AddressSanitizer here")
    left_out = "LD_PRELOAD", "PYTEST_ADDOPTS"
    clean = {name: value for name, value in os.environ.items() if name not in left_out}
    return subprocess.run(
        [sys.executable, "-m", "tests.emulated_gpu", *arguments],
        env={**clean, "BTFPERM_EMULATED_SANITIZE": "1"},
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )


def test_accesses_outside_an_array_are_detected(script):
    """The kernel is launched through the stand-in for CuPy."""
    done = sanitized("-c", script)
    assert done.returncode != 0 and done.stdout == "written at 9\n", done.stderr
    assert "heap-buffer-overflow" in done.stderr


def test_pytest_shows_the_report_of_the_sanitizer(script, tmp_path):
    """The report ends the process, so it would be lost if pytest captured it."""
    file = tmp_path / "test_beyond.py"
    file.write_text("def test_beyond():" + script.replace("\n", "\n    "), encoding="utf-8")
    done = sanitized("-m", "pytest", "-q", "-p", "no:cacheprovider", str(file))
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr, done.stdout
