# SPDX-License-Identifier: BSD-3-Clause
"""KLU in the wheel ``nbklu``."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.preorder.klu_factors import Analysis, CommonFacts, KluNumbers, checked_status

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
        self._symbolic: Any = None
        self._numeric: Any = None
        self._common = functions.LCommon() if self._width else functions.Common()
        self._common.defaults()
        self._common.tol = tolerance
        self._common.btf = int(has_blocks)
        columns = indptr.size - 1, indptr, indices
        if P is None:
            self._symbolic = self._call("analyze", *columns)
        else:
            self._symbolic = self._call("analyze_given", *columns, P, Q)
        checked_status(self._common.status)

    def __del__(self) -> None:
        # The objects of nbklu 0.3.0 do not free the memory of KLU when Python deletes them.
        self._free_numeric()
        if getattr(self, "_symbolic", None) is not None:
            self._call("free_symbolic", self._symbolic)

    def _free_numeric(self) -> None:
        if getattr(self, "_numeric", None) is not None:
            self._call("free_numeric", self._numeric, field=self._field)
            self._numeric = None

    def _call(self, name: str, *arguments: Any, field: str = "") -> Any:
        prefix = field + self._width
        function = getattr(self._functions, f"{prefix}_{name}" if prefix else name)
        return function(*arguments, self._common)

    def factor(self, values: _Numbers) -> int:
        self._free_numeric()  # before KLU allocates the new factors
        self._field = "z" if values.dtype.kind == "c" else ""
        arguments = *self._columns, values, self._symbolic
        numeric = self._call("factor", *arguments, field=self._field)
        if not self._common.status:  # after an error, KLU has freed the factors itself
            self._numeric = numeric
        return checked_status(self._common.status)

    def refactor(self, values: _Numbers) -> int:
        arguments = *self._columns, values, self._symbolic, self._numeric
        self._call("refactor", *arguments, field=self._field)
        return checked_status(self._common.status)

    def solve(self, x: _Numbers, trans: str) -> None:
        k, n = x.shape
        arguments: tuple[Any, ...] = self._symbolic, self._numeric, n, k, x.T
        if trans != "N" and self._field:
            arguments += (int(trans == "H"),)
        self._call("solve" if trans == "N" else "tsolve", *arguments, field=self._field)

    def rcond(self) -> float:
        self._call("rcond", self._symbolic, self._numeric, field=self._field)
        return float(self._common.rcond)

    def numbers(self) -> KluNumbers:
        numeric: KluNumbers = self._numeric
        return numeric
