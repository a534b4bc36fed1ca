# SPDX-License-Identifier: BSD-3-Clause
"""The choice: a table of measured rules over cheap features of the matrix.

Five things are decided: on the CPU or on a GPU, what starts, on how many threads, from which side
the search goes, and which algorithm finishes what the start has left. For each, the first rule
counts whose conditions all hold. `TABLE` is all there is to it; ``python -m benchmarks.regret`` and
``python -m benchmarks.regret_gpu`` measure how far its choices are behind the best, and
``auto_measured.json`` keeps what they found for each rule.
"""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from btfperm.backends.gpu.device import count_unloaded, in_use
from btfperm.pattern import Pattern
from btfperm.pattern.features import Features, look, ratios, size

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
    "usable_cores",
]

DEFAULT = "guided-displacement"
DEFAULT_ON_GPU = "apfb-wr"

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    ">=": operator.ge,
}


class Condition(NamedTuple):
    """A feature, how it is compared, and with what."""

    feature: str
    comparison: str
    bound: float

    def holds(self, value: float) -> bool:
        return _COMPARE[self.comparison](value, self.bound)

    def __str__(self) -> str:
        return f"{self.feature} {self.comparison} {number(self.bound)}"


class Rule(NamedTuple):
    """When all conditions hold, take the choice.

    `within`: the algorithm has so many readings of the matrix, on a GPU so many looks of the host,
    mostly one a level; if it is not done by then, the default of the CPU goes on from what it has
    reached, and a start begins anew there.
    """

    name: str
    when: tuple[Condition, ...]
    choice: str
    because: str
    within: float | None = None


# Bounds were set on one half of the families and real matrices of benchmarks/regret.py and
# benchmarks/regret_gpu.py; what each rule is worth stands in auto_measured.json. Of a matrix that
# lives on a GPU, the rules there know only the sizes and what the start has left.
TABLE: dict[str, tuple[Rule, ...]] = {
    "place": (
        Rule(
            "small",
            (Condition("entries", "<", 3_000_000),),
            "cpu",
            "it is done before a GPU has its copy",
        ),
        Rule(
            "cold",
            (Condition("warm", "<", 1), Condition("entries", "<", 150_000_000)),
            "cpu",
            "starting CUDA takes longer than the search",
        ),
        Rule("no gpu", (Condition("gpus", "<", 1),), "cpu", "no GPU is here that CuPy could use"),
        Rule("the rest", (), "gpu", "large, and the bus is fast"),
    ),
    "threads": (
        Rule(
            "large, many cores",
            (Condition("entries", ">=", 1_000_000), Condition("cores", ">=", 4)),
            "all",
            "a million entries keep several threads busy",
        ),
        Rule(
            "very large, two cores",
            (Condition("entries", ">=", 5_000_000), Condition("cores", ">=", 2)),
            "all",
            "memory is far, and two wait for it at the same time",
        ),
        Rule(
            "one thread",
            (),
            "one",
            "a small search is over before other threads have woken up",
        ),
    ),
    "start": (
        Rule(
            "tiny",
            (Condition("entries", "<", 4_000),),
            "none",
            "the search is over before a start would be set up",
        ),
        Rule(
            "thin",
            (Condition("degree", "<", 3),),
            "singles-first",
            "nearly a forest, with many columns of one entry, which have no choice",
        ),
        Rule(
            "the rest",
            (),
            "greedy",
            "one pass, enough on many matrices, and the search makes up for what a better start "
            "would add",
        ),
    ),
    "side": (
        Rule("wide", (Condition("wide", ">", 1.3),), "rows", "there are fewer rows to search from"),
        Rule("as stored", (), "columns", "the lists of the columns are there"),
    ),
    "algorithm": (
        Rule(
            "several threads",
            (Condition("threads", ">", 1), Condition("entries", ">=", 2_000_000)),
            DEFAULT,
            "it keeps all of them busy from start to proof",
        ),
        Rule(
            "dense",
            (Condition("entries", ">=", 4_000), Condition("density", ">=", 0.1)),
            "pothen-fan",
            "nearly every column sees a free row when it looks ahead",
            within=16,
        ),
        Rule("small", (Condition("entries", "<", 16_000),), "ss-bfs", "least to set up", within=20),
        Rule(
            "few left",
            (
                Condition("entries", "<", 250_000),
                Condition("free", "<", 0.06),
                Condition("single", ">", 0),
            ),
            "ms-bfs",
            "trees from few columns stay small, and the last of them are the proof",
            within=4,
        ),
        Rule("the rest", (), DEFAULT, "least behind the best where no other rule holds"),
    ),
    "start on gpu": (
        Rule("always", (), "greedy", "in order, as one thread finds it: others drift apart"),
    ),
    "algorithm on gpu": (
        Rule("the rest", (), DEFAULT_ON_GPU, "the fastest of those that a GPU runs"),
    ),
}


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

    def start(self) -> Rule:
        """Its choice is the name of the initializer."""
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
        elif feature == "gpus":
            self._known["gpus"] = count_unloaded()
        elif feature == "warm":
            self._known["warm"] = int(in_use())
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
            if not _COMPARE[comparison](value, bound):
                break
        else:
            return rule
    raise AssertionError(f"the last rule on {what} has a condition")


def number(value: float) -> str:
    """`98,252`, `0.0213`."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}"


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def measured() -> Mapping[str, Any]:
    """What benchmarks/regret.py found for each rule; loaded when asked for."""
    path = Path(__file__).with_name("auto_measured.json")
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
