# SPDX-License-Identifier: BSD-3-Clause
"""The package ``toy``, which is not part of btfperm: greedy, with the name of one of btfperm's
algorithms, in plain Python; and its rules."""

from __future__ import annotations

import numpy as np

from btfperm.path.rules import Rule, Table

DEFAULT = "finish"
SECOND = "hopcroft-karp"

TABLE = Table(
    {
        "place": (Rule("always", (), "toy", "so"),),
        "threads": (Rule("always", (), "one", "so"),),
        "start": (Rule("always", (), "greedy", "the only one", within=3),),
        "side": (Rule("always", (), "columns", "so"),),
        "algorithm": (Rule("always", (), "finish", "the only one", within=3),),
    }
)


def greedy(m, indptr, indices, row_match, col_match, *_):
    """Matches each unmatched column to its last unmatched row; btfperm's own greedy takes the first
    one."""
    visited = 0
    for j in np.flatnonzero(col_match < 0):
        for p in range(indptr[j + 1] - 1, indptr[j] - 1, -1):
            visited += 1
            i = indices[p]
            if row_match[i] < 0:
                row_match[i], col_match[j] = j, i
                break
    return 0, False, {"edges": visited, "toy": 1}


def finish(m, indptr, indices, row_match, col_match, *_):
    """Augmenting paths by breadth-first search, one column at a time."""
    visited = 0
    for root in range(indptr.size - 1):
        if col_match[root] >= 0:
            continue
        reached, queue = {}, [root]
        for j in queue:
            for i in indices[indptr[j] : indptr[j + 1]]:
                visited += 1
                if i in reached:
                    continue
                reached[i] = j
                if row_match[i] < 0:
                    while i >= 0:
                        j = reached[i]
                        row_match[i], col_match[j], i = j, i, col_match[j]
                    queue.clear()
                    break
                queue.append(row_match[i])
    return 0, False, {"edges": visited}
