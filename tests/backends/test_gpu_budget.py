# SPDX-License-Identifier: BSD-3-Clause
"""The budget of a search on a GPU: which polls count against it, and which limit comes first."""

from __future__ import annotations

import pytest

from btfperm.backends.gpu.budget import ABANDONED, Budget


@pytest.mark.parametrize(
    ("read", "stop"),
    [
        ([1, 2, 3], ABANDONED),
        ([100, 200, 300, 400], 0),
        ([100, 101, 200, 201, 300], 0),
        ([100, 101, 200, 201, 300, 301], ABANDONED),
    ],
)
def test_polls_count_if_few_entries_were_read(read, stop):
    budget = Budget(polls=3, many_entries=50)
    assert [budget.spent(edges) for edges in read] == [False] * (len(read) - 1) + [stop != 0]
    assert budget.stop == stop


def test_without_a_number_of_polls_there_is_no_limit():
    budget = Budget(many_entries=50)
    assert not any(budget.spent(edges) for edges in [0, 1, 100, 101, 1000])


def test_work_and_time_come_first():
    assert Budget(work=10, polls=1).spent(10)
    budget = Budget(work=10, polls=1)
    budget.spent(10)
    assert budget.stop == 3
    late = Budget(seconds=1e-9, polls=1)
    late.spent(0)
    assert late.stop == 2
    assert Budget(work=10).work_left(4, 3) == 3 and Budget(work=10).work_left(4, 30) == 6
