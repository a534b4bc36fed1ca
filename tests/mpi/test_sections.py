# SPDX-License-Identifier: BSD-3-Clause
"""The sections of the benchmarks over MPI ranks, on tiny matrices. Ranks use all cores while they
wait, so CI does not run them beside the other sections."""

from __future__ import annotations

from tests.benchmarks.test_run import TINY, checked_sections_of, run
from tests.mpi.launcher import launcher


def test_every_section(tmp_path):
    launcher()
    names = {"mpi-scaling", "mpi-one-rank", "mpi-local-max", "mpi-phases"}
    words = [f"--section={name}" for name in sorted(names)]
    done = run("--all", tmp_path / "out", *words, *TINY)
    assert done.returncode == 0, done.stderr
    found = checked_sections_of(tmp_path / "out", tmp_path)
    assert found.keys() == names
    rows = found["mpi-phases"][1]["rows"]
    assert [row["ranks"] for row in rows] == [1, 2]
    seconds = {each["phase"].strip(): each["values"][0] for each in rows[1]["phases"]}
    stages = [seconds[name] for name in ("read", "search", "decompose", "write")]
    assert 0 < min(stages) <= max(stages) <= rows[1]["seconds"]
    assert 0 < seconds["parse"] < seconds["read"]
    assert {"start", "certificate", "digraph", "order"} <= seconds.keys()
