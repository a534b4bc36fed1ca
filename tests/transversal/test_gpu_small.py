# SPDX-License-Identifier: BSD-3-Clause
"""Every algorithm that runs on a GPU, on matrices small enough for an emulated device, against an
oracle that shares no code with it.

These tests also run in the suite of machines without a GPU, see
`tests/backends/test_on_emulated_gpu.py`: each matrix has at most a few hundred entries.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import registry
from btfperm.backends.gpu.budget import ABANDONED, Budget
from btfperm.path.rules import Condition, Rule
from btfperm.pattern import as_pattern
from btfperm.transversal.auto_table import TABLE
from tests import families
from tests.checks.check_cover import check_cover
from tests.checks.check_transversal import check_transversal
from tests.on_device import device_problem, matrix_there
from tests.oracles import plain_matching
from tests.transversal.test_counters import NOT_DECLARED, undeclared
from tests.transversal.test_gpu import SEARCHES, VARIANTS, each_variant, run
from tests.transversal.test_quality_of_starts import forest
from tests.transversal.test_starts import STARTS, check_start, start

pytestmark = pytest.mark.gpu

each_start = pytest.mark.parametrize(
    ("row", "options"), [each for each in STARTS if each.values[0].backend == "gpu"]
)
SMALL = {
    "chain": families.chain(24),
    "cycle": families.cycle(21),
    "surplus, wide": families.surplus_path(17, wide=True),
    "surplus, tall": families.surplus_path(17, wide=False),
    "ladder": families.scipy_ladder(6),
    "chains": families.chains_hk(7),
    "rivals": families.rivals(5, 4),
    "dead tree": families.deadtree(60, 1),
    "stars": families.stars(4, 9),
    "empty lines": families.empty_lines(60, 1),
    "dense": families.dense(9, 13),
    "long lists": families.full_columns(150, 2),
    "hessenberg": families.hessenberg(14),
    "random, wide": families.random_rectangle(60, 90, 2, 1),
    "random, tall": families.random_rectangle(90, 60, 2, 1),
    "random, square": families.random_rectangle(90, 90, 2, 3),
}
# Initializers scan the two long lists beyond these matched rows: some in several launches.
FIRST_MATCHED = np.append(np.arange(150), [-1, -1])


@pytest.fixture
def judged_by_the_device(monkeypatch):
    """Fails if the host has to prove the matching: its proof would hide kernels that find none."""

    def fail(*_):
        raise AssertionError("the device found no proof, and the host was asked")

    monkeypatch.setattr(importlib.import_module("btfperm.transversal.certificate"), "prove", fail)


@pytest.mark.every_algorithm
@each_variant
def test_rank_and_proof(row, options, judged_by_the_device, run_seed):
    more = {} if row.is_initializer else {"initializer": "none"}
    for name, hard in SMALL.items():
        A = families.renumbered(hard, "mixed", run_seed).A
        t = run(A, row, options, seed=run_seed % 1000, **more)
        assert t.maximum and t.backend == "gpu", name
        assert t.algorithm in ("apfb-wr" if row.is_initializer else row.name, "none"), name
        check_transversal(A, t, rank=plain_matching.structural_rank(A))
        assert not undeclared(t.counters), NOT_DECLARED
        if row.is_initializer:
            assert t.initializer == row.name
            assert 2 * t.counters.get("augmentations", 0) <= t.structural_rank, (
                f"{name}: a start that is maximal has at least half of the pairs"
            )


def test_forced_choices_come_first(run_seed):
    """On a forest, a matching of vertices with one neighbour first is maximum."""
    (row,) = (each.values[0] for each in STARTS if each.id.startswith("karp-sipser-gpu"))
    for seed in (run_seed, run_seed + 1):
        for A in (SMALL["chain"].A, forest(60, seed)):
            A = families.renumbered(families.Hard(A, -1), "mixed", seed).A
            P, problem, _, _ = start(A, row, seed=seed)
            assert check_start(P, problem) == plain_matching.structural_rank(A)


@each_start
def test_a_start_is_maximal(row, options, run_seed):
    """The test runs with several seeds, because some initializers begin each list at a random
    place."""
    for name in ("stars", "dense", "random, wide", "random, tall"):
        for seed in (0, run_seed, run_seed + 1):
            P, problem, _, _ = start(SMALL[name].A, row, options, seed=seed)
            check_start(P, problem)
    P, problem, _, _ = start(SMALL["long lists"].A, row, options, FIRST_MATCHED, run_seed)
    assert check_start(P, problem) == P.n


def test_local_max_is_that_of_the_cpu(run_seed):
    """CPU and GPU draw the same random numbers, so the order of the GPU threads has no effect."""
    there, here = (
        registry.find("local-max", initializer=True, backend=backend) for backend in ("gpu", "cpu")
    )
    for name, hard in SMALL.items():
        for given in (
            None,
            np.where(np.arange(hard.A.shape[1]) < 1, hard.A.tocsc().indices[0], -1),
        ):
            if given is not None and not hard.A.tocsc().indptr[1]:
                continue
            _, ours, counters, _ = start(hard.A, there, given=given, seed=run_seed)
            _, theirs, expected, _ = start(hard.A, here, given=given, seed=run_seed)
            np.testing.assert_array_equal(ours.col_match, theirs.col_match, err_msg=name)
            assert counters["phases"] == expected["phases"]


@pytest.mark.parametrize("name", ["g-pr-first", "g-pr-noshr", "g-pr-shr"])
def test_push_relabel_counts_the_loops_in_which_it_pushed(name):
    row = registry.find(name, initializer=False)
    A = SMALL["random, square"].A
    c = run(A, row, {"relabel": "fixed:1"}, initializer="none").counters
    assert 0 < c["loops"] <= c["relabels"] <= c["loops"] + 1, "each loop has one"
    assert c["levels"] == sum(c["levels_by_relabel"])
    assert c["relabels"] == len(c["levels_by_relabel"])


def path_of_three_columns():
    """A matrix and its matching: the only augmenting path starts at column 0, which is unmatched,
    continues through columns 1 and 2, and ends at row 2."""
    return sp.csc_array([[1, 1, 0], [0, 1, 1], [0, 0, 1]]), np.array([-1, 0, 1])


@pytest.mark.parametrize("name", ["apfb", "apfb-wr", "apsb", "apsb-wr"])
def test_only_levels_with_columns_are_counted(name):
    """The path has a column in each of three levels. All columns are matched after the first phase,
    so that the second one ends with its first level."""
    A, col_match = path_of_three_columns()
    row = registry.find(name, initializer=False)
    for options in ({"threads": "ct"}, {"threads": "mt"}):
        c = run(A, row, options, initializer="none", initial=col_match).counters
        assert c["levels_by_phase"] == [3, 1]
        assert (c["levels"], c["phases"], c["longest_path"]) == (4, 2, 5)


@pytest.mark.parametrize("name", ["g-pr-first", "g-pr-noshr", "g-pr-shr"])
def test_only_levels_with_rows_are_counted(name):
    """The three levels of the first relabelling are row 2, which is unmatched, row 1 and row 0.
    Three pushes follow."""
    A, col_match = path_of_three_columns()
    row = registry.find(name, initializer=False)
    c = run(A, row, {"relabel": "fixed:20"}, initializer="none", initial=col_match).counters
    assert c["levels_by_relabel"][0] == 3
    assert (c["levels"], c["pushes"]) == (sum(c["levels_by_relabel"]), 3)


@pytest.mark.parametrize("bound", [0, 500])
def test_published_measures_the_first_relabelling(bound, monkeypatch):
    """With a bound of 0 levels the rule chooses g-pr-shr, whose first relabelling has the measured
    depth; with a bound of 500, no matrix is deep enough."""
    very_long = Rule("long", (Condition("depth", ">", bound),), "g-pr-shr", "so")
    others = TABLE["published on gpu"][-1:]
    monkeypatch.setitem(TABLE, "published on gpu", (very_long, *others))
    for name in ("random, square", "random, wide", "random, tall", "chains"):
        A = families.renumbered(SMALL[name], "mixed", 1).A
        t = btfperm.maximum_transversal(A, algorithm="published", backend="gpu", initializer="none")
        check_transversal(A, t, rank=plain_matching.structural_rank(A))
        assert t.algorithm == ("apfb-wr" if bound else "g-pr-shr") and t.backend == "gpu"
        assert ("long: so" in t.choice) == (not bound)
        depth = t.explain()["features"]["depth"]
        assert depth > 0
        if not bound:
            assert depth == t.counters["levels_by_relabel"][0]


def test_published_stays_with_a_matrix_on_the_device():
    A = SMALL["random, square"].A
    t = btfperm.maximum_transversal(matrix_there(A), algorithm="published")
    assert t.backend == "gpu" and t.algorithm in ("apfb-wr", "none")
    assert t.initializer == "greedy"
    check_transversal(A, t.on_host(), rank=plain_matching.structural_rank(A))
    with pytest.raises(btfperm.InvalidArgumentError, match="no published algorithm on a GPU"):
        btfperm.maximum_transversal(matrix_there(A), algorithm="published", deterministic=True)


@pytest.mark.parametrize(("row", "options"), SEARCHES)
def test_a_start_that_is_maximum_is_left_as_it_is(row, options):
    A = SMALL["random, square"].A
    _, col_match = plain_matching.maximum_matching(A)
    t = run(A, row, options, initializer="none", initial=col_match)
    np.testing.assert_array_equal(t.col_match, col_match)


@pytest.mark.parametrize(("row", "options"), SEARCHES)
def test_a_limit_of_work_ends_the_search(row, options):
    """The first poll reports that the limit is exceeded; the matching at that time is legal."""
    A = families.chain(200).A  # its one path is as long as the matrix
    t = run(A, row, options, initializer="none", max_work=1)
    assert not t.maximum and t.stopped_by == "max_work"
    check_transversal(A, t)
    whole = run(A, row, options, initializer="none").counters["edges"]
    assert t.counters["edges"] < whole


class Polled(Budget):
    """A budget that records the arguments of each poll, and fails if the driver polls again after a
    limit."""

    def __init__(self, **limits):
        super().__init__(**limits)
        self.polls = []

    def spent(self, edges):
        assert not self.stop, "the driver continued after its budget was spent"
        self.polls.append(edges)
        return super().spent(edges)


@pytest.mark.parametrize(("row", "options"), VARIANTS)
def test_a_driver_obeys_its_budget(row, options):
    """A driver that ignores `stop` would poll again. A driver that does not report all entries read
    so far would report fewer than in its previous poll."""
    P = as_pattern(families.chain(300).A)
    for limits in ({}, {"polls": 1}, {"work": 1}):
        problem = device_problem(P)
        budget = Polled(**limits)
        counters = row.load()(problem, budget, 0, row.checked(options))
        assert budget.polls == sorted(budget.polls)
        if limits and budget.polls:
            assert budget.stop == (ABANDONED if "polls" in limits else 3)
        if not limits and not row.is_initializer:
            assert problem.size == P.n and budget.polls
        # polls in relabellings and between them
        if not limits and row.name.startswith("g-pr"):
            relabelling, pushing = counters["levels"] // 4, counters["loops"] // 8
            assert len(budget.polls) >= relabelling + pushing - 1


@pytest.mark.parametrize(
    ("row", "options"), [each for each in VARIANTS if each.values[0].is_initializer]
)
def test_an_initializer_polls_between_launches(row, options):
    """Limits end an initializer between two launches. In these lists some need several launches,
    which they report as `launches`."""
    P = as_pattern(SMALL["long lists"].A)
    for limits in ({}, {"polls": 1}, {"work": 1}):
        problem = device_problem(P, FIRST_MATCHED)
        budget = Polled(**limits)
        counters = row.load()(problem, budget, 0, row.checked(options))
        assert budget.polls == sorted(budget.polls)
        if not limits:
            assert problem.size == P.n
            assert len(budget.polls) >= counters.get("launches", 1) - 1, (
                "the driver must call budget.spent(edges) after each launch that left work"
            )


@pytest.mark.parametrize("name", ["random, wide", "random, square", "surplus, tall"])
def test_pairs_same_is_the_old_form_of_ordered_trees(name):
    """Both give the same arrays; the result names the algorithm that the caller named. The device
    transposes a wide matrix and stores the entries of a list in no fixed order, which must not
    change the arrays."""
    A = SMALL[name].A
    old, new = (
        registry.find(f"{word}-trees", initializer=False) for word in ("meeting", "ordered")
    )
    theirs, ours = run(A, old, {"pairs": "same"}, initializer="none"), run(A, new)
    np.testing.assert_array_equal(theirs.row_match, ours.row_match)
    np.testing.assert_array_equal(theirs.col_match, ours.col_match)
    assert theirs.counters["phases"] == ours.counters["phases"]
    assert (theirs.algorithm, ours.algorithm) == ("meeting-trees", "ordered-trees")


@pytest.mark.parametrize("name", ["random, wide", "random, square", "surplus, tall"])
def test_deterministic_gives_the_same_matching_in_each_run(name):
    there = matrix_there(SMALL[name].A)
    how = {"initializer": "none"}
    ordered = btfperm.maximum_transversal(there, algorithm="ordered-trees", **how).on_host()
    for _ in range(4):
        t = btfperm.maximum_transversal(there, deterministic=True).on_host()
        assert t.algorithm == "ordered-trees" and t.backend == "gpu"
        assert t.choice == "ordered-trees: it gives the same matching in each run"
        np.testing.assert_array_equal(t.row_match, ordered.row_match)
        np.testing.assert_array_equal(t.col_match, ordered.col_match)


def test_another_seed_draws_another_row():
    greedy = registry.find("greedy", initializer=True, backend="gpu")
    A = np.ones((200, 1))
    options = {"choice": "random"}
    rows = [int(run(A, greedy, options, seed=seed).col_match[0]) for seed in range(10)]
    assert len(set(rows)) > 1
    assert rows == [int(run(A, greedy, options, seed=seed).col_match[0]) for seed in range(10)]


# -- the certificate -------------------------------------------------------------------------------


def proof_of(A, row_match, col_match, reached=None):
    import cupy

    from btfperm.transversal.certificate_gpu import prove_on_device

    P = as_pattern(A)
    problem = device_problem(P)
    problem.row_match.set(np.asarray(row_match, dtype=problem.width))
    problem.col_match.set(np.asarray(col_match, dtype=problem.width))
    if reached is not None:
        problem.reached = cupy.asarray(np.asarray(reached, dtype=np.int32))
    covers = prove_on_device(problem)
    return None if covers is None else [part.get() for part in covers]


@pytest.mark.parametrize("name", SMALL)
def test_only_a_maximum_matching_has_a_proof(name):
    A = SMALL[name].A
    row_match, col_match = plain_matching.maximum_matching(A)
    rows, cols = proof_of(A, row_match, col_match)
    check_cover(A, np.flatnonzero(rows), np.flatnonzero(cols), int((row_match >= 0).sum()))
    j = np.flatnonzero(col_match >= 0)[0]
    row_match[col_match[j]] = col_match[j] = -1
    assert proof_of(A, row_match, col_match) is None


def test_marks_that_are_no_cover_are_not_taken_for_one():
    """The marks of a search are only a claim. Wrong marks leave an entry uncovered, or mark a row
    that the cover does not need. The device then searches again and finds a right cover."""
    A = sp.csc_array(np.array([[1, 1, 0], [0, 1, 1], [0, 0, 0], [0, 0, 1]]))
    row_match, col_match = plain_matching.maximum_matching(A)
    rank = int((row_match >= 0).sum())
    for marks in np.ndindex((2,) * 4):
        covers = proof_of(A, row_match, col_match, marks)
        assert covers is not None
        check_cover(A, np.flatnonzero(covers[0]), np.flatnonzero(covers[1]), rank)
    smaller = np.array([0, -1, -1, -1]), np.array([0, -1, -1])
    for marks in np.ndindex((2,) * 4):
        assert proof_of(A, *smaller, marks) is None


def test_two_columns_on_one_row_are_no_matching():
    from btfperm.transversal.certificate_gpu import prove_on_device

    problem = device_problem(as_pattern(sp.csc_array([[1.0, 1.0], [0.0, 0.0]])))
    problem.row_match.set(np.array([0, -1], problem.width))
    problem.col_match.set(np.array([0, 0], problem.width))
    assert prove_on_device(problem) is None
