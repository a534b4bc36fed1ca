# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on skipped tests."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from tests.skips import PERMITTED, excess, reason_of


def test_a_reason_without_permission_is_an_error():
    (sentence,) = excess(Counter({"no time": 2}))
    assert sentence == "2 tests skipped for a reason that is not permitted: no time"


@pytest.mark.parametrize(
    ("reason", "bound"),
    [("root reads everything", 3), ("libbtf is not installed", 0), ("square only", 40)],
)
def test_each_reason_has_a_bound(reason, bound):
    assert excess(Counter({reason: bound})) == []
    assert len(excess(Counter({reason: bound + 1}))) == 1


def test_reasons_of_one_row_are_counted_together():
    assert excess(Counter({"square only": 20, "nonsingular only": 20})) == []
    assert len(excess(Counter({"square only": 20, "nonsingular only": 21}))) == 1


def test_rows_have_their_own_bounds():
    assert len({pattern for pattern, _ in PERMITTED}) == len(PERMITTED)


def test_the_reason_is_the_argument_of_skip():
    skipped = SimpleNamespace(longrepr=("file.py", 3, "Skipped: no GPU: none"))
    assert reason_of(skipped) == "no GPU: none"
