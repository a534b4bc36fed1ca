# SPDX-License-Identifier: BSD-3-Clause
"""G-PR on a GPU in its three versions and with several relabelling strategies, compared with
searches on the CPU.

The paper is Deveci, Kaya, Uçar, Çatalyürek, "A push-relabel-based maximum cardinality bipartite
matching algorithm on GPUs", ICPP 2013. All codes have the same time limit. G-HKDW of the paper is
an earlier GPU code of its authors, based on the algorithm HKDW. Deveci et al. (Euro-Par 2013) call
it APFB; here it is ``apfb-wr``.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.cases import Case
from benchmarks.papers import gpu
from benchmarks.report import Options, Row, Section

cases = gpu.cases

BEST = "adaptive:0.7"
STRATEGIES = ("adaptive:0.3", "adaptive:1.5", "fixed:50")  # of figure 1, with those of gpu.NUMBERS


def paper(more: Sequence[str] = ()) -> gpu.Paper:
    """The versions with the paper's strategies and those in `more`, and the peers."""
    everyone = [v for v in gpu.published((*STRATEGIES, *more)) if v.row.name.startswith("g-pr")]
    best = [v for v in everyone if v.name.endswith(BEST)]
    others = [v for v in everyone if v not in best]
    return gpu.Paper(
        "G-PR on a GPU",
        [*best, *(v for v in gpu.published() if v.name == "apfb-wr ct"), *others],
        sequential=("push-relabel",),
        multicore=("p-dbfs", "push-relabel-mt"),
    )


def run(cases: list[Case], options: Options) -> Section:
    """Times and counters of the versions and their peers on each graph."""
    return gpu.run(cases, options, paper(options.relabel))


def joined(which: str, parts: Sequence[Row]) -> Section:
    """One section from the `data` of several results on different graphs."""
    return gpu.joined(paper().title, which, parts)
