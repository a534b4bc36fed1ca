# SPDX-License-Identifier: BSD-3-Clause
"""Decomposition: `dulmage_mendelsohn` beside btf_order, cs_dmperm and what SciPy has in pieces.

From the bare pattern to the fine blocks, matching included. `btf_order` and SciPy's pieces take
square matrices only, SciPy's nonsingular ones only; "blocks" counts those of the square part.
"""

from __future__ import annotations

from benchmarks import ours, peers
from benchmarks.cases import Case
from benchmarks.contest import Options, Section, contest


def run(cases: list[Case], options: Options) -> Section:
    """Milliseconds of each method on each matrix."""
    mine = ours.decomposition(options.algorithms, options.threads)
    return contest("Decomposition", cases, mine, peers.decomposition_peers(), options)
