# SPDX-License-Identifier: BSD-3-Clause
"""What exists: one row per algorithm.

Tests, benchmarks, `btfperm algorithms`, the help text and the README's table all loop over these
rows. A row's file is ``btfperm/<room>/<family>/<name>.hpp`` with ``-`` as ``_``; the driver of a
GPU is loaded only when one of its rows is run.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from btfperm import _core
from btfperm.errors import InvalidArgumentError

__all__ = ["Algorithm", "Option", "algorithms", "find"]


@dataclass(frozen=True)
class Option:
    """What one algorithm can be given: ``options={"name": value}``.

    A number from 0 on; or, where there are `forms`, one of these words. A form that ends in ``:k``
    is a word with a number, such as ``"adaptive:0.7"`` for the form ``"adaptive:k"``.
    """

    name: str
    default: float | str
    summary: str
    forms: tuple[str, ...] = ()

    def checked(self, value: object, owner: str) -> float | str:
        """The value as the algorithm takes it.

        Raises
        ------
        InvalidArgumentError : it is none
        """
        if self.forms:
            if isinstance(value, str) and self._form_of(value) in self.forms:
                return value
            raise InvalidArgumentError(
                f"the option {self.name} of {owner} must be one of {', '.join(self.forms)}, "
                f"not {value!r}"
            )
        if not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise InvalidArgumentError(
                f"the option {self.name} of {owner} must be a finite number from 0 on, "
                f"not {value!r}"
            )
        return float(value)

    @staticmethod
    def _form_of(value: str) -> str:
        word, colon, number = value.partition(":")
        try:
            fits = not colon or 0 <= float(number) < math.inf
        except ValueError:
            fits = False
        return f"{word}:k" if colon and fits else value


@dataclass(frozen=True)
class Algorithm:
    """One published method, or one of ours.

    Attributes
    ----------
    name : what users type
    room, family : where its file is; initialisers have the family ``"initial"``
    backend : where it runs, ``"cpu"`` or ``"gpu"``
    reference : where it was published
    summary : what it does, one line
    prefer : when to take it, one line
    parallel : whether it uses more than one thread
    options : what it can be given
    file : stem of its file, where several share one
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
    file: str = ""

    @property
    def stem(self) -> str:
        """Name of its function, in the core or in its driver, and mostly of its file."""
        return self.name.replace("-", "_")

    @property
    def path(self) -> str:
        """Its file, from the package: the code, not the driver."""
        ending = "hpp" if self.backend == "cpu" else "cu"
        return f"{self.room}/{self.family}/{self.file or self.stem}.{ending}"

    @property
    def is_initializer(self) -> bool:
        return self.family == "initial"

    def has_option(self, name: str) -> bool:
        return any(option.name == name for option in self.options)

    def checked(self, options: Mapping[str, float | str]) -> dict[str, float | str]:
        """Those of the options that this algorithm has, as it takes them."""
        return {
            option.name: option.checked(options[option.name], self.name)
            for option in self.options
            if option.name in options
        }

    def load(self) -> Callable[..., Any]:
        """The function that improves a matching in place: of the core, or of the driver beside
        the kernels."""
        if self.backend == "cpu":
            return getattr(_core, self.stem)  # type: ignore[no-any-return]
        driver = importlib.import_module(
            f"btfperm.{self.room}.{self.family}.{self.file or self.stem}_gpu"
        )
        return getattr(driver, self.stem)  # type: ignore[no-any-return]


_THREADS = Option(
    "threads",
    "ct",
    "ct: 256 x 256 threads, mt: one thread a column",
    forms=("ct", "mt"),
)

_RELABEL = Option(
    "relabel",
    "adaptive:0.7",
    "global relabelling after k times the levels of the last one, or after k push kernels",
    forms=("adaptive:k", "fixed:k"),
)

_ROWS = (
    Algorithm(
        name="greedy",
        room="transversal",
        family="initial",
        backend="cpu",
        reference="Duff, ACM TOMS 7 (1981)",
        summary="cheap matching: each column takes its first free row",
        prefer="mostly first: one pass, enough on many matrices in natural order",
        parallel=True,
    ),
    Algorithm(
        name="singles-first",
        room="transversal",
        family="initial",
        backend="cpu",
        reference="btfperm",
        summary="columns of one entry, which have no choice, then greedy",
        prefer="thin patterns: fewer than three entries a column",
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
        parallel=True,
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
        name="red-blue",
        room="transversal",
        family="initial",
        backend="cpu",
        reference="Fagginger Auer, Bisseling, Facing the Multicore-Challenge II (2012)",
        summary="blue vertices propose to red ones, who agree are a pair, in rounds",
        prefer="for comparison with the GPU",
    ),
    Algorithm(
        name="local-max",
        room="transversal",
        family="initial",
        backend="cpu",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013",
        summary="match what is the heaviest of its row and column, random weights, in rounds",
        prefer="for comparison with the GPU",
    ),
    Algorithm(
        name="greedy",
        room="transversal",
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
                "first: the first free row, in order; random: the one of least hash",
                forms=("first", "random"),
            ),
        ),
    ),
    Algorithm(
        name="karp-sipser",
        room="transversal",
        family="initial",
        backend="gpu",
        reference="Karp, Sipser, FOCS 1981",
        summary="on a GPU: match what has only one choice first, then some at random, in rounds",
        prefer="random, triangular and circuit patterns, before a search on a GPU",
        parallel=True,
    ),
    Algorithm(
        name="red-blue",
        room="transversal",
        family="initial",
        backend="gpu",
        reference="Fagginger Auer, Bisseling, Facing the Multicore-Challenge II (2012)",
        summary="on a GPU: blue vertices propose to red ones, who agree are a pair, in rounds",
        prefer="for comparison with greedy",
        parallel=True,
    ),
    Algorithm(
        name="local-max",
        room="transversal",
        family="initial",
        backend="gpu",
        reference="Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013",
        summary="on a GPU: match what is heaviest in its row and column, random weights, in rounds",
        prefer="for comparison with greedy",
        parallel=True,
    ),
    Algorithm(
        name="pothen-fan",
        room="transversal",
        family="augmenting",
        backend="cpu",
        reference="Pothen, Fan, ACM TOMS 16 (1990); Duff, Kaya, Uçar, ACM TOMS 38 (2011)",
        summary="disjoint depth-first searches in phases, lookahead and fairness",
        prefer="when few columns are free, or the order is natural",
        parallel=True,
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
        name="apfb",
        room="transversal",
        family="augmenting",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013",
        summary="full breadth-first searches, one launch a level, then all paths flipped at once",
        prefer="for comparison with apfb-wr",
        parallel=True,
        options=(_THREADS,),
        file="apfb",
    ),
    Algorithm(
        name="apfb-wr",
        room="transversal",
        family="augmenting",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013",
        summary="apfb, and a tree that has a path grows no further",
        prefer="of the four of its paper, nearly always",
        parallel=True,
        options=(_THREADS,),
        file="apfb",
    ),
    Algorithm(
        name="apsb",
        room="transversal",
        family="augmenting",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013",
        summary="apfb that ends a search with the first level that meets a free row",
        prefer="for comparison with apfb",
        parallel=True,
        options=(_THREADS,),
        file="apsb",
    ),
    Algorithm(
        name="apsb-wr",
        room="transversal",
        family="augmenting",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, Euro-Par 2013",
        summary="apsb with one path a root, and a tree that has one grows no further",
        prefer="where levels behind the first free rows lead to nothing",
        parallel=True,
        options=(_THREADS,),
        file="apsb",
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
        name="g-pr-first",
        room="transversal",
        family="push_relabel",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, ICPP 2013",
        summary="all free columns push at once, a thread a column; labels made exact now and then",
        prefer="for comparison with g-pr-shr",
        parallel=True,
        options=(_RELABEL,),
    ),
    Algorithm(
        name="g-pr-noshr",
        room="transversal",
        family="push_relabel",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, ICPP 2013",
        summary="g-pr-first with a list of the free columns, a thread a place",
        prefer="for comparison with g-pr-shr",
        parallel=True,
        options=(_RELABEL,),
    ),
    Algorithm(
        name="g-pr-shr",
        room="transversal",
        family="push_relabel",
        backend="gpu",
        reference="Deveci, Kaya, Uçar, Çatalyürek, ICPP 2013",
        summary="g-pr-noshr, and the list is shrunk after each relabelling",
        prefer="few free columns and paths not very long; else apfb-wr",
        parallel=True,
        options=(_RELABEL,),
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
    >>> [row.name for row in btfperm.algorithms("initial") if row.backend == "cpu"]
    ['greedy', 'singles-first', 'karp-sipser', 'min-degree', 'two-sided', 'red-blue', 'local-max']
    """
    return tuple(row for row in _ROWS if family is None or row.family == family)


@functools.cache
def find(name: str, *, initializer: bool, backend: str = "auto") -> Algorithm:
    """The row of that name; of several, the one of the backend asked for, the first when it is
    ``"auto"``. Before a search on the gpu, a start may run on the cpu.

    Raises
    ------
    InvalidArgumentError : there is none; the text lists what exists
    """
    rows = [row for row in _ROWS if row.is_initializer == initializer]
    named = [row for row in rows if row.name == name]
    for row in named:
        if backend in ("auto", row.backend):
            return row
    if named and initializer and backend == "gpu":
        return named[0]
    what = "initializer" if initializer else "algorithm"
    if named:
        raise InvalidArgumentError(
            f"the {what} {name} runs on the {named[0].backend} backend, not on {backend}"
        )
    known = ", ".join(dict.fromkeys(row.name for row in rows))
    extra = "auto, none" if initializer else "auto"
    raise InvalidArgumentError(f"unknown {what} {name!r}; there are {extra}, {known}")
