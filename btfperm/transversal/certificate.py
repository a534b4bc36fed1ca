# SPDX-License-Identifier: BSD-3-Clause
"""The certificate: checks that a matching is legal and maximum. The check uses only the two arrays
of the matching and a cover."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.cpu.problem import Problem
from btfperm.errors import DefectError, InvalidArgumentError
from btfperm.pattern import Pattern
from btfperm.results import Transversal

if TYPE_CHECKING:
    from btfperm.backends.protocol import Session

__all__ = ["certified", "find_cover", "is_legal", "prove", "rank_at_most"]

Marks = npt.NDArray[np.uint8]

_WRONG = {
    1: "its two arrays disagree",
    2: "a matched pair is no entry",
    3: "its cover is too large",
    4: "an entry lies outside its cover",
}


def prove(
    problem: Problem,
    view: Problem,
    stopped_by: str | None,
    threads: int = 1,
    size: int | None = None,
) -> tuple[Marks, Marks, int] | tuple[None, None, int]:
    """Checks the matching of `problem`; returns the rows and columns of a minimum cover and the
    number of matched entries. Rows and columns are None if a limit stopped the search before the
    matching was maximum.

    `view` is the problem that was searched: `problem` or its transpose. `size` is the number of
    matched entries if the caller knows it.

    Raises
    ------
    DefectError : the matching is not legal, or is not maximum although no limit stopped the search
    """
    if not view.proven:
        view.proven = _has_plain_cover(view, view.size if size is None else size)
    if not view.proven:  # the search for a cover uses the matching as indices without checking it
        verdict, where = _core.transversal.check_matching(*problem.matched)
        if verdict:
            raise _defect(_WRONG[verdict], where)
    if not view.proven and not _has_other_cover(view, threads):
        if stopped_by is not None:
            return None, None, problem.size
        raise _defect("it is not maximum although its search ended", -1)
    rows, cols = problem.row_in_cover, problem.col_in_cover
    if view is not problem:  # the search started from the rows, so it marked columns
        try:
            _core.transversal.complete_cover(problem.row_match, view.row_in_cover, rows)
        except ValueError:  # a row is matched to a column that does not exist
            raise _defect(_WRONG[1], -1) from None
    verdict, where, pairs = _core.transversal.certify(
        problem.m,
        problem.indptr,
        problem.indices,
        problem.row_match,
        problem.col_match,
        rows,
        cols,
        threads,
    )
    if verdict:
        raise _defect(_WRONG[verdict], where)
    return rows, cols, pairs


def certified(pattern: Pattern, given: Transversal) -> Transversal:
    """The caller's transversal, checked again: its matching and the rows of its cover must be a
    certificate for this pattern.

    Raises
    ------
    InvalidArgumentError : they are no certificate for this pattern
    """
    width = pattern.indices.dtype
    places = (("row_match", pattern.m), ("col_match", pattern.n), ("row_in_cover", pattern.m))
    for name, count in places:
        array = getattr(given, name)
        kinds = "iu" if name != "row_in_cover" else "u"
        if (
            not isinstance(array, np.ndarray)
            or array.shape != (count,)
            or array.dtype.kind not in kinds
            or (kinds == "u" and array.dtype != np.uint8)
        ):
            raise InvalidArgumentError(
                f"the transversal's {name} must be an array of {count} "
                f"{'bytes (uint8)' if kinds == 'u' else 'integers'}; give what "
                "maximum_transversal returns, unchanged"
            )
    row_match = np.ascontiguousarray(given.row_match, dtype=width)
    col_match = np.ascontiguousarray(given.col_match, dtype=width)
    rows = np.ascontiguousarray(given.row_in_cover)
    cols: Marks = np.empty(pattern.n, dtype=np.uint8)
    problem = Problem(pattern.m, pattern.indptr, pattern.indices, row_match, col_match, rows, cols)
    if _core.transversal.certify(*problem.matched, rows, cols)[0]:
        remedy = "leave it out, or give the one that maximum_transversal finds for this matrix"
        has_zeros = pattern.stored_zeros is not None and not pattern.zeros_dropped
        if given.weights is not None and has_zeros:
            remedy = "give drop_zeros=True, because a weighted one matches no stored zeros"
        raise InvalidArgumentError(
            f"the transversal belongs to another matrix of the same shape; {remedy}"
        )
    own = given.col_in_cover
    if isinstance(own, np.ndarray) and own.dtype == cols.dtype and np.array_equal(own, cols):
        cols = own  # the result shares this array instead of holding a second one
    return replace(
        given,
        row_match=row_match,
        col_match=col_match,
        rank_bounds=(problem.size, problem.size),
        verified=True,
        row_in_cover=rows,
        col_in_cover=cols,
    )


def is_legal(problem: Problem) -> bool:
    """Whether `row_match` and `col_match` agree and match only entries."""
    verdict: int = _core.transversal.check_matching(*problem.matched)[0]
    return verdict == 0


def find_cover(view: Problem, threads: int = 1) -> bool:
    """Marks the rows of a minimum cover; returns False if the matching is not maximum."""
    return _has_plain_cover(view, view.size) or _has_other_cover(view, threads)


def _has_other_cover(view: Problem, threads: int) -> bool:
    """Searches for a minimum cover and marks its rows; False if the matching is not maximum."""
    found: bool = _core.transversal.find_cover(*view.matched, view.row_in_cover, threads=threads)
    if not found:
        view.row_in_cover.fill(0)
    return found


def _has_plain_cover(view: Problem, size: int) -> bool:
    """Whether all columns or all rows are matched. Then all columns, or all rows, are a minimum
    cover, and its rows are marked."""
    if size != view.col_match.size and size != view.m:
        return False
    view.row_in_cover.fill(size < view.col_match.size)
    return True


def rank_at_most(session: Session) -> int:
    """An upper bound on the structural rank: the number of nonempty rows, or of nonempty columns,
    whichever is smaller."""
    pattern = session.on_host()
    bound: int = _core.transversal.rank_at_most(pattern.m, pattern.indptr, pattern.indices)
    return bound


def _defect(what: str, where: int) -> DefectError:
    column = f" at column {where}" if where >= 0 else ""
    return DefectError(
        f"the matching is wrong{column}: {what}; this is a defect of btfperm, please report it "
        "with the matrix"
    )
