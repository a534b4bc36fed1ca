# SPDX-License-Identifier: BSD-3-Clause
"""MATCHINGS OF LARGE WEIGHT IN GRAPHS.

`match` finds a matching in a graph, which is a symmetric matrix whose values are the weights of
the edges:

1. The check of the graph: the matrix must be square and symmetric, with positive finite weights
   (``graph_input.py``).
2. One of the algorithms in ``graph/``, in its own file.
3. The checks and the bound (``graph_certificate.py``), which share nothing with the algorithms.

`btfperm.path` plans and runs these steps. The object that an algorithm works on is defined in
``graph_call.py`` for the CPU, in ``device_graph.py`` for a GPU, and in ``match_mpi.py`` for MPI
ranks, where only local-max runs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from btfperm.arguments import one_of, text, truth
from btfperm.backends import check_backend
from btfperm.backends.protocol import ValuedSession
from btfperm.errors import InvalidArgumentError
from btfperm.path.request import Request
from btfperm.path.run import carry_out
from btfperm.pattern import SEARCH, memory_for
from btfperm.pattern.input import is_over_ranks, over_ranks, refuse_backend_without_ranks
from btfperm.registry import find
from btfperm.results.graph_matching import GraphMatching
from btfperm.weighted.bipartite import between_sides, refuse_sides
from btfperm.weighted.external import EXTERNAL, match_external
from btfperm.weighted.graph_call import PACKAGE, fields_of
from btfperm.weighted.graph_input import weighted_pattern

__all__ = ["Weights", "match"]

Weights = Literal["values", "moduli", "ones"]


def match(
    G: Any,
    *,
    algorithm: str = "auto",
    backend: str = "auto",
    weights: Weights = "values",
    bipartite: bool = False,
    options: Mapping[str, float | str] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    max_work: int | None = None,
    shape: Sequence[int] | None = None,
    memory: int | str | None = None,
    temporary: str | os.PathLike[str] | None = None,
    comm: Any = None,
    gather: bool = True,
) -> GraphMatching:
    """A matching of large weight in a graph, and an upper bound on the weight of every matching.

    Parameters
    ----------
    G : a symmetric matrix of any type that `as_valued` accepts, or the name of a file. Entry
        (u, v) and its counterpart (v, u) are the edge between the vertices u and v; the diagonal
        is ignored. Patterns, files without values, and matrices of truth values have the weight 1
        for each edge
    algorithm : "auto", which is "local-max", or a name from ``btfperm.algorithms("graph")``

        - "local-max", "greedy" and "gpa" find at least half of the largest possible weight; the
          matching of "gpa" is usually the heaviest
        - "hem", "random-greedy" and "red-blue" find a maximal matching
        - "local-max-external" finds the matching of "local-max" in a file that is larger than
          memory: Matrix Market or METIS
    backend : "cpu", or "gpu" for "local-max" and "red-blue", with the same matching. "auto": the
        GPU if it holds `G` and runs the algorithm, else the CPU. With `comm`: "auto" or "mpi"
    weights : where the weights come from

        - "values": the values, which must be positive
        - "moduli": the moduli of real or complex values; stored zeros are no edges
        - "ones": 1 for each edge, whatever the values
    bipartite : True takes a matrix of m rows and n columns, of any shape, as a bipartite graph:
        entry (i, j) is the edge between row i, the vertex i, and column j, the vertex m + j. So
        ``r.mate[:m] - m`` are the columns matched to the rows in the result r, where ``mate`` is
        not -1. The graph has two entries for each entry of the matrix. Not possible with
        "local-max-external"
    options : the options of the algorithm by name, such as ``{"p": 0.5}``; ``btfperm algorithms``
        lists them
    seed : of the random numbers of an algorithm; the same seed gives the same matching
    threads : as for `maximum_transversal`. The matching is the same for every number of threads
    time_limit, max_work : bounds on the algorithm in seconds and in visited edges. If one ends it,
        the result is a legal matching with `stopped_by`
    shape : (m, n), only with a (data, indices, indptr) triple
    memory : the memory that "local-max-external" may use, in bytes or as a text such as "512M"; by
        default "1G". The result takes 12 bytes for each vertex in addition (16 from 2^31 vertices
        on)
    temporary : the folder for the temporary files of "local-max-external", which need about 120
        bytes for each edge; by default the system's folder for temporary files
    comm : an mpi4py communicator, all of whose ranks make this call: each rank reads its part of a
        file, or takes its part of a matrix that is the same on each rank. A `DistributedPattern`
        needs no `comm`. "local-max" then runs over the ranks, without its option `limit`; the
        matching is that of one process with ``{"limit": 0}``. Default None
    gather : over ranks, False returns a `DistributedGraphMatching`, in which each rank has the
        mates and duals of its own vertices. Default True: each rank has the whole result

    Returns
    -------
    GraphMatching : the matching, checked, with its bound. If `G` is on the GPU that runs the
        algorithm, the arrays of the result are on this GPU, too, and the bound is often weaker

    Raises
    ------
    InvalidMatrixError : the matrix is not square or not symmetric (without `bipartite`), a weight
        is not positive or not finite, or "local-max-external" finds an edge twice
    InvalidArgumentError : there is no such algorithm or option, or another argument is not possible
    BackendUnavailableError : the GPU cannot be used, fails, or has too little free memory
    ResourceMissingError : the disk is full, or the folder for temporary files cannot be used
    DefectError : the matching failed its check; a defect of btfperm, please report it

    Notes
    -----
    O(n + m) for n vertices and m edges in memory. Two algorithms may take longer: "red-blue",
    and "local-max" with ``options={"limit": 0}`` or over MPI ranks, where this option is not
    available. For these two, O(n + m) is the expected time on random graphs.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> G = np.array([[0, 4, 1], [4, 0, 5], [1, 5, 0]])
    >>> m = btfperm.match(G)
    >>> m.mate.tolist(), m.weight, m.maximal
    ([-1, 2, 1], 5.0, True)

    The rows of a matrix of two rows, matched to its three columns:

    >>> m = btfperm.match(np.array([[3, 9, 0], [0, 8, 1]]), bipartite=True)
    >>> m.mate[:2] - 2, m.weight
    (array([1, 2], dtype=int32), 10.0)
    """
    distributed = is_over_ranks(G, comm)
    with over_ranks(G, comm):
        name = text("algorithm", algorithm)
        check_backend(backend)
        if not distributed:
            refuse_backend_without_ranks(backend)
            if name != "auto":  # refuses an unknown one before the graph is read
                find(name, initializer=False, backend=backend, package=PACKAGE)
        one_of("weights", weights, get_args(Weights))
        if truth("bipartite", bipartite) and name == EXTERNAL:
            refuse_sides(EXTERNAL)
        limits: dict[str, Any] = {
            "threads": threads,
            "time_limit": time_limit,
            "max_work": max_work,
        }
        limits |= {"seed": seed, "options": options}
        if name == EXTERNAL and not distributed:
            place: dict[str, Any] = {"memory": memory, "temporary": temporary, "shape": shape}
            return match_external(G, weights=weights, **place, **limits)[0]
        if memory is not None or temporary is not None:
            where = "ranks" if distributed else "local-max" if name == "auto" else name
            raise InvalidArgumentError(f"memory and temporary go with {EXTERNAL}, not with {where}")
        if distributed:
            from btfperm.weighted.match_mpi import match_over_ranks

            how: dict[str, Any] = {
                "weights": weights,
                "bipartite": bipartite,
                "shape": shape,
                **limits,
            }
            with memory_for(SEARCH):
                found = match_over_ranks(G, comm, algorithm=name, backend=backend, **how)
                return found.gather() if gather else found
        begin = time.perf_counter()
        with memory_for(SEARCH):
            pattern, weight = weighted_pattern(G, weights, shape, threads)
            if bipartite:
                pattern, weight = between_sides(pattern, weight)
            limits |= {"algorithm": name, "backend": backend}
            request, session = Request(**limits), ValuedSession(pattern, PACKAGE, weight)
            run = carry_out(session, request, PACKAGE)
            return GraphMatching(**fields_of(run, run.begun - begin))
