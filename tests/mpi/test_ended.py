# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that are killed, and Ctrl-C: the job ends, with an error and without a file."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time

import pytest

from tests.mpi.launcher import ROOT, launcher

# The command line, in which a rank runs `action` when it reaches a given step of the work.
PROGRAM = """
import os, runpy, signal, sys, time
from pathlib import Path
from btfperm import transversal
from btfperm.backends.mpi.exchange import Exchange
from btfperm.backends.mpi.launch import rank_by_launcher
from btfperm.io import save_mpi
rank, note = rank_by_launcher(), Path(sys.argv.pop(1))
def act():
    note.touch()
    {action}
def step(*given, **more):
    if rank == 1:
        act()
    return search(*given, **more)
def alone(*given, **more):
    if rank == 0:
        act()
    return one_process(*given, **more)
def part(*given):
    checksum = written(*given)
    if str(rank) == "{place}"[-1]:
        act()
    return checksum
if "{place}" == "search":
    search, Exchange.step = Exchange.step, step
elif "{place}" == "asleep":
    search, Exchange.rest = Exchange.rest, step
elif "{place}" == "alone":
    one_process, transversal.maximum_transversal = transversal.maximum_transversal, alone
else:
    written, save_mpi._write_part = save_mpi._write_part, part
runpy.run_module("btfperm_cli", run_name="__main__")
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"


# The way in which the ranks search, and the steps at which a rank may end.
BY_MESSAGES = ("--initializer", "none")
BY_FIRST_RANK = ("--algorithm", "first-rank")


@pytest.mark.parametrize(
    ("place", "action", "way"),
    [
        ("search", KILL, BY_MESSAGES),
        ("write 0", KILL, BY_MESSAGES),
        ("write 2", KILL, BY_MESSAGES),
        ("search", "time.sleep(60)", BY_MESSAGES),
        ("asleep", KILL, BY_FIRST_RANK),
        ("alone", KILL, BY_FIRST_RANK),
        ("alone", "time.sleep(60)", BY_FIRST_RANK),
    ],
)
def test_the_end(tmp_path, place, action, way):
    """The job ends if one rank is killed, and if the launcher gets Ctrl-C: while the ranks search
    together, while the first rank searches and the others sleep, and while they write the file."""
    folder, note = tmp_path / "files", tmp_path / "note"
    folder.mkdir()
    matrix = folder / "a.mtx"
    entries = "".join(f"{k} {k}\n{k} {k % 40 + 1}\n" for k in range(1, 41))
    matrix.write_text(f"%%MatrixMarket matrix coordinate pattern general\n40 40 80\n{entries}")
    program = textwrap.dedent(PROGRAM).format(place=place, action=action)
    words = [note, matrix, "-o", folder / "perm.npz", "--backend", "mpi", *way]
    with subprocess.Popen(
        [*launcher(), "-n", "3", sys.executable, "-c", program, *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        if action != KILL:
            until = time.monotonic() + 60
            while not note.exists() and time.monotonic() < until:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert note.exists(), errors
    assert process.returncode not in (0, None), out
    assert "structural rank" not in out and "Traceback" not in errors, errors
    if action != KILL:
        # None if another rank ends first and the launcher kills the first rank, which prints.
        assert errors.count("btfperm: interrupted") <= 1, errors
    assert list(folder.iterdir()) == [matrix], "no file of a result, whole or unfinished"
