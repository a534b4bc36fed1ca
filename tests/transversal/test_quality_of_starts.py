# SPDX-License-Identifier: BSD-3-Clause
"""How many columns the initializers leave unmatched, on fixed matrices.

The search after an initializer repairs its matching, so a wrong rule changes no result, only the
time. These tests detect a wrong rule. The matrices are drawn with fixed seeds and the initializers
use one thread, so the numbers are reproducible.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import registry
from btfperm.backends.cpu.problem import Problem
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import as_pattern
from tests import families
from tests.loops import looped
from tests.transversal.methods import INITIALIZERS

STARTS = [name for name in INITIALIZERS if name != "none"]
GRID, RANDOM, FORESTS = "grid", "random", "forests"


def grid(side, seed):
    """The pattern of a five-point stencil, renumbered: it has a full diagonal."""
    line = sp.diags_array([np.ones(side - 1), np.ones(side - 1)], offsets=[-1, 1])
    A = sp.kronsum(line, line) + sp.eye_array(side * side)
    return families.renumbered(families.Hard(sp.csc_array(A), -1), "mixed", seed).A


def random(n, per_row, seed):
    i, j = np.random.default_rng(seed).integers(0, n, (2, int(n * per_row)))
    return families.csc([i], [j], (n, n))


def forest(n, seed):
    """Each vertex except the first has one entry with an earlier vertex of the other side."""
    rng = np.random.default_rng(seed)
    side = np.append([0, 1], rng.integers(0, 2, n - 2))
    number = np.where(side == 0, np.cumsum(side == 0), np.cumsum(side == 1)) - 1
    rows, cols = [0], [0]
    for v in range(2, n):
        other = number[rng.choice(np.flatnonzero(side[:v] != side[v]))]
        rows.append(number[v] if side[v] == 0 else other)
        cols.append(other if side[v] == 0 else number[v])
    return families.csc([rows], [cols], (int((side == 0).sum()), int((side == 1).sum())))


MATRICES = {
    GRID: [grid(12, seed) for seed in range(8)],
    RANDOM: [random(300, d, seed) for seed in range(8) for d in (2.5, 3.5)],
    FORESTS: [forest(150, seed) for seed in range(8)],
}
RANKS = {kind: sum(map(btfperm.structural_rank, MATRICES[kind])) for kind in MATRICES}


def pairs(initializer, kind):
    found = 0
    for A in MATRICES[kind]:
        P = as_pattern(A)
        problem = Problem.empty(P)
        row = registry.find(initializer, initializer=True)
        run_algorithm(row, problem, Request(threads=1))
        found += problem.size
    return found


@pytest.mark.parametrize("initializer", ["karp-sipser", "min-degree"])
def test_forced_choices_come_first(initializer):
    """On a forest, matching vertices with one neighbour first gives a maximum matching."""
    assert pairs(initializer, FORESTS) == RANKS[FORESTS]


def test_min_degree_matches_the_smallest_degree_first():
    """The bounds are so tight that the test fails if the rule takes the largest instead of the
    smallest degree, if it considers one side only, or if a vertex stays in its bucket when its
    degree changes."""
    assert pairs("min-degree", GRID) >= RANKS[GRID] - 1
    assert pairs("min-degree", RANDOM) >= RANKS[RANDOM] - 5


@looped("initializer", STARTS)
@looped("kind", MATRICES)
def test_no_start_leaves_more_than_greedy_may(initializer, kind):
    """Each initializer matches at least 80 % of the maximum number of columns here, far more than
    the half that every maximal matching has."""
    assert pairs(initializer, kind) >= 0.8 * RANKS[kind], (pairs(initializer, kind), RANKS[kind])


def test_karp_sipser_matches_new_forced_choices_first():
    """At first no vertex has only one neighbour. After an arbitrary match some vertices have only
    one unmatched neighbour left, and matching these vertices first gives a maximum matching."""
    columns = ([0, 1], [1, 3], [0, 2, 3], [0, 1, 2])
    A = families.csc(
        [np.concatenate(columns)], [np.repeat(range(4), list(map(len, columns)))], (4, 4)
    )
    problem = Problem.empty(as_pattern(A))
    row = registry.find("karp-sipser", initializer=True)
    run_algorithm(row, problem, Request(threads=1))
    assert problem.size == 4
