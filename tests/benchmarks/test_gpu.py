# SPDX-License-Identifier: BSD-3-Clause
"""The section for GPUs: graphs, variants, tables and curves; and a run, where there is a GPU."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import btfperm
from benchmarks import gpu
from benchmarks.cases import SETS
from benchmarks.contest import Options
from benchmarks.figures import gpu_speed_up, levels
from btfperm.backends.gpu import device

DATA = {
    "gpu": "some GPU (device 0)",
    "limit": 3.0,
    "variants": ["a ct", "b ct"],
    "rows": [
        {
            "matrix": name,
            "n": 1000,
            "nnz": 5000,
            "start": 900,
            "rank": rank,
            "median": median,
            "stopped": stopped,
            "sequential": sequential,
            "counters": {
                "a ct": {"phases": 2, "levels": 9, "levels_by_phase": [4, 5]},
                "b ct": {"phases": 3, "levels": 6, "levels_by_phase": [1, 2, 3]},
            },
        }
        for name, rank, median, stopped, sequential in (
            ("er:4:3", 990, {"a ct": 0.002, "b ct": 0.008}, {}, {"push-relabel": 0.01}),
            ("del:4", 1000, {"a ct": 0.008, "b ct": 0.002}, {}, {}),
            ("del:4+rcp", 1000, {"a ct": 0.5}, {"b ct": 988}, {"pothen-fan": 0.25}),
        )
    ],
}


def options():
    return Options("tiny", Path(), 2, 5.0, [], None, lambda _: None)


def test_each_set_has_graphs():
    assert set(gpu.NAMES) == set(SETS)
    for which in gpu.NAMES:
        assert [case.name for case in gpu.cases(which)] == gpu.NAMES[which].split()


def test_every_search_of_the_registry_is_a_variant_with_each_of_its_words():
    names = {(v.row.name, *v.options.values()) for v in gpu.variants()}
    for row in btfperm.algorithms():
        if row.backend == "gpu" and not row.is_initializer:
            assert any(name[0] == row.name for name in names)
    assert {("apfb", "ct"), ("apsb-wr", "mt")} <= names
    for variant in gpu.variants():
        assert variant.row.checked(variant.options) == variant.options


def test_ours_is_not_in_the_tables_of_the_papers():
    names = {variant.row.name for variant in gpu.published()}
    assert {v.row.name for v in gpu.variants()} - names == {"meeting-trees"}


def test_the_tables_show_what_was_measured():
    text = gpu.markdown(DATA)
    assert "| `er:4:3` | 1,000 | 5,000 | 90.0% | 2.00 | 8.00 |" in text
    assert "| `del:4+rcp` | 1,000 | 5,000 | 90.0% | 500 | > 12 |" in text
    assert "| natural | 2 | 4.00 | 4.00 |" in text
    assert "| permuted | 1 | 500 | >3000 |" in text
    assert "| natural, hardest | 1 | 8.00 | 2.00 |" in text
    assert "| all, hardest | 1 | 500 | >3000 |" in text and "| permuted, hardest |" not in text
    assert "| `del:4` | 2 / 9 | 3 / 6 |" in text
    assert "| `er:4:3` | > | > | 10.0 | 5.0 |" in text
    assert "| `del:4` | > | > | > |  |" in text


def test_the_hardest_are_those_on_which_the_best_is_slowest():
    rows = [{"matrix": f"er:{k}:3", "median": {"a ct": k, "b ct": 1000}} for k in range(60)]
    for many, hardest in ((60, gpu.HARDEST), (12, 6)):
        found = {name: [row["matrix"] for row in group] for name, group in gpu._sets(rows[:many])}
        assert found["all, hardest"] == [f"er:{k}:3" for k in range(many - hardest, many)]


def test_algorithms_can_be_named():
    named = dataclasses.replace(options(), algorithms=["g-pr-shr", "apsb"])
    field = gpu.asked_for(gpu.published(), named)
    assert {variant.row.name for variant in field} == {"g-pr-shr", "apsb"} and len(field) == 4
    assert gpu.asked_for(gpu.published(), options()) == gpu.published()


def test_the_curves_are_the_launches_of_each_phase():
    pytest.importorskip("matplotlib")
    figure = levels.draw(DATA)
    shown = [list(line.get_ydata()) for ax in figure.axes for line in ax.lines]
    assert shown == [[4, 5], [1, 2, 3]] * 2
    assert levels.draw({"rows": []}) is None


def test_the_speed_up_over_one_core_counts_what_was_stopped_at_the_edge():
    pytest.importorskip("matplotlib")
    figure = gpu_speed_up.draw(DATA)
    a, b, _ = (list(line.get_xdata()) for line in figure.axes[0].lines)
    assert a[:2] == [0.5, 5.0] and b[1] == 1.25 and b[0] < 0.5
    assert gpu_speed_up.draw({"rows": [], "variants": []}) is None


def test_without_a_gpu_it_says_so(monkeypatch):
    monkeypatch.setattr(device, "why_not", lambda: "none was planted")
    with pytest.raises(OSError, match="none was planted"):
        gpu.run([], options())


@pytest.mark.gpu
def test_a_run():
    section = gpu.run(gpu.cases("tiny"), options())
    assert not section.complaints
    for row in section.data["rows"]:
        assert set(row["median"]) == {variant.name for variant in gpu.published()}
    assert section.markdown == gpu.markdown(section.data)
