# SPDX-License-Identifier: BSD-3-Clause
"""What the checks of an input found."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["WIDE", "Outcome"]

WIDE = 1 << 20
"""With at least this number of rows or columns, memory may be refused."""


@dataclass
class Outcome:
    """The failures of an input; `ratio` is the peak memory divided by its bound."""

    accepted: bool = False
    failures: list[tuple[str, str]] = field(default_factory=list)
    ratio: float = 0.0
