# SPDX-License-Identifier: BSD-3-Clause
"""Coarse and fine Dulmage-Mendelsohn decomposition with SciPy's components, in the canonical order.

Canonical order: square blocks by descending height (0 without successor, else one more than the
highest successor), ties by smallest column; horizontal components by smallest column, vertical
ones by smallest row; rows and columns ascend inside each block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from tests.oracles.plain_matching import maximum_matching, reached_from_columns
from tests.oracles.plain_pattern import pattern


class PlainDecomposition(NamedTuple):
    row_perm: np.ndarray
    col_perm: np.ndarray
    row_blocks: np.ndarray
    col_blocks: np.ndarray
    coarse_rows: np.ndarray
    coarse_cols: np.ndarray
    structural_rank: int


class PlainBlockGraph(NamedTuple):
    successors: list[set[int]]
    level: list[int]
    work: list[int]


def coarse_parts(A, row_match, col_match):
    """Part of each row and of each column: 0 horizontal, 1 square, 2 vertical."""
    m, n = A.shape
    row_part, col_part = np.ones(m, dtype=int), np.ones(n, dtype=int)
    rows, cols = reached_from_columns(A, row_match, np.flatnonzero(col_match < 0).tolist())
    row_part[rows], col_part[cols] = 0, 0
    cols, rows = reached_from_columns(
        sp.csc_array(A).T, col_match, np.flatnonzero(row_match < 0).tolist()
    )
    rows[row_match < 0] = True
    row_part[rows], col_part[cols] = 2, 2
    return row_part, col_part


def heights(successors):
    """Height of each vertex of an acyclic graph; successors[v] is a set."""
    n = len(successors)
    waiting = [len(s) for s in successors]
    predecessors = [[] for _ in range(n)]
    for v in range(n):
        for w in successors[v]:
            predecessors[w].append(v)
    height = [0] * n
    ready = [v for v in range(n) if not waiting[v]]
    for w in ready:  # the loop also visits the vertices that it appends
        for v in predecessors[w]:
            height[v] = max(height[v], height[w] + 1)
            waiting[v] -= 1
            if not waiting[v]:
                ready.append(v)
    assert len(ready) == n, "the block graph has a cycle"
    return height


def strong_blocks(A, rows, cols):
    """Diagonal blocks of the square submatrix whose column cols[k] is paired with rows[k].

    Returns [(rows, cols), ...] in the canonical order, each ascending.
    """
    rows, cols = np.asarray(rows, dtype=np.int64), np.asarray(cols, dtype=np.int64)
    if not rows.size:
        return []
    digraph = sp.coo_array(pattern(A)[rows, :][:, cols])
    count, label = connected_components(digraph, directed=True, connection="strong")
    successors = [set() for _ in range(count)]
    between = label[digraph.row] != label[digraph.col]
    for tail, head in zip(
        label[digraph.row[between]].tolist(), label[digraph.col[between]].tolist(), strict=True
    ):
        successors[tail].add(head)
    height = heights(successors)
    members = [[] for _ in range(count)]
    for k, block in enumerate(label.tolist()):
        members[block].append(k)
    order = sorted(range(count), key=lambda b: (-height[b], cols[members[b]].min()))
    return [(np.sort(rows[members[b]]), np.sort(cols[members[b]])) for b in order]


def weak_blocks(A, rows, cols, *, by_rows):
    """Connected components of a submatrix, by smallest row or by smallest column."""
    rows, cols = np.asarray(rows, dtype=np.int64), np.asarray(cols, dtype=np.int64)
    if not rows.size + cols.size:
        return []
    part = pattern(A)[rows, :][:, cols]
    graph = sp.block_array(
        [[sp.csc_array((rows.size, rows.size)), part], [part.T, sp.csc_array((cols.size,) * 2)]]
    )
    count, label = connected_components(graph, directed=False)
    blocks = [([], []) for _ in range(count)]
    for k, i in enumerate(rows):
        blocks[label[k]][0].append(i)
    for k, j in enumerate(cols):
        blocks[label[rows.size + k]][1].append(j)
    blocks.sort(key=lambda block: min(block[0 if by_rows else 1]))
    return [(np.sort(np.array(r, int)), np.sort(np.array(c, int))) for r, c in blocks]


def concatenate(blocks, m, n):
    """(row_perm, col_perm, row_blocks, col_blocks) of a list of blocks that covers everything."""
    empty = [np.zeros(0, dtype=np.int64)]
    row_perm = np.concatenate(empty + [rows for rows, _ in blocks])
    col_perm = np.concatenate(empty + [cols for _, cols in blocks])
    assert row_perm.size == m and col_perm.size == n, "a row or a column is in no block"
    row_blocks = np.cumsum([0] + [rows.size for rows, _ in blocks])
    col_blocks = np.cumsum([0] + [cols.size for _, cols in blocks])
    return row_perm, col_perm, row_blocks, col_blocks


def dulmage_mendelsohn(A, matching=None) -> PlainDecomposition:
    """The decomposition of `A`. `matching` is (row_match, col_match), computed if it is None."""
    m, n = A.shape
    row_match, col_match = maximum_matching(A) if matching is None else map(np.asarray, matching)
    row_part, col_part = coarse_parts(A, row_match, col_match)
    square_cols = np.flatnonzero(col_part == 1)
    blocks = [
        *weak_blocks(A, np.flatnonzero(row_part == 0), np.flatnonzero(col_part == 0), by_rows=0),
        *strong_blocks(A, col_match[square_cols], square_cols),
        *weak_blocks(A, np.flatnonzero(row_part == 2), np.flatnonzero(col_part == 2), by_rows=1),
    ]
    rows, cols = np.bincount(row_part, minlength=3), np.bincount(col_part, minlength=3)
    rank = int((row_match >= 0).sum())
    # coarse_rows[3] and coarse_cols[1], the numbers of matched rows and of unmatched columns, have
    # the values of CSparse's rr[3] and cc[1], but end nothing here: the rows of a block ascend.
    coarse_rows = np.array([0, rows[0], rows[0] + rows[1], rank, m])
    coarse_cols = np.array([0, n - rank, cols[0], cols[0] + cols[1], n])
    return PlainDecomposition(*concatenate(blocks, m, n), coarse_rows, coarse_cols, rank)


def block_graph(A, d) -> PlainBlockGraph:
    """Successors, height and inner entries of each fine block of a decomposition of `A`."""
    block_of_row = np.empty(A.shape[0], dtype=int)
    block_of_col = np.empty(A.shape[1], dtype=int)
    count = len(d.row_blocks) - 1
    block_of_row[d.row_perm] = np.repeat(np.arange(count), np.diff(d.row_blocks))
    block_of_col[d.col_perm] = np.repeat(np.arange(count), np.diff(d.col_blocks))
    successors, work = [set() for _ in range(count)], [0] * count
    coo = pattern(A).tocoo()
    for k, l in zip(  # noqa: E741 - the letters of the text
        block_of_row[coo.row].tolist(), block_of_col[coo.col].tolist(), strict=True
    ):
        if k == l:
            work[k] += 1
        else:
            successors[k].add(l)
    return PlainBlockGraph(successors, heights(successors), work)
