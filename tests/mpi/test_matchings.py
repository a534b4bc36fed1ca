# SPDX-License-Identifier: BSD-3-Clause
"""With ``deterministic=True``, the matching is the same in each run on a number of ranks. If each
rank analyses the matrix whole, it is that of one process."""

from __future__ import annotations

import json
import sys

import pytest

from tests.mpi.launcher import on_ranks


def found_on(ranks):
    """What `tests.mpi.matchings` prints."""
    done = on_ranks(ranks, sys.executable, "-m", "tests.mpi.matchings")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


@pytest.mark.parametrize("ranks", [2, 3])
def test_deterministic_matchings(ranks):
    first, second = found_on(ranks), found_on(ranks)
    assert len(first) == 4
    for one, other in zip(first, second, strict=True):
        runs = {*one["apart"], *other["apart"]}
        assert len(runs) == 1, f"{one['matrix']}: different matchings on {ranks} ranks"
        assert one["whole"] == one["whole in one process"] == other["whole"], one["matrix"]
        assert one["blocks"] == one["blocks in one process"] == other["blocks"], one["matrix"]
