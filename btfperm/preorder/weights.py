# SPDX-License-Identifier: BSD-3-Clause
"""The choice of the diagonal: a transversal of the pattern, or the one with the largest product.

Idea        If a diagonal entry is small compared to the largest entry of its column, the solver may
            choose another pivot, and the predicted fill is wrong. Such a column is weak. If
            the transversal of the pattern has weak columns, the weighted one is computed. It is
            taken if it has at most half as many weak columns and at most FILL_MORE times the
            predicted fill. For SuperLU, it is also taken if it leaves few weak columns (FEW_WEAK),
            not more than the transversal of the pattern has, and its predicted fill is not larger;
            `_may_help` decides whether this is tried. If the transversal of the pattern has no
            weak column, the weighted one is computed for KLU only, and only if
            `_may_have_less_fill`. It is taken if its predicted fill is at most LESS_FILL times the
            fill with the transversal of the pattern. The fill is predicted for the order of
            `first_order`; minimum fill is tried only for the transversal that was taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.block_triangular import block_triangular_form
from btfperm.dulmage_mendelsohn import dulmage_mendelsohn, meta_with_weights
from btfperm.errors import InvalidMatrixError, StructurallySingularError
from btfperm.ordering import inside_blocks
from btfperm.ordering.inside_blocks import (
    LESS_FILL,
    BlockOrdering,
    InsideOrder,
    counted,
    first_order,
    with_less_fill,
)
from btfperm.pattern import Pattern, ValuedPattern, as_valued
from btfperm.pattern.arrays import prefix
from btfperm.pattern.canonical import selected
from btfperm.preorder.values import canonical_copies
from btfperm.results import BlockTriangularForm, IndexArray, Transversal, WeightedTransversal
from btfperm.results.decomposition import fields_of
from btfperm.results.read_only import frozen
from btfperm.weighted import moduli, weigh

__all__ = ["Ordered", "Weights", "choose_weights", "finite_values", "valued_of"]
__all__ += ["weighted_form"]

Weights = Literal["auto", "product", "none"]

# A column is weak if its diagonal entry is below this share of its largest entry in the same block;
# for KLU, after each row was divided by its largest entry. The number is KLU's default tolerance
# for pivots on the diagonal, and the smallest default of `factor` for SuperLU.
WEAK = 1e-3
# With partial pivoting, SuperLU may choose pivots off the diagonal in columns that are not weak,
# too. So the choice of the order counts a diagonal entry as small if it is below this share of the
# largest entry.
SMALL_ENTRY = 0.1
# The largest predicted fill with the weighted transversal, relative to the predicted fill without,
# if there are weak columns. If no column is weak, the predicted fill must become smaller
# (LESS_FILL). This happens on matrices of power flow whose voltages are all equal (a flat start).
FILL_MORE = 1.2
# The largest share of weak columns with the weighted transversal, if it removes less than half of
# the weak columns. The number follows from three matrices. 0.4 % of the columns stay weak on
# hangGlider_2, where the weighted transversal saves most of the fill; 1.7 % on west0655 and 5.6 %
# on west1505, where the trial takes longer than it saves.
FEW_WEAK = 0.01
_NEARLY_SYMMETRIC = 0.95  # share of the entries off the diagonal that have a mirror image


class Ordered(NamedTuple):
    """A block triangular form, and the order inside its blocks."""

    form: BlockTriangularForm
    inside: InsideOrder
    weighted: WeightedTransversal | None = None  # the one with the largest product, if it is taken


def finite_values(A: Any, shape: Any, drop_zeros: bool | None) -> ValuedPattern | None:
    """The matrix with its values on the host; None if it has no values, or not all are finite."""
    arrays = (
        canonical_copies(A)
        if shape is None and (drop_zeros is None or drop_zeros is False)
        else None
    )
    if arrays is not None:
        return valued_of(*arrays)
    try:
        return as_valued(A, shape=shape, drop_zeros=drop_zeros).on_host().require_finite()
    except InvalidMatrixError:
        return None


def valued_of(indptr: IndexArray, indices: IndexArray, values: npt.NDArray[Any]) -> ValuedPattern:
    """A square matrix of canonical columns. The arrays are not copied: the caller must not change
    them afterwards."""
    n = indptr.size - 1
    pattern = Pattern._unchecked((n, n), frozen(indptr), frozen(indices))
    if np.count_nonzero(values) < values.size:
        zeros = selected(indptr, indices, values == 0, (n, n))
        pattern = pattern._with_zeros(zeros, False)
    return ValuedPattern._unchecked(pattern, values)


def choose_weights(
    valued: ValuedPattern,
    form: BlockTriangularForm,
    weights: Weights,
    ordering: BlockOrdering,
    solver: str,
    threads: int,
) -> Ordered:
    """The order by the transversal of `form`, or by the one with the largest product."""
    pattern = valued.pattern
    modulus = cache(partial(_moduli, valued))
    count_small = partial(_count_small, pattern, modulus)

    def ordered(by: BlockTriangularForm, w: WeightedTransversal | None = None) -> Ordered:
        small = count_small(by, SMALL_ENTRY) if solver == "superlu" else None
        return Ordered(by, first_order(pattern, by, ordering, solver, threads, small), w)

    if weights == "product":
        taken = ordered(*weighted_form(valued, form, threads))
    else:
        weak = partial(count_small, share=WEAK, scaled=solver == "klu")
        taken = _choose(valued, ordered(form), ordered, weak, solver, threads)
    inside = with_less_fill(pattern, taken.form, taken.inside, ordering, solver, threads)
    return taken._replace(inside=inside)


def _choose(
    valued: ValuedPattern,
    plain: Ordered,
    ordered: Callable[[BlockTriangularForm, WeightedTransversal], Ordered],
    weak: Callable[[BlockTriangularForm], int],
    solver: str,
    threads: int,
) -> Ordered:
    """Chooses between `plain`, the order by the transversal of the pattern, and the order by the
    transversal with the largest product. `ordered` computes the order for a form and its
    transversal, and `weak` counts the weak columns of a form."""
    form, n_weak = plain.form, weak(plain.form)
    if n_weak == 0 and (solver != "klu" or not _may_have_less_fill(plain, threads)):
        return plain
    try:
        other, w = weighted_form(valued, form, threads)
    except StructurallySingularError:  # the matrix without its stored zeros is singular
        return plain
    more = FILL_MORE if n_weak else LESS_FILL
    n_left = weak(other) if n_weak else 0
    if 2 * n_left > n_weak:
        if solver != "superlu" or n_left > n_weak or not _may_help(plain, other, n_left, threads):
            return plain
        more = 1.0
    plain = _counted(plain, threads)
    weighted = _counted(ordered(other, w), threads)
    return weighted if _fill(weighted) <= more * _fill(plain) else plain


def _may_have_less_fill(plain: Ordered, threads: int) -> bool:
    """Whether another transversal is worth a trial. It is not in four cases. Nearly all entries
    off the diagonal inside the blocks have a mirror image: then the diagonal is the natural one of
    most applications. The fill is hardly larger than the number of entries. The matrix is small.
    The symmetry is not known, because the order inside the blocks was given or is natural."""
    n, symmetry = plain.form.shape[0], plain.inside.symmetry
    if n < inside_blocks.SMALL or symmetry is None or symmetry.reaches(_NEARLY_SYMMETRIC):
        return False
    return LESS_FILL * _fill(_counted(plain, threads)) >= symmetry.entries + n


def _may_help(plain: Ordered, other: BlockTriangularForm, n_left: int, threads: int) -> bool:
    """Whether SuperLU may have less fill with the weighted transversal of `other`, although it
    leaves `n_left` weak columns, more than half as many as `plain` has."""
    is_same = np.array_equal(plain.form.col_match, other.col_match)
    few = n_left <= FEW_WEAK * plain.form.shape[0]
    return few and not is_same and _may_have_less_fill(plain, threads)


def weighted_form(
    valued: ValuedPattern, form: BlockTriangularForm, threads: int
) -> tuple[BlockTriangularForm, WeightedTransversal]:
    """The block triangular form with the largest product on the diagonal, and its weighted
    transversal. Stored zeros remain entries of the form."""
    pattern = valued.pattern
    entries, modulus = moduli(valued)
    if entries.nnz == pattern.nnz:  # the blocks do not depend on the transversal
        w = weigh(entries, modulus, form, threads=threads)
        assert w.transversal is not None
        return _with_transversal(form, w.transversal), w
    d = dulmage_mendelsohn(entries, drop_zeros=True, threads=threads)
    w = weigh(entries, modulus, d, threads=threads)
    if w.structural_rank < pattern.n:
        raise StructurallySingularError(
            f"{prefix(pattern.name)}without its stored zeros, the matrix is structurally singular: "
            f"rank {w.structural_rank} of {pattern.n}; give weights='none'"
        )
    kept = block_triangular_form(
        pattern, drop_zeros=False, threads=threads, initial=w.col_match, orientation="col_match"
    )
    assert w.transversal is not None and kept.transversal is not None
    names = ("log_row_scale", "log_col_scale", "weights")
    scaled = {name: getattr(w.transversal, name) for name in names}
    scaled["explain"] = partial(_explained, kept.transversal.explain, w.transversal.explain)
    return _with_transversal(kept, replace(kept.transversal, **scaled)), w


def _explained(kept: Callable[[], Any], weighted: Callable[[], Any]) -> dict[str, Any]:
    """The dictionary that `kept` returns, with the plan and the decisions of the weighted search
    added."""
    explained, other = dict(kept()), weighted()
    added = {what: rule for what, rule in other["decisions"].items() if what.startswith("weighted")}
    decisions = {**explained["decisions"], **added}
    return explained | {"decisions": decisions, "weighted_plan": other["weighted_plan"]}


def _with_transversal(form: BlockTriangularForm, t: Transversal) -> BlockTriangularForm:
    """The same blocks with another perfect transversal on the diagonal, and its scalings."""
    meta = meta_with_weights(form.meta, t)
    return replace(form, **fields_of(t), paired_row=t.col_match, meta=meta)


def _count_small(
    pattern: Pattern,
    modulus: Callable[[], npt.NDArray[np.float64]],
    form: BlockTriangularForm,
    share: float,
    *,
    scaled: bool = False,
) -> int:
    """The number of columns whose diagonal entry is below `share` times the column's largest entry
    in the same block; with `scaled`, after each row was divided by its largest entry. O(nnz)."""
    if form.n_blocks == pattern.n:  # each block has one entry
        return 0
    width = pattern.indptr.dtype
    columns = pattern.indptr, pattern.indices, modulus()
    blocks = (form.row_block, form.col_block) if form.n_blocks > 1 else (None, None)
    arrays = (a if a is None else a.astype(width, copy=False) for a in (*blocks, form.col_match))
    found: int = _core.preorder.count_weak(*columns, *arrays, share, scaled)
    return found


def _moduli(valued: ValuedPattern) -> npt.NDArray[np.float64]:
    """The moduli, or the values themselves if they are double: `count_weak` takes both."""
    values: npt.NDArray[np.float64] = valued.values
    if values.dtype == np.float64:
        return values
    with np.errstate(over="ignore"):
        modulus: npt.NDArray[np.float64] = np.abs(valued.values).astype(np.float64, copy=False)
    return modulus


def _counted(ordered: Ordered, threads: int) -> Ordered:
    form = ordered.form
    assert form.pattern is not None
    return ordered._replace(inside=counted(form.pattern, form, ordered.inside, threads))


def _fill(ordered: Ordered) -> float:
    """Entries of L + U; infinite if they are too many to be counted."""
    fill = ordered.inside.fill
    return np.inf if fill is None else fill.total
