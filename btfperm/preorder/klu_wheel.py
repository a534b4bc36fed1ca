# SPDX-License-Identifier: BSD-3-Clause
"""KLU in the wheel ``nbklu``."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.preorder.factors import shallow_copy
from btfperm.preorder.klu_factors import (
    FIRST_MEMORY,
    Analysis,
    CommonFacts,
    KluNumbers,
    checked_status,
)

__all__ = ["Wheel"]

_Numbers = npt.NDArray[Any]


class Wheel:
    name = "nbklu"

    def __init__(self) -> None:
        import nbklu._ext as functions

        self.functions = functions
        self.version = importlib.metadata.version("nbklu")
        self.location = str(functions.__file__)

    def analyze(
        self,
        indptr: _Numbers,
        indices: _Numbers,
        P: _Numbers | None,
        Q: _Numbers | None,
        tolerance: float,
        *,
        has_blocks: bool = True,
    ) -> Analysis:
        """Analyzes the pattern. Without `P` and `Q`, KLU computes its own order."""
        return _Analysis(self.functions, indptr, indices, P, Q, tolerance, has_blocks)


class _Symbolic:
    """KLU's analysis of a pattern, which is freed when no factors use it any more. (The objects of
    nbklu 0.3.0 do not free the memory of KLU when Python deletes them.)"""

    def __init__(self, pointer: Any, free: Callable[[Any], None]) -> None:
        self.pointer, self._free = pointer, free

    def __del__(self) -> None:
        self._free(self.pointer)


class _Analysis(CommonFacts):
    def __init__(
        self,
        functions: Any,
        indptr: _Numbers,
        indices: _Numbers,
        P: _Numbers | None,
        Q: _Numbers | None,
        tolerance: float,
        has_blocks: bool,
    ) -> None:
        self._functions, self._columns = functions, (indptr, indices)
        self._width = "l" if indptr.dtype == np.int64 else ""
        self._field = ""
        self._settings = tolerance, int(has_blocks)
        self._numeric: Any = None
        self._common = common = self._new_common()
        columns = indptr.size - 1, indptr, indices
        if P is None:
            pointer = self._call("analyze", *columns)
        else:
            pointer = self._call("analyze_given", *columns, P, Q)
        checked_status(common.status)
        free = self._function("free_symbolic")
        self._symbolic = _Symbolic(pointer, lambda pointer: free(pointer, common))

    def _new_common(self) -> Any:
        common = self._functions.LCommon() if self._width else self._functions.Common()
        common.defaults()
        common.tol, common.btf = self._settings
        common.initmem = FIRST_MEMORY
        return common

    def without_factors(self) -> _Analysis:
        other = shallow_copy(self)
        other._numeric, other._common = None, self._new_common()
        return other

    def __del__(self) -> None:
        self._free_numeric()

    def _free_numeric(self) -> None:
        if getattr(self, "_numeric", None) is not None:
            self._call("free_numeric", self._numeric, field=self._field)
            self._numeric = None

    def _function(self, name: str, field: str = "") -> Any:
        prefix = field + self._width
        return getattr(self._functions, f"{prefix}_{name}" if prefix else name)

    def _call(self, name: str, *arguments: Any, field: str = "") -> Any:
        return self._function(name, field)(*arguments, self._common)

    def factor(self, values: _Numbers) -> int:
        self._free_numeric()  # before KLU allocates the new factors
        self._field = "z" if values.dtype.kind == "c" else ""
        arguments = *self._columns, values, self._symbolic.pointer
        numeric = self._call("factor", *arguments, field=self._field)
        if not self._common.status:  # after an error, KLU has freed the factors itself
            self._numeric = numeric
        return checked_status(self._common.status)

    def refactor(self, values: _Numbers) -> int:
        arguments = *self._columns, values, self._symbolic.pointer, self._numeric
        self._call("refactor", *arguments, field=self._field)
        return checked_status(self._common.status)

    def solve(self, x: _Numbers, trans: str) -> None:
        k, n = x.shape
        arguments: tuple[Any, ...] = self._symbolic.pointer, self._numeric, n, k, x.T
        if trans != "N" and self._field:
            arguments += (int(trans == "H"),)
        self._call("solve" if trans == "N" else "tsolve", *arguments, field=self._field)

    def rcond(self) -> float:
        self._call("rcond", self._symbolic.pointer, self._numeric, field=self._field)
        return float(self._common.rcond)

    def numbers(self) -> KluNumbers:
        numeric: KluNumbers = self._numeric
        return numeric
