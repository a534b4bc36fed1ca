# SPDX-License-Identifier: BSD-3-Clause
"""Results of one section on different matrices are joined into one result."""

from __future__ import annotations

import copy
import json

import pytest

from benchmarks import join
from benchmarks.papers import gpu, pages
from benchmarks.regret.rows import checked
from benchmarks.report import Options, Report
from tests.benchmarks import test_gpu

VARIANTS = ("g-pr-shr adaptive:0.7", "apfb-wr ct")
ROWS = [
    {
        **row,
        "median": dict(zip(VARIANTS, (1.0, 2.0), strict=True)),
        "counters": dict(zip(VARIANTS, row["counters"].values(), strict=True)),
        "stopped": {},
    }
    for row in test_gpu.DATA["rows"]
]
NOTE = "Two sections ran side by side."
HEAD = {
    "date": "2026-01-02 03:04 UTC",
    "machine": {
        "cpu": "a CPU",
        "cores": 16,
        "memory_gib": 8,
        "system": "Linux",
        "load_at_start": 1.5,
        "quiet": True,
        "threads": {},
    },
    "versions": {"commit": "0123456", "btfperm": "1"},
}


def lane(folder, number, rows, **changes):
    """Writes the result of one lane, and returns its file."""
    head = copy.deepcopy({**HEAD, "command": f"python -m benchmarks.run --out {number}"})
    head["date"] = head["date"].replace("03:04", f"03:0{9 - number}")
    head["machine"]["load_at_start"] = number
    common = {"gpu": f"a GPU (device 0, {number} GiB free)", "limit": 3.0, "threads": 16}
    for key, value in changes.items():
        (head["machine"] if key in head["machine"] else head if key in head else common)[key] = (
            value
        )
    report = Report(head, Options("large", folder, 1, 3.0, [], None, print))
    report.add("paper-003", gpu.section("G-PR on a GPU", common, [], rows))
    report.write(None, None, folder / str(number))
    return str(next((folder / str(number)).glob("*.json")))


def test_two_lanes_become_one_result(tmp_path):
    graphs = ("hex:4000", "er:22:3", "del:22")
    rows = [{**row, "matrix": name} for row, name in zip(ROWS, graphs, strict=True)]
    rows[0]["complaints"] = ["apfb-wr ct: not maximum"]
    files = [lane(tmp_path, 1, rows[:1]), lane(tmp_path, 2, rows[1:])]
    arguments = [*files, "--out", str(tmp_path / "joined"), "--note", NOTE]
    assert join.main(arguments) == 1, "a row has a complaint"
    file = tmp_path / "joined" / "2026-01-02-paper-003-large.json"
    report = json.loads(file.read_text())
    data = report["sections"]["paper-003"]
    assert [row["matrix"] for row in data["rows"]] == ["er:22:3", "del:22", "hex:4000"]
    assert len(data["left_out"]) == 17 and "kron:20" in data["left_out"]
    assert data["note"] == NOTE and data["gpu"] == "a GPU (device 0, 1 GiB free)"
    assert data["limit"] == 3.0 and data["threads"] == 16 and data["variants"] == [*VARIANTS]
    assert report["machine"] == {**HEAD["machine"], "load_at_start": 2}
    assert report["date"].endswith("03:07 UTC") and report["versions"] == HEAD["versions"]
    assert report["options"] == {"set": "large", "repeats": 1, "limit_seconds": 3.0}
    names = [file.rpartition("/")[2] for file in files]
    assert report["command"].split("; ") == [
        "python -m benchmarks.run --out 1",
        "python -m benchmarks.run --out 2",
        f"python -m benchmarks.join {' '.join(names)} --out joined",
    ]
    text = file.with_suffix(".md").read_text()
    assert NOTE in text and "(quiet)" not in text and "- hex:4000: apfb-wr ct: not maximum" in text
    assert "| `del:22` | 1,000 | 5,000 | 90.0% | 1000 | 2000 |" in text
    shown = pages.Result("r", report, data, "paper-003", "large")
    assert shown.left_out == data["left_out"] and NOTE in pages._source(shown)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cores": 8}, "different machines"),
        ({"versions": {"commit": "9876543", "btfperm": "1"}}, "their versions"),
        ({"limit": 2.0}, "GPU, limit or number"),
        ({"gpu": "another GPU (device 0)"}, "GPU, limit or number"),
        ({}, "a graph is in two"),
    ],
)
def test_results_that_do_not_belong_together_are_refused(changes, words, tmp_path, capsys):
    second = ROWS[1:] if changes else ROWS
    files = [lane(tmp_path, 1, ROWS[:1]), lane(tmp_path, 2, second, **changes)]
    assert join.main([*files, "--out", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err


def test_sections_without_a_rule_are_refused(tmp_path, capsys):
    report = Report({**HEAD, "command": "a"}, Options("tiny", tmp_path, 1, 3.0, [], None, print))
    report.add("matching", gpu.section("Matching", {"gpu": "", "limit": 1.0}, [], []))
    report.write(tmp_path / "a.json", None, None)
    assert join.main([str(tmp_path / "a.json"), "--out", str(tmp_path)]) == 2
    assert "section matching cannot be joined" in capsys.readouterr().err


def test_complaints_are_stored_with_the_rows(tmp_path):
    """A run that resumes a store reports the complaints of the earlier run, too."""
    options = Options(
        "tiny", tmp_path, 1, 3.0, [], None, lambda _: None, store=tmp_path / "a.jsonl"
    )

    class Graph:
        name = "a"

    for wrong in (["no matching"], []):
        rows, found = checked([Graph()], options, lambda _, w=wrong: ({"matrix": "a"}, w), str)
        assert found == ["a: no matching"] and len(rows) == 1
