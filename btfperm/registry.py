# SPDX-License-Identifier: BSD-3-Clause
"""What exists: one row per algorithm.

Tests, benchmarks, `btfperm algorithms`, the help text and the README's table all loop over these
rows. A row's file is ``btfperm/<room>/<family>/<name>.hpp`` with ``-`` as ``_``; a backend is
loaded only when one of its rows is run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from btfperm.errors import InvalidArgumentError

__all__ = ["Algorithm", "Option", "algorithms", "find"]


@dataclass(frozen=True)
class Option:
    """A number that one algorithm can be given: ``options={"name": value}``."""

    name: str
    default: float
    summary: str


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
    parallel : whether it uses more than one thread
    options : numbers it can be given
    """

    name: str
    room: str
    family: str
    backend: str
    reference: str
    summary: str
    prefer: str
    parallel: bool = False
    options: tuple[Option, ...] = ()

    @property
    def stem(self) -> str:
        """Name of its file and of its function in the core."""
        return self.name.replace("-", "_")

    @property
    def is_initializer(self) -> bool:
        return self.family == "initial"

    def has_option(self, name: str) -> bool:
        return any(option.name == name for option in self.options)

    def checked(self, options: Mapping[str, float]) -> dict[str, float]:
        """Those of the options that this algorithm has, as the core takes them."""
        own = {name: value for name, value in options.items() if self.has_option(name)}
        for name, value in own.items():
            if not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise InvalidArgumentError(
                    f"the option {name} of {self.name} must be a finite number from 0 on, "
                    f"not {value!r}"
                )
        return {name: float(value) for name, value in own.items()}

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
        parallel=True,
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
        name="min-degree",
        room="transversal",
        family="initial",
        backend="cpu",
        reference="Duff, Kaya, Uçar, ACM TOMS 38 (2011), section 2.1",
        summary="match a vertex of least degree to a neighbour of least degree, again and again",
        prefer="when the start must leave as little as possible, whatever it costs",
    ),
    Algorithm(
        name="two-sided",
        room="transversal",
        family="initial",
        backend="cpu",
        reference="Dufossé, Kaya, Uçar, J. Parallel Distrib. Comput. 85 (2015)",
        summary="scale to double stochastic, draw one neighbour each, match those exactly",
        prefer="on many cores, where a bound on what the start leaves is wanted",
        parallel=True,
        options=(Option("sweeps", 5, "Sinkhorn-Knopp sweeps before drawing"),),
    ),
    Algorithm(
        name="pothen-fan",
        room="transversal",
        family="augmenting",
        backend="cpu",
        reference="Pothen, Fan, ACM TOMS 16 (1990); Duff, Kaya, Uçar, ACM TOMS 38 (2011)",
        summary="disjoint depth-first searches in phases, lookahead and fairness",
        prefer="when few columns are free, or the order is natural",
        options=(Option("fairness", 1, "read lists backwards in every second phase; 0 never"),),
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
        name="hkdw",
        room="transversal",
        family="augmenting",
        backend="cpu",
        reference="Duff, Wiberg, ACM TOMS 14 (1988)",
        summary="hopcroft-karp, with searches from the columns left over after each phase",
        prefer="power-law patterns after karp-sipser",
    ),
    Algorithm(
        name="ss-dfs",
        room="transversal",
        family="augmenting",
        backend="cpu",
        reference="Duff, ACM TOMS 7 (1981), algorithm 575 (MC21)",
        summary="one depth-first search at a time, with lookahead",
        prefer="when very few columns are free, and for comparison",
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
        name="p-dbfs",
        room="transversal",
        family="augmenting",
        backend="cpu",
        reference="Azad, Halappanavar, Rajamanickam, Boman, Khan, Pothen, IPDPS 2012",
        summary="disjoint breadth-first trees, one thread a tree",
        prefer="on many cores, while many columns are free",
        parallel=True,
    ),
    Algorithm(
        name="ms-bfs-graft",
        room="transversal",
        family="augmenting",
        backend="cpu",
        reference="Azad, Buluç, Pothen, IPDPS 2015",
        summary="breadth-first trees from all free columns, direction-optimised, grafted",
        prefer="on many cores, and where a large part stays unmatched",
        parallel=True,
        options=(
            Option("alpha", 5, "bottom-up when the frontier exceeds 1/alpha of the rows unseen"),
            Option("direction", 1, "0: always top-down"),
            Option("graft", 1, "0: all trees grow anew in each phase"),
        ),
    ),
    Algorithm(
        name="push-relabel",
        room="transversal",
        family="push_relabel",
        backend="cpu",
        reference="Kaya, Langguth, Manne, Uçar, Computers & OR 40 (2013)",
        summary="first-in-first-out double pushes with global relabelling",
        prefer="circuits and random patterns, when a published algorithm is wanted",
        options=(Option("relabel", 2, "global relabelling after so many times n pushes"),),
    ),
    Algorithm(
        name="guided-displacement",
        room="transversal",
        family="displacement",
        backend="cpu",
        reference="btfperm",
        summary="label-guided pushes or short searches, by a look at the pattern; O(nnz sqrt(n))",
        prefer="always, unless a published algorithm is wanted",
        parallel=True,
    ),
)


def algorithms(family: str | None = None) -> tuple[Algorithm, ...]:
    """Every algorithm there is, or those of one family (``"initial"``,
    ``"augmenting"``, ``"push_relabel"``, ``"displacement"``).

    Examples
    --------
    >>> import btfperm
    >>> [row.name for row in btfperm.algorithms("initial")]
    ['greedy', 'karp-sipser', 'min-degree', 'two-sided']
    """
    return tuple(row for row in _ROWS if family is None or row.family == family)


_BY_NAME = {(row.name, row.is_initializer): row for row in _ROWS}


def find(name: str, *, initializer: bool) -> Algorithm:
    """The row of that name; raises `InvalidArgumentError` that lists what exists."""
    row = _BY_NAME.get((name, initializer))
    if row is not None:
        return row
    what = "initializer" if initializer else "algorithm"
    known = ", ".join(row.name for row in _ROWS if row.is_initializer == initializer)
    extra = "auto, none" if initializer else "auto"
    raise InvalidArgumentError(f"unknown {what} {name!r}; there are {extra}, {known}")
