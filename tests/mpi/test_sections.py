# SPDX-License-Identifier: BSD-3-Clause
"""The sections of the benchmarks over MPI ranks, on tiny matrices. Ranks use all cores while they
wait, so CI does not run them beside the other sections."""

from __future__ import annotations

import json
import sys

from tests.benchmarks.test_run import TINY, checked_sections_of, run
from tests.mpi.launcher import launcher, on_ranks


def test_every_section(tmp_path):
    launcher()
    names = {"mpi-scaling", "mpi-one-rank", "mpi-local-max"}
    words = [f"--section={name}" for name in sorted(names)]
    done = run("--all", tmp_path / "out", *words, *TINY)
    assert done.returncode == 0, done.stderr
    assert checked_sections_of(tmp_path / "out", tmp_path).keys() == names


def test_phases(tmp_path):
    matrix, record = tmp_path / "a.mtx", tmp_path / "phases.json"
    head = "%%MatrixMarket matrix coordinate pattern general\n"
    matrix.write_text(head + "3 3 5\n1 1\n2 1\n2 2\n3 3\n1 3\n")
    words = "-m", "benchmarks.mpi.phases", matrix, tmp_path / "perm.npz", "--json", record
    done = on_ranks(2, sys.executable, *words)
    assert done.returncode == 0, done.stderr
    found = json.loads(record.read_text())
    seconds = {row["phase"].strip(): row["values"][0] for row in found["phases"]}
    assert found["ranks"] == 2
    stages = [seconds[name] for name in ("read", "search", "decompose", "write")]
    assert 0 < min(stages) <= max(stages) <= found["seconds"]
    assert 0 < seconds["parse"] < seconds["read"]
    assert {"start", "certificate", "digraph", "order"} <= seconds.keys()
