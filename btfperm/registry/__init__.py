# SPDX-License-Identifier: BSD-3-Clause
"""The registry: one row for each algorithm on each backend, and one file of rows for each family.

Tests, benchmarks, `btfperm algorithms`, the help text and the table in docs/algorithms.md loop over
these rows. The code of a row is in ``btfperm/<package>/<family>/<name>.hpp``, with ``_`` for each
``-`` of the name. On a GPU it is in ``<name>.cu``, and its driver in ``<name>_gpu.py``, which is
imported when one of its rows runs. Over MPI ranks it is in ``<name>_mpi.py``. If a row has the
field `file`, this replaces the name. ``algorithm.py`` defines a row. ``steps.py`` lists the other
steps that a backend implements, such as the certificate.
"""

from __future__ import annotations

import functools

from btfperm.arguments import text
from btfperm.errors import InvalidArgumentError
from btfperm.printable import known_names
from btfperm.registry import (
    approximate,
    augmenting,
    displacement,
    exact,
    graph,
    initial,
    push_relabel,
)
from btfperm.registry.algorithm import Algorithm, Option
from btfperm.registry.steps import add_step, has_step, remove_step, step, step_or_cpu

__all__ = [
    "Algorithm",
    "Option",
    "add",
    "add_step",
    "algorithms",
    "find",
    "find_deterministic",
    "find_on_devices",
    "has_step",
    "remove",
    "remove_step",
    "step",
    "step_or_cpu",
]

_ROWS = (
    *initial.ROWS,
    *augmenting.ROWS,
    *push_relabel.ROWS,
    *displacement.ROWS,
    *exact.ROWS,
    *approximate.ROWS,
    *graph.ROWS,
)
_added: list[Algorithm] = []  # rows that `add` added


def add(row: Algorithm) -> None:
    """Adds a row for an algorithm that is not part of btfperm."""
    _added.append(row)
    find.cache_clear()


def remove(row: Algorithm) -> None:
    """Removes a row that `add` added."""
    _added.remove(row)
    find.cache_clear()


def algorithms(family: str | None = None, *, package: str | None = None) -> tuple[Algorithm, ...]:
    """The algorithms of btfperm: all, or those of one family and of one package. Algorithms that
    other packages added are not included.

    Parameters
    ----------
    family : ``"initial"``, ``"augmenting"``, ``"push_relabel"`` or ``"displacement"``; for weights
        ``"exact"`` or ``"approximate"``; for graphs ``"graph"``. None: all
    package : ``"transversal"`` or ``"weighted"``. None: all

    Returns
    -------
    tuple of Algorithm : rows of the registry, in its order; empty for an unknown name

    Examples
    --------
    >>> import btfperm
    >>> [row.name for row in btfperm.algorithms("initial") if row.backend == "cpu"]
    ['greedy', 'singles-first', 'karp-sipser', 'min-degree', 'two-sided', 'red-blue', 'local-max',
     'random-greedy', 'hem', 'gpa']
    """
    if family is not None:
        text("family", family)
    if package is not None:
        text("package", package)
    return tuple(
        row for row in _ROWS if family in (None, row.family) and package in (None, row.package)
    )


@functools.cache
def find(
    name: str,
    *,
    initializer: bool,
    backend: str = "auto",
    package: str = "transversal",
    home: str = "",
) -> Algorithm:
    """The row with this name. `package` is a package or ``"weighted.graph"``.

    If several backends have such a row, the row of `backend` is returned; for ``"auto"``, the row
    of the backend `home` if it has one, else the first row. If `backend` has no such initializer,
    the first row is returned, because an initializer may run on the CPU before a search on another
    backend.

    Raises
    ------
    InvalidArgumentError : there is no such row; the message lists the names, or similar ones
    """
    rows = [
        row
        for row in (*_ROWS, *_added)
        if (row.rules, row.is_initializer) == (package, initializer)
    ]
    named = [row for row in rows if row.name == name]
    if backend == "auto":
        named.sort(key=lambda row: row.backend != home)  # the others keep their order
    for row in named:
        if backend in ("auto", row.backend):
            return row
    if named and initializer and backend != "cpu":
        return named[0]
    what = "initializer" if initializer else "algorithm"
    if named:
        raise InvalidArgumentError(
            f"the {what} {name} runs on the {named[0].backend} backend, not on {backend}"
        )
    extra = ["auto", "none"] if initializer else ["auto"]
    if package == "transversal" and not initializer:
        extra = ["auto", "published"]
    known = [*extra, *dict.fromkeys(row.name for row in rows)]
    advice = known_names(name, known, "btfperm.algorithms()")
    raise InvalidArgumentError(f"unknown {what} {name!r}; {advice}")


def find_on_devices(backend: str, package: str) -> Algorithm | None:
    """The initializer of a distributed backend that searches on the device of each process, if the
    backend has one."""
    rows = [row for row in (*_ROWS, *_added) if row.uses_devices]
    return next((row for row in rows if (row.rules, row.backend) == (package, backend)), None)


def find_deterministic(backend: str, package: str) -> Algorithm:
    """The search that gives the same matching in each run on a backend other than the CPU.

    Raises
    ------
    InvalidArgumentError : the backend has none
    """
    for row in (*_ROWS, *_added):
        here = row.rules == package and row.backend == backend
        if here and row.deterministic and not row.is_initializer:
            return row
    raise InvalidArgumentError(
        f"no algorithm on the {backend} backend gives the same matching in each run, so it cannot "
        "be combined with deterministic"
    )
