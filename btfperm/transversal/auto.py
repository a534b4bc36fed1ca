# SPDX-License-Identifier: BSD-3-Clause
"""The choice: which algorithm finishes what the start has left.

One engine is the default everywhere today. Its own turns (pushes or searches) depend on the
pattern and stand, as data, in ``displacement/guided_displacement.hpp``.
"""

from __future__ import annotations

import os
from typing import NamedTuple

__all__ = ["DEFAULT", "Choice", "choose_algorithm", "choose_threads"]

DEFAULT = "guided-displacement"

# Below so many entries a search is over before other threads have woken up; and two threads gain
# less than what the proof costs that their pushes need.
_WORTH_THREADS_ENTRIES = 1_000_000
_WORTH_THREADS_CORES = 4


class Choice(NamedTuple):
    """A registry name and the reason in words."""

    name: str
    why: str


def choose_algorithm(missing: int, transposed: bool) -> Choice:
    """The algorithm for a matrix whose start is short of full rank by `missing`."""
    pairs = "1 pair" if missing == 1 else f"{missing:,} pairs"
    side = "; wide, so searched from the rows" if transposed else ""
    return Choice(DEFAULT, f"the start was {pairs} short of full rank, the engine goes on{side}")


def choose_threads(nnz: int, asked: int | None) -> int:
    """Threads for the algorithms that use more than one: what was asked for, else all cores this
    process may use, where these and the matrix are large enough."""
    if asked is not None:
        return asked
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    worth = nnz >= _WORTH_THREADS_ENTRIES and cores >= _WORTH_THREADS_CORES
    return cores if worth else 1
