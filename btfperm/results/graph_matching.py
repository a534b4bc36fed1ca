# SPDX-License-Identifier: BSD-3-Clause
"""`GraphMatching`: a matching of large weight in a graph, and a bound on the weight of every
matching."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from btfperm.pattern.arrays import IndexArray
from btfperm.results.counted import counted
from btfperm.results.equality import fields_equal
from btfperm.results.html import html_table
from btfperm.results.read_only import ReadOnlyArrays, freeze
from btfperm.results.transversal import Counters

if TYPE_CHECKING:
    import os

__all__ = ["GraphMatching"]


@dataclass(frozen=True, eq=False, repr=False)
class GraphMatching(ReadOnlyArrays):
    """A matching in a graph: edges of which no two share an end.

    Two results are equal (``==``) if `mate` and `weight` are equal.

    Attributes
    ----------
    mate : (n,) the vertex matched to each vertex, or -1
    weight : the sum of the weights of the matched edges
    size : number of matched edges
    edges : number of edges of the graph
    rounds : number of rounds of the algorithm; 1 for algorithms without rounds
    edges_left : (rounds,) number of edges between two unmatched vertices after each round
    matched_share : (rounds,) share of the vertices that are matched after each round
    maximal : whether every edge shares an end with a matched edge
    locally_dominant : whether every edge outside of the matching shares an end with a matched edge
        that is at least as heavy; then no matching has more than twice the weight
    upper_bound : a bound on the weight of every matching of the graph: the sum of `dual`, plus a
        bound on rounding errors
    dual : (n,) the proof of the bound: numbers >= 0 with dual[u] + dual[v] >= weight for each edge
        {u, v}
    algorithm, backend : the name of the algorithm, and of the backend that ran it: ``"cpu"``,
        ``"gpu"`` or ``"mpi"``
    stopped_by : ``"time_limit"`` or ``"max_work"`` if a limit ended the algorithm, else None. After
        a limit, the matching is legal, but need not be maximal
    counters : ``edges`` is the number of visited edges. If edges were matched by decreasing weight
        instead of in rounds, ``sorted`` is their number. Over MPI ranks, and for a graph in files,
        there are also counters of the data sent, read and written
    seconds : time of each stage
    explain : a method that returns a dict: the plan of the call, for each decision the rule that
        was applied and the rules before it that did not hold, and the measured features

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> path = np.array([[0, 2, 0, 0], [2, 0, 3, 0], [0, 3, 0, 2], [0, 0, 2, 0]])
    >>> m = btfperm.match(path, algorithm="gpa")
    >>> m
    <GraphMatching of 4 vertices, 3 edges: 2 matched, weight 4, at most 4, maximal, by gpa>
    >>> m.mate.tolist()
    [1, 0, 3, 2]
    """

    #: whether each MPI rank holds only a part of `mate` and `dual`
    is_distributed: ClassVar[bool] = False

    mate: IndexArray
    weight: float
    size: int
    edges: int
    rounds: int
    edges_left: npt.NDArray[np.int64]
    matched_share: npt.NDArray[np.float64]
    maximal: bool
    locally_dominant: bool
    upper_bound: float
    dual: npt.NDArray[np.float64]
    algorithm: str
    backend: str = "cpu"
    stopped_by: str | None = None
    counters: Counters = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    explain: Callable[[], Mapping[str, Any]] = dict

    def __post_init__(self) -> None:
        freeze(self.mate, self.edges_left, self.matched_share, self.dual)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return self.mate.size

    def pairs(self) -> IndexArray:
        """(size, 2) the matched edges, each with its smaller vertex first, in ascending order of
        the smaller vertices. O(n)."""
        first = np.flatnonzero(self.mate > np.arange(self.n)).astype(self.mate.dtype)
        return np.column_stack([first, self.mate[first]])

    def save(self, path: str | os.PathLike[str], *, replace: bool = True) -> None:
        """Writes `mate`, `dual`, `weight` and `upper_bound` as one ``.npz`` file; ``-`` is standard
        output. With ``replace=False``, an existing file is not replaced.

        Raises
        ------
        InvalidArgumentError : the name ends like that of a file of another format
        ResourceMissingError : the file cannot be written, or exists and must not be replaced

        Examples
        --------
        >>> import pathlib
        >>> import tempfile
        >>> import numpy as np
        >>> import btfperm
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "mate.npz"
        >>> btfperm.match(np.array([[0, 2], [2, 0]])).save(path)
        >>> np.load(path)["mate"].tolist()
        [1, 0]
        """
        from btfperm.io.save_matching import save_matching

        save_matching(self, path, replace=replace)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphMatching):
            return NotImplemented
        return fields_equal(self, other, ("mate", "weight"))

    def __hash__(self) -> int:
        return hash(("GraphMatching", self.n, self.size))

    def _facts(self) -> dict[str, Any]:
        return {"weight": f"{self.weight:.6g}", "at most": f"{self.upper_bound:.6g}"}

    def _state(self) -> str:
        if self.stopped_by:
            return f"stopped by {self.stopped_by}"
        return "maximal" if self.maximal else "not maximal"

    def _repr_html_(self) -> str:
        counts = {"vertices": self.n, "edges": self.edges, "matched edges": self.size}
        about = {"rounds": self.rounds, "state": self._state(), "algorithm": self.algorithm}
        return html_table("GraphMatching", {**counts, **self._facts(), **about})

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self._facts().items())
        return (
            f"<GraphMatching of {counted(self.n, 'vertex', 'vertices')}, "
            f"{counted(self.edges, 'edge')}: {self.size:,} matched, {facts}, {self._state()}, "
            f"by {self.algorithm}>"
        )
