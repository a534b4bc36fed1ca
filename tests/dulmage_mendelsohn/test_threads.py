# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition is the same, bit for bit, for any number of threads.

If all loops are shared, however short, several threads work at the same time also on matrices that
are small enough for hypothesis and the oracles. In these tests, matrices with many levels are
small, because each level needs a barrier, and a barrier on a busy machine may take a time slice.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm import _core
from btfperm.block_triangular.completion import complete
from btfperm.dulmage_mendelsohn.decompose_cpu import decompose
from btfperm.pattern import as_pattern
from tests import families, strategies
from tests.known_answers import known_answers, parametrized, read, shared_answers
from tests.oracles import plain_dulmage_mendelsohn
from tests.transversal.methods import in_64_bits

# `.ci/run threads` sets BTFPERM_TEST_THREADS. Under ThreadSanitizer, on one core, eight threads
# would spend most of the time at barriers. Loops over more than 2^15 rows are shared.
SANITIZED = "BTFPERM_TEST_THREADS" in os.environ
THREADS = [2, 3] if SANITIZED else [1, 2, 3, 8]
LONG = 50_000 if SANITIZED else 100_000


@contextmanager
def shared(always):
    """Shares all loops if `always`, or only those that are long enough."""
    before = _core.backends.share_always(always)
    try:
        yield
    finally:
        _core.backends.share_always(before)


def assert_same_form(form, expected):
    for name in form._fields:
        np.testing.assert_array_equal(
            getattr(form, name), getattr(expected, name), err_msg=name, strict=True
        )


def check_threads(A, *, always):
    """The decomposition, which must be the same for all numbers of threads."""
    P = as_pattern(A)
    t = btfperm.maximum_transversal(P)
    alone = decompose(P, t.row_match, t.col_match)
    with shared(always):
        for threads in THREADS:
            form = decompose(P, t.row_match, t.col_match, threads)
            assert_same_form(form, alone)
    return alone


@given(strategies.any_matrix())
def test_any_matrix(A):
    alone = check_threads(A, always=True)
    expected = plain_dulmage_mendelsohn.dulmage_mendelsohn(A)
    for name in alone._fields:
        np.testing.assert_array_equal(getattr(alone, name), getattr(expected, name), err_msg=name)


@given(strategies.any_square(), st.sampled_from(THREADS))
def test_pairs_that_are_no_entries(A, threads):
    """The triangular form of a singular matrix has pairs that are not entries."""
    P = as_pattern(A)
    t = btfperm.maximum_transversal(P)
    paired_col, paired_row = complete(t.row_match, t.col_match)
    alone = decompose(P, paired_col, paired_row)
    with shared(True):
        assert_same_form(decompose(P, paired_col, paired_row, threads), alone)


@given(strategies.any_matrix())
def test_in_64_bits(A):
    check_threads(in_64_bits(A), always=True)


@parametrized(known_answers())
def test_real_matrices(known):
    check_threads(read(known.name), always=True)


# Long enough that some loops are shared. `random_digraph` and HARD have larger ones.
LARGER = [known for known in shared_answers() if 200_000 <= known.entries < 300_000]


@parametrized(LARGER, reason="no larger set beside the project")
def test_larger_real_matrices(known):
    check_threads(btfperm.read(known.path), always=False)


def random_digraph(n, degree, seed):
    """A planted diagonal and random entries: one giant block, and many of one row."""
    rng = np.random.default_rng(seed)
    size = int(degree * n)
    d = np.arange(n)
    rows, cols = rng.integers(0, n, size), rng.integers(0, n, size)
    return families.renumbered(
        families.Hard(families.csc([d, rows], [d, cols], (n, n)), n), "mixed", seed
    ).A


def chain_of_cycles(count, length, seed):
    """`count` cycles, each but the last with an entry in the next one: blocks in a long chain."""
    rng = np.random.default_rng(seed)
    first = np.arange(count) * length
    v = np.arange(count * length)
    after = first.repeat(length) + (v + 1 - first.repeat(length)) % length
    later = first[:-1] + rng.integers(0, length, count - 1)
    n = v.size
    A = families.csc([v, v, later], [v, after, first[1:]], (n, n))
    return families.renumbered(families.Hard(A, n, count), "mixed", seed)


def hubs(n, seed):
    """Rows and columns with entries nearly everywhere, and a part that is connected through
    them."""
    rng = np.random.default_rng(seed)
    d, leaves = np.arange(n), np.arange(3, n)
    rows = [d, np.zeros(n - 3, int), rng.choice(leaves, n // 2), rng.choice(leaves, n // 8)]
    cols = [d, leaves, np.ones(n // 2, int), rng.choice(leaves, n // 8)]
    A = families.csc(rows, cols, (n, n))
    return families.renumbered(families.Hard(A, n), "mixed", seed).A


@pytest.mark.parametrize("degree", [0.5, 1.0, 1.5, 3.0])
def test_random_digraphs(degree, run_seed):
    check_threads(random_digraph(2_000, degree, run_seed), always=True)
    check_threads(random_digraph(LONG, degree, run_seed), always=False)


@pytest.mark.parametrize("length", [2, 3, 40])
def test_many_small_blocks(length, run_seed):
    for n, always in ((600, True), (LONG, False)):
        hard = chain_of_cycles(n // length, length, run_seed)
        alone = check_threads(hard.A, always=always)
        assert alone.row_blocks.size - 1 == hard.fine_blocks


@pytest.mark.parametrize("degree", [0.2, 3.0])
def test_few_unmatched_rows(degree, run_seed):
    """Small groups with more rows than columns. Sweeps find all of the vertical part if no other
    row is connected with it; otherwise row lists follow."""
    rng = np.random.default_rng(run_seed)
    for n, always in ((200, True), (LONG, False)):
        square = random_digraph(n, degree, run_seed)
        groups = sp.block_diag([sp.csc_array(np.ones((k + 1, k))) for k in (1, 2, 5)])
        A = sp.block_diag((square, groups, sp.csc_array((2, 0))), format="csc")
        check_threads(A[rng.permutation(A.shape[0])], always=always)
        link = sp.csc_array(([1.0], ([n], [0])), shape=A.shape)
        check_threads((A + link).tocsc(), always=always)


def test_hubs(run_seed):
    check_threads(hubs(3_000, run_seed), always=True)
    check_threads(hubs(LONG, run_seed), always=False)


HARD = [
    pytest.param(families.chain, LONG, id="chain"),
    pytest.param(families.bidiagonal, LONG, id="bidiagonal"),
    pytest.param(families.cycle, LONG, id="cycle"),
    pytest.param(lambda n: families.surplus_path(n, wide=True), LONG, id="wide path"),
    pytest.param(lambda n: families.surplus_path(n, wide=False), LONG, id="tall path"),
    pytest.param(lambda n: families.stars(n, n), 400, id="stars"),
    pytest.param(families.scipy_ladder, 30_000, id="ladder"),
    pytest.param(lambda n: families.dense(n, 2 * n // 3), 800, id="dense"),
    pytest.param(families.hessenberg, 800, id="hessenberg"),
    pytest.param(lambda n: families.triangular(n, 3), 60_000, id="triangular"),
    pytest.param(lambda n: families.deadtree(n, 4), 60_000, id="deadtree"),
    pytest.param(lambda n: families.random_rectangle(n, n, 2.7, 5), 60_000, id="random"),
    pytest.param(lambda n: families.random_rectangle(n, 2 * n, 5, 6), 60_000, id="random wide"),
    pytest.param(lambda n: families.random_rectangle(2 * n, n, 2.5, 7), 60_000, id="random tall"),
]


@pytest.mark.parametrize(
    ("size", "numbering"), [("small", "forward"), ("small", "mixed"), ("large", "mixed")]
)
@pytest.mark.parametrize(("family", "n"), HARD)
def test_hard_families(family, n, size, numbering, run_seed):
    hard = family(n if size == "large" else min(n // 20, 150))
    A = families.renumbered(hard, numbering, run_seed).A
    alone = check_threads(A, always=size == "small")
    assert hard.fine_blocks in (None, alone.row_blocks.size - 1)


def test_a_million_blocks_and_a_million_deep():
    n = 1_000_000
    eye = sp.csc_array(sp.eye_array(n))
    for threads in (2, THREADS[-1]):
        d = btfperm.dulmage_mendelsohn(eye, threads=threads)
        np.testing.assert_array_equal(d.row_perm, np.arange(n))
        np.testing.assert_array_equal(d.row_blocks, np.arange(n + 1))
        d = btfperm.dulmage_mendelsohn(families.bidiagonal(n).A, threads=threads)
        np.testing.assert_array_equal(d.col_perm, np.arange(n))
        np.testing.assert_array_equal(d.col_blocks, np.arange(n + 1))


def test_the_public_functions_take_threads(run_seed):
    A = random_digraph(60_000, 4.0, run_seed)
    for function in (btfperm.dulmage_mendelsohn, btfperm.block_triangular_form):
        alone = function(A, threads=1)
        for several in (
            function(A, threads=3),
            function(A, transversal=alone.transversal, threads=2),
        ):
            np.testing.assert_array_equal(several.row_perm, alone.row_perm)
            np.testing.assert_array_equal(several.col_perm, alone.col_perm)
            np.testing.assert_array_equal(several.row_blocks, alone.row_blocks)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_matching_that_is_not_maximum_is_refused(threads):
    """An unmatched row is reached from an unmatched column."""
    A = as_pattern(sp.csc_array([[1.0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    width = A.indices.dtype
    row_match, col_match = np.array([0, -1, 1], width), np.array([0, 2, -1], width)
    with shared(always=True), pytest.raises(btfperm.DefectError, match="not maximum"):
        decompose(A, row_match, col_match, threads)
