# SPDX-License-Identifier: BSD-3-Clause
"""Tables of rules: the result that is cached for a range of numbers of entries is right for each
number in it."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.path.rules import Condition, Rule, Table, first_rule

FEATURES = ("entries", "wide")
conditions = st.builds(
    Condition, st.sampled_from(FEATURES), st.sampled_from(["<", ">", ">="]), st.integers(0, 6)
)


@st.composite
def tables(draw):
    """One decision whose last rule has no condition."""
    parts = draw(st.lists(st.lists(conditions, max_size=3), max_size=6))
    rules = [Rule(str(k), tuple(when), str(k), "") for k, when in enumerate([*parts, []])]
    return Table({"place": tuple(rules)})


def check_table(table, wide, numbers):
    for entries in numbers:
        known = {"entries": entries, "wide": wide}
        expected = next(
            rule for rule in table["place"] if all(c.holds(known[c.feature]) for c in rule.when)
        )
        settled, left_open, _ = table.ruled(entries)
        found = settled.get("place") or first_rule(left_open["place"], {}, known.__getitem__)
        assert found is expected


@pytest.mark.parametrize("comparison", ["<", ">", ">="])
@pytest.mark.parametrize("numbers", [*itertools.permutations((2, 3, 4))], ids=str)
def test_the_order_of_the_calls_decides_nothing(comparison, numbers):
    """A result that was cached for a number beside the bound is not used for the bound itself."""
    rules = (Rule("at", (Condition("entries", comparison, 3),), "at", ""), Rule("else", (), "", ""))
    check_table(Table({"place": rules}), 0, numbers)


@given(table=tables(), wide=st.integers(0, 6))
def test_the_first_rule_whose_conditions_hold_is_taken(table, wide):
    up = range(8)
    check_table(table, wide, (*up, *reversed(up)))  # the second half finds cached results


def test_the_seconds_of_the_stages_add_up(monkeypatch):
    """The seconds add up also if the call enters a stage twice. After a limit, the computation of
    the bound of the rank counts as part of the certificate."""
    ticks = itertools.count()
    monkeypatch.setattr("btfperm.path.run.time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    A = sp.random(400, 400, 0.02, random_state=1, format="csc")
    t = btfperm.maximum_transversal(A, initializer="none", algorithm="ss-bfs", max_work=5)
    assert not t.maximum
    assert sum(t.seconds.values()) == next(ticks) - 1
