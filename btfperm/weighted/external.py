# SPDX-License-Identifier: BSD-3-Clause
"""Matchings in graphs whose edges do not fit into memory: input, check and result of
`local-max-external`.

1. ``edge_file.py`` writes the edges to a temporary file.
2. ``graph/local_max_external.hpp`` is the algorithm.
3. ``external_certificate.hpp`` checks the matching in two passes over the temporary file.
"""

from __future__ import annotations

import math
import os
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from btfperm import _core
from btfperm.arguments import path_text
from btfperm.backends.protocol import ValuedSession
from btfperm.backends.threads import checked_threads
from btfperm.errors import DefectError, InvalidArgumentError, InvalidMatrixError
from btfperm.path.request import Request, check_options
from btfperm.path.run import carry_out
from btfperm.pattern.arrays import IndexArray, prefix
from btfperm.registry import find
from btfperm.results.graph_matching import GraphMatching
from btfperm.weighted.edge_file import EdgeFile, disk_errors
from btfperm.weighted.graph_call import PACKAGE, OfVertices, fields_of
from btfperm.weighted.graph_certificate import Bound, MatchingCheck
from btfperm.weighted.graph_input import read_graph

__all__ = ["EXTERNAL", "FileGraph", "certify", "match_external", "number_of_bytes"]

EXTERNAL = "local-max-external"
DEFAULT_MEMORY = 1 << 30
LEAST_MEMORY = 1 << 16
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_HALF_EDGE = 16  # bytes of a record in a temporary file: two vertices and a weight


def number_of_bytes(memory: int | str | None) -> int:
    """A number of bytes, or a text such as ``"512M"`` with a binary unit.

    >>> number_of_bytes("1.5G")
    1610612736
    """
    if memory is None:
        return DEFAULT_MEMORY
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([KMGT]?)(?:i?B)?", str(memory).strip())
    if isinstance(memory, bool) or found is None:
        raise InvalidArgumentError(
            f"memory must be a number of bytes or a text such as '512M', not {memory!r}"
        )
    count = int(float(found[1]) * _UNITS[found[2]])
    if not LEAST_MEMORY <= count < 2**62:
        raise InvalidArgumentError(f"memory must be at least {LEAST_MEMORY} bytes, not {memory!r}")
    return count


def match_external(
    G: Any,
    *,
    backend: str = "auto",
    weights: str = "values",
    shape: Sequence[int] | None = None,
    memory: int | str | None = None,
    temporary: str | os.PathLike[str] | None = None,
    **limits: Any,
) -> tuple[GraphMatching, dict[str, Any]]:
    """(matching, origin). The matching is the result of local-max, computed on edges in a temporary
    file. The origin is `Pattern.source`, and is empty for a matrix in memory. A file is read in
    parts. The parameters are those of `match`; `limits` are those of `Request`. One thread is used.

    Raises
    ------
    InvalidArgumentError : `memory` is no number of bytes, or too small
    InvalidMatrixError : the matrix is no graph, has a weight that is not positive and finite, or
        holds an edge twice
    ResourceMissingError : the disk is full, or the folder cannot be used
    """
    row = find(EXTERNAL, initializer=False, package=PACKAGE, backend=backend)
    checked_threads(limits.get("threads"))  # refuses a wrong number, although one thread is used
    request = Request(EXTERNAL, backend=backend, **{**limits, "threads": 1})
    check_options(request.options, row)  # before the graph is read
    most = number_of_bytes(memory)
    folder = tempfile.gettempdir() if temporary is None else path_text(temporary)
    begin = time.perf_counter()
    edges: Any = EdgeFile(folder, weights, most)
    with edges.file:
        origin = {}
        if isinstance(G, str | os.PathLike):
            origin = edges.read(G, min(max(most // 16, 1 << 12), 1 << 24))
        else:
            edges.add_matrix(*read_graph(G, weights, shape))
        run = carry_out(ValuedSession(edges, "weighted.external", None), request, PACKAGE)
        return GraphMatching(**fields_of(run, run.begun - begin)), origin


class FileGraph(OfVertices):
    """A graph in a file, and the current matching of its vertices; see `GraphProblem`.

    Attributes
    ----------
    edges : the file
    matched, left : number of edges matched in each round, and number of edges left after it
    """

    unit = 1.0
    rounds = 0

    def __init__(self, session: ValuedSession, threads: int) -> None:
        self.edges: Any = session.pattern
        self.mate: IndexArray = np.empty(
            self.edges.n, np.int32 if self.edges.n < 2**31 else np.int64
        )

    @property
    def graph(self) -> tuple[int, int, int]:
        """The first arguments of the core's functions."""
        return self.edges.file.fileno(), self.edges.edges, self.edges.n

    def run(
        self, function: Callable[..., Any], *limits: Any
    ) -> tuple[int, dict[str, int | list[int]]]:
        """See `btfperm.backends.cpu.problem.Problem.run`."""
        edges, (seconds, work, _, seed, options) = self.edges, limits
        named = {"time_limit": seconds, "max_work": work, "seed": seed, "options": options}
        with disk_errors(edges.folder):
            report = function(*self.graph, self.mate, edges.folder, edges.memory, **named)
        if report["twice"][0] >= 0:
            u, v = report["twice"]
            raise InvalidMatrixError(
                f"{prefix(edges.name)}the edge between {u} and {v} (counted from 0) is given "
                "twice: the other algorithms add its weights"
            )
        self.rounds = report["rounds"]
        self.matched, self.left = (
            np.array([*report[name], *[0] * self.rounds][: self.rounds], np.int64)
            for name in ("matched", "left")
        )
        counters = {key: report[key] for key in ("edges", "bytes_read", "bytes_written")}
        counters |= {"external_rounds": report["external_rounds"]}
        counters |= {"sort_bytes": sort_bytes(2 * edges.edges * _HALF_EDGE, edges.memory)}
        counters |= {"sorted": report["sorted"]} if report["sorted"] else {}
        return report["stop"], counters

    def on_host(self) -> FileGraph:
        """This graph, which is on the host already."""
        return self


def certify(
    problem: FileGraph, view: FileGraph, stopped_by: str | None, *_: Any
) -> tuple[Any, Any, MatchingCheck, Bound]:
    """The same as `certify` of ``graph_certificate.py``, in two passes over the file. With
    model=candidates, no earlier step finds an edge that is given twice."""
    edges, mate = problem.edges, problem.mate
    weight_of = np.empty(edges.n)
    with disk_errors(edges.folder):
        check = _core.weighted.check_matching_in_file(*problem.graph, mate, weight_of)
    wrong, size, weight, maximal, dominant, _edges = check
    if 2 * size > np.count_nonzero(mate >= 0):
        raise InvalidMatrixError(
            f"{prefix(edges.name)}a matched edge is given twice: the other algorithms add its "
            "weights"
        )
    if wrong >= 0 or not (stopped_by or (maximal and dominant)):
        what = f"vertex {wrong} has no mate among its neighbours" if wrong >= 0 else "not maximal"
        raise DefectError(f"{prefix(edges.name)}the matching is wrong ({what}); please report this")
    shares = 2 * np.cumsum(problem.matched) / max(edges.n, 1)
    judged = MatchingCheck(size, weight, edges.edges, problem.left, shares, maximal, dominant)
    dual = weight_of if dominant else np.full(edges.n, math.inf)
    return dual, dual, judged, Bound(dual, 2 * weight if dominant else math.inf)


def sort_bytes(size: int, memory: int) -> int:
    """The number of bytes that an external sort of `size` bytes reads and writes: one pass makes
    runs as large as the memory, and each further pass merges 256 runs.

    Birn et al. (2013) bound the bytes of the algorithm by a constant times this number, where
    `size` is that of all edges, each listed at both of its ends."""
    blocks = 256
    passes = math.ceil(math.log(max(size / memory, 1.0), blocks)) if size > memory else 0
    return 2 * size * (1 + passes)
