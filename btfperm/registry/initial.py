# SPDX-License-Identifier: BSD-3-Clause
"""Starts: cheap matchings, which a search then completes."""

from __future__ import annotations

from btfperm.registry.algorithm import Algorithm, Option

__all__ = ["ROWS"]

ROWS = (
    Algorithm(
        name="greedy",
        package="transversal",
        family="initial",
        backend="cpu",
        reference="Duff, ACM TOMS 7 (1981)",
        summary="cheap matching: each column takes its first free row",
        prefer="mostly first: one pass, enough on many matrices in natural order",
        parallel=True,
    ),
    Algorithm(
        name="karp-sipser",
        package="transversal",
        family="initial",
        backend="cpu",
        reference="Karp, Sipser, FOCS 1981",
        summary="match what has only one choice first, then any",
        prefer="random, triangular and circuit patterns with short columns",
        parallel=True,
    ),
    Algorithm(
        name="min-degree",
        package="transversal",
        family="initial",
        backend="cpu",
        reference="Langguth, Manne, Sanders, ACM J. Experimental Algorithmics 15 (2010)",
        summary="match a vertex of least degree to a neighbour of least degree, again and again",
        prefer="when the start must leave as little as possible, whatever it costs",
    ),
    Algorithm(
        name="two-sided",
        package="transversal",
        family="initial",
        backend="cpu",
        reference="Dufossé, Kaya, Uçar, J. Parallel Distrib. Comput. 85 (2015)",
        summary="scale to double stochastic, draw one neighbour each, match those exactly",
        prefer="on many cores, where a bound on what the start leaves is wanted",
        parallel=True,
        options=(Option("sweeps", 5, "Sinkhorn-Knopp sweeps before drawing"),),
    ),
    Algorithm(
        name="red-blue",
        package="transversal",
        family="initial",
        backend="cpu",
        reference="Fagginger Auer, Bisseling, Facing the Multicore-Challenge II (2012)",
        summary="blue vertices propose to red ones, who agree are a pair, in rounds",
        prefer="for comparison with the GPU",
    ),
    Algorithm(
        name="local-max",
        package="transversal",
        family="initial",
        backend="cpu",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013",
        summary="match what is the heaviest of its row and column, random weights, in rounds",
        prefer="for comparison with the GPU",
    ),
    Algorithm(
        name="greedy",
        package="transversal",
        family="initial",
        backend="gpu",
        reference="Duff, ACM TOMS 7 (1981)",
        summary="cheap matching on a GPU: in order, as one thread finds it, or at random",
        prefer="first before a search on a GPU",
        parallel=True,
        options=(
            Option(
                "choice",
                "first",
                "first: the first free row, in order; random: the first from a drawn place on",
                forms=("first", "random"),
            ),
        ),
    ),
    Algorithm(
        name="karp-sipser",
        package="transversal",
        family="initial",
        backend="gpu",
        reference="Karp, Sipser, FOCS 1981",
        summary="on a GPU: match what has only one choice first, then some at random, in rounds",
        prefer="random, triangular and circuit patterns, before a search on a GPU",
        parallel=True,
    ),
    Algorithm(
        name="red-blue",
        package="transversal",
        family="initial",
        backend="gpu",
        reference="Fagginger Auer, Bisseling, Facing the Multicore-Challenge II (2012)",
        summary="on a GPU: blue vertices propose to red ones, who agree are a pair, in rounds",
        prefer="for comparison with greedy",
        parallel=True,
    ),
    Algorithm(
        name="local-max",
        package="transversal",
        family="initial",
        backend="gpu",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013",
        summary="on a GPU: match what is heaviest in its row and column, random weights, in rounds",
        prefer="for comparison with greedy",
        parallel=True,
    ),
)
