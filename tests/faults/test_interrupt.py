# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C in the middle of a long search of the core.

No assertion bounds a wall-clock time, which depends on the load of the machine. The delay after a
signal is measured in CPU time.
"""

from __future__ import annotations

import functools
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import btfperm
from btfperm import _core
from btfperm.ordering import count_symmetric
from tests import families
from tests.transversal.methods import INITIALIZERS, each_algorithm

ROOT = Path(__file__).parents[2]

# Without a start, hopcroft-karp takes longer on this matrix than the test waits for the child.
# Another thread interrupts it after 0.2 s of CPU time.
CHILD = """
import os, signal, sys, threading, time
import btfperm
from tests import families
hard = families.renumbered(families.chain(300_000), "mixed", 1)
P = btfperm.as_pattern(hard.A)
sent = []

def interrupt(begin):
    while time.process_time() - begin < 0.2:
        time.sleep(0.01)
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, args=(time.process_time(),), daemon=True).start()
try:
    limit = float(sys.argv[1]) if sys.argv[1:] else None
    which = {"algorithm": "hopcroft-karp", "initializer": "none"}
    btfperm.maximum_transversal(P, **which, threads=1, time_limit=limit)
except KeyboardInterrupt:
    print("interrupted", time.process_time() - sent[0], flush=True)
else:
    print("finished", flush=True)
print(btfperm.structural_rank(P), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("limit", [(), ("1000",)])
def test_ctrl_c(limit):
    """Ctrl-C ends the search, also a search with a time limit, which is polled at the same
    places."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *limit],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    outcome, seconds, rank = done.stdout.split()
    assert outcome == "interrupted" and float(seconds) < 0.5
    assert rank == "300000", "the process continues, and the next search is complete"


class AlarmError(Exception):
    pass


@functools.cache
def long_search():
    """Without a start, every search takes about half a second on one core."""
    return btfperm.as_pattern(families.random_rectangle(1_000_000, 1_000_000, 2.7, 1).A)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
@each_algorithm
def test_a_signal_handler_runs_in_the_middle_of_any_search(algorithm):
    """The exception of the handler reaches the caller, as users expect of a timeout by alarm."""
    P = long_search()
    wait = seconds_between_polls(
        lambda: btfperm.maximum_transversal(P, algorithm=algorithm, initializer="none", threads=1)
    )
    assert wait < 0.4


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
def test_a_signal_handler_runs_while_the_symmetry_of_one_block_is_counted():
    n = 3_000_000
    cycle = np.random.default_rng(1).permutation(n).astype(np.int32)  # far jumps: about 0.25 s
    below = np.empty(n, np.int32)
    below[cycle] = np.roll(cycle, 1)  # a cycle and the diagonal: one diagonal block
    indices = np.sort(np.column_stack([np.arange(n, dtype=np.int32), below]), axis=1).ravel()
    P = btfperm.Pattern(shape=(n, n), indptr=np.arange(0, 2 * n + 1, 2), indices=indices)
    order, blocks = np.arange(n, dtype=np.int32), np.array([0, n], dtype=np.int32)
    wait = seconds_between_polls(lambda: count_symmetric(P, order, order, blocks))
    assert wait < 0.4


def seconds_between_polls(call):
    """CPU time between the last two polls of the core, before an alarm ends `call`.

    The alarm rings repeatedly. If two handlers run at the same instruction of the same frame, they
    run within one call of the core; the second one raises. The core polls every 50 ms.
    """
    rung = []

    def ring(_number, frame):
        rung.append((time.thread_time(), id(frame), frame.f_lasti))
        if len(rung) > 1 and rung[-1][1:] == rung[-2][1:]:
            raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(AlarmError):
            signal.setitimer(signal.ITIMER_REAL, 0.001, 0.01)
            call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return rung[-1][0] - rung[-2][0]


def ended_in_the_middle(call, has_begun, is_complete):
    """Whether an alarm ends `call` between its first and its last write.

    If the alarm comes before the first write or after the end, the next one comes later.
    """

    def ring(_number, _frame):
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        delay = 0.01
        while True:
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                call()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except AlarmError:
                if has_begun() and not is_complete():
                    return True
            if is_complete():
                return False
            delay *= 1.5
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def permutation_matrix(n):
    """The arguments of a permutation matrix and its matching. Neighbouring entries are far apart in
    memory."""
    rows = (np.arange(n) * 7_919 % n).astype(np.int32)  # 7,919 is a prime that divides no n here
    cols = np.empty_like(rows)
    cols[rows] = np.arange(n, dtype=np.int32)
    return n, np.arange(n + 1, dtype=np.int32), rows, cols, rows


PASSES = {
    "certify": lambda P, out: _core.transversal.certify(*P, np.zeros(P[0], np.uint8), out),
    "certify, shared": lambda P, out: _core.transversal.certify(
        *P, np.zeros(P[0], np.uint8), out, threads=2
    ),
    "complete_cover": lambda P, out: _core.transversal.complete_cover(
        P[4], np.zeros(P[0], np.uint8), out
    ),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
@pytest.mark.parametrize("name", PASSES)
def test_a_signal_ends_a_single_long_pass(name):
    """The core polls every 50 ms. If the pass is shorter than that, a larger matrix is tried."""
    unwritten = 7

    def ends(n):
        P, out = permutation_matrix(n), np.empty(n, dtype=np.uint8)

        def call():
            out.fill(unwritten)
            PASSES[name](P, out)

        return ended_in_the_middle(
            call, lambda: out[0] != unwritten, lambda: not np.any(out == unwritten)
        )

    assert any(ends(n) for n in (5_000_000, 15_000_000, 45_000_000))


@pytest.fixture
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "name",
    ["two-sided", "karp-sipser", "min-degree", "push-relabel", "push-relabel-mt", "ms-bfs-graft"],
)
def test_a_time_limit_holds_while_row_lists_are_made(name, threads, everything_shared):
    """Nothing is matched yet, and the result is this empty matching."""
    A = families.random_rectangle(10_000, 10_000, 2.7, 1).A
    initial = name in INITIALIZERS
    which = {"initializer": name} if initial else {"algorithm": name, "initializer": "none"}
    t = btfperm.maximum_transversal(A, **which, threads=threads, time_limit=1e-6)
    assert not t.maximum and t.size == 0
    assert (t.stopped_by, t.counters.get("edges", 0)) == ("time_limit", 0)
