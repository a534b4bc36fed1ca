# SPDX-License-Identifier: BSD-3-Clause
"""Sends the lines of a search (see `Exchange.step`) between ranks whose trees are on GPUs.

Numbers of lines, sums and short lists of lines are sent by `Exchange.step`, through the host. Long
lists are sent from GPU to GPU by NCCL if each rank has a GPU of its own and CuPy has NCCL on all
ranks; otherwise the host copies them through pinned memory (``gpu/staging.py``) and sends them by
MPI. The environment variable ``BTFPERM_NCCL=0`` turns NCCL off.

A rank that fails sends a notice to the others (``ranks.py``). While NCCL transfers lines, the host
polls an event of the stream and these notices; if it finds a notice, it aborts the communicator of
NCCL. The function that creates this communicator waits for all ranks without a time limit.
Therefore another thread calls it, so that the host can poll the notices then, too.
"""

from __future__ import annotations

import os
import threading
import weakref
import zlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.gpu.arrays import download, downloaded, upload
from btfperm.errors import BackendUnavailableError

if TYPE_CHECKING:
    from btfperm.backends.mpi.exchange import Exchange

__all__ = ["DeviceExchange", "local_device"]

Counts = npt.NDArray[np.int64]


def local_device(exchange: Exchange) -> int:
    """The GPU for this rank: the number of this rank among the ranks of its machine, modulo the
    number of GPUs there."""
    import cupy

    return exchange.rank_here % int(cupy.cuda.runtime.getDeviceCount())


class DeviceExchange:
    """Moves arrays that are on CuPy's current device.

    Attributes
    ----------
    uses_nccl : whether long lists travel by NCCL
    """

    @classmethod
    def of(cls, exchange: Exchange, device: int) -> DeviceExchange:
        """The object that belongs to `exchange` and to the devices of all ranks. It is made at the
        first use, and again if a rank uses another device than before. Collective; `device` must be
        CuPy's current one."""
        if exchange.sums(int(device not in exchange.links))[0]:
            exchange.links = {device: cls(exchange)}
        found: DeviceExchange = exchange.links[device]
        return found

    def __init__(self, exchange: Exchange) -> None:
        # A weak reference, because the exchange refers to this object in `links`.
        self._exchange: Exchange = weakref.proxy(exchange)
        self._nccl: Any = None
        self._communicator: Any = None
        if exchange.size > 1:
            self._connect()

    @property
    def uses_nccl(self) -> bool:
        return self._communicator is not None

    def _connect(self) -> None:
        """Makes the communicator of NCCL if all ranks can use it."""
        import cupy

        exchange, nccl = self._exchange, _nccl()
        bus = cupy.cuda.runtime.deviceGetPCIBusId(cupy.cuda.Device().id)
        place = zlib.crc32(str(bus).encode())
        found = exchange.from_all(int(nccl is not None), exchange.machine, place)
        if not found[:, 0].all() or len({tuple(row) for row in found.tolist()}) < exchange.size:
            return
        # The identity of a communicator is a tuple of integers in some versions of CuPy, and bytes
        # in others. The constructor accepts only the form of the same version.
        own = nccl.get_unique_id() if exchange.rank == 0 else ()
        is_bytes, words = exchange.broadcast([isinstance(own, bytes), [int(word) for word in own]])
        identity = bytes(words) if is_bytes else tuple(words)
        self._nccl = nccl
        exchange.barrier()  # no rank has failed yet: NCCL would wait for such a rank forever
        start = _Started(partial(nccl.NcclCommunicator, exchange.size, identity, exchange.rank))
        exchange.wait(start)
        try:
            self._communicator = start.result()
        except nccl.NcclError as failure:
            raise _not_available(failure) from failure
        # NCCL connects two GPUs at their first exchange, and the host cannot abort that. So this
        # exchange follows here, where no rank is likely to fail.
        ones = np.ones(exchange.size, dtype=np.int64)
        self._between_devices(cupy.empty((exchange.size, 1), dtype=np.int64), ones, ones)

    def step(self, lines: Any, sent: Counts, *values: int) -> tuple[Any, list[int]]:
        """`Exchange.step` for lines on a device; the received lines are on the device, too, if
        there are any."""
        exchange = self._exchange
        if exchange.size == 1:
            return lines, [int(lines.shape[0]), *values]

        def move(_: Any, sent: Counts, received: Counts) -> Any:
            return self.move(lines, sent, received)

        given = lines
        if not lines.size:
            given = np.empty(lines.shape, dtype=lines.dtype)
        elif int(sent.max()) <= exchange.most_inline:
            given = downloaded(lines.reshape(-1))[0].reshape(lines.shape)
        arrived, sums = exchange.step(given, sent, *values, move=move)
        if isinstance(arrived, np.ndarray) and arrived.size:
            arrived = upload(arrived)
        return arrived, sums

    def move(self, items: Any, sent: Counts, received: Counts) -> Any:
        """`Exchange.move` for items on a device."""
        if self.uses_nccl:
            self._exchange.count_moved(sent, items.shape[1], items.itemsize)
            return self._between_devices(items, sent, received)
        here = np.empty(items.shape, dtype=items.dtype)
        download(items, here)
        return upload(self._exchange.move(here, sent, received))

    def _between_devices(self, items: Any, sent: Counts, received: Counts) -> Any:
        import cupy

        nccl, stream = self._nccl, cupy.cuda.get_current_stream()
        width = int(items.shape[1])
        arrived = cupy.empty((int(received.sum()), width), dtype=items.dtype)
        kind = {1: nccl.NCCL_UINT8, 4: nccl.NCCL_INT32, 8: nccl.NCCL_INT64}[items.itemsize]
        from_here, to_here = _starts(sent), _starts(received)
        line = width * items.itemsize
        try:
            nccl.groupStart()
            for peer in range(self._exchange.size):
                count = int(sent[peer]) * width
                if count:
                    place = items.data.ptr + from_here[peer] * line
                    self._communicator.send(place, count, kind, peer, stream.ptr)
                count = int(received[peer]) * width
                if count:
                    place = arrived.data.ptr + to_here[peer] * line
                    self._communicator.recv(place, count, kind, peer, stream.ptr)
            nccl.groupEnd()
            done = cupy.cuda.Event(disable_timing=True)
            done.record(stream)
            self._exchange.wait(_Recorded(done))
        except BaseException as failure:
            self._communicator.abort()
            self._communicator = None
            if isinstance(failure, nccl.NcclError):
                raise _not_available(failure) from failure
            raise
        return arrived


class _Started:
    """A function that runs on CuPy's current device in a thread. The object has the method of an
    MPI request that `Ranks.wait` calls. If another rank fails, the thread continues without an end,
    because the host cannot stop a function of NCCL."""

    def __init__(self, work: Callable[[], Any]) -> None:
        import cupy

        self._work, self._device = work, cupy.cuda.Device().id
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        import cupy

        self._failure: BaseException | None = None
        try:
            with cupy.cuda.Device(self._device):
                self._result = self._work()
        except BaseException as failure:  # raised in the thread that waits
            self._failure = failure

    def Test(self) -> bool:
        self._thread.join(1e-3)
        return not self._thread.is_alive()

    def result(self) -> Any:
        if self._failure is not None:
            raise self._failure
        return self._result


class _Recorded:
    """An event of a stream, with the method of an MPI request that `Ranks.wait` calls."""

    def __init__(self, event: Any) -> None:
        self._event = event

    def Test(self) -> bool:
        return bool(self._event.done)


def _not_available(failure: BaseException) -> BackendUnavailableError:
    return BackendUnavailableError(
        f"NCCL failed ({failure}); set BTFPERM_NCCL=0, which exchanges through the host"
    )


def _starts(counts: Counts) -> list[int]:
    starts: list[int] = (np.cumsum(counts) - counts).tolist()
    return starts


def _nccl() -> Any:
    """CuPy's module for NCCL; None if CuPy has none, or if the user turned NCCL off."""
    if os.environ.get("BTFPERM_NCCL") == "0":
        return None
    try:
        from cupy.cuda import nccl

        return nccl if getattr(nccl, "available", True) and nccl.get_version() else None
    except Exception:  # a missing or incompatible library may raise any exception
        return None
