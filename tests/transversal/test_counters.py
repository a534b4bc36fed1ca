# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms report only counters that are declared, and every declared counter is reported."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import btfperm
from btfperm.registry.counters import COUNTERS, PREFIXES
from tests import families
from tests.transversal.methods import ROWS

DECLARED = {counter.name for counter in COUNTERS}
SOURCES = Path(btfperm.__file__).parent


def undeclared(counters):
    return {name.removeprefix(next(filter(name.startswith, PREFIXES), "")) for name in counters} - (
        DECLARED
    )


def test_an_unknown_counter_is_detected():
    assert undeclared({"edges": 1, "start_edges": 1, "second_phases": 1}) == set()
    assert undeclared({"edgse": 1, "start_visits": 2}) == {"edgse", "visits"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_reported_counters_are_declared(row):
    role = {"initializer" if row.is_initializer else "algorithm": row.name}
    for family in (families.chain(200), families.random_rectangle(300, 400, 3, 1)):
        t = btfperm.maximum_transversal(
            family.A, **({"initializer": "none"} | role), backend="cpu", threads=2
        )
        assert not undeclared(t.counters), row.name
        assert t.counters, "nothing was counted"


def test_declared_counters_exist():
    """A counter that no source mentions is obsolete."""
    files = (
        path
        for path in SOURCES.rglob("*")
        if path.suffix in (".py", ".hpp") and path.name != "counters.py"
    )
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert not DECLARED - set(re.findall(r'"(\w+)"', text))
