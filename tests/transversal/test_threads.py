# SPDX-License-Identifier: BSD-3-Clause
"""Several threads on matrices that are large enough to give work to each of them, and the
properties of parallel starts. (tests/faults/test_threads.py: small matrices, all loops shared.)"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import structural_rank

import btfperm
from btfperm import _core, registry
from btfperm.backends.cpu.problem import Problem
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from tests import families
from tests.checks.check_matching import check_matching
from tests.checks.check_transversal import check_transversal
from tests.checks.entries import entries
from tests.transversal.methods import ROWS, in_64_bits

INITIALIZERS = [row.name for row in ROWS if row.parallel and row.is_initializer]
ALGORITHMS = [row.name for row in ROWS if row.parallel and not row.is_initializer]
HARD = {
    "chain": lambda: families.chain(60_000),
    "chains": lambda: families.chains_hk(320),
    "cycle": lambda: families.cycle(60_000),
    "stars": lambda: families.stars(300, 200),
    "dead tree": lambda: families.deadtree(25_000, 1),
    "triangular": lambda: families.triangular(30_000, 1),
    "hard for Karp-Sipser": lambda: families.karp_sipser_hard(700, 4),
    "tall": lambda: families.random_rectangle(40_000, 20_000, 3, 1),
    "wide": lambda: families.random_rectangle(35_000, 70_000, 3, 1),
    "sparse": lambda: families.random_rectangle(50_000, 50_000, 2.5, 1),
}

each_family = pytest.mark.parametrize("family", HARD)


def each_pair_of(names):
    """Each name with every second family, and each family with every second name. With small
    matrices, tests/faults/test_threads.py runs all pairs."""
    pairs = [
        (name, family)
        for i, name in enumerate(names)
        for k, family in enumerate(HARD)
        if (i + k) % 2 == 0
    ]
    return pytest.mark.parametrize(("name", "family"), pairs)


each_number = pytest.mark.parametrize("threads", [2, 4])


def rank_of(hard):
    return hard.rank if hard.rank >= 0 else structural_rank(hard.A)


def started(A, initializer, threads):
    """row_match and col_match after a parallel start alone."""
    P = btfperm.as_pattern(A)
    problem = Problem.empty(P)
    row = registry.find(initializer, initializer=True)
    run_algorithm(row, problem, Request(threads=threads))
    return problem.row_match, problem.col_match


@each_family
def test_every_family_is_shared(family):
    """Below 100,000 entries an algorithm runs on one thread, so that smaller families would test
    nothing here."""
    assert HARD[family]().A.nnz >= 100_000


@each_number
@pytest.mark.parametrize("name", INITIALIZERS + ALGORITHMS)
def test_a_small_matrix_is_left_to_one_thread(name, threads, run_seed):
    """Several threads take the same steps as one."""
    A = families.random_rectangle(12_000, 12_000, 3, run_seed).A
    which = {"initializer": name} if name in INITIALIZERS else {"algorithm": name}
    before = _core.backends.share_always(False)
    try:
        alone, several = (
            btfperm.maximum_transversal(A, threads=t, **{"initializer": "none", **which})
            for t in (1, threads)
        )
    finally:
        _core.backends.share_always(before)
    np.testing.assert_array_equal(several.row_match, alone.row_match)
    assert several.counters["edges"] == alone.counters["edges"]


@each_pair_of(ALGORITHMS)
def test_the_rank_is_found_and_proven(name, family, run_seed):
    hard = families.renumbered(HARD[family](), "mixed", run_seed)
    t = btfperm.maximum_transversal(
        hard.A, algorithm=name, initializer="none", threads=3, time_limit=families.HANG
    )
    assert t.maximum
    assert t.algorithm == name  # no other algorithm had to replace it
    check_transversal(hard.A, t, rank=rank_of(hard))


@each_pair_of(INITIALIZERS)
def test_a_start_is_legal(name, family, run_seed):
    hard = families.renumbered(HARD[family](), "mixed", run_seed)
    check_matching(hard.A, *started(hard.A, name, 4))


@each_family
@pytest.mark.parametrize("initializer", ["greedy", "karp-sipser"])
def test_a_start_is_maximal(initializer, family, run_seed):
    threads = (2, 4)[list(HARD).index(family) % 2]
    hard = families.renumbered(HARD[family](), "mixed", run_seed)
    row_match, col_match = started(hard.A, initializer, threads)
    i, j = entries(hard.A)
    both_free = (row_match[i] < 0) & (col_match[j] < 0)
    assert not both_free.any(), f"row {i[both_free][0]} and column {j[both_free][0]} could match"


@each_number
def test_karp_sipser_makes_the_forced_choices(threads):
    """In a triangular pattern, matching vertices with one neighbour first gives a maximum matching.
    Races between threads may miss a few of these vertices."""
    hard = families.renumbered(families.triangular(30_000, 2), "mixed", 2)
    forced, _ = started(hard.A, "karp-sipser", threads)
    cheap, _ = started(hard.A, "greedy", 1)
    assert np.count_nonzero(forced < 0) * 20 <= np.count_nonzero(cheap < 0)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_64_bit_indices(algorithm):
    threads = (2, 4)[ALGORITHMS.index(algorithm) % 2]
    hard = HARD["sparse"]()
    t = btfperm.maximum_transversal(in_64_bits(hard.A), algorithm=algorithm, threads=threads)
    check_transversal(hard.A, t, rank=rank_of(hard))


@pytest.mark.parametrize("initializer", INITIALIZERS)
def test_a_start_continues_from_the_given_matching(initializer):
    hard = HARD["sparse"]()
    given = btfperm.maximum_transversal(hard.A, initializer="greedy", max_work=20_000)
    t = btfperm.maximum_transversal(
        hard.A, initial=given, initializer=initializer, algorithm="pothen-fan", threads=3
    )
    check_transversal(hard.A, t, rank=rank_of(hard))


@pytest.mark.parametrize("max_work", [1, 1_000, 30_000])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_limit_leaves_a_legal_matching(algorithm, max_work):
    hard = HARD["sparse"]()
    t = btfperm.maximum_transversal(
        hard.A, algorithm=algorithm, initializer="none", threads=4, max_work=max_work
    )
    check_matching(hard.A, t.row_match, t.col_match)
    assert t.rank_bounds[0] == np.count_nonzero(t.row_match >= 0)
