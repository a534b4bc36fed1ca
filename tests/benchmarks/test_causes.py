# SPDX-License-Identifier: BSD-3-Clause
"""The sentences on causes state what made-up rows contain."""

from __future__ import annotations

import pytest

from benchmarks.papers import causes


def test_a_model_finds_the_costs_from_which_the_times_were_made():
    parts = [[1.0, 2.0, 0.0], [1.0, 5.0, 7.0], [1.0, 9.0, 1.0], [1.0, 4.0, 8.0]]
    seconds = [0.5 + 0.25 * a + 0.125 * b for _, a, b in parts]
    costs, error = causes.fitted(parts, seconds)
    assert costs == pytest.approx([0.5, 0.25, 0.125])
    assert error < 1e-9
    *_, worse = causes.fitted(parts, [*seconds[:3], 2 * seconds[3]])
    assert worse > 0.05


def _bfs(name, nnz, n, ct, mt, edges):
    counts = {f"apfb {t}": {"edges": e} for t, e in zip(("ct", "mt"), edges, strict=True)}
    return {"matrix": name, "nnz": nnz, "n": n, "median": {"apfb ct": ct, "apfb mt": mt},
            "counters": counts}  # fmt: skip


def test_ct_and_mt_are_compared_by_the_time_for_each_entry():
    rows = [_bfs("short", 30, 10, 1.0, 4.0, (100, 200)), _bfs("long", 200, 10, 1.0, 0.5, (50, 50))]
    text = causes.of_ct_and_mt(rows, ("apfb",))
    assert "column: 2 with fewer than 4, 0.5 with 10 to 40." in text
    assert "visits 1.41 times as many entries" in text
    assert causes.of_ct_and_mt([], ("apfb",)) == ""


def test_the_cost_of_a_loop_is_that_of_its_version():
    versions, words = ("first", "plain", "shrinking"), ("a", "b", "c")
    loop = {"first": 4.0, "plain": 2.0, "shrinking": 2.2}
    row = {"n": 1 << 22, "median": {}, "counters": {}}
    for k, version in enumerate(versions):
        for j, word in enumerate(words):
            counts = {"levels": 3 + 5 * j + k, "relabels": 1 + j * k, "loops": 10 + 7 * k - j}
            spent = counts["levels"] + 0.5 * counts["relabels"]
            row["median"][f"{version} {word}"] = 3.0 + spent + loop[version] * counts["loops"]
            row["counters"][f"{version} {word}"] = counts
    small = {**row, "n": 1 << 20}
    costs, error = causes._of_loops(row, versions, words)
    assert costs == pytest.approx(loop)
    assert error < 1e-9
    text = causes.of_lists([row, small], versions, words)
    assert "a loop with lists takes 0.5 of the time" in text
    assert "a loop of g-pr-shr takes 1.1 times" in text


def test_variation_without_the_longest_run():
    runs = {"even": {"g": {"seconds": [1.0, 1.0, 1.0, 2.0]}}, "none": {}}
    text = causes.of_variation(runs)
    assert "even 34.6 % on 1 graphs" in text
    assert "0.0 % without the longest run" in text
    assert "none" not in text


def test_the_variation_of_the_work_needs_three_runs():
    row = {"algorithm": "a", "options": {}, "edges": [1, 1, 1]}
    assert causes.of_work([row, {**row, "edges": [1, 2]}, {**row, "options": {"graft": 0}}]) == {
        "a": [0.0]
    }


def _parts(name, up, us, edges):
    search = {"edges": edges, "bottom_up_edges": up, "bottom_up_us": us}
    plain = {"edges": 1_000_000, "top_down_us": 1000}
    searches = {"neither": {"counters": plain}, "direction": {"counters": search}}
    return {"matrix": name, "starts": {"own": {"searches": searches}}}


def test_directions_are_divided_by_what_they_save():
    rows = [
        _parts("saves", 200_000, 400, 250_000),
        _parts("wastes", 1_500_000, 1000, 2_000_000),
        _parts("unmet", 0, 0, 900_000),
    ]
    text = causes.of_directions(rows)
    assert "On `saves`, direction optimisation visits 4 times fewer" in text
    assert "at 0.5 of the rate" in text
    assert "On `wastes`, bottom-up steps are as fast or faster (1.5 of the rate)" in text
    assert "visits 2 times as many entries" in text
    assert "On `unmet`, no level meets the condition" in text
    assert causes.of_directions(rows[:1]) == ""


def test_rounds_on_a_gpu():
    codes = (("one, GPU", "one"), ("two, GPU", "two"))
    rows = []
    for k in range(6):
        rounds = {"one, GPU": 5 + k, "two, GPU": 10 - k + (k == 3)}
        edges = 1000 * (k + 1) ** 2
        median = {"one, GPU": 1e-3 + 2e-5 * rounds["one, GPU"] + 1e-9 * edges,
                  "two, GPU": 2e-3 + 1e-5 * rounds["two, GPU"] + 3e-9 * edges}  # fmt: skip
        rows.append({"kind": "random", "rounds": rounds, "edges": edges, "median": median,
                     "left": {"one": [0.25, 0.0625]}})  # fmt: skip
    text = causes.of_rounds(rows, codes, rows[:2])
    assert "one 1.00 ms, 20 µs for each round and 1.00 ns for each edge (error at most 0%)" in text
    assert "local-max has 5, 6 rounds and red-blue 10, 9" in text
    assert "only 0.312, 0.312 of all edges" in text
    assert causes.of_rounds(rows[:5], codes, rows[:1]) == ""


def test_entries_of_a_path_and_of_a_phase():
    def row(name, edges, phases, paths=5):
        counts = {"edges": edges, "phases": phases, "augmentations": paths}
        return {"matrix": "g", "algorithm": name, "nnz": 100, "counters": counts}

    rows = [row("ss-bfs", 250, 7), row("pothen-fan", 120, 3), row("ms-bfs", 60, 2)]
    text = causes.of_phases(rows)
    assert "on `g`, 5 paths, 0.5, and 0.4 and 0.3 in 3 and 2 phases." in text
    assert causes.of_phases(rows[:2]) == "" == causes.of_phases([])
    assert causes.of_phases([row("ss-bfs", 9, 9, 0), *rows[1:]]) == ""


def test_gains_by_strategy():
    mean = {"one a": 3.0, "two a": 2.0, "one b": 0.9, "two b": 1.0}
    assert causes.gain(mean, ["a", "b"], "one", "two") == "-10 to 50"
