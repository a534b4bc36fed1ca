# SPDX-License-Identifier: BSD-3-Clause
"""Every allocation of the core fails once. The call raises MemoryError, leaks nothing, and the next
call works."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import _core
from btfperm.ordering import count_fill, order_places
from btfperm.pattern import Pattern, as_pattern
from tests import families
from tests.known_answers import read
from tests.transversal.methods import ALGORITHMS, INITIALIZERS, ROWS, each_algorithm

MOST = 200  # maximum allocations of one call: a larger number means an allocation in a loop


@pytest.fixture(autouse=True)
def no_failure_left_behind():
    yield
    _core.backends.fail_allocation_at(0)


def each_failure(call):
    """Makes the first, second, third, ... allocation fail in turn. Returns the number of failures.

    After each failure the call must work, so the failure left no broken state.
    """
    for k in range(1, MOST):
        _core.backends.fail_allocation_at(k)
        try:
            call()
        except MemoryError:
            _core.backends.fail_allocation_at(0)
            call()
        else:
            _core.backends.fail_allocation_at(0)
            return k - 1
    raise AssertionError(f"more than {MOST} allocations in one call")


@each_algorithm
@pytest.mark.parametrize("initializer", INITIALIZERS)
def test_transversal(algorithm, initializer):
    # a square, a wide and a tall matrix in turn: each algorithm and each initializer gets all three
    turn = ALGORITHMS.index(algorithm) + INITIALIZERS.index(initializer)
    P = as_pattern(read(["Erdos971", "lpA_25fv47", "cat_ears_3_1"][turn % 3]))
    rank = btfperm.structural_rank(P)

    def call():
        options = {"algorithm": algorithm, "initializer": initializer}
        assert btfperm.structural_rank(P, **options) == rank

    assert each_failure(call) > 0


@pytest.fixture
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


@pytest.mark.parametrize(
    "algorithm", [row.name for row in ROWS if row.parallel and not row.is_initializer]
)
@pytest.mark.usefixtures("everything_shared")
@pytest.mark.parametrize("name", ["Erdos971", "lpA_25fv47", "cat_ears_3_1"])
def test_transversal_on_threads(name, algorithm):
    """The shared arrays of several threads are allocated before the threads start. If one
    allocation fails, the earlier ones are freed."""
    P = as_pattern(read(name))
    rank = btfperm.structural_rank(P, threads=1)

    def call():
        for initializer in ("none", "greedy"):
            options = {"algorithm": algorithm, "initializer": initializer, "threads": 3}
            assert btfperm.structural_rank(P, **options) == rank

    assert each_failure(call) > 0


@pytest.mark.usefixtures("everything_shared")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "options",
    [{}, {"max_phases": 1}, {"passes": 0}],
    ids=str,
)
def test_last_turn(options, threads):
    """Trees, pushes and Hopcroft-Karp leave a legal matching, wherever one of them
    fails."""
    P = as_pattern(read("Erdos971"))
    rank = btfperm.structural_rank(P)

    def call():
        rows, cols, cover, _ = _core.transversal.unmatched(P.m, P.indptr)
        try:
            _core.transversal.finish_by_trees(
                P.m, P.indptr, P.indices, rows, cols, cover, threads=threads, options=options
            )
        finally:
            assert _core.transversal.check_matching(P.m, P.indptr, P.indices, rows, cols)[0] == 0
        assert (cols >= 0).sum() == rank

    assert each_failure(call) > 0


@pytest.mark.parametrize("name", ["Erdos971", "lpA_25fv47", "cat_ears_3_1", "bp_1200"])
def test_decomposition(name):
    P = as_pattern(read(name))
    t = btfperm.maximum_transversal(P)
    right = btfperm.dulmage_mendelsohn(P, transversal=t)

    def call():
        d = btfperm.dulmage_mendelsohn(P, transversal=t)
        np.testing.assert_array_equal(d.row_perm, right.row_perm)
        np.testing.assert_array_equal(d.col_blocks, right.col_blocks)

    assert each_failure(call) > 0


@pytest.mark.usefixtures("everything_shared")
@pytest.mark.parametrize("name", ["Erdos971", "lpA_25fv47", "bp_1200"])
def test_decomposition_on_threads(name):
    P = as_pattern(read(name))
    t = btfperm.maximum_transversal(P, threads=1)
    right = btfperm.dulmage_mendelsohn(P, transversal=t, threads=1)

    def call():
        d = btfperm.dulmage_mendelsohn(P, transversal=t, threads=3)
        np.testing.assert_array_equal(d.row_perm, right.row_perm)
        np.testing.assert_array_equal(d.col_blocks, right.col_blocks)

    assert each_failure(call) > 0


def test_block_graph():
    d = btfperm.dulmage_mendelsohn(read("bp_1200"))
    levels = d.block_graph().n_levels

    def call():
        assert d.block_graph().n_levels == levels

    assert each_failure(call) > 0


def test_triangular_form_of_a_singular_matrix():
    P = as_pattern(read("Erdos971"))
    blocks = btfperm.block_triangular_form(P, threads=1).blocks

    def call():
        np.testing.assert_array_equal(btfperm.block_triangular_form(P, threads=1).blocks, blocks)

    assert each_failure(call) > 0


def test_pattern():
    """Patterns from unsorted coordinates with duplicates and from compressed rows; a pattern is
    transposed twice, and zeros are dropped."""
    A = sp.coo_array(read("west0479"))
    rows, cols = np.tile(A.row[::-1], 2), np.tile(A.col[::-1], 2)
    values = np.tile(A.data[::-1], 2)
    csr = sp.csr_array(
        (values, cols, np.arange(0, values.size + 1)), shape=(values.size, A.shape[1])
    )
    right = as_pattern(A)

    def call():
        P = Pattern.from_coo(rows, cols, A.shape, values=values)
        np.testing.assert_array_equal(P.indices, right.indices)
        np.testing.assert_array_equal(P.T.T.indices, right.indices)
        with_zeros_dropped = as_pattern(P, drop_zeros=True)
        np.testing.assert_array_equal(
            as_pattern(with_zeros_dropped, drop_zeros=False).indices, right.indices
        )
        assert as_pattern(csr).nnz == values.size

    each_failure(call)


class _Mallinfo2(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def bytes_in_use():
    """The bytes that malloc has allocated and that have not been freed."""
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError):
        pytest.skip("only glibc reports what malloc has allocated")
    mallinfo2.restype = _Mallinfo2
    info = mallinfo2()
    return info.uordblks + info.hblkhd


@pytest.fixture
def malloc_counts():
    """Skips if another malloc, such as a sanitizer's, does not update glibc's counters."""
    before = bytes_in_use()
    probe = bytearray(100_000)
    if bytes_in_use() - before < len(probe):
        pytest.skip("this malloc does not count its allocations")


@pytest.mark.usefixtures("malloc_counts")
@pytest.mark.parametrize("stage", [*ALGORITHMS, "decomposition"])
def test_nothing_leaks_when_an_allocation_fails(stage):
    """One lost array of n bytes, the smallest one, would be 40 kB in two repetitions."""
    n = 20_000
    P = as_pattern(families.random_rectangle(n, n, 2.0, 7).A)  # deficient, with all coarse parts
    t = btfperm.maximum_transversal(P)

    def every_stage():
        if stage == "decomposition":
            btfperm.dulmage_mendelsohn(P, transversal=t).block_graph()
        else:
            btfperm.maximum_transversal(P, algorithm=stage, initializer="karp-sipser")

    failures = each_failure(every_stage)
    before = bytes_in_use()
    for _ in range(2):
        assert each_failure(every_stage) == failures
    assert bytes_in_use() - before < 30_000


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.usefixtures("everything_shared")
def test_ordering(threads):
    f = btfperm.block_triangular_form(as_pattern(read("west0479")), threads=1)
    form = f.pattern, f.matched_row_perm, f.col_perm, f.blocks
    right = {method: order_places(*form, method) for method in ("amd", "colamd", "rcm")}
    fill = count_fill(*form, right["amd"], 10**5)

    def call():
        for method, order in right.items():
            np.testing.assert_array_equal(order_places(*form, method, threads), order)
        assert count_fill(*form, right["amd"], 10**5, threads) == fill

    assert each_failure(call) > 0
