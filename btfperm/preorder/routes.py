# SPDX-License-Identifier: BSD-3-Clause
"""One interface for KLU and SuperLU, each with its own order and with that of `preorder`.
``compare.py`` measures the steps of this interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from btfperm.errors import NumericallySingularError, ResourceMissingError
from btfperm.preorder.klu_factors import KLU_THRESHOLD, Analysis, KluLibrary
from btfperm.preorder.klu_libraries import libraries, shortfall
from btfperm.preorder.preordering import Solver
from btfperm.preorder.values import Columns

__all__ = ["Counts", "Route", "RouteRow", "route_rows"]

_Numbers = npt.NDArray[Any]


class Counts(NamedTuple):
    """Numbers of entries and pivots of factors. The fields are those of `SolverRun`."""

    fill: int
    nnz: int
    off_diagonal_pivots: int


class Route(Protocol):
    """One solver with one order. The methods below are its steps, first to last; errors are
    exceptions."""

    has_order: bool
    """Whether `order` is a step of its own, and not a part of `factor`."""

    def order(self) -> None: ...
    def factor(self) -> None: ...
    def solve(self, b: _Numbers) -> _Numbers:
        """The solution without refinement."""

    def refactor(self) -> bool:
        """Factors the same values with the same pivots; False if the solver has no such step."""

    def counts(self) -> Counts: ...


class RouteRow(NamedTuple):
    """A row of the comparison. `make` returns the route for a SciPy matrix and the same matrix as
    `Columns`; `missing` is the reason why there is no route, or None."""

    solver: Solver
    ordering: Literal["own", "btfperm"]
    library: str
    make: Callable[[Any, Columns], Route]
    missing: str | None = None


def route_rows() -> list[RouteRow]:
    """The rows of a comparison: each library of KLU with KLU's own order (block triangular form and
    AMD) and with that of `preorder`; SuperLU with its own order (COLAMD) and with that of
    `preorder`."""
    import scipy

    superlu = f"scipy {scipy.__version__}"
    return [
        *(row for klu in libraries() or (None,) for row in _rows_of(klu)),
        RouteRow("superlu", "own", superlu, lambda A, columns: _SuperLU(A)),
        RouteRow("superlu", "btfperm", superlu, lambda A, columns: _Preordered("superlu", A)),
    ]


def _rows_of(klu: KluLibrary | None) -> tuple[RouteRow, RouteRow]:
    """The rows of one library of KLU; if `klu` is None, the rows state that KLU is missing."""
    name, missing = ("", shortfall(None)) if klu is None else (f"{klu.name} {klu.version}", None)
    return (
        RouteRow("klu", "own", name, lambda A, columns: _Klu(klu, columns), missing),
        RouteRow("klu", "btfperm", name, lambda A, columns: _Preordered("klu", A, klu), missing),
    )


class _Preordered:
    """`preorder` and `Preordering.factor`, with the given library of KLU, or with SuperLU if
    `library` is None."""

    has_order = True

    def __init__(self, solver: Solver, A: Any, library: KluLibrary | None = None) -> None:
        self._solver, self._A, self._library = solver, A, library

    def order(self) -> None:
        from btfperm.preorder import preorder

        self._p = preorder(self._A, solver=self._solver)

    def factor(self) -> None:
        self._F = self._p._factored(self._A, self._library, None)

    def solve(self, b: _Numbers) -> _Numbers:
        return self._F.solve(b, refine=0)

    def refactor(self) -> bool:
        return self._solver == "klu" and self._F.refactor(self._A.data)

    def counts(self) -> Counts:
        F = self._F
        return Counts(F.fill, F.nnz, F.off_diagonal_pivots)


class _Klu:
    """KLU with its own order. Programs that pass only the matrix call KLU in this way."""

    has_order = True
    _analysis: Analysis

    def __init__(self, library: Any, columns: Columns) -> None:
        self._library, self._columns = library, columns

    def order(self, index_type: Any = np.int32) -> None:
        indptr, indices = self._columns[:2]
        arrays = np.asarray(indptr, index_type), np.asarray(indices, index_type)
        self._analysis = self._library.analyze(*arrays, None, None, KLU_THRESHOLD)

    def factor(self) -> None:
        try:
            status = self._analysis.factor(self._columns.values)
        except OverflowError:
            self.order(np.int64)
            status = self._analysis.factor(self._columns.values)
        if status:
            raise NumericallySingularError("the matrix is numerically singular: a pivot is zero")

    def solve(self, b: _Numbers) -> _Numbers:
        x = np.array(b.T if b.ndim == 2 else b[None], self._columns.values.dtype, order="C")
        self._analysis.solve(x, "N")
        return np.ascontiguousarray(x.T).reshape(b.shape)

    def refactor(self) -> bool:
        return self._analysis.refactor(self._columns.values) == 0

    def counts(self) -> Counts:
        found = self._analysis.numbers()
        fill = int(found.lnz + found.unz) - self._columns.n
        return Counts(fill, fill + int(found.nzoff), int(self._analysis.off_diagonal))


class _SuperLU:
    """`scipy.sparse.linalg.splu`, which orders the columns by COLAMD inside `factor`."""

    has_order = False

    def __init__(self, A: Any) -> None:
        self._A = A

    def order(self) -> None:
        pass

    def factor(self) -> None:
        from scipy.sparse.linalg import splu

        try:
            self._factors = splu(self._A)
        except MemoryError:
            raise ResourceMissingError("not enough memory for the factors") from None
        except RuntimeError as error:
            # For some matrices, the message only names a line of SciPy's source.
            if "singular" not in str(error):
                raise RuntimeError("SuperLU fails on this matrix, and gives no reason") from None
            raise NumericallySingularError(
                "the matrix is numerically singular: a pivot is zero"
            ) from None

    def solve(self, b: _Numbers) -> _Numbers:
        x: _Numbers = self._factors.solve(b.astype(self._A.dtype, copy=False))
        return x

    def refactor(self) -> bool:
        return False

    def counts(self) -> Counts:
        factors = self._factors
        fill = int(factors.nnz) - self._A.shape[0]
        return Counts(fill, fill, int(np.count_nonzero(factors.perm_r != factors.perm_c)))
