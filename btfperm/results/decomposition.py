# SPDX-License-Identifier: BSD-3-Clause
"""`Decomposition` and its two kinds, `DulmageMendelsohn` and `BlockTriangularForm`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from btfperm.arguments import truth, whole_number
from btfperm.errors import InvalidArgumentError
from btfperm.fields import FIELDS, SCALINGS
from btfperm.pattern import Pattern, permute
from btfperm.pattern.arrays import IndexArray, device_context
from btfperm.results.block_graph import BlockGraph
from btfperm.results.counted import counted
from btfperm.results.drawn import Drawn
from btfperm.results.equality import fields_equal
from btfperm.results.html import html_table
from btfperm.results.parts import (
    Block,
    CoarsePart,
    CoarseShapes,
    block_numbers,
    blocks_of,
    part_ends,
)
from btfperm.results.read_only import OnDemand, freeze, frozen, new_result
from btfperm.results.transversal import Transversal

if TYPE_CHECKING:
    import os

__all__ = ["BlockTriangularForm", "Decomposition", "DulmageMendelsohn"]
__all__ += ["fields_of", "whole_decomposition"]

_ON_DEVICE = {*(field.name for field in FIELDS if field.on_device), "paired_row"}
# The fields that `==` compares: all of a `perm.npz` except `convention` and `meta`.
_COMPARED = tuple(field.name for field in (*FIELDS, *SCALINGS))


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition(Drawn, OnDemand):
    """Permutations, blocks and the matching that defines them: the fields of a `perm.npz`.

    ``d.block(k)`` is fine block k, and ``for block in d`` visits all of them; see `Block`.

    Two decompositions are equal (``==``) if they are of the same class and have the same shape,
    permutations, boundaries, matching and scalings, whatever the integer types and the device of
    the arrays. `meta`, `transversal` and `pattern` are not compared, so ``btfperm.load(path) == d``
    after ``d.save(path)`` into a file that `load` reads. O(m + n). Equal decompositions have equal
    hashes: the hash depends on the shape, the structural rank and the number of blocks.

    Attributes
    ----------
    shape : (m, n)
    row_perm, col_perm : (m,), (n,) gather permutations
    row_blocks, col_blocks : (b+1,) boundaries of the fine blocks in the permuted matrix
    coarse_rows, coarse_cols : (5,) numbers from which the coarse parts follow. In the permuted
        matrix, the horizontal part is rows ``coarse_rows[0]:coarse_rows[1]``, columns
        ``coarse_cols[0]:coarse_cols[2]``; in the same notation, the square part is rows
        ``[1]:[2]``, columns ``[2]:[3]``, and the vertical part rows ``[2]:[4]``, columns
        ``[3]:[4]``.
        In a `DulmageMendelsohn`, the other two numbers are counts: ``coarse_cols[1]`` is the number
        of unmatched columns, and ``coarse_rows[4] - coarse_rows[3]`` the number of unmatched rows,
        so ``coarse_rows[3]`` is the structural rank. The *values* are those of CSparse's ``cc`` and
        ``rr``, but here the unmatched rows and columns are not in places of their own:
        ``row_perm[coarse_rows[3]:]`` are not the unmatched rows. Use ``d.vertical.unmatched_rows``
        and ``d.horizontal.unmatched_cols``, or the order of `btfperm.as_csparse`. A
        `BlockTriangularForm` is one square part, even if it is structurally singular:
        ``[0, 0, n, n, n]`` and ``[0, 0, 0, n, n]``
    row_match, col_match : (m,), (n,) a maximum transversal
    structural_rank : the size of this transversal
    meta : the ``meta`` of a file: versions, matrix, algorithm, seconds, counters, ...
    transversal : the transversal with its certificate; None if the result was read from a file
    pattern : the matrix of the decomposition; None if the result was read from a file or gathered
        from MPI ranks
    log_row_scale, log_col_scale : (m,), (n,) natural logarithms of scalings of the original rows
        and columns, see `WeightedTransversal`; always NumPy arrays. None unless the decomposition
        was made from a weighted transversal that has scalings, or from a file that holds them

    If the matrix is stored on a device, the permutations, the boundaries of the fine blocks and the
    matching are CuPy arrays there, unless the CPU was requested or used as a fallback.
    `coarse_rows` and `coarse_cols` are always NumPy arrays.
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
    log_row_scale: npt.NDArray[np.float64] | None = field(default=None, kw_only=True)
    log_col_scale: npt.NDArray[np.float64] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        freeze(self.row_perm, self.col_perm, self.row_blocks, self.col_blocks)
        freeze(self.coarse_rows, self.coarse_cols, self.row_match, self.col_match)
        freeze(self.log_row_scale, self.log_col_scale)

    def on_host(self) -> Self:
        """The same result with NumPy arrays; the object itself if its arrays are on the host."""
        from btfperm.results.host_copy import copied_to_host

        return copied_to_host(self, _ON_DEVICE, ("transversal", "pattern"))

    def _with_transversal(self, transversal: Transversal, meta: Mapping[str, Any]) -> Self:
        """The same blocks with another matching."""
        return replace(self, **fields_of(transversal), meta=meta)

    @property
    def n_blocks(self) -> int:
        """Number of fine blocks."""
        return int(self.row_blocks.size) - 1

    def block(self, k: int) -> Block:
        """Fine block k, 0 <= k < `n_blocks`: its rows, columns, coarse part and shape.

        O(log(blocks)). On a device, the first call takes O(blocks).

        Raises
        ------
        InvalidArgumentError : there is no such block

        Examples
        --------
        >>> import btfperm
        >>> d = btfperm.dulmage_mendelsohn([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
        >>> d.block(1), d.block(1).rows.tolist(), d.block(1).cols.tolist()
        (<Block 1, vertical: 2 x 1>, [0, 2], [1])
        """
        k = whole_number("the number of a block", k, 0, self.n_blocks - 1)
        return next(blocks_of(self, self._part_ends, k, k + 1))

    def __iter__(self) -> Iterator[Block]:
        """All fine blocks in the canonical order. Each is made when it is visited, in O(1)."""
        return blocks_of(self, self._part_ends, 0, self.n_blocks)

    @cached_property
    def _part_ends(self) -> tuple[int, int]:
        return part_ends(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Decomposition):
            return NotImplemented
        return type(self) is type(other) and fields_equal(self, other, _COMPARED)

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.shape, self.structural_rank, self.n_blocks))

    def _table(self, facts: Mapping[str, object]) -> str:
        """An HTML table with the name of the matrix, if it is known, its shape and rank, and
        `facts`."""
        m, n = self.shape
        source = self.meta.get("matrix")
        name = source.get("file") if isinstance(source, Mapping) else None
        named = {} if name is None else {"matrix": name}
        common = {"shape": f"{m:,} x {n:,}", "structural rank": self.structural_rank}
        return html_table(type(self).__name__, {**named, **common, **facts})

    @cached_property
    def row_block(self) -> IndexArray:
        """(m,) number of the fine block of each original row."""
        return block_numbers(self.row_perm, self.row_blocks)

    @cached_property
    def col_block(self) -> IndexArray:
        """(n,) number of the fine block of each original column."""
        return block_numbers(self.col_perm, self.col_blocks)

    @cached_property
    def matched_row_perm(self) -> IndexArray:
        """(m,) `row_perm` in which the rows of each square block have the places of their matched
        columns, so that ``A[matched_row_perm, :][:, col_perm]`` has the transversal on the
        diagonals of the square blocks."""
        first_row, last_row = int(self.coarse_rows[1]), int(self.coarse_rows[2])
        first_col, last_col = int(self.coarse_cols[2]), int(self.coarse_cols[3])
        with device_context(self.row_perm):
            perm = self.row_perm.copy()
            perm[first_row:last_row] = self.col_match[self.col_perm[first_col:last_col]]
        return frozen(perm)

    def block_graph(self, A: object = None) -> BlockGraph:
        """The dependencies between fine blocks, their levels, and the number of entries in each.

        The matrix `A` is needed only if `pattern` is None. O(nnz + blocks).
        """
        from btfperm.dulmage_mendelsohn.block_graph import block_graph

        return block_graph(self, A)

    def apply(self, A: Any, *, scale: bool = False) -> Any:
        """The permuted matrix ``A[row_perm, :][:, col_perm]``; a sparse matrix stays sparse.

        The result for a `Pattern` is a `Pattern`. For a SciPy matrix or array, it is of the same
        kind, in CSC format. For a path, a `ValuedPattern`, or a (data, indices, indptr) triple of
        compressed columns, it is a ``csc_array``. A matrix on a device is permuted on this device;
        for a ``cupyx.scipy.sparse`` matrix, the result is a ``csc_matrix``.

        With ``scale=True``, each value is multiplied by the scalings of its row and column. If `A`
        is the matrix of the weighted transversal, all entries then have a modulus of at most 1, up
        to rounding, and matched entries have the modulus 1 (with the algorithm "heavy-perfect", the
        product of their moduli is exp(-gap)). `A` must be on the host and have values.

        Raises
        ------
        InvalidArgumentError : `A` has another shape; with ``scale=True``, there are no scalings,
            `A` is on a device, or a scaled value is too large for double precision: use the
            logarithms then
        InvalidMatrixError, UnreadableInputError : `A` is no matrix, or has no values to scale
        """
        rows, cols = self.log_row_scale, self.log_col_scale
        if not truth("scale", scale):
            return permute(A, self.row_perm, self.col_perm)
        if rows is None or cols is None:
            raise InvalidArgumentError(
                "this decomposition has no scalings: make it with transversal="
                'weighted_transversal(A, objective="product")'
            )
        from btfperm.pattern.scale import scaled

        here = self.on_host()
        permuted = permute(A, self.row_perm, self.col_perm)
        return scaled(permuted, rows[here.row_perm], cols[here.col_perm])

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        convention: str | None = None,
        replace: bool = True,
    ) -> None:
        """Writes the result to a file. If `format` is None, the suffix determines the format:
        `.npz`, `.mat`, `.json`, `.txt` or `.petsc`. See :func:`btfperm.save`."""
        from btfperm.io import save

        save(self, path, format=format, convention=convention, replace=replace)


@dataclass(frozen=True, eq=False, repr=False)
class DulmageMendelsohn(Decomposition, CoarseShapes):
    """Coarse and fine Dulmage-Mendelsohn decomposition of a matrix of any shape and rank.

    The fine blocks are, in this order, the connected components of the horizontal part, the
    strongly connected components of the square part in topological order, and the connected
    components of the vertical part.

    `horizontal`, `square` and `vertical` are the coarse parts, with the original numbers of their
    rows and columns; see `CoarsePart`. `underdetermined` and `overdetermined` are other names of
    `horizontal` and `vertical`.

    Examples
    --------
    >>> import btfperm
    >>> d = btfperm.dulmage_mendelsohn([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> d.vertical  # more rows than columns: rows 0 and 2 have entries in column 1 only
    <CoarsePart vertical: 2 x 1, 1 fine block>
    >>> d.vertical.rows.tolist(), d.vertical.cols.tolist(), d.vertical.unmatched_rows.size
    ([0, 2], [1], 1)
    >>> d.horizontal.cols.tolist(), d.horizontal.rows.tolist(), d.horizontal.unmatched_cols.size
    ([0, 2], [1], 1)
    >>> [(block.part, block.shape) for block in d]
    [('horizontal', (1, 2)), ('vertical', (2, 1))]
    """

    @property
    def horizontal(self) -> CoarsePart:
        """The horizontal (underdetermined) part: more columns than rows; every row is matched."""
        return self._part("horizontal", 0, 1, 0, 2, range(self._part_ends[0]))

    @property
    def square(self) -> CoarsePart:
        """The square (well-determined) part: all rows and columns are matched to one another."""
        return self._part("square", 1, 2, 2, 3, range(*self._part_ends))

    @property
    def vertical(self) -> CoarsePart:
        """The vertical (overdetermined) part: more rows than columns; every column is matched."""
        return self._part("vertical", 2, 4, 3, 4, range(self._part_ends[1], self.n_blocks))

    @property
    def underdetermined(self) -> CoarsePart:
        """The same as `horizontal`."""
        return self.horizontal

    @property
    def overdetermined(self) -> CoarsePart:
        """The same as `vertical`."""
        return self.vertical

    def _part(self, name: str, r: int, r_end: int, c: int, c_end: int, blocks: range) -> CoarsePart:
        rows = slice(int(self.coarse_rows[r]), int(self.coarse_rows[r_end]))
        cols = slice(int(self.coarse_cols[c]), int(self.coarse_cols[c_end]))
        return CoarsePart(self, rows, cols, name, blocks)

    def _shapes(self) -> dict[str, tuple[int, int]]:
        """Shapes of the parts that are not empty."""
        shapes = {
            "horizontal": self.horizontal_shape,
            "square": self.square_shape,
            "vertical": self.vertical_shape,
        }
        return {name: shape for name, shape in shapes.items() if any(shape)}

    def __repr__(self) -> str:
        m, n = self.shape
        parts = [f"{name} {r:,} x {c:,}" for name, (r, c) in self._shapes().items()]
        return (
            f"<DulmageMendelsohn of a {m:,} x {n:,} matrix: structural rank "
            f"{self.structural_rank:,}, {', '.join(parts) or 'empty'}, "
            f"{counted(self.n_blocks, 'fine block')}>"
        )

    def _repr_html_(self) -> str:
        parts = {f"{k} part": f"{r:,} x {c:,}" for k, (r, c) in self._shapes().items()}
        return self._table({**parts, "fine blocks": self.n_blocks})


@dataclass(frozen=True, eq=False, repr=False)
class BlockTriangularForm(Decomposition):
    """Block upper triangular form of a square matrix, in KLU's sense.

    A structurally singular matrix is accepted as KLU accepts it: unmatched rows are paired with
    unmatched columns, both ascending, and `completed` is the number of these pairs. Their diagonal
    entries are structurally zero. The blocks are then *not* the Dulmage-Mendelsohn blocks and
    depend on the transversal. `row_match` and `col_match` hold the transversal without the added
    pairs; `paired_row` holds the row of each column, with the added pairs.
    """

    completed: int = 0
    paired_row: IndexArray | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        freeze(self.paired_row)

    @property
    def blocks(self) -> IndexArray:
        """(b+1,) boundaries of the diagonal blocks; the same for rows and columns."""
        return self.row_blocks

    @cached_property
    def matched_row_perm(self) -> IndexArray:
        """(n,) `row_perm` in which each row has the place of its paired column, so that the
        diagonal of ``A[matched_row_perm, :][:, col_perm]`` holds the transversal and, if the matrix
        is structurally singular, `completed` structural zeros."""
        paired = self.col_match if self.paired_row is None else self.paired_row
        return frozen(paired[self.col_perm])

    def __repr__(self) -> str:
        n = self.shape[0]
        largest = int(np.diff(self.blocks).max()) if self.n_blocks else 0
        singular = f", structurally singular by {self.completed:,}" if self.completed else ""
        return (
            f"<BlockTriangularForm of a {n:,} x {n:,} matrix: {counted(self.n_blocks, 'block')}, "
            f"the largest of {largest:,} rows{singular}>"
        )

    def _repr_html_(self) -> str:
        largest = int(np.diff(self.blocks).max()) if self.n_blocks else 0
        facts = {"blocks": self.n_blocks, "rows of the largest": largest}
        return self._table({**facts, "completed pairs": self.completed})


def fields_of(transversal: Transversal) -> dict[str, Any]:
    """The fields of a decomposition that are those of its transversal."""
    return {
        "row_match": transversal.row_match,
        "col_match": transversal.col_match,
        "structural_rank": transversal.structural_rank,
        "transversal": transversal,
        "log_row_scale": transversal.log_row_scale,
        "log_col_scale": transversal.log_col_scale,
    }


def whole_decomposition(
    pattern: Pattern, form: Any, transversal: Transversal, meta: Callable[[], Any]
) -> DulmageMendelsohn:
    """The decomposition in one process."""
    fields = {
        "shape": pattern.shape,
        **form._asdict(),
        **fields_of(transversal),
        "pattern": pattern,
    }
    return new_result(DulmageMendelsohn, fields, {"meta": meta})
