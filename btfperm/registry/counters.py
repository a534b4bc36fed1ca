# SPDX-License-Identifier: BSD-3-Clause
"""The counters that algorithms report.

An algorithm reports the counters that apply to it, under these names. In C++ they are members of
``Counters``; on a GPU and over MPI ranks they are keys of the dictionary that the driver returns.
Tests reject other names, and the table in ``docs/algorithms.md`` lists these rows. The counters of
algorithms in C++ are declared in ``transversal/counters.hpp`` and ``weighted/counters.hpp``;
drivers for GPUs and ranks may report these, too.
"""

from __future__ import annotations

from typing import NamedTuple

from btfperm import _core

__all__ = ["COUNTERS", "OF_WEIGHTED_SEARCHES", "PREFIXES", "Counter"]


class Counter(NamedTuple):
    """A number, or a list of numbers, that an algorithm counts while it runs."""

    name: str
    summary: str


# COUNTERS takes only "searches" and "bids" from these: it has other rows for "edges" and "rounds".
_OF_WEIGHTED_SEARCHES = dict(_core.weighted.counters())

COUNTERS = (
    *(Counter(name, summary) for name, summary in _core.transversal.counters()),
    Counter("levels", "on a GPU, levels searched, without empty ones; over ranks, steps"),
    Counter("levels_by_phase", "levels searched in each phase"),
    Counter("levels_by_relabel", "levels searched in each global relabelling"),
    Counter(
        "rounds",
        "on a GPU, steps between two grid barriers; over ranks, rounds of proposals or choices; in "
        "an auction, rounds in which many columns bid",
    ),
    Counter("launches", "kernel launches of the search"),
    Counter("kernels", "kernel launches of the push-relabel loop"),
    Counter("loops", "executions of the push kernel"),
    Counter("paths_walked", "paths followed to their root, including those that a conflict undid"),
    Counter("far_phases", "global relabellings of `meeting-trees`, if augmenting paths are long"),
    Counter("begun_edges", "entries visited by the initial matching of `meeting-trees`"),
    Counter("begun_pairs", "entries matched by the initial matching of `meeting-trees`"),
    Counter(
        "peeled_turns",
        "rounds of the initial matching of `meeting-trees` that match vertices with one unmatched "
        "neighbour",
    ),
    Counter("threads", "threads, if the system started fewer than requested"),
    Counter(
        "initial_dropped",
        "pairs of `initial=` that are no entries of the matrix, or whose row or column an earlier "
        "pair has",
    ),
    Counter("gathered_edges", "entries that one rank held to finish a search over ranks"),
    Counter("exchanges", "exchanges of items between all ranks"),
    Counter("collectives", "sums and maxima over all ranks"),
    Counter("messages", "messages with lists between two ranks, of all exchanges and ranks"),
    Counter("bytes_sent", "bytes in these messages"),
    Counter(
        "all_to_alls",
        "collectives in which each pair of ranks exchanges a small message: the number of items, "
        "and the items if they are few",
    ),
    Counter("all_to_all_bytes", "bytes in the small messages of all pairs of ranks"),
    Counter("peak_bytes", "the largest resident memory of any rank so far"),
    Counter("peak_bytes_by_rank", "the largest resident memory of each rank so far"),
    Counter("given_up_edges", "entries visited by a search on the CPU that was abandoned"),
    *(Counter(name, _OF_WEIGHTED_SEARCHES[name]) for name in ("searches", "bids")),
    Counter("thresholds", "thresholds that the bisection for the largest smallest entry has tried"),
    Counter("sorted", "edges of a graph left at the limit, then sorted or matched along chains"),
    Counter("bytes_read", "bytes read from the temporary files of `local-max-external`"),
    Counter("bytes_written", "bytes written to the temporary files of `local-max-external`"),
    Counter("external_rounds", "rounds of `local-max-external` before the edges fit into memory"),
    Counter(
        "sort_bytes",
        "bound of Birn et al. (2013) on the bytes of a sort of all edges, without its constant",
    ),
)
OF_WEIGHTED_SEARCHES = tuple(_OF_WEIGHTED_SEARCHES)
"""The counters that every weighted search of a matrix reports, in the order of the results."""
PREFIXES = {
    "start_": "counters of the initializer",
    "second_": "counters of the algorithm that repaired a wrong matching",
}
