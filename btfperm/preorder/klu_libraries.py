# SPDX-License-Identifier: BSD-3-Clause
"""The libraries of KLU on this machine: the wheel ``nbklu``, and a shared library of the system.

KLU is not part of btfperm, because it has another licence (LGPL). `find` returns the first library
that works. If the environment variable ``BTFPERM_LIBKLU`` names a libklu, this one is tried first,
before the wheel, and no other libklu is tried. KLU of scikit-sparse cannot be used: it is in
version 0.5 and later, and 0.5 always computes its own order (it refuses ``ordering="user_perm"``).
"""

from __future__ import annotations

import importlib.metadata
import os
from functools import cache
from typing import NamedTuple

from btfperm.preorder.klu_factors import KluLibrary
from btfperm.preorder.klu_shared import PATH, Shared
from btfperm.preorder.klu_wheel import Wheel
from btfperm.printable import shortened

__all__ = [
    "MISSING",
    "SOURCES",
    "Solver",
    "find",
    "libraries",
    "named_failure",
    "shortfall",
    "solvers",
]

MISSING = "KLU is not installed: pip install 'btfperm[klu]', or the system's package libklu"
_NAMED = f"set {PATH} to the path of a libklu that works, or unset it"
_LONGEST_FAILURE = 180  # characters in a warning; the path is in the middle, the reason at the end

SOURCES: tuple[type[Wheel], type[Shared]] = (Wheel, Shared)  # the preferred one first


class Solver(NamedTuple):
    """A solver for which `preorder` can order, and its library; see `btfperm.solvers`.

    Attributes
    ----------
    name : "klu" or "superlu"
    library : the library that provides the solver: "nbklu", "libklu" or "scipy"; empty if there is
        none
    version, location : of the library
    hint : what to do about the `reason`, or how to install a library if none works
    reason : why a library that is installed, or that ``BTFPERM_LIBKLU`` names, does not work, or
        is not used
    """

    name: str
    library: str = ""
    version: str = ""
    location: str = ""
    hint: str = ""
    reason: str = ""


class _Search(NamedTuple):
    """The libraries that work, and the reasons why the other libraries on the machine do not
    work. `named_failure` is the reason for the libklu that ``BTFPERM_LIBKLU`` names, or empty."""

    found: tuple[KluLibrary, ...]
    failures: tuple[str, ...]
    named_failure: str


def solvers() -> tuple[Solver, ...]:
    """The solvers that :meth:`Preordering.factor` can use on this machine, the preferred library of
    KLU first. The first call loads the libraries, which takes a moment; later calls return the same
    result.

    Returns
    -------
    tuple of Solver : one for each library. A library of KLU that is on the machine but does not
        work, and an installed scikit-sparse, which is not used, have a `Solver` with the ``reason``
        and an empty ``library``

    Examples
    --------
    >>> import btfperm
    >>> [solver.library for solver in btfperm.solvers() if solver.name == "superlu"]
    ['scipy']
    """
    import scipy

    rows = [Solver("klu", at.name, at.version, at.location) for at in libraries()]
    works = bool(rows)
    rows += [
        Solver("klu", hint=_advice(reason == named_failure(), works), reason=reason)
        for reason in _search().failures
    ]
    hint = "" if rows else MISSING
    rows += [Solver("klu", hint=hint, reason=reason) for reason in _scikit_sparse()]
    here = str(scipy.__file__)
    return (
        *(rows or [Solver("klu", hint=hint)]),
        Solver("superlu", "scipy", scipy.__version__, here),
    )


def _scikit_sparse() -> tuple[str, ...]:
    """The reason why KLU of scikit-sparse is not used; empty if scikit-sparse is not installed."""
    try:
        version = importlib.metadata.version("scikit-sparse")
    except importlib.metadata.PackageNotFoundError:
        return ()
    return (f"scikit-sparse {version} is not used: up to version 0.5, it accepts no given order",)


def libraries() -> tuple[KluLibrary, ...]:
    """The libraries of KLU that work, the preferred one first. The first call loads them, which
    takes a moment."""
    return _search().found


@cache
def _search() -> _Search:
    found: list[KluLibrary] = []
    failures: list[str] = []
    named_failure = ""
    is_named = bool(os.environ.get(PATH))
    for make in reversed(SOURCES) if is_named else SOURCES:
        try:
            found.append(make())
        except (ImportError, OSError, AttributeError) as error:
            if _is_absent(error):
                continue
            failures.append(f"{make.name} does not work: {error}")
            if is_named and make is Shared:
                named_failure = failures[-1]
    return _Search(tuple(found), tuple(failures), named_failure)


def _is_absent(error: Exception) -> bool:
    """Whether the error means that the library is not on the machine. Other errors mean that it
    does not work."""
    if isinstance(error, ModuleNotFoundError):
        return error.name == "nbklu"
    return isinstance(error, FileNotFoundError)


def find() -> KluLibrary | None:
    """The preferred library of KLU, or None if none works."""
    return next(iter(libraries()), None)


def shortfall(used: KluLibrary | None) -> str:
    """The sentence of a warning: why no library of KLU works, or why the libklu that
    ``BTFPERM_LIBKLU`` names does not work, and what to do. Empty if neither is the case. `used` is
    the library that factors, or None."""
    search = _search()
    named = search.named_failure
    if used is not None and not named:
        return ""
    failures = (named,) if named else search.failures
    if not failures:
        return MISSING
    texts = [shortened(failure, _LONGEST_FAILURE) for failure in failures]
    return "; ".join([*texts, _advice(bool(named), works=used is not None)])


def _advice(is_named: bool, works: bool) -> str:
    """What to do about a library that fails. `works` is whether another library works."""
    return ", or ".join([_NAMED] * is_named + ["pip install 'btfperm[klu]'"] * (not works))


def named_failure() -> str:
    """Why the libklu that ``BTFPERM_LIBKLU`` names does not work; empty if it works, or if there
    is none."""
    return _search().named_failure
