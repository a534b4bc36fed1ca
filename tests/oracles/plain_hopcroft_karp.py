# SPDX-License-Identifier: BSD-3-Clause
"""Algorithm A of Hopcroft and Karp (1973) in a simple form: lists and levels, no recursion."""

from __future__ import annotations

from tests.oracles.plain_pattern import column_lists


def path_lengths(A):
    """Lengths (number of edges) of the augmenting paths of each phase, from an empty matching.

    Rows are tried in the order of the lists and columns in ascending order, which determines not
    only the lengths but the paths.
    """
    m, n = A.shape
    rows_of = column_lists(A)
    row_match, col_match = [-1] * m, [-1] * n
    phases = []
    while True:
        level, last = levels(rows_of, row_match, col_match)
        if last is None:
            return phases
        lengths = []
        waiting = [iter(rows) for rows in rows_of]
        for root in range(n):
            if col_match[root] < 0 and descend(root, waiting, level, last, row_match, col_match):
                lengths.append(2 * last + 1)
        phases.append(lengths)


def levels(rows_of, row_match, col_match):
    """The level of each column that was reached (its breadth-first distance from the unmatched
    columns, in columns), and the lowest level at which a column has an unmatched row, or None if
    there is no augmenting path."""
    level = {j: 0 for j, i in enumerate(col_match) if i < 0}
    front, depth = list(level), 0
    while front:
        if any(row_match[i] < 0 for j in front for i in rows_of[j]):
            return level, depth
        depth += 1
        reached = dict.fromkeys(row_match[i] for j in front for i in rows_of[j])
        front = [j for j in reached if j not in level]
        level |= dict.fromkeys(front, depth)
    return level, None


def descend(root, waiting, level, last, row_match, col_match):
    """A depth-first search in which each step goes to the next level. Augments along its path."""
    path, taken = [root], []
    while path:
        j = path[-1]
        for i in waiting[j]:
            below = row_match[i]
            at_end = level[j] == last
            if below < 0 if at_end else below >= 0 and level.get(below) == level[j] + 1:
                taken.append(i)
                break
        else:
            level[j] = -1
            path.pop()
            if taken:
                taken.pop()
            continue
        if at_end:
            for k, i in zip(path, taken, strict=True):
                row_match[i], col_match[k] = k, i
                level[k] = -1
            return True
        path.append(row_match[taken[-1]])
    return False
