# SPDX-License-Identifier: BSD-3-Clause
"""The proof of a weighted transversal: its duals bound the objective of every other one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.errors import DefectError
from btfperm.pattern import Pattern
from btfperm.pattern.valued import position_of
from btfperm.results import Decomposition, IndexArray

if TYPE_CHECKING:
    from btfperm.weighted.problem import WeightedProblem

__all__ = ["TOLERANCE", "Proof", "certify", "prove"]

# Rounding errors of the duals, relative to the largest dual or value.
TOLERANCE = 1e-10

Reals = npt.NDArray[np.float64]


class Proof(NamedTuple):
    """The objective of the matching, and a bound on the difference between it and the optimum."""

    total: float
    gap: float


def certify(
    problem: WeightedProblem, view: WeightedProblem, stopped_by: str | None, *_: Any
) -> tuple[Reals | None, Reals | None, Proof | None]:
    """The duals of the rows and of the columns, and the result of `prove`; all are None if a limit
    ended the search."""
    if stopped_by is not None:
        return None, None, None
    p = problem
    arrays = p.row_match, p.col_match, p.row_dual, p.col_dual
    exact = p.found_by.family == "exact"
    return p.row_dual, p.col_dual, prove(p.pattern, p.value, p.form, *arrays, exact=exact)


def prove(
    pattern: Pattern,
    value: Reals,
    d: Decomposition,
    row_match: IndexArray,
    col_match: IndexArray,
    row_dual: Reals,
    col_dual: Reals,
    *,
    exact: bool = True,
) -> Proof:
    """Checks that the matching is maximum, that its duals are feasible and, if `exact`, that they
    are tight at the matched entries. `value` is the contribution of each entry to the objective.

    Every maximum transversal matches the rows and columns of a rectangular block only with each
    other, and leaves some vertices (rows or columns) of the block's longer side unmatched. The
    matching is therefore optimal if the duals are feasible, if they are tight at the matched
    entries, and if no dual in the longer side of a block exceeds the dual of an unmatched vertex of
    this block. If the duals are not tight, the sum of the differences bounds the distance from the
    optimum. O(m + n + nnz).

    Raises
    ------
    DefectError : one of these conditions does not hold
    """
    m = pattern.m
    checked = _core.weighted.check_duals(
        m, pattern.indptr, pattern.indices, value, row_match, col_match, row_dual,
        col_dual,
    )  # fmt: skip
    excess, at, slack, largest_slack, total, matched = checked
    listed = [int(np.count_nonzero(match >= 0)) for match in (row_match, col_match)]
    if not matched == d.structural_rank == listed[0] == listed[1]:
        raise DefectError(
            f"the weighted search matched {matched} entries of {d.structural_rank}: please report "
            "this"
        )
    tolerance = 0.0
    # The tolerance costs a pass over the values, so it is computed only if it is needed.
    if not (excess <= 0 and (largest_slack <= 0 or not exact)):
        numbers = (row_dual, col_dual, value)
        tolerance = TOLERANCE * max(_largest_modulus(array) for array in numbers)
    if not excess <= tolerance:
        i, j = position_of(pattern, at)
        raise DefectError(
            f"the duals of the weighted search are not feasible: the scaled entry in row {i}, "
            f"column {j} exceeds its bound by {excess:.1e}; please report this"
        )
    if exact and not largest_slack <= tolerance:
        raise DefectError(
            f"a matched entry of the weighted search is {largest_slack:.1e} below its bound; "
            "please report this"
        )
    if matched < col_match.size:
        _check_unmatched(d.col_perm, d.col_blocks, col_match, col_dual, "column")
    if matched < row_match.size:
        _check_unmatched(d.row_perm, d.row_blocks, row_match, row_dual, "row")
    # each of the entries of another matching may exceed its bound by `excess`
    return Proof(total, max(slack, 0.0) + matched * excess)


def _largest_modulus(array: Reals) -> float:
    return float(max(array.max(initial=0.0), -array.min(initial=0.0)))


def _check_unmatched(perm: Any, blocks: Any, match: Any, dual: Any, noun: str) -> None:
    """Checks on one side (rows or columns) of each block that no dual exceeds the dual of an
    unmatched vertex of this side."""
    unmatched = match[perm] < 0
    sizes = np.diff(blocks)
    nonempty = sizes > 0
    largest = np.maximum.reduceat(dual[perm], blocks[:-1][nonempty])
    below = unmatched & (dual[perm] < np.repeat(largest, sizes[nonempty]))
    if below.any():
        raise DefectError(
            f"the dual of the unmatched {noun} {int(perm[int(below.argmax())])} is not the largest "
            "of its block; please report this"
        )
