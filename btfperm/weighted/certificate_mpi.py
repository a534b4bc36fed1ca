# SPDX-License-Identifier: BSD-3-Clause
"""The proof of a weighted transversal over ranks: each rank checks its own entries.

The conditions are those of ``certificate.py`` for a matching that need not be the best: it is legal
and maximum, the duals are feasible for each entry, and, in each block, no dual of a row exceeds
that of an unmatched row, and no dual of a column that of an unmatched column. Sums over the ranks
give the objective and the gap. The check shares nothing with the search but the exchanges between
ranks and the local numbers of the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.mpi.problem import DistributedProblem
from btfperm.backends.mpi.slices import even_slices
from btfperm.errors import DefectError
from btfperm.transversal.certificate_mpi import is_legal
from btfperm.weighted.certificate import TOLERANCE, Proof

if TYPE_CHECKING:
    from btfperm.weighted.assign_mpi import DistributedWeights

__all__ = ["certify", "prove"]


def certify(
    problem: DistributedWeights, view: DistributedWeights, stopped_by: str | None, *_: Any
) -> tuple[Any, Any, Proof | None]:
    """The same as `certify` of ``certificate.py``. Collective."""
    if stopped_by is not None:
        return None, None, None
    return problem.row_dual, problem.col_dual, prove(problem)


def prove(found: DistributedWeights) -> Proof:
    """Checks the matching and the duals. Collective.

    Raises
    ------
    DefectError : one of the conditions does not hold
    """
    pattern, blocks, rank = found.pattern, found.blocks, found.rank
    exchange, halo = pattern.exchange, pattern.halo()
    problem = DistributedProblem(pattern)
    problem.row_match[:], problem.col_match[:] = found.row_match, found.col_match
    if not is_legal(problem):
        raise DefectError(
            "the weighted search matched a pair that is no entry, or a row or column twice: please "
            "report this"
        )
    assert pattern.values is not None
    excess, at, slack, total, matched = _core.weighted.check_owned_duals(
        pattern.indptr,
        halo.items,
        halo.numbers(),
        pattern.values,
        found.col_match,
        halo.extended(found.row_dual),
        found.col_dual,
    )
    row, col = -1, -1
    if at >= 0:
        row = int(halo.numbers()[halo.items[at]])
        col = pattern.col_slices.first + int((pattern.indptr <= at).sum()) - 1
    numbers = (found.row_dual, found.col_dual, pattern.values)
    own = float(np.max([(a.max(initial=0.0), -a.min(initial=0.0)) for a in numbers]))
    parts = exchange.reals_from_all(excess, slack, total, matched, own, row, col)
    n_matched = int(parts[:, 3].sum())
    if n_matched != rank:
        raise DefectError(
            f"the weighted search matched {n_matched} entries of {rank}: please report this"
        )
    worst = int(parts[:, 0].argmax())  # NaN counts as the largest
    largest = float(parts[worst, 0])
    if not largest <= TOLERANCE * float(parts[:, 4].max()):
        i, j = (int(number) for number in parts[worst, 5:])
        raise DefectError(
            f"the duals of the weighted search are not feasible: the scaled entry in row {i}, "
            f"column {j} exceeds its bound by {largest:.1e}; please report this"
        )
    sides = (
        (pattern.col_slices, blocks.cols, found.col_match, found.col_dual, "column"),
        (pattern.row_slices, blocks.rows, found.row_match, found.row_dual, "row"),
    )
    for side in sides:
        _check_unmatched(exchange, blocks.n_blocks, *side)
    return Proof(float(parts[:, 2].sum()), max(float(parts[:, 1].sum()), 0.0) + rank * largest)


def _check_unmatched(
    exchange: Any,
    count: int,
    slices: Any,
    block: npt.NDArray[Any],
    match: npt.NDArray[Any],
    dual: npt.NDArray[np.float64],
    noun: str,
) -> None:
    """Checks on one side (rows or columns) of each block that no dual exceeds the dual of an
    unmatched vertex of this side. The rank that owns a block computes the largest dual, and the
    ranks with unmatched vertices of this block request it."""
    unmatched = np.flatnonzero(match < 0)
    if not exchange.sums(unmatched.size)[0]:
        return
    order = np.lexsort((dual, block))
    is_last = np.append(block[order][1:] != block[order][:-1], True)[: order.size]
    own = order[is_last]  # of each block, the vertex of this rank with the largest dual
    owned = even_slices(count, exchange.size, exchange.rank)
    got = exchange.route(owned, block[own], dual[own].view(np.int64), kind=np.int64).items
    largest = np.full(owned.size, -np.inf)
    np.maximum.at(
        largest, got[:, 0] - owned.first, np.ascontiguousarray(got[:, 1]).view(np.float64)
    )
    asked = exchange.route(owned, block[unmatched], kind=np.int64)
    answer = largest[asked.items[:, 0] - owned.first].view(np.int64)
    bound = exchange.reply(asked, answer)[0].view(np.float64)
    below = unmatched[dual[unmatched] < bound]
    first = slices.first + int(below[0]) if below.size else -1
    worst = exchange.largest(first)[0]
    if worst >= 0:
        raise DefectError(
            f"the dual of the unmatched {noun} {worst} is not the largest of its block; please "
            "report this"
        )
