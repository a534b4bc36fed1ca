# SPDX-License-Identifier: BSD-3-Clause
"""What the algorithms on a GPU work on: a pattern and the matching at hand, on its device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

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
from btfperm.backends.gpu.budget import Budget
from btfperm.backends.gpu.compile import Kernels, kernels
from btfperm.backends.gpu.device import on, refuse_beyond_free
from btfperm.backends.gpu.readback import Readback
from btfperm.pattern import DevicePattern, KeptPattern, Pattern

if TYPE_CHECKING:
    from btfperm.transversal.problem import Problem

__all__ = ["DeviceProblem"]

# Words of an index that the hungriest algorithm, meeting-trees, keeps beside the columns: lists of
# the rows, pieces (a word for 16 entries), arrays as long as the rows or the columns.
_ENTRIES_A_WORD, _ARRAYS = 16, 17


@dataclass
class DeviceProblem:
    """The sibling of `Problem` on a device. All arrays are CuPy arrays of one index type.

    Attributes
    ----------
    device : its number
    pattern : where the columns come from, to go back to the host
    m : rows; indptr, indices : compressed columns
    row_match, col_match : the matching at hand, written to by the algorithms
    reached : marks of the rows that the last search reached without a path, where it left them: the
        rows of a least cover, if it was right
    has_room : whether it was asked if the device has the memory for a search
    """

    device: int
    pattern: Pattern
    m: int
    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    host: Problem | None = None
    proven: bool = False
    reached: Any = None
    has_room: bool = False

    @classmethod
    def empty(cls, pattern: DevicePattern) -> DeviceProblem:
        """With no pair matched yet."""
        device = device_of(pattern.indices)
        with on(device):
            width = pattern.indices.dtype
            row_match, col_match = minus_ones(pattern.m, width), minus_ones(pattern.n, width)
        return cls(
            device, pattern, pattern.m, pattern.indptr, pattern.indices, row_match, col_match
        )

    @classmethod
    def of(cls, problem: Problem, pattern: Pattern, device: int | None) -> DeviceProblem:
        """A copy of a problem, which stays its place on the host.

        Raises
        ------
        BackendUnavailableError : there is no such GPU, or it has not the memory
        """
        if isinstance(pattern, DevicePattern) and device is None:
            device = pattern.device
        with on(device) as number:
            m, n = pattern.shape
            here = isinstance(pattern, DevicePattern) and pattern.device == number
            kept = isinstance(pattern, KeptPattern) and number in pattern.copies
            _refuse_search_beyond_free(pattern, 1 if here or kept else 2)
            copy = pattern.on_device(number) if isinstance(pattern, KeptPattern) else pattern
            there = here or copy is not pattern
            indptr: Any = copy.indptr if there else upload(problem.indptr)
            indices: Any = copy.indices if there else upload(problem.indices)
            if problem.size:
                row_match, col_match = upload(problem.row_match), upload(problem.col_match)
            else:  # nothing to copy
                row_match, col_match = minus_ones(m, indices.dtype), minus_ones(n, indices.dtype)
        return cls(
            number, pattern, m, indptr, indices, row_match, col_match, problem, has_room=True
        )

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
        """Number of matched pairs."""
        with on(self.device):
            total = Readback(1)
            run = self.kernels("transversal/device_problem.cu")
            blocks = grid(self.n, COUNTING)
            run.launch("count_matched", blocks, BLOCK, self.n, self.col_match, total.array)
            return total.read()[0]

    @cached_property
    def by_rows(self) -> tuple[Any, Any]:
        """Compressed rows (indptr, indices) beside the columns; the lists are in no order."""
        with on(self.device):
            return transposed(self.m, self.indptr, self.indices)

    def transposed(self) -> DeviceProblem:
        """The same problem seen from the rows; the matching arrays are shared."""
        rows = self.by_rows
        turned = DeviceProblem(
            self.device, self.pattern, self.n, *rows, self.col_match, self.row_match
        )
        turned.__dict__["by_rows"] = (self.indptr, self.indices)
        return turned

    def kernels(self, file: str) -> Kernels:
        """The kernels of a file, for this index type, on this device."""
        return kernels(file, self.width.name)

    def run(
        self,
        algorithm: Callable[..., dict[str, int | list[int]]],
        budget: Budget,
        seed: int,
        options: Mapping[str, float | str],
    ) -> dict[str, int | list[int]]:
        """Runs a driver on the device, within the budget; its counters."""
        with on(self.device):
            return algorithm(self, budget, seed, options)

    def on_host(self) -> Problem:
        """The problem with the matching at hand, on the host."""
        from btfperm.transversal.problem import Problem

        if self.host is None:
            self.host = Problem.empty(self.pattern.on_host())
        with on(self.device):
            download(self.row_match, self.host.row_match)
            download(self.col_match, self.host.col_match)
        self.host.proven = False
        return self.host

    def on_device(self, pattern: Pattern, device: int | None) -> DeviceProblem:
        """Itself, or a copy on another device, for a search there.

        Raises
        ------
        BackendUnavailableError : there is no such GPU, or it has not the memory
        """
        if device is None or device == self.device:
            if not self.has_room:
                with on(self.device):
                    _refuse_search_beyond_free(self.pattern, 1)
                self.has_room = True
            return self
        return DeviceProblem.of(self.on_host(), pattern.on_host(), device)


def _refuse_search_beyond_free(pattern: Pattern, lists: int) -> None:
    """Raises BackendUnavailableError when the current device has not the memory for a search, which
    keeps so many lists of all entries beside what is there."""
    m, n, nnz = pattern.m, pattern.n, pattern.nnz
    words = lists * nnz + nnz // _ENTRIES_A_WORD + _ARRAYS * (m + n)
    refuse_beyond_free(
        words * int(pattern.indices.dtype.itemsize),
        f"a search in a matrix of {m:,} x {n:,} with {nnz:,} entries",
    )
