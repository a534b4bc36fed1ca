# SPDX-License-Identifier: BSD-3-Clause
"""The choice: which algorithm finishes what the start has left.

One engine is the default everywhere today. Its own turns (pushes or searches) depend on the
pattern and stand, as data, in ``displacement/guided_displacement.hpp``.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Choice", "choose_algorithm"]


class Choice(NamedTuple):
    """A registry name and the reason in words."""

    name: str
    why: str


def choose_algorithm(missing: int, transposed: bool) -> Choice:
    """The algorithm for a matrix whose start is short of full rank by `missing`."""
    pairs = "1 pair" if missing == 1 else f"{missing:,} pairs"
    side = "; wide, so searched from the rows" if transposed else ""
    return Choice(
        "guided-displacement", f"the start was {pairs} short of full rank, the engine goes on{side}"
    )
