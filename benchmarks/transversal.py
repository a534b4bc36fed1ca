# SPDX-License-Identifier: BSD-3-Clause
"""Maximum transversal: btfperm beside SciPy, BTF, CXSparse and, where installed, others.

Timed is the call, on data that is already in the method's own format; what the call allocates is
inside, and so is btfperm's certificate.
"""

from __future__ import annotations

from benchmarks import ours, peers
from benchmarks.cases import Case
from benchmarks.contest import Options, Section, contest


def run(cases: list[Case], options: Options) -> Section:
    """Milliseconds of each method on each matrix."""
    mine = ours.matching(options.algorithms, options.threads)
    return contest("Maximum transversal", cases, mine, peers.matching_peers(), options)
