# SPDX-License-Identifier: BSD-3-Clause
"""The pinned buffers, with a fake device and with a GPU, and functions of the core."""

from __future__ import annotations

import ctypes
import sys
import types

import numpy as np
import pytest

from btfperm import _core
from btfperm.backends.gpu import staging


class FakeDevice:
    """A device whose memory is an array of the host. `waited` records each synchronisation with the
    stream, but no synchronisation with an event. After `fails_after` copies, each copy raises
    KeyboardInterrupt."""

    def __init__(self, monkeypatch, memory, fails_after=None):
        self.copies, self.fails_after = 0, fails_after
        self.waited = []
        self.start = memory.ctypes.data
        event = types.SimpleNamespace(record=lambda _: None, synchronize=lambda: None)
        stream = types.SimpleNamespace(ptr=0, synchronize=lambda: self.waited.append("stream"))
        cuda = types.SimpleNamespace(
            runtime=types.SimpleNamespace(
                memcpyAsync=self.memcpy, memcpyDeviceToHost=2, memcpyHostToDevice=1
            ),
            get_current_stream=lambda: stream,
            alloc_pinned_memory=bytearray,
            Event=lambda **_: event,
        )
        monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(cuda=cuda))

    def memcpy(self, target, source, size, *_):
        if self.copies == self.fails_after:
            raise KeyboardInterrupt
        self.copies += 1
        ctypes.memmove(target, source, size)


@pytest.fixture(params=[(1, 1), (3, 1), (3, 2)])  # cores of each process, and processes
def ring(request, monkeypatch):
    monkeypatch.setattr(staging, "usable_cores", lambda: request.param[0] * request.param[1])
    ring = staging.Ring()
    ring.share_cores(request.param[1])
    return ring


PIECES = pytest.mark.parametrize("pieces", [0.3, 1, 3, 4, 5, 10.3])


@PIECES
def test_copy_to_the_device(monkeypatch, ring, pieces):
    size = int(pieces * staging._BUFFER_BYTES) + 5
    memory = np.zeros(size, np.uint8)
    device = FakeDevice(monkeypatch, memory)
    source = np.arange(size, dtype=np.uint32).astype(np.uint8)
    ring.write([(source[:9], device.start), (source[9:], device.start + 9)])
    assert (memory == source).all() and device.waited == ["stream"]


@PIECES
def test_copy_from_the_device(monkeypatch, ring, pieces):
    size = int(pieces * staging._BUFFER_BYTES) + 5
    memory = np.arange(size, dtype=np.uint32).astype(np.uint8)
    device = FakeDevice(monkeypatch, memory)
    target = np.zeros(size, np.uint8)
    ring.read([(target[:7], device.start), (target[7:], device.start + 7)])
    assert (target == memory).all()


@pytest.mark.parametrize("way", ["write", "read"])
def test_a_copy_that_fails_waits_for_those_in_flight(monkeypatch, ring, way):
    """The buffers are then free for the next array."""
    memory = np.ones(8 * staging._BUFFER_BYTES, np.uint8)
    device = FakeDevice(monkeypatch, memory, fails_after=5)
    with pytest.raises(KeyboardInterrupt):
        getattr(ring, way)([(memory.copy(), device.start)])
    assert device.waited == ["stream"]
    device.fails_after = None
    target = np.zeros_like(memory)
    ring.read([(target, device.start)])
    assert target.all()


def test_ranks_leave_half_of_the_cores(monkeypatch):
    monkeypatch.setattr(staging, "usable_cores", lambda: 16)
    ring = staging.Ring()
    assert ring.most_threads == 16
    found = []
    for ranks in (1, 2, 4, 8, 30):
        ring.share_cores(ranks)
        found.append(ring.most_threads)
    assert found == [8, 4, 2, 1, 1]


def test_each_thread_gets_whole_new_pages(monkeypatch):
    """The pieces of a new array end at multiples of a huge page for each thread."""
    monkeypatch.setattr(staging, "usable_cores", lambda: 3)
    monkeypatch.setattr(staging, "start_threads", lambda threads: threads)
    memory = np.ones(20 << 20, np.uint8)
    device = FakeDevice(monkeypatch, memory)
    ends, copy = [], _core.backends.copy_bytes

    def seen(source, target, threads):
        ends.append(target.ctypes.data + target.size)
        copy(source, target, threads)

    backends = types.SimpleNamespace(copy_bytes=seen)
    monkeypatch.setattr(staging, "_core", types.SimpleNamespace(backends=backends))
    target = np.zeros_like(memory)
    staging.Ring().read([(target, device.start)], is_new=True)
    assert target.all() and len(ends) >= 4
    assert all(end % (6 << 20) == 0 for end in ends[:-1])


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("size", [0, 1, 5, 4097, 1_000_003])
def test_copied_by_the_core(size, threads):
    source = np.arange(size, dtype=np.uint32).astype(np.uint8)
    target = np.full(size + 1, 7, np.uint8)
    _core.backends.copy_bytes(source, target[:size], threads)
    assert (target[:size] == source).all() and target[size] == 7
    with pytest.raises(ValueError, match="source has"):
        _core.backends.copy_bytes(source, target, threads)


@pytest.mark.parametrize("count", [0, 1, 1000, 5_000_000])
def test_new_bytes(count):
    array = _core.backends.new_bytes(count)
    assert array.dtype == np.uint8 and array.shape == (count,) and array.flags.writeable
    array[:] = 3
    assert _core.backends.new_bytes(8 * count).view(np.int64).shape == (count,)
    _core.backends.fail_allocation_at(1)
    with pytest.raises(MemoryError):
        _core.backends.new_bytes(count)


@pytest.mark.gpu
@pytest.mark.parametrize("size", [0, 1, 5_000_000, 50_000_001])
def test_there_and_back(size, run_seed):
    from btfperm.backends.gpu.arrays import download, upload

    words = np.random.default_rng(run_seed).integers(0, 2**31 - 1, size, dtype=np.int32)
    back = np.zeros_like(words)
    download(upload(words), back)
    np.testing.assert_array_equal(back, words)
