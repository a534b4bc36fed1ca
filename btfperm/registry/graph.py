# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms of `match`: matchings of large weight in graphs."""

from __future__ import annotations

from functools import partial

from btfperm.registry.algorithm import Algorithm, Option

__all__ = ["GPA_EXTEND", "HEM_ORDER", "RED_BLUE_P", "ROWS"]

row = partial(Algorithm, package="weighted", family="graph")

_LOCAL_MAX = (
    Option(
        "ties",
        "renewed",
        "random numbers for equal weights: renewed in each round, or fixed",
        forms=("renewed", "fixed"),
    ),
    Option("limit", 8, "visits of each edge after which the rest is sorted; 0: none"),
)
_PLACE = Option(
    "place",
    "random",
    "the place of its list at which a vertex starts to search: a random one, or the first, as in "
    "the paper, which numbers the vertices at random before",
    forms=("random", "first"),
)
RED_BLUE_P = Option("p", 0.53406, "the probability of blue, between 0 and 1", is_probability=True)
_RED_BLUE = (
    Option(
        "select",
        "weighted",
        "the neighbour: that of the heaviest edge, or any one",
        forms=("weighted", "random"),
    ),
    _PLACE,
    RED_BLUE_P,
)
GPA_EXTEND = Option("extend", 0, "1: match the remaining edges by decreasing weight")
HEM_ORDER = Option("order", "natural", "the order of the vertices", forms=("natural", "random"))

ROWS = (
    row(
        name="local-max",
        backend="cpu",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013",
        summary="graphs: in rounds, match edges of locally largest weight; at least half of the "
        "optimum",
        prefer="nearly always: nearly the weight of greedy in less time",
        parallel=True,
        deterministic=True,
        options=(
            *_LOCAL_MAX,
            Option(
                "model",
                "auto",
                "sequential, crew (section 2.1 of the paper), or auto: crew on several threads",
                forms=("auto", "sequential", "crew"),
            ),
        ),
    ),
    row(
        name="local-max",
        backend="mpi",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013",
        summary="graphs over MPI ranks: local-max, with the matching of one process",
        prefer="for graphs over more than one rank",
        deterministic=True,
        options=_LOCAL_MAX[:1],
    ),
    row(
        name="local-max-external",
        backend="cpu",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013",
        summary="graphs: local-max on files that are larger than memory",
        prefer="for graphs whose edges do not fit into memory",
        deterministic=True,
        options=(
            Option(
                "ties",
                "renewed",
                "random numbers for equal weights: renewed in each round, or fixed",
                forms=("renewed", "fixed"),
            ),
            Option("limit", 8, "visits of each edge after which the rest is sorted; 0: none"),
            Option(
                "model",
                "sorted",
                "sorted, as in the paper, or candidates: no sort if one edge for each vertex fits "
                "into 3/4 of the memory; an edge that is given twice is not always an error",
                forms=("sorted", "candidates"),
            ),
        ),
    ),
    row(
        name="greedy",
        backend="cpu",
        reference="Fagginger Auer, Bisseling (2012), algorithm 2; Birn et al., Euro-Par 2013",
        summary="graphs: match edges by decreasing weight; at least half of the optimum",
        prefer="for comparison, as the simplest algorithm with this bound",
        deterministic=True,
    ),
    row(
        name="gpa",
        backend="cpu",
        reference="Maue, Sanders, WEA 2007",
        summary="graphs: the global path algorithm, paths and even cycles; at least half of the "
        "optimum",
        prefer="if the weight matters most: its matching is usually the heaviest",
        deterministic=True,
        options=(GPA_EXTEND,),
    ),
    row(
        name="hem",
        backend="cpu",
        reference="Karypis, Kumar, SIAM J. Scientific Computing 20 (1998)",
        summary="graphs: heavy-edge matching, each vertex in turn takes its heaviest edge",
        prefer="if time counts more than weight",
        deterministic=True,
        options=(HEM_ORDER,),
    ),
    row(
        name="random-greedy",
        backend="cpu",
        reference="Fagginger Auer, Bisseling (2012), algorithm 1",
        summary="graphs: each vertex in random order takes an unmatched neighbour",
        prefer="for comparison with red-blue",
        deterministic=True,
        options=(
            Option(
                "select",
                "random",
                "the neighbour: any one, or that of the heaviest edge",
                forms=("random", "weighted"),
            ),
            Option("order", "random", "the order of the vertices", forms=("random", "natural")),
            _PLACE,
        ),
    ),
    row(
        name="red-blue",
        backend="cpu",
        reference="Fagginger Auer, Bisseling (2012), algorithms 3 and 4",
        summary="graphs: in rounds, blue vertices propose to red ones; each red one accepts one",
        prefer="for comparison with local-max",
        parallel=True,
        deterministic=True,
        options=_RED_BLUE,
    ),
    row(
        name="local-max",
        backend="gpu",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013, section 3.3",
        summary="graphs, on a GPU: local-max by segmented maxima, with the matching of the CPU",
        prefer="for large graphs, if there is a GPU",
        parallel=True,
        deterministic=True,
        options=_LOCAL_MAX,
    ),
    row(
        name="red-blue",
        backend="gpu",
        reference="Fagginger Auer, Bisseling (2012), algorithms 3 and 4",
        summary="graphs, on a GPU: red-blue, with the matching of the CPU",
        prefer="for comparison with local-max on a GPU",
        parallel=True,
        deterministic=True,
        options=_RED_BLUE,
    ),
)
