# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm algorithms``: the registry, whole."""

from __future__ import annotations

from dataclasses import asdict

import btfperm


def test_every_row_is_shown(cli):
    ended = cli("algorithms")
    assert ended.code == 0 and ended.err == ""
    lines = [line.strip() for line in ended.out.splitlines()]
    for row in btfperm.algorithms():
        assert any(line.split()[:1] == [row.name] and row.summary in line for line in lines)
        assert f"paper: {row.reference}" in lines and f"prefer it: {row.prefer}" in lines


def test_json(cli):
    assert cli("algorithms", "--json").json == {
        "exit_code": 0,
        "algorithms": [asdict(row) for row in btfperm.algorithms()],
        "warnings": [],
    }


def test_it_takes_no_words(cli):
    cli("algorithms", "A.mtx").failed(2)
