# SPDX-License-Identifier: BSD-3-Clause
"""The argument `initial=`, a matching from which a search starts: conversion and checks.

The matching of a similar matrix is a good start even if some of its pairs of a row and a column are
not entries of this matrix. Such pairs are dropped and counted; the search finds the rest.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.cpu.problem import Problem
from btfperm.errors import InitialMatchingWarning, InvalidArgumentError
from btfperm.pattern import Pattern
from btfperm.pattern.arrays import is_device_array, is_masked
from btfperm.results import Decomposition, Transversal
from btfperm.warn import warn

__all__ = ["Orientation", "given_problem"]

Orientation = Literal["col_match", "row_match"]
_Numbers = npt.NDArray[np.int64]


def given_problem(
    pattern: Pattern,
    initial: Transversal | Decomposition | npt.ArrayLike,
    orientation: str | None = None,
    threads: int = 1,
) -> Problem:
    """The problem whose matching consists of those pairs of `initial` that fit the pattern: they
    are entries, and no two have the same row or column. `initial` is not modified. ``dropped`` of
    the result is the number of the other pairs.

    Raises
    ------
    InvalidArgumentError : `initial` is no plain list of integers, `orientation` does not apply to
        it, or it is not clear whether it holds rows or columns

    Warns
    -----
    InitialMatchingWarning : more than half of the pairs do not fit
    """
    rows, cols = _pairs(*_checked(pattern, initial, orientation))
    problem = Problem.empty(pattern, threads)
    given = rows.size
    inside = (rows >= 0) & (rows < pattern.m) & (cols >= 0) & (cols < pattern.n)
    if not inside.all():
        rows, cols = rows[inside], cols[inside]
    _match(problem, rows, cols)
    if _core.transversal.check_matching(*problem.matched)[0]:
        rows, cols = _unmatch_and_select(problem, pattern, rows, cols)
        _match(problem, rows, cols)
    problem.dropped = given - rows.size
    if 2 * problem.dropped > given:
        warn(
            InitialMatchingWarning(
                f"{problem.dropped:,} of {given:,} pairs of initial= do not fit the matrix and are "
                "dropped; it belongs to another matrix, or its orientation= is wrong"
            )
        )
    return problem


def _checked(
    pattern: Pattern, initial: Transversal | Decomposition | npt.ArrayLike, orientation: str | None
) -> tuple[npt.NDArray[Any], bool]:
    """Returns `initial` as a one-dimensional array of integers, and whether the array holds the
    column of each row (otherwise it holds the row of each column)."""
    if orientation is not None and orientation not in get_args(Orientation):
        raise InvalidArgumentError(
            f"orientation must be 'col_match' (the row of each column) or 'row_match' (the column "
            f"of each row), not {orientation!r}"
        )
    found: Any = initial
    if isinstance(initial, Transversal | Decomposition):
        if orientation == "row_match":
            raise InvalidArgumentError(
                f"orientation= is for arrays; a {type(initial).__name__} has both directions"
            )
        orientation, found = "col_match", initial.col_match
    if is_masked(found):
        raise InvalidArgumentError(
            "initial= is a masked array; give initial.filled(-1), where -1 means unmatched"
        )
    try:
        array = found.get() if is_device_array(found) else np.asarray(found)
        is_list = array.ndim == 1 and (array.dtype.kind in "iu" or array.size == 0)
    except (AttributeError, TypeError, ValueError):  # no arrays, lists of unequal lengths
        is_list = False
    if not is_list:
        raise InvalidArgumentError(
            f"initial must be an array of integers: the row of each of the {pattern.n} columns, "
            "or -1"
        )
    if orientation is None and pattern.m != pattern.n and array.size == pattern.m:
        raise InvalidArgumentError(
            f"initial has {array.size:,} numbers, one for each row of a {pattern.m:,} x "
            f"{pattern.n:,} matrix: give orientation='row_match' if they are columns, "
            "'col_match' if they are rows"
        )
    return array, orientation == "row_match"


def _pairs(array: npt.NDArray[Any], holds_columns: bool) -> tuple[_Numbers, _Numbers]:
    """Returns the rows and the columns of the pairs, sorted by column. Only -1 means unmatched: a
    smaller number in the array gives a pair, too, which fits no matrix."""
    numbers = array.astype(np.int64)
    places = np.flatnonzero(numbers != -1)
    if not holds_columns:
        return numbers[places], places
    order = np.argsort(numbers[places], kind="stable")
    return places[order], numbers[places][order]


def _match(problem: Problem, rows: _Numbers, cols: _Numbers) -> None:
    problem.col_match[cols] = rows
    problem.row_match[rows] = cols


def _unmatch_and_select(
    problem: Problem, pattern: Pattern, rows: _Numbers, cols: _Numbers
) -> tuple[_Numbers, _Numbers]:
    """Unmatches all pairs, and returns the pairs that are entries of the pattern. Of several pairs
    with the same row or column, it returns only the first.

    The pairs come from one array: a `row_match` cannot repeat a row, and a `col_match` cannot
    repeat a column. So at most one iteration of the loop below removes pairs, and the order of the
    iterations does not matter.
    """
    problem.col_match[cols] = -1
    problem.row_match[rows] = -1
    entries = _are_entries(pattern, rows, cols)
    rows, cols = rows[entries], cols[entries]
    for lines in (0, 1):
        _, first = np.unique((rows, cols)[lines], return_index=True)
        rows, cols = rows[first], cols[first]
    return rows, cols


def _are_entries(pattern: Pattern, rows: _Numbers, cols: _Numbers) -> npt.NDArray[np.bool_]:
    """Returns whether each (row, column) is an entry, by binary searches for all pairs at once."""
    indices = pattern.indices
    begin, end = pattern.indptr[cols].astype(np.int64), pattern.indptr[cols + 1].astype(np.int64)
    last = end.copy()
    while (open := begin < end).any():
        middle = (begin + end) // 2
        smaller = open & (indices[np.where(open, middle, 0)] < rows)
        begin = np.where(smaller, middle + 1, begin)
        end = np.where(open & ~smaller, middle, end)
    inside = begin < last
    inside[inside] = indices[begin[inside]] == rows[inside]
    return inside
