# SPDX-License-Identifier: BSD-3-Clause
"""The section for the choice among the published searches: its sentences, and a run on a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.cases import names
from benchmarks.regret import published as section
from benchmarks.report import Options

FEATURES = {"entries": 100.0, "degree": 3.0, "skew": 0.5, "free": 0.1, "depth_seconds": 0.002}


def row(choice, **seconds):
    times = {name.replace("_", "-"): s for name, s in seconds.items()}
    return {
        "matrix": "er:7:3",
        "seconds": times,
        "choice": choice,
        "rule": "the rest",
        "features": FEATURES,
        "depth": 7,
    }


def test_the_means():
    rows = [
        row("apfb-wr", apfb_wr=0.01, g_pr_shr=0.02, published=0.01),
        row("g-pr-shr", apfb_wr=0.01, g_pr_shr=0.04, published=0.04),
        row("g-pr-shr", g_pr_shr=0.5, published=0.5),  # apfb-wr did not end
        row("none", apfb_wr=0.0, g_pr_shr=0.0, published=0.0),
    ]
    assert [section.regret(r, "published") for r in rows] == [1, 4, 1, None]
    text = section.markdown({"gpu": "some GPU", "limit": 2.0, "rows": rows})
    assert "published 1.59 on 3 graphs, apfb-wr 1.00 on 2 graphs, g-pr-shr 2.00 on 3" in text
    assert "| `er:7:3` | 10.0 | 40.0 | 40.0 | 4.00 | g-pr-shr | the rest | 7 | 2.00 |" in text
    assert "| `er:7:3` | - | 500 | 500 |" in text


def test_the_mean_without_a_disturbed_graph():
    rows = [
        row("apfb-wr", apfb_wr=0.05, g_pr_shr=0.06, published=0.01) | {"matrix": "er:8:3"},
        row("g-pr-shr", apfb_wr=0.04, g_pr_shr=0.04, published=0.05),
    ]
    text = section.markdown({"gpu": "some GPU", "limit": 2.0, "rows": rows})
    assert "published 0.500 on 2 graphs" in text
    assert "On `er:8:3`, published took less than half of the time of both searches" in text
    assert "Without it, published takes 1.250 times the better one on 1 graphs." in text
    assert "disturbed" not in section.markdown({"gpu": "", "limit": 2.0, "rows": rows[1:]})


def test_the_graphs_were_not_used_to_set_the_rules():
    used = {*names("gpu", "large"), *names("regret-gpu", "unseen")}
    used |= {*names("published-choice", "fit"), *names("published-choice", "seen")}
    assert not used & set(names("published-choice", "large"))


@pytest.mark.gpu
def test_a_run():
    options = Options("tiny", None, 1, 1.0, ["auto"], None, print)
    case = section.cases("tiny", Path())[0]
    measured, problems = section.measured(case, options, case.load())
    assert problems == [] and set(measured["seconds"]) == set(section.ALL)
    assert measured["depth"] and measured["rule"] and 0 < measured["features"]["free"] < 1
