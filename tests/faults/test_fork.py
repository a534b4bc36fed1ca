# SPDX-License-Identifier: BSD-3-Clause
"""Calls in forked children, in which OpenMP still expects threads that only the parent has."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import _core
from btfperm.path.make_plan import team_size
from tests import families

THREADS = 2
SECONDS = 120  # a child that waits for its parent's threads never returns

pytestmark = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no fork here"
)

CALLS = {
    "structural_rank": lambda A: btfperm.structural_rank(A, threads=THREADS),
    "maximum_transversal": lambda A: btfperm.maximum_transversal(A, threads=THREADS).row_match,
    "dulmage_mendelsohn": lambda A: btfperm.dulmage_mendelsohn(A, threads=THREADS).row_perm,
    "block_triangular_form": lambda A: btfperm.block_triangular_form(A, threads=THREADS).row_perm,
    "p-dbfs": lambda A: btfperm.structural_rank(A, threads=THREADS, algorithm="p-dbfs"),
    "from outside": lambda A: btfperm.structural_rank(
        A, threads=THREADS, initial=btfperm.maximum_transversal(A, threads=1)
    ),
}


@pytest.fixture(autouse=True)
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


def in_child(call):
    """The result of `call` in a forked child. An error states how the child ended, or where it
    waits."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    with tempfile.TemporaryFile() as stacks:

        def run():
            faulthandler.register(signal.SIGUSR1, file=stacks)
            theirs.send(call())

        child = fork.Process(target=run)
        child.start()
        theirs.close()  # so that the pipe ends with the child
        try:
            if ours.poll(SECONDS):
                return ours.recv()
            os.kill(child.pid, signal.SIGUSR1)  # also reaches a child that waits for a lock
            for _ in range(100):  # a busy machine needs some time for it
                time.sleep(0.1)
                if os.fstat(stacks.fileno()).st_size:
                    break
            time.sleep(0.1)
            stacks.seek(0)
            pytest.fail(f"the child does not return in {SECONDS} s\n{stacks.read().decode()}")
        except EOFError:
            child.join()
            pytest.fail(f"the child ended without a result, with exit code {child.exitcode}")
        finally:
            child.kill()
            child.join()
            ours.close()


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer takes its time for signals")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_what_a_child_that_fails_reports(monkeypatch):
    with pytest.raises(pytest.fail.Exception, match="without a result, with exit code 7"):
        in_child(lambda: os._exit(7))
    monkeypatch.setitem(globals(), "SECONDS", 0.5)
    lock = threading.Lock()
    with lock, pytest.raises(pytest.fail.Exception, match=r"(?s)not return in 0.5 s.*waits_for"):
        in_child(lambda: waits_for(lock))


def waits_for(lock):
    lock.acquire()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("name", CALLS)
def test_every_call_returns_in_a_child(name, run_seed):
    A = families.random_rectangle(4000, 4000, 2.7, run_seed).A
    call = CALLS[name]
    call(A)  # OpenMP now has its threads in the parent
    alone = btfperm.structural_rank(A, threads=1)
    answer = in_child(lambda: call(A))
    if np.ndim(answer) == 0:
        assert answer == alone
    elif name == "maximum_transversal":
        assert np.count_nonzero(answer >= 0) == alone
    else:
        assert sorted(answer) == list(range(4000))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_waits_for_no_lock_of_a_busy_parent():
    """The parent's threads allocate and free large pieces of memory all the time, so that a fork
    may happen while a thread holds the lock of the list of cached memory."""
    n = 10**6
    indptr, indices = np.zeros(n + 1, dtype=np.int32), np.zeros(0, dtype=np.int32)
    P = btfperm.as_pattern(sp.eye_array(60_000, format="csc"))
    done = threading.Event()

    def busy():
        matches = np.full((2, n), -1, dtype=np.int32)
        cover = np.zeros(n, dtype=np.uint8)
        while not done.is_set():
            _core.transversal.karp_sipser(n, indptr, indices, *matches, cover)

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(busy) for _ in range(2)]
        try:
            for _ in range(20):
                assert in_child(lambda: btfperm.structural_rank(P, algorithm="ss-dfs")) == 60_000
        finally:
            done.set()
        for each in running:
            each.result()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_only_a_child_runs_on_one_thread():
    """The same holds for a child of the child. The parent gets as many threads as it requests."""

    def threads_of_two():
        return [team_size(10**7, n) for n in (None, THREADS)]

    with ThreadPoolExecutor(1) as pool:  # without any thread, a child could start some
        pool.submit(int).result()
        assert in_child(threads_of_two) == [1, 1]
        assert in_child(lambda: in_child(threads_of_two)) == [1, 1]
    assert threads_of_two()[1] == THREADS


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_wrong_number_is_refused_in_a_child():
    def refused():
        with pytest.raises(btfperm.InvalidArgumentError, match="threads"):
            btfperm.structural_rank(np.eye(3), threads=0)
        return True

    assert in_child(refused)


def output(program, **environment):
    """The output of a new Python process, whose NumPy starts no threads."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return done.stdout.split()


FORKED = """
import os, warnings
warnings.simplefilter("ignore")
from btfperm.backends.threads import start_threads
{first}
child = os.fork()
if child:
    os.waitpid(child, 0)
print(start_threads(2), flush=True)
if not child:
    os._exit(0)  # as multiprocessing does: what ends threads at the end would wait for the parent's
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="no list of threads here")
def test_a_child_of_a_parent_with_one_thread_has_threads():
    """If the parent has started threads, the OpenMP of a child would wait for them, although the
    child does not have them. Then the child uses one thread, otherwise as many as it requests."""
    assert output(FORKED.format(first="")) == ["2", "2"]
    assert output(FORKED.format(first="start_threads(2)")) == ["1", "2"]


FORKED_DURING_AN_IMPORT = """
import os, signal, sys, threading, warnings
warnings.simplefilter("ignore")
import btfperm
importing = threading.Event()

class Slow:  # the import of a module begins before the fork, and takes a second longer
    def find_spec(self, name, path, target=None):
        if name == "btfperm.transversal" and not importing.is_set():
            importing.set()
            threading.Event().wait(1)

sys.meta_path.insert(0, Slow())
other = threading.Thread(target=lambda: btfperm.structural_rank)
other.start()
importing.wait()
child = os.fork()
if not child:
    signal.alarm(30)  # ends a child that waits for the parent's thread
    print(btfperm.structural_rank([[1, 2], [3, 4]]), flush=True)
    os._exit(0)
other.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_child_waits_for_no_import_of_its_parent():
    """Public names are imported at their first use, under a lock that another thread of the parent
    may hold."""
    assert output(FORKED_DURING_AN_IMPORT) == ["2", "0"]


def test_cores_are_counted_where_threads_are_bound_to_them():
    program = "from btfperm.backends.threads import usable_cores; print(usable_cores())"
    bound = output(program, OMP_PROC_BIND="close", OMP_PLACES="cores")
    assert bound == output(program, OMP_PROC_BIND="false") == [str(len(os.sched_getaffinity(0)))]
