# SPDX-License-Identifier: BSD-3-Clause
"""Every argument of a function, and every option of a command, reaches the search."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import btfperm
from btfperm.path.request import Request
from tests.cli.conftest import cli
from tests.uneven import cycle_with_tail, three_blocks, uneven

__all__ = ["cli"]

GIVEN = {
    "algorithm": "hopcroft-karp",
    "initializer": "two-sided",
    "backend": "cpu",
    "threads": 1,
    "seed": 41,
    "options": {"sweeps": 7.0},
    "time_limit": 1234.0,
    "max_work": 2**40 + 5,
}


@pytest.fixture
def asked(monkeypatch):
    """The arguments of every search."""
    calls, original = [], Request.__init__

    def init(*arguments, **keywords):
        calls.append(inspect.signature(original).bind(*arguments, **keywords).arguments)
        original(*arguments, **keywords)

    monkeypatch.setattr(Request, "__init__", init)
    return calls


def words_of(given) -> list[str]:
    words = []
    for name, value in given.items():
        if name == "options":
            words += [
                word for key, number in value.items() for word in ("--option", f"{key}={number}")
            ]
        elif value is True:
            words.append(f"--{name}")
        else:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def reaches(asked, given):
    """Whether one search had all these keywords."""
    return any(all(call.get(name) == value for name, value in given.items()) for call in asked)


@pytest.mark.parametrize(
    "command", [(), ("rank",), ("diagnose",)], ids=["order", "rank", "diagnose"]
)
def test_every_option_of_a_search_reaches_it(cli, tmp_path, asked, command):
    path = tmp_path / "A.mtx"
    btfperm.write_matrix(path, uneven())
    assert cli(*command, path, *words_of(GIVEN)).code == 0
    assert reaches(asked, GIVEN), asked
    for more in ({"deterministic": True},):
        asked.clear()
        assert cli(*command, path, *words_of(more)).code == 0
        assert reaches(asked, more), asked


def test_every_option_of_a_matching_reaches_it(cli, tmp_path, asked):
    path = tmp_path / "g.mtx"
    btfperm.write_matrix(path, cycle_with_tail())
    given = {name: GIVEN[name] for name in ("threads", "seed", "time_limit", "max_work")}
    ended = cli("match", path, "--algorithm", "red-blue", *words_of(given), "--json")
    assert (ended.code, ended.json["algorithm"]) == (0, "red-blue")
    assert reaches(asked, given), asked
    asked.clear()
    assert btfperm.match(path, algorithm="red-blue", **given).algorithm == "red-blue"
    assert reaches(asked, given), asked


CALLS = {
    "maximum_transversal": lambda **how: btfperm.maximum_transversal(uneven(), **how),
    "structural_rank": lambda **how: btfperm.structural_rank(uneven(), **how),
    "dulmage_mendelsohn": lambda **how: btfperm.dulmage_mendelsohn(uneven(), **how),
    "block_triangular_form": lambda **how: btfperm.block_triangular_form(three_blocks(), **how),
    "diagnose": lambda **how: btfperm.diagnose(uneven(), **how),
    "preorder": lambda **how: btfperm.preorder(np.eye(3), **how),
    "bottleneck": lambda **how: btfperm.weighted_transversal(
        uneven(), objective="bottleneck", **how
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_keyword_of_a_search_reaches_it(asked, name):
    given = dict(GIVEN)
    if name == "bottleneck":
        given = {key: given[key] for key in ("threads", "time_limit")}
    CALLS[name](**given)
    approximate = {key: value for key, value in given.items() if key != "time_limit"}
    assert reaches(asked, approximate), asked
    limits = [call["time_limit"] for call in asked if call.get("time_limit") is not None]
    assert limits and 1200 < max(limits) <= 1234  # what earlier searches left
