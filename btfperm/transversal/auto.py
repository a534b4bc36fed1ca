# SPDX-License-Identifier: BSD-3-Clause
"""The choice: a table of measured rules over cheap features of the matrix.

Five things are decided: on the CPU or on a GPU, what starts, on how many threads, from which side
the search goes, and which algorithm finishes what the start has left. For each, the first rule
counts whose conditions all hold. ``auto_table.py`` has the rules. ``python -m benchmarks.run
--section regret`` and ``--section regret-gpu`` measure how far its choices are behind the best, and
``auto_measured.json`` stores the result for each rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from btfperm.backends.threads import usable_cores
from btfperm.pattern import Pattern
from btfperm.pattern.features import Features, look, look_at_degrees, ratios, size
from btfperm.transversal.auto_table import (
    DEFAULT,
    DEFAULT_ON_GPU,
    TABLE,
    Condition,
    Open,
    Rule,
    number,
)

__all__ = [
    "DEFAULT",
    "DEFAULT_ON_GPU",
    "TABLE",
    "Choices",
    "Condition",
    "Rule",
    "choose_threads",
    "measured",
    "number",
]


class Choices:
    """The decisions for one matrix, each taken when it is asked for, from what is known by then."""

    missing: int | None = None  # pairs that the start is short of full rank
    said: str | None = ""  # what `why` answers; None: what the rules say

    def __init__(self, pattern: Pattern, place: str, threads: int, *, asked: bool) -> None:
        self._pattern: Pattern | None = pattern
        self._shape = pattern.shape
        self._entries = pattern.indices.size
        self._threads_asked = asked
        self._known: dict[str, float] = {"threads": threads}
        self._taken: dict[str, Rule] = {}
        self._settled, self._left_open = TABLE.ruled(self._entries)
        self.place = self._take("place").choice if place == "auto" else place  # "cpu" or "gpu"

    @property
    def default(self) -> str:
        """The algorithm whose options count where nobody has named one."""
        return DEFAULT_ON_GPU if self.place == "gpu" else DEFAULT

    def start(self, *, itself: bool = False) -> Rule:
        """Its choice is the name of the initializer. `itself`: the search has its own start, as
        one on a GPU may have."""
        if self.place == "gpu":
            self._known["itself"] = itself
            return self._take("start on gpu")
        return self._take("start")

    def from_rows(self) -> bool:
        """Whether to search from the rows; a square matrix has no shorter side."""
        m, n = self._shape
        return m != n and self._take("side").choice == "rows"

    def algorithm(self, missing: int) -> Rule:
        """For a matrix whose start is short of full rank by `missing`."""
        self.missing = missing
        self.said = None
        return self._take("algorithm on gpu" if self.place == "gpu" else "algorithm")

    def leave_gpu(self) -> None:
        """From here on with the rules of the CPU."""
        self.place = "cpu"
        if self._pattern is not None:
            self._pattern = self._pattern.on_host()

    def why(self) -> str:
        """One sentence on the algorithm."""
        if self.said is not None:
            return self.said
        taken = self._taken["algorithm on gpu" if self.place == "gpu" else "algorithm"]
        start = self._taken.get("start on gpu" if self.place == "gpu" else "start")
        if start is not None and start.choice == "none":
            short = "no start"
        else:
            pairs = "1 pair" if self.missing == 1 else f"{self.missing:,} pairs"
            short = f"the start was {pairs} short of full rank"
        side = "; wide, so searched from the rows" if self.from_rows() else ""
        return f"{short}; {taken.name}: {taken.because}{side}"

    def finished(self) -> Choices:
        """Without the pattern, which is the caller's: to be kept with the result."""
        self._pattern = None
        return self

    def explain(self) -> dict[str, Any]:
        """For machines: the features, and for each decision the rule that held and those before
        it that did not. What was asked for by name was not decided."""
        if not self._threads_asked and self.place == "cpu":
            self._take("threads")
        self._learn("entries")
        if self.missing is not None:
            self._learn("free")
        return {
            "decisions": {
                what: {
                    "choice": rule.choice,
                    "rule": rule.name,
                    "because": rule.because,
                    "passed_over": list(self._passed_over(what, rule)),
                }
                for what, rule in self._taken.items()
            },
            "features": {name: self._known.get(name) for name in Features.__slots__},
        }

    def _take(self, what: str) -> Rule:
        rule = self._taken.get(what)
        if rule is None:
            rule = self._settled.get(what)
            if rule is None:
                rule = _first(self._left_open[what], self._known, self._learn)
            self._taken[what] = rule
        return rule

    def _learn(self, feature: str) -> float:
        """Looks when a rule asks: for a tiny matrix a look would cost as much as the search."""
        known = self._known
        if feature in ("wide", "degree", "density"):
            known |= ratios(*self._shape, self._entries)
        elif feature in ("rows", "cols", "entries"):
            known |= size(self._shape, self._entries)
        elif feature in ("missing", "free") and self.missing is not None:
            known["missing"] = self.missing
            known["free"] = self.missing / (min(self._shape) or 1)
        elif feature == "cores":
            known["cores"] = usable_cores()
        elif feature in ("warm", "gpus"):
            known[feature] = _of_gpus(feature)
        elif self._pattern is not None:
            of_degrees = feature in ("longest", "skew", "empty", "single", "hidden")
            known |= look_at_degrees(self._pattern) if of_degrees else look(self._pattern)
        return known[feature]

    def _passed_over(self, what: str, taken: Rule) -> Iterator[dict[str, str]]:
        for rule in TABLE[what][: TABLE[what].index(taken)]:
            asked = [c for c in rule.when if c.feature in self._known]
            failed = next(c for c in asked if not c.holds(self._known[c.feature]))
            yield {
                "rule": rule.name,
                "choice": rule.choice,
                "fails": f"{failed}, it is {number(self._known[failed.feature])}",
            }


def choose_threads(nnz: int, asked: int | None) -> int:
    """Threads for the algorithms that use more than one: what was asked for, else as ruled."""
    if asked is not None:
        return asked
    settled, left_open = TABLE.ruled(nnz)
    rule = settled.get("threads") or _first(left_open["threads"], {}, lambda _: usable_cores())
    return usable_cores() if rule.choice == "all" else 1


def _first(
    rules: tuple[Open, ...], known: Mapping[str, float], learn: Callable[[str], float]
) -> Rule:
    """Of the rules on one decision that are left open, the first that holds."""
    for rule, asks in rules:
        for feature, compare, bound in asks:
            if not compare(known[feature] if feature in known else learn(feature), bound):
                break
        else:
            return rule
    raise AssertionError("the last rule has a condition")


def _of_gpus(feature: str) -> int:
    """What the driver tells; each is asked for only where a rule gets as far, since the answer to
    the second takes the driver a while."""
    from btfperm.backends.gpu.device import count_unloaded, in_use

    return int(in_use()) if feature == "warm" else count_unloaded()


def measured() -> Mapping[str, Any]:
    """The measured worth of each rule (benchmarks, section `regret`); loaded when asked for."""
    path = Path(__file__).with_name("auto_measured.json")
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
