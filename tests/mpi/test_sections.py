# SPDX-License-Identifier: BSD-3-Clause
"""The sections of the benchmarks over MPI ranks, on tiny matrices. Ranks use all cores while they
wait, so CI does not run them beside the other sections."""

from __future__ import annotations

from tests.benchmarks.test_run import TINY, checked_sections_of, run
from tests.mpi.launcher import launcher


def test_every_section(tmp_path):
    launcher()
    names = {"mpi-scaling", "mpi-local-max"}
    words = [f"--section={name}" for name in sorted(names)]
    done = run("--all", tmp_path / "out", *words, *TINY)
    assert done.returncode == 0, done.stderr
    assert checked_sections_of(tmp_path / "out", tmp_path).keys() == names
