# SPDX-License-Identifier: BSD-3-Clause
"""MATLAB files of version 5 to 7.

The matrix is the only sparse variable in the file, or ``Problem.A`` as the SuiteSparse collection
stores it, or the variable named in ``file.mat:NAME``, which may be dense: its nonzeros are the
entries then. Version 7.3 is HDF5 and is not read.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidArgumentError
from btfperm.io.header import Header
from btfperm.io.mat5_elements import SPARSE, STRUCT, Element, Variable, numbers, variable, variables
from btfperm.io.source import Progress, Source
from btfperm.io.values import as_double, field_of

if TYPE_CHECKING:
    from btfperm.pattern import Pattern

__all__ = ["SUFFIXES", "head", "read_matrix", "read_pattern", "recognises", "write_matrix"]

SUFFIXES = (".mat",)

_LARGEST_SIZE = 2**31
_DENSE_CLASSES = range(6, 16)  # double, single, and the integers


class _Columns(NamedTuple):
    """Compressed columns, unchecked."""

    shape: tuple[int, int]
    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    values: npt.NDArray[Any]


def recognises(start: bytes, suffix: str) -> bool:
    # HDF5 is recognised to be refused, version 4 (which has no magic number) likewise.
    return start.startswith((b"MATLAB ", b"\x89HDF")) or suffix == ".mat"


def head(source: Source) -> Header:
    """The number of entries stands behind the row indices, so the variable is read."""
    matrix = _load(source)
    field = field_of(matrix.values.dtype)
    return Header("matlab", matrix.shape, matrix.indices.size, field, "general", "csc")


def read_pattern(
    source: Source, *, drop_zeros: bool, threads: int = 0, progress: Progress | None = None
) -> Pattern:
    """O(size of the file); beside the result at most 24 bytes an entry."""
    from btfperm.pattern import Pattern

    matrix = _load(source)
    origin = source.origin()
    source.report(progress)
    return Pattern.from_csc(
        matrix.indptr,
        matrix.indices,
        matrix.shape,
        values=None if matrix.values.all() else matrix.values,
        drop_zeros=drop_zeros,
        name=source.name,
        source=origin,
        owned=True,
    )


def read_matrix(source: Source) -> Any:
    """The matrix with its values; those of a logical matrix are truth values."""
    from btfperm.pattern.host_matrix import compressed

    matrix = _load(source)
    lists = matrix.indices, matrix.indptr
    return compressed("csc", matrix.values, *lists, matrix.shape, source.name).tocoo()


def write_matrix(file: BinaryIO, A: Any) -> None:
    """The variable is called A. Its values are logical, double or complex double, the only types
    that MATLAB and Octave have for sparse matrices.

    Raises
    ------
    InvalidArgumentError : an integer is no double, or the matrix is too large for the format
    """
    import scipy.io

    # Indices and the sizes of elements have 32 bits in this format; SciPy would cut larger ones.
    bytes_each = 16 if A.dtype.kind == "c" else 8
    if max(A.shape) >= _LARGEST_SIZE or A.nnz * bytes_each >= 2 * _LARGEST_SIZE:
        raise InvalidArgumentError(
            f"a matrix of {A.shape[0]} x {A.shape[1]} with {A.nnz} entries is too large for a "
            "MATLAB file of version 5: write .npz or .mtx"
        )
    columns = A.tocsc()
    columns.data = as_double(columns.data)
    # The writer goes back to fill in lengths, which a pipe cannot.
    target = file if file.seekable() else io.BytesIO()
    scipy.io.savemat(target, {"A": columns})
    if isinstance(target, io.BytesIO):
        file.write(target.getvalue())


def _load(source: Source) -> _Columns:
    start = source.head()
    if start.startswith((b"\x89HDF", b"MATLAB 7.3")):
        raise source.error(
            "it is a MATLAB file of version 7.3 (HDF5), which is not read: save it again with "
            "save('file.mat', 'A', '-v7')"
        )
    if not start.startswith(b"MATLAB 5"):
        raise source.error(
            "it is no MATLAB file of version 5 to 7: save it again with "
            "save('file.mat', 'A', '-v7')"
        )
    with source.random_access() as file:
        try:
            chosen = _chosen(source, [_inner_matrix(entry) for entry in variables(file)])
            return _sparse(chosen) if chosen.array_class == SPARSE else _dense(chosen)
        except (ValueError, IndexError) as error:
            raise source.because(error, "the MATLAB file is damaged") from None


def _chosen(source: Source, found: list[Variable]) -> Variable:
    names = [entry.name for entry in found]
    if source.variable:
        if source.variable not in names:
            listed = ", ".join(names[:8]) or "none"
            raise source.error(f"there is no variable {source.variable} in it; it holds {listed}")
        chosen = found[names.index(source.variable)]
        if chosen.array_class not in (SPARSE, *_DENSE_CLASSES) or len(chosen.shape) != 2:
            raise source.error(f"the variable {source.variable} is no matrix")
        return chosen
    sparse = [entry for entry in found if entry.array_class == SPARSE]
    if len(sparse) == 1:
        return sparse[0]
    listed = ", ".join([entry.name for entry in sparse] or names[:8]) or "no variable"
    what = "more than one sparse matrix" if sparse else "no sparse matrix"
    raise source.error(f"it holds {what} ({listed}): name the one that is meant, as in FILE:NAME")


def _inner_matrix(outer: Variable) -> Variable:
    """`A` of a struct with such a field, under the name of the struct, else the variable."""
    if outer.array_class != STRUCT or outer.shape != (1, 1) or len(outer.contents) < 2:
        return outer
    width = int(numbers(outer.contents[0])[0])
    if width <= 0:
        raise ValueError("a struct has field names without letters")
    text = bytes(outer.contents[1].data)
    fields = [text[at : at + width].rstrip(b"\0") for at in range(0, len(text), width)]
    values: list[Element] = outer.contents[2:]
    if b"A" not in fields or not values[fields.index(b"A")].data:
        return outer
    return variable(values[fields.index(b"A")])._replace(name=outer.name)


def _sparse(entry: Variable) -> _Columns:
    if len(entry.shape) != 2:
        raise ValueError("a sparse matrix has not two dimensions")
    indices, indptr = numbers(entry.contents[0]), numbers(entry.contents[1])
    if indptr.dtype.kind not in "iu" or indptr.size != entry.shape[1] + 1:
        raise ValueError(f"{indptr.size} column pointers for {entry.shape[1]} columns")
    nnz = int(indptr[-1])  # there may be room for more
    values = _values(entry, 2, nnz)
    if values.size != nnz or indices.size < nnz:
        raise ValueError(f"{min(values.size, indices.size)} entries where {nnz} are announced")
    return _Columns((entry.shape[0], entry.shape[1]), indptr, indices[:nnz], values)


def _dense(entry: Variable) -> _Columns:
    m, n = entry.shape
    values = _values(entry, 0, m * n)
    if values.size != m * n:
        raise ValueError(f"{values.size} numbers for a matrix of {m} x {n}")
    cols, rows = np.nonzero(values.reshape(n, m))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(cols, minlength=n))))
    return _Columns((m, n), indptr, rows, values[values != 0])


def _values(entry: Variable, first: int, count: int) -> npt.NDArray[Any]:
    """`count` values, whose real parts are the element `first` of the contents."""
    if count == 0:  # MATLAB may leave the element out
        return np.empty(0)
    values = numbers(entry.contents[first])[:count]
    if entry.is_complex:
        imaginary = numbers(entry.contents[first + 1])[:count]
        if imaginary.size != values.size:
            raise ValueError("real and imaginary parts differ in number")
        return values + 1j * imaginary
    return values.astype(bool) if entry.is_logical else values
