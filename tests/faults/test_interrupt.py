# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C in the middle of a long search of the core: answered within a second."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import btfperm
from tests import families
from tests.transversal.methods import each_algorithm

ROOT = Path(__file__).parents[2]

# hopcroft-karp without a start needs some thousand phases on this, minutes in all.
CHILD = """
import btfperm
from tests import families
hard = families.renumbered(families.chain(1_000_000), "mixed", 1)
P = btfperm.as_pattern(hard.A)
print("searching", flush=True)
try:
    btfperm.maximum_transversal(P, algorithm="hopcroft-karp", initializer="none")
except KeyboardInterrupt:
    print("interrupted", flush=True)
else:
    print("finished", flush=True)
print(btfperm.structural_rank(P), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c():
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "searching\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        sent = time.perf_counter()
        answer = child.stdout.readline()
        assert answer == "interrupted\n"
        assert time.perf_counter() - sent < 1.0
        # the process goes on, and the next search is a whole one
        assert child.stdout.readline() == "1000000\n"
        assert child.wait(60) == 0
    finally:
        child.kill()
        child.stdout.close()
        child.wait()


class AlarmError(Exception):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")
@each_algorithm
def test_a_signal_handler_ends_any_search(algorithm):
    """The handler's own exception comes out, as Python users expect of a timeout by alarm."""
    P = btfperm.as_pattern(families.random_rectangle(1_000_000, 1_000_000, 2.7, 1).A)

    def ring(_number, _frame):
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    begin = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.03)
        with pytest.raises(AlarmError):
            btfperm.maximum_transversal(P, algorithm=algorithm, initializer="none")
        assert time.perf_counter() - begin < 1.03
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
