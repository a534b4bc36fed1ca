# SPDX-License-Identifier: BSD-3-Clause
"""The choice: a table of measured rules over cheap features of the matrix.

Five things are decided: on the CPU or on a GPU, what starts, on how many threads, from which side
the search goes, and which algorithm finishes what the start has left. For each, the first rule
counts whose conditions all hold. ``auto_table.py`` is all there is to it; ``python -m
benchmarks.regret`` and ``python -m benchmarks.regret_gpu`` measure how far its choices are behind
the best, and ``auto_measured.json`` keeps what they found for each rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from btfperm.backends.threads import usable_cores
from btfperm.pattern import Pattern
from btfperm.pattern.features import Features, look, ratios, size
from btfperm.transversal.auto_table import (
    COMPARE,
    DEFAULT,
    DEFAULT_ON_GPU,
    TABLE,
    Condition,
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

    def __init__(self, pattern: Pattern, place: str, *, threads: int, threads_asked: bool) -> None:
        self._pattern: Pattern | None = pattern
        self._place = place
        self._known = size(pattern) | {"threads": threads}
        self._taken: dict[str, Rule] = {}
        self._threads_asked = threads_asked

    @property
    def place(self) -> str:
        """``"cpu"`` or ``"gpu"``; decided where it was ``"auto"``."""
        if self._place == "auto":
            self._place = self._take("place").choice
        return self._place

    @property
    def default(self) -> str:
        """The algorithm whose options count where nobody has named one."""
        return DEFAULT_ON_GPU if self.place == "gpu" else DEFAULT

    def start(self, *, itself: bool = False) -> Rule:
        """Its choice is the name of the initializer. `itself`: the search has its own start."""
        self._known.setdefault("itself", itself)
        return self._take(self._here("start"))

    def from_rows(self) -> bool:
        """Whether to search from the rows; a square matrix has no shorter side."""
        known = self._known
        return known["rows"] != known["cols"] and self._take("side").choice == "rows"

    def algorithm(self, missing: int) -> Rule:
        """For a matrix whose start is short of full rank by `missing`."""
        known = self._known
        known["missing"] = missing
        known["free"] = missing / (min(known["rows"], known["cols"]) or 1)
        return self._take(self._here("algorithm"))

    def leave_gpu(self) -> None:
        """From here on with the rules of the CPU."""
        self._place = "cpu"
        if self._pattern is not None:
            self._pattern = self._pattern.on_host()

    def _here(self, what: str) -> str:
        """The decision with the rules of this place."""
        return f"{what} on gpu" if self.place == "gpu" else what

    def why(self) -> str:
        """One sentence on the algorithm."""
        missing = int(self._known["missing"])
        short = (
            f"the start was {'1 pair' if missing == 1 else f'{missing:,} pairs'} short of full rank"
        )
        if self._here("start") in self._taken and self.start().choice == "none":
            short = "no start"
        rule = self._taken[self._here("algorithm")]
        side = "; wide, so searched from the rows" if self.from_rows() else ""
        return f"{short}; {rule.name}: {rule.because}{side}"

    def finished(self) -> Choices:
        """Without the pattern, which is the caller's: to be kept with the result."""
        self._pattern = None
        return self

    def explain(self) -> dict[str, Any]:
        """For machines: the features, and for each decision the rule that held and those before
        it that did not. What was asked for by name was not decided."""
        if not self._threads_asked and self.place == "cpu":
            self._take("threads")
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
            "features": asdict(Features(**self._known)),
        }

    def _take(self, what: str) -> Rule:
        rule = self._taken.get(what)
        if rule is None:
            rule = self._taken[what] = _first(what, self._known, self._learn)
        return rule

    def _learn(self, feature: str) -> float:
        """Looks when a rule asks: for a tiny matrix a look would cost as much as the search."""
        if feature == "cores":
            self._known["cores"] = usable_cores()
        elif feature in ("warm", "gpus"):
            self._known[feature] = _of_gpus(feature)
        elif feature in ("wide", "degree", "density"):
            self._known |= ratios(self._known["rows"], self._known["cols"], self._known["entries"])
        elif self._pattern is not None:
            self._known |= look(self._pattern)
        return self._known[feature]

    def _passed_over(self, what: str, taken: Rule) -> Iterator[dict[str, str]]:
        for rule in TABLE[what][: TABLE[what].index(taken)]:
            failed = next(c for c in rule.when if not c.holds(self._known[c.feature]))
            yield {
                "rule": rule.name,
                "choice": rule.choice,
                "fails": f"{failed}, it is {number(self._known[failed.feature])}",
            }


def choose_threads(nnz: int, asked: int | None) -> int:
    """Threads for the algorithms that use more than one: what was asked for, else as ruled."""
    if asked is not None:
        return asked
    rule = _first("threads", {"entries": nnz}, lambda _: usable_cores())
    return usable_cores() if rule.choice == "all" else 1


def _first(what: str, known: Mapping[str, float], learn: Callable[[str], float]) -> Rule:
    """Of the rules of one decision, the first that holds."""
    for rule in TABLE[what]:
        for feature, comparison, bound in rule.when:
            value = known[feature] if feature in known else learn(feature)
            if not COMPARE[comparison](value, bound):
                break
        else:
            return rule
    raise AssertionError(f"the last rule on {what} has a condition")


def _of_gpus(feature: str) -> int:
    """What the driver tells; each is asked for only where a rule gets as far, since the answer to
    the second takes the driver a while."""
    from btfperm.backends.gpu.device import count_unloaded, in_use

    return int(in_use()) if feature == "warm" else count_unloaded()


def measured() -> Mapping[str, Any]:
    """What benchmarks/regret.py found for each rule; loaded when asked for."""
    path = Path(__file__).with_name("auto_measured.json")
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
