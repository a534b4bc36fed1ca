# SPDX-License-Identifier: BSD-3-Clause
"""Concurrent calls, and calls on several threads. The core releases the GIL, no call changes the
result of another, and rank, parts and blocks are the same with any number of threads.

Here all loops are shared, however short. `.ci/run threads` repeats these tests, and others, under
ThreadSanitizer, which finds races even if the result is right.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, note
from hypothesis import strategies as st
from scipy.sparse.csgraph import maximum_bipartite_matching

import btfperm
from btfperm import _core
from btfperm.pattern import as_pattern
from tests import families, strategies
from tests.checks.check_btf import check_canonical_order, check_fine
from tests.checks.check_coarse import check_coarse
from tests.checks.check_matching import check_matching
from tests.checks.check_transversal import check_transversal
from tests.known_answers import known_answers, read
from tests.oracles import plain_matching
from tests.transversal.methods import ALGORITHMS, INITIALIZERS, ROWS, each_pair, in_64_bits

PARALLEL = [row for row in ROWS if row.parallel]
FORM = ("row_perm", "col_perm", "row_blocks", "col_blocks", "coarse_rows", "coarse_cols")

# Families for the cases of parallel searches: trees that meet, columns that take each other's rows,
# parts that stay unmatched, hubs, long paths, local and non-local numberings.
FAMILIES = {
    "random": lambda seed: families.random_rectangle(4000, 4000, 2.7, seed),
    "tall": lambda seed: families.random_rectangle(5000, 3000, 1.5, seed),
    "wide": lambda seed: families.random_rectangle(2500, 5000, 4, seed),
    "stars": lambda seed: families.renumbered(families.stars(30, 60), "mixed", seed),
    "dead trees": lambda seed: families.deadtree(3000, seed),
    "rivals": lambda seed: families.renumbered(families.rivals(60, 20), "mixed", seed),
    "chain": lambda seed: families.renumbered(families.chain(1500), "mixed", seed),
    "chains": lambda _: families.chains_hk(40),
    "triangle": lambda seed: families.triangular(1500, seed),
    "strip": lambda seed: families.strip(500, seed),
    "meshed strip": lambda _: families.bidiagonal(5000),
    "nearly empty": lambda seed: families.empty_lines(3000, seed),
    "dense": lambda _: families.dense(60, 90),
}


@pytest.fixture(autouse=True)
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


def rank_of(A):
    return int((maximum_bipartite_matching(sp.csr_array(A), perm_type="column") >= 0).sum())


@cache
def member(family, seed):
    """A matrix of the family, its structural rank by SciPy, and its decomposition by one thread."""
    A = FAMILIES[family](seed).A
    return A, rank_of(A), btfperm.dulmage_mendelsohn(A, threads=1, algorithm="hopcroft-karp")


@pytest.mark.parametrize("row", PARALLEL, ids=lambda row: row.name)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_parallel_algorithm(family, row, run_seed):
    # each algorithm and each family gets both numbers
    threads = (2, 4)[(PARALLEL.index(row) + list(FAMILIES).index(family)) % 2]
    A, rank, alone = member(family, run_seed)
    which = {"initializer": row.name} if row.is_initializer else {"algorithm": row.name}
    start = {} if row.is_initializer else {"initializer": "none"}
    d = btfperm.dulmage_mendelsohn(A, threads=threads, time_limit=60, **which, **start)
    assert d.structural_rank == alone.structural_rank == rank
    for name in ("row_perm", "col_perm", "row_blocks", "col_blocks"):
        np.testing.assert_array_equal(getattr(d, name), getattr(alone, name))


@pytest.mark.parametrize("family", FAMILIES)
def test_pushes_from_short_queues(family, run_seed):
    """Threads exchange columns after nearly every push, and stop often for new labels."""
    queue_limit, relabel_frequency = ((1, 0.05), (3, 0))[list(FAMILIES).index(family) % 2]
    A, rank, _ = member(family, run_seed)
    options = {"queue_limit": queue_limit, "relabel_frequency": relabel_frequency}
    t = btfperm.maximum_transversal(
        A, algorithm="push-relabel-mt", initializer="none", threads=4, options=options
    )
    assert t.algorithm == "push-relabel-mt"
    check_transversal(A, t, rank=rank)


@each_pair
def test_every_pair(algorithm, initializer, run_seed):
    """Searches continue from the matching of another start, with 64-bit indices. Each algorithm and
    each initializer gets all three families."""
    turn = ALGORITHMS.index(algorithm) + INITIALIZERS.index(initializer)
    A, rank, _ = member(("random", "wide", "dead trees")[turn % 3], run_seed)
    P = in_64_bits(A)
    t = btfperm.maximum_transversal(
        P, algorithm=algorithm, initializer=initializer, threads=3, time_limit=60
    )
    check_transversal(A, t, rank=rank)


@given(A=strategies.any_matrix(), threads=st.integers(2, 5))
def test_every_small_matrix(A, threads):
    """Every algorithm and every initializer. The decomposition does not depend on the matching, so
    one is checked against the definition, and all others must be equal to it."""
    P = as_pattern(A)
    rank = plain_matching.structural_rank(A)
    first = None
    for row in ROWS:
        note(f"row={row.name!r}")
        which = {"initializer": row.name} if row.is_initializer else {"algorithm": row.name}
        d = btfperm.dulmage_mendelsohn(P, threads=threads, time_limit=families.HANG, **which)
        assert d.structural_rank == rank
        if first is None:
            first = d
            check_coarse(A, d, d.row_match, d.col_match)
            check_fine(A, d, d.col_match)
            check_canonical_order(A, d)
        check_matching(A, d.row_match, d.col_match)
        for name in FORM:
            np.testing.assert_array_equal(getattr(d, name), getattr(first, name), err_msg=name)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("limit", [{"max_work": 3000}, {"time_limit": 1e-4}], ids=str)
def test_all_threads_obey_limits(row, limit, run_seed):
    """The one thread that polls the limit ends the search of all, and the matching is legal."""
    A = FAMILIES["random"](run_seed).A
    which = {"initializer": row.name} if row.is_initializer else {"algorithm": row.name}
    start = {} if row.is_initializer else {"initializer": "none"}
    t = btfperm.maximum_transversal(A, threads=4, **which, **start, **limit)
    check_transversal(A, t)


def test_decompositions_side_by_side():
    """Several Python threads, each of which uses `threads` threads. With one thread each finds the
    same matching, with two the same blocks."""
    names = [known.name for known in known_answers()] * 4
    matrices = {name: btfperm.as_pattern(read(name)) for name in names}
    right = {name: btfperm.dulmage_mendelsohn(P, threads=1) for name, P in matrices.items()}
    for threads in (1, 2):
        with ThreadPoolExecutor(8) as pool:
            found = list(
                pool.map(
                    lambda name, threads=threads: btfperm.dulmage_mendelsohn(
                        matrices[name], threads=threads
                    ),
                    names,
                )
            )
        for name, d in zip(names, found, strict=True):
            if threads == 1:
                np.testing.assert_array_equal(d.row_match, right[name].row_match)
            np.testing.assert_array_equal(d.row_perm, right[name].row_perm)
            np.testing.assert_array_equal(d.col_blocks, right[name].col_blocks)
