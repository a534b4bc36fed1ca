# SPDX-License-Identifier: BSD-3-Clause
"""Replaces `cupy.cuda`: two small devices that execute every operation at once, in order."""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import threading
from types import SimpleNamespace

from tests.emulated_gpu.modules import Module, RefusedError

DEVICES, PROCESSORS, THREADS_OF_ONE = 2, 2, 1024
_local = threading.local()


def _current():
    return getattr(_local, "number", 0)


class Device:
    """One of the devices. In a `with` statement it is the current device of this thread."""

    def __init__(self, number=None):
        self.id = _current() if number is None else int(number)
        self.attributes = {"MultiProcessorCount": PROCESSORS}
        self.compute_capability = "90"

    def __enter__(self):
        if not 0 <= self.id < DEVICES:
            raise runtime.CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        self._before = _current()
        _local.number = self.id
        return self

    def __exit__(self, *_):
        _local.number = self._before

    def use(self):
        _local.number = self.id

    def synchronize(self):
        return None

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    __hash__ = None


class Stream:
    ptr = 0
    null: Stream

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def synchronize(self):
        return None


Stream.null = Stream()


def get_current_stream():
    return Stream.null


class Event:
    def __init__(self, *_, **__):
        pass

    def record(self, *_):
        return None

    def synchronize(self):
        return None

    @property
    def done(self):
        return True


class CUDARuntimeError(RuntimeError):
    pass


class CUDADriverError(RuntimeError):
    pass


class NVRTCError(RuntimeError):
    pass


class CompileException(Exception):  # noqa: N818
    pass


class OutOfMemoryError(MemoryError):
    pass


def _memcpy(target, source, size, kind, _stream=0):
    assert kind in (1, 2, 3)
    ctypes.memmove(target, source, size)


_allocated = {}  # address: memory, and the file that other processes open


def _mapped(file, size):
    memory = mmap.mmap(file, size)
    place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    _allocated[place] = memory, file, size
    return place


def _malloc(size):
    file = os.memfd_create("device")
    os.ftruncate(file, size)
    return _mapped(file, size)


def _released(place):
    os.close(_allocated.pop(place)[1])


def _handle(place):
    return struct.pack("<qqq40x", os.getpid(), *_allocated[place][1:])


def _open(handle, _flags):
    """The memory of another process."""
    process, file, size = struct.unpack("<qqq40x", handle)
    try:
        return _mapped(os.open(f"/proc/{process}/fd/{file}", os.O_RDWR), size)
    except OSError as error:
        raise CUDARuntimeError(str(error)) from None


def _properties(number):
    if not 0 <= number < DEVICES:
        raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
    return {"name": b"emulated", "major": 9, "minor": 0, "multiProcessorCount": PROCESSORS}


runtime = SimpleNamespace(
    CUDARuntimeError=CUDARuntimeError,
    getDeviceCount=lambda: DEVICES,
    getDeviceProperties=_properties,
    deviceGetPCIBusId=lambda number: f"0000:0{int(number)}:00.0",
    memGetInfo=lambda: (8 << 30, 16 << 30),
    memcpyAsync=_memcpy,
    memcpyHostToDevice=1,
    memcpyDeviceToHost=2,
    memcpyDeviceToDevice=3,
    malloc=_malloc,
    free=_released,
    ipcGetMemHandle=_handle,
    ipcOpenMemHandle=_open,
    ipcCloseMemHandle=_released,
)
driver = SimpleNamespace(
    CUDADriverError=CUDADriverError,
    occupancyMaxActiveBlocksPerMultiprocessor=lambda _pointer, threads, _shared: max(
        THREADS_OF_ONE // threads, 1
    ),
)
nvrtc = SimpleNamespace(NVRTCError=NVRTCError, getVersion=lambda: (13, 0))
compiler = SimpleNamespace(CompileException=CompileException, compile_using_nvrtc=None)
memory = SimpleNamespace(OutOfMemoryError=OutOfMemoryError)


def set_allocator(_allocator=None):
    return None


def alloc_pinned_memory(size):
    return bytearray(size)


def _module(code, options):
    try:
        return Module(code, tuple(options))
    except RefusedError as error:
        raise CompileException(str(error)) from None


def _launch(module, name, grid, threads, arguments, at_once):
    try:
        module.launch(name, grid[0], threads[0], arguments, at_once=at_once)
    except RefusedError as error:
        raise CUDARuntimeError(str(error)) from None
