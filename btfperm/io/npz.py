# SPDX-License-Identifier: BSD-3-Clause
"""`.npz` files of `scipy.sparse.save_npz`, in all five layouts: csc, csr, coo, bsr and dia."""

from __future__ import annotations

import contextlib
import math
import zipfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.errors import BtfpermError
from btfperm.io.columns import compressed_columns
from btfperm.io.header import Header
from btfperm.io.npy_members import array_head, keys, open_archive, read_array, read_shape
from btfperm.io.read_bytes import DAMAGE
from btfperm.io.source import Progress, Source
from btfperm.io.values import field_of
from btfperm.printable import quoted

if TYPE_CHECKING:
    from btfperm.pattern import Pattern

__all__ = ["head", "read_matrix", "read_pattern", "recognises", "write_matrix"]

_INDEX_ARRAYS = {
    "csc": ("indptr", "indices"),
    "csr": ("indptr", "indices"),
    "coo": ("row", "col"),
    "bsr": ("indptr", "indices"),
    "dia": ("offsets",),
}

_MOST_FORMAT = 1 << 10  # bytes of the name of a layout
_WORDS = {"row": "row numbers", "col": "column numbers"}


def recognises(start: bytes, suffix: str) -> bool:
    return start[:4] == b"PK\x03\x04"


def head(source: Source) -> Header:
    with _archive(source) as (archive, layout, shape):
        stored, _, dtype = array_head(archive, "data")
        entries = None if layout == "dia" else math.prod(stored)
        if "indptr" in _INDEX_ARRAYS[layout]:  # `data` may be longer than the number of entries
            pointers = read_array(archive, "indptr").reshape(-1)
            if pointers.dtype.kind in "iu" and stored and 0 <= pointers[-1] <= stored[0]:
                entries = int(pointers[-1]) * math.prod(stored[1:])
        field = field_of(dtype)
        return Header("npz", shape, entries, field, "general", layout)


def read_pattern(
    source: Source, *, drop_zeros: bool, threads: int = 0, progress: Progress | None = None
) -> Pattern:
    """O(nnz); beside the arrays of the file at most 8 bytes per entry."""
    from btfperm.pattern import Pattern
    from btfperm.pattern.arrays import refuse_non_numbers
    from btfperm.pattern.blocks_and_diagonals import pattern_of_blocks, pattern_of_diagonals

    with _archive(source) as (archive, layout, shape):
        if layout in {"bsr", "dia"}:
            arrays = _arrays(archive, layout)
            values: npt.NDArray[Any] | None = None
        else:
            values = read_array(archive, "data")
            refuse_non_numbers(values, source.name)
            stored = values.shape
            if values.all():  # no zeros, so the memory is released before the indices are read
                values = None
            arrays = {key: read_array(archive, key) for key in _INDEX_ARRAYS[layout]}
            indices = arrays[_INDEX_ARRAYS[layout][1]]
            if indices.shape != stored:
                raise source.error(
                    f"{indices.size} indices, but the data are of shape {quoted(stored)}"
                )
    about: dict[str, Any] = {"name": source.name, "source": source.origin()}
    source.report(progress)
    if layout == "bsr":
        lists = arrays["indices"], arrays["indptr"]
        return pattern_of_blocks(
            arrays["data"], *lists, shape, drop_zeros=drop_zeros, threads=threads or None, **about
        )
    if layout == "dia":
        return pattern_of_diagonals(arrays["data"], arrays["offsets"], shape, **about)
    first, second = arrays.values()
    makers: dict[str, Callable[..., Pattern]] = {
        "csc": Pattern.from_csc,
        "csr": Pattern.from_csr,
        "coo": Pattern.from_coo,
    }
    return makers[layout](
        first,
        second,
        shape,
        values=values,
        drop_zeros=drop_zeros,
        owned=True,
        **about,
    )


def read_matrix(source: Source) -> Any:
    """The matrix with its values."""
    from btfperm.pattern import blocks_and_diagonals as other
    from btfperm.pattern.host_matrix import compressed, coordinates

    with _archive(source) as (archive, layout, shape):
        arrays = _arrays(archive, layout)
    name, data = source.name, arrays["data"]
    if layout == "coo":
        return coordinates(arrays["row"], arrays["col"], data, shape, name)
    if layout == "dia":
        positions = other.positions_of_diagonals(data, arrays["offsets"], shape, name)
        return coordinates(*positions, shape, name)
    lists = arrays["indices"], arrays["indptr"]
    if layout == "bsr":
        return coordinates(*other.positions_of_blocks(data, *lists, shape, name), shape, name)
    return compressed(layout, data, *lists, shape, name).tocoo()


def write_matrix(file: BinaryIO, A: Any) -> None:
    """Writes compressed columns under the names that `scipy.sparse.save_npz` uses for their
    arrays."""
    columns = compressed_columns(A)
    np.savez_compressed(
        file,
        indices=columns.indices,
        indptr=columns.indptr,
        format=np.array(b"csc"),
        shape=np.array(A.shape),
        data=columns.values,
        _is_array=np.array(True),
    )


def _arrays(archive: zipfile.ZipFile, layout: str) -> dict[str, npt.NDArray[Any]]:
    return {key: read_array(archive, key) for key in (*_INDEX_ARRAYS[layout], "data")}


@contextlib.contextmanager
def _archive(source: Source) -> Iterator[tuple[zipfile.ZipFile, str, tuple[int, int]]]:
    """The archive, the layout of its matrix, and the shape."""
    with source.random_access() as file:
        try:
            with open_archive(file) as archive:
                found = keys(archive)
                if "row_perm" in found:
                    raise source.error("it holds permutations, not a matrix: it is a result")
                if not {"format", "shape", "data"} <= found:
                    raise source.error(
                        "it is no file of scipy.sparse.save_npz, which has arrays named format, "
                        "shape and data"
                    )
                layout = _layout(read_array(archive, "format", most_bytes=_MOST_FORMAT))
                if layout not in _INDEX_ARRAYS:
                    raise source.error(
                        f"the layout {quoted(layout)} is none of {', '.join(_INDEX_ARRAYS)}"
                    )
                shape = read_shape(archive)
                if shape is None:
                    raise source.error("the shape in it is not two numbers")
                _compare_lengths(source, archive, layout, shape)
                yield archive, layout, shape
        except BtfpermError:
            raise
        except DAMAGE as error:
            raise source.because(error, "its arrays are damaged") from None


def _compare_lengths(
    source: Source, archive: zipfile.ZipFile, layout: str, shape: tuple[int, int]
) -> None:
    """Compares the declared lengths of the arrays before any of them is read."""
    lengths = {name: array_head(archive, name).shape for name in (*_INDEX_ARRAYS[layout], "data")}
    data = lengths["data"]
    if layout == "dia":
        count = data[0] if len(data) == 2 else 1
        if len(data) not in (1, 2) or math.prod(lengths["offsets"]) != count:
            raise source.error(
                f"data of shape {quoted(data)} and offsets of shape {quoted(lengths['offsets'])} "
                "are no diagonals"
            )
        return
    if layout == "bsr":
        if len(data) != 3 or 0 in data[1:]:
            m, n = shape
            raise source.error(f"data of shape {quoted(data)} are no blocks of a {m} x {n} matrix")
        places, rows = math.prod(lengths["indptr"]), shape[0] // data[1]
        if places != rows + 1:
            raise source.error(
                f"indptr has {places} places, a matrix of {rows} rows of blocks needs {rows + 1}"
            )
        data = data[:1]
    elif layout != "coo":
        size, what = (shape[1], "columns") if layout == "csc" else (shape[0], "rows")
        places = math.prod(lengths["indptr"])
        if places != size + 1:
            raise source.error(
                f"indptr has {places} places, a matrix of {size} {what} needs {size + 1}"
            )
    for name in _INDEX_ARRAYS[layout]:
        if name != "indptr" and lengths[name] != data:
            count = math.prod(lengths[name])
            raise source.error(
                f"{count} {_WORDS.get(name, name)}, but the data are of shape "
                f"{quoted(lengths['data'])}"
            )


def _layout(array: npt.NDArray[Any]) -> str:
    value = array.reshape(-1)[:1].tolist()
    if value and isinstance(value[0], bytes):
        return value[0].decode("ascii", "replace")
    return str(value[0]) if value else ""
