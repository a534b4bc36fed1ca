# SPDX-License-Identifier: BSD-3-Clause
"""The system refuses to start threads. The threads that did start share the work."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import btfperm
from btfperm import _core
from btfperm.backends import threads
from btfperm.errors import BackendWarning
from btfperm.io import write_matrix
from tests import families
from tests.checks.check_transversal import check_transversal

ROOT = Path(__file__).parents[2]


def in_fresh_thread(call):
    """The result of `call` in a thread from which OpenMP has not started any others."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


@pytest.fixture
def refusing(monkeypatch):
    """A function that sets how many threads may be started beside the calling one."""
    monkeypatch.setattr(threads, "_warned", False)
    before = _core.backends.share_always(True)
    yield _core.backends.refuse_threads_beyond
    _core.backends.refuse_threads_beyond(-1)
    _core.backends.share_always(before)


@pytest.mark.parametrize(("max_started", "given"), [(0, 1), (1, 2), (3, 3), (6, 4)])
def test_the_threads_that_start_do_the_work(refusing, max_started, given, run_seed):
    """btfperm asks for seven threads beside the calling one, and uses the calling one and half of
    those that start, rounded up. It warns once."""
    A = families.random_rectangle(3000, 3000, 2.7, run_seed).A
    refusing(max_started)

    def twice():
        with warnings.catch_warnings(record=True) as messages:
            warnings.simplefilter("always")
            found = [
                btfperm.maximum_transversal(A, threads=8, algorithm="ms-bfs-graft")
                for _ in range(2)
            ]
        return found, [str(w.message) for w in messages if w.category is BackendWarning]

    found, messages = in_fresh_thread(twice)
    for t in found:
        check_transversal(A, t)
        assert t.maximum and t.counters["threads"] >= given  # more if a second has passed
    assert found[0].counters["threads"] == given
    assert len(messages) == 1
    assert "refuses to start 8 threads" in messages[0] and messages[0].endswith(
        f"continues with {given}"
    )


def test_all_threads_start(refusing):
    """If all threads start, there is no warning and no counter. Later calls use the cached threads
    without a new request."""
    A = np.eye(300)

    def calls():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            first = btfperm.maximum_transversal(A, threads=4, algorithm="ms-bfs-graft")
            refusing(0)
            for fewer in (4, 3, 1, 3):
                btfperm.maximum_transversal(A, threads=fewer, algorithm="ms-bfs-graft")
        return first.counters

    assert "threads" not in in_fresh_thread(calls)


def test_a_shortage_that_passes(refusing):
    """For one second btfperm makes no new attempt; then it gets the threads."""

    def before_and_after():
        refusing(0)
        got = [_core.backends.start_threads(4)]
        refusing(-1)
        got.append(_core.backends.start_threads(4))
        time.sleep(1.1)
        return [*got, _core.backends.start_threads(4)]

    # the second result is possible if the first call takes a second
    assert in_fresh_thread(before_and_after) in ([1, 1, 4], [1, 4, 4])


# Runs in a process of its own, in which no other threads start or end. A thread takes a moment to
# end.
KEPT_THREADS = """
import os, time
from btfperm import _core

def left(expected):
    ends = time.monotonic() + 20
    while (count := len(os.listdir("/proc/self/task")) - others) != expected:
        if time.monotonic() > ends:
            break
        time.sleep(0.01)
    return count

others = len(os.listdir("/proc/self/task")) - 1
print(_core.backends.start_threads(4), left(4), _core.backends.start_threads(2), left(2))
_core.backends.refuse_threads_beyond(0)
print(_core.backends.start_threads(4), left(2))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="no list of threads here")
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer's OpenMP keeps all it started")
def test_openmp_keeps_the_stated_number_of_threads():
    """Four threads start for a call, then a call needs two, and OpenMP keeps two. A later call for
    four gets two if no others can start."""
    child = subprocess.run(
        [sys.executable, "-c", KEPT_THREADS], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert child.stdout.split() == ["4", "4", "2", "2", "2", "2"], child.stderr


def test_none_are_started_for_a_small_matrix(refusing):
    """63 threads would be refused here, with a warning."""
    _core.backends.share_always(False)
    refusing(0)

    def calls():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            d = btfperm.dulmage_mendelsohn(np.eye(3), threads=64)
            return d.structural_rank, btfperm.maximum_transversal(np.eye(3), threads=64).counters

    rank, counters = in_fresh_thread(calls)
    assert rank == 3 and "threads" not in counters


def test_a_team_is_not_larger_than_the_tables_of_the_core():
    assert in_fresh_thread(lambda: threads.start_threads(1000)) == 254


def test_decomposition(refusing, run_seed):
    A = families.random_rectangle(3000, 2500, 2.7, run_seed).A
    alone = btfperm.dulmage_mendelsohn(A, threads=1)
    refusing(3)
    with pytest.warns(BackendWarning):
        d = in_fresh_thread(lambda: btfperm.dulmage_mendelsohn(A, threads=8))
    np.testing.assert_array_equal(d.row_perm, alone.row_perm)
    np.testing.assert_array_equal(d.col_blocks, alone.col_blocks)


def test_reader(refusing, tmp_path):
    write_matrix(tmp_path / "a.mtx", np.eye(50))
    assert threads.startable_threads(5) == 5
    refusing(2)
    assert threads.startable_threads(5) == 2
    refusing(0)
    assert threads.startable_threads(5) == 1
    assert btfperm.read(tmp_path / "a.mtx", threads=5).nnz == 50


# There is no memory for 30 stacks, but for a few of them and the work.
CHILD = """
import resource
import btfperm
from tests import families
P = btfperm.as_pattern(families.random_rectangle(200_000, 200_000, 3, 1).A)
alone = btfperm.structural_rank(P, threads=1)
with open("/proc/self/statm") as statm:
    used = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 600 * 2**20,) * 2)
t = btfperm.maximum_transversal(P, threads=31, algorithm="ms-bfs-graft")
print(t.size - alone, t.counters.get("threads", 31))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the address space")
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer needs the whole address space")
def test_a_limit_on_memory():
    """btfperm tries to start the threads first. Otherwise libgomp would end the process: "Thread
    creation failed"."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD],
        cwd=ROOT,
        env={**os.environ, "OMP_STACKSIZE": "64M"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert child.returncode == 0, child.stderr
    difference, given = map(int, child.stdout.split())
    assert difference == 0 and 1 < given < 31
    assert child.stderr.count("BackendWarning") == 1
