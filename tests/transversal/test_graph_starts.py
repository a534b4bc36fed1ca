# SPDX-License-Identifier: BSD-3-Clause
"""gpa, hem, random-greedy and red-blue as starts: the matching of the same algorithm for the
bipartite graph, in which all edges have the weight 1."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import btfperm
from btfperm import _core, registry
from btfperm.backends.cpu.problem import Problem
from btfperm.errors import InvalidArgumentError
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import as_pattern
from tests import families, strategies

VARIANTS = [
    ("gpa", {}),
    ("gpa", {"extend": 1}),
    ("hem", {}),
    ("hem", {"order": "random"}),
    ("random-greedy", {}),
    ("red-blue", {}),
    ("red-blue", {"p": 0.2}),
]


def start(A, name, options=None, seed=0, threads=None):
    """The matched row of each column, and the counters."""
    problem = Problem.empty(as_pattern(A))
    request = Request(seed=seed, options=options, threads=threads)
    outcome = run_algorithm(registry.find(name, initializer=True), problem, request)
    return problem.col_match, outcome.counters


def bipartite(A, *, rows_first=False):
    """The symmetric matrix of the bipartite graph."""
    A = sp.csc_array(as_pattern(A).to_scipy(), dtype=float)
    return sp.block_array([[None, A], [A.T, None]] if rows_first else [[None, A.T], [A, None]])


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@settings(max_examples=25, deadline=None)
@given(A=strategies.any_matrix(), seed=st.integers(0, 2**64 - 1))
def test_the_matching_of_the_bipartite_graph(name, options, A, seed):
    """Columns come before rows."""
    m, n = as_pattern(A).shape
    found, counters = start(A, name, options, seed)
    if min(m, n) == 0:
        assert (found == -1).all()
        return
    how = options | ({"select": "random"} if name == "red-blue" else {})
    m = btfperm.match(bipartite(A), algorithm=name, options=how, seed=seed, weights="ones")
    mate = m.mate[:n]
    assert counters.get("phases", 0) == m.rounds
    np.testing.assert_array_equal(found, np.where(mate < 0, -1, mate - n))


def test_random_greedy_takes_the_same_neighbours_in_both_forms():
    """All edges have equal weights, so the heaviest edge of a vertex is the first suitable one, as
    the opening comment of the source file states. So the start needs no option."""
    G = bipartite(families.random_rectangle(300, 300, 4, 1).A)
    one, other = (
        btfperm.match(G, algorithm="random-greedy", options={"select": how}, weights="ones").mate
        for how in ("random", "weighted")
    )
    np.testing.assert_array_equal(one, other)
    with pytest.raises(InvalidArgumentError, match="no algorithm of this run has an option"):
        btfperm.structural_rank(
            np.eye(3), initializer="random-greedy", options={"select": "random"}
        )


@settings(max_examples=25, deadline=None)
@given(A=strategies.any_matrix())
def test_hem_in_natural_order_is_greedy(A):
    """Both give the same matching on one thread. On several threads, greedy may find another
    one."""
    np.testing.assert_array_equal(start(A, "hem")[0], start(A, "greedy", threads=1)[0])


@settings(max_examples=25, deadline=None)
@given(A=strategies.any_matrix())
def test_greedy_by_sorted_weights_is_greedy(A):
    """Edges of equal weight stay in the order of the columns, so there is no further start. Both
    give the same matching on one thread. On several threads, greedy may find another one."""
    m, n = as_pattern(A).shape
    if min(m, n) == 0:
        return
    mate = btfperm.match(bipartite(A, rows_first=True), algorithm="greedy", weights="ones").mate
    np.testing.assert_array_equal(mate[m:], start(A, "greedy", threads=1)[0])


@pytest.mark.parametrize("numbering", ["forward", "mixed"])
def test_gpa_matches_a_path_completely(numbering, run_seed):
    family = families.renumbered(families.chain(1000), numbering, run_seed)
    found, _ = start(family.A, "gpa")
    assert np.count_nonzero(found >= 0) == btfperm.structural_rank(family.A)


def test_gpa_without_extend_need_not_be_maximal():
    sizes = []
    for extend in (0, 1):
        found, _ = start(families.random_rectangle(3000, 3000, 3, 1).A, "gpa", {"extend": extend})
        sizes.append(np.count_nonzero(found >= 0))
    assert sizes[0] <= sizes[1]
    assert sizes[1] > np.count_nonzero(
        start(families.random_rectangle(3000, 3000, 3, 1).A, "greedy")[0] >= 0
    )


@pytest.mark.parametrize(("name", "options"), [("gpa", {"extend": 1.0}), ("random-greedy", {})])
def test_indices_of_the_graph_of_64_bits(name, options):
    """The graph has 64-bit indices here, as it does for a matrix with more than 2^30 entries."""
    A = families.random_rectangle(400, 300, 4, 1).A
    problem = Problem.empty(as_pattern(A))
    run = getattr(_core.transversal, f"{name.replace('-', '_')}_in_64_bits")
    arrays = problem.indptr, problem.indices, problem.row_match, problem.col_match
    assert problem.indices.dtype == np.int32
    stop, _, counters = run(problem.m, *arrays, problem.row_in_cover, 0.0, 0, 1, 0, options)
    found, expected = start(A, name, options)
    np.testing.assert_array_equal(problem.col_match, found)
    assert (stop, counters) == (0, expected)


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_in_the_public_functions(name, options):
    A = families.random_rectangle(200, 200, 3, 1).A
    rank = btfperm.structural_rank(A)
    t = btfperm.maximum_transversal(A, initializer=name, options=options, algorithm="ss-bfs")
    assert (t.structural_rank, t.initializer) == (rank, name)
    assert t.counters["start_edges"] > A.nnz


def test_an_unknown_order_of_hem():
    with pytest.raises(InvalidArgumentError, match="order of hem must be one of natural, random"):
        btfperm.structural_rank(np.eye(3), initializer="hem", options={"order": "any"})
