# SPDX-License-Identifier: BSD-3-Clause
"""The ring of pinned buffers, with a device that is planted."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from btfperm.backends.gpu import staging


def test_a_copy_that_fails_leaves_no_thread_writing_into_the_ring(monkeypatch):
    submitted, waited = [], []

    class Threads(ThreadPoolExecutor):
        def submit(self, *call):
            submitted.append(super().submit(*call))
            return submitted[-1]

    def fail(*_):
        raise KeyboardInterrupt

    stream = types.SimpleNamespace(ptr=0, synchronize=lambda: waited.append("stream"))
    cuda = types.SimpleNamespace(
        runtime=types.SimpleNamespace(memcpyAsync=fail, memcpyHostToDevice=1),
        get_current_stream=lambda: stream,
        Event=lambda **_: None,
    )
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(cuda=cuda))
    ring = staging.Ring()
    ring._buffers = [np.empty(staging._BUFFER_BYTES, np.uint8) for _ in range(staging._BUFFERS)]
    with Threads(1) as ring._threads:
        with pytest.raises(KeyboardInterrupt):
            ring._copy(np.zeros(20 * staging._BUFFER_BYTES, np.uint8), 0)
        done = [future.done() for future in submitted]
    assert len(done) == staging._BUFFERS and all(done) and waited == ["stream"]


class Planted:
    """A device whose memory is an array of the host."""

    def __init__(self, monkeypatch, memory, fails_after=None):
        self.copies, self.fails_after = 0, fails_after
        self.start = memory.ctypes.data
        nothing = contextlib.nullcontext()
        nothing.id = 0
        event = types.SimpleNamespace(record=lambda _: None, synchronize=lambda: None)
        cuda = types.SimpleNamespace(
            runtime=types.SimpleNamespace(memcpyAsync=self.memcpy, memcpyDeviceToHost=2),
            get_current_stream=lambda: types.SimpleNamespace(ptr=0, synchronize=lambda: None),
            Event=lambda **_: event,
            Device=lambda *_: nothing,
        )
        monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(cuda=cuda))

    def memcpy(self, target, source, size, *_):
        if self.copies == self.fails_after:
            raise KeyboardInterrupt
        self.copies += 1
        ctypes.memmove(target, source, size)


def ring_with(threads):
    ring = staging.Ring()
    ring._buffers = [np.empty(staging._BUFFER_BYTES, np.uint8) for _ in range(staging._BUFFERS)]
    ring._threads = threads
    return ring


@pytest.mark.parametrize("pieces", [1, 3, 16, 17, 40.3])
def test_the_way_back(monkeypatch, pieces):
    size = int(pieces * staging._BUFFER_BYTES) + 5
    memory = np.arange(size, dtype=np.uint32).astype(np.uint8)
    planted = Planted(monkeypatch, memory)
    target = np.zeros(size, np.uint8)
    with ThreadPoolExecutor(4) as threads:
        ring_with(threads)._copy_back(planted.start, target)
    assert (target == memory).all()


def test_a_way_back_that_fails_leaves_no_thread_writing(monkeypatch):
    memory = np.ones(30 * staging._BUFFER_BYTES, np.uint8)
    planted = Planted(monkeypatch, memory, fails_after=7)
    target = np.zeros_like(memory)
    with ThreadPoolExecutor(1) as threads:
        with pytest.raises(KeyboardInterrupt):
            ring_with(threads)._copy_back(planted.start, target)
        came = target[: 7 * staging._BUFFER_BYTES].all()  # not later, when threads end
    assert came and not target[7 * staging._BUFFER_BYTES :].any()


@pytest.mark.gpu
@pytest.mark.parametrize("size", [0, 1, 5_000_000, 50_000_001])
def test_there_and_back(size, run_seed):
    from btfperm.backends.gpu.arrays import download, upload

    words = np.random.default_rng(run_seed).integers(0, 2**31 - 1, size, dtype=np.int32)
    back = np.zeros_like(words)
    download(upload(words), back)
    np.testing.assert_array_equal(back, words)
