# SPDX-License-Identifier: BSD-3-Clause
"""Values over MPI ranks: each rank has the values of its own entries, beside its pattern."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidMatrixError
from btfperm.pattern.arrays import prefix
from btfperm.pattern.input import refuse_other_shape
from btfperm.pattern.owned_lists import OwnedLists, owned_values, piece_of
from btfperm.pattern.valued import as_values

if TYPE_CHECKING:
    from btfperm.backends.mpi.exchange import Exchange
    from btfperm.backends.mpi.slices import Slices
    from btfperm.pattern.distributed import DistributedPattern

__all__ = ["Mirror", "as_distributed_values", "lists_with_values", "of_one_type", "row_values"]

Values = npt.NDArray[Any]
#: Computes the values of the mirrored entries (j, i) from those of the listed entries (i, j).
Mirror = Callable[[Values], Values]


def as_distributed_values(
    A: Any, comm: Any, shape: Sequence[int] | None = None, remedy: str | None = None
) -> DistributedPattern:
    """A `DistributedPattern` with `values`: of a matrix that is the same on each rank, of a file,
    or `A` itself if it is one. Duplicates are added up; the result may have entries of value 0.
    Collective.

    Raises
    ------
    InvalidMatrixError : `A` is no file and has no values
    UnreadableInputError : the file has no values, and `remedy`, which ends the message, is not
        empty; if it is empty, all values are 1
    """
    from btfperm.pattern.distributed import DistributedPattern

    if isinstance(A, DistributedPattern):
        if A.values is None:
            raise InvalidMatrixError(
                f"{prefix(A.name)}the DistributedPattern has no values: make it with the values of "
                "its entries"
            )
        refuse_other_shape(shape, A.shape)
        return A
    if isinstance(A, str | os.PathLike):
        from btfperm.io.read_mpi import read_distributed

        if remedy is None:
            remedy = "give a file with values"
        found = read_distributed(A, comm, values_or=remedy)
        refuse_other_shape(shape, found.shape)
        return found
    from btfperm.backends.mpi.slices import even_slices
    from btfperm.pattern.values import as_valued

    whole = as_valued(A, shape=shape).on_host()
    pattern = whole.pattern
    own = even_slices(pattern.n, comm.size, comm.rank)
    starts = pattern.indptr[own.first : own.last + 1]
    here = slice(int(starts[0]), int(starts[-1]))
    found = DistributedPattern.from_columns(
        comm,
        starts - starts[0],
        pattern.indices[here],
        pattern.shape,
        first=own.first,
        name=pattern.name,
        values=whole.values[here],
    )
    dropped = pattern.zeros_dropped
    return found._with(zeros_dropped=dropped, without_zeros=dropped)


def of_one_type(exchange: Exchange, values: Any, count: int, name: str | None) -> Values:
    """The values of this rank as float64, or as complex128 if a rank has complex ones. Collective.

    Raises
    ------
    InvalidMatrixError : they are no numbers, or their number is not `count`
    """
    found = as_values(values, count, name)
    is_complex = bool(exchange.largest(int(found.dtype.kind == "c"))[0])
    return np.asarray(found, dtype=np.complex128 if is_complex else np.float64)


def lists_with_values(
    exchange: Exchange,
    slices: Slices,
    lists: npt.NDArray[Any],
    items: npt.NDArray[Any],
    values: Values,
    mirror: Mirror | None = None,
) -> tuple[OwnedLists, Values]:
    """Sends each entry of this rank, given by its list, item and value, to the owner of the list.
    Returns the lists that this rank owns, and the value of each item. If `mirror` is given, the
    mirrored entries are added, with the values that it computes. The entries are sent in pieces,
    because an exchange needs several times their memory. Collective."""
    width, size = items.dtype, piece_of(items)
    pieces = exchange.largest(-(-items.size // size))[0]
    arrived: tuple[list[npt.NDArray[Any]], ...] = ([], [], [])  # lists, items, values
    for piece in range(pieces):
        part = slice(piece * size, (piece + 1) * size)
        here, there, value = lists[part], items[part], values[part]
        if mirror is not None:
            off = here != there
            here, there = np.concatenate((here, there[off])), np.concatenate((there, here[off]))
            value = np.concatenate((value, mirror(value[off])))
        got = exchange.route(slices, here, there, kind=width)
        value = value[got.order]
        if exchange.size > 1:
            value = exchange.move(value[:, None], got.sent, got.received)[:, 0]
        for parts, field in zip(arrived, (got.field(0), got.field(1), value), strict=True):
            parts.append(field)
    joined = []
    for parts, kind in zip(arrived, (width, width, values.dtype), strict=True):
        joined.append(np.concatenate([*parts, np.empty(0, dtype=kind)]))
        parts.clear()  # releases the parts before the next list is joined
    return owned_values(slices.first, slices.size, *joined)


def row_values(pattern: DistributedPattern, values: Values) -> tuple[OwnedLists, Values]:
    """The columns of each row of this rank, ascending, and the value of each of these entries, from
    the values of the entries in the columns of the ranks. Collective."""
    width = pattern.width
    cols = pattern.columns.list_of_each(width) + width(pattern.col_slices.first)
    return lists_with_values(pattern.exchange, pattern.row_slices, pattern.indices, cols, values)
