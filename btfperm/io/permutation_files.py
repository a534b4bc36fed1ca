# SPDX-License-Identifier: BSD-3-Clause
"""Files of permutations: `save`, `load` and `write_petsc_is`. The formats are imported at their
first use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from btfperm.arguments import truth
from btfperm.errors import InvalidArgumentError

if TYPE_CHECKING:
    from btfperm.results import Decomposition, DistributedDecomposition, SolverOrder

__all__ = ["load", "save", "write_petsc_is"]

PathLike = str | os.PathLike[str]


def save(
    result: Decomposition | DistributedDecomposition | SolverOrder,
    path: PathLike,
    *,
    format: str | None = None,
    convention: str | None = None,
    replace: bool = True,
) -> None:
    """Writes a decomposition; the format is taken from the suffix unless given. Scalings of a
    weighted transversal are written in every convention and in every format but "petsc".

    Parameters
    ----------
    result : of `dulmage_mendelsohn`, `block_triangular_form` or `preorder`
    path : file name; ``-`` is standard output (then `format` is needed)
    format : "npz", "mat", "json", "txt" or "petsc"
    convention : "btfperm", or another name in `btfperm.conventions.CONVENTIONS`. Default: for the
        result of `preorder` its solver; for other results "matlab" in `.mat`, else "btfperm", the
        only convention that `load` reads. A `.petsc` file always holds the convention "petsc"
    replace : whether an older file of this name may be replaced

    Raises
    ------
    ResourceMissingError : the disk is full, the directory is missing, or an older file must not be
        replaced; an older file stays as it was
    InvalidArgumentError : the format or the convention is unknown, or the format or the result does
        not go with the convention

    Notes
    -----
    O(m + n).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import btfperm
    >>> d = btfperm.dulmage_mendelsohn([[0, 2, 0], [0, 3, 4], [5, 0, 6]])
    >>> btfperm.save(d, file := pathlib.Path(tempfile.mkdtemp()) / "perm.json", convention="klu")
    >>> file.exists()
    True
    """
    from btfperm.io.perm_file import save as save_perm

    save_perm(result, path, format=format, convention=convention, replace=replace)


def write_petsc_is(
    path: PathLike, *index_sets: Any, index_bits: int | None = None, replace: bool = True
) -> None:
    """Writes index sets in PETSc's binary format; `ISLoad` reads them in the order given.

    Parameters
    ----------
    path : file name; ``-`` is standard output
    index_sets : arrays of whole numbers that are at least 0, one dimension each
    index_bits : the width of a `PetscInt` in the PETSc that reads the file: 32, or 64 if it was
        configured with ``--with-64-bit-indices``. By default 32 if all numbers fit
    replace : whether an older file of this name may be replaced

    Raises `InvalidArgumentError` for other arrays and for numbers that do not fit, and
    `ResourceMissingError` as `save` does. O(size of the file).

    Examples
    --------
    >>> import pathlib, tempfile, btfperm
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "perm.petsc"
    >>> order = btfperm.as_petsc(btfperm.preorder([[0, 2], [1, 4]], solver="klu"))
    >>> write_petsc_is(file, order.rperm, order.cperm, index_bits=64)
    >>> file.stat().st_size  # 8 bytes for each number, the class and the length
    64
    """
    import numpy as np

    from btfperm.io.atomic_write import atomic_write
    from btfperm.io.perm_petsc import write_index_sets

    if index_bits not in (None, 32, 64):
        raise InvalidArgumentError(f"index_bits is 32, 64 or None, not {index_bits!r}")
    arrays = [np.asarray(array) for array in index_sets]
    for array in arrays:
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise InvalidArgumentError(
                f"an index set is a list of whole numbers, not an array of {array.dtype} with "
                f"{array.ndim} dimensions"
            )
        if array.min(initial=0) < 0:
            raise InvalidArgumentError("an index set holds a number below 0")
    try:
        with atomic_write(path, replace=truth("replace", replace)) as file:
            write_index_sets(file, arrays, index_bits)
    except OverflowError as error:
        remedy = ": give index_bits=64" if index_bits == 32 else ""
        raise InvalidArgumentError(f"{error}{remedy}") from None


def load(path: PathLike) -> Decomposition:
    """Reads a result written by `save` with the convention "btfperm", from `.npz`, `.json` or
    `.txt`; the content decides which.

    Types, shapes, permutations, matching, boundaries and scalings are checked, but not against the
    matrix.
    Raises `UnreadableInputError` with one sentence that names the file. O(m + n).

    Parameters
    ----------
    path : file name; ``-`` is standard input

    Returns
    -------
    DulmageMendelsohn or BlockTriangularForm

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import btfperm
    >>> d = btfperm.dulmage_mendelsohn([[0, 2, 0], [0, 3, 4], [5, 0, 6]])
    >>> d.save(file := pathlib.Path(tempfile.mkdtemp()) / "perm.npz")
    >>> btfperm.load(file) == d
    True
    """
    from btfperm.io.perm_file import load as load_perm

    return load_perm(path)
