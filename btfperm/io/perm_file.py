# SPDX-License-Identifier: BSD-3-Clause
"""Results in files: the fields in every format, and the checks when a file is read.

The formats themselves are `perm_npz`, `perm_mat`, `perm_json`, `perm_txt` and `perm_petsc`;
`formats.py` has a row for each. ``write(file, fields, meta)`` converts one array at a time to the
type of the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.arguments import path_text, text
from btfperm.conventions.rows import Convention, conventions
from btfperm.errors import InvalidArgumentError, UnreadableInputError
from btfperm.fields import FIELDS, SCALINGS, lengths
from btfperm.io.atomic_write import atomic_write
from btfperm.io.formats import ResultFormat, result_formats
from btfperm.io.source import open_source
from btfperm.pattern import index_type
from btfperm.printable import quoted
from btfperm.results import (
    BlockTriangularForm,
    Decomposition,
    DulmageMendelsohn,
    SolverOrder,
)
from btfperm.results.parts import CoarseShapes

if TYPE_CHECKING:
    from btfperm.results import DistributedDecomposition

__all__ = ["FORMAT_VERSION", "described", "load", "save", "target"]

FORMAT_VERSION = 1

_KINDS = {"dulmage_mendelsohn": DulmageMendelsohn, "block_triangular_form": BlockTriangularForm}


def save(
    result: Decomposition | DistributedDecomposition | SolverOrder,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    convention: str | None = None,
    replace: bool = True,
) -> None:
    """See `btfperm.io.save`."""
    if isinstance(result, CoarseShapes) and result.is_distributed:
        result.save(path, format=format, convention=convention, replace=replace)
        return
    solver = result.solver if isinstance(result, SolverOrder) else None
    written_as, row = target(path, format, convention, solver)
    if not isinstance(result, Decomposition | SolverOrder):
        raise InvalidArgumentError(
            f"{type(result).__name__} is no decomposition: give what dulmage_mendelsohn, "
            "block_triangular_form or preorder returns"
        )
    result = result.on_host()
    fields = {**row.file_arrays(result), **_scalings_of(result)}
    kind = next((kind for kind, made in _KINDS.items() if isinstance(result, made)), "")
    if isinstance(result, SolverOrder):
        kind = "block_triangular_form"
    meta = described(result.meta, kind, row)
    write = written_as.load().write
    with atomic_write(path, replace=replace) as file:
        write(file, fields, meta)


def described(meta: Mapping[str, Any], kind: str, row: Convention) -> dict[str, Any]:
    """The ``meta`` of a file."""
    return {**meta, "format_version": FORMAT_VERSION, "kind": kind, "convention": row.name}


def target(
    path: str | os.PathLike[str],
    format: str | None,
    convention: str | None,
    solver: str | None,
) -> tuple[ResultFormat, Convention]:
    """The format and the convention that `save` writes. `solver`: the solver of a `SolverOrder`,
    whose convention is the default, or None.

    Raises
    ------
    InvalidArgumentError : the format or the convention is unknown, the format does not hold the
        convention, or the convention does not hold the order for a solver
    """
    name = path_text(path)
    format = PurePath(name).suffix[1:].lower() if format is None else text("format", format)
    if format not in result_formats:
        raise InvalidArgumentError(
            f"{name}: permutations are written as {', '.join(result_formats)}, "
            f"not as {format!r}: choose such a suffix, or give the format"
        )
    row = result_formats[format]
    if convention is None:
        convention = solver if solver and row.any_convention else row.convention
    found = conventions.find(convention)
    if not row.any_convention and found.name != row.convention:
        raise InvalidArgumentError(
            f"{name}: the format {row.name} holds the convention {row.convention!r} only, not "
            f"{found.name!r}: write .npz, .json or .txt instead"
        )
    if solver and not found.takes_solver_orders:
        others = ", ".join(row.name for row in conventions.values() if row.takes_solver_orders)
        raise InvalidArgumentError(
            f"{name}: the convention {found.name!r} has no place for an order inside the blocks; "
            f"choose one of {others}, or leave out the solver"
        )
    return row, found


def _scalings_of(result: Decomposition | SolverOrder) -> dict[str, Any]:
    """The logarithms of the scalings, for files of every convention."""
    held = {field.name: getattr(result, field.name) for field in SCALINGS}
    return {} if any(array is None for array in held.values()) else held


def load(path: str | os.PathLike[str]) -> Decomposition:
    """See `btfperm.io.load`."""
    with open_source(path) as source:
        start = source.head()
        for row in result_formats.values():
            if row.readable and row.load().recognises(start):
                break
        else:
            raise source.error(
                "it is no permutation file that can be read (.npz, .json or .txt of btfperm)"
            )
        fields, meta = row.load().read(source)
        return _decomposition(fields, meta, source.error)


def _decomposition(
    fields: Mapping[str, npt.NDArray[Any]],
    meta: Any,
    error: Callable[[str], UnreadableInputError],
) -> Decomposition:
    _check_meta(meta, error)
    missing = [field.name for field in FIELDS if field.name not in fields]
    if missing:
        raise error(f"it holds no {missing[0]}, which a permutation file must have")
    shape = fields["shape"]
    if shape.dtype.kind not in "iu" or shape.shape != (2,) or shape.min() < 0:
        raise error("the shape in it is not two numbers")
    m, n = (int(size) for size in shape)
    length = lengths((m, n), fields["col_blocks"].size)
    arrays: dict[str, Any] = {}
    nnz = meta["matrix"].get("nnz", 0) if isinstance(meta.get("matrix"), dict) else 0
    index = index_type((m, n), nnz if isinstance(nnz, int) else 0)
    for name, expected in length.items():
        if name == "shape":
            continue
        array = fields[name].reshape(1) if fields[name].ndim == 0 else fields[name]
        if array.dtype.kind not in "iu" or array.shape != (expected,):
            raise error(f"{name} is not a list of {expected} whole numbers")
        if array.size and not (array.min() >= -1 and array.max() <= max(m, n)):
            raise error(f"{name} has a number outside -1 to {max(m, n)}")
        arrays[name] = array.astype(index)
    rank = int(arrays.pop("structural_rank")[0])
    for name, size in (("row_perm", m), ("col_perm", n)):
        if not _is_permutation(arrays[name], size):
            raise error(f"{name} is no permutation of 0 to {size - 1}")
    for name, size in (
        ("row_blocks", m),
        ("col_blocks", n),
        ("coarse_rows", m),
        ("coarse_cols", n),
    ):
        if not _are_boundaries(arrays[name], size):
            raise error(f"{name} does not rise from 0 to {size}")
    _check_matching(arrays["row_match"], arrays["col_match"], rank, error)
    arrays |= _scalings(fields, (m, n), error)
    common: dict[str, Any] = {"shape": (m, n), "structural_rank": rank, "meta": meta, **arrays}
    if meta["kind"] == "dulmage_mendelsohn":
        result: Decomposition = DulmageMendelsohn(**common)
        _check_parts(result, result.col_match, error)
        return result
    if m != n:
        raise error(f"a block triangular form is square, not {m} x {n}")
    if [*arrays["coarse_rows"], *arrays["coarse_cols"]] != [0, 0, n, n, n, 0, 0, 0, n, n]:
        raise error("a block triangular form is all square, but its coarse parts are not")
    paired = _paired_row(arrays["row_match"], arrays["col_match"])
    result = BlockTriangularForm(completed=n - rank, paired_row=paired, **common)
    _check_parts(result, paired, error)
    return result


def _scalings(
    fields: Mapping[str, npt.NDArray[Any]],
    shape: tuple[int, int],
    error: Callable[[str], UnreadableInputError],
) -> dict[str, npt.NDArray[np.float64]]:
    """The logarithms of the scalings; empty if the file holds none."""
    scalings: dict[str, npt.NDArray[np.float64]] = {}
    for field, size in zip(SCALINGS, shape, strict=True):
        array = fields.get(field.name)
        if array is None:
            continue
        array = array.reshape(1) if array.ndim == 0 else array
        if array.dtype.kind not in "fiu" or array.shape != (size,):
            raise error(f"{field.name} is not a list of {size} real numbers")
        scalings[field.name] = array.astype(np.float64)
        wrong = np.flatnonzero(~np.isfinite(scalings[field.name]))
        if wrong.size:
            raise error(f"{field.name} is not finite at {wrong[0]}, counted from 0")
    missing = [field.name for field in SCALINGS if field.name not in scalings]
    if len(missing) == 1:
        raise error(f"it holds no {missing[0]}, but the other scaling")
    return scalings


def _check_meta(meta: Any, error: Callable[[str], UnreadableInputError]) -> None:
    if not isinstance(meta, dict) or "format_version" not in meta:
        raise error("its meta has no format_version: it was not written by btfperm")
    if not isinstance(meta["format_version"], int):
        raise error(f"its format_version {quoted(meta['format_version'])} is no whole number")
    if meta["format_version"] > FORMAT_VERSION:
        raise error(
            f"it has format version {meta['format_version']}, newer than the {FORMAT_VERSION} "
            "that this btfperm reads: upgrade btfperm"
        )
    if meta.get("convention", "btfperm") != "btfperm":
        raise error(
            f"it is written in the convention {quoted(meta['convention'])}; only 'btfperm' can be "
            "read again"
        )
    if not isinstance(meta.get("kind"), str) or meta["kind"] not in _KINDS:
        raise error(f"its meta has the kind {quoted(meta.get('kind'))}, which is none of btfperm's")


def _is_permutation(perm: npt.NDArray[Any], size: int) -> bool:
    if perm.size and not (perm.min() >= 0 and perm.max() < size):
        return False
    seen = np.zeros(size, dtype=bool)
    seen[perm] = True
    return bool(seen.all())


def _are_boundaries(boundaries: npt.NDArray[Any], size: int) -> bool:
    return bool(
        boundaries.size
        and boundaries[0] == 0
        and boundaries[-1] == size
        and (np.diff(boundaries) >= 0).all()
    )


def _check_matching(
    row_match: npt.NDArray[Any],
    col_match: npt.NDArray[Any],
    rank: int,
    error: Callable[[str], UnreadableInputError],
) -> None:
    rows, cols = np.flatnonzero(row_match >= 0), np.flatnonzero(col_match >= 0)
    if row_match.max(initial=-1) >= col_match.size or col_match.max(initial=-1) >= row_match.size:
        raise error("row_match or col_match points outside the matrix")
    if (col_match[row_match[rows]] != rows).any() or (row_match[col_match[cols]] != cols).any():
        raise error("row_match and col_match contradict each other")
    if rows.size != rank:
        raise error(f"structural_rank is {rank}, but {rows.size} rows are matched")


def _check_parts(
    result: Decomposition,
    col_match: npt.NDArray[Any],
    error: Callable[[str], UnreadableInputError],
) -> None:
    """Checks the properties that users of a result rely on: coarse boundaries are fine ones, each
    matched entry lies in a diagonal block, and the unmatched columns and rows are in the horizontal
    and in the vertical part, as many as the coarse boundaries state."""
    rows, cols = result.row_blocks, result.col_blocks
    rr, cc = result.coarse_rows, result.coarse_cols
    ends = []
    for row, col in ((rr[1], cc[2]), (rr[2], cc[3])):
        here = np.flatnonzero((rows == row) & (cols == col))
        if not here.size:
            raise error(
                f"coarse_rows and coarse_cols put a boundary at row {row}, column {col}, where "
                "row_blocks and col_blocks have none"
            )
        ends.append(int(here[0]))
    matched = np.flatnonzero(col_match >= 0)
    apart = matched[result.col_block[matched] != result.row_block[col_match[matched]]]
    if apart.size:
        j = int(apart[0])
        raise error(f"column {j} and row {col_match[j]} are matched, but lie in different blocks")
    free_cols = np.flatnonzero(col_match < 0)
    outside = free_cols[result.col_block[free_cols] >= ends[0]]
    if outside.size:
        raise error(f"column {outside[0]} is unmatched, but lies outside the horizontal part")
    free_rows = np.flatnonzero(np.bincount(col_match[matched], minlength=rr[4]) == 0)
    outside = free_rows[result.row_block[free_rows] < ends[1]]
    if outside.size:
        raise error(f"row {outside[0]} is unmatched, but lies outside the vertical part")
    if (cc[1], rr[4] - rr[3]) != (free_cols.size, free_rows.size):
        raise error(
            f"coarse_cols and coarse_rows count {cc[1]} unmatched columns and {rr[4] - rr[3]} "
            f"unmatched rows, but there are {free_cols.size} and {free_rows.size}"
        )


def _paired_row(row_match: npt.NDArray[Any], col_match: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """`paired_row` of a `BlockTriangularForm`: `col_match`, where the unmatched columns take the
    unmatched rows, both ascending."""
    paired = col_match.copy()
    paired[col_match < 0] = np.flatnonzero(row_match < 0)
    return paired
