# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the memory that the rows and columns of a matrix need, before it is allocated.

A file of a few bytes may declare any number of rows. A system may grant more memory than it has,
and later end the process that uses this memory, or another one. A function that reads a matrix and
then works on it opens `memory_for` around both. The first check of the shape then covers all of the
work, so that a command reports one number, and the checks of its later steps are omitted.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import TYPE_CHECKING

from btfperm.errors import LargeMatrixWarning, ResourceMissingError
from btfperm.warn import warn

if TYPE_CHECKING:
    from btfperm.pattern.pattern import Pattern

__all__ = [
    "DECOMPOSITION",
    "SEARCH",
    "check_memory",
    "check_memory_of",
    "check_memory_of_ranks",
    "memory_for",
    "refuse_beyond_memory",
]

# The memory for each row and column, in indices, in addition to the pattern.
SEARCH = 1.25  # the matching and the cover: an index and a byte
DECOMPOSITION = 5  # measured: 22 bytes for each row and column of an empty matrix, 32-bit indices
_LARGEST_WORK = DECOMPOSITION

_MIN_INDICES_TO_CHECK = 2**24  # for fewer, the free memory is not determined
_LARGEST_MARGIN = 2**30  # bytes that must remain free; a tenth of the memory if that is less
_LARGE_PART = 4  # a requirement of more than free memory / 4 gives a warning


class memory_for:  # noqa: N801 - called like a function
    """Within the block, the first check of each shape includes `per_line` indices for each row and
    column. A block has no effect inside another one that requires at least as many indices."""

    __slots__ = ("_before", "checked", "per_line")

    def __init__(self, per_line: float) -> None:
        self.per_line = per_line
        self.checked: frozenset[frozenset[int]] = frozenset()
        self._before: Token[memory_for | None] | None = None

    def __enter__(self) -> None:
        outer = _work.get()
        if outer is None or outer.per_line < self.per_line:
            self._before = _work.set(self)

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            _work.reset(self._before)


_work: ContextVar[memory_for | None] = ContextVar("_work", default=None)


def check_memory(shape: tuple[int, int], name: str | None, *, indices: int = 0) -> None:
    """Check the memory for `indices` indices, which the caller allocates next, and for the work of
    the `memory_for` block in effect. Within that block, a second check of the same shape or of its
    transpose does nothing, whatever its `indices` are."""
    if _LARGEST_WORK * (shape[0] + shape[1]) + indices < _MIN_INDICES_TO_CHECK:
        return  # before anything else, because calls on small matrices are short
    work = _work.get()
    if work is not None:
        lines = frozenset(shape)
        if lines in work.checked:
            return
        work.checked |= {lines}
        indices += int(work.per_line * sum(shape))
    refuse_beyond_memory(shape, indices, name)


def check_memory_of(pattern: Pattern) -> None:
    """`check_memory` of a pattern in one process; that of a pattern over ranks was checked when the
    ranks made it."""
    if not pattern.is_distributed:
        check_memory(pattern.shape, pattern.name)


def check_memory_of_ranks(shape: tuple[int, int], own: tuple[int, int], name: str | None) -> None:
    """Check the memory for a matrix of this shape over MPI ranks. `own` are the numbers of rows and
    columns that the ranks of this machine own. Each column needs a 64-bit number, because the lists
    of a rank start at 64-bit places, and the rows and columns need the indices of the `memory_for`
    block in effect."""
    from btfperm.pattern.arrays import index_type

    work = _work.get()
    starts = own[1] * (8 // index_type(shape, 0)().itemsize)
    refuse_beyond_memory(shape, starts + int((work.per_line if work else 0) * sum(own)), name)


def refuse_beyond_memory(shape: tuple[int, int], indices: int, name: str | None) -> None:
    """Raise ResourceMissingError if the indices need more than the free memory less a margin.
    Issue a LargeMatrixWarning if they need a large part of it."""
    if indices < _MIN_INDICES_TO_CHECK:
        return
    from btfperm.backends.select import memory
    from btfperm.pattern.arrays import index_type, prefix

    needed, (total, free) = indices * index_type(shape, 0)().itemsize, memory()
    if free is None:
        return
    margin = _LARGEST_MARGIN if total is None else min(total // 10, _LARGEST_MARGIN)
    requirement = (
        f"{prefix(name)}a matrix of shape {shape[0]} x {shape[1]} needs at least "
        f"{needed / 1e9:,.1f} GB of memory for its rows and columns alone, and "
        f"{free / 1e9:,.1f} GB are free"
    )
    if needed > free - margin:
        rest = f", of which btfperm leaves {margin / 1e9:,.1f} GB to others"
        raise ResourceMissingError(requirement + (rest if needed <= free else ""))
    if needed > free // _LARGE_PART:
        warn(LargeMatrixWarning(requirement))
