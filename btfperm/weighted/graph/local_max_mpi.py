# SPDX-License-Identifier: BSD-3-Clause
"""local-max: over ranks, match edges of locally largest weight

Idea        In each round, the candidate of each unmatched vertex is its heaviest edge to another
            unmatched vertex. A ghost is a neighbour that another rank owns. A rank sends the
            candidates that lead to ghosts to the owners of the ghosts. An edge that is the
            candidate of both of its ends is matched. Then each rank receives which of its ghosts
            are matched. Edges of equal weight are compared by the random numbers of
            ``local_max.hpp``, which both owners of an edge compute.
Paper       Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013, section 3: processes exchange
            candidates once in each round. There is no option `limit`: the remaining edges are never
            sorted
Cost        a round visits the lists of the unmatched vertices, with two exchanges about ghosts and
            one sum over the ranks; expected O(log n) rounds if the weights are random or equal
Prefer it   for graphs over more than one rank
Options     ties (renewed): the random numbers are renewed in each round, or fixed
Invariants  the matching and the rounds are those of local-max with ``limit=0`` in one process, on
            every number of ranks
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget
    from btfperm.weighted.match_mpi import DistributedGraph

__all__ = ["local_max"]


def local_max(
    graph: DistributedGraph, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int]:
    """Sets the mate of each vertex of this rank, and the round in which it was matched, until no
    edge is left or the budget ends the search. Collective."""
    halo, exchange, mate, round_of = graph.halo, graph.exchange, graph.mate, graph.round_of
    own, first = halo.own, halo.slices.first
    renewed = options["ties"] == "renewed"
    rounds = 0
    while not budget.stopped:
        matched = halo.extended((mate >= 0).astype(np.uint8))
        candidate, visited = graph.lists.candidates(matched, seed, renewed, rounds + 1)
        waiting = np.flatnonzero(candidate >= 0)
        total, visited = exchange.sums(waiting.size, visited)
        if not total:
            break
        rounds += 1
        wanted = candidate[waiting]
        inside = wanted < own
        here = waiting[inside & (candidate[np.where(inside, wanted, 0)] == waiting)]
        mate[here] = candidate[here] + first
        outside = waiting[~inside]
        lines, *_ = halo.step(candidate[outside] - own, (outside + first).astype(mate.dtype))
        asked, suitor = lines[:, 0], lines[:, 1]
        leads_out = candidate[asked] >= own
        asked, suitor = asked[leads_out], suitor[leads_out]
        agreed = graph.numbers[candidate[asked]] == suitor
        mate[asked[agreed]] = suitor[agreed]
        round_of[(mate >= 0) & (round_of == 0)] = rounds
        budget.spent(visited)
    graph.rounds = rounds
    return {"edges": budget.edges}
