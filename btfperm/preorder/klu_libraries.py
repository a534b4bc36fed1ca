# SPDX-License-Identifier: BSD-3-Clause
"""Where KLU is on this machine: in the wheel ``nbklu``, or in a shared library of the system.

KLU is no part of btfperm, because its licence is another one (LGPL). `find` returns the first
library that works.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from btfperm.preorder.klu_factors import KluLibrary
from btfperm.preorder.klu_shared import Shared
from btfperm.preorder.klu_wheel import Wheel

__all__ = ["MISSING", "SOURCES", "Solver", "find", "libraries", "solvers"]

MISSING = "KLU is not installed: pip install 'btfperm[klu]', or the system's package libklu"

SOURCES: list[Callable[[], KluLibrary]] = [Wheel, Shared]  # the preferred one first


class Solver(NamedTuple):
    """A solver that `preorder` can order for, as `btfperm.solvers` reports it.

    Attributes
    ----------
    name : "klu" or "superlu"
    library : what provides it: "nbklu", "libklu", "scipy"; empty if nothing does
    version, location : of the library
    hint : how to install it, if it is missing
    """

    name: str
    library: str = ""
    version: str = ""
    location: str = ""
    hint: str = ""


def solvers() -> tuple[Solver, ...]:
    """The solvers that :meth:`Preordering.factor` can use on this machine, the preferred library of
    KLU first. Libraries are loaded, which takes a moment.

    Returns
    -------
    tuple of Solver : library, version, and how to install what is missing

    Examples
    --------
    >>> import btfperm
    >>> [solver.library for solver in btfperm.solvers() if solver.name == "superlu"]
    ['scipy']
    """
    import scipy

    rows = [Solver("klu", at.name, at.version, at.location) for at in libraries()]
    here = str(scipy.__file__)
    return (
        *(rows or [Solver("klu", hint=MISSING)]),
        Solver("superlu", "scipy", scipy.__version__, here),
    )


@cache
def libraries() -> tuple[KluLibrary, ...]:
    """The libraries that work, the preferred one first. They are loaded, which takes a moment."""
    found: list[KluLibrary] = []
    for make in SOURCES:
        try:
            found.append(make())
        except (ImportError, OSError, AttributeError):
            continue
    return tuple(found)


def find() -> KluLibrary | None:
    """The preferred library, or None."""
    return next(iter(libraries()), None)
