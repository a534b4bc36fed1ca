# SPDX-License-Identifier: BSD-3-Clause
"""The limits on the memory of a GPU in the section mpi-gpu, with an allocator that is simulated."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.mpi import gpu_ranks
from benchmarks.report import Options


def limits(monkeypatch, held, need):
    """The measurements under limits, as tuples (number of ranks, limit in MB, whether it sufficed).
    For each number of ranks, `held` is the memory in MB that one GPU takes without a limit, and
    `need` the smallest memory that suffices."""

    def measured(name, ranks, where, environment, options, cap=0):
        assert (name, where, environment) == ("er:4:2", "gpu", {})
        if cap < need[ranks] * 10**6:
            return {"error": "too little memory"}
        return {"gpu_bytes": min(held[ranks] * 10**6, cap), "rank": 7}

    monkeypatch.setattr(gpu_ranks, "_measured", measured)
    ways = {1: "1 GPU", 2: "2 GPUs, NCCL"}
    rows = [
        {"matrix": "er:4:2", "way": way, "gpu_bytes": held[ranks] * 10**6}
        for ranks, way in ways.items()
    ]
    options = Options("tiny", Path(), 1, 1.0, [], None, lambda text: None)
    found = gpu_ranks._capped("er:4:2", rows, options)
    assert all(row["way"] == ways[row["ranks"]] for row in found)
    return [(row["ranks"], row["cap"] // 10**6, "error" not in row) for row in found]


def test_the_limit_decreases_until_one_gpu_does_not_suffice(monkeypatch):
    """The first figures are those of the result of 2026-11-26."""
    found = limits(monkeypatch, {1: 1342, 2: 638}, {1: 700, 2: 600})
    assert found == [
        (1, 990, True),
        (1, 814, True),
        (1, 726, True),
        (1, 682, False),
        (2, 682, True),
    ]


def test_the_first_limit_may_be_low_enough(monkeypatch):
    assert limits(monkeypatch, {1: 1342, 2: 638}, {1: 1000, 2: 600}) == [
        (1, 990, False),
        (2, 990, True),
    ]


def test_both_get_less_than_two_held_if_one_needs_no_more(monkeypatch):
    found = limits(monkeypatch, {1: 1000, 2: 800}, {1: 780, 2: 500})
    assert found[-2:] == [(1, 700, False), (2, 700, True)]
    assert all(suffices for _, _, suffices in found[:-2])


def test_the_search_ends_if_two_need_as_much_as_one(monkeypatch):
    found = limits(monkeypatch, {1: 1000, 2: 800}, {1: 600, 2: 600})
    assert found[-2:] == [(1, found[-1][1], False), (2, found[-1][1], False)]


@pytest.mark.parametrize("held", [{1: 800, 2: 800}, {1: 800, 2: 0}])
def test_no_limit_without_a_gain(monkeypatch, held):
    assert limits(monkeypatch, held, {1: 1, 2: 1}) == []
