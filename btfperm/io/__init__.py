# SPDX-License-Identifier: BSD-3-Clause
"""Reading and writing of files; each format has its own module.

`formats.py` lists the formats, one row each, of matrices and of permutation files; docs/files.md
shows the rows of matrices as a table. Matrices are also read packed by gzip, bzip2 or xz, and from
a `.tar` of the SuiteSparse collection; ``-`` is standard input.

The content decides which format a file has. The suffix decides only if the content cannot.
`btfperm.io.formats.register` adds a format of matrices. The module of a format is imported when a
file is first compared with it or written by it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from btfperm.arguments import function, path_text, text, truth, whole_number
from btfperm.backends.threads import MOST_THREADS
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.io.formats import matrix_formats, module_of, writer_of
from btfperm.io.header import Header
from btfperm.io.permutation_files import load, save, write_petsc_is
from btfperm.io.source import Progress, Source, open_source

if TYPE_CHECKING:
    from btfperm.pattern import Pattern, ValuedPattern

    FORMATS: tuple[str, ...]

__all__ = ["FORMATS", "Header", "load", "peek", "read", "read_matrix", "read_valued", "save"]
__all__ += ["write_matrix", "write_petsc_is"]

PathLike = str | os.PathLike[str]

_MANY_ENTRIES = 1 << 17  # freed memory is returned to the system after a read of this many


def read(
    path: PathLike,
    *,
    drop_zeros: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Pattern:
    """Reads the pattern of the matrix in a file.

    Parameters
    ----------
    path : file name; ``-`` is standard input; ``file.mat:NAME`` one variable of a MATLAB file
    drop_zeros : whether entries stored with the value zero are left out
    threads : threads that parse; 0 means all cores this process may use. The readers of formats
        other than Matrix Market ignore it, except for the layout bsr of npz files
    progress : called with the number of bytes read so far, and with the size of the file or None if
        it is unknown: after each block of a Matrix Market file, else once

    Returns
    -------
    Pattern
        ``source`` holds the file's name and the SHA-256 of its bytes.

    Raises `UnreadableInputError` with one sentence that names the file and, if one line of a text
    file is wrong, this line; and `ResourceMissingError` if there is not enough memory.
    O(m + n + size of the unpacked file), and the time of `as_pattern` for the entries. For a Matrix
    Market file with 32-bit indices, reading takes about 8 bytes per entry beside the result.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.mtx"
    >>> head = "%%MatrixMarket matrix coordinate pattern general\\n"
    >>> _ = file.write_text(head + "2 3 2\\n1 1\\n2 3\\n")
    >>> read(file).shape
    (2, 3)
    """
    drop_zeros = truth("drop_zeros", drop_zeros)
    threads = whole_number("threads", threads, 0, MOST_THREADS)
    if progress is not None:
        function("progress", progress)
    with open_source(path) as source:
        pattern: Pattern = _format_of(source).read_pattern(
            source, drop_zeros=drop_zeros, threads=threads, progress=progress
        )
    _return_free_memory(pattern.nnz)
    return pattern


def stream_entries(path: PathLike, take: Any, block: int) -> tuple[Header, dict[str, Any]]:
    """Reads a graph or matrix in parts: calls ``take(rows, cols, values)`` with the stored entries
    of one part of the file after the other; `block` is the approximate number of bytes of a part.
    Returns the header, and the origin as ``Pattern.source`` holds it. Of a symmetric Matrix Market
    file, the entries are those that the file lists; `values` is None if the file holds none.

    Raises `UnreadableInputError` as `read`, and for a format that cannot be read in parts.
    """
    with open_source(path) as source:
        reader = getattr(_format_of(source), "stream_entries", None)
        if reader is None:
            raise source.error(
                "only Matrix Market and METIS files can be read in parts: `btfperm convert` "
                "writes Matrix Market"
            )
        header: Header = reader(source, take, block)
        return header, source.origin()


def read_valued(path: PathLike, *, drop_zeros: bool = False) -> ValuedPattern:
    """Reads the pattern of the matrix in a file, and the values of its entries in the same order.

    Symmetric, skew-symmetric and Hermitian files are expanded. The pattern is that of `read`, with
    its name and source. Reads the same files and raises the same errors as `read`, and raises
    `UnreadableInputError` for a file without values. For the types of the values, for duplicates
    and for the cost see `as_valued`.

    Parameters
    ----------
    path, drop_zeros : as for `read`

    Returns
    -------
    ValuedPattern : the pattern, and `values` (nnz,)

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.mtx"
    >>> head = "%%MatrixMarket matrix coordinate real skew-symmetric\\n"
    >>> _ = file.write_text(head + "2 2 1\\n2 1 5\\n")
    >>> V = read_valued(file)
    >>> V.pattern.indices.tolist(), V.values.tolist()
    ([1, 0], [5.0, -5.0])
    """
    return values_of(path, drop_zeros, "give a file with values")


def values_of(path: PathLike, drop_zeros: bool, remedy: str) -> ValuedPattern:
    """`read_valued`; `remedy` ends the message about a file without values."""
    return _valued(path, drop_zeros, remedy)[0]


def values_or_ones(path: PathLike, drop_zeros: bool) -> ValuedPattern:
    """`read_valued`, with ones for the entries of a file without values."""
    return _valued(path, drop_zeros)[0]


def pattern_and_values(path: PathLike, drop_zeros: bool) -> tuple[Pattern, ValuedPattern | None]:
    """The pattern as `read` returns it, and the pattern with its values; the second is None if the
    file holds no values or one of them is not finite."""
    valued, has_values = _valued(path, drop_zeros)
    try:
        valued.require_finite()
    except InvalidMatrixError:
        has_values = False
    return valued.pattern, valued if has_values else None


def _valued(
    path: PathLike, drop_zeros: bool, remedy: str | None = None
) -> tuple[ValuedPattern, bool]:
    """The matrix with its values, and whether the file holds values. If it holds none, all values
    are 1. With a `remedy`, a file without values is an error whose message ends with the remedy."""
    from btfperm.io.values import NO_VALUES
    from btfperm.pattern.values import valued_matrix

    drop_zeros = truth("drop_zeros", drop_zeros)
    with open_source(path) as source:
        matrix = _format_of(source).read_matrix(source)
        has_values = matrix.dtype.kind != "b"
        if not has_values:
            if remedy is not None:
                raise source.error(f"{NO_VALUES}: {remedy}")
            matrix = matrix.astype("int8")
        name, origin = source.name, source.origin()
        valued = valued_matrix(matrix, drop_zeros, owned=True, name=name, source=origin)
    _return_free_memory(valued.nnz)
    return valued, has_values


def _return_free_memory(entries: int) -> None:
    """After a large file, returns the memory of its text to the system."""
    if entries >= _MANY_ENTRIES:
        from btfperm import _core

        _core.backends.return_free_memory()


def read_matrix(path: PathLike) -> Any:
    """Reads the matrix in a file with its values, as a `scipy.sparse.coo_array`.

    Symmetric files are expanded; duplicates and stored zeros remain. The values of a pattern file
    are True, so that `write_matrix` writes a pattern again. Reads the same files and raises the
    same errors as `read`. O(size of the unpacked file); for a dense MATLAB variable O(m n).

    Parameters
    ----------
    path : as for `read`

    Returns
    -------
    scipy.sparse.coo_array : (m, n)

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.mtx"
    >>> _ = file.write_text("%%MatrixMarket matrix coordinate real symmetric\\n2 2 1\\n2 1 5\\n")
    >>> read_matrix(file).toarray()
    array([[0., 5.],
           [5., 0.]])
    """
    with open_source(path) as source:
        return _format_of(source).read_matrix(source)


def peek(path: PathLike) -> Header:
    """The header of a matrix file. The entries are not read, except those of a MATLAB file.

    Parameters
    ----------
    path : as for `read`

    Returns
    -------
    Header : format, shape, entries and field (real, complex, integer or pattern)

    Raises
    ------
    UnreadableInputError : the file is no matrix; the message names the file and, if one line is
        wrong, this line

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.mtx"
    >>> head = "%%MatrixMarket matrix coordinate pattern general\\n"
    >>> _ = file.write_text(head + "2 3 2\\n1 1\\n2 3\\n")
    >>> peek(file).shape, peek(file).entries, peek(file).field
    ((2, 3), 2, 'pattern')
    """
    with open_source(path) as source:
        header: Header = _format_of(source).head(source)
    return header


def write_matrix(
    path: PathLike, A: Any, *, format: str | None = None, replace: bool = True
) -> None:
    """Writes a `Pattern`, a `ValuedPattern`, a SciPy matrix or a dense array. The suffix selects
    the format, unless `format` is given ("mtx", "npz", "mat" or "rb"). ``-`` is standard output;
    its format is Matrix Market by default. A matrix on a GPU is copied to the host first.

    `btfperm.io.formats` lists the suffixes of each format. In Matrix Market, a `Pattern` and a
    matrix whose entries are all True have the field pattern. All entries are written, symmetric or
    not. Raises `ResourceMissingError` if the disk is full, and does not change an older file; with
    ``replace=False`` also if there is an older file. Raises `InvalidArgumentError` for the suffix
    of no format, or for complex values where the format has none.

    Parameters
    ----------
    path : file name; ``-`` is standard output
    A : the matrix, (m, n)
    format : "mtx", "npz", "mat" or "rb", whatever the suffix
    replace : whether an older file of this name may be replaced

    Notes
    -----
    O(size of the file) for Matrix Market; for other formats O(m + n + nnz log nnz).

    Examples
    --------
    >>> import pathlib, tempfile, numpy as np
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.mtx.gz"
    >>> write_matrix(file, np.array([[1.5, 0], [0, 2]]))
    >>> peek(file).entries
    2
    """
    from btfperm.io.atomic_write import atomic_write
    from btfperm.io.packing import packed

    given = path_text(path)
    name = given.lower()
    if format is not None:
        name = f".{text('format', format).lower()}"
    elif name == "-":
        name = ".mtx"
    writer = writer_of(name)
    if writer is None:
        *known, last = (suffix for row in matrix_formats.values() for suffix in row.writes)
        raise InvalidArgumentError(
            f"{format or given}: matrices are written as {', '.join(known)} or {last}: "
            "choose one of these suffixes"
        )
    matrix = _coordinates(A)
    if matrix.dtype.kind == "c" and "complex" not in writer.values:
        rows = matrix_formats.values()
        *others, last = (row.writes[0] for row in rows if row.writes and "complex" in row.values)
        raise InvalidArgumentError(
            f"{writer.title} files hold no complex values: write {', '.join(others)} or {last}"
        )
    with atomic_write(path, replace=replace) as file, packed(file, name) as stream:
        writer.load().write_matrix(stream, matrix)


def __getattr__(name: str) -> Any:
    if name == "FORMATS":  # modules that define matrix formats, in the order of comparison
        return tuple(row.stem for row in matrix_formats.values())
    raise AttributeError(f"module 'btfperm.io' has no attribute {name!r}")


def _coordinates(A: Any) -> Any:
    """A `scipy.sparse.coo_array`; the values of a `Pattern` are True."""
    import numpy as np
    import scipy.sparse

    from btfperm.pattern import Pattern
    from btfperm.pattern.arrays import matrix_on_device
    from btfperm.pattern.host_matrix import checked_matrix, is_scipy, native, recognised

    if isinstance(A, Pattern):
        A = A.on_host()
        true = np.ones(A.nnz, dtype=bool)
        return scipy.sparse.coo_array((true, (A.indices, A.cols())), shape=A.shape)
    if isinstance(A, tuple):
        raise InvalidMatrixError(
            "a tuple is no matrix that can be written: give a scipy.sparse matrix or array"
        )
    if matrix_on_device(A):
        from btfperm.backends.gpu.arrays import as_device_array

        A = (A if hasattr(A, "get") else as_device_array(A)).get()
    A = recognised(A)
    if isinstance(A, Pattern):
        return _coordinates(A)
    if is_scipy(A):
        return scipy.sparse.coo_array(checked_matrix(A))
    if A.ndim != 2 or A.dtype.kind not in "biufc":
        raise InvalidMatrixError(
            f"a matrix has two dimensions and holds numbers, not {A.ndim} and {A.dtype}"
        )
    return scipy.sparse.coo_array(native(A))


def _format_of(source: Source) -> Any:
    start, suffix = source.head(), source.suffix
    if not start:
        raise source.error("the file is empty")
    module = module_of(start, suffix)
    if module is not None:
        return module
    for row in matrix_formats.values():
        if row.first_line and suffix in row.suffixes:
            raise source.error(f"the first line does not begin with {row.first_line}", 1)
    known = ", ".join(row.title for row in matrix_formats.values())
    raise source.error(f"this is no matrix file that is known ({known})")
