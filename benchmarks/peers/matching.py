# SPDX-License-Identifier: BSD-3-Clause
"""Maximum transversal: btfperm beside SciPy, BTF, CXSparse and, where installed, others.

The time is that of the call, on data in the method's own format. It includes what the call
allocates, and btfperm's certificate. Research codes are estimated (research.py).
"""

from __future__ import annotations

from benchmarks.cases import Case
from benchmarks.peers import ours, packages, research
from benchmarks.peers.contest import contest
from benchmarks.report import Options, Section


def run(cases: list[Case], options: Options) -> Section:
    """Milliseconds of each method on each matrix, and the estimate for the best research code."""
    mine = ours.matching(options.algorithms, options.threads)
    section = contest("Maximum transversal", cases, mine, packages.matching_peers(), options)
    markdown, estimated = research.against(section.data["rows"], options.limit)
    if estimated:
        section.markdown += f"\n\n{markdown}"
        section.data["research"] = estimated
    return section
