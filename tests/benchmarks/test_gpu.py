# SPDX-License-Identifier: BSD-3-Clause
"""The sections of the papers on GPU searches: variants, tables and figures; and a run on a GPU."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import btfperm
from benchmarks import run
from benchmarks.papers import contest_figures, figures, gpu, gpu_tables, paper_000, paper_003
from benchmarks.report import Options

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
            "multicore": {},
            "peers": {"sequential": ["push-relabel", "pothen-fan"], "multicore": []},
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


def test_every_search_of_the_registry_is_a_variant_with_each_of_its_words():
    names = {(v.row.name, *v.options.values()) for v in gpu.variants()}
    for row in btfperm.algorithms(package="transversal"):
        if row.backend == "gpu" and not row.is_initializer:
            assert any(name[0] == row.name for name in names)
    assert {("apfb", "ct"), ("apsb-wr", "mt")} <= names
    for variant in gpu.variants():
        assert variant.row.checked(variant.options) == variant.options


def test_ours_is_not_in_the_tables_of_the_papers():
    names = {variant.row.name for variant in gpu.published()}
    assert {v.row.name for v in gpu.variants()} - names == {"meeting-trees", "ordered-trees"}


def test_the_tables_show_what_was_measured():
    text = gpu_tables.markdown(DATA)
    assert "| `er:4:3` | 1,000 | 5,000 | 90.0% | 2.00 | 8.00 |" in text
    assert "| `del:4+rcp` | 1,000 | 5,000 | 90.0% | 500 | > 12 |" in text
    assert "| natural | 2 | 4.00 | 4.00 |" in text
    assert "| permuted | 1 | 500 | >3000 |" in text
    assert "| natural, hardest | 1 | 8.00 | 2.00 |" in text
    assert "| all, hardest | 1 | 500 | >3000 |" in text and "| permuted, hardest |" not in text
    assert "| `del:4` | 2 / 9 | 3 / 6 |" in text
    assert "| `er:4:3` | 10.0 | > | 5.0 |" in text
    assert "| `del:4` | > | > |  |" in text
    assert "on all cores" not in text, "no search on all cores was run"


def test_the_hardest_are_those_on_which_the_best_is_slowest():
    rows = [{"matrix": f"er:{k}:3", "median": {"a ct": k, "b ct": 1000}} for k in range(60)]
    for n_graphs, hardest in ((60, gpu_tables.HARDEST), (12, 6)):
        found = {
            name: [row["matrix"] for row in group]
            for name, group in gpu_tables.sets(rows[:n_graphs])
        }
        assert found["all, hardest"] == [f"er:{k}:3" for k in range(n_graphs - hardest, n_graphs)]


def test_algorithms_can_be_named():
    named = dataclasses.replace(options(), algorithms=["g-pr-shr", "apsb"])
    field = gpu.asked_for(gpu.published(), named)
    assert {variant.row.name for variant in field} == {"g-pr-shr", "apsb"} and len(field) == 4
    assert gpu.asked_for(gpu.published(), options()) == gpu.published()


def test_the_curves_are_the_launches_of_each_phase():
    pytest.importorskip("matplotlib")
    figure = figures.levels(DATA)
    shown = [list(line.get_ydata()) for ax in figure.axes for line in ax.lines]
    assert shown == [[4, 5], [1, 2, 3]] * 2
    assert figures.levels({"rows": []}) is None


def test_the_speed_up_over_one_core_counts_stopped_searches_at_the_edge():
    pytest.importorskip("matplotlib")
    data = {**DATA, "variants": ["apfb-wr ct"]}
    data["rows"] = [
        {**row, "median": {"apfb-wr ct": t} if t else {}, "multicore": {"p-dbfs": 0.02}}
        for row, t in zip(DATA["rows"], (0.002, 0.006, None), strict=True)
    ]
    data["rows"][0]["peers"] = {"sequential": [], "multicore": ["p-dbfs"]}
    figure = contest_figures.contest_speed_up(data)
    gpu_gains, cpu_gains, _ = (list(line.get_xdata()) for line in figure.axes[0].lines)
    assert gpu_gains[1:3] == [5.0, 500.0] and gpu_gains[0] < 0.5  # 3 s counts for a stopped peer
    assert cpu_gains[:3] == [0.5, 12.5, 150.0]
    assert contest_figures.contest_speed_up({"rows": [], "variants": []}) is None


def search_rows(**searches):
    """Rows of two graphs, one permuted: seconds of each search, None for a stopped one."""
    return [
        {
            "matrix": name,
            "n": n,
            "median": {k: each[at] for k, each in searches.items() if each[at] is not None},
        }
        for at, (name, n) in enumerate((("road:9+rcp", 81), ("er:4:3", 16)))
    ]


def bars_of(ax):
    """The upper ends of the bars, from left to right."""
    bars = sorted(ax.patches, key=lambda bar: bar.get_x())
    return [bar.get_y() + bar.get_height() for bar in bars]


def test_each_graph_has_its_speed_up_over_the_peers_of_its_paper():
    pytest.importorskip("matplotlib")
    rows = search_rows(**{"apfb-wr ct": (0.5, 0.1), "g-pr-shr adaptive:0.7": (None, 0.2)})
    rows[0]["sequential"] = {"pothen-fan": 2.0}
    rows[1]["sequential"] = {"hopcroft-karp": 0.05, "push-relabel": 1.0}
    data = {"limit": 3.0, "variants": list(rows[1]["median"]), "rows": rows}
    (ax,) = figures.individual_speed_up(data).axes
    assert [label.get_text() for label in ax.get_xticklabels()] == ["er:4:3", "road:9+rcp"]
    assert bars_of(ax) == pytest.approx([30.0, 0.5, 5.0, 4.0, 6.0])
    pale = [bar.get_alpha() is not None for bar in sorted(ax.patches, key=lambda b: b.get_x())]
    assert pale == [True, False, False, False, True]
    for row in rows:
        row["sequential"] = {}
    assert figures.individual_speed_up(data) is None, "no sequential search was measured"


def test_relabelling_shows_each_strategy_by_its_number():
    pytest.importorskip("matplotlib")
    means = {
        "g-pr-shr adaptive:10": (0.4, 0.03),
        "g-pr-shr adaptive:1.5": (0.2, 0.02),
        "g-pr-first adaptive:1.5": (None, 0.01),
    }
    data = {"limit": 3.0, "variants": list(means), "rows": search_rows(**means)}
    natural, permuted = figures.relabelling(data).axes
    assert [each.get_text() for each in natural.get_xticklabels()] == [
        "adaptive 1.5",
        "adaptive 10",
    ]
    assert bars_of(natural) == pytest.approx([10, 20, 30]) and not natural.texts
    assert bars_of(permuted) == pytest.approx([3000, 200, 400])
    assert [text.get_text() for text in permuted.texts] == ["≥"]
    data["variants"] = data["variants"][:1]
    assert figures.relabelling(data) is None, "nothing to compare"


def test_more_strategies_can_be_named():
    usual = [variant.name for variant in gpu.published()]
    more = [variant.name for variant in gpu.published(("fixed:50", "adaptive:0.3", "fixed:10"))]
    assert set(usual) < set(more) and len(more) == len(usual) + 6
    shr = [name.partition(" ")[2] for name in more if name.startswith("g-pr-shr")]
    assert shr == ["adaptive:0.3", "adaptive:0.7", "fixed:10", "fixed:50"]


def test_a_strategy_that_is_none_is_refused(capsys):
    parsed = run._parser().parse_args(["--relabel", "adaptive:1.5", "fixed:50"])
    assert parsed.relabel == ["adaptive:1.5", "fixed:50"]
    with pytest.raises(SystemExit):
        run._parser().parse_args(["--relabel", "often:3"])
    assert "adaptive:k, fixed:k" in capsys.readouterr().err


def test_paths_and_pushes_have_their_tables():
    walk_counters = {"paths_walked": 8, "path_edges": 24, "longest_path": 1001, "levels": 5}
    pushed = {"pushes": 123456, "loops": 40, "relabels": 3, "levels": 60}
    rows = [
        {"matrix": "er:4:3", "counters": {"a": walk_counters, "b": pushed}},
        {
            "matrix": "del:4",
            "counters": {"a": {**walk_counters, "path_edges": 0, "paths_walked": 0}},
        },
    ]
    text = "\n".join(gpu_tables.work(rows, ["a", "b"]))
    assert "| `er:4:3` | 8 / 3.00 / 1,001 |" in text and "| `del:4` | 0 / - / 1,001 |" in text
    assert "| `er:4:3` | 123,456 / 40 / 3 / 60 |" in text and "| `del:4` |  |" in text
    assert "a search that was stopped end at that time." in text
    assert gpu_tables.work(DATA["rows"], DATA["variants"]) == [], "older results have none"


@pytest.mark.gpu
@pytest.mark.parametrize("section", [paper_000, paper_003])
def test_a_run(section):
    found = section.run(section.cases("tiny", Path()), options())
    assert not found.complaints
    variants = {v.name for v in section.paper().field}
    for row in found.data["rows"]:
        assert set(row["median"]) == variants
        assert set(row["sequential"]) == set(row["peers"]["sequential"])
        assert set(row["multicore"]) == set(row["peers"]["multicore"])
    assert found.markdown == gpu_tables.markdown(found.data)
