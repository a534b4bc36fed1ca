# SPDX-License-Identifier: BSD-3-Clause
"""The choice: what starts, and which algorithm finishes what the start has left.

One start and one engine are the default everywhere today. What adapts is the engine: it looks at a
sample of the free columns and takes its own turns (pushes or searches) accordingly; the rules
stand, as data, in ``displacement/guided_displacement.hpp``.
"""

from __future__ import annotations

import os
from typing import NamedTuple

__all__ = [
    "DEFAULT",
    "DEFAULT_ON_GPU",
    "Choice",
    "choose_algorithm",
    "choose_initializer",
    "choose_threads",
]

DEFAULT = "guided-displacement"
DEFAULT_ON_GPU = "apfb-wr"

# Below so many entries a search is over before other threads have woken up; and two threads gain
# less than what the proof costs that their pushes need.
_WORTH_THREADS_ENTRIES = 1_000_000
_WORTH_THREADS_CORES = 4


class Choice(NamedTuple):
    """A registry name and the reason in words."""

    name: str
    why: str


def choose_initializer() -> str:
    """The start, whatever the matrix: greedy.

    With guided displacement behind it, Karp-Sipser does not pay any more: in the time that its
    degree lists take, pushes from a greedy start mostly reach the maximum. Whole run in
    milliseconds, certificate included, 0.5 to 1.1 million entries, one core of an AMD EPYC that
    was not idle, medians of five interleaved runs (so compare the columns, not other tables):

    =====================  ======  ===========
    matrix                 greedy  karp-sipser
    =====================  ======  ===========
    er_2e5_d5.0              21.3         38.9
    circuit_2e5              37.1         60.6
    tri_2e5                  22.9         42.6
    delaunay_n17_rcp         13.9         31.6
    rmat_s16                 14.1         16.1
    hessenberg_1500_rcp      13.2         14.9
    chain_5e5_rcp            82.3         70.6
    bandtri_2e5              57.9         36.2
    =====================  ======  ===========

    No cheap sign is known that tells the last two from the others, so no rule chooses.
    """
    return "greedy"


def choose_algorithm(missing: int, transposed: bool, on_gpu: bool = False) -> Choice:
    """The algorithm for a matrix whose start is short of full rank by `missing`."""
    pairs = "1 pair" if missing == 1 else f"{missing:,} pairs"
    side = "; wide, so searched from the rows" if transposed else ""
    name = DEFAULT_ON_GPU if on_gpu else DEFAULT
    return Choice(name, f"the start was {pairs} short of full rank, the engine goes on{side}")


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
