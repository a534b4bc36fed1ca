# SPDX-License-Identifier: BSD-3-Clause
"""KLU on this machine: the wheel ``nbklu``, or a shared library of the system.

KLU is no part of btfperm, because its licence is another one. `find` returns the first library that
works; each has the same functions, which work on compressed columns with 32-bit indices.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.metadata
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

__all__ = [
    "MISSING",
    "SOURCES",
    "KluLibrary",
    "Shared",
    "Solver",
    "Wheel",
    "find",
    "libraries",
    "solvers",
]

MISSING = "KLU is not installed: pip install 'btfperm[klu]', or the system's package libklu"

_SINGULAR = 1  # KLU's status


class Numbers(NamedTuple):
    """What KLU reports about factors.

    Attributes
    ----------
    lower, upper : entries of L and U, both with the diagonal
    off_diagonal : pivots that are not on the given diagonal
    singular_col : the original column in which a pivot is zero, or -1
    """

    lower: int
    upper: int
    off_diagonal: int
    singular_col: int


class Factors(Protocol):
    """The factors of one matrix. `right` is overwritten by the solution: (n, k), in columns."""

    def numbers(self) -> Numbers: ...
    def refactor(self, values: Any) -> bool: ...
    def solve(self, right: Any) -> None: ...
    def solve_transposed(self, right: Any, *, conjugate: bool) -> None: ...
    def rcond(self) -> float: ...
    def growth(self, values: Any) -> float: ...


class KluLibrary(Protocol):
    """One way to call KLU."""

    name: str
    version: str
    location: str

    def factor(self, arrays: tuple[Any, Any, Any], P: Any, Q: Any, tolerance: float) -> Factors: ...


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


# -- the wheel nbklu -------------------------------------------------------------------------------


class Wheel:
    name = "nbklu"

    def __init__(self) -> None:
        import nbklu._ext as functions

        self.functions = functions
        self.version = importlib.metadata.version("nbklu")
        self.location = str(functions.__file__)

    def factor(self, arrays: tuple[Any, Any, Any], P: Any, Q: Any, tolerance: float) -> Factors:
        return _WheelFactors(self.functions, arrays, P, Q, tolerance)


class _WheelFactors:
    def __init__(
        self, functions: Any, arrays: tuple[Any, Any, Any], P: Any, Q: Any, tolerance: float
    ) -> None:
        indptr, indices, values = arrays
        self.is_complex = values.dtype.kind == "c"
        self.columns = indptr, indices
        self.functions = functions
        self.common = functions.Common()
        self.common.defaults()
        self.common.tol = tolerance
        self.symbolic = functions.analyze_given(P.size, indptr, indices, P, Q, self.common)
        self.numeric = self._call("factor", indptr, indices, values, self.symbolic)

    def _call(self, name: str, *arguments: Any) -> Any:
        prefix = "z_" if self.is_complex else ""
        return getattr(self.functions, prefix + name)(*arguments, self.common)

    def numbers(self) -> Numbers:
        col = self.common.singular_col if self.common.status == _SINGULAR else -1
        numeric = self.numeric
        return Numbers(numeric.lnz, numeric.unz, self.common.noffdiag, col)

    def refactor(self, values: Any) -> bool:
        self._call("refactor", *self.columns, values, self.symbolic, self.numeric)
        return bool(self.common.status == 0)

    def solve(self, right: Any) -> None:
        n, k = right.shape
        self._call("solve", self.symbolic, self.numeric, n, k, right)

    def solve_transposed(self, right: Any, *, conjugate: bool) -> None:
        n, k = right.shape
        flag = (int(conjugate),) if self.is_complex else ()
        self._call("tsolve", self.symbolic, self.numeric, n, k, right, *flag)

    def rcond(self) -> float:
        self._call("rcond", self.symbolic, self.numeric)
        return float(self.common.rcond)

    def growth(self, values: Any) -> float:
        self._call("rgrowth", *self.columns, values, self.symbolic, self.numeric)
        return float(self.common.rgrowth)


# -- a shared library ------------------------------------------------------------------------------


class _Common(ctypes.Structure):
    """``klu_common`` since KLU 1.2; `Shared` verifies the layout. The rest is room to spare."""

    _fields_ = (
        *((name, ctypes.c_double) for name in ("tol", "memgrow", "initmem_amd", "initmem")),
        ("maxwork", ctypes.c_double),
        *((name, ctypes.c_int) for name in ("btf", "ordering", "scale")),
        ("user_order", ctypes.c_void_p),
        ("user_data", ctypes.c_void_p),
        ("halt_if_singular", ctypes.c_int),
        *((name, ctypes.c_int) for name in ("status", "nrealloc", "structural_rank")),
        *((name, ctypes.c_int) for name in ("numerical_rank", "singular_col", "noffdiag")),
        *((name, ctypes.c_double) for name in ("flops", "rcond", "condest", "rgrowth", "work")),
        ("rest", ctypes.c_char * 1024),
    )


class _Numeric(ctypes.Structure):
    """The first fields of ``klu_numeric``."""

    _fields_ = tuple((name, ctypes.c_int) for name in ("n", "nblocks", "lnz", "unz"))


class Shared:
    name = "libklu"

    def __init__(self) -> None:
        path = ctypes.util.find_library("klu")
        if path is None:
            raise OSError("there is no libklu")
        self.library = library = ctypes.CDLL(path)
        for name in ("klu_analyze_given", "klu_factor", "klu_z_factor"):
            getattr(library, name).restype = ctypes.c_void_p
        common = _Common()
        library.klu_defaults(ctypes.byref(common))
        settings = common.tol, common.memgrow, common.btf, common.scale, common.halt_if_singular
        results = common.numerical_rank, common.noffdiag, common.rcond, common.rgrowth
        if settings != (0.001, 1.2, 1, 2, 1) or results != (-1, -1, -1.0, -1.0):
            raise OSError("klu_defaults of this libklu writes another layout")
        self.version = path.rpartition(".so.")[2] or "unknown"
        self.location = path

    def factor(self, arrays: tuple[Any, Any, Any], P: Any, Q: Any, tolerance: float) -> Factors:
        return _SharedFactors(self.library, arrays, P, Q, tolerance)


class _SharedFactors:
    def __init__(
        self, library: Any, arrays: tuple[Any, Any, Any], P: Any, Q: Any, tolerance: float
    ) -> None:
        indptr, indices, values = self.arrays = arrays
        self.is_complex = values.dtype.kind == "c"
        self.library, self.n = library, P.size
        self.common = _Common()
        self.symbolic, self.numeric = ctypes.c_void_p(), ctypes.c_void_p()
        library.klu_defaults(ctypes.byref(self.common))
        self.common.tol = tolerance
        self.symbolic.value = library.klu_analyze_given(
            self.n, *map(_pointer, (indptr, indices, P, Q)), ctypes.byref(self.common)
        )
        if not self.symbolic.value:
            raise MemoryError
        pointers = map(_pointer, arrays)
        self.numeric.value = self._call("factor", *pointers, self.symbolic)
        if not self.numeric.value and self.common.status != _SINGULAR:
            raise MemoryError

    def __del__(self) -> None:
        if getattr(self, "numeric", None):
            free = self.library.klu_z_free_numeric if self.is_complex else None
            (free or self.library.klu_free_numeric)(
                ctypes.byref(self.numeric), ctypes.byref(self.common)
            )
        if getattr(self, "symbolic", None):
            self.library.klu_free_symbolic(ctypes.byref(self.symbolic), ctypes.byref(self.common))

    def _call(self, name: str, *arguments: Any) -> Any:
        function = getattr(self.library, f"klu_{'z_' if self.is_complex else ''}{name}")
        return function(*arguments, ctypes.byref(self.common))

    def numbers(self) -> Numbers:
        singular = self.common.singular_col if self.common.status == _SINGULAR else -1
        if not self.numeric.value:
            return Numbers(0, 0, 0, singular)
        found = _Numeric.from_address(self.numeric.value)
        return Numbers(found.lnz, found.unz, self.common.noffdiag, singular)

    def refactor(self, values: Any) -> bool:
        indptr, indices, _ = self.arrays
        pointers = map(_pointer, (indptr, indices, values))
        done = self._call("refactor", *pointers, self.symbolic, self.numeric)
        return bool(done) and self.common.status == 0

    def solve(self, right: Any) -> None:
        n, k = right.shape
        self._call("solve", self.symbolic, self.numeric, n, k, _pointer(right))

    def solve_transposed(self, right: Any, *, conjugate: bool) -> None:
        n, k = right.shape
        flag = (int(conjugate),) if self.is_complex else ()
        self._call("tsolve", self.symbolic, self.numeric, n, k, _pointer(right), *flag)

    def rcond(self) -> float:
        self._call("rcond", self.symbolic, self.numeric)
        return float(self.common.rcond)

    def growth(self, values: Any) -> float:
        indptr, indices, _ = self.arrays
        pointers = map(_pointer, (indptr, indices, values))
        self._call("rgrowth", *pointers, self.symbolic, self.numeric)
        return float(self.common.rgrowth)


def _pointer(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


SOURCES: list[Callable[[], KluLibrary]] = [Wheel, Shared]  # the preferred one first
