# SPDX-License-Identifier: BSD-3-Clause
"""What exists: one row per algorithm, one file of rows per family.

Tests, benchmarks, `btfperm algorithms`, the help text and the README's table all loop over these
rows. The code of a row is ``btfperm/<room>/<family>/<name>.hpp`` with ``-`` as ``_``, on a GPU
``.cu``, whose driver is loaded only when one of its rows is run. ``algorithm.py`` has what a row
says.
"""

from __future__ import annotations

import functools

from btfperm.arguments import text
from btfperm.errors import InvalidArgumentError
from btfperm.registry import augmenting, displacement, initial, push_relabel
from btfperm.registry.algorithm import Algorithm, Option

__all__ = ["Algorithm", "Option", "algorithms", "find"]

_ROWS = (*initial.ROWS, *augmenting.ROWS, *push_relabel.ROWS, *displacement.ROWS)


def algorithms(family: str | None = None) -> tuple[Algorithm, ...]:
    """Every algorithm there is, or those of one family (``"initial"``,
    ``"augmenting"``, ``"push_relabel"``, ``"displacement"``).

    Examples
    --------
    >>> import btfperm
    >>> [row.name for row in btfperm.algorithms("initial") if row.backend == "cpu"]
    ['greedy', 'singles-first', 'karp-sipser', 'min-degree', 'two-sided', 'red-blue', 'local-max']
    """
    if family is not None:
        text("family", family)
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
