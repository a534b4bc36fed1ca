# SPDX-License-Identifier: BSD-3-Clause
"""``perm.npz`` of a distributed decomposition: the first rank writes what the others send.

The arrays are those that one process writes; `meta` describes the search over ranks. Beside its own
part of the result, the first rank holds one piece of one array at a time. For other formats and
conventions, each rank gathers the whole arrays, and the first rank writes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.fields import FIELDS, SCALINGS, Field
from btfperm.io.atomic_write import atomic_write
from btfperm.io.npy_members import array_writer
from btfperm.io.perm_file import described, save, target
from btfperm.io.perm_npz import write_text

__all__ = ["save_distributed"]

PIECE = 1 << 20
"""Items of an array that a rank sends at once."""


def save_distributed(
    result: Any, path: Any, *, format: str | None, convention: str | None, replace: bool
) -> None:
    """Writes a `DistributedDecomposition`. Collective.

    Raises what `save` raises, on all ranks.
    """
    exchange = result.pattern.exchange
    with exchange.guarded():
        written_as, row = target(path, format, convention, None)
        if (written_as.name, row.name) == ("npz", "btfperm"):
            if exchange.rank == 0:
                with atomic_write(path, replace=replace) as file:
                    _write_npz(file, result, described(result.meta, "dulmage_mendelsohn", row))
            else:
                for field in _fields_of(result):
                    for _ in _pieces(result, field.name):
                        pass
            return
        whole = result.gather()
        if exchange.rank == 0:
            save(whole, path, format=format, convention=convention, replace=replace)


_OF_DECOMPOSITION = ("row_perm", "col_perm", "row_blocks", "col_blocks")


def _fields_of(result: Any) -> tuple[Field, ...]:
    """The fields that the file holds."""
    has_scalings = result.transversal.log_row_scale is not None
    return (*FIELDS, *SCALINGS) if has_scalings else FIELDS


def _write_npz(file: Any, result: Any, meta: dict[str, Any]) -> None:
    m, n = result.shape
    count: dict[str, Any] = {"m": m, "n": n, "b+1": result.n_blocks + 1}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for field in _fields_of(result):
            shape = (int(count.get(field.length, field.length)),) if field.length else ()
            kind = np.dtype(np.float64 if field in SCALINGS else np.int64)
            with array_writer(archive, field.name, shape, kind) as put:
                for piece in _pieces(result, field.name):
                    put(piece)
        write_text(archive, meta)


def _pieces(result: Any, name: str) -> Iterator[npt.NDArray[Any]]:
    """An array in order, piece by piece, on the first rank, to which the others send their parts.
    Each rank holds the shape, the rank and the coarse boundaries. Collective."""
    exchange = result.pattern.exchange
    if name in ("shape", "structural_rank", "coarse_rows", "coarse_cols"):
        yield np.atleast_1d(np.asarray(getattr(result, name)))
        return
    of = result if name in _OF_DECOMPOSITION else result.transversal
    own = getattr(of, name)
    sizes = exchange.from_all(own.size)[:, 0]
    for rank in range(exchange.size):
        for first in range(0, int(sizes[rank]), PIECE):
            mine = own[first : first + PIECE] if rank == exchange.rank else own[:0]
            piece = exchange.gather_to(0, mine)
            if piece is not None:
                yield piece
