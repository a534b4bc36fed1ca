# SPDX-License-Identifier: BSD-3-Clause
"""APsB and APFB on a GPU, in all eight variants, compared with searches on the CPU.

The paper is Deveci, Kaya, Uçar, Çatalyürek, "GPU accelerated maximum cardinality matching
algorithms for bipartite graphs", Euro-Par 2013. All searches have the same time limit. P-HK of the
paper, the slowest of its multicore peers, is not implemented.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.cases import Case
from benchmarks.papers import gpu
from benchmarks.report import Options, Row, Section

cases = gpu.cases


def paper() -> gpu.Paper:
    """The variants and their peers."""
    return gpu.Paper(
        "APsB and APFB on a GPU",
        [v for v in gpu.published() if v.row.name.startswith("ap")],
        sequential=("hopcroft-karp", "pothen-fan"),
        multicore=("pothen-fan", "p-dbfs"),
    )


def run(cases: list[Case], options: Options) -> Section:
    """Times and counters of the variants and their peers on each graph."""
    return gpu.run(cases, options, paper())


def joined(which: str, parts: Sequence[Row]) -> Section:
    """One section from the `data` of several results on different graphs."""
    return gpu.joined(paper().title, which, parts)
