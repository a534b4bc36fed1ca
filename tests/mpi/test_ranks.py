# SPDX-License-Identifier: BSD-3-Clause
"""Runs all cases on 1, 2, 3 and 7 ranks, and those of GPUs on emulated devices on 1, 2 and 3
ranks."""

from __future__ import annotations

import json
import sys

import pytest

from tests.mpi.launcher import emulated_or_skip, on_ranks


@pytest.mark.parametrize("ranks", [7, 3, 2, 1])  # the longest first
def test_cases(ranks, tmp_path):
    assert len(_failures_checked(ranks, tmp_path, "-m", "tests.mpi.cases")) > 15, "all cases ran"


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_cases_on_gpus(ranks, tmp_path):
    emulated = emulated_or_skip()
    assert len(_failures_checked(ranks, tmp_path, *emulated, "-m", "tests.mpi.gpu_cases")) > 6


def _failures_checked(ranks, tmp_path, *program):
    report = tmp_path / "report.json"
    program = (*program, report, tmp_path, ranks)
    # Kernels may have to be compiled first, beside another test.
    ended = on_ranks(ranks, sys.executable, "-W", "ignore", *program, timeout=600)
    assert report.is_file(), f"{ended.stdout}\n{ended.stderr}"
    failures = json.loads(report.read_text(encoding="utf-8"))
    assert not any(failures.values()), "\n".join(
        f"{name}: {text}" for name, texts in failures.items() for text in texts
    )
    return failures
