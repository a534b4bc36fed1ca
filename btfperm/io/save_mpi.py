# SPDX-License-Identifier: BSD-3-Clause
"""``.npz`` files of results over ranks: the first rank writes what the others send.

The arrays are those that one process writes; `meta` describes the search over ranks. Beside its own
part of the result, the first rank holds one piece of one array at a time. To write a decomposition
in another format or convention, it gathers the whole arrays.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.fields import FIELDS, FORM, SCALINGS, Field
from btfperm.io.atomic_write import atomic_write
from btfperm.io.npy_members import array_writer, write_array
from btfperm.io.perm_file import described, save, target
from btfperm.io.perm_npz import write_text
from btfperm.io.save_matching import check_name

__all__ = ["save_distributed", "save_matching"]

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
                    for _ in _pieces(result, field):
                        pass
            return
        whole = result.gather_to_first()
        if whole is not None:
            save(whole, path, format=format, convention=convention, replace=replace)


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
                for piece in _pieces(result, field):
                    put(piece)
        write_text(archive, meta)


def _pieces(result: Any, field: Field) -> Iterator[npt.NDArray[Any]]:
    """An array in order, piece by piece, on the first rank, to which the others send their parts.
    Each rank holds the shape, the rank and the coarse boundaries. Collective."""
    exchange = result.pattern.exchange
    if not field.on_device and field not in SCALINGS:
        yield np.atleast_1d(np.asarray(getattr(result, field.name)))
        return
    of = result if field in FORM else result.transversal
    yield from _in_order(exchange, getattr(of, field.name))


def save_matching(result: Any, path: Any, *, replace: bool) -> None:
    """Writes `mate`, `dual`, `weight` and `upper_bound` of a `DistributedGraphMatching`.
    Collective.

    Raises what `check_name` and `atomic_write` raise, on all ranks.
    """
    check_name(path)
    exchange, arrays = result.exchange, (("mate", result.mate), ("dual", result.dual))
    with exchange.guarded():
        if exchange.rank > 0:
            for _, own in arrays:
                for _ in _in_order(exchange, own):
                    pass
            return
        with (
            atomic_write(path, replace=replace) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
        ):
            for name, own in arrays:
                with array_writer(archive, name, (result.n,), own.dtype) as put:
                    for piece in _in_order(exchange, own):
                        put(piece)
            for name in ("weight", "upper_bound"):
                write_array(archive, name, np.array(getattr(result, name), dtype=np.float64))


def _in_order(exchange: Any, own: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    """The parts of all ranks one behind the other, in pieces, on the first rank. Collective."""
    sizes = exchange.from_all(own.size)[:, 0]
    for rank in range(exchange.size):
        for first in range(0, int(sizes[rank]), PIECE):
            mine = own[first : first + PIECE] if rank == exchange.rank else own[:0]
            piece = exchange.gather_to(0, mine)
            if piece is not None:
                yield piece
