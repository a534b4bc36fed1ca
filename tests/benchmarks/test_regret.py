# SPDX-License-Identifier: BSD-3-Clause
"""The computation of regret on invented rows, and one measurement of each kind."""

from __future__ import annotations

import json
import math

import pytest

from benchmarks import run
from benchmarks.cases import generated, names
from benchmarks.regret import candidates, rows
from benchmarks.regret import cpu as regret


def row(matrix, auto, rules=None, **takes):
    names = {name.replace("__", " + ").replace("_", "-"): time for name, time in takes.items()}
    return {
        "matrix": matrix,
        "nnz": 1_000,
        "takes": {"auto": auto, **names},
        "rules": rules or {"start": ["greedy", "greedy"], "algorithm": ["r", "ss-bfs"]},
    }


ROWS = [
    row("er_1_d1", 2.0, greedy__ss_bfs=2.0, greedy__hkdw=1.0, none__hkdw=4.0),
    row("er_2_d1", 1.0, greedy__ss_bfs=1.0, greedy__hkdw=1.0),
    row("tri_1", 3.0, greedy__ss_bfs=4.0, greedy__hkdw=1.0),
]


def worth_of(measured):
    return rows.worth(measured, regret.DECISIONS, regret.times_of)


def test_regret_is_against_the_best_on_the_same_matrix():
    assert [regret.regret_of(r) for r in ROWS] == [2, 1, 3]
    assert regret.best_of(ROWS[0]) == ("greedy + hkdw", 1.0)
    assert regret.behind(ROWS[0], "greedy + ss-bfs") == 2
    assert regret.behind(ROWS[1], "none + hkdw") == float("inf")  # it exceeded its limit


def test_the_best_for_all_includes_choices_that_fail_on_some():
    assert regret.best_single(ROWS) == ("greedy + hkdw", 1.0)
    name, behind = regret.best_single([row("a", 1, a__b=1.0), row("b", 1, c__d=1.0)])
    assert behind == pytest.approx(candidates.HOPELESS**0.5) and name in ("a + b", "c + d")


def test_the_report_has_both_halves_and_the_rules():
    section = regret.report(ROWS)
    lines = section.markdown.splitlines()
    assert "| fit | 2 | 1.414 | 2.00 | `er_1_d1` | 0 | greedy + hkdw | 1.00 | 1.41 |" in lines
    assert "| held out | 1 | 3.000 | 3.00 | `tri_1` | 1 | greedy + hkdw | 1.00 | 3.00 |" in lines
    assert "| `tri_1` | held out | 1,000 | 3000 | greedy + hkdw | 1000 | 3.00 |" in lines
    assert any(
        line.startswith("| algorithm | r | ss-bfs | 2 | 1.41 | hkdw 1.00 |") for line in lines
    )
    assert json.dumps(section.data)


def test_rules_are_judged_by_the_other_choices():
    four_rows = [row(str(k), 1, greedy__ss_bfs=1.2, greedy__hkdw=1.0) for k in range(4)]
    worth = worth_of(four_rows)
    figures = worth["algorithm"]["r"]
    assert figures == {"choice": "ss-bfs", "matrices": 4, "behind": 1.2, "others": {"hkdw": 1.0}}
    assert [o for o in rows.objections(worth) if "hkdw would be 1.00" in o]
    assert not rows.objections(worth_of(four_rows[:1]))  # too few matrices for an objection
    assert not worth_of(four_rows)["start"]  # one initial matching only: nothing to compare


def test_threads_and_sides_are_judged_too():
    rules = {"threads": ["one thread", "one"], "side": ["as stored", "columns"]}
    takes = {"greedy + hkdw": 2.0, "greedy + hkdw on 2": 1.0, "auto from rows": 1.5}
    takes |= {"auto from columns": 3.0, "auto": 3.0}
    worth = worth_of([{"matrix": "a", "rules": rules, "takes": takes}])
    assert worth["threads"]["one thread"]["behind"] == 2
    assert worth["threads"]["one thread"]["others"] == {"all": 1.0}
    assert worth["side"]["as stored"]["behind"] == 2


def test_halves_go_by_family():
    assert regret.half_of("delaunay_n10") == regret.half_of("delaunay_n17_rcp") == "fit"
    assert regret.half_of("tri_1e3") == regret.half_of("tri_2e5") == "held out"
    assert regret.half_of("no such family") in regret.HALVES
    every = names("regret", "all")
    assert len(every) == len(set(every)) > 100
    assert 0.3 < sum(regret.half_of(name) == "fit" for name in every) / len(every) < 0.7


@pytest.mark.parametrize("name", ["er_300_d2.7", "rect_wide_300", "hessenberg_30"])
def test_a_measurement(name, monkeypatch):
    # A busy machine would make some candidates too slow to be measured.
    monkeypatch.setattr(candidates, "HOPELESS", math.inf)
    found = candidates.measure(generated([name])[0], candidates.How(repeats=2, threads=1))
    assert found["nnz"] > 0 and len(found["seconds"]["auto"]) == 2
    assert all(time > 0 for time in found["takes"].values())
    assert any(label.startswith("greedy + ") for label in found["takes"])
    sides = {f"auto from {side}" for side in candidates.SIDES}
    assert sides <= set(found["takes"]) or found["shape"][0] == found["shape"][1]
    assert regret.regret_of(found) > 0


def test_a_failure_in_its_own_process_is_reported(capfd):
    broken = generated(["er_300_d2.7"])[0]
    object.__setattr__(broken, "load", lambda: 1 / 0)
    with pytest.raises(RuntimeError, match="the process died"):
        candidates.measured_apart(broken, candidates.How(repeats=1))


class Answer:
    """The result of a call that stops at its limit."""

    maximum = False


def test_a_call_that_waited_for_the_processor_gets_more_time(monkeypatch):
    clock = iter([0.0, 0.1, 0.1, 0.4])  # this process had the processor for a tenth of a second
    limits = []

    def call(time_limit):
        limits.append(time_limit)
        return Answer

    monkeypatch.setattr(candidates.time, "thread_time", lambda: next(clock))
    found, elapsed = candidates._first(call, 0.3, candidates.How(repeats=1, threads=1, busy=True))
    assert limits == [0.3, 0.6] and not found.maximum
    assert elapsed == pytest.approx(0.3)


def test_a_stored_matrix_is_not_measured_again_and_its_row_is_short(tmp_path, capsys):
    stored = ROWS[0] | {"seconds": {"auto": [2.0]}, "shape": [3, 3], "rank": 3}
    store = tmp_path / "rows"
    store.write_text(json.dumps(stored) + "\n")
    files = {name: tmp_path / f"r.{name}" for name in ("json", "markdown")}
    words = ["--section", "regret", "--store", str(store), "--within", "0"]
    words += [word for name, path in files.items() for word in (f"--{name}", str(path))]
    assert run.main(words) == 0
    found = json.loads(files["json"].read_text())
    (short_row,) = found["sections"]["regret"]["rows"]
    assert short_row["takes"] == {"auto": 2.0, "greedy + hkdw": 1.0} and "seconds" not in short_row
    assert str(tmp_path) not in found["command"]
    assert "Regret of auto" in files["markdown"].read_text() and "er_1" in capsys.readouterr().out


def test_new_measurements_are_added_to_the_store(tmp_path):
    store = tmp_path / "rows"
    words = ["--section", "regret", "--store", str(store), "--only", "er_30_d2", "--repeats", "1"]
    assert run.main([*words, "--threads", "1"]) == 0
    (line,) = store.read_text().splitlines()
    assert json.loads(line)["matrix"] == "er_30_d2"
    assert run.main([*words, "--threads", "1"]) == 0
    assert store.read_text().splitlines() == [line]
