# SPDX-License-Identifier: BSD-3-Clause
"""Families on which other codes hang, crash or are slow, at sizes where a bad bound is visible.

Each search gets a time limit far above what it needs and far below a hang. A search that does not
end in time returns "not maximum" and fails the test.
"""

from __future__ import annotations

from functools import lru_cache

import pytest

import btfperm
from tests import families
from tests.checks.check_transversal import check_transversal
from tests.loops import looped
from tests.transversal.methods import ALGORITHMS, each_algorithm, each_initializer

NUMBERINGS = ["forward", "backward", "mixed"]


@lru_cache(maxsize=4)
def made(family, *arguments, numbering="forward", seed=0):
    """A member of the family, which several algorithms solve one after another."""
    return families.renumbered(getattr(families, family)(*arguments), numbering, seed)


def solved(hard, *, algorithm="auto", initializer="auto"):
    """Checks that the search ends in time with a proven matching of the right size."""
    t = btfperm.maximum_transversal(
        hard.A, algorithm=algorithm, initializer=initializer, time_limit=families.HANG
    )
    assert t.maximum, f"stopped after {families.HANG} s at {t.rank_bounds}"
    assert t.structural_rank == hard.rank
    check_transversal(hard.A, t)


@pytest.mark.parametrize(
    ("family", "numbering"), [("chain", "mixed"), ("bidiagonal", "mixed"), ("cycle", "backward")]
)
def test_million_column_paths(family, numbering, run_seed):
    """The next test runs a chain in the numberings "forward" and "backward"."""
    n = 1_000_000 if family == "chain" else 300_000
    solved(made(family, n, numbering=numbering, seed=run_seed))


@each_algorithm
@pytest.mark.parametrize("initializer", ["none", "greedy"])
@pytest.mark.parametrize("numbering", ["forward", "backward"])
def test_one_augmenting_path_through_everything(algorithm, initializer, numbering):
    hard = made("chain", 100_000, numbering=numbering)
    solved(hard, algorithm=algorithm, initializer=initializer)


@pytest.mark.parametrize("algorithm", ["auto", *ALGORITHMS])
@pytest.mark.parametrize("numbering", NUMBERINGS)
def test_scipys_ladder(algorithm, numbering, run_seed):
    """The time of SciPy 1.17 grows exponentially with the number of levels."""
    hard = made("scipy_ladder", 5_000, numbering=numbering, seed=run_seed)
    solved(hard, algorithm=algorithm, initializer="auto" if algorithm == "auto" else "none")


@pytest.mark.parametrize("algorithm", ["auto", *ALGORITHMS])
def test_chains_of_all_lengths(algorithm):
    solved(made("chains_hk", 200), algorithm=algorithm)


@pytest.mark.parametrize("algorithm", ["auto", *ALGORITHMS])
@pytest.mark.parametrize("numbering", NUMBERINGS)
def test_rivals(algorithm, numbering, run_seed):
    """Searches from all unmatched columns at once find one path in a phase, for 100 phases. The
    default engine must abandon them early, for a method with a better bound on its time."""
    hard = made("rivals", 100, 50, numbering=numbering, seed=run_seed)
    solved(hard, algorithm=algorithm)


def test_a_strip_is_not_climbed_label_by_label(run_seed):
    """A few active columns that make no progress must count as a stall (label_push.hpp). Without
    this rule, the work grows quadratically with the length of the strip."""
    hard = families.strip(8_000, run_seed)
    solved(hard)
    t = btfperm.maximum_transversal(hard.A)
    assert t.counters["edges"] < 40 * hard.A.nnz


def test_thousand_chains():
    solved(families.chains_hk(1000))


@pytest.mark.parametrize("algorithm", ["auto", *ALGORITHMS])
def test_dead_trees(algorithm, run_seed):
    solved(made("deadtree", 5_000, run_seed), algorithm=algorithm)


def test_large_dead_trees(run_seed):
    solved(families.deadtree(100_000, run_seed))


@pytest.mark.parametrize("algorithm", ["auto", *ALGORITHMS])
@looped(
    "hard",
    [
        pytest.param(families.stars(100, 100), id="stars"),
        pytest.param(families.stars(1, 50_000), id="one star"),
        pytest.param(families.dense(300, 300), id="dense"),
        pytest.param(families.dense(50, 2_000), id="dense wide"),
        pytest.param(families.dense(2_000, 50), id="dense tall"),
        pytest.param(families.hessenberg(400), id="hessenberg"),
        pytest.param(families.karp_sipser_hard(400, 8), id="karp-sipser hard"),
        pytest.param(families.surplus_path(50_000, wide=True), id="wide path"),
        pytest.param(families.surplus_path(50_000, wide=False), id="tall path"),
    ],
)
def test_shapes(hard, algorithm):
    solved(hard, algorithm=algorithm)


@pytest.mark.parametrize("algorithm", ["auto", *ALGORITHMS])
def test_random_triangles(algorithm, run_seed):
    solved(made("triangular", 20_000, run_seed), algorithm=algorithm)


@pytest.mark.parametrize("algorithm", ["auto", *ALGORITHMS])
def test_mostly_empty_rows_and_columns(algorithm, run_seed):
    solved(made("empty_lines", 100_000, run_seed), algorithm=algorithm)


@each_initializer
def test_initializers_on_long_paths(initializer):
    solved(made("chain", 200_000), initializer=initializer)


@pytest.mark.parametrize(("m", "n"), [(2_000, 200_000), (200_000, 2_000)])
def test_lopsided_rectangles_agree_with_their_transposes(m, n, run_seed):
    A = families.random_rectangle(m, n, 3 * max(m, n) / m, run_seed).A
    t = btfperm.maximum_transversal(A, time_limit=families.HANG)
    check_transversal(A, t)
    assert t.structural_rank == btfperm.structural_rank(A.T.tocsc(), time_limit=families.HANG)
