# SPDX-License-Identifier: BSD-3-Clause
"""The statements of three papers about parameters and transfers, compared with a result of the
section paper-choices."""

from __future__ import annotations

import statistics

from benchmarks.papers import choices
from benchmarks.papers.claims import Claim, Data, Item, yes_or_no

# The best value of each parameter in its paper, and the statement about it.
BEST = {
    "alpha": ("5", "alpha of about 5 performs best"),
    "k": ("0.5", "k = 0.5 is slightly better than other values"),
}
TRANSFER = 39  # percent of the time, on average


def of_parameter(data: Data | None, kind: str, title: str, axes: str, why: str) -> Item:
    """The item about a parameter. Its statement holds if the paper's value has the least geometric
    mean of the time over the least time of all values."""
    value, words = BEST[kind]
    found = choices.means(data["rows"], kind) if data else {}
    if not found:
        return Item(title, axes, [Claim(words, None, "-")])
    rows = [row for row in data["rows"] if row["kind"] == kind] if data else []
    lost = [f"`{row['matrix']}`" for row in rows if len(row["median"]) < len(found)]
    each = ", ".join(f"{mean:.3f} with {name}" for name, mean in found.items())
    best = min(found, key=found.__getitem__)
    return Item(
        title,
        axes,
        [yes_or_no(words, best == value, f"{each}; {len(rows) - len(lost)} graphs")],
        why="The numbers are geometric means of the time over the least time of all values. "
        + (f"A value was stopped on {', '.join(lost)}, which does not count. " if lost else "")
        + why,
    )


def of_alpha(data: Data | None) -> Item:
    """The item about alpha of ms-bfs-graft."""
    return of_parameter(
        data,
        "alpha",
        "Section III B. The parameter alpha",
        "alpha; time of ms-bfs-graft on all cores",
        "The start is Karp-Sipser's matching, and each stand-in is in its own order.",
    )


def of_k(data: Data | None) -> Item:
    """The item about the relabelling frequency of the sequential push-relabel."""
    return of_parameter(
        data,
        "k",
        "Section IV. Relabelling frequency of sequential push-relabel",
        "k; time of push-relabel, which relabels after k (m + n) changes of labels",
        "The graphs are smaller than those of the other statements, because sequential "
        "push-relabel takes minutes on these.",
    )


def of_transfer(data: Data | None) -> Claim:
    """The claim about the share of the transfer to the GPU."""
    words = f"transfers from the CPU to the GPU take {TRANSFER} % of the time on average"
    shares = [100 * share for share in choices.shares(data["rows"])] if data else []
    if not shares:
        return Claim(words, None, "-")
    mean = statistics.mean(shares)
    ours = f"{mean:.0f} % ({min(shares):.0f} to {max(shares):.0f} %)"
    return yes_or_no(f"{words} (to 5 points)", abs(mean - TRANSFER) <= 5, ours)


__all__ = ["of_alpha", "of_k", "of_transfer"]
