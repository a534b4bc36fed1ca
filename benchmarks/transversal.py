# SPDX-License-Identifier: BSD-3-Clause
"""Maximum transversal: btfperm beside SciPy, BTF, CXSparse and, where installed, others.

Timed is the call, on data that is already in the method's own format; what the call allocates is
inside, and so is btfperm's certificate. Research codes are estimated beside them (research.py).
"""

from __future__ import annotations

from benchmarks import ours, peers, research
from benchmarks.cases import Case
from benchmarks.contest import Options, Section, contest


def run(cases: list[Case], options: Options) -> Section:
    """Milliseconds of each method on each matrix; what the best research code would take."""
    mine = ours.matching(options.algorithms, options.threads)
    section = contest("Maximum transversal", cases, mine, peers.matching_peers(), options)
    markdown, estimated = research.against(section.data["rows"], options.limit)
    if estimated:
        section.markdown += f"\n\n{markdown}"
        section.data["research"] = estimated
    return section
