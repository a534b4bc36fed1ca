# SPDX-License-Identifier: BSD-3-Clause
"""The ring of pinned buffers, with a fake device and with a GPU, and functions of the core."""

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
    stream, but no synchronisation with an event. After `fails_after` copies, the next copy raises
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
            Event=lambda **_: event,
        )
        monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(cuda=cuda))

    def memcpy(self, target, source, size, *_):
        if self.copies == self.fails_after:
            raise KeyboardInterrupt
        self.copies += 1
        ctypes.memmove(target, source, size)


@pytest.fixture
def ring():
    ring = staging.Ring()
    ring._buffers = [np.empty(staging._BUFFER_BYTES, np.uint8) for _ in range(staging._BUFFERS)]
    return ring


PIECES = pytest.mark.parametrize("pieces", [0.3, 1, 3, 4, 5, 10.3])


@PIECES
def test_copy_to_the_device(monkeypatch, ring, pieces):
    size = int(pieces * staging._BUFFER_BYTES) + 5
    memory = np.zeros(size, np.uint8)
    device = FakeDevice(monkeypatch, memory)
    source = np.arange(size, dtype=np.uint32).astype(np.uint8)
    ring._copy(source, device.start)
    assert (memory == source).all() and device.waited == ["stream"]


@PIECES
def test_copy_from_the_device(monkeypatch, ring, pieces):
    size = int(pieces * staging._BUFFER_BYTES) + 5
    memory = np.arange(size, dtype=np.uint32).astype(np.uint8)
    device = FakeDevice(monkeypatch, memory)
    target = np.zeros(size, np.uint8)
    ring._copy_back(device.start, target)
    assert (target == memory).all()


@pytest.mark.parametrize("way", ["_copy", "_copy_back"])
def test_a_copy_that_fails_waits_for_those_in_flight(monkeypatch, ring, way):
    """The buffers are then free for the next array."""
    memory = np.ones(8 * staging._BUFFER_BYTES, np.uint8)
    device = FakeDevice(monkeypatch, memory, fails_after=5)
    ends = (memory, device.start) if way == "_copy" else (device.start, memory)
    with pytest.raises(KeyboardInterrupt):
        getattr(ring, way)(*ends)
    assert device.waited == ["stream"]


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
