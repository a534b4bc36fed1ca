# SPDX-License-Identifier: BSD-3-Clause
"""Generated stand-ins for the twelve test problems of Azad, Buluç, Pothen (IPDPS 2015, table II).

Each graph of the paper has a stand-in with the same kind of structure and with a similar mean
degree and matching number, in four sizes for small and large machines. The table below also has the
paper's figures, so that a result can show how far a stand-in differs from its graph.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.cases import Case, generated

CLASSES = ("scientific", "scale-free", "networks")
SIZES = ("tiny", "quick", "field", "large")

# The columns are: graph of the paper, its class, entries per column, percentage of all vertices
# that Karp-Sipser and a maximum matching cover; then the form of the stand-in's name and the
# numbers in it for the four sizes.
_TABLE = """
hugetrace     scientific   3.00  98.68  100.00  trace_n{}      8    14   18   22
delaunay_n24  scientific   6.00  98.58  100.00  delaunay_n{}   8    14   17   21
kkt_power     scientific   7.08  99.03  100.00  opf_{}         300  2e4  2e5  2e6
rgg_n24_s0    scientific  15.80  99.97   99.99  rgg_n_2_{}     8    13   16   20
coPaperDBLP   scale-free  56.41  97.93   99.95  copapers_{}    200  3e3  3e4  2e5
amazon0312    scale-free   7.99  93.82   99.56  copurchase_{}  300  2e4  2e5  2e6
cit-Patents   scale-free   4.38  97.42   97.99  citations_{}   300  2e4  2e5  2e6
RMAT          scale-free  30.40  96.12   96.78  rmat_s{}       8    14   17   20
road_usa      networks     2.41  93.68   94.90  road_{}        16   128  512  2048
wb-edu        networks     5.81  79.90   80.50  crawl_{}       300  2e4  2e5  2e6
web-Google    networks     5.57  67.45   68.75  webgraph_{}    300  2e4  2e5  2e6
wikipedia     networks    12.62  58.33   58.70  wiki_{}        300  1e4  1e5  1e6
"""


@dataclass(frozen=True)
class StandIn:
    """A graph of the paper and the names of its stand-ins, one for each of `SIZES`."""

    graph: str
    kind: str
    degree: float
    maximal: float
    maximum: float
    names: tuple[str, ...]

    @property
    def figures(self) -> dict[str, float]:
        """The paper's figures for the graph, by the names of these figures in our results."""
        left = self.maximum - self.maximal
        return {
            "degree": self.degree,
            "maximal": self.maximal,
            "maximum": self.maximum,
            "left": left,
        }


def _rows() -> list[StandIn]:
    rows = []
    for line in _TABLE.strip().splitlines():
        graph, kind, degree, maximal, maximum, form, *sizes = line.split()
        names = tuple(form.format(size) for size in sizes)
        rows.append(StandIn(graph, kind, float(degree), float(maximal), float(maximum), names))
    return rows


PAPER = _rows()


def stand_ins(size: str) -> list[Case]:
    """The twelve stand-ins of one size, in the paper's order; their kind is the paper's class."""
    cases = generated([row.names[SIZES.index(size)] for row in PAPER])
    return [Case(case.name, row.kind, case.load) for case, row in zip(cases, PAPER, strict=True)]


def stands_for(name: str) -> StandIn | None:
    """The paper's graph for which a matrix of that name stands, in its own or a random order."""
    plain = name.partition("_rcp")[0]
    return next((row for row in PAPER if plain in row.names), None)
