# SPDX-License-Identifier: BSD-3-Clause
"""The statements of the papers on local max and red-blue, judged on made-up rows."""

from __future__ import annotations

import pytest

from benchmarks.papers import claims_graphs, claims_graphs_gpu, claims_red_blue
from benchmarks.papers.paper_002 import PAIRS, WHERE
from benchmarks.papers.paper_004 import left_per_round

TIMES = {"gpa": 5.0, "greedy": 3.0, "local-max": 2.0, "hem": 1.0, "red-blue": 6.0}
WEIGHTS = {"gpa": 100.0, "greedy": 98.0, "local-max": 98.0, "hem": 87.0, "red-blue": 86.0}


def row(n=8, times=None, weights=None, matrix="delaunay:3"):
    """A row of the section paper-004 whose times and weights are in the paper's order."""
    return {
        "matrix": matrix,
        "n": n,
        "edges": 3 * n,
        "median": {**TIMES, "hem, random order": 2.0, **(times or {})},
        "weight": {**WEIGHTS, **(weights or {})},
        "rounds": dict.fromkeys(TIMES, 5),
        "left": {"local-max": [0.2, 0.04], "red-blue": [0.3, 0.09]},
    }


def held(claims, words):
    (claim,) = [claim for claim in claims if words in claim.words]
    return claim.held


def test_a_weight_must_be_about_the_paper_s():
    groups = {"delaunay": [row()]}
    item = claims_graphs._quality(groups, "Figure 2", "delaunay", (2, 2, 13, 14))
    assert [claim.held for claim in item.claims[:4]] == [1, 1, 1, 1]
    groups = {"delaunay": [row(weights={"local-max": 97.1, "red-blue": 88.1})]}
    item = claims_graphs._quality(groups, "Figure 2", "delaunay", (2, 2, 13, 14))
    assert [claim.held for claim in item.claims[:4]] == [1, 0, 1, 0]


def test_codes_are_dominated_in_weight_and_time():
    claims = claims_graphs._dominance([row()])
    assert [claim.held for claim in claims] == [1, 1, 1]
    slow = row(times={"local-max": 4.0, "hem": 2.0, "hem, random order": 2.2})
    claims = claims_graphs._dominance([slow, slow])
    assert held(claims, "not dominated") == pytest.approx(2 / 3)  # greedy dominates local-max
    assert held(claims, "a random order") == 0
    fast = row(times={"red-blue": 0.5})
    assert held(claims_graphs._dominance([fast]), "red-blue is dominated") == 0


@pytest.mark.parametrize(("greedy", "judged"), [((4.0, 1.0), 1), ((4.0, 2.0), 0)])
def test_both_codes_must_be_considerably_faster_once(greedy, judged):
    rows = [row(times={"greedy": seconds}) for seconds in greedy]
    assert claims_graphs._both_ways(rows).held == judged


def test_rounds_of_both_codes_are_compared():
    other = row()
    other["left"] = {"local-max": [0.2], "red-blue": [0.1]}
    assert left_per_round(other, "red-blue") == pytest.approx(0.1)
    item = claims_graphs._rounds([row(), other, {**row(), "left": {"local-max": [0.0]}}], None)
    assert held(item.claims, "more edges than one of red-blue") == 0.5


def test_the_gpu_on_random_geometric_graphs():
    def on_gpu(n, gain, over):
        times = {"local-max": gain, "local-max, GPU": 1.0, "red-blue, GPU": over}
        return row(n, {**times, "red-blue, 4 threads": gain / 1.2})

    rgg = [on_gpu(1 << k, 20.0, 0.5 if k < 5 else 1.5) for k in range(3, 6)]
    groups = {"rgg": rgg, "delaunay": [on_gpu(8, 30.0, 2.0)]}
    slower, last = claims_graphs_gpu.of_rgg(groups)
    assert slower.held == 1 and last.held == 1 and last.ours == "on 1 of 3 sizes"
    rgg[0]["median"]["red-blue, GPU"] = 1.5
    assert claims_graphs_gpu.of_rgg(groups)[1].held == 0
    item = claims_graphs_gpu.on_gpu(groups, "Figure 10", ("rgg",), 24)
    assert held(item.claims, "4 cores is slightly faster") == 1
    assert held(item.claims, "on the smallest graphs") == 0
    assert claims_graphs_gpu.of_rgg({"rgg": rgg}) == []


def speeds(matrix, edges, by_code):
    """A row of the section paper-002. `by_code` has the speed of each serial algorithm on all cores
    and on a GPU."""
    ratios = {
        f"{what}: {parallel}, {where} / {serial}": [speed, 0.0]
        for parallel, serial, what in PAIRS
        if what == "speed"
        for where, speed in zip(WHERE, by_code[serial], strict=True)
    }
    return {"matrix": matrix, "edges": edges, "ratios": ratios}


def test_speeds_of_red_blue_are_compared_with_each_other():
    even = {"alg. 1, random": (2.0, 9.0), "alg. 1, weighted": (1.0, 10.0)}
    even["alg. 2, weighted"] = (4.0, 12.0)
    uneven = {name: (cores, 1.0) for name, (cores, _) in even.items()}
    rows = [speeds("grid:300", 200_000, even), speeds("kron:14", 210_000, uneven)]
    lower, gpu, degrees = claims_red_blue._between_speeds(rows)
    assert lower.ours == "1 of 2 kinds of parallel code"
    assert gpu.held == 0 and degrees.held == 1
    rows = [speeds("grid:300", 200_000, even), speeds("kron:14", 210_000, even)]
    lower, gpu, degrees = claims_red_blue._between_speeds(rows)
    assert gpu.held == 1 and degrees.held == 0
    lower, gpu, degrees = claims_red_blue._between_speeds([])
    assert lower.held is gpu.held is degrees.held is None


def test_random_matching_is_slower_on_small_graphs():
    small = {"alg. 1, random": (0.5, 0.4), "alg. 1, weighted": (2.0, 2.0)}
    small["alg. 2, weighted"] = (4.0, 4.0)
    found = claims_red_blue._by_size([speeds("a", 99_999, small)])
    assert held(found, "random matching is slower") == 1
    assert held(found, "heavier") is None
