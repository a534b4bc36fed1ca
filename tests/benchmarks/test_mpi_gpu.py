# SPDX-License-Identifier: BSD-3-Clause
"""The limits on the memory of a GPU in the section mpi-gpu, with an allocator that is simulated;
and the graphs of the section mpi-gpu-scaling."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from benchmarks.cases import Case
from benchmarks.generators import counted
from benchmarks.mpi import gpu_ranks, gpu_scaling
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

    monkeypatch.setattr(gpu_ranks, "measured", measured)
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


def test_columns_of_a_random_graph_are_those_of_the_whole_one(monkeypatch):
    monkeypatch.setattr(counted, "ER_PIECE", 100)
    whole = counted.make("er", 8, 3.5)
    bounds = [0, 100, 101, 256]
    for first, last in itertools.pairwise(bounds):
        indptr, indices = counted.er_columns(np, 8, 3.5, first, last)
        part = whole[:, first:last]
        assert indptr.tolist() == part.indptr.tolist()
        assert indices.tolist() == part.sorted_indices().indices.tolist()


def test_graphs_that_fit_a_gpu():
    """The numbers of er:28:8 have 32 bits, those of er:29:8 64; both bounds count the columns, the
    compressed rows and the arrays of the search."""
    n = 2**28
    assert 50 * 4 * n < gpu_scaling.bytes_needed("er:28:8") < 55 * 4 * n
    assert gpu_scaling.bytes_needed("er:29:8") > 3.9 * gpu_scaling.bytes_needed("er:28:8")
    assert gpu_scaling.largest(8, 0) == 0
    for memory in (10**9, 79 * 10**9):
        x = gpu_scaling.largest(8, memory)
        assert gpu_scaling.bytes_needed(f"er:{x}:8") <= memory
        assert gpu_scaling.bytes_needed(f"er:{x + 1}:8") > memory


def test_two_gpus_are_measured_on_each_graph_and_on_twice_the_graph(monkeypatch):
    calls = []

    def measured(graph, ranks, where, environment, options, cap=0):
        calls.append((graph, ranks, where))
        return {"seconds": 0.002 * ranks, "rank": int(graph.split(":")[1])}

    monkeypatch.setattr(gpu_scaling, "measured", measured)
    monkeypatch.setattr(gpu_scaling, "gpu", lambda: "a GPU")
    monkeypatch.setattr(gpu_scaling, "_memory", lambda: 79 * 10**9)
    options = Options("tiny", Path(), 1, 1.0, [], None, lambda text: None)
    made = [Case(name, "", gpu_ranks.not_on_the_host) for name in ("er:10:4", "er:28:8")]
    section = gpu_scaling.run(made, options)
    assert section.complaints == []
    assert calls == [
        *(("er:10:4", 1, "host"), ("er:10:4", 1, "auto"), ("er:10:4", 2, "auto")),
        *(("er:11:4", 2, "auto"), ("er:10:4", 1, "gpu"), ("er:11:4", 2, "gpu")),
        *(("er:28:8", 1, "host"), ("er:28:8", 1, "auto"), ("er:28:8", 2, "auto")),
    ]
    assert "| `er:10:4` | 2^10 | 0.0 | 2.00 | 2.00 | 4.00 | 4.00 | 2.00 | 4.00 | 2.00 |" in (
        section.markdown
    )
    late = Options("tiny", Path(), 1, 1.0, [], None, lambda text: None, within=-1.0)
    assert gpu_scaling.run(made, late).data["rows"] == []
