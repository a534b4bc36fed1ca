# SPDX-License-Identifier: BSD-3-Clause
"""A matching that the caller gives as ``initial=``: checked and copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.cpu.problem import Problem
from btfperm.errors import InvalidArgumentError
from btfperm.pattern import Pattern
from btfperm.pattern.arrays import lives_on_device
from btfperm.results import Decomposition, Transversal

__all__ = ["problem_with"]


def problem_with(
    pattern: Pattern,
    initial: Transversal | Decomposition | npt.ArrayLike,
    threads: int = 1,
) -> Problem:
    """A problem with the caller's matching.

    Raises
    ------
    InvalidArgumentError : the matching does not belong to this pattern
    """
    given = _row_of_each_column(pattern, initial)
    outside = np.flatnonzero((given < -1) | (given >= pattern.m))
    if outside.size:
        j = int(outside[0])
        raise InvalidArgumentError(
            f"initial matches column {j} to row {given[j]}; rows are 0 ... {pattern.m - 1}"
        )
    col_match = given.astype(pattern.indices.dtype)
    problem = Problem.empty(pattern, threads)
    problem.col_match[:] = col_match
    pairs = np.flatnonzero(col_match >= 0)
    problem.row_match[col_match[pairs]] = pairs
    verdict, j = _core.check_matching(*problem.matched)
    if verdict == 1:
        raise InvalidArgumentError(f"initial matches row {col_match[j]} to two columns, one is {j}")
    if verdict == 2:
        raise InvalidArgumentError(
            f"initial matches column {j} to row {col_match[j]}, where the matrix has no entry"
        )
    return problem


def _row_of_each_column(
    pattern: Pattern, initial: Transversal | Decomposition | npt.ArrayLike
) -> npt.NDArray[np.integer]:
    try:
        found: Any = initial
        if isinstance(initial, Transversal | Decomposition):
            found = initial.col_match
        given = found.get() if lives_on_device(found) else np.asarray(found)
        fits = given.shape == (pattern.n,) and (given.dtype.kind in "iu" or not pattern.n)
    except (AttributeError, TypeError, ValueError):  # no arrays, lists of unequal lengths
        fits = False
    if not fits:
        raise InvalidArgumentError(
            f"initial must hold the row of each of the {pattern.n} columns, or -1"
        )
    return given
