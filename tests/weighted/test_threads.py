# SPDX-License-Identifier: BSD-3-Clause
"""The blocks are searched on several threads; the result is that of one thread."""

from __future__ import annotations

import signal

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import _core
from tests.faults.test_allocation import each_failure
from tests.faults.test_interrupt import AlarmError
from tests.weighted.test_weighted_transversal import check_scalings


@pytest.fixture(autouse=True)
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


def of_blocks(seed, count=60, largest=40):
    """Permuted diagonal blocks, square and rectangular, with entries above them."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest, (count, 2))
    sizes[rng.random(count) < 0.8, 1] = -1
    sizes = [(m, m if n < 0 else n) for m, n in sizes]
    blocks = []
    for m, n in sizes:
        block = np.exp(3 * rng.normal(size=(m, n))) * (rng.random((m, n)) < 0.3)
        k = min(m, n)
        block[np.arange(k), rng.permutation(k)] = np.exp(rng.normal(size=k))
        blocks.append(block)
    A = sp.block_diag(blocks, format="csr")
    m, n = A.shape
    A = A + sp.triu(sp.random(m, n, 2 / n, random_state=rng, format="csr"))
    return sp.csc_array(sp.csr_array(A)[rng.permutation(m)][:, rng.permutation(n)])


@pytest.mark.parametrize("objective", ["product", "sum"])
@pytest.mark.parametrize("seed", range(5))
def test_the_same_result_for_every_number_of_threads(seed, objective):
    A = of_blocks(seed)
    alone = btfperm.weighted_transversal(A, objective=objective, threads=1)
    if objective == "product":
        check_scalings(A, alone)
    for threads in (2, 4):
        w = btfperm.weighted_transversal(A, objective=objective, threads=threads)
        assert w == alone
        assert (w.objective, w.gap, w.counters) == (alone.objective, alone.gap, alone.counters)


def test_a_failed_allocation_on_a_thread():
    A = of_blocks(1, count=10)
    alone = btfperm.weighted_transversal(A, threads=1)

    def call():
        assert btfperm.weighted_transversal(A, threads=3) == alone

    assert each_failure(call) > 0


@pytest.mark.parametrize("threads", [2, 4])
def test_limits_on_threads(threads):
    """The limit counts the entries that all threads visit."""
    rng = np.random.default_rng(0)
    A = sp.block_diag([np.exp(rng.normal(size=(150, 150))) for _ in range(8)], format="csc")
    edges = btfperm.weighted_transversal(A, threads=1).counters["edges"]
    for share in (0.5, 0.9):
        with pytest.raises(btfperm.LimitReachedError, match="weighted search was stopped"):
            btfperm.weighted_transversal(A, threads=threads, max_work=int(share * edges))
    assert btfperm.weighted_transversal(A, threads=threads, max_work=2 * edges).gap < 1e-6


@pytest.mark.parametrize("algorithm", ["mc64", "heavy-perfect"])
def test_every_limit(algorithm):
    """The test includes a limit that ends the search for the last column, which leaves this column
    unmatched."""
    stopped = 0
    for seed in range(15):
        A = np.exp(3 * np.random.default_rng(seed).normal(size=(6, 6)))
        whole = btfperm.weighted_transversal(A, algorithm=algorithm, threads=1)
        for work in range(100, 10 + 2 * whole.counters["edges"], 3):
            try:
                w = btfperm.weighted_transversal(A, algorithm=algorithm, threads=1, max_work=work)
            except btfperm.LimitReachedError:
                stopped += 1
            else:
                assert w == whole
    assert stopped > 100


@pytest.mark.parametrize("threads", [1, 3])
def test_a_signal_handler_runs_in_the_middle(threads):
    """The alarm rings repeatedly: two rings within one call of the core end it."""
    rng = np.random.default_rng(0)
    n, count = 800, 6
    size = n * count
    columns = [np.arange(0, (size + 1) * n, n, np.int32), np.empty(size * n, np.int32)]
    columns[1][:] = (np.arange(size)[:, None] // n * n + np.arange(n)).ravel()
    places = np.arange(size, dtype=np.int32)
    starts = np.arange(0, size + 1, n, dtype=np.int32)
    match, dual = [np.empty(size, np.int32) for _ in "rc"], [np.empty(size) for _ in "rc"]
    rung = []

    def ring(_number, frame):
        rung.append((id(frame), frame.f_lasti))
        if len(rung) > 1 and rung[-1] == rung[-2]:
            signal.setitimer(signal.ITIMER_REAL, 0)  # else it would ring after the test, too
            raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    value = rng.normal(size=size * n)
    try:
        with pytest.raises(AlarmError):
            signal.setitimer(signal.ITIMER_REAL, 0.001, 0.01)
            for _ in range(5):  # on a busy machine, the calling thread may take part for too short
                rung.clear()
                _core.weighted.mc64(
                    size, *columns, value, places, places, starts, starts, *match, *dual,
                    threads=threads,
                )  # fmt: skip
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
