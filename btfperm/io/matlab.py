# SPDX-License-Identifier: BSD-3-Clause
"""MATLAB files of version 5 to 7.

The matrix is the variable named in ``file.mat:NAME``, which may be dense: its nonzeros are the
entries then. Without a name, it is the only sparse variable in the file. If a variable is a struct
with a field A, as ``Problem`` in the files of the SuiteSparse collection, this field is used in its
place. Version 7.3 is HDF5 and is not read.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.errors import BtfpermError, InvalidArgumentError
from btfperm.io.columns import compressed_columns
from btfperm.io.header import Header
from btfperm.io.mat5_elements import SPARSE, Element, Variable, inner_variable, variables
from btfperm.io.read_bytes import DAMAGE
from btfperm.io.source import Progress, Source
from btfperm.io.values import as_double, field_of
from btfperm.printable import listed_names

if TYPE_CHECKING:
    from btfperm.pattern import Pattern

__all__ = ["head", "read_matrix", "read_pattern", "recognises", "write_matrix"]

_LARGEST_SIZE = 2**31
_LARGEST_VARIABLE = 2**32  # bytes
_DENSE_CLASSES = range(6, 16)  # double, single, and the integers
_BLOCK = 1 << 16  # values of a dense matrix that are converted at a time


class _Columns(NamedTuple):
    """Compressed columns, unchecked."""

    shape: tuple[int, int]
    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    values: npt.NDArray[Any]


def recognises(start: bytes, suffix: str) -> bool:
    # HDF5 and version 4 (which has no magic number) are recognised so that they can be refused.
    return start.startswith((b"MATLAB ", b"\x89HDF")) or suffix == ".mat"


def head(source: Source) -> Header:
    """The number of entries follows the row indices, so the whole variable is read."""
    matrix = _load(source)
    field = field_of(matrix.values.dtype)
    return Header("matlab", matrix.shape, matrix.indices.size, field, "general", "csc")


def read_pattern(
    source: Source, *, drop_zeros: bool, threads: int = 0, progress: Progress | None = None
) -> Pattern:
    """O(size of the file); for a dense variable O(m n)."""
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
    """The variable is called A. Its values are logical, double or complex double, the types of
    sparse matrices that all versions of MATLAB and Octave have.

    Raises
    ------
    InvalidArgumentError : an integer is no double, or the matrix is too large for the format
    """
    import scipy.io
    import scipy.sparse

    from btfperm.pattern.arrays import index_type

    # In this format, indices and byte counts have 32 bits. Larger indices would be truncated
    # without an error. For a variable of 2^32 bytes or more, SciPy raises MatWriteError only after
    # it has written the values.
    size = _bytes_of_variable(A.shape[1], A.nnz, A.dtype.kind)
    if max(A.shape) >= _LARGEST_SIZE or size >= _LARGEST_VARIABLE:
        raise InvalidArgumentError(
            f"a matrix of {A.shape[0]} x {A.shape[1]} with {A.nnz} entries is too large for a "
            "MATLAB file of version 5: write .npz or .mtx"
        )
    # SciPy's writer makes two copies of the pointers, of 32 bits.
    pointers = 3 * 4 / index_type(A.shape, A.nnz)().itemsize
    indptr, indices, values = compressed_columns(A, pointers)
    indptr, indices = indptr.astype(np.int32, copy=False), indices.astype(np.int32, copy=False)
    columns = scipy.sparse.csc_array((as_double(values), indices, indptr), shape=A.shape)
    columns.has_canonical_format = True  # otherwise SciPy sorts them
    del indptr, indices, values
    # The writer goes back to fill in lengths, which a pipe cannot.
    target = file if file.seekable() else io.BytesIO()
    scipy.io.savemat(target, {"A": columns})
    if isinstance(target, io.BytesIO):
        file.write(target.getvalue())


def _bytes_of_variable(n: int, nnz: int, kind: str) -> int:
    """The bytes behind the tag of a sparse variable whose name has at most 4 letters, as SciPy
    writes it. `kind` is that of the type of the values.

    >>> _bytes_of_variable(n=1, nnz=3, kind="f")
    112
    """
    value = 1 if kind == "b" else 8
    real_and_imaginary = [nnz * value] * (2 if kind == "c" else 1)
    # An element has a tag of 8 bytes and is padded to a multiple of 8; up to 4 bytes are stored
    # inside the tag. The first three elements are the flags, the shape, and the name.
    elements = [8, 8, 1, 4 * nnz, 4 * (n + 1), *real_and_imaginary]
    return sum(8 + (-(-length // 8) * 8 if length > 4 else 0) for length in elements)


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
            found = [inner_variable(file, entry, b"A") or entry for entry in variables(file)]
            chosen = _chosen(source, found)
            if not source.variable:  # the choice depends on all heads: compare their checksums
                for other in found:
                    if other is not chosen and other.place.is_compressed:
                        other.elements(file).finish()
            is_sparse = chosen.array_class == SPARSE
            return _sparse(file, chosen) if is_sparse else _dense(file, chosen, source.name)
        except BtfpermError:
            raise
        except DAMAGE as error:
            raise source.because(error, "the MATLAB file is damaged") from None


def _chosen(source: Source, found: list[Variable]) -> Variable:
    names = [entry.name for entry in found]
    if source.variable:
        if source.variable not in names:
            listed = listed_names(names) or "none"
            raise source.error(f"there is no variable {source.variable} in it; it holds {listed}")
        chosen = found[names.index(source.variable)]
        if chosen.array_class not in (SPARSE, *_DENSE_CLASSES) or len(chosen.shape) != 2:
            raise source.error(f"the variable {source.variable} is no matrix")
        return chosen
    sparse = [entry for entry in found if entry.array_class == SPARSE]
    if len(sparse) == 1:
        return sparse[0]
    listed = listed_names([entry.name for entry in sparse] or names) or "no variable"
    what = "more than one sparse matrix" if sparse else "no sparse matrix"
    raise source.error(f"it holds {what} ({listed}): name the one that is meant, as in FILE:NAME")


def _sparse(file: BinaryIO, entry: Variable) -> _Columns:
    """A sparse variable as compressed columns. The stored row indices and values may be longer than
    the number of entries (nzmax of MATLAB); the rest of them is ignored."""
    if len(entry.shape) != 2:
        raise ValueError("a sparse matrix has not two dimensions")
    m, n = entry.shape
    elements = entry.elements(file)
    indices = elements.next().numbers(most=m * n)
    pointers = elements.next()
    if pointers.dtype.kind not in "iu" or pointers.length != n + 1:
        raise ValueError(f"{pointers.length} column pointers for {n} columns")
    indptr = pointers.numbers()
    nnz = int(indptr[-1])
    # MATLAB may omit the values if there are no entries.
    values = _values(entry, elements.next(), nnz) if nnz else np.empty(0)
    if values.size != nnz or indices.size < nnz:
        raise ValueError(f"{min(values.size, indices.size)} entries where {nnz} are announced")
    elements.finish()
    return _Columns((m, n), indptr, indices[:nnz], values)


def _dense(file: BinaryIO, entry: Variable, name: str) -> _Columns:
    """The nonzeros of a dense variable as compressed columns. Their positions are computed in
    blocks, so that temporary arrays are short."""
    from btfperm.pattern.arrays import columns_shape, index_type

    m, n = columns_shape((entry.shape[0], entry.shape[1]), name)
    elements = entry.elements(file)
    values = _values(entry, elements.next(), m * n) if m * n else np.empty(0)
    if values.size != m * n:
        raise ValueError(f"{values.size} numbers for a matrix of {m} x {n}")
    elements.finish()
    nnz = int(np.count_nonzero(values))
    index = index_type((m, n), nnz)
    indices, indptr = np.empty(nnz, dtype=index), np.zeros(n + 1, dtype=index)
    filled = 0
    for first in range(0, values.size, _BLOCK):
        places = np.flatnonzero(values[first : first + _BLOCK]) + first
        indices[filled : filled + places.size] = places % m
        filled += places.size
        first_col, last_col = first // m, (first + _BLOCK) // m + 1
        counts = np.bincount(places // m - first_col)
        indptr[first_col + 1 : last_col + 1][: counts.size] += counts.astype(index)
    np.cumsum(indptr, out=indptr)
    return _Columns((m, n), indptr, indices, values[values != 0])


def _values(entry: Variable, real: Element, count: int) -> npt.NDArray[Any]:
    """The first `count` values, whose real parts are `real`; the imaginary parts follow."""
    if count < 0:
        raise ValueError(f"{count} entries are announced")
    values = real.numbers(count)
    if entry.is_complex:
        imaginary = real.elements.next().numbers(count)
        if imaginary.size != values.size:
            raise ValueError("real and imaginary parts differ in number")
        joined = np.empty(values.size, dtype=np.result_type(values, imaginary, np.complex64))
        joined.real, joined.imag = values, imaginary
        return joined
    return values.astype(bool) if entry.is_logical else values
