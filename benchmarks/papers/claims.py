# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of a table or figure of a paper with ours: the paper's statements, whether they
hold here, and a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.report import digits, geometric_mean, paragraphs, table

Data = dict[str, Any]

AGREES, IN_PART, DISAGREES = "agrees", "agrees in part", "disagrees"
NOT_MEASURED = "not measured"
_SENTENCES = {
    AGREES: "Agrees with the paper",
    IN_PART: "Agrees with the paper in part",
    DISAGREES: "Disagrees with the paper",
    NOT_MEASURED: "Not measured",
}


@dataclass(frozen=True)
class Claim:
    """A statement of the paper. `held` is the share of our cases in which it holds, or None without
    cases. `ours` is what was measured here."""

    words: str
    held: float | None
    ours: str


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper. `axes` describes the paper's axes or columns. `figure` is the
    name of our figure in `figures.KINDS`. It is drawn from the result on real matrices if
    `of_real`, or else from the newest result of `section` if this is set. `why` explains a verdict
    that is not "agrees"."""

    title: str
    axes: str
    claims: Sequence[Claim] = field(default_factory=tuple)
    table: str = ""
    figure: str = ""
    why: str = ""
    of_real: bool = False
    section: str = ""

    @property
    def verdict(self) -> str:
        """The verdict is AGREES if every statement was measured and holds in all cases, DISAGREES
        if no statement holds in any case, and otherwise IN_PART; NOT_MEASURED without results."""
        held = [claim.held for claim in self.claims if claim.held is not None]
        if not held:
            return NOT_MEASURED
        if min(held) == 1 and len(held) == len(self.claims):
            return AGREES
        return DISAGREES if max(held) == 0 else IN_PART

    def markdown(self, stem: str) -> str:
        """The text of this item on the page; `stem` is the path of the result without its
        suffix."""
        rows = [[claim.words, claim.ours, _share(claim.held)] for claim in self.claims]
        image = f"![{self.title}]({stem}-{self.figure}.svg)" if self.figure else ""
        return paragraphs(
            f"## {self.title}",
            f"Axes: {self.axes}.",
            self.table,
            image,
            table(["the paper", "here", "holds"], rows) if rows else "",
            f"**{_SENTENCES[self.verdict]}.** {self.why}".strip(),
        )


def _share(held: float | None) -> str:
    if held is None:
        return "not measured"
    return {1.0: "yes", 0.0: "no"}.get(held, f"in {100 * held:.0f} % of the cases")


def counted(words: str, cases: Iterable[bool], what: str = "cases") -> Claim:
    """A claim about single cases; `cases` states for each whether the claim holds."""
    each = list(cases)
    if not each:
        return Claim(words, None, "-")
    return Claim(words, sum(each) / len(each), f"{sum(each)} of {len(each)} {what}")


def yes_or_no(words: str, holds: bool, ours: str) -> Claim:
    """A claim about one number."""
    return Claim(words, float(holds), ours)


def mean_text(values: Sequence[float], unit: str = "") -> str:
    """The geometric mean, the least and the largest value, as text."""
    if not values:
        return "-"
    mean = digits(geometric_mean(values))
    return f"{mean}{unit} ({digits(min(values))} to {digits(max(values))})"
