# SPDX-License-Identifier: BSD-3-Clause
"""greedy: over ranks, match columns to rows of their own rank, then propose to rows of others

Idea        Each rank first matches its columns to its own rows: each column to the row on the
            diagonal if that is an entry, then each other column to its first unmatched row. Then,
            in rounds, every unmatched column proposes to the next row of another rank in its list,
            and every unmatched row accepts its first proposal. A rank sends all its proposals of a
            round to another rank in one message.
Paper       Duff, ACM TOMS 7 (1981), for one thread: each column is matched to its first unmatched
            row. The rounds are ours.
Cost        visits O(nnz) entries in total. In a round, the ranks add up numbers, and each pair of
            ranks exchanges messages twice, for proposals and for answers.
GPU         With ``device=``, the GPU of a rank matches its columns to its rows
            (``owned_pairs.cu``), and the rank makes the proposals on the CPU.
Prefer it   if the diagonal is full, or if the lists of karp-sipser need too much memory
Options     rounds (4): maximum number of rounds; the search matches the remaining columns
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm import _core
from btfperm.backends.mpi.problem import DistributedProblem

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget

__all__ = ["greedy", "match_own_rows", "propose"]


def greedy(
    problem: DistributedProblem, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int | list[int]]:
    """Matches columns inside each rank, then to rows of other ranks, in at most `rounds` rounds."""
    return propose(problem, budget, int(options["rounds"]), problem.own_step("own rows")(problem))


def propose(
    problem: DistributedProblem, budget: SharedBudget, most_rounds: int, visited: int
) -> dict[str, int | list[int]]:
    """Matches columns to rows of other ranks in at most `most_rounds` rounds. `visited` is the
    number of entries that this rank has visited before. Returns the counters of the initializer.
    Collective."""
    indptr, exchange, halo = problem.indptr, problem.exchange, problem.halo
    cursor = indptr[:-1].copy()
    ghost_matched = halo.update((problem.row_match >= 0).astype(np.uint8))
    rounds = 0
    while rounds < most_rounds:
        cols, ghosts, count = _core.transversal.propose_to_ghosts(
            indptr, halo.items, halo.own, problem.col_match, ghost_matched, cursor
        )
        left, edges = exchange.sums(count, visited)
        visited = count
        if budget.spent(edges) or not left:
            break
        rounds += 1
        cols, ghosts = cols[:count], ghosts[:count]
        got = halo.to_owners(ghosts, cols + problem.width(problem.cols.first))
        accepted = _core.transversal.answer_proposals(got.field(0), got.field(1), problem.row_match)
        is_mine = exchange.reply(got, accepted)[0] != 0
        problem.col_match[cols[is_mine]] = halo.ghosts.at(ghosts[is_mine])
        ghost_matched[ghosts] = 1
    return {"edges": budget.edges, "rounds": rounds}


def match_own_rows(problem: DistributedProblem) -> int:
    """Matches columns to rows of their own rank on the CPU; returns the number of visited
    entries."""
    visited: int = _core.transversal.match_own_rows(*problem.bipartite())
    return visited
