# SPDX-License-Identifier: BSD-3-Clause
"""`order_file` reports each stage: progress during the stage, and its seconds afterwards."""

from __future__ import annotations

import time

import btfperm
from btfperm.io import write_matrix
from btfperm.order import order_file
from tests import families

A = families.random_rectangle(20_000, 20_000, 4, 1).A
STAGES = ["read", "search", "decompose", "write"]


def test_the_seconds_of_a_stage_exclude_other_stages(tmp_path):
    write_matrix(tmp_path / "A.npz", A)
    begin = time.perf_counter()
    done = order_file(tmp_path / "A.npz", [tmp_path / "perm.npz"])
    took = time.perf_counter() - begin
    assert list(done.seconds) == STAGES and min(done.seconds.values()) >= 0
    assert sum(done.seconds.values()) <= took + 1e-5  # each number is rounded to microseconds
    assert btfperm.load(tmp_path / "perm.npz") == done.decomposition


def test_progress_names_each_stage_and_its_file(tmp_path):
    matrix, outputs = tmp_path / "A.mtx", [tmp_path / "perm.npz", tmp_path / "perm.txt"]
    write_matrix(matrix, A)
    calls = []
    order_file(matrix, outputs, progress=lambda *call: calls.append(call))
    starts = [call[:2] for call in calls if call[2:] == (0, None)]
    files = [("read", matrix), ("search", None), ("decompose", None)]
    assert starts == [*files, *(("write", file) for file in outputs)]
    inside = [call for call in calls if call[2:] != (0, None)]
    size = matrix.stat().st_size
    assert {call[:2] for call in inside} == {("read", matrix)}
    assert inside[-1][2:] == (size, size)
