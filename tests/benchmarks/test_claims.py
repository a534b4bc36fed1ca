# SPDX-License-Identifier: BSD-3-Clause
"""Statements of the papers that are counted over cases, judged on made-up rows."""

from __future__ import annotations

import pytest

from benchmarks.papers import (
    claims_gpu_push,
    claims_graphs_gpu,
    claims_red_blue,
    pages,
)

HEAD = {
    "machine": {"cpu": "c", "cores": 2, "memory_gib": 1, "system": "s", "load_at_start": 0},
    "versions": {"btfperm": "1"},
    "command": "run",
}


@pytest.mark.parametrize("quiet", [True, False])
def test_a_note_replaces_the_state_of_the_machine(quiet):
    head = {**HEAD, "machine": {**HEAD["machine"], "quiet": quiet}}
    plain = pages._source(pages.Result("r", head, {"left_out": []}, "a", "large"))
    assert ("(quiet)" in plain) == quiet and ("BUSY" in plain) != quiet
    data = {"left_out": [], "note": "Several sections ran."}
    noted = pages._source(pages.Result("r", head, data, "a", "large"))
    assert "quiet" not in noted and "BUSY" not in noted
    assert "load 0 at the start. " in noted and noted.endswith(" Several sections ran.")


@pytest.mark.parametrize(("sizes", "held", "ours"), [
    ((0.98, 0.99), 0, "0.985; more on 0 of 2"),
    ((0.98, 1.01), 1, "0.995; more on 1 of 2"),
])  # fmt: skip
def test_a_size_must_be_more_than_the_papers(sizes, held, ours):
    claim = claims_red_blue._ratio_claim("size", "size", 0.99, list(sizes))
    assert (claim.held, claim.ours) == (held, ours)


@pytest.mark.parametrize(("small", "large", "held"), [(0.5, 2.0, [1, 1]), (2.0, 1.5, [0, 0])])
def test_speeds_are_compared_by_the_number_of_edges(small, large, held):
    key = "speed: alg. 3, random, GPU / alg. 1, random"
    rows = [
        {"edges": edges, "ratios": {key: [speed, 0.0]}}
        for edges, speed in ((99_999, small), (100_000, large))
    ]
    *found, heavier = claims_red_blue._by_size(rows)
    assert [claim.held for claim in found] == held and heavier.held is None
    assert found[0].ours.endswith("of 1 speeds") and found[1].ours.endswith("of 1 means")


def test_gains_of_lists_are_judged_by_the_least_gain_of_the_paper(monkeypatch):
    """Lists gain 20 % with one strategy and 10 % with the others; shrinking gains 1 %. One adaptive
    strategy is slower than a fixed one, in each version."""
    monkeypatch.setattr(claims_gpu_push.causes, "of_lists", lambda *_: "")
    words = ("adaptive:0.3", "adaptive:0.7", "adaptive:1.5", "fixed:10", "fixed:50")
    times = dict(zip(words, (1.0, 1.1, 2.0, 1.5, 3.0), strict=True))
    median = {}
    for word, seconds in times.items():
        gain = 1.2 if word == "fixed:10" else 1.1
        median[f"g-pr-noshr {word}"] = seconds
        median[f"g-pr-first {word}"] = gain * seconds
        median[f"g-pr-shr {word}"] = seconds / 1.01
    counts = {name: {"loops": 9, "levels": 9, "relabels": 9} for name in median}
    row = {"matrix": "a", "n": 9, "median": median, "counters": counts, "stopped": {}}
    adaptive, both, configuration, lists, shrunk = claims_gpu_push._strategies([row], 2.0).claims
    assert adaptive.ours == "15 of 18 pairs" and both.held == 1
    assert configuration.held == 0 and configuration.ours == "best: g-pr-shr adaptive:0.3"
    assert lists.ours.startswith("1 of 5") and shrunk.held == 0


def test_the_densest_graphs_are_judged_from_2_15_vertices_on():
    rows = [
        {"n": n, "median": {"local-max, GPU": 1.0, "red-blue, GPU": gain}}
        for n, gain in ((1 << 14, 0.5), (1 << 16, 2.0), (1 << 18, 0.5))
    ]
    claim, *others = claims_graphs_gpu._denser([rows, rows])
    assert claim.ours == "1 of 2 graphs" and len(others) == 2
