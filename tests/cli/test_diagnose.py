# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm diagnose``: the findings in words and as JSON."""

from __future__ import annotations

import json
import re

import pytest
from btfperm_cli.json_keys import JSON_KEYS

import btfperm
from tests.checks.check_diagnosis import check_diagnosis
from tests.known_answers import MATRICES as KNOWN_MATRICES

LARGE = KNOWN_MATRICES / "lpA_25fv47.mtx.gz"
RANKS = {"blocks": 4, "singular": 2, "wide": 2, "tall": 2, "zeros": 2, "empty": 0, "no_entries": 0}


@pytest.mark.parametrize(("name", "rank"), RANKS.items())
def test_json(cli, matrix, name, rank):
    path = matrix(name)
    ended = cli("diagnose", path, "--json")
    assert ended.code == 0 and ended.err == ""
    answer = ended.json
    assert set(answer) == {"exit_code", "error", "warnings", *JSON_KEYS["diagnose"]}
    check_diagnosis(btfperm.read(path).to_scipy(), answer, rank)
    assert answer["warnings"] == []


def test_text(cli, matrix):
    path = matrix("singular")
    ended = cli("diagnose", path)
    assert ended.code == 0 and ended.err == ""
    assert ended.out == f"{btfperm.diagnose(path)}\n"
    assert "  overdetermined: 1 row too many, in 1 independent group:\n" in ended.out
    assert cli("diagnose", path, "-q") == (0, "", "")
    assert "no start; small: " in cli("diagnose", path, "--explain").err


def test_names_from_files(cli, matrix, tmp_path):
    path, rows, cols = matrix("singular"), tmp_path / "rows.txt", tmp_path / "cols.txt"
    rows.write_text("mass\nenergy\nsetpoint\n")
    cols.write_text("T\np\n\x1b[2Jx\n")
    words = ("diagnose", path, "--row-names", rows, "--col-names", cols)
    ended = cli(*words)
    assert "rows mass, setpoint have entries only in column p" in ended.out
    assert "\\x1b[2Jx" in ended.out and "\x1b" not in ended.out
    (group,) = cli(*words, "--json").json["overdetermined"]
    assert group["row_names"] == ["mass", "setpoint"] and group["column_names"] == ["p"]
    rows.write_text("mass\n")
    cli(*words).failed(2, "rows.txt has 1 name, but the matrix has 3 rows")
    cli(*words[:2], "--row-names", tmp_path / "none").failed(3, "none")
    for words in (("-", "--row-names", "-"), (path, "--row-names", "-", "--col-names", "-")):
        cli("diagnose", *words).failed(2, "only one of the files")


def test_names_from_standard_input(cli, matrix):
    ended = cli("diagnose", matrix("singular"), "--row-names", "-", stdin="f\ng\nh\n")
    assert "rows f, h have entries only in column 1" in ended.out


def test_lists_are_cut_unless_full(cli, tmp_path):
    path = tmp_path / "A.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n40 1 1\n1 1\n")
    assert "39 rows (1, 2, 3, 4, 5, ...) are empty" in cli("diagnose", path).out
    assert ", 38, 39 are empty" in cli("diagnose", path, "--full").out


def test_stored_zeros_that_hide_a_deficiency(cli, matrix):
    ended = cli("diagnose", matrix("zeros"))
    assert "1 entry is stored as zero and hides a deficiency" in ended.out and ended.err == ""
    zeros = cli("diagnose", matrix("zeros"), "--json").json["stored_zeros"]
    assert (zeros["hide_deficiency"], zeros["other_rank"]) == (True, 1)
    assert zeros["without"]["overdetermined"] == [
        {
            "rows": [1],
            "columns": [],
            "excess": 1,
            "explanation": {"rows": [1], "columns": []},
            "truncated": False,
        }
    ]
    assert (
        "left out; with them the rank is 2" in cli("diagnose", matrix("zeros"), "--drop-zeros").out
    )


def test_the_algorithm_makes_no_difference(cli, hard):
    expected = cli("diagnose", hard).out
    for algorithm in ("hopcroft-karp", "ss-dfs", "push-relabel"):
        assert cli("diagnose", hard, "--algorithm", algorithm).out == expected, algorithm


def test_a_limit_has_no_diagnosis(cli, hard):
    limited = ("--max-work", 5, "--initializer", "none")
    cli("diagnose", hard, *limited).failed(1, "stopped by --max-work")
    answer = json.loads(cli("diagnose", hard, *limited, "--json").out)
    assert answer["exit_code"] == 1 and answer["overdetermined"] is None


def test_verbose_shows_the_falling_deficiency(cli):
    ended = cli("diagnose", LARGE, "-v")
    assert ended.code == 0 and "structural rank" in ended.out
    counts = re.findall(r"([\d,]+) of 821 unmatched", ended.err)
    assert counts[0] == "821" and counts[-1] == "3"
