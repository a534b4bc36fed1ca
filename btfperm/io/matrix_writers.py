# SPDX-License-Identifier: BSD-3-Clause
"""Matrices to files, for `btfperm convert`: Matrix Market, `.npz`, `.mat`, `.rb`.

Matrix Market is written by fast_matrix_market, the others by SciPy.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidArgumentError
from btfperm.io.atomic_write import atomic_write
from btfperm.io.matrix_market_core import core
from btfperm.pattern import Pattern

__all__ = ["write_matrix"]

_BLOCK_ENTRIES = 1 << 17
_PACKINGS = (".gz", ".bz2", ".xz")


def write_matrix(path: str | os.PathLike[str], A: Any) -> None:
    """See `btfperm.io.write_matrix`."""
    name = PurePath(os.fsdecode(path))
    packing = name.suffix.lower() if name.suffix.lower() in _PACKINGS else ""
    suffix = (name.with_suffix("") if packing else name).suffix.lower()
    if suffix not in _WRITERS or (packing and suffix not in {".mtx", ".mm"}):
        raise InvalidArgumentError(
            f"{os.fsdecode(path)}: matrices are written as .mtx (also .mtx.gz, .mtx.bz2, .mtx.xz), "
            ".npz, .mat, .rb, .hb or .rua: choose one of these suffixes"
        )
    if not isinstance(A, Pattern):
        A = _sparse(A)
    with atomic_write(path) as file, _packed(file, packing) as target:
        _WRITERS[suffix](target, A)


def _sparse(A: Any) -> Any:
    import scipy.sparse

    A = scipy.sparse.coo_array(A)
    if A.ndim != 2:
        raise InvalidArgumentError(f"a matrix has two dimensions, not {A.ndim}")
    return A


@contextlib.contextmanager
def _packed(file: BinaryIO, packing: str) -> Iterator[Any]:
    if packing == ".gz":
        import gzip

        # No name and no date: the same matrix gives the same bytes.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as target:
            yield target
    elif packing == ".bz2":
        import bz2

        with bz2.BZ2File(file, "wb") as target:
            yield target
    elif packing == ".xz":
        import lzma

        with lzma.LZMAFile(file, "wb") as target:
            yield target
    else:
        yield file


def _write_matrix_market(file: BinaryIO, A: Any) -> None:
    if isinstance(A, Pattern):
        rows: npt.NDArray[Any] = A.indices
        cols: npt.NDArray[Any] = A.cols()
        values: npt.NDArray[Any] | None = None
    else:
        rows, cols, values = A.row, A.col, A.data
        if values.dtype.kind == "b":
            values = None if values.all() else values.astype(np.int64)
    field = "pattern" if values is None else _field(values)
    m, n = A.shape
    head = f"%%MatrixMarket matrix coordinate {field} general\n{m} {n} {rows.size}\n"
    file.write(head.encode())
    for start in range(0, rows.size, _BLOCK_ENTRIES):
        part = slice(start, start + _BLOCK_ENTRIES)
        file.write(_lines((m, n), rows[part], cols[part], None if values is None else values[part]))


def _lines(
    shape: tuple[int, int],
    rows: npt.NDArray[Any],
    cols: npt.NDArray[Any],
    values: npt.NDArray[Any] | None,
) -> memoryview:
    """The text of some entries: a long call into the core would not answer Ctrl-C."""
    index = np.int32 if max(shape) <= np.iinfo(np.int32).max else np.int64
    data = np.zeros(0) if values is None else values.astype(_CORE_TYPES[_field(values)], copy=False)
    fmm, text = core(), io.BytesIO()
    cursor = fmm.open_write_stream(text, fmm.header(), 0, -1)
    fmm.write_body_coo(
        cursor, shape, rows.astype(index, copy=False), cols.astype(index, copy=False), data
    )
    sizes = f"\n{shape[0]} {shape[1]} {rows.size}\n".encode()  # ends the header of the core
    whole = text.getvalue()
    return memoryview(whole)[whole.index(sizes) + len(sizes) :]


_CORE_TYPES: dict[str, npt.DTypeLike] = {
    "real": np.float64,
    "integer": np.int64,
    "complex": np.complex128,
}


def _field(values: npt.NDArray[Any]) -> str:
    return {"i": "integer", "u": "integer", "c": "complex"}.get(values.dtype.kind, "real")


def _compressed(A: Any) -> Any:
    return A.to_scipy() if isinstance(A, Pattern) else A.tocsc()


def _write_npz(file: BinaryIO, A: Any) -> None:
    import scipy.sparse

    scipy.sparse.save_npz(file, _compressed(A))


def _write_mat(file: BinaryIO, A: Any) -> None:
    """The variable is called A."""
    import scipy.io

    target = file if file.seekable() else io.BytesIO()
    scipy.io.savemat(target, {"A": _compressed(A)})
    if isinstance(target, io.BytesIO):
        file.write(target.getvalue())


def _write_harwell_boeing(file: BinaryIO, A: Any) -> None:
    """A file without right-hand sides is a Harwell-Boeing and a Rutherford-Boeing file alike."""
    import scipy.io

    if isinstance(A, Pattern) or A.data.dtype.kind not in "iuf" or not A.nnz:
        raise InvalidArgumentError(
            "SciPy writes Harwell-Boeing files of real and integer matrices with entries only; "
            "write .mtx instead"
        )
    matrix = A.tocsc()
    matrix.data = matrix.data.astype(_CORE_TYPES[_field(matrix.data)])
    text = io.StringIO()
    scipy.io.hb_write(text, matrix)
    file.write(text.getvalue().encode("ascii"))


_WRITERS: dict[str, Callable[[Any, Any], None]] = {
    ".mtx": _write_matrix_market,
    ".mm": _write_matrix_market,
    ".npz": _write_npz,
    ".mat": _write_mat,
    ".rb": _write_harwell_boeing,
    ".hb": _write_harwell_boeing,
    ".rua": _write_harwell_boeing,
}
