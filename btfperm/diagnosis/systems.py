# SPDX-License-Identifier: BSD-3-Clause
"""Systems of equations from models of other packages: a pattern with names of rows and columns.

Pyomo is imported only in `pyomo_system`, whose caller has a Pyomo model and so has imported Pyomo
already. CasADi is not imported.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from btfperm.diagnosis.names import Names
from btfperm.errors import InvalidArgumentError
from btfperm.pattern import Pattern
from btfperm.printable import listed_names

__all__ = ["System", "as_system", "casadi_system", "pyomo_system", "with_names"]


class System(NamedTuple):
    """The pattern of a system of equations, with a name for each row and column."""

    pattern: Pattern
    row_names: Names
    col_names: Names


def as_system(A: Any) -> System | None:
    """The `System` of a Pyomo or CasADi model, by `pyomo_system` or `casadi_system` with default
    arguments. A `System` is returned unchanged. The result for anything else is None."""
    if isinstance(A, System):
        return A
    if block := getattr(sys.modules.get("pyomo.core.base.block"), "BlockData", None):
        graph = getattr(
            sys.modules.get("pyomo.contrib.incidence_analysis.interface"),
            "IncidenceGraphInterface",
            (),
        )
        if isinstance(A, (block, graph)):
            return pyomo_system(A)
    if isinstance(A, getattr(sys.modules.get("casadi"), "Function", ())):
        return casadi_system(A)
    return None


def with_names(A: Any, row_names: Any, col_names: Any) -> tuple[Any, Any, Any]:
    """(matrix, row names, column names). The matrix is the pattern of a model, or `A` itself if it
    is no model. If names are not given, the names in the model or in the pandas DataFrame are used,
    if there are any: a RangeIndex has none."""
    rows: Any
    cols: Any
    system = as_system(A)
    if system is not None:
        A, rows, cols = system
    elif _is_data_frame(A):
        rows, cols = (
            None if type(labels).__name__ == "RangeIndex" else labels
            for labels in (A.index, A.columns)
        )
    else:
        return A, row_names, col_names
    return A, rows if row_names is None else row_names, cols if col_names is None else col_names


def _is_data_frame(A: Any) -> bool:
    return isinstance(A, getattr(sys.modules.get("pandas"), "DataFrame", ()))


def pyomo_system(model: Any, *, include_inequality: bool = False) -> System:
    """The system of a Pyomo model or block, also of IDAES. The rows are the active equality
    constraints, and the columns are the unfixed variables in them, with their names in Pyomo.

    Parameters
    ----------
    model : a ``ConcreteModel``, a block, or an ``IncidenceGraphInterface``, whose constraints and
        variables are used
    include_inequality : True if active inequalities of a model or block are rows, too

    Raises
    ------
    InvalidArgumentError : `model` is none of these
    """
    from pyomo.contrib.incidence_analysis.interface import IncidenceGraphInterface
    from pyomo.core.base.block import BlockData

    graph = model
    if isinstance(model, BlockData):
        graph = IncidenceGraphInterface(model, include_inequality=include_inequality)
    elif not isinstance(model, IncidenceGraphInterface):
        raise InvalidArgumentError(
            f"a Pyomo model, a block or an IncidenceGraphInterface is expected, not "
            f"{type(model).__name__}"
        )
    rows, cols = graph.constraints, graph.variables
    found = graph.incidence_matrix.tocoo() if rows else None
    none = np.zeros(0, dtype=np.int64)
    pairs = (none, none) if found is None else (found.row, found.col)
    name = getattr(model, "name", None)
    name = None if name == "unknown" else name  # Pyomo's name of a model without a name
    pattern = Pattern.from_coo(pairs[0], pairs[1], (len(rows), len(cols)), name=name)
    return System(pattern, tuple(c.name for c in rows), tuple(v.name for v in cols))


def casadi_system(
    function: Any,
    *,
    unknowns: Sequence[str | int] = (0,),
    residuals: Sequence[str | int] = (0,),
) -> System:
    """The pattern of the Jacobian of a CasADi function: a row for each element of its residuals, a
    column for each element of its unknowns.

    Parameters
    ----------
    function : a ``casadi.Function``
    unknowns, residuals : inputs and outputs of the function, by name or number; by default the
        first input and the first output, as for ``casadi.rootfinder``

    Raises
    ------
    InvalidArgumentError : the function has no such input or output
    """
    inputs = [_index(function, "in", which) for which in unknowns]
    outputs = [_index(function, "out", which) for which in residuals]
    col_names = [_elements(function.name_in(k), function.size_in(k)) for k in inputs]
    row_names = [_elements(function.name_out(k), function.size_out(k)) for k in outputs]
    rows, cols, first_row = [], [], 0
    for out, own_rows in zip(outputs, row_names, strict=True):
        first_col = 0
        for each, own_cols in zip(inputs, col_names, strict=True):
            sparsity = function.jac_sparsity(out, each)
            rows.append(np.asarray(sparsity.row(), dtype=np.int64) + first_row)
            cols.append(np.asarray(sparsity.get_col(), dtype=np.int64) + first_col)
            first_col += len(own_cols)
        first_row += len(own_rows)
    named_rows = tuple(name for each in row_names for name in each)
    named_cols = tuple(name for each in col_names for name in each)
    none = np.zeros(0, dtype=np.int64)
    pattern = Pattern.from_coo(
        np.concatenate([none, *rows]),
        np.concatenate([none, *cols]),
        (len(named_rows), len(named_cols)),
        name=function.name(),
    )
    return System(pattern, named_rows, named_cols)


def _index(function: Any, side: str, which: str | int) -> int:
    """The number of an input or output."""
    count = getattr(function, f"n_{side}")()
    names = [getattr(function, f"name_{side}")(k) for k in range(count)]
    if isinstance(which, str) and which in names:
        return names.index(which)
    if isinstance(which, int) and 0 <= which < count:
        return which
    what = "input" if side == "in" else "output"
    raise InvalidArgumentError(
        f"{function.name()} has no {what} {which!r}; it has {listed_names(names) or 'none'}"
    )


def _elements(name: str, size: tuple[int, int]) -> list[str]:
    """The names of the elements of a CasADi matrix: `x` for a scalar; `x[0]`, `x[1]`, ... for a
    vector; `x[0,0]`, `x[1,0]`, ... for others, column by column as in CasADi."""
    height, width = size
    if height == width == 1:
        return [name]
    if width == 1:
        return [f"{name}[{i}]" for i in range(height)]
    return [f"{name}[{i},{j}]" for j in range(width) for i in range(height)]
