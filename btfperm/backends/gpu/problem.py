# SPDX-License-Identifier: BSD-3-Clause
"""What the algorithms on a GPU work on: a pattern and the current matching, on one device."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from btfperm.backends.cpu.problem import Problem
from btfperm.backends.gpu.arrays import (
    BLOCK,
    COUNTING,
    device_of,
    download,
    grid,
    minus_ones,
    transposed,
    upload,
)
from btfperm.backends.gpu.compile import Kernels, kernels
from btfperm.backends.gpu.device import on, refuse_beyond_free
from btfperm.backends.gpu.readback import Readback

if TYPE_CHECKING:
    from btfperm.backends.protocol import Session
    from btfperm.pattern import DevicePattern, Pattern

__all__ = ["DeviceProblem", "bytes_of_search", "copy_on_device", "device_copies"]

# The memory that a search needs beside the columns. The algorithm meeting-trees needs most. In
# numbers of the index type, it allocates the compressed rows, one number for each 16 entries, and
# 17 arrays of length m + n.
_ENTRIES_A_WORD, _ARRAYS = 16, 17


@dataclass
class DeviceProblem:
    """The counterpart of `Problem` on a device.

    All arrays are CuPy arrays; those of the pattern and of the matching have one index type.

    Attributes
    ----------
    device : number of the device
    pattern : the pattern from which the columns were copied, on the host or on a device
    m : number of rows; indptr, indices: compressed columns
    row_match, col_match : the current matching, improved in place by the algorithms
    host : the problem on the host from which this one was copied, or to which it was copied last;
        or None
    reached : int32; 1 for each row of the minimum cover that the last search found, else 0. The
        certificate checks whether these rows belong to a cover. None if the search left no marks
    has_room : whether the device was found to have enough free memory for a search
    has_sorted_lists : whether the rows of each column ascend; in `transposed()` they do not
    """

    device: int
    pattern: Pattern
    m: int
    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    host: Problem | None = None
    reached: Any = None
    has_room: bool = False
    has_sorted_lists: bool = True

    @classmethod
    def empty(cls, pattern: DevicePattern) -> DeviceProblem:
        """The problem of this pattern with an empty matching, on the device of the pattern."""
        device = device_of(pattern.indices)
        with on(device):
            width = pattern.indices.dtype
            row_match, col_match = minus_ones(pattern.m, width), minus_ones(pattern.n, width)
        return cls(
            device, pattern, pattern.m, pattern.indptr, pattern.indices, row_match, col_match
        )

    @classmethod
    def of(cls, problem: Problem, session: Session, device: int | None) -> DeviceProblem:
        """A copy of a problem of the host, on a device (default: the one that holds the pattern,
        else CuPy's current one).

        Raises
        ------
        BackendUnavailableError : there is no such GPU, or its free memory is too small
        """
        pattern = session.pattern
        if device is None:
            device = getattr(pattern, "device", None)
        with on(device) as number:
            m, n = pattern.shape
            there = getattr(pattern, "device", None) == number or number in device_copies(session)
            _refuse_search_beyond_free(pattern, 1 if there else 2)
            if there or session.keep_copies:
                copy = copy_on_device(session, number)
                indptr, indices = copy.indptr, copy.indices
            else:
                indptr, indices = upload(problem.indptr), upload(problem.indices)
            if problem.size:
                row_match, col_match = upload(problem.row_match), upload(problem.col_match)
            else:  # nothing to copy
                row_match, col_match = minus_ones(m, indices.dtype), minus_ones(n, indices.dtype)
        matches = row_match, col_match
        return cls(number, pattern, m, indptr, indices, *matches, problem, has_room=True)

    @property
    def n(self) -> int:
        """Number of columns."""
        return int(self.indptr.size) - 1

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return int(self.indices.size)

    @property
    def width(self) -> Any:
        """The index type."""
        return self.indices.dtype

    @property
    def size(self) -> int:
        """Number of matched entries."""
        with on(self.device):
            total = Readback(1)
            run = self.kernels("backends/gpu/problem.cu")
            blocks = grid(self.n, COUNTING)
            run.launch("count_matched", blocks, BLOCK, self.n, self.col_match, total.array)
            return total.read()[0]

    @cached_property
    def by_rows(self) -> tuple[Any, Any]:
        """The compressed rows (indptr, indices), in addition to the columns. The columns of a row
        are in no particular order."""
        with on(self.device):
            return transposed(self.m, self.indptr, self.indices)

    def transposed(self) -> DeviceProblem:
        """The same problem with rows and columns exchanged; the matching arrays are shared."""
        rows = self.by_rows
        turned = DeviceProblem(
            self.device, self.pattern, self.n, *rows, self.col_match, self.row_match
        )
        turned.__dict__["by_rows"] = (self.indptr, self.indices)
        turned.has_sorted_lists = not self.has_sorted_lists
        return turned

    def kernels(self, file: str) -> Kernels:
        """The kernels of a file, for this index type, on CuPy's current device, which must be this
        one."""
        return kernels(file, self.width.name)

    def on_host(self) -> Problem:
        """The problem on the host, with the current matching."""
        if self.host is None:
            self.host = Problem.empty(self.pattern.on_host())
        with on(self.device):
            download(self.row_match, self.host.row_match)
            download(self.col_match, self.host.col_match)
        self.host.proven = False
        return self.host

    def on_device(self, session: Session, device: int | None) -> DeviceProblem:
        """Itself, or a copy if the caller names another device."""
        if device is None or device == self.device:
            self.check_room()
            return self
        return DeviceProblem.of(self.on_host(), session, device)

    def check_room(self) -> None:
        """Raises BackendUnavailableError when the device has too little free memory for a
        search."""
        if not self.has_room:
            with on(self.device):
                _refuse_search_beyond_free(self.pattern, 1)
            self.has_room = True


def device_copies(session: Session) -> dict[int, DevicePattern]:
    """The copies of the session's pattern on devices that steps of this call have made, with the
    device number as the key."""
    copies: dict[int, DevicePattern] = session.copies.setdefault("pattern", {})
    return copies


def copy_on_device(session: Session, device: int) -> DevicePattern:
    """The session's pattern on this device, which must be CuPy's current one. It is the pattern
    itself if this device holds it, otherwise a copy that the session keeps for later steps."""
    from btfperm.pattern import DevicePattern

    pattern = session.pattern
    if getattr(pattern, "device", None) == device:
        return pattern  # type: ignore[return-value]
    copies = device_copies(session)
    if device not in copies:
        here = pattern.on_host()
        arrays = upload(here.indptr), upload(here.indices)
        copies[device] = DevicePattern._unchecked(here.shape, *arrays, here.name, here.source)
    return copies[device]


def bytes_of_search(shape: tuple[int, int], nnz: int, lists: int, index_bytes: int) -> int:
    """The memory that a search allocates on a device. `lists` is the number of arrays of length nnz
    among it: 1 for the compressed rows, 2 if the columns must be copied, too."""
    return (lists * nnz + nnz // _ENTRIES_A_WORD + _ARRAYS * sum(shape)) * index_bytes


def _refuse_search_beyond_free(pattern: Pattern, lists: int) -> None:
    """Raises BackendUnavailableError when the current device has too little free memory for a
    search. `lists` is as for `bytes_of_search`."""
    m, n, nnz = pattern.m, pattern.n, pattern.nnz
    refuse_beyond_free(
        bytes_of_search(pattern.shape, nnz, lists, int(pattern.indices.dtype.itemsize)),
        f"a search in a matrix of {m:,} x {n:,} with {nnz:,} entries",
    )
