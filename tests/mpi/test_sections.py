# SPDX-License-Identifier: BSD-3-Clause
"""The sections of the benchmarks over MPI ranks, on tiny matrices. Ranks use all cores while they
wait, so CI does not run them beside the other sections."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.benchmarks.test_run import TINY, checked_sections_of, run
from tests.known_answers import MATRICES
from tests.mpi.launcher import ROOT, launcher


def test_every_section(tmp_path):
    launcher()
    names = {"mpi-scaling", "mpi-one-rank", "mpi-local-max", "mpi-phases", "mpi-rules"}
    words = [f"--section={name}" for name in sorted(names)]
    done = run("--all", tmp_path / "out", *words, *TINY)
    assert done.returncode == 0, done.stderr
    found = checked_sections_of(tmp_path / "out", tmp_path)
    assert found.keys() == names
    applied = [(row["decision"], row["rule"]) for row in found["mpi-rules"][1]["rows"]]
    assert applied[:2] == [("place over ranks", "one rank"), ("place over ranks", "small")]
    assert applied[2][0] == "start on mpi" and len(applied) == 3
    rows = found["mpi-phases"][1]["rows"]
    ways = [(row["ranks"], row["backend"]) for row in rows]
    assert ways == [(1, "mpi"), (2, "mpi"), (2, "auto")]
    seconds = {each["phase"].strip(): each["values"][0] for each in rows[1]["phases"]}
    stages = [seconds[name] for name in ("read", "search", "decompose", "write")]
    assert 0 < min(stages) <= max(stages) <= rows[1]["seconds"]
    assert 0 < seconds["parse"] < seconds["read"]
    assert {"start", "certificate", "digraph", "order"} <= seconds.keys()


def test_the_comparison_of_matrices_continues(tmp_path):
    """A later run compares only the matrices that have no result yet."""
    launcher()
    folder, store = tmp_path / "matrices", tmp_path / "store"
    folder.mkdir()

    def compared(*words):
        command = [sys.executable, "-m", "tests.mpi.all_matrices", str(folder), "--ranks", "2"]
        command += ["--store", str(store), *map(str, words)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    for name, words in {"first": (), "second": ("--out", tmp_path / "results")}.items():
        (folder / f"{name}.mtx.gz").write_bytes((MATRICES / "west0479.mtx.gz").read_bytes())
        done = compared(*words)
        assert done.returncode == 0, done.stderr
    (results,) = store.glob("*/2.ranks")
    assert [json.loads(line)[0] for line in results.read_text().splitlines()] == ["first", "second"]
    (record,) = (tmp_path / "results").glob("*.json")
    rows = json.loads(record.read_text())["sections"]["mpi-identical"]["rows"]
    assert [(row["ranks"], row["matrix"], row["same"]) for row in rows] == [
        (2, "first", True),
        (2, "second", True),
    ]
