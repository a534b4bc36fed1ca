# SPDX-License-Identifier: BSD-3-Clause
"""last-row: over ranks, columns propose to their rows from the last one on

Idea        In rounds, each unmatched column proposes to the last row of its list that it has not
            proposed to. An unmatched row accepts the proposal of the smallest column.
Cost        O(nnz) proposals in all; a round sums one number over the ranks, and exchanges one
            message with proposals and one with answers per pair of ranks
"""

from __future__ import annotations

import numpy as np


def last_row(problem, budget, seed, options):
    """Unless the budget ends it, the matching is maximal, and the same for each number of ranks."""
    exchange, row_match, col_match = problem.exchange, problem.row_match, problem.col_match
    begin, rows = problem.lists.indptr[:-1], problem.lists.items
    end = problem.lists.indptr[1:].copy()  # the entries from here on have been proposals
    edges = rounds = 0
    while True:
        cols = np.flatnonzero((col_match < 0) & (end > begin))
        proposals = exchange.sums(cols.size)[0]
        edges += proposals
        if budget.spent(proposals) or not proposals:
            return {"edges": edges, "rounds": rounds}
        rounds += 1
        end[cols] -= 1
        chosen = rows[end[cols]]
        got = exchange.route(
            problem.rows, chosen, cols + problem.cols.first, kind=problem.width
        )  # (row, column) of each proposal to this rank
        row, col = got.field(0) - problem.rows.first, got.field(1)
        smallest = np.full(row_match.size, problem.pattern.n)
        np.minimum.at(smallest, row, col)
        accepted = (row_match[row] < 0) & (smallest[row] == col)
        row_match[row[accepted]] = col[accepted]
        is_mine = exchange.reply(got, accepted)[0] != 0
        col_match[cols[is_mine]] = chosen[is_mine]
