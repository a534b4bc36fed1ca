# SPDX-License-Identifier: BSD-3-Clause
"""The tables of file formats: one row for each module of this package that defines a format.

``--format``, suffixes, the search in archives, messages, the help and the table in the
documentation follow from these rows. This file imports no NumPy, so that ``--help`` is fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from btfperm.errors import InvalidArgumentError
from btfperm.rows import Row, Table

__all__ = ["MatrixFormat", "ResultFormat", "matrix_formats", "register", "result_formats"]
__all__ += ["module_of", "unregister", "writer_of"]


@dataclass(frozen=True, kw_only=True)
class MatrixFormat(Row):
    """A format of matrix files. Its module defines these functions:

    * ``recognises(start, suffix)``: whether a file that begins with the bytes `start` (at most
      512, unpacked) has this format. The content decides; `suffix` (lower case, with the dot) is
      for formats that the content does not identify.
    * ``head(source)``: a `btfperm.io.Header`; reads no entries where the format allows it
    * ``read_pattern(source, *, drop_zeros, threads, progress)``: a `Pattern`
    * ``read_matrix(source)``: a `scipy.sparse.coo_array` with the values, symmetric files expanded,
      duplicates and stored zeros as they are; truth values if the file has none. `read_valued` uses
      it, too, so its entries must be those of ``read_pattern``
    * ``write_matrix(file, A)`` (where the row has `writes`): `A` is a `scipy.sparse.coo_array`

    `source` is a `btfperm.io.source.Source`: unpacked bytes, and errors that name the file.

    Attributes
    ----------
    name : also ``Header.format``
    title : the name in messages and in the documentation
    suffixes : of its files, lower case, with the dot
    writes : suffixes with which it is written, packed ones too; the first one, without the dot, is
        the name for ``--format``; empty if the format is only read
    values : what the values can be: "real", "complex", "integer", "pattern". If "complex" is
        missing, `btfperm.io.write_matrix` refuses complex values
    summary : what btfperm reads of this format, in one line
    first_line : what the first line begins with, for the message about a file that has a suffix of
        this format and another content
    named_matrices : whether ``file:NAME`` selects one of several matrices (``Source.variable``)
    """

    home: ClassVar[str] = "btfperm.io."

    title: str
    suffixes: tuple[str, ...]
    writes: tuple[str, ...] = ()
    values: tuple[str, ...]
    summary: str
    first_line: str = ""
    named_matrices: bool = False


@dataclass(frozen=True, kw_only=True)
class ResultFormat(Row):
    """A format of permutation files. Its module defines ``write(file, fields, meta)`` and, where
    `readable`, ``recognises(start)`` and ``read(source) -> fields, meta``.

    Attributes
    ----------
    name : also the suffix, without the dot
    convention : the convention that is written by default, except for the order for a solver if
        `any_convention`
    readable : whether `btfperm.io.load` reads it
    any_convention : whether it also holds other conventions than `convention`
    """

    home: ClassVar[str] = "btfperm.io.perm_"

    convention: str = "btfperm"
    readable: bool = True
    any_convention: bool = True


matrix_formats = Table(
    MatrixFormat,
    "matrix format",
    MatrixFormat(
        name="matrix-market",
        title="Matrix Market",
        suffixes=(".mtx", ".mm"),
        writes=(".mtx", ".mtx.gz", ".mtx.bz2", ".mtx.xz", ".mm"),
        values=("real", "complex", "integer", "pattern"),
        summary="coordinate and array, all symmetries",
        first_line="%%MatrixMarket",
    ),
    MatrixFormat(
        name="npz",
        title="SciPy npz",
        suffixes=(".npz",),
        writes=(".npz",),
        values=("real", "complex", "integer", "pattern"),
        summary="`scipy.sparse.save_npz`: csc, csr, coo, bsr and dia",
    ),
    MatrixFormat(
        name="matlab",
        title="MATLAB 5",
        suffixes=(".mat",),
        writes=(".mat",),
        values=("real", "complex", "pattern"),
        summary="the only sparse variable, `Problem.A`, or the one named in `file.mat:NAME`",
        named_matrices=True,
    ),
    MatrixFormat(
        name="harwell-boeing",
        title="Harwell-Boeing, Rutherford-Boeing",
        suffixes=(".rb", ".hb", ".rua", ".rsa", ".pua", ".psa"),
        writes=(".rb", ".hb", ".rua"),
        values=("real", "complex", "integer", "pattern"),
        summary="assembled matrices, all symmetries",
    ),
    MatrixFormat(
        name="metis",
        title="METIS graph",
        suffixes=(".graph", ".metis"),
        values=("integer", "pattern"),
        summary="edges and their weights; sizes and weights of vertices are skipped",
    ),
)
"""All formats of matrix files by name, in the order in which a file is compared with them."""

result_formats = Table(
    ResultFormat,
    "format",
    ResultFormat(name="npz"),
    ResultFormat(name="mat", convention="matlab", readable=False),
    ResultFormat(name="json"),
    ResultFormat(name="txt"),
    ResultFormat(name="petsc", convention="petsc", readable=False, any_convention=False),
)
"""All formats of permutation files by name, in the order in which a file is compared with them."""


def register(row: MatrixFormat) -> None:
    """Adds a format of matrix files for the rest of this process; it is compared last.

    Raises
    ------
    InvalidArgumentError : it is not a row, or its name or a suffix that it writes is taken
    """
    for suffix in getattr(row, "writes", ()):
        if other := writer_of(suffix):
            raise InvalidArgumentError(f"the suffix {suffix} is that of {other.title} files")
    matrix_formats.register(row)


unregister = matrix_formats.unregister


def writer_of(name: str) -> MatrixFormat | None:
    """The format that writes files of this name, in lower case; None where there is none."""
    rows = matrix_formats.values()
    return next((row for row in rows if row.writes and name.endswith(row.writes)), None)


def module_of(start: bytes, suffix: str) -> Any:
    """The module of the format of a file that begins with `start`, or None."""
    for row in matrix_formats.values():
        module = row.load()
        if module.recognises(start, suffix):
            return module
    return None
