# SPDX-License-Identifier: BSD-3-Clause
"""Regret beside a GPU: its definition, warm and cold; and a run, if there is a GPU."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.cases import Case, generated
from benchmarks.device import answers
from benchmarks.regret import gpu as regret_gpu
from benchmarks.regret import gpu_report
from benchmarks.regret.gpu_report import AUTO, CPU
from benchmarks.report import Options

OPTIONS = Options("tiny", Path(), 2, 5.0, [], None, lambda _: None)
FEATURES = {
    "rows": 4e6,
    "cols": 4e6,
    "entries": 20e6,
    "wide": 1.0,
    "degree": 5.0,
    "density": 1e-6,
    "longest": 20.0,
    "skew": 0.5,
    "empty": 0.0,
    "single": 0.1,
    "hidden": 0.0,
    "diagonal": 0.0,
    "near": 0.0,
}


def row(name, takes, resident, place, real=False):
    there = {"takes": resident, "rules": {}}
    rules = {"place": place} | ({} if place[1] == CPU else {"algorithm on gpu": ["always", OURS]})
    return {
        "matrix": name,
        "real": real,
        "nnz": 20_000_000,
        "features": FEATURES,
        "threads": 16,
        "takes": takes,
        "rules": rules,
        "resident": there,
    }


OURS = gpu_report.SEARCHES[0]
ROWS = [
    row(
        "er_1e3_d5.0",
        {AUTO: 0.06, CPU: 0.1, OURS: 0.05, "g-pr-shr": 0.06},
        {AUTO: 0.02, CPU: 0.01, OURS: 0.02, "g-pr-shr": 0.03},
        ["the rest", "gpu"],
    ),
    row("kron_s8", {AUTO: 0.02, CPU: 0.02}, {AUTO: 0.04, CPU: 0.02, OURS: 0.03}, ["hubs", "cpu"]),
]


def test_regret_is_over_the_least_of_the_candidates():
    assert gpu_report.best_of(ROWS[0]) == (OURS, 0.05)
    assert gpu_report.regret_of(ROWS[0]) == pytest.approx(1.2)
    assert gpu_report.regret_of(ROWS[1]) == 1


def test_a_fresh_process_pays_for_cuda_wherever_a_gpu_is_used():
    cold = gpu_report.cold(ROWS[0], 0.4)
    assert cold["takes"][AUTO] == cold["takes"][CPU] == 0.1, "the rules stay on the cpu"
    assert cold["takes"][OURS] == pytest.approx(0.45)
    large = {**ROWS[0], "features": {**FEATURES, "entries": 400e6}}
    assert gpu_report.cold(large, 0.4)["takes"][AUTO] == pytest.approx(0.45)
    two_threads = {**ROWS[0], "threads": 2, "features": {**FEATURES, "entries": 70e6}}
    assert gpu_report.cold(two_threads, 0.4)["takes"][AUTO] == pytest.approx(0.45)


def test_device_matrices_have_no_candidate_on_the_host():
    there = [gpu_report.resident(row) for row in ROWS]
    assert [CPU in row["takes"] for row in there] == [False, False]
    assert gpu_report.regret_of(there[0]) == 1
    assert gpu_report.regret_of(there[1]) == pytest.approx(4 / 3)


def test_the_report_has_rules_and_regret():
    rows = [
        *ROWS,
        {**row("real", {AUTO: 0.03, CPU: 0.02}, {AUTO: 1, OURS: 1}, ["small", CPU], True)},
    ]
    section = gpu_report.report(rows, 0.4)
    assert "takes 0.40 s" in section.markdown
    assert "| warm | all | families | 2 | 1.095 | 1.20 | `er_1e3_d5.0` |" in section.markdown
    assert "| warm | all | real | 1 | 1.500 | 1.50 | `real` |" in section.markdown
    assert "| `kron_s8` |" in section.markdown and "| 20.0 | 20.0 | > | > |" in section.markdown
    assert set(section.data["rules"]) == set(gpu_report.DECISIONS)


@pytest.mark.parametrize(
    ("suffixes", "half", "matrices"),
    [(["", ", in another form"], "fit", 1), ([", in another form"] * 2, "unseen", 2)],
)
def test_rules_are_judged_on_the_seen_half_or_on_all_matrices(suffixes, half, matrices):
    rows = [{**ROWS[1], "matrix": f"m{suffix}"} for suffix in suffixes]
    rows = [{**row, "takes": {**row["takes"], OURS: 0.04}} for row in rows]
    section = gpu_report.report(rows, 0.4)
    assert f"Rules on the half `{half}`, warm:" in section.markdown
    assert section.data["rules"]["place"]["hubs"] == {
        "choice": "cpu",
        "matrices": matrices,
        "behind": 1.0,
        "others": {"gpu": 2.0},
    }


def test_the_answers_are_counted_by_kind_of_matrix():
    tried = [
        {"matrix": "a", "shape": [3, 3], "nnz": 5, "rank": 3, "runs": 20, "wrong": []},
        {"matrix": "b", "shape": [3, 4], "nnz": 5, "rank": 2, "runs": 20, "wrong": ["no"]},
    ]
    rows = [{**one, "stopped": {}, "seconds": 1.0} for one in tried]
    rows[1]["stopped"] = {"apsb ct": 1}
    data = {"gpu": "some", "names": ["apsb ct"], "rows": rows, "seconds": 2.0, "limit": 3.0}
    data["missing"] = []
    text = answers.markdown(data)
    assert "| square, full rank | 1 | 20 | 0 |" in text
    assert "| rectangular, deficient | 1 | 20 | 1 |" in text
    assert "| all | 2 | 40 | 1 |" in text and "| `b` | 5 | apsb ct | 1 |" in text


def test_an_interrupted_run_keeps_its_rows(monkeypatch):
    def tried(case, calls, limit):
        if case.name == "b":
            raise KeyboardInterrupt
        yield {"matrix": case.name, "shape": [3, 3], "nnz": 5, "rank": 3, "runs": 20} | {
            "wrong": [],
            "stopped": {},
            "seconds": 1.0,
        }

    monkeypatch.setattr(answers, "gpu", lambda: "some GPU")
    monkeypatch.setattr(answers, "_of_matrix", tried)
    cases = [Case(name, "", lambda: None) for name in "abc"]
    section = answers.run(cases, OPTIONS)
    assert [row["matrix"] for row in section.data["rows"]] == ["a"]
    assert "Not finished: b, c." in section.markdown and not section.complaints


@pytest.mark.gpu
def test_a_run():
    (case,) = generated(["er_1e3_d5.0"])
    found = json.loads(json.dumps(regret_gpu.measure(case, 2)))
    assert {AUTO, CPU} <= set(found["takes"])
    assert found["rules"]["place"] == ["small", "cpu"]
    assert not answers.run(generated(["er:6:3"]), OPTIONS).complaints
