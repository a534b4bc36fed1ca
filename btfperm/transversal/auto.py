# SPDX-License-Identifier: BSD-3-Clause
"""The choice: which algorithm finishes what the start has left."""

from __future__ import annotations

from typing import NamedTuple


class Choice(NamedTuple):
    """A registry name and the reason in words."""

    name: str
    why: str


def choose_algorithm(m: int, n: int, nnz: int, free_columns: int) -> Choice:
    """The algorithm for a matrix whose start left `free_columns` columns free (or fewer rows)."""
    return Choice("pothen-fan", f"the start left {free_columns} columns")
