# SPDX-License-Identifier: BSD-3-Clause
"""Regret beside a GPU: what counts as behind, warm and cold; and a run, where there is a GPU."""

from __future__ import annotations

import json

import pytest

from benchmarks import gpu_answers, regret_gpu
from benchmarks.cases import generated
from benchmarks.contest import Options
from benchmarks.regret_gpu import AUTO, CPU

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
    "diagonal": 0.0,
    "near": 0.0,
}


def row(name, takes, place, search=None):
    rules = {"place": place} | ({} if search is None else {"algorithm on gpu": search})
    return {"matrix": name, "nnz": 20_000_000, "features": FEATURES, "takes": takes, "rules": rules}


ROWS = [
    row(
        "er_1e3_d5.0",
        {AUTO: 0.06, CPU: 0.1, "apfb-wr": 0.05, "g-pr-shr": 0.06},
        ["the rest", "gpu"],
        ["the rest", "g-pr-shr"],
    ),
    row("kron_s8", {AUTO: 0.02, CPU: 0.02}, ["hubs", "cpu"]),
]


def test_regret_is_over_the_least_of_the_candidates():
    assert regret_gpu.best_of(ROWS[0]) == ("apfb-wr", 0.05)
    assert regret_gpu.regret_of(ROWS[0]) == pytest.approx(1.2)
    assert regret_gpu.regret_of(ROWS[1]) == 1


def test_a_fresh_process_pays_for_cuda_wherever_a_gpu_is_used():
    cold = regret_gpu.cold(ROWS[0], 0.4)
    assert cold["takes"][AUTO] == cold["takes"][CPU] == 0.1, "the rules stay on the cpu"
    assert cold["takes"]["apfb-wr"] == pytest.approx(0.45)
    large = {**ROWS[0], "features": {**FEATURES, "entries": 400e6}}
    assert regret_gpu.cold(large, 0.4)["takes"][AUTO] == pytest.approx(0.46)


def test_the_report_tells_rules_and_regret():
    section = regret_gpu.report(ROWS, 0.4)
    assert "takes 0.40 s" in section.markdown
    assert "| warm | all | 2 | 1.095 | 1.20 | `er_1e3_d5.0` |" in section.markdown
    assert "| `kron_s8` |" in section.markdown and "| 20.0 | 20.0 | > | > |" in section.markdown
    assert set(section.data["rules"]) == set(regret_gpu.DECISIONS)


def test_the_answers_are_counted_by_kind_of_matrix():
    tried = [
        {"matrix": "a", "shape": [3, 3], "nnz": 5, "rank": 3, "runs": 20, "wrong": []},
        {"matrix": "b", "shape": [3, 4], "nnz": 5, "rank": 2, "runs": 20, "wrong": ["no"]},
    ]
    rows = [{**one, "stopped": {}, "seconds": 1.0} for one in tried]
    rows[1]["stopped"] = {"apsb ct": 1}
    data = {"gpu": "some", "names": ["apsb ct"], "rows": rows, "seconds": 2.0, "limit": 3.0}
    text = gpu_answers.markdown(data)
    assert "| square, full rank | 1 | 20 | 0 |" in text
    assert "| rectangular, deficient | 1 | 20 | 1 |" in text
    assert "| all | 2 | 40 | 1 |" in text and "| `b` | 5 | apsb ct | 1 |" in text


@pytest.mark.gpu
def test_a_run(tmp_path):
    (case,) = generated(["er_1e3_d5.0"])
    found = json.loads(json.dumps(regret_gpu.measure(case, 2)))
    assert {AUTO, CPU} <= set(found["takes"])
    assert found["rules"]["place"] == ["small", "cpu"]
    again = regret_gpu.measure(case, 2, found)
    assert set(again["takes"]) == set(found["takes"])
    options = Options("tiny", tmp_path, 2, 5.0, [], None, lambda _: None)
    assert not gpu_answers.run(generated(["er:6:3"]), options).complaints
