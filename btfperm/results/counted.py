# SPDX-License-Identifier: BSD-3-Clause
"""Text for a number with its noun."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 block`, `2,000 blocks`, `3 entries`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
