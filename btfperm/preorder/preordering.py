# SPDX-License-Identifier: BSD-3-Clause
"""The result of `preorder`: permutations, and the functions that apply them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from btfperm.arguments import truth
from btfperm.conventions.klu import Klu
from btfperm.conventions.superlu import SuperLU
from btfperm.errors import InvalidArgumentError, SolverMissingWarning
from btfperm.ordering import Fill
from btfperm.ordering.inside_blocks import BlockOrdering, fill_of, is_nearly_symmetric
from btfperm.pattern import inverse, permute
from btfperm.preorder.advice import advice
from btfperm.preorder.blockwise import FEW_ROWS, NARROW, BlockwiseFactors, checked_threshold
from btfperm.preorder.factorization import Factorization
from btfperm.preorder.factors import Factors
from btfperm.preorder.gather import Gather, is_compressed
from btfperm.preorder.klu_factors import KLU_THRESHOLD, KluFactors, KluLibrary
from btfperm.preorder.klu_libraries import find as find_klu
from btfperm.preorder.klu_libraries import shortfall
from btfperm.preorder.singles import SingleFactors
from btfperm.preorder.values import Columns, columns_of, refuse_changed
from btfperm.results import BlockTriangularForm, IndexArray, SolverOrder
from btfperm.results.equality import fields_equal
from btfperm.results.html import html_table
from btfperm.results.read_only import OnDemand, freeze
from btfperm.warn import warn

__all__ = ["Preordering", "Solver"]

Solver = Literal["superlu", "klu"]

# Values of diag_pivot_thresh for SuperLU, see `_threshold`. The orders "amd" and "minimum-fill"
# assume pivots on the diagonal. With the smaller threshold, more pivots are on the diagonal. This
# saves fill in nearly symmetric blocks and with the largest product on the diagonal, but may cost
# much fill in other blocks.
_SAFE_THRESHOLD = 0.1
_SMALL_THRESHOLD = 0.001
# The factors are sparse if L + U have at most _SPARSE_FACTORS entries per row. If the fill is not
# known, it is counted up to _COUNTED_FACTORS entries per row only: counting more would take longer
# than narrow panels save.
_SPARSE_FACTORS, _COUNTED_FACTORS = 300, 20


class _Analysed(NamedTuple):
    """What `factor` keeps for further matrices with the same entries.

    Attributes
    ----------
    how : the library of KLU, or None for SuperLU, and diag_pivot_thresh
    columns : the entries, without values
    factors : the analysis by the solver
    """

    how: tuple[KluLibrary | None, float]
    columns: Columns
    factors: Factors


@dataclass(frozen=True, eq=False, repr=False)
class Preordering(SolverOrder, OnDemand):
    """Row and column order for a direct solver; made by :func:`btfperm.preorder`.

    Attributes
    ----------
    shape : (n, n)
    row_perm, col_perm : (n,) gather permutations: ``A[row_perm, :][:, col_perm]`` is block upper
        triangular, has the transversal on its diagonal, and inside each block the order of
        `block_ordering`
    blocks : (b+1,) block k is rows and columns ``blocks[k]:blocks[k+1]`` of the permuted matrix
    solver : the solver for which the order was computed
    block_ordering : the method that ordered the inside of the blocks: "colamd", "amd",
        "minimum-fill", "rcm" or "natural"
    form : the block triangular form, with the transversal and its certificate
    weights : "product" if the entries with the largest product are on the diagonal, or those of a
        weighted transversal that was given as ``transversal=``; else "none"

    Two preorderings are equal (``==``) when `shape`, `row_perm`, `col_perm`, `blocks`, `solver` and
    `block_ordering` are. O(n).
    """

    shape: tuple[int, int]
    row_perm: IndexArray
    col_perm: IndexArray
    blocks: IndexArray
    solver: Solver
    block_ordering: BlockOrdering
    form: BlockTriangularForm
    weights: Literal["product", "none"] = "none"

    def __post_init__(self) -> None:
        freeze(self.row_perm, self.col_perm, self.blocks)

    @property
    def klu(self) -> Klu:
        """The gather permutations P and Q for ``klu_analyze_given`` with ``btf = 1``, and the
        boundaries R of the blocks.

        KLU computes the blocks again. It finds the same blocks and keeps the diagonal, but may
        order the blocks, and the rows and columns inside them, in another way.
        """
        return Klu(self.row_perm, self.col_perm, self.blocks)

    @cached_property
    def superlu(self) -> SuperLU:
        """The scatter permutations perm_r and perm_c: row i goes to place ``perm_r[i]``."""
        return SuperLU(inverse(self.row_perm), inverse(self.col_perm))

    @cached_property
    def predicted_fill(self) -> Fill | None:
        """The numbers of entries of L and U inside the blocks if all pivots stay on the diagonal:
        ``.total`` of L + U, with the diagonal once; ``.lower`` of L without and ``.upper`` of U
        with the diagonal; and ``.operations``, the number of multiplications and divisions. None if
        L has more than 100 million entries in one block. Computed at the first use, unless
        `preorder` computed it."""
        return fill_of(self.form, self.col_perm)

    @cached_property
    def _is_nearly_symmetric(self) -> bool:
        """Whether three quarters of the entries off the diagonal inside the blocks have a mirror
        image."""
        return is_nearly_symmetric(self.form)

    @property
    def advice(self) -> str:
        """A sentence that states the expected fill, and whether the blocks save fill.

        The fill of the blocks is compared with the fill of one block of all rows that is ordered by
        the same method. If another method orders the one block, the sentence names it."""
        return advice(self.form, self.predicted_fill, self.block_ordering, self.solver)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        convention: str | None = None,
        replace: bool = True,
    ) -> None:
        """Writes the permutations in the convention of a solver; by default that of `solver`.

        Parameters and errors are those of `btfperm.save`. The conventions "klu", "superlu", "btf",
        "casadi", "petsc" and "umfpack" are possible; `btfperm check` verifies the file.
        """
        from btfperm.io import save

        save(self, path, format=format, convention=convention, replace=replace)

    def apply(self, A: Any, *, scale: bool = False) -> Any:
        """The permuted matrix ``A[row_perm, :][:, col_perm]``, of any matrix of this shape.

        The result for a `Pattern` is a `Pattern`, for a dense array a dense array, and for a SciPy
        array or matrix one in compressed columns. For a path or a (data, indices, indptr) triple of
        compressed columns, it is a ``csc_array``. If you pass the result to `splu`, also pass
        ``permc_spec="NATURAL"``. If a SciPy matrix in CSC or CSR format has the same indices and
        the same format as in the last call, only its values are permuted; the indices are compared
        and copied.

        With ``scale=True`` each value is multiplied by the scalings of its row and column, which
        exist if `weights` is "product".

        Raises
        ------
        InvalidArgumentError : `A` has another shape; with ``scale=True``, there are no scalings, or
            a scaled value is too large for double precision: use the logarithms then
        InvalidMatrixError : `A` is no matrix, or has no values to scale

        >>> import numpy as np
        >>> import btfperm
        >>> A = np.array([[0, 2, 0], [1, 4, 5], [0, 1, 3]])
        >>> btfperm.preorder(A).apply(A)
        array([[1, 5, 4],
               [0, 3, 1],
               [0, 0, 2]])
        """
        rows, cols = self.log_row_scale, self.log_col_scale
        if truth("scale", scale) and (rows is None or cols is None):
            raise InvalidArgumentError("there are no scalings: give weights='product' to preorder")
        permuted = self._permuted(A)
        if not scale or rows is None or cols is None:
            return permuted
        from btfperm.pattern.scale import scaled

        return scaled(permuted, rows[self.row_perm], cols[self.col_perm])

    def _permuted(self, A: Any) -> Any:
        if not is_compressed(A, self.shape):
            return permute(A, self.row_perm, self.col_perm)
        gather: Gather | None = vars(self).get("_gather")
        if gather is None or not gather.fits(A):
            gather = Gather(A, self.row_perm, self.col_perm)
            vars(self)["_gather"] = gather
        return gather.apply(A)

    def __getstate__(self) -> dict[str, Any]:
        stored = {"_gather", "_last"}
        return {name: value for name, value in vars(self).items() if name not in stored}

    def factor(self, A: Any, *, diag_pivot_thresh: float | None = None) -> Factorization:
        """LU factors of a matrix with this pattern; `A` is not modified.

        With solver="klu", KLU computes the factors if ``btfperm.solvers()`` finds it: in the wheel
        of ``pip install 'btfperm[klu]'``, or in a libklu on this machine. Otherwise, and with
        solver="superlu", SciPy's SuperLU factors each large block alone and small blocks together.
        ``.backend`` of the result names the solver. A matrix whose blocks all have one row needs
        no factors, and neither solver is called.

        Call this method again when the values change: the order is not computed again. If the
        entries of the last call are the same, the solver does not analyse them again either.

        Parameters
        ----------
        A : anything with values: SciPy matrix or array, dense array, (data, indices, indptr)
            triple of compressed columns, path. Real or complex; other types become float64 or
            complex128, and truth values become 0 and 1 (`solve` and weights refuse them). Entries
            outside the pattern are accepted in or above the diagonal blocks, and below them if they
            are zero. Solvers run on the host: for a matrix on a GPU, pass ``A.get()``
        diag_pivot_thresh : a number between 0 and 1. The diagonal entry is the pivot if it is at
            least this share of the largest candidate in its column. 1 is partial pivoting. With a
            smaller value, more pivots are on the diagonal, as the predicted fill assumes. The
            default is 0.001 for KLU. For SuperLU with "amd" or "minimum-fill", it is 0.001 if the
            blocks are nearly symmetric or `weights` is "product", else 0.1; with other orders, it
            is 0.1 if `weights` is "product", else 1. `Factorization.solve` refines the solution

        Raises
        ------
        InvalidArgumentError : another shape, nonzeros below the diagonal blocks, no values, a
            matrix on a GPU, or a `diag_pivot_thresh` that is not between 0 and 1
        InvalidMatrixError : `A` is no matrix, its arrays describe none, or a value is infinite or
            not a number
        NumericallySingularError : a pivot is zero
        ResourceMissingError : not enough memory

        >>> import numpy as np
        >>> import btfperm
        >>> A = np.array([[0, 2, 0], [1, 4, 5], [0, 1, 3]])
        >>> p = btfperm.preorder(A)
        >>> p.factor(A).solve(np.array([2.0, 10.0, 4.0]))
        array([1., 1., 1.])
        >>> p.factor(10 * A).solve(np.array([2.0, 10.0, 4.0]), trans="T").round(2)
        array([ 0.2,  0.2, -0.2])
        """
        thresh = None if diag_pivot_thresh is None else checked_threshold(diag_pivot_thresh)
        library = find_klu() if self.solver == "klu" else None
        if self.solver == "klu" and (reason := shortfall(library)):
            other = library.name if library else "SuperLU"
            warn(SolverMissingWarning(f"{reason}; {other} factors instead"))
        return self._factored(A, library, thresh)

    def _factored(self, A: Any, library: KluLibrary | None, thresh: float | None) -> Factorization:
        """The factors by this library of KLU, or by SuperLU if `library` is None."""
        last: _Analysed | None = vars(self).get("_last")
        columns = columns_of(A, self.shape, last and last.columns)
        thresh = self._threshold_of(library) if thresh is None else thresh
        how = library, thresh
        if last is None or last.how != how or last.columns.indices is not columns.indices:
            pattern = columns._replace(values=columns.values[:0])
            last = _Analysed(how, pattern, self._analysed(pattern, library, thresh))
            vars(self)["_last"] = last
        return Factorization(columns, last.factors.of(columns))

    def _analysed(self, columns: Columns, library: KluLibrary | None, thresh: float) -> Factors:
        """An object that computes the factors of matrices with these entries."""
        rows, cols, blocks = self.row_perm, self.col_perm, self.blocks
        refuse_changed(self.shape[0], rows, cols, blocks)
        if self.n_blocks == self.shape[0]:
            return SingleFactors(columns, rows, cols, "klu" if library else "superlu")
        if library is not None:
            return KluFactors(columns, rows, cols, blocks, library, thresh)
        return BlockwiseFactors(columns, rows, cols, blocks, thresh, self._panel_size)

    def _threshold_of(self, library: KluLibrary | None) -> float:
        """The default of `diag_pivot_thresh`."""
        return self._threshold if library is None else KLU_THRESHOLD

    @cached_property
    def _threshold(self) -> float:
        """The default of `diag_pivot_thresh` for SuperLU."""
        weighted = self.weights == "product"
        by_diagonal = self.block_ordering in ("amd", "minimum-fill")
        if by_diagonal and (weighted or self._is_nearly_symmetric):
            return _SMALL_THRESHOLD
        return _SAFE_THRESHOLD if weighted or by_diagonal else 1.0

    @cached_property
    def _panel_size(self) -> int | None:
        """The number of columns that SuperLU updates together in segments of at least FEW_ROWS
        rows. None is SuperLU's default, for factors that are not expected to be sparse."""
        if self.shape[0] < FEW_ROWS or np.diff(self.blocks).max(initial=0) < FEW_ROWS:
            return NARROW
        fill: Fill | None = vars(self).get("predicted_fill")
        most = (_COUNTED_FACTORS if fill is None else _SPARSE_FACTORS) * self.shape[0]
        if fill is None:  # L has about half of the entries
            fill = fill_of(self.form, self.col_perm, most // 2)
        is_sparse = fill is not None and fill.total <= most
        return NARROW if is_sparse else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Preordering):
            return NotImplemented
        names = ("shape", "solver", "block_ordering", "row_perm", "col_perm", "blocks")
        return fields_equal(self, other, names)

    def __hash__(self) -> int:
        return hash(("Preordering", self.shape, self.solver, self.n_blocks))

    def _repr_html_(self) -> str:
        n = self.shape[0]
        facts = {
            "shape": f"{n:,} x {n:,}",
            "solver": self.solver,
            "blocks": self.n_blocks,
            "rows of the largest": int(np.diff(self.blocks).max(initial=0)),
            "order inside the blocks": self.block_ordering,
        }
        return html_table("Preordering", facts)

    def __repr__(self) -> str:
        n = self.shape[0]
        largest = int(np.diff(self.blocks).max(initial=0))
        return (
            f"<Preordering of a {n:,} x {n:,} matrix for {self.solver}: {self.n_blocks:,} "
            f"block{'s' if self.n_blocks != 1 else ''}, the largest of {largest:,} "
            f"row{'s' if largest != 1 else ''}, {self.block_ordering} inside>"
        )
