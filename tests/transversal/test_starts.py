# SPDX-License-Identifier: BSD-3-Clause
"""Starts on the CPU and on a GPU, except two-sided, before any search. They are legal and maximal
and never lose a matched column. greedy on a GPU with the option choice=first gives the matching of
one CPU thread. Those that draw at random give the same matching for the same seed on the CPU."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import btfperm
from btfperm import backends
from btfperm.backends.cpu.problem import Problem
from btfperm.backends.protocol import Session
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import as_pattern
from btfperm.transversal.given import given_problem
from tests import families, strategies

# The starts on the CPU and on a GPU that give a maximal matching: all but two-sided, and gpa only
# with extend=1.
MAXIMAL = {"gpa": {"extend": 1}}
STARTS = [
    pytest.param(
        row,
        options,
        id=f"{row.name}-{row.backend}" + "".join(f"-{word}" for word in options.values()),
        marks=[pytest.mark.gpu] if row.backend == "gpu" else [],
    )
    for row in btfperm.algorithms("initial")
    if row.name != "two-sided" and row.backend != "mpi"  # tests/mpi tests these
    for options in [{option.name: form} for option in row.options for form in option.forms]
    or [MAXIMAL.get(row.name, {})]
]
each_start = pytest.mark.parametrize(("row", "options"), STARTS)


def start(A, row, options=None, given=None, seed=0, **limits):
    """Runs the start alone. Returns the pattern, the problem with its matching on the host, the
    counters, and the limit that stopped it or None."""
    P = as_pattern(A)
    request = Request(seed=seed, options=options, **limits)
    problem = Problem.empty(P) if given is None else given_problem(P, given)
    problem = backends.get(row.backend).adopt(Session(P), problem, None)
    outcome = run_algorithm(row, problem, request)
    return P, problem.on_host(), outcome.counters, outcome.stopped_by


def check_start(P, problem, *, maximal=True):
    """Checks that the result is a matching and, if `maximal`, that no entry can be added to it.
    Returns its size."""
    row_match, col_match = problem.row_match, problem.col_match
    rows, cols = P.indices, P.cols()
    matched = np.flatnonzero(col_match != -1)
    assert np.array_equal(row_match[col_match[matched]], matched)
    assert np.count_nonzero(row_match != -1) == matched.size
    # the entries of a pattern are distinct, so each matched column is counted once
    assert np.count_nonzero(col_match[cols] == rows) == matched.size, "a pair is no entry"
    could_match = (row_match[rows] == -1) & (col_match[cols] == -1)
    assert not (maximal and could_match.any())
    return int(matched.size)


@pytest.mark.parametrize("name", ["greedy", "singles-first"])
@pytest.mark.parametrize("shape", [(900, 60), (241, 60), (239, 60), (60, 60), (60, 900)])
def test_the_cheap_matching_in_order(name, shape, run_seed):
    """Each column is matched to the first row of its list that is still unmatched, for any number
    of rows; with singles-first, columns of one entry before the others."""
    A = families.random_rectangle(*shape, 2.5, run_seed).A
    (row,) = (
        row for row in btfperm.algorithms("initial") if row.name == name and row.backend == "cpu"
    )
    P, problem, _, _ = start(A, row)
    lists = [P.indices[P.indptr[j] : P.indptr[j + 1]].tolist() for j in range(P.n)]
    order = sorted(range(P.n), key=lambda j: name == "singles-first" and len(lists[j]) != 1)
    taken, expected = set(), [-1] * P.n
    for j in order:
        expected[j] = next((i for i in lists[j] if i not in taken), -1)
        taken.add(expected[j])
    assert problem.col_match.tolist() == expected


@each_start
@settings(max_examples=settings().max_examples, deadline=None)
@given(data=st.data())
def test_any_matrix_and_any_matching_given(row, options, data):
    A = data.draw(strategies.any_matrix())
    seed = data.draw(st.integers(0, 2**64 - 1))
    P, problem, _, stopped = start(A, row, options, seed=seed)
    assert stopped is None
    check_start(P, problem)
    _, given_cols = data.draw(strategies.legal_matching(A))
    P, problem, _, _ = start(A, row, options, given=given_cols, seed=seed)
    assert check_start(P, problem) >= np.count_nonzero(given_cols >= 0)
    matched = given_cols >= 0
    np.testing.assert_array_equal(problem.col_match[matched], given_cols[matched])


@cache
def patterns(numbering, seed):
    """Patterns of several families, and their structural ranks."""
    hard = [
        families.renumbered(family, numbering, seed)
        for family in (
            families.chain(2_000),
            families.stars(60, 70),
            families.dense(60, 90),
            families.deadtree(5_000, 1),
            families.karp_sipser_hard(200, 4),
            families.random_rectangle(30_000, 20_000, 3, 1),
            families.random_rectangle(20_000, 30_000, 3, 1),
            families.empty_lines(500, 1),
        )
    ]
    return [(as_pattern(each.A), btfperm.structural_rank(each.A)) for each in hard]


@each_start
@pytest.mark.parametrize("numbering", ["forward", "mixed"])
def test_families(row, options, numbering, run_seed):
    for P, rank in patterns(numbering, run_seed):
        _, problem, counters, _ = start(P, row, options, seed=run_seed)
        size = check_start(P, problem)
        assert 2 * size >= rank, "a maximal matching has at least half of the rank"
        assert counters["edges"] >= 1


@each_start
def test_twenty_times_the_same(row, options):
    A = families.random_rectangle(4_000, 4_000, 3, 5).A
    sizes = []
    for seed in range(20):
        P, problem, _, _ = start(A, row, options, seed=seed)
        sizes.append(check_start(P, problem))
    assert max(sizes) - min(sizes) <= 400, "a tenth of the columns, far more than chance explains"


@each_start
def test_a_limit_leaves_a_legal_matching(row, options):
    A = families.random_rectangle(20_000, 20_000, 3, 3).A
    P, problem, _, stopped = start(A, row, options, max_work=1000)
    # greedy on a GPU ends before its first poll
    in_one_launch = row.backend == "gpu" and row.name == "greedy"
    assert stopped == "max_work" or in_one_launch
    check_start(P, problem, maximal=stopped is None)


@pytest.mark.parametrize(
    ("name", "options"),
    [("red-blue", {}), ("local-max", {}), ("random-greedy", {}), ("hem", {"order": "random"})],
)
def test_one_seed_one_matching(name, options):
    """Another seed gives another matching."""
    row = next(r for r in btfperm.algorithms("initial") if (r.name, r.backend) == (name, "cpu"))
    A = families.random_rectangle(500, 500, 4, 1).A
    first, again, other = (start(A, row, options, seed=seed)[1].col_match for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("name", ["red-blue", "local-max"])
def test_rounds_are_few(name):
    """A round of local-max removes at least half of the entries on average, so O(log nnz) rounds
    are expected. The bound of 60 holds for red-blue, too."""
    row = next(r for r in btfperm.algorithms("initial") if (r.name, r.backend) == (name, "cpu"))
    for family in (families.random_rectangle(50_000, 50_000, 4, 1), families.chain(50_000)):
        counters = start(family.A, row)[2]
        assert 2 <= counters["phases"] <= 60


@pytest.mark.gpu
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_in_order_is_what_one_thread_finds(data):
    A = data.draw(strategies.any_matrix())
    _, given_cols = data.draw(strategies.legal_matching(A))
    same_as_one_thread(A, given_cols)


@pytest.mark.gpu
def test_in_order_is_what_one_thread_finds_on_large_matrices():
    for family in (
        families.random_rectangle(200_000, 150_000, 4, 1),
        families.chain(100_000),
        families.strip(2_000, 1),
        families.stars(300, 500),
    ):
        same_as_one_thread(family.A, None)


def same_as_one_thread(A, given_cols):
    rows = [row for row in btfperm.algorithms("initial") if row.name == "greedy"]
    cpu, gpu = (next(r for r in rows if r.backend == name) for name in ("cpu", "gpu"))
    found = [
        start(A, row, options, given=given_cols)[1]
        for row, options in ((cpu, None), (gpu, {"choice": "first"}))
    ]
    np.testing.assert_array_equal(found[0].col_match, found[1].col_match)
    np.testing.assert_array_equal(found[0].row_match, found[1].row_match)
