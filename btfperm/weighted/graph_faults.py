# SPDX-License-Identifier: BSD-3-Clause
"""Messages about matrices that are no graphs with weights."""

from __future__ import annotations

import math

from btfperm.errors import InvalidMatrixError
from btfperm.pattern import Pattern
from btfperm.pattern.arrays import prefix

__all__ = ["AS_SIDES", "NO_WEIGHT", "no_weight", "refuse_fault", "refuse_rectangles"]

# The end of a message about a matrix whose rows and columns cannot be the same vertices.
AS_SIDES = "; bipartite=True matches its rows to its columns"

# The kinds of faults; the numbers are those of ``graph_certificate.hpp``.
NO_WEIGHT = 3
_FAULTS = {1: "no counterpart", 2: "other value", NO_WEIGHT: "no weight"}


def refuse_rectangles(pattern: Pattern) -> None:
    """Raises InvalidMatrixError unless the matrix is square."""
    m, n = pattern.shape
    if m != n:
        raise InvalidMatrixError(
            f"{prefix(pattern.name)}a graph has a square matrix, not one of {m} x {n}{AS_SIDES}"
        )


def no_weight(value: float) -> str:
    """The end of a message about an entry whose value is no weight."""
    remedy = 'weights="moduli" or "ones"' if math.isfinite(value) else "weights='ones'"
    return f"is {value:g}, and weights must be positive and finite: use {remedy}"


def refuse_fault(pattern: Pattern, fault: int, i: int, j: int, value: float, other: float) -> None:
    """Raises InvalidMatrixError if `fault` is not 0. `value` is the value of entry (i, j), at which
    the fault occurs, and `other` that of its counterpart (j, i)."""
    if not fault:
        return
    name = prefix(pattern.name)
    where = f"the entry in row {i}, column {j} (counted from 0)"
    if _FAULTS[fault] == "no weight":
        raise InvalidMatrixError(f"{name}{where} {no_weight(value)}")
    if _FAULTS[fault] == "other value":
        raise InvalidMatrixError(
            f"{name}a graph has a symmetric matrix, but {where} is {value!r} and the one in row "
            f"{j}, column {i} is {other!r}{AS_SIDES}"
        )
    raise InvalidMatrixError(
        f"{name}a graph has a symmetric matrix, but {where} has no counterpart in row {j}, column "
        f"{i}{AS_SIDES}"
    )
