# SPDX-License-Identifier: BSD-3-Clause
"""The package ``toy-weights``, which is not part of btfperm: a weighted search from an empty
matching, its problem, its certificate and its rules."""

from __future__ import annotations

import numpy as np

from btfperm.errors import DefectError
from btfperm.path.rules import Rule, Table

SECOND = None

TABLE = Table(
    {
        "place": (Rule("always", (), "toy", "so"),),
        "threads": (Rule("always", (), "one", "so"),),
        "algorithm": (Rule("always", (), "greedy", "the only one", within=3),),
    }
)


class ToyWeights:
    """A matrix with values on the host, and the current matching."""

    def __init__(self, session, threads):
        pattern = session.on_host()
        self.indptr, self.indices, self.value = pattern.indptr, pattern.indices, session.values
        self.row_match, self.col_match = (np.full(count, -1) for count in pattern.shape)

    def run(self, function, seconds, work, threads, seed, options):
        return 0, function(self)

    def on_host(self):
        return self


def greedy(problem):
    """Matches entries by decreasing values."""
    cols = np.repeat(np.arange(problem.indptr.size - 1), np.diff(problem.indptr))
    for p in np.argsort(-problem.value, kind="stable"):
        i, j = problem.indices[p], cols[p]
        if problem.row_match[i] < 0 and problem.col_match[j] < 0:
            problem.row_match[i], problem.col_match[j] = j, i
    return {"edges": int(cols.size)}


def certify(problem, view, stopped_by, threads, size):
    """Half of the optimum at least: the values of the matched entries are feasible duals."""
    rows, cols = (np.zeros(match.size) for match in (problem.row_match, problem.col_match))
    of_entries = np.repeat(np.arange(cols.size), np.diff(problem.indptr))
    matched = problem.row_match[problem.indices] == of_entries
    rows[problem.indices[matched]] = problem.value[matched]
    cols[of_entries[matched]] = problem.value[matched]
    if (rows[problem.indices] + cols[of_entries] < problem.value).any():
        raise DefectError("the duals are not feasible")
    return rows, cols, float(problem.value[matched].sum())
