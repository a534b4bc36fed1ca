# SPDX-License-Identifier: BSD-3-Clause
"""Right-hand sides and solutions in files: dense arrays with one vector in each column.

They are read from every format of matrices, sparse or dense, and from `.npy`. They are written as
Matrix Market files in array format, and as `.npy`. The writer in `matrix_market` writes the
coordinate format.
"""

from __future__ import annotations

import os
from io import BytesIO
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.arguments import path_text, text
from btfperm.errors import InvalidArgumentError, ResourceMissingError
from btfperm.pattern.memory import refuse_beyond_memory
from btfperm.printable import quoted

__all__ = ["SUFFIXES", "read_vectors", "write_vectors", "writes"]

SUFFIXES = (".mtx", ".mm", ".npy")
_PACKED = ("", ".gz", ".bz2", ".xz")
_NPY = b"\x93NUMPY"
_COPIES = 4  # of the right-hand sides in memory: themselves, solutions, residuals, results
_BLOCK = 1 << 17  # numbers written at a time


def read_vectors(path: str | os.PathLike[str], *, rows: int, of: str) -> npt.NDArray[Any]:
    """Vectors of `rows` numbers, one in each column of the result; one dimension if a `.npy` file
    has one. `of` is the matrix in the message about another number of rows.

    Raises
    ------
    UnreadableInputError : the file holds no array of numbers
    InvalidArgumentError : the vectors have another number of rows
    ResourceMissingError : they need more memory than is free
    """
    from btfperm.io import _format_of
    from btfperm.io.npy_members import read_npy
    from btfperm.io.source import open_source

    with open_source(path) as source:
        if source.head().startswith(_NPY):
            try:
                array = read_npy(source.stream)
            except ValueError as error:
                raise source.because(error, "it is no .npy file that can be read") from None
            if array.ndim not in (1, 2) or array.dtype.kind not in "iufc":
                raise source.error(
                    f"an array of numbers with one or two dimensions is expected, not "
                    f"{array.dtype} of shape {quoted(array.shape)}"
                )
            _require_rows(source.name, array.shape[0], rows, of)
            return array
        matrix = _format_of(source).read_matrix(source)
        if matrix.dtype.kind == "b":
            raise source.error("it holds no values, only the positions of the entries")
        _require_rows(source.name, matrix.shape[0], rows, of)
        # A file with a few entries may declare many columns. `_COPIES` dense arrays of this shape
        # follow.
        indices = _COPIES * 2 * matrix.shape[0] * matrix.shape[1]
        refuse_beyond_memory(matrix.shape, indices, source.name)
        try:
            dense: npt.NDArray[Any] = matrix.toarray()
        except MemoryError:
            m, n = matrix.shape
            raise ResourceMissingError(
                f"{source.name}: a matrix of shape {m} x {n} needs "
                f"{m * n * matrix.dtype.itemsize / 1e9:,.1f} GB as an array, and the system does "
                "not give them"
            ) from None
        return dense


def _require_rows(name: str, found: int, rows: int, of: str) -> None:
    if found != rows:
        raise InvalidArgumentError(
            f"the right-hand side {name} has {found:,} row{'' if found == 1 else 's'}, but {of} "
            f"has {rows:,}"
        )


def writes(path: str | os.PathLike[str], format: str | None = None) -> str | None:
    """The suffix that decides how a file of this name is written; None if there is none.

    >>> writes("x.mtx.gz"), writes("-"), writes("x", "npy"), writes("x.txt")
    ('.mtx.gz', '.mtx', '.npy', None)
    """
    name = path_text(path).lower()
    if format is not None:
        name = f".{text('format', format).lower()}"
    elif name == "-":
        name = ".mtx"
    known = [*(suffix + pack for suffix in SUFFIXES[:2] for pack in _PACKED), SUFFIXES[2]]
    return next((suffix for suffix in known if name.endswith(suffix)), None)


def write_vectors(
    path: str | os.PathLike[str],
    x: npt.NDArray[Any],
    *,
    format: str | None = None,
    replace: bool = True,
) -> None:
    """Writes an array of one or two dimensions; the suffix selects the format, unless `format`
    ("mtx" or "npy") does. A float64 that is read again is equal. ``-`` is standard output.

    Raises
    ------
    InvalidArgumentError : another suffix or format
    ResourceMissingError : see `btfperm.io.write_matrix`
    """
    from btfperm.io.atomic_write import atomic_write
    from btfperm.io.packing import packed

    suffix = writes(path, format)
    if suffix is None:
        raise InvalidArgumentError(
            f"{format or path_text(path)}: solutions are written as .mtx, packed or not, or as "
            ".npy: choose one of these suffixes"
        )
    with atomic_write(path, replace=replace) as file, packed(file, suffix) as stream:
        if suffix == ".npy":
            np.lib.format.write_array(stream, np.ascontiguousarray(x), allow_pickle=False)
        else:
            _write_array(stream, x)


def _write_array(file: BinaryIO, x: npt.NDArray[Any]) -> None:
    n, k = x.shape if x.ndim == 2 else (x.size, 1)
    field = "complex" if x.dtype.kind == "c" else "real"
    file.write(f"%%MatrixMarket matrix array {field} general\n{n} {k}\n".encode())
    numbers = x.reshape(n, k).T.reshape(-1)  # column by column
    for start in range(0, numbers.size, _BLOCK):
        file.write(_lines(numbers[start : start + _BLOCK]))


def _lines(numbers: npt.NDArray[Any]) -> memoryview:
    """The text of some numbers. The numbers are written in parts, because a long call of
    fast_matrix_market would not respond to Ctrl-C."""
    from btfperm.io.matrix_market_core import core

    fmm, written = core(), BytesIO()
    cursor = fmm.open_write_stream(written, fmm.header(), 0, -1)
    fmm.write_body_array(cursor, np.asfortranarray(numbers[:, None]))
    sizes = f"\n{numbers.size} 1\n".encode()  # the last line of the header that the core writes
    whole = written.getvalue()
    return memoryview(whole)[whole.index(sizes) + len(sizes) :]
