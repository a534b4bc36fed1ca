# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm rank``: prints only the rank; the exit code is for build scripts."""

from __future__ import annotations

import json
import re

import pytest

import btfperm

RANKS = {"blocks": 4, "singular": 2, "wide": 2, "tall": 2, "zeros": 2, "empty": 0, "no_entries": 0}


@pytest.mark.parametrize(("name", "rank"), RANKS.items())
def test_only_the_number_is_printed(cli, matrix, name, rank):
    ended = cli("rank", matrix(name))
    assert (ended.code, ended.out) == (0, f"{rank}\n")
    assert ended.err == "" or name == "zeros"


@pytest.mark.parametrize("name", ["blocks", "wide", "tall", "empty"])
def test_full_rank_passes(cli, matrix, name):
    assert cli("rank", matrix(name), "--require-full").code == 0


def test_a_deficiency_is_named(cli, matrix):
    ended = cli("rank", matrix("singular"), "--require-full")
    assert (ended.code, ended.out) == (1, "2\n")
    assert "structural rank 2 of 3: 1 row too many, 1 column too many\n" in ended.err
    assert "rows 0, 2 have entries only in column 1\n" in ended.err
    assert "columns 0, 2 have entries only in row 1\n" in ended.err
    findings = cli("diagnose", matrix("singular")).out.splitlines()[1:]
    assert ended.err.splitlines()[1:] == findings  # the same text
    quiet = cli("rank", matrix("singular"), "--require-full", "--quiet")
    assert (quiet.code, quiet.out, quiet.err.count("\n")) == (1, "2\n", 1)


def test_a_long_list_is_cut(cli, tmp_path):
    path = tmp_path / "A.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n9 9 1\n1 1\n")
    ended = cli("rank", path, "--require-full")
    assert "8 rows (1, 2, 3, 4, 5, ...) are empty" in ended.err


def test_the_effect_of_zeros(cli, matrix):
    path = matrix("zeros")
    assert cli("rank", path, "--require-full").code == 0
    assert cli("rank", path, "--require-full", "--drop-zeros").code == 1
    assert cli("rank", path).err.startswith("warning: ")
    assert cli("rank", path, "-q") == (0, "2\n", "")


@pytest.mark.parametrize("words", [(), ("--require-full",)])
def test_json(cli, matrix, words):
    ended = cli("rank", matrix("singular"), "--json", *words)
    assert ended.code == (1 if words else 0) and ended.err == ""
    answer = ended.json
    assert answer["structural_rank"] == 2 and answer["rank_bounds"] == [2, 2]
    assert answer["full"] is False and answer["verified"] is True
    assert answer["exit_code"] == ended.code
    assert (answer["error"] is not None) == bool(words)
    assert answer["matrix"]["file"] == "singular.mtx" and answer["stopped_by"] is None
    assert answer["stored_zeros"] is None and set(answer["seconds"]) == {"read", "search"}
    if words:
        assert answer["unmatched_rows"] == {"count": 1, "first": [0]}
        assert answer["unmatched_columns"] == {"count": 1, "first": [0]}
        (group,) = answer["overdetermined"]
        assert (group["rows"], group["columns"], group["excess"]) == ([0, 2], [1], 1)


@pytest.mark.parametrize(("name", "full"), [("wide", True), ("tall", True), ("singular", False)])
def test_full_rank_is_the_smaller_number_of_rows_and_columns(cli, matrix, name, full):
    answer = cli("rank", matrix(name), "--json").json
    assert answer["full"] is full
    assert full == (answer["structural_rank"] == min(answer["rows"], answer["cols"]))


def test_warnings_are_in_the_json(cli, matrix):
    ended = cli("rank", matrix("zeros"), "--json")
    assert ended.err == "" and "1 stored entry is zero" in ended.json["warnings"][0]


def test_explain_goes_to_stderr(cli, matrix):
    ended = cli("rank", matrix("blocks"), "--explain")
    assert ended.out == "4\n" and "no start; small: " in ended.err


def test_a_limit_prints_no_number(cli, hard):
    limited = (hard, "--max-work", 5, "--initializer", "none")
    assert "lies between" in cli("rank", *limited).failed(1).err
    answer = cli("rank", *limited, "--json").json
    assert answer["structural_rank"] is None and answer["exit_code"] == 1
    assert answer["rank_bounds"][0] <= answer["rank_bounds"][1]


def test_the_same_in_a_shell(shell, matrix):
    assert shell("rank", "-", stdin=matrix("tall").read_bytes()) == (0, "2\n", "")


def test_json_has_the_same_keys_whatever_is_found(cli, matrix, hard):
    limited = ("--max-work", 5, "--initializer", "none")
    commands = (
        (matrix("blocks"),),
        (matrix("zeros"),),
        (matrix("singular"), "--require-full"),
        (hard, *limited),
    )
    answers = [cli("rank", *words, "--json").json for words in commands]
    assert len({frozenset(answer) for answer in answers}) == 1
    assert answers[1]["stored_zeros"]["count"] == 1
    assert answers[3]["structural_rank"] is None and answers[3]["stopped_by"] == "max_work"


def test_several_matrices_have_a_line_each(cli, matrix):
    names = ["blocks", "singular", "tall"]
    paths = [matrix(name) for name in names]
    ended = cli("rank", *paths)
    assert ended.code == 0 and ended.err == ""
    lines = [f"{RANKS[name]}\t{path}" for name, path in zip(names, paths, strict=True)]
    assert ended.out.splitlines() == lines
    answers = [json.loads(line) for line in cli("rank", *paths, "--json").out.splitlines()]
    assert [answer["structural_rank"] for answer in answers] == [RANKS[name] for name in names]
    assert [answer["matrix"]["file"] for answer in answers] == [path.name for path in paths]


def test_a_file_that_fails_does_not_stop_the_others(cli, matrix, tmp_path):
    bad = tmp_path / "bad.mtx"
    bad.write_text("nothing\n")
    words = ("rank", matrix("singular"), bad, matrix("blocks"), "--require-full")
    ended = cli(*words)
    assert ended.code == 3 and ended.out.count("\t") == 2
    assert ended.err.count("btfperm: ") == 2 and "bad.mtx" in ended.err
    answers = [json.loads(line) for line in cli(*words, "--json").out.splitlines()]
    assert [answer["exit_code"] for answer in answers] == [1, 3, 0]
    assert len({frozenset(answer) for answer in answers}) == 1


def test_an_interrupt_ends_the_work_on_all_files(cli, matrix, monkeypatch):
    """An interrupt ends the whole command, not only the work on the file that is read at that
    time."""
    names = []

    def interrupted(path, **options):
        names.append(path)
        raise KeyboardInterrupt

    monkeypatch.setattr(btfperm.io, "read", interrupted)
    paths = [str(matrix(name)) for name in ("blocks", "singular", "tall")]
    cli("rank", *paths).failed(130, "interrupted")
    assert names == paths[:1]
    ended = cli("rank", *paths, "--json")
    assert (ended.code, ended.json["exit_code"]) == (130, 130)


def test_warnings_belong_to_their_matrix(cli, matrix):
    lines = cli("rank", matrix("zeros"), matrix("blocks"), "--json").out.splitlines()
    assert [len(json.loads(line)["warnings"]) for line in lines] == [1, 0]


def test_standard_input_is_read_once(cli):
    cli("rank", "-", "-").failed(2, "only once")


def test_verbose_shows_the_falling_number_of_unmatched_rows(cli, hard):
    ended = cli("rank", hard, "-v", "--initializer", "greedy", "--algorithm", "hopcroft-karp")
    lines = [line for line in ended.err.splitlines() if " unmatched, " in line]
    counts = [int(re.search(r": ([\d,]+) of", line)[1].replace(",", "")) for line in lines]
    assert "start (greedy)" in lines[0] and lines[-1].endswith("; done")
    assert any("search (hopcroft-karp)" in line for line in lines)
    assert counts[0] > counts[-1]
    assert counts[-1] == cli("rank", hard, "--json").json["rows"] - int(ended.out)
