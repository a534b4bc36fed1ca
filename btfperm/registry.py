# SPDX-License-Identifier: BSD-3-Clause
"""What exists: one row per algorithm.

Tests, benchmarks, `btfperm algorithms`, the help text and the README's table all loop over these
rows. A row's file is ``btfperm/<room>/<family>/<name>.hpp`` with ``-`` as ``_``; a backend is
loaded only when one of its rows is run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from btfperm.errors import InvalidArgumentError

__all__ = ["Algorithm", "algorithms", "find"]


@dataclass(frozen=True)
class Algorithm:
    """One published method, or one of ours.

    Attributes
    ----------
    name : what users type
    room, family : where its file is; initialisers have the family ``"initial"``
    backend : ``"cpu"``
    reference : where it was published
    summary : what it does, one line
    prefer : when to take it, one line
    """

    name: str
    room: str
    family: str
    backend: str
    reference: str
    summary: str
    prefer: str

    @property
    def stem(self) -> str:
        """Name of its file and of its function in the core."""
        return self.name.replace("-", "_")

    @property
    def is_initializer(self) -> bool:
        return self.family == "initial"

    def load(self) -> Callable[..., tuple[int, bool, dict[str, int]]]:
        """The function that improves a matching in place."""
        from btfperm import _core

        run: Callable[..., Any] = getattr(_core, self.stem)
        return run


_ROWS = (
    Algorithm(
        name="greedy",
        room="transversal",
        family="initial",
        backend="cpu",
        reference="Duff, ACM TOMS 7 (1981)",
        summary="cheap matching: each column takes its first free row",
        prefer="always first; enough on many matrices in natural order",
    ),
    Algorithm(
        name="karp-sipser",
        room="transversal",
        family="initial",
        backend="cpu",
        reference="Karp, Sipser, FOCS 1981",
        summary="match what has only one choice first, then any",
        prefer="random, triangular and circuit patterns with short columns",
    ),
    Algorithm(
        name="pothen-fan",
        room="transversal",
        family="augmenting",
        backend="cpu",
        reference="Pothen, Fan, ACM TOMS 16 (1990); Duff, Kaya, Uçar, ACM TOMS 38 (2011)",
        summary="disjoint depth-first searches in phases, lookahead and fairness",
        prefer="when few columns are free, or the order is natural",
    ),
    Algorithm(
        name="hopcroft-karp",
        room="transversal",
        family="augmenting",
        backend="cpu",
        reference="Hopcroft, Karp, SIAM J. Computing 2 (1973)",
        summary="maximal sets of disjoint shortest augmenting paths, O(nnz sqrt(n))",
        prefer="meshes in natural order, and where a bound on the time is wanted",
    ),
    Algorithm(
        name="ss-bfs",
        room="transversal",
        family="augmenting",
        backend="cpu",
        reference="Azad, Buluç, Pothen, IPDPS 2015 (SS-BFS)",
        summary="one breadth-first search at a time; failed ones close their part for good",
        prefer="when few columns are free and free rows are near",
    ),
    Algorithm(
        name="ms-bfs",
        room="transversal",
        family="augmenting",
        backend="cpu",
        reference="Azad, Buluç, Pothen, IPDPS 2015 (MS-BFS)",
        summary="breadth-first trees from all free columns at once, in phases",
        prefer="to finish and prove what is nearly maximum",
    ),
    Algorithm(
        name="guided-displacement",
        room="transversal",
        family="displacement",
        backend="cpu",
        reference="btfperm",
        summary="label-guided pushes or short searches, by a look at the pattern; O(nnz sqrt(n))",
        prefer="always, unless a published algorithm is wanted",
    ),
)


def algorithms(family: str | None = None) -> tuple[Algorithm, ...]:
    """Every algorithm there is, or those of one family (``"initial"``,
    ``"augmenting"``, ``"displacement"``).

    Examples
    --------
    >>> import btfperm
    >>> [row.name for row in btfperm.algorithms("initial")]
    ['greedy', 'karp-sipser']
    """
    return tuple(row for row in _ROWS if family is None or row.family == family)


def find(name: str, *, initializer: bool) -> Algorithm:
    """The row of that name; raises `InvalidArgumentError` that lists what exists."""
    candidates = [row for row in _ROWS if row.is_initializer == initializer]
    for row in candidates:
        if row.name == name:
            return row
    what = "initializer" if initializer else "algorithm"
    known = ", ".join(row.name for row in candidates)
    extra = "auto, none" if initializer else "auto"
    raise InvalidArgumentError(f"unknown {what} {name!r}; there are {extra}, {known}")
