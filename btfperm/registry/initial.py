# SPDX-License-Identifier: BSD-3-Clause
"""Initializers: cheap algorithms for an initial matching, which a search then extends."""

from __future__ import annotations

from functools import partial

from btfperm.registry.algorithm import Algorithm, Option
from btfperm.registry.graph import GPA_EXTEND, HEM_ORDER, RED_BLUE_P

__all__ = ["ROWS"]

row = partial(Algorithm, package="transversal", family="initial")

ROWS = (
    row(
        name="greedy",
        backend="cpu",
        reference="Duff, ACM TOMS 7 (1981)",
        summary="each column takes its first unmatched row (cheap matching)",
        prefer="usually: one pass over the entries, and often maximum in natural order",
        parallel=True,
    ),
    row(
        name="singles-first",
        backend="cpu",
        reference="btfperm",
        summary="match columns of one entry, which have no choice, then greedy",
        prefer="for columns of at most two entries, which form chains",
        parallel=True,
    ),
    row(
        name="karp-sipser",
        backend="cpu",
        reference="Karp, Sipser, FOCS 1981",
        summary="match vertices of degree one first, then any vertex",
        prefer="for random, triangular and circuit patterns with short columns",
        parallel=True,
    ),
    row(
        name="min-degree",
        backend="cpu",
        reference="Langguth, Manne, Sanders, ACM J. Experimental Algorithmics 15 (2010)",
        summary="repeatedly match a vertex of least degree to a neighbour of least degree",
        prefer="if the initial matching should be as large as possible at any cost",
    ),
    row(
        name="two-sided",
        backend="cpu",
        reference="Dufossé, Kaya, Uçar, J. Parallel Distrib. Comput. 85 (2015)",
        summary="scale to doubly stochastic, draw a neighbour of each vertex, match these entries",
        prefer="on many cores, if a bound on the size of the initial matching is needed",
        parallel=True,
        options=(Option("sweeps", 5, "Sinkhorn-Knopp sweeps before drawing"),),
    ),
    row(
        name="red-blue",
        backend="cpu",
        reference="Fagginger Auer, Bisseling, Facing the Multicore-Challenge II (2012)",
        summary="in rounds, blue vertices propose to red ones; each red one accepts one proposal",
        prefer="for comparison with the GPU",
        parallel=True,
        deterministic=True,
        options=(RED_BLUE_P,),
        file="weighted/graph/red_blue",
    ),
    row(
        name="local-max",
        backend="cpu",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013",
        summary="in rounds, match entries of locally largest random weight",
        prefer="for comparison with the GPU",
    ),
    row(
        name="random-greedy",
        backend="cpu",
        reference="Fagginger Auer, Bisseling, Facing the Multicore-Challenge II (2012)",
        summary="each row and column, in random order, takes a random unmatched neighbour",
        prefer="for comparison with red-blue",
        file="weighted/graph/random_greedy",
    ),
    row(
        name="hem",
        backend="cpu",
        reference="Karypis, Kumar, SIAM J. Scientific Computing 20 (1998)",
        summary="heavy-edge matching with equal weights; in natural order the matching of greedy",
        prefer="for comparison with local-max",
        options=(HEM_ORDER,),
        file="weighted/graph/hem",
    ),
    row(
        name="gpa",
        backend="cpu",
        reference="Maue, Sanders, WEA 2007",
        summary="maximum matchings of the paths and cycles that the entries form in their order",
        prefer="for comparison with local-max",
        options=(GPA_EXTEND,),
        file="weighted/graph/gpa",
    ),
    row(
        name="greedy",
        backend="gpu",
        reference="Duff, ACM TOMS 7 (1981)",
        summary="on a GPU: greedy with the result of one thread, or with random rows",
        prefer="usually on a GPU",
        parallel=True,
        options=(
            Option(
                "choice",
                "first",
                "first: the first unmatched row; random: the first after a random position",
                forms=("first", "random"),
            ),
        ),
    ),
    row(
        name="karp-sipser",
        backend="gpu",
        reference="Karp, Sipser, FOCS 1981",
        summary="on a GPU: in rounds, match vertices of degree one, then random ones",
        prefer="for random, triangular and circuit patterns, before a search on a GPU",
        parallel=True,
    ),
    row(
        name="red-blue",
        backend="gpu",
        reference="Fagginger Auer, Bisseling, Facing the Multicore-Challenge II (2012)",
        summary="on a GPU: in rounds, blue vertices propose; each red one accepts one proposal",
        prefer="for comparison with greedy",
        parallel=True,
        options=(RED_BLUE_P,),
        file="weighted/graph/red_blue",
        function="btfperm.weighted.bipartite_graph_gpu:red_blue_start",
    ),
    row(
        name="local-max",
        backend="gpu",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013",
        summary="on a GPU: in rounds, match entries of locally largest random weight",
        prefer="for comparison with greedy",
        parallel=True,
    ),
    row(
        name="greedy",
        backend="mpi",
        reference="Duff, ACM TOMS 7 (1981)",
        summary="over MPI ranks: columns take rows of their rank, then propose to others",
        prefer="over ranks, if the diagonal is full",
        deterministic=True,
        options=(Option("rounds", 4, "largest number of rounds of proposals"),),
    ),
    row(
        name="own-blocks",
        backend="mpi",
        reference="btfperm",
        summary="over MPI ranks: each rank matches its own rows and columns, then columns propose "
        "to rows of other ranks",
        prefer="for ranks with GPUs, on which the matching inside each rank is searched",
        uses_devices=True,
        options=(Option("rounds", 4, "largest number of rounds of proposals"),),
    ),
    row(
        name="karp-sipser",
        backend="mpi",
        reference="Karp, Sipser, FOCS 1981",
        summary="over MPI ranks: match vertices of degree one in rounds, then some of any degree",
        prefer="usually over ranks without GPUs",
        deterministic=True,
        options=(
            Option("thin_steps", 10, "steps with few messages before vertices of any degree"),
        ),
    ),
    row(
        name="local-max",
        backend="mpi",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013",
        summary="over MPI ranks: match entries of locally largest random weight, in rounds",
        prefer="for comparison with greedy over ranks",
        deterministic=True,
        options=(Option("rounds", 64, "largest number of rounds"),),
    ),
)
