# SPDX-License-Identifier: BSD-3-Clause
"""Long passes of the core stop in the middle when their budget ends, on one thread and on three.
Without a budget they run to the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs import built

HERE = Path(__file__).parent
PASSES = [
    *("fill", "copy", "select", "collect", "first_touch", "transpose", "certify"),
    *("blocks", "order", "last_turn"),
]
LONG = [
    *("check_columns", "transpose", "merge_duplicates", "difference", "triplets", "karp-sipser"),
    *("karp-sipser, shared", "min-degree", "rank_at_most", "certify"),
]


@pytest.fixture(scope="module")
def passes(tmp_path_factory):
    """Runs a pass. Returns how it ended, and the number of elements that it left unwritten."""
    printed = built(HERE / "ended_passes.cpp", tmp_path_factory.mktemp("passes"))

    def ended(*words):
        how, left = printed(*words)
        return how, int(left)

    return ended


@pytest.fixture(scope="module")
def long_columns(tmp_path_factory):
    return built(HERE / "long_columns.cpp", tmp_path_factory.mktemp("passes"))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", PASSES)
def test_a_pass_ends_with_its_budget(passes, name, threads):
    if name == "first_touch" and threads == 1:
        pytest.skip("one thread makes no first-touch pass")
    whole, never = passes(name, threads, 0)
    ended, left = passes(name, threads, 1e-9)
    assert (whole, ended) == ("whole", "ended")
    assert left > never


@pytest.mark.parametrize("name", LONG)
def test_long_columns_are_not_one_piece(long_columns, name):
    """The number of polls of the budget grows with the number of entries, not only with that of the
    columns."""
    polls, entries = map(int, long_columns(name))
    assert entries > 0
    assert polls >= entries // 2**19
