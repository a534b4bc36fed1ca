# SPDX-License-Identifier: BSD-3-Clause
"""karp-sipser: over ranks, match rows and columns of degree one first, then some of any degree

Idea        If a row or column has one unmatched neighbour (degree one), some maximum matching
            contains the entry between them. This is the rule of degree one. In each step, a rank
            matches such rows and columns if the neighbour is on the same rank, until it has none
            left or has collected many lines (messages). The lines are claims on columns, proposals
            to rows, and changes of degrees of rows of other ranks (``owned_karp_sipser.hpp``). At
            the end of a step, each rank sends its lines to another rank in one message. If no rank
            has lines, some of the other columns of each rank choose a row; columns with two
            unmatched rows choose first. A column chooses the unmatched row of its rank that has the
            fewest unmatched columns; if there is none, it chooses its first unmatched row of
            another rank. After each choice, the rank applies the rule of degree one again.
Paper       Karp, Sipser, FOCS 1981. If the rule of degree one cannot be applied, the paper chooses
            an entry at random. Ours: the steps, and the choice by the numbers of unmatched
            neighbours.
Cost        visits O(nnz) entries in total. A rank also stores its entries by rows; the search
            can use these lists again. A chain is a sequence of rows and columns each of which gets
            degree one when the one before is matched; the number of steps grows with how often a
            chain continues on another rank.
Prefer it   as the usual initializer over ranks, because the search sends several messages for each
            column that it matches
Options     thin_steps (10): a step is thin if, over all ranks, fewer than 256 lines are sent and
            rows and columns of degree one are left over. After more than `thin_steps` successive
            thin steps, columns choose rows although the rule of degree one can still be applied. So
            a long chain does not need a step for each of its members
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm import _core
from btfperm.backends.mpi.problem import DistributedProblem

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget
    from btfperm.backends.mpi.exchange import Exchange
    from btfperm.backends.mpi.halo import Halo

__all__ = ["karp_sipser"]

THIN = 256
"""If a step sends fewer lines over all ranks, its exchange takes longer than the work of the
ranks."""

CHOICES, LEAST_CHOICES = 8, 64
"""In a step with choices, an eighth of the columns of a rank that may still be matched choose a
row, or `LEAST_CHOICES` if that is more. If more columns choose at the same time, fewer steps
follow, but more often a column takes the last row of another one. On four ranks, the initializer
and the search together took less time with an eighth than with a sixteenth or a quarter."""

FINE_CHOICES, LEAST_FINE = 32, 1 << 14
"""If a thirty-second part of these columns is more than `LEAST_FINE`, only this part chooses in a
step: then the work of a step takes longer than its exchange, so more steps cost little."""

FIRST = 2
"""Columns with at most `FIRST` unmatched rows choose before the others."""

PARTS, LEAST_LINES = 16, 1 << 16
"""A rank ends a step when it has collected as many lines as a sixteenth of the number of its rows
and columns, or `LEAST_LINES` if that is more."""


def karp_sipser(
    problem: DistributedProblem, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int | list[int]]:
    """Finds a maximal matching, unless the budget ends it."""
    exchange, halo, core = problem.exchange, problem.halo, _core.transversal
    ghost_matched = halo.update((problem.row_match >= 0).astype(np.uint8))
    is_short = problem.col_match.dtype == np.int32
    degrees = (core.OwnedKarpSipser32 if is_short else core.OwnedKarpSipser64)(
        *problem.bipartite(), problem.by_row, ghost_matched, halo.shared()[0]
    )
    del ghost_matched
    _core.backends.return_free_memory(True)
    _start(degrees, halo, exchange)
    most = max((problem.rows.size + problem.cols.size) // PARTS, LEAST_LINES)
    lines: Any = np.empty(0, dtype=problem.width)
    choices = steps = rounds = thin_steps = 0
    while True:
        lines, sent, edges, left, waiting = degrees.step(lines.reshape(-1), choices, FIRST, most)
        lines, sums = exchange.step(lines.reshape(-1, 3), sent, edges, left, waiting)
        total, edges, left_of_all, waiting = sums
        steps += 1
        if budget.spent(edges) or not total + left_of_all:
            break
        thin_steps = thin_steps + 1 if total + waiting < THIN else 0
        may_choose = total + waiting == 0 or thin_steps > int(options["thin_steps"])
        choices = choices_of(left, exchange.size) if may_choose else 0
        rounds += may_choose
    degrees.settle(lines.reshape(-1))
    del degrees, lines
    _core.backends.return_free_memory(True)
    return {"edges": budget.edges, "levels": steps, "rounds": rounds}


def choices_of(left: int, ranks: int) -> int:
    """How many of the `left` columns of a rank that may still be matched choose a row in one step.
    If there is only one rank, all of them do, one after the other."""
    if ranks == 1:
        return max(left, 1)
    return max(min(left // CHOICES, max(left // FINE_CHOICES, LEAST_FINE)), LEAST_CHOICES)


def _start(degrees: Any, halo: Halo, exchange: Exchange) -> None:
    """Counts the degrees. A rank sends the degrees that it has counted for its ghosts in several
    exchanges, so that the lines need less memory."""
    degrees.start()
    count = int(halo.ghosts.size)
    size = max(count // PARTS, LEAST_LINES)
    pieces = exchange.largest(-(-count // size))[0]
    first = exchange.rank * pieces // exchange.size  # so that not all ranks send to the same one
    for k in range(pieces):
        begin = (first + k) % pieces * size
        lines, sent = degrees.send_degrees(min(begin, count), min(begin + size, count))
        lines, _ = exchange.step(lines.reshape(-1, 3), sent)
        degrees.add_degrees(lines.reshape(-1))
