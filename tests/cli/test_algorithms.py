# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm algorithms`` prints the whole registry."""

from __future__ import annotations

import json
from dataclasses import asdict

import btfperm


def test_every_row_is_shown(cli):
    ended = cli("algorithms")
    assert ended.code == 0 and ended.err == ""
    lines = [line.strip() for line in ended.out.splitlines()]
    for row in btfperm.algorithms():
        assert any(line.split()[:1] == [row.name] and row.summary in line for line in lines)
        assert f"paper: {row.reference}" in lines and f"prefer it: {row.prefer}" in lines
        at = lines.index(f"paper: {row.reference}", lines.index(f"prefer it: {row.prefer}"))
        threads = "several threads" if row.parallel else "one thread"
        assert lines[at + 1] == f"backend: {row.backend}, {threads}"
        values = [o.default if o.forms else f"{o.default:g}" for o in row.options]
        shown = [f"{o.name}={v} ({o.summary})" for o, v in zip(row.options, values, strict=True)]
        assert lines[at + 2 : at + 2 + len(shown)] == [f"option: {text}" for text in shown]


def test_json(cli):
    assert cli("algorithms", "--json").json == {
        "exit_code": 0,
        "error": None,
        "algorithms": json.loads(json.dumps([asdict(row) for row in btfperm.algorithms()])),
        "warnings": [],
    }


def test_one_name_shows_its_rows_alone(cli):
    named = [row for row in btfperm.algorithms() if row.name == "greedy"]
    assert len(named) > 1
    ended = cli("algorithms", "greedy")
    assert ended.out.count("prefer it:") == len(named)
    for words in ("rank MATRIX --initializer greedy", "match GRAPH --algorithm greedy"):
        assert ended.out.count(f"Use it: btfperm {words}\n") == 1
    assert [row["name"] for row in cli("algorithms", "greedy", "--json").json["algorithms"]] == [
        "greedy"
    ] * len(named)


def test_a_name_that_does_not_exist(cli):
    cli("algorithms", "pothenfan").failed(2, "did you mean pothen-fan?")
    cli("algorithms", "A.mtx").failed(2, "there is no algorithm 'A.mtx'")
    cli("algorithms", "greedy", "gpa").failed(2)
    for name in ("auto", "published"):
        cli("algorithms", name).failed(2, f"{name} is no algorithm: it chooses one. --explain of")
