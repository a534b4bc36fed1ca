# SPDX-License-Identifier: BSD-3-Clause
"""Definitions, implemented directly: every matching of a small matrix is tried.

The time is exponential: for matrices of up to some 6 x 6 (matchings) or 10 x 10 (rank).
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tests.oracles.plain_pattern import column_lists, pattern, row_lists


def structural_rank(A) -> int:
    """The largest number of entries, no two of which share a row or a column."""
    cols_of = row_lists(A)

    @cache
    def best(i: int, used: int) -> int:
        if i == len(cols_of):
            return 0
        free = [j for j in cols_of[i] if not used >> j & 1]
        return max([best(i + 1, used)] + [1 + best(i + 1, used | 1 << j) for j in free])

    return best(0, 0)


def maximum_matchings(A) -> list[tuple[int, ...]]:
    """Every maximum matching as a tuple: the row of each column, or -1."""
    rows_of = column_lists(A)
    found: list[tuple[int, ...]] = []

    def extend(partial: tuple[int, ...]) -> None:
        if len(partial) == len(rows_of):
            found.append(partial)
            return
        extend((*partial, -1))
        for i in rows_of[len(partial)]:
            if i not in partial:
                extend((*partial, i))

    extend(())
    size = [sum(i >= 0 for i in matching) for matching in found]
    return [matching for matching, s in zip(found, size, strict=True) if s == max(size)]


def minimum_cover_size(A) -> int:
    """The smallest number of rows and columns that cover every entry."""
    m, n = A.shape
    cols_of = row_lists(A)
    best = min(m, n)
    for k in range(m + 1):
        for chosen in combinations(range(m), k):
            left = {j for i in range(m) if i not in chosen for j in cols_of[i]}
            best = min(best, k + len(left))
    return best


class CoarseSets(NamedTuple):
    horizontal_rows: set[int]
    horizontal_cols: set[int]
    square_rows: set[int]
    square_cols: set[int]
    vertical_rows: set[int]
    vertical_cols: set[int]


def coarse_sets(A) -> CoarseSets:
    """The coarse decomposition from all maximum matchings (Gallai, Edmonds).

    Horizontal columns are those that some maximum matching leaves unmatched, horizontal rows
    their neighbours; vertical rows are those that some maximum matching leaves unmatched,
    vertical columns their neighbours.
    """
    m, n = A.shape
    rows_of, cols_of = column_lists(A), row_lists(A)
    matchings = maximum_matchings(A)
    free_cols = {j for matching in matchings for j in range(n) if matching[j] < 0}
    free_rows = {i for matching in matchings for i in range(m) if i not in matching}
    horizontal_rows = {i for j in free_cols for i in rows_of[j]}
    vertical_cols = {j for i in free_rows for j in cols_of[i]}
    return CoarseSets(
        horizontal_rows,
        free_cols,
        set(range(m)) - horizontal_rows - free_rows,
        set(range(n)) - free_cols - vertical_cols,
        free_rows,
        vertical_cols,
    )


def is_irreducible(A) -> bool:
    """Fully indecomposable: no s rows (0 < s < k) have all their entries in s or fewer columns."""
    k = A.shape[0]
    if A.shape != (k, k):
        return False
    cols_of = row_lists(A)
    return structural_rank(A) == k and all(
        len({j for i in chosen for j in cols_of[i]}) > size
        for size in range(1, k)
        for chosen in combinations(range(k), size)
    )


def square_blocks(A) -> set[tuple[frozenset[int], frozenset[int]]]:
    """Fine blocks of a structurally nonsingular square matrix as (rows, columns), from the
    reachability matrix of one perfect matching."""
    n = A.shape[0]
    row_of = maximum_matchings(A)[0]
    dense = pattern(A).toarray()[list(row_of), :] > 0 if n else np.zeros((0, 0), dtype=bool)
    reach = dense | np.eye(n, dtype=bool)
    for k in range(n):  # Warshall
        reach |= np.outer(reach[:, k], reach[k, :])
    both = reach & reach.T
    return {
        (frozenset(row_of[j] for j in cols), frozenset(cols))
        for cols in (np.flatnonzero(both[v]).tolist() for v in range(n))
    }
