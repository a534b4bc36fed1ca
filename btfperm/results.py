# SPDX-License-Identifier: BSD-3-Clause
"""What btfperm hands out: small frozen dataclasses of NumPy arrays.

Conventions, everywhere:

* ``row_match[i]`` is the column matched to row i, or -1; ``col_match[j]`` the row matched to
  column j, or -1.
* Permutations *gather*: ``A[row_perm, :][:, col_perm]`` is the permuted matrix, ``row_perm[k]``
  is the original row now in place k.
* Fine block k is rows ``row_blocks[k]:row_blocks[k+1]`` and columns
  ``col_blocks[k]:col_blocks[k+1]`` of the permuted matrix, which is block *upper* triangular.
* Blocks come in the canonical order; rows and columns ascend inside a block, so that nothing but
  the matching depends on the algorithm that ran. `matched_row_perm` puts the matching on the
  diagonal for those who need it there.

Index arrays have the index type of the pattern, int32 or int64; files hold int64. All arrays are
read-only, for several fields may share one: copy what you want to change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from btfperm.errors import LimitReachedError
from btfperm.pattern import Pattern, permute
from btfperm.pattern.arrays import IndexArray

if TYPE_CHECKING:
    import os

__all__ = [
    "BlockGraph",
    "BlockTriangularForm",
    "Counters",
    "Cover",
    "Decomposition",
    "DulmageMendelsohn",
    "IndexArray",
    "Transversal",
]

#: numbers by name; a list where there is one number a phase
Counters = Mapping[str, int | list[int]]
_Array = TypeVar("_Array", bound=npt.NDArray[Any])


def _freeze(*arrays: npt.NDArray[Any] | None) -> None:
    for array in arrays:
        if isinstance(array, np.ndarray):
            array.setflags(write=False)


def _frozen(array: _Array) -> _Array:
    array.setflags(write=False)
    return array


class Cover(NamedTuple):
    """Rows and columns that together touch every entry (Kőnig); both ascending."""

    rows: IndexArray
    cols: IndexArray

    @property
    def size(self) -> int:
        """Number of rows and columns: equal to the size of a maximum transversal."""
        return int(self.rows.size + self.cols.size)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@dataclass(frozen=True, eq=False, repr=False)
class Transversal:
    """A set of entries, no two in a row or column.

    A transversal has no file format of its own; to save one, decompose the matrix with it:
    ``dulmage_mendelsohn(A, transversal=t).save(path)`` writes `row_match` and `col_match`, too.

    Attributes
    ----------
    shape : (m, n)
    row_match : (m,) column matched to each row, or -1
    col_match : (n,) row matched to each column, or -1. All arrays are CuPy arrays when the matrix
        lives on a device, unless the cpu was asked for or had to go on
    maximum : True when a cover of the same size proved that no transversal is larger
    rank_bounds : (lower, upper) bounds of the structural rank; equal when ``maximum``
    verified : every matched pair was found among the entries, both arrays agree, and, when
        ``maximum``, the cover was checked against every entry
    algorithm, initializer, backend : what ran, by its registry name; ``"none"`` where nothing had
        to, or a limit came first
    device : the name of the GPU, where the backend is ``"gpu"``
    choice : why ``auto`` took it; empty when it was asked for by name
    explain : call it for the rules behind `choice`, those passed over, and the features they
        looked at
    stopped_by : ``"time_limit"`` or ``"max_work"`` when a limit ended the search, else None
    counters : what the search counted (edges read, phases, augmentations, ...), the start's with
        ``start_`` before the name; a list where there is one number a phase
    seconds : time of each stage
    row_in_cover, col_in_cover : (m,), (n,) bytes, 1 for what is in `cover()`; None unless `maximum`
    """

    shape: tuple[int, int]
    row_match: IndexArray
    col_match: IndexArray
    maximum: bool
    rank_bounds: tuple[int, int]
    verified: bool
    algorithm: str
    initializer: str
    backend: str = "cpu"
    device: str = "cpu"
    choice: str = ""
    explain: Callable[[], Mapping[str, Any]] = dict
    stopped_by: str | None = None
    counters: Counters = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    row_in_cover: npt.NDArray[np.uint8] | None = None
    col_in_cover: npt.NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        _freeze(self.row_match, self.col_match, self.row_in_cover, self.col_in_cover)

    @property
    def size(self) -> int:
        """Number of matched entries: the structural rank when `maximum`, else a lower bound."""
        return self.rank_bounds[0]

    def on_host(self) -> Transversal:
        """The same with NumPy arrays: itself, unless its arrays live on a device."""
        if not hasattr(self.row_match, "__cuda_array_interface__"):
            return self
        names = ("row_match", "col_match", "row_in_cover", "col_in_cover")
        here: dict[str, Any] = {
            name: None if array is None else array.get()
            for name in names
            for array in (getattr(self, name),)
        }
        return replace(self, **here)

    @property
    def structural_rank(self) -> int:
        """The structural rank; raises when a limit stopped the search before it was known."""
        if not self.maximum:
            lower, upper = self.rank_bounds
            raise LimitReachedError(
                f"the search was stopped by {self.stopped_by}: the structural rank lies between "
                f"{lower} and {upper}; raise the limit, or use .rank_bounds",
                self.rank_bounds,
            )
        return self.size

    def cover(self) -> Cover:
        """The certificate: as many rows and columns as the matching has entries, which together
        touch every entry of the matrix. Raises when the transversal is not `maximum`."""
        if self.row_in_cover is None or self.col_in_cover is None:
            raise LimitReachedError(
                f"the search was stopped by {self.stopped_by}: only a maximum transversal has a "
                "cover of its own size; raise the limit",
                self.rank_bounds,
            )
        cover = Cover(self.row_in_cover.nonzero()[0], self.col_in_cover.nonzero()[0])
        _freeze(*cover)
        return cover

    def __repr__(self) -> str:
        m, n = self.shape
        lower, upper = self.rank_bounds
        if self.maximum:
            what = f"structural rank {lower:,}, maximum"
        else:
            what = f"{lower:,} matched, rank at most {upper:,}, stopped by {self.stopped_by}"
        proof = "verified" if self.verified else "not verified"
        # When the start was all that ran, it is the one to be named.
        last = self.initializer if self.algorithm == "none" else self.algorithm
        by = "" if last == "none" else f", by {last}"
        return f"<Transversal of a {m:,} x {n:,} matrix: {what}, {proof}{by}>"


@dataclass(frozen=True, eq=False, repr=False)
class BlockGraph:
    """Which fine blocks depend on which.

    Arc k -> l means: rows of block k have entries in columns of block l (k < l: the form is block
    upper triangular), so block l is solved before block k.

    Attributes
    ----------
    indptr, indices : successors of block k are ``indices[indptr[k]:indptr[k+1]]``, ascending
    level : (b,) height of each block: 0 when it has no successor, else one more than the largest
        of its successors; blocks of one level can be solved at the same time
    work : (b,) entries inside each block
    """

    indptr: IndexArray
    indices: IndexArray
    level: IndexArray
    work: IndexArray

    def __post_init__(self) -> None:
        _freeze(self.indptr, self.indices, self.level, self.work)

    @property
    def n_blocks(self) -> int:
        return int(self.level.size)

    @property
    def n_levels(self) -> int:
        """Length of the critical path, in blocks."""
        return int(self.level.max()) + 1 if self.level.size else 0

    @cached_property
    def level_work(self) -> npt.NDArray[np.int64]:
        """(n_levels,) entries inside the blocks of each level."""
        entries = np.bincount(self.level, weights=self.work, minlength=self.n_levels)
        return _frozen(entries.astype(np.int64))

    @cached_property
    def level_blocks(self) -> npt.NDArray[np.int64]:
        """(n_levels,) number of blocks of each level: the parallelism at hand."""
        return _frozen(np.bincount(self.level, minlength=self.n_levels).astype(np.int64))

    def __repr__(self) -> str:
        return (
            f"<BlockGraph: {_count(self.n_blocks, 'block')}, {_count(self.indices.size, 'arc')}, "
            f"{_count(self.n_levels, 'level')}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition:
    """Permutations, blocks and the matching behind them: what a `perm.npz` holds.

    Attributes
    ----------
    shape : (m, n)
    row_perm, col_perm : (m,), (n,) gather permutations
    row_blocks, col_blocks : (b+1,) boundaries of the fine blocks in the permuted matrix
    coarse_rows, coarse_cols : (5,) boundaries of the coarse parts, as CSparse's ``rr``, ``cc``:
        horizontal is rows ``[0:1]``, columns ``[0:2]``; square is rows ``[1:2]``, columns
        ``[2:3]``; vertical is rows ``[2:4]``, columns ``[3:4]`` (boundaries of those numbers).
        ``coarse_cols[1]`` counts the unmatched columns, ``coarse_rows[4] - coarse_rows[3]`` the
        unmatched rows; *which* they are, `col_match` and `row_match` say
    row_match, col_match : (m,), (n,) a maximum transversal
    structural_rank : its size
    meta : what a file's ``meta`` holds: versions, matrix, algorithm, seconds, counters, ...
    transversal : the transversal with its certificate; None when read from a file
    pattern : the matrix it belongs to; None when read from a file
    """

    shape: tuple[int, int]
    row_perm: IndexArray
    col_perm: IndexArray
    row_blocks: IndexArray
    col_blocks: IndexArray
    coarse_rows: IndexArray
    coarse_cols: IndexArray
    row_match: IndexArray
    col_match: IndexArray
    structural_rank: int
    meta: Mapping[str, Any] = field(default_factory=dict)
    transversal: Transversal | None = None
    pattern: Pattern | None = None

    def __post_init__(self) -> None:
        _freeze(self.row_perm, self.col_perm, self.row_blocks, self.col_blocks)
        _freeze(self.coarse_rows, self.coarse_cols, self.row_match, self.col_match)

    @property
    def n_blocks(self) -> int:
        """Number of fine blocks."""
        return int(self.row_blocks.size) - 1

    @cached_property
    def row_block(self) -> IndexArray:
        """(m,) fine block of each original row."""
        return _block_of(self.row_perm, self.row_blocks)

    @cached_property
    def col_block(self) -> IndexArray:
        """(n,) fine block of each original column."""
        return _block_of(self.col_perm, self.col_blocks)

    @cached_property
    def matched_row_perm(self) -> IndexArray:
        """(m,) `row_perm` with the rows of each square block moved opposite their matched
        columns, so that ``A[matched_row_perm, :][:, col_perm]`` has the transversal on the
        diagonals of the square blocks."""
        perm = self.row_perm.copy()
        first_row, last_row = int(self.coarse_rows[1]), int(self.coarse_rows[2])
        first_col, last_col = int(self.coarse_cols[2]), int(self.coarse_cols[3])
        perm[first_row:last_row] = self.col_match[self.col_perm[first_col:last_col]]
        return _frozen(perm)

    def block_graph(self, A: object = None) -> BlockGraph:
        """Which fine blocks depend on which, their levels, and the work in each.

        `A` is needed only for a result read from a file. O(nnz + blocks).
        """
        from btfperm.dulmage_mendelsohn.block_graph import block_graph

        return block_graph(self, A)

    def apply(self, A: Any) -> Any:
        """The permuted matrix ``A[row_perm, :][:, col_perm]``: sparse in, sparse out.

        A `Pattern` gives a `Pattern`; a SciPy matrix or array gives the same kind, as CSC; a path
        or a (data, indices, indptr) triple of compressed columns gives a ``csc_array``.
        """
        return permute(A, self.row_perm, self.col_perm)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        convention: str | None = None,
    ) -> None:
        """Write the result; the format is taken from the suffix (`.npz`, `.mat`, `.json`,
        `.txt`) unless given. See :func:`btfperm.save`."""
        from btfperm.io import save

        save(self, path, format=format, convention=convention)


def _block_of(perm: IndexArray, boundaries: IndexArray) -> IndexArray:
    sizes = np.diff(boundaries)
    block = np.empty(perm.size, dtype=perm.dtype)
    block[perm] = np.repeat(np.arange(sizes.size, dtype=perm.dtype), sizes)
    return _frozen(block)


@dataclass(frozen=True, eq=False, repr=False)
class DulmageMendelsohn(Decomposition):
    """Coarse and fine Dulmage-Mendelsohn decomposition of a matrix of any shape and rank.

    Fine blocks come in the order horizontal, square, vertical: the connected components of the
    horizontal part, the strongly connected components of the square part in topological order,
    the connected components of the vertical part.
    """

    @property
    def horizontal_shape(self) -> tuple[int, int]:
        """Rows and columns of the horizontal (underdetermined) part."""
        return int(self.coarse_rows[1]), int(self.coarse_cols[2])

    @property
    def square_shape(self) -> tuple[int, int]:
        """Rows and columns of the square (well-determined) part."""
        return (
            int(self.coarse_rows[2] - self.coarse_rows[1]),
            int(self.coarse_cols[3] - self.coarse_cols[2]),
        )

    @property
    def vertical_shape(self) -> tuple[int, int]:
        """Rows and columns of the vertical (overdetermined) part."""
        return (
            int(self.coarse_rows[4] - self.coarse_rows[2]),
            int(self.coarse_cols[4] - self.coarse_cols[3]),
        )

    def __repr__(self) -> str:
        m, n = self.shape
        parts = [
            f"{name} {rows:,} x {cols:,}"
            for name, (rows, cols) in (
                ("horizontal", self.horizontal_shape),
                ("square", self.square_shape),
                ("vertical", self.vertical_shape),
            )
            if rows or cols
        ]
        return (
            f"<DulmageMendelsohn of a {m:,} x {n:,} matrix: structural rank "
            f"{self.structural_rank:,}, {', '.join(parts) or 'empty'}, "
            f"{_count(self.n_blocks, 'fine block')}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class BlockTriangularForm(Decomposition):
    """Block upper triangular form of a square matrix, in KLU's sense.

    A structurally singular matrix is accepted as KLU accepts it: unmatched rows are paired with
    unmatched columns, both ascending, and `completed` counts those pairs. Their diagonal entries
    are structurally zero; the blocks are then *not* the Dulmage-Mendelsohn blocks and depend on
    the transversal. `row_match` and `col_match` hold the transversal without the made-up pairs.
    """

    completed: int = 0
    paired_row: IndexArray | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _freeze(self.paired_row)

    @property
    def blocks(self) -> IndexArray:
        """(b+1,) boundaries of the diagonal blocks; the same for rows and columns."""
        return self.row_blocks

    @cached_property
    def matched_row_perm(self) -> IndexArray:
        """(n,) `row_perm` with the rows of each block moved opposite their paired columns, so
        that the diagonal of ``A[matched_row_perm, :][:, col_perm]`` holds the transversal (and,
        when singular, `completed` structural zeros)."""
        paired = self.col_match if self.paired_row is None else self.paired_row
        return _frozen(paired[self.col_perm])

    def __repr__(self) -> str:
        n = self.shape[0]
        largest = int(np.diff(self.blocks).max()) if self.n_blocks else 0
        singular = f", structurally singular by {self.completed:,}" if self.completed else ""
        return (
            f"<BlockTriangularForm of a {n:,} x {n:,} matrix: {_count(self.n_blocks, 'block')}, "
            f"the largest of {largest:,} rows{singular}>"
        )
