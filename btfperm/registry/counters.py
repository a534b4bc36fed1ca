# SPDX-License-Identifier: BSD-3-Clause
"""The counters that algorithms report.

An algorithm reports the counters that apply to it, under these names: in C++ as members of
``Counters``, on a GPU and over MPI ranks as keys of the dictionary that the driver returns. Tests
reject other names, and the table in ``docs/algorithms.md`` lists these rows.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["COUNTERS", "PREFIXES", "Counter"]


class Counter(NamedTuple):
    """A number, or a list of numbers, that an algorithm counts while it runs."""

    name: str
    summary: str


COUNTERS = (
    Counter("edges", "entries read"),
    Counter("phases", "rounds of search and augmentation"),
    Counter("augmentations", "augmenting paths along which the matching was augmented"),
    Counter("path_edges", "edges of all augmenting paths"),
    Counter("longest_path", "edges of the longest augmenting path"),
    Counter(
        "pushes",
        "rows that pushes match to a column; `push-relabel` counts only those that another column "
        "loses",
    ),
    Counter("relabels", "global relabellings"),
    Counter("top_down_steps", "levels searched from the columns of the frontier"),
    Counter("bottom_up_steps", "levels searched from the unvisited rows; over ranks, by one rank"),
    Counter("bottom_up_edges", "entries read from rows, in bottom-up steps and grafts"),
    Counter("grafts", "phases that kept trees by grafting"),
    Counter("top_down_us", "microseconds of the top-down steps"),
    Counter("bottom_up_us", "microseconds of the bottom-up steps"),
    Counter("augment_us", "microseconds of the augmentations"),
    Counter("graft_us", "microseconds of the grafts"),
    Counter("statistics_us", "microseconds of the decisions between steps"),
    Counter(
        "frontier_sizes",
        "columns in each level of `ms-bfs-graft`, with 0 after each phase; at most 10,000 numbers",
    ),
    Counter("levels", "levels searched on a GPU, without empty ones; steps over ranks"),
    Counter("levels_by_phase", "levels searched in each phase"),
    Counter("levels_by_relabel", "levels searched in each global relabelling"),
    Counter(
        "rounds", "steps between two grid barriers of a GPU; over ranks, of proposals or choices"
    ),
    Counter("launches", "kernel launches of the search"),
    Counter("kernels", "kernel launches of the push-relabel loop"),
    Counter("loops", "executions of the push kernel"),
    Counter("paths_walked", "paths followed to their root, also those that conflicts then undid"),
    Counter("far_phases", "global relabellings of `meeting-trees`, if augmenting paths are long"),
    Counter("begun_edges", "entries read by the initial matching of `meeting-trees`"),
    Counter("begun_pairs", "pairs of the initial matching of `meeting-trees`"),
    Counter(
        "peeled_turns",
        "rounds of the initial matching of `meeting-trees` that match vertices with one unmatched "
        "neighbour",
    ),
    Counter("threads", "threads, if the system started fewer than requested"),
    Counter(
        "initial_dropped",
        "pairs of `initial=` that are no entries of the matrix, or second in their row or column",
    ),
    Counter("gathered_edges", "entries that one rank held to finish a search over ranks"),
    Counter("exchanges", "exchanges of items between all ranks"),
    Counter("collectives", "sums and maxima over all ranks"),
    Counter("messages", "messages with lists between two ranks, of all exchanges and ranks"),
    Counter("bytes_sent", "bytes in these messages"),
    Counter(
        "all_to_alls",
        "collectives in which each pair of ranks exchanges a small message: the numbers of lines, "
        "and the lines if they are few",
    ),
    Counter("all_to_all_bytes", "bytes in the small messages of all pairs of ranks"),
    Counter("peak_bytes", "the largest resident memory that a rank has had"),
    Counter("given_up_edges", "entries read by a search on the CPU that was abandoned"),
)
PREFIXES = {
    "start_": "counters of the initializer",
    "second_": "counters of the algorithm that repaired a wrong matching",
}
