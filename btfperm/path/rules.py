# SPDX-License-Identifier: BSD-3-Clause
"""Tables of rules: for each decision, the first rule whose conditions all hold is applied.

The rules of a package are data in its ``auto_table.py``; ``make_plan.py`` applies them.
"""

from __future__ import annotations

import importlib
import operator
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from btfperm.pattern.features import size

__all__ = [
    "Condition",
    "Open",
    "Rule",
    "Table",
    "first_rule",
    "number",
    "place_over_ranks",
    "register_rules",
    "rules_of",
]

Comparison = Callable[[float, float], bool]

_COMPARE: dict[str, Comparison] = {"<": operator.lt, ">": operator.gt, ">=": operator.ge}


class Condition(NamedTuple):
    """A comparison of a feature of the matrix with a bound."""

    feature: str
    comparison: str
    bound: float

    def holds(self, value: float) -> bool:
        return _COMPARE[self.comparison](value, self.bound)

    def __str__(self) -> str:
        return f"{self.feature} {self.comparison} {number(self.bound)}"


class Rule(NamedTuple):
    """A choice that applies when all conditions hold.

    `within` bounds the work of the algorithm. On the CPU it is a number of passes over the entries.
    After these, the default algorithm continues from the current matching. On a GPU it is a number
    of slow polls of the host: a poll is slow if fewer than 2^27 entries, and fewer than half of all
    entries, were visited since the poll before. After these, initializer and search start again on
    the CPU, where long augmenting paths take less time. If the caller requested the GPU, the search
    has no such bound; only an initializer that exceeds its bound is replaced by one on the CPU.
    """

    name: str
    when: tuple[Condition, ...]
    choice: str
    because: str
    within: float | None = None


class Open(NamedTuple):
    """A candidate: a rule whose conditions on the number of entries hold. `asks` are its other
    conditions."""

    rule: Rule
    asks: tuple[tuple[str, Comparison, float], ...]


class Ruled(NamedTuple):
    """The result of the conditions on the number of entries. `left_open` holds the candidates of
    each decision in their order. `settled` holds the first candidate of each decision for which
    this candidate has no other conditions. `backends` holds the backends that have decisions of
    their own, such as ``"start on gpu"``."""

    settled: dict[str, Rule]
    left_open: dict[str, tuple[Open, ...]]
    backends: frozenset[str] = frozenset()


class Table(dict[str, tuple[Rule, ...]]):
    """The rules of each decision. The part that depends on the number of entries alone is evaluated
    once for each range of that number, because for a small matrix the choice must take less time
    than the search."""

    def __init__(self, rules: Mapping[str, tuple[Rule, ...]]) -> None:
        super().__init__(rules)
        self._forget()

    def __setitem__(self, what: str, rules: tuple[Rule, ...]) -> None:
        super().__setitem__(what, rules)
        self._forget()

    def _forget(self) -> None:
        conditions = [c for rules in self.values() for rule in rules for c in rule.when]
        bounds = {c.bound for c in conditions if c.feature == "entries"}
        # Comparisons may include their bound or not, so each bound is a range by itself.
        self._bounds = sorted(bounds | {bound + 1 for bound in bounds})
        self._found: dict[int, Ruled] = {}
        self._last: tuple[float, Ruled] = -1, Ruled({}, {})

    def ruled(self, entries: float) -> Ruled:
        before, found = self._last
        if entries == before:  # the plan and the decomposition of one call ask for the same number
            return found
        between = bisect_right(self._bounds, entries)
        if between not in self._found:
            left_open = {what: tuple(_left_open(rules, entries)) for what, rules in self.items()}
            settled = {what: some[0].rule for what, some in left_open.items() if not some[0].asks}
            owners = frozenset(what.partition(" on ")[2] for what in self)
            self._found[between] = Ruled(settled, left_open, owners)
        found = self._found[between]
        self._last = entries, found
        return found


def _left_open(rules: tuple[Rule, ...], entries: float) -> Iterator[Open]:
    for rule in rules:
        if all(c.holds(entries) for c in rule.when if c.feature == "entries"):
            others = [c for c in rule.when if c.feature != "entries"]
            yield Open(rule, tuple((c.feature, _COMPARE[c.comparison], c.bound) for c in others))
            if not others:
                return


_registered: dict[str, str] = {}  # modules of packages that are not part of btfperm


@cache
def rules_of(package: str) -> Any:
    """The module with the rules of a package. It has `TABLE`, the names of the default algorithms,
    and `SECOND`, the name of the algorithm that repairs a wrong matching, or None."""
    return importlib.import_module(_registered.get(package, f"btfperm.{package}.auto_table"))


def register_rules(package: str, module: str) -> None:
    """Sets the module with the rules of a package that is not part of btfperm."""
    _registered[package] = module
    rules_of.cache_clear()


def first_rule(
    rules: tuple[Open, ...], known: Mapping[str, float], learn: Callable[[str], float]
) -> Rule:
    """The first candidate whose conditions all hold. `known` holds the features that are known;
    `learn` computes another one."""
    for rule, asks in rules:
        for feature, compare, bound in asks:
            if not compare(known[feature] if feature in known else learn(feature), bound):
                break
        else:
            return rule
    raise AssertionError("the last rule of a decision must have no condition")


def place_over_ranks(shape: tuple[int, int], nnz: int, ranks: int) -> str:
    """The choice of the rules for a matrix over ranks: "mpi", or "cpu", by which each rank analyses
    the whole matrix."""
    known = {"ranks": float(ranks), **size(shape, nnz)}
    rules = rules_of("transversal").TABLE.ruled(nnz).left_open["place over ranks"]
    return first_rule(rules, known, known.__getitem__).choice


def number(value: float) -> str:
    """The number as text, such as `98,252` or `0.0213`."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}"
