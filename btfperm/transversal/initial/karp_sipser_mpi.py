# SPDX-License-Identifier: BSD-3-Clause
"""karp-sipser: over ranks, match rows and columns of degree one first, then some of any degree

Idea        If a row or column has one unmatched neighbour, some maximum matching contains this
            entry. In each step, a rank matches such rows and columns inside the rank until it has
            none left or has sent many lines; to rows and columns of other ranks it sends claims,
            proposals and changes of degrees, all in one message per pair of ranks
            (``owned_karp_sipser.hpp``). If no rank sends anything, a part of the other columns of
            each rank choose a row, those with two unmatched rows first: the unmatched row of the
            rank that has the fewest unmatched columns, or else their first one of another rank. The
            rank continues with the rule after each of them.
Paper       Karp, Sipser, FOCS 1981; there, an entry is drawn at random whenever the rule cannot be
            applied. Ours: the rounds, and the choice by the numbers of unmatched neighbours.
Cost        O(nnz) entries in all, and as much memory as the entries of the rank for their lists by
            rows, which the search uses, too. The number of steps grows with how often a chain of
            rows and columns of degree one changes its owner.
Prefer it   as the usual initializer over ranks, because the search sends several messages for each
            column that it matches
Options     thin_steps (10): columns also choose rows, although the rule can still be applied,
            after more steps in succession than this in each of which the lines sent, and the rows
            and columns of degree one left over, are fewer than 256 in all. So a long chain does not
            need a step for each of its members
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
"""If a step sends fewer lines, the exchange takes longer than the work of the ranks."""

CHOICES, LEAST_CHOICES = 8, 64
"""In a step with choices, an eighth of the columns of a rank that may still be matched choose a
row, or `LEAST_CHOICES` if that is more. The more columns choose at the same time, the more often
the row of one is the last row of another, and the fewer steps follow. On four ranks, an eighth took
less time in sum than a sixteenth or a quarter, with the search that follows."""

FINE_CHOICES, LEAST_FINE = 32, 1 << 14
"""Where a thirty-second part of these columns is more than `LEAST_FINE`, no more choose at the same
time: the work of such a step takes longer than the exchanges that follow it."""

FIRST = 2
"""Columns with at most `FIRST` unmatched rows choose before the others."""

PARTS, LEAST_LINES = 16, 1 << 16
"""In one step, a rank stops when it has sent as many lines as a sixteenth of its rows and columns,
or `LEAST_LINES` if that is more."""


def karp_sipser(
    problem: DistributedProblem, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int | list[int]]:
    """Finds a maximal matching, unless the budget ends it."""
    exchange, halo, core = problem.exchange, problem.halo, _core.transversal
    ghost_matched = halo.update((problem.row_match >= 0).astype(np.uint8))
    is_short = problem.col_match.dtype == np.int32
    degrees = (core.OwnedKarpSipser32 if is_short else core.OwnedKarpSipser64)(
        *problem.bipartite(), problem.by_row, ghost_matched, *halo.copies()
    )
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
    _core.backends.return_free_memory()
    return {"edges": budget.edges, "levels": steps, "rounds": rounds}


def choices_of(left: int, ranks: int) -> int:
    """How many of `left` columns of a rank choose a row in one step. On one rank all do, one after
    the other."""
    if ranks == 1:
        return max(left, 1)
    return max(min(left // CHOICES, max(left // FINE_CHOICES, LEAST_FINE)), LEAST_CHOICES)


def _start(degrees: Any, halo: Halo, exchange: Exchange) -> None:
    """Counts the degrees. Those of the ghosts are sent in pieces, so that the lines need less
    memory."""
    degrees.start()
    count = int(halo.ghosts.size)
    size = max(count // PARTS, LEAST_LINES)
    for k in range(exchange.largest(-(-count // size))[0]):
        lines, sent = degrees.send_degrees(min(k * size, count), min((k + 1) * size, count))
        lines, _ = exchange.step(lines.reshape(-1, 3), sent)
        degrees.add_degrees(lines.reshape(-1))
