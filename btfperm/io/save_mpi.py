# SPDX-License-Identifier: BSD-3-Clause
"""``.npz`` files of results over ranks: each rank writes its parts, or the first rank writes what
the others send.

The arrays are those that one process writes; `meta` describes the search over ranks. If all ranks
are on one machine, each rank writes its parts of a decomposition into the file of the first rank,
at the same time. Otherwise, or for a pipe, the first rank writes all; beside its own part of the
result, it holds one piece of one array at a time. To write a decomposition in another format or
convention, it gathers the whole arrays.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.arguments import path_text
from btfperm.backends.mpi.shared_files import opened_together
from btfperm.conventions.rows import Convention
from btfperm.errors import InvalidArgumentError, ResourceMissingError
from btfperm.fields import FIELDS, FORM, SCALINGS, Field
from btfperm.io.atomic_write import atomic_write, is_new_file
from btfperm.io.npy_members import (
    array_writer,
    complete_array,
    joined_crc32,
    reserve_array,
    write_array,
)
from btfperm.io.perm_file import described, save, target
from btfperm.io.perm_npz import write_text
from btfperm.io.save_matching import check_name

__all__ = ["save_distributed", "save_matching"]

_CONVERTED = 1 << 16  # items that a rank converts and writes at once
PIECE = 1 << 20
"""Items of an array that a rank sends at once."""


def save_distributed(
    result: Any, path: Any, *, format: str | None, convention: str | None, replace: bool
) -> None:
    """Writes a `DistributedDecomposition`. Collective.

    Raises what `save` raises, on all ranks.
    """
    exchange = result.pattern.exchange
    given = {"path": path, "format": format, "convention": convention, "replace": replace}
    with exchange.guarded("save", given):
        written_as, row = target(path, format, convention, None)
        if (written_as.name, row.name) == ("npz", "btfperm"):

            def meta() -> dict[str, Any]:  # may wait for the hash of the input
                return described(result.meta, "dulmage_mendelsohn", row)

            if exchange.rank == 0:
                with atomic_write(path, replace=replace) as file:
                    _write_npz(file, result, meta)
            else:
                _send_npz(path_text(path), result)
            return
        _refuse_completion(result, path, row)
        whole = result.gather_to_first()
        if whole is not None:
            save(whole, path, format=format, convention=convention, replace=replace)


def _refuse_completion(result: Any, path: Any, row: Convention) -> None:
    """Raises InvalidArgumentError on all ranks if the permutation has to be completed. The blocks
    of a completed permutation are the strongly connected components of another digraph, which only
    one process computes."""
    (m, n), rank = result.shape, result.structural_rank
    if row.pairs_diagonal and m == n > rank:
        raise InvalidArgumentError(
            f"{path_text(path)}: the convention {row.name!r} needs a row for every column, and "
            f"this matrix has structural rank {rank:,} of {n:,}; only one process completes the "
            "permutation: call block_triangular_form(A) without comm="
        )


def _fields_of(result: Any) -> tuple[Field, ...]:
    """The fields that the file holds."""
    has_scalings = result.transversal.log_row_scale is not None
    return (*FIELDS, *SCALINGS) if has_scalings else FIELDS


def _write_npz(file: Any, result: Any, meta: Callable[[], dict[str, Any]]) -> None:
    """The part of the first rank in writing a file. `meta` is called last, because it may have to
    wait for the hash of the matrix."""
    m, n = result.shape
    count: dict[str, Any] = {"m": m, "n": n, "b+1": result.n_blocks + 1}
    own = file.fileno() if is_new_file(file) else None
    reserved = []
    with (
        opened_together(result.pattern.exchange, own, os.O_WRONLY) as descriptor,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
    ):
        for field in _fields_of(result):
            shape = (int(count.get(field.length, field.length)),) if field.length else ()
            if descriptor is not None and _is_distributed(field):
                reserved.append(reserve_array(archive, field.name, shape, _kind_of(field)))
                continue
            with array_writer(archive, field.name, shape, _kind_of(field)) as put:
                for piece in _pieces(result, field):
                    put(piece)
        if descriptor is not None:
            sums = _write_parts(descriptor, result, [space.first for space in reserved])
            for space, checksum in zip(reserved, sums, strict=True):
                complete_array(archive, space, checksum)
        write_text(archive, meta())


def _send_npz(name: str, result: Any) -> None:
    """The part of another rank in writing the file of this name."""
    with opened_together(result.pattern.exchange, None, os.O_WRONLY) as descriptor:
        if descriptor is None:
            for field in _fields_of(result):
                for _ in _pieces(result, field):
                    pass
            return
        try:
            _write_parts(descriptor, result, [])
        except OSError as error:
            reason = error.strerror or str(error)
            raise ResourceMissingError(f"{name} cannot be written: {reason}") from error


def _kind_of(field: Field) -> np.dtype[Any]:
    """The type of the numbers of a field in files."""
    return np.dtype(np.float64 if field in SCALINGS else np.int64)


def _is_distributed(field: Field) -> bool:
    return field.on_device or field in SCALINGS


def _own_part(result: Any, field: Field) -> npt.NDArray[Any]:
    """The part of a distributed array that this rank holds."""
    own: npt.NDArray[Any] = getattr(result if field in FORM else result.transversal, field.name)
    return own


def _write_parts(descriptor: int, result: Any, firsts: list[int]) -> list[int]:
    """Each rank writes its parts of the distributed arrays into the file of the first rank.
    `firsts` are the places of the arrays in the file, which the first rank passes. Returns the
    CRC-32 of each array. Collective."""
    exchange = result.pattern.exchange
    fields = [field for field in _fields_of(result) if _is_distributed(field)]
    items = [_kind_of(field).itemsize for field in fields]
    firsts = exchange.broadcast(firsts)
    parts = [_own_part(result, field) for field in fields]
    sizes = exchange.from_all(*(part.size for part in parts)) * items
    places = np.array(firsts) + sizes[: exchange.rank].sum(axis=0)
    sums = [
        _write_part(descriptor, part, _kind_of(field), int(place))
        for part, field, place in zip(parts, fields, places, strict=True)
    ]
    of_all = exchange.from_all(*sums)
    found = [0] * len(fields)
    for rank in range(exchange.size):
        for k, (checksum, size) in enumerate(zip(of_all[rank], sizes[rank], strict=True)):
            found[k] = joined_crc32(found[k], int(checksum), int(size))
    return found


def _write_part(descriptor: int, part: npt.NDArray[Any], kind: np.dtype[Any], place: int) -> int:
    """Writes a part of an array as numbers of type `kind`, from `place` on. Returns its CRC-32."""
    buffer = np.empty(min(_CONVERTED, part.size), kind)
    checksum = 0
    for first in range(0, part.size, _CONVERTED):
        piece = buffer[: min(_CONVERTED, part.size - first)]
        piece[:] = part[first : first + _CONVERTED]
        data = memoryview(cast(Any, piece)).cast("B")
        checksum = zlib.crc32(data, checksum)
        while data:  # a write may end early
            written = os.pwrite(descriptor, data, place)
            data, place = data[written:], place + written
    _core.backends.start_write_back(descriptor)
    return checksum


def _pieces(result: Any, field: Field) -> Iterator[npt.NDArray[Any]]:
    """An array in order, piece by piece, on the first rank, to which the others send their parts.
    Each rank holds the shape, the rank and the coarse boundaries. Collective."""
    exchange = result.pattern.exchange
    if not _is_distributed(field):
        yield np.atleast_1d(np.asarray(getattr(result, field.name)))
        return
    yield from _in_order(exchange, _own_part(result, field))


def save_matching(result: Any, path: Any, *, replace: bool) -> None:
    """Writes `mate`, `dual`, `weight` and `upper_bound` of a `DistributedGraphMatching`.
    Collective.

    Raises what `check_name` and `atomic_write` raise, on all ranks.
    """
    exchange, arrays = result.exchange, (("mate", result.mate), ("dual", result.dual))
    with exchange.guarded("save", {"path": path, "replace": replace}):
        check_name(path)
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
