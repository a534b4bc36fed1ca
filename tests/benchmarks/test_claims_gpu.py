# SPDX-License-Identifier: BSD-3-Clause
"""The statements of the two papers on GPU searches, judged on made-up rows."""

from __future__ import annotations

import pytest

from benchmarks.papers import claims_gpu, claims_gpu_bfs, claims_gpu_push
from benchmarks.papers.claims_gpu import BFS, PUSHES

LIMIT = 2.0


def row(name, own=None, multicore=(), sequential=(), **median):
    """A row of one graph: seconds of the best variants, and of P-DBFS and the others."""
    times = {BFS: own} if own else {}
    return {
        "matrix": name,
        "n": 9,
        "nnz": 9,
        "start": 3,
        "rank": 9,
        "median": {**times, **median},
        "stopped": {},
        "counters": {},
        "multicore": dict(multicore),
        "sequential": dict(sequential),
    }


def held(item, words):
    (claim,) = [claim for claim in item.claims if words in claim.words]
    return claim.held


def test_a_code_on_the_gpu_is_fastest_only_if_it_finished():
    fast = row("a", 1.0, {"p-dbfs": 1.5}, {"hopcroft-karp": 0.5})
    assert claims_gpu.is_fastest(fast, BFS, alone=False)
    assert not claims_gpu.is_fastest(fast, BFS)
    assert claims_gpu.is_fastest(row("a", 1.0), BFS), "all others were stopped"
    assert not claims_gpu.is_fastest(row("a"), BFS) and not claims_gpu.is_fastest(row("a"), PUSHES)
    assert claims_gpu.share_within([fast, row("b")], BFS) == 0.5
    assert claims_gpu.share_within([fast], "p-dbfs", (BFS,)) == 0
    assert claims_gpu.share_within([fast], "p-dbfs", (BFS,), 1.5) == 1


def test_stopped_codes_count_at_the_limit():
    rows = [row("a", 0.5), row("b", None, (), {"pothen-fan": 1.0})]
    assert claims_gpu.gains(rows, BFS, LIMIT) == [4.0, 0.5]
    assert claims_gpu.gains(rows, BFS, LIMIT, "hopcroft-karp") == [4.0, 1.0]


@pytest.mark.parametrize(("dbfs", "multicore"), [(0.1, 0), (0.6, 1)])
def test_the_gpu_must_beat_the_multicore_codes_on_three_of_four_natural_graphs(dbfs, multicore):
    """On 15 of 20 graphs in their own order and on 20 of 20 in a random order."""
    rows = [row(str(k), 0.5, {"p-dbfs": 1.0}) for k in range(2)]
    rows += [row("c", 0.5, {"p-dbfs": dbfs}), row("d", 0.5, {"pothen-fan": 0.2})]
    rows += [row(f"{k}+rcp", 0.5, {"p-dbfs": 1.0}) for k in range(4)]
    *_, item = claims_gpu_bfs._contest(rows, LIMIT)
    assert held(item, "multicore codes on 15 of 20 natural") == multicore
    assert held(item, "multicore codes on 20 of 20 permuted") == 1
    assert held(item, "sequential codes on 14 of 20 natural") == 1


def test_multicore_codes_are_compared_in_both_orders():
    """P-DBFS loses four fifths of its speed-up, P-PFP half."""
    own = row("a", 0.1, {"p-dbfs": 0.2, "pothen-fan": 0.4}, {"pothen-fan": 2.0})
    permuted = row("a+rcp", 0.1, {"p-dbfs": 1.0, "pothen-fan": 0.8}, {"pothen-fan": 2.0})
    alone = row("b+rcp", 0.1, {"p-dbfs": 0.001})  # not measured in its own order
    item, *_ = claims_gpu_bfs._contest([own, permuted, alone], LIMIT)
    lower, kept = claims_gpu_bfs._of_orders(claims_gpu.of_sets([own, permuted, alone]), LIMIT)
    assert lower.held == 1 and lower.ours == "speed-up 10.0 and 2.00 on 1 graphs"
    assert kept.held == 1 and kept.ours == "0.500 and 0.200 of it"
    assert held(item, "P-HK") is None
    assert held(item, "P-DBFS is the best multicore code, natural") == 1


def test_pairs_of_variants_are_compared_where_both_finished():
    counters = {
        "apfb ct": {"phases": 2, "levels": 100},
        "apsb ct": {"phases": 4, "levels": 8},
        "apfb mt": {"phases": 2, "levels": 10},
        "apsb mt": {"phases": 2, "levels": 50},
    }
    one = row("a", **{"apfb ct": 1.0, "apsb ct": 0.5, "apfb mt": 1.0, "apsb mt": 2.0})
    one["counters"] = counters
    stopped = {**one, "stopped": {"apsb ct": 3, "apfb mt": 3}}
    fewer, kernels, short = claims_gpu_bfs._levels([one, stopped]).claims
    assert fewer.ours == "1 of 2 pairs of variants", "equal numbers are not fewer"
    assert kernels.held == 0 and kernels.ours == "in 1 of 2 pairs of variants"
    assert short.ours == "1 of 1 pairs of variants"


def push_row(name, own, bfs, dbfs, push):
    times = {PUSHES: own, BFS: bfs}
    found = row(name, None, {"p-dbfs": dbfs}, {"push-relabel": push} if push else {})
    return {**found, "median": {k: v for k, v in times.items() if v}}


def test_g_pr_must_lead_in_both_profiles():
    rows = [push_row("a", 0.1, 0.2, 0.4, 1.0), push_row("del:24", 0.1, 0.12, 0.14, None)]
    rows.append(push_row("hex:9", 1.0, 0.1, 0.2, 0.5))
    speed_ups = claims_gpu_push._speed_ups(rows, LIMIT)
    assert held(speed_ups, "on 39 %") == 1 and held(speed_ups, "on 82 %") == 0
    more = speed_ups.claims[-1]
    assert more.held == 0 and more.ours == "G-PR 67%, G-HKDW 100%, P-DBFS 33%"
    profiles = claims_gpu_push._profiles(rows, LIMIT)
    assert held(profiles, "1.5 times the best time on 75 %") == 0
    assert profiles.claims[1].ours == "G-PR 67%, G-HKDW 67%, P-DBFS 33%"
    assert held(profiles, "at most 1.5 times on more graphs") == 0


def test_the_extremes_are_on_graphs_of_the_same_kind():
    rows = [push_row("a", 0.1, 0.2, 0.4, 1.0), push_row("del:24", 0.1, 0.2, 0.4, None)]
    rows.append(push_row("hex:9", 1.0, 0.1, 0.2, 0.5))
    item = claims_gpu_push._graph_by_graph(rows, LIMIT)
    assert held(item, "largest") == 1 and held(item, "least") == 1
    item = claims_gpu_push._graph_by_graph(rows[:1], LIMIT)
    assert held(item, "largest") == held(item, "least") == 0


def test_geometric_means_have_the_order_of_the_paper():
    rows = [push_row("a", 0.1, 0.2, 0.4, 1.0)]
    words = "order of the geometric means"
    assert held(claims_gpu_push._times(rows, LIMIT), words) == 1
    rows[0]["multicore"] = {}
    assert held(claims_gpu_push._times(rows, LIMIT), words) == 0
