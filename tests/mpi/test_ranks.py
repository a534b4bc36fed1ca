# SPDX-License-Identifier: BSD-3-Clause
"""All cases on 1, 2, 3 and 7 ranks."""

from __future__ import annotations

import json
import sys

import pytest

from tests.mpi.launcher import on_ranks


@pytest.mark.parametrize("ranks", [1, 2, 3, 7])
def test_cases(ranks, tmp_path):
    report = tmp_path / "report.json"
    ended = on_ranks(
        ranks, sys.executable, "-W", "ignore", "-m", "tests.mpi.cases", report, tmp_path, ranks
    )
    assert report.is_file(), f"{ended.stdout}\n{ended.stderr}"
    failures = json.loads(report.read_text(encoding="utf-8"))
    assert not any(failures.values()), "\n".join(
        f"{name}: {text}" for name, texts in failures.items() for text in texts
    )
    assert len(failures) > 15, "all cases ran"
