# SPDX-License-Identifier: BSD-3-Clause
"""The end of a search over ranks, if further steps would have little work for each exchange: the
first rank finishes the search.

The first rank gathers the matrix and the matching. ``ms_bfs_mpi.py`` calls this only for matrices
with at most `GATHERED` entries, and at most as many rows and columns together. Then each rank
receives the mates of its rows and columns, and the marks of those in the minimum cover.
"""

from __future__ import annotations

import numpy as np

from btfperm import registry
from btfperm.backends.cpu.problem import Problem
from btfperm.backends.mpi.problem import DistributedProblem
from btfperm.transversal.auto_table import DEFAULT

__all__ = ["finish_on_one_rank"]


def finish_on_one_rank(problem: DistributedProblem) -> int:
    """Makes the matching maximum, and marks a minimum cover. Collective; returns the number of
    entries that the first rank gathered."""
    exchange, lists = problem.exchange, problem.lists
    parts = lists.lengths(), lists.items, problem.row_match, problem.col_match
    whole = [exchange.gather_to(0, part) for part in parts]
    lengths, items, row_match, col_match = whole
    empty = np.empty((0, 2), dtype=problem.width)
    of_rows = of_cols = empty
    if lengths is not None and items is not None and row_match is not None:
        assert col_match is not None
        indptr = np.concatenate(([0], np.cumsum(lengths))).astype(problem.width)
        covers = np.zeros(row_match.size, np.uint8), np.zeros(col_match.size, np.uint8)
        match = row_match, col_match
        host = Problem(row_match.size, indptr, items, *match, *covers)
        _finish(host)
        of_rows = np.stack((host.row_match, host.row_in_cover), axis=1)
        of_cols = np.stack((host.col_match, host.col_in_cover), axis=1)
    for slices, found, mates, cover in (
        (problem.rows, of_rows, problem.row_match, problem.row_in_cover),
        (problem.cols, of_cols, problem.col_match, problem.col_in_cover),
    ):
        numbers = np.arange(found.shape[0])
        got = exchange.route(slices, numbers, *found.T, kind=problem.width).items
        at = got[:, 0] - slices.first
        mates[at], cover[at] = got[:, 1], got[:, 2]
    problem.proven = True
    return exchange.sums(lists.items.size)[0]


def _finish(host: Problem) -> None:
    row = registry.find(DEFAULT, initializer=False, backend="cpu")
    row.load()(
        host.m,
        host.indptr,
        host.indices,
        host.row_match,
        host.col_match,
        host.row_in_cover,
        0.0,
        0,
        1,
        0,
        row.defaults,
    )
    host.reset(keep_matching=True)
    registry.step("transversal", "cover", "cpu")(host, 1)
    matched = host.col_match >= 0
    host.col_in_cover[matched] = host.row_in_cover[host.col_match[matched]] == 0
