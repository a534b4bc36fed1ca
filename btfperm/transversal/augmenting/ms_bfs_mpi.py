# SPDX-License-Identifier: BSD-3-Clause
"""ms-bfs: maximum transversal over ranks, by multi-source BFS with grafting, level by level

Idea        Alternating trees grow from all unmatched columns at the same time. A rank expands the
            columns that it owns and sends each reached row once to the owner of the row. This
            owner adds the row to one tree and sends the row's mate to the owner of that column,
            as a column of the next level. A tree that reaches an unmatched row stops. When no
            tree can grow, the ranks augment along all paths at once, one step of every path in
            each exchange. Then the rows of finished trees are unvisited again, and those next to
            a remaining tree are grafted onto it. If many levels in succession have few columns
            and the matrix is not large, the first rank finishes the search.
Paper       Azad, Buluç, Pothen, IEEE Trans. Parallel Distrib. Syst. 28 (2017): phases, the switch
            to searches from the unvisited rows, grafting, and the rule that chooses it. Ours: the
            one-dimensional distribution and the messages.
Cost        O(nnz) entries per phase over all ranks; two exchanges per level, four if a tree is
            finished; two exchanges for each step of the longest path of a phase.
Prefer it   for matrices over more than one rank.
Options     alpha (5): bound of the switch, as in the paper
Invariants  between phases the matching is legal, and col_root[j] >= 0 only for columns of trees
            that have found no path; all rows next to such a column are in such trees, or `graft`
            adds them to one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.mpi.problem import DistributedProblem, pieces_of
from btfperm.transversal.augmenting.one_rank_mpi import finish_on_one_rank

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget

__all__ = ["ms_bfs"]

THIN, THIN_LEVELS = 256, 40
"""A level of fewer columns takes longer to exchange than to search; that many in succession show
that paths are long."""

GATHERED = 1 << 22
"""Entries of a matrix that one rank may hold for the end of a search."""

Indices = npt.NDArray[Any]


def ms_bfs(
    problem: DistributedProblem, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int | list[int]]:
    """Improves the matching in place until it is maximum or the budget ends the search."""
    search = _Search(problem, budget, float(options["alpha"]))
    frontier, found = search.restart(), 0
    while not budget.stopped:
        search.phases += 1
        found += search.grow(frontier, has_finished=found > 0)
        if budget.stopped:
            break
        if search.is_thin():
            search.augment()
            search.gathered = finish_on_one_rank(problem)
            break
        if not found:
            problem.proven = True
            problem.row_in_cover[:] = search.row_root >= 0
            problem.col_in_cover[:] = search.col_root < 0
            break
        search.augment()
        frontier, found = search.graft()
    return search.counters()


class _Search:
    """Trees of one search. All columns and rows in arrays of one rank are positions in its range;
    in messages they are numbers of the whole matrix."""

    def __init__(self, problem: DistributedProblem, budget: SharedBudget, alpha: float) -> None:
        self.problem, self.budget, self.alpha = problem, budget, alpha
        self.exchange, self.width = problem.exchange, problem.width
        rows, cols = problem.rows, problem.cols
        self.row_first, self.col_first = self.width(rows.first), self.width(cols.first)
        self.col_root = np.full(cols.size, -1, dtype=self.width)
        self.leaf = np.full(cols.size, -1, dtype=self.width)  # of a root: the end of its path
        self.row_root = np.full(rows.size, -1, dtype=self.width)
        self.row_parent = np.full(rows.size, -1, dtype=self.width)
        self.phases = self.levels = self.pulls = self.grafts = self.paths = 0
        self.thin_levels = self.gathered = 0

    def counters(self) -> dict[str, int | list[int]]:
        return {
            "edges": self.budget.edges,
            "phases": self.phases,
            "levels": self.levels,
            "bottom_up_steps": self.pulls,
            "grafts": self.grafts,
            "augmentations": self.paths,
            "gathered_edges": self.gathered,
        }

    def is_thin(self) -> bool:
        """True after many levels with few columns, if the matrix fits on one rank."""
        return self.thin_levels > THIN_LEVELS and self.problem.pattern.nnz <= GATHERED

    # -- trees ---------------------------------------------------------------------------------

    def restart(self) -> Indices:
        """Discards all trees; returns the first level of new ones, the unmatched columns."""
        for array in (self.col_root, self.leaf, self.row_root, self.row_parent):
            array.fill(-1)
        roots = np.flatnonzero(self.problem.col_match < 0)
        self.col_root[roots] = roots + self.col_first
        return roots

    def grow(self, frontier: Indices, *, has_finished: bool) -> int:
        """Grows all trees until none can grow; returns the number of trees that found a path.
        `has_finished`: some trees have a path already."""
        lists, found, new = self.problem.lists, 0, 0
        while True:
            edges = int((lists.indptr[frontier + 1] - lists.indptr[frontier]).sum())
            total, all_edges, more = self.exchange.sums(frontier.size, edges, new)
            found += more
            self.thin_levels = self.thin_levels + 1 if total < THIN else 0
            if not total or self.budget.spent(all_edges) or self.is_thin():
                return found
            if found or has_finished:
                frontier = frontier[self.is_active(self.col_root[frontier])]
            self.levels += 1
            frontier, new = self._next_level(frontier, all_edges)

    def _next_level(self, frontier: Indices, edges: int) -> tuple[Indices, int]:
        """One level, from the side with fewer entries to visit."""
        if edges > self.problem.pattern.nnz // 8:  # else counting the unvisited rows costs more
            unvisited = np.flatnonzero(self.row_root < 0)
            entries = int(self.problem.row_lists.lengths()[unvisited].sum())
            if self.exchange.sums(entries)[0] * self.alpha < edges:
                self.pulls += 1
                return self.pull(unvisited, edges)
        return self.push(frontier, edges)

    def push(self, frontier: Indices, edges: int) -> tuple[Indices, int]:
        """Top-down: the columns of a level claim the unvisited rows in their lists. `edges` bounds
        the entries that all ranks visit."""
        lists, grown, found = self.problem.lists, [], 0
        for part in pieces_of(self.exchange, lists, frontier, edges):
            rows, lengths = lists.of(part)
            rows, first = np.unique(rows, return_index=True)
            parents = np.repeat(part, lengths)[first]
            got = self.exchange.route(
                self.problem.rows,
                rows,
                parents + self.col_first,
                self.col_root[parents],
                kind=self.width,
            ).items
            new, more = self.claim(got[:, 0] - self.row_first, got[:, 1], got[:, 2])
            grown.append(new)
            found += more
        return np.concatenate(grown), found

    def pull(self, rows: Indices, edges: int | None = None) -> tuple[Indices, int]:
        """Bottom-up: each unvisited row joins the tree of a column in its list. The owners of the
        columns send the trees."""
        lists, grown, found = self.problem.row_lists, [], 0
        for part in pieces_of(self.exchange, lists, rows, edges):
            cols, lengths = lists.of(part)
            asked, place = np.unique(cols, return_inverse=True)
            got = self.exchange.route(self.problem.cols, asked, kind=self.width)
            answer = self.exchange.reply(got, self.col_root[got.items[:, 0] - self.col_first])[0]
            roots = answer[place]
            in_tree = np.flatnonzero(roots >= 0)
            _, first = np.unique(np.repeat(part, lengths)[in_tree], return_index=True)
            chosen = in_tree[first]
            claimed = np.repeat(part, lengths)[chosen]
            new, more = self.claim(claimed, cols[chosen], roots[chosen])
            grown.append(new)
            found += more
        return np.concatenate(grown), found

    def claim(self, rows: Indices, parents: Indices, roots: Indices) -> tuple[Indices, int]:
        """Puts unvisited rows into trees. Their mates are the next level; unmatched rows are
        reported to the roots. Returns the columns of this rank in the next level, and the number of
        its roots that have found a path."""
        unvisited = np.flatnonzero(self.row_root[rows] < 0)
        _, first = np.unique(rows[unvisited], return_index=True)
        chosen = unvisited[first]
        rows, roots = rows[chosen], roots[chosen]
        self.row_parent[rows], self.row_root[rows] = parents[chosen], roots
        mates = self.problem.row_match[rows]
        ends = mates < 0
        got = self.exchange.route(
            self.problem.cols,
            np.where(ends, roots, mates),
            roots,
            np.where(ends, rows + self.row_first, -1),
            kind=self.width,
        ).items
        cols, is_end = got[:, 0] - self.col_first, got[:, 2] >= 0
        finished = cols[is_end]
        n_found = np.unique(finished[self.leaf[finished] < 0]).size
        self.leaf[finished] = got[is_end, 2]
        new = cols[~is_end]
        self.col_root[new] = got[~is_end, 1]
        return new, n_found

    def is_active(self, roots: Indices) -> npt.NDArray[np.bool_]:
        """Whether the tree of each root has found no path."""
        asked, place = np.unique(roots, return_inverse=True)
        got = self.exchange.route(self.problem.cols, asked, kind=self.width)
        active = self.leaf[got.items[:, 0] - self.col_first] < 0
        answer = self.exchange.reply(got, active)[0][place]
        return np.asarray(answer != 0)

    # -- between phases ------------------------------------------------------------------------

    def augment(self) -> None:
        """Augments along the paths of all finished trees, from their ends to their roots: each
        exchange takes one step of each path."""
        problem, exchange = self.problem, self.exchange
        ends = self.leaf[self.leaf >= 0]
        self.paths += exchange.sums(ends.size)[0]
        at = exchange.route(problem.rows, ends, kind=self.width).items[:, 0]
        while True:
            rows = at - self.row_first
            parents = self.row_parent[rows]
            problem.row_match[rows] = parents
            got = exchange.route(problem.cols, parents, at, kind=self.width).items
            cols = got[:, 0] - self.col_first
            before = problem.col_match[cols]
            problem.col_match[cols] = got[:, 1]
            before = before[before >= 0]
            if not exchange.sums(before.size)[0]:
                return
            at = exchange.route(problem.rows, before, kind=self.width).items[:, 0]

    def graft(self) -> tuple[Indices, int]:
        """Releases the finished trees and grafts their rows onto the others, or starts again from
        the unmatched columns if that visits fewer entries. Returns the next level, and the number
        of trees to which a grafted row has given a path: a finished tree may have reached several
        unmatched rows.
        """
        rows, cols = np.flatnonzero(self.row_root >= 0), np.flatnonzero(self.col_root >= 0)
        active = self.is_active(np.concatenate((self.row_root[rows], self.col_root[cols])))
        released, dropped = rows[~active[: rows.size]], cols[~active[rows.size :]]
        left = cols.size - dropped.size
        n_released, n_left = self.exchange.sums(released.size, left)
        if n_left * self.alpha <= n_released:
            return self.restart(), 0
        self.grafts += 1
        self.row_root[released] = self.row_parent[released] = -1
        self.col_root[dropped] = self.leaf[dropped] = -1
        frontier, new = self.pull(released)
        return frontier, self.exchange.sums(new)[0]
