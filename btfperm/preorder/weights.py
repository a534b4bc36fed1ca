# SPDX-License-Identifier: BSD-3-Clause
"""Which transversal is on the diagonal: that of the pattern, or the one with the largest product.

Idea        A solver leaves a diagonal entry that is small beside its column, and with it the order
            and the predicted fill. Columns with such an entry are weak. If the transversal of the
            pattern has some, the weighted one is computed; it is taken if it has at most half as
            many and its predicted fill is not much larger. If it has none, the weighted one is
            computed for KLU only, whose fill is the predicted one, and only if the blocks are not
            nearly symmetric; it is taken if its predicted fill is much smaller.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.block_triangular import block_triangular_form
from btfperm.dulmage_mendelsohn import dulmage_mendelsohn, fields_of
from btfperm.errors import InvalidMatrixError, StructurallySingularError
from btfperm.ordering import count_symmetric, inside_blocks
from btfperm.ordering.inside_blocks import (
    BlockOrdering,
    InsideOrder,
    fill_of,
    order_inside_blocks,
)
from btfperm.pattern import ValuedPattern, as_valued
from btfperm.pattern.arrays import prefix
from btfperm.results import BlockTriangularForm, WeightedTransversal
from btfperm.weighted import moduli, weigh

__all__ = ["Ordered", "Weights", "choose_weights", "finite_values"]

Weights = Literal["auto", "product", "none"]

# A diagonal entry below this share of the largest entry of its column is left by the solver: KLU's
# default tolerance, after it has divided each row by its largest entry; that of `factor` for
# SuperLU with "amd".
_WEAK = {"klu": 1e-3, "superlu": 0.1}
# Most fill of the weighted order, relative to the other. Where few columns are weak, as 6 of 44,943
# of ibmpg1_mna, whose weighted order has 11 % more, it is 1. Where none is, the predicted fill must
# become much smaller, as on power flow matrices at a flat start (0.70).
_FILL_MORE, _FILL_LESS = 1.2, 0.85
_FEW_WEAK = 0.01  # of all columns
_NEARLY_SYMMETRIC = 0.95  # of the entries


class Ordered(NamedTuple):
    """A block triangular form, and the order inside its blocks."""

    form: BlockTriangularForm
    inside: InsideOrder
    weighted: WeightedTransversal | None = None  # the one with the largest product, if it is taken


def finite_values(A: Any, shape: Any, drop_zeros: bool | None) -> ValuedPattern | None:
    """The matrix with values on the host; None if it has none, or not all are finite."""
    try:
        return as_valued(A, shape=shape, drop_zeros=drop_zeros).on_host().require_finite()
    except InvalidMatrixError:
        return None


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

    def ordered(
        by: BlockTriangularForm, weak: int, w: WeightedTransversal | None = None
    ) -> Ordered:
        return Ordered(by, order_inside_blocks(pattern, by, ordering, solver, threads, weak), w)

    if weights == "product":
        other, w = _weighted_form(valued, form, threads)
        return ordered(other, _count_weak(valued, other, solver), w)
    weak = _count_weak(valued, form, solver)
    plain = ordered(form, weak)
    if weak == 0 and (solver != "klu" or not _may_have_less_fill(plain, threads)):
        return plain
    try:
        other, w = _weighted_form(valued, form, threads)
    except StructurallySingularError:  # without stored zeros
        return plain
    weak_there = _count_weak(valued, other, solver)
    if weak and 2 * weak_there > weak:
        return plain
    weighted = ordered(other, weak_there, w)
    if weak == 0:
        more = _FILL_LESS
    elif solver == "klu" and weak < _FEW_WEAK * pattern.n:
        more = 1.0
    else:
        more = _FILL_MORE
    return weighted if _fill(weighted, threads) <= more * _fill(plain, threads) else plain


def _may_have_less_fill(plain: Ordered, threads: int) -> bool:
    """Whether another transversal may have much less fill. Not if nearly all entries off the
    diagonal inside the blocks have a mirror image: then the diagonal is the natural one of most
    applications. Nor if the fill is hardly more than the entries, or the matrix is small."""
    form = plain.form
    pattern = form.pattern
    assert pattern is not None
    if pattern.n < inside_blocks.SMALL:
        return False
    blocks = form.matched_row_perm, form.col_perm, form.blocks
    entries, mirrored = count_symmetric(pattern.on_host(), *blocks, threads)
    if mirrored >= _NEARLY_SYMMETRIC * entries:
        return False
    return _FILL_LESS * _fill(plain, threads) >= entries + pattern.n


def _weighted_form(
    valued: ValuedPattern, form: BlockTriangularForm, threads: int
) -> tuple[BlockTriangularForm, WeightedTransversal]:
    """The form with the largest product on the diagonal. Stored zeros remain entries of it."""
    pattern = valued.pattern
    entries, modulus = moduli(valued)
    no_zeros = entries.nnz == pattern.nnz
    known = form.transversal if no_zeros else None
    drop_zeros = None if no_zeros else True
    d = dulmage_mendelsohn(entries, transversal=known, drop_zeros=drop_zeros, threads=threads)
    w = weigh(entries, modulus, d, threads=threads)
    if w.structural_rank < pattern.n:
        raise StructurallySingularError(
            f"{prefix(pattern.name)}without its stored zeros, the matrix is structurally singular: "
            f"rank {w.structural_rank} of {pattern.n}; give weights='none'"
        )
    if no_zeros:
        return block_triangular_form(pattern, transversal=w, drop_zeros=True, threads=threads), w
    kept = block_triangular_form(
        pattern, drop_zeros=False, threads=threads, initial=w.col_match, orientation="col_match"
    )
    scaled = w.transversal
    assert scaled is not None and kept.transversal is not None
    names = ("log_row_scale", "log_col_scale", "weights")
    transversal = replace(kept.transversal, **{name: getattr(scaled, name) for name in names})
    meta = {**kept.meta, "weights": dict(scaled.weights or {})}
    return replace(kept, **fields_of(transversal), meta=meta), w


def _count_weak(valued: ValuedPattern, form: BlockTriangularForm, solver: str) -> int:
    """Columns whose diagonal entry is small beside the largest entry in the same block. O(nnz)."""
    pattern = valued.pattern
    blocks = form.row_block, form.col_block, form.col_match
    arrays = (array.astype(pattern.indptr.dtype, copy=False) for array in blocks)
    columns = pattern.indptr, pattern.indices, _moduli(valued)
    found: int = _core.preorder.count_weak(*columns, *arrays, _WEAK[solver], solver == "klu")
    return found


def _moduli(valued: ValuedPattern) -> npt.NDArray[np.float64]:
    with np.errstate(over="ignore"):
        modulus: npt.NDArray[np.float64] = np.abs(valued.values).astype(np.float64, copy=False)
    return modulus


def _fill(ordered: Ordered, threads: int) -> float:
    """Entries of L + U; infinite if they are too many to be counted."""
    fill = ordered.inside.fill or fill_of(ordered.form, ordered.inside.col_perm, threads)
    return np.inf if fill is None else fill.total
