# SPDX-License-Identifier: BSD-3-Clause
"""WHICH ENTRIES CAN STAND ON THE DIAGONAL.

`maximum_transversal` runs three steps, each in a file of its own:

1. a start (`initial/`): a matching that is cheap to find and often nearly maximum;
2. a search (`augmenting/`): makes it maximum. Searches work from the columns; a wide matrix is
   handed over transposed, so that the search starts from the shorter side;
3. the certificate (`certificate.hpp`): the pairs are entries, and a cover of the same size exists.

`auto.py` chooses the first two when nobody else does.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core, registry
from btfperm.errors import (
    BackendUnavailableError,
    BtfpermError,
    CheckFailedError,
    InvalidArgumentError,
    StoredZerosWarning,
)
from btfperm.pattern import Pattern, as_pattern
from btfperm.results import IndexArray, Transversal
from btfperm.transversal.auto import DEFAULT, choose_algorithm, choose_threads

__all__ = ["maximum_transversal", "structural_rank"]

_STOPS = {0: None, 2: "time_limit", 3: "max_work"}

# Search from the rows when there are this many times more columns than rows (short side first).
_WIDE = 1.3


class _Controls:
    """What a run is given beside the problem, and what is left of the time and work allowed."""

    def __init__(
        self,
        time_limit: float | None,
        max_work: int | None,
        threads: int = 1,
        seed: int = 0,
        options: Mapping[str, float] | None = None,
    ) -> None:
        if time_limit is not None and not time_limit > 0:
            raise InvalidArgumentError(f"time_limit must be positive seconds, not {time_limit}")
        if max_work is not None and max_work <= 0:
            raise InvalidArgumentError(f"max_work must be a positive number, not {max_work}")
        self._ends = None if time_limit is None else time.perf_counter() + time_limit
        self._work = max_work
        self._threads = threads
        self._seed = seed
        self._options = dict(options or {})
        self.stopped_by: str | None = None

    def check_options(self, *rows: registry.Algorithm | None) -> None:
        """Each option must be one that an algorithm of this run has."""
        chosen = [row for row in rows if row is not None]
        for name in self._options:
            if not any(row.has_option(name) for row in chosen):
                known = [f"{o.name} of {row.name}" for row in chosen for o in row.options]
                raise InvalidArgumentError(
                    f"no algorithm of this run has an option {name!r}; there are "
                    f"{', '.join(known) or 'none'}"
                )

    def run(self, row: registry.Algorithm, problem: _Problem) -> dict[str, int]:
        """Runs one algorithm within the limits; its counters."""
        seconds = 0.0
        if self._ends is not None:
            seconds = max(self._ends - time.perf_counter(), 1e-9)
        stop, problem.proven, counters = row.load()(
            problem.m,
            problem.indptr,
            problem.indices,
            problem.row_match,
            problem.col_match,
            problem.row_in_cover,
            seconds,
            self._work or 0,
            self._threads if row.parallel else 1,
            self._seed,
            row.checked(self._options),
        )
        if self._work is not None:
            self._work = max(self._work - counters.get("edges", 0), 1)
        self.stopped_by = _STOPS[stop]
        return counters


@dataclass
class _Problem:
    """A pattern as the core takes it, the matching at hand, and what is proven about it."""

    m: int
    indptr: IndexArray
    indices: IndexArray
    row_match: IndexArray
    col_match: IndexArray
    row_in_cover: npt.NDArray[np.uint8]
    proven: bool = False  # the last algorithm left the rows of a cover in row_in_cover

    @classmethod
    def empty(cls, pattern: Pattern) -> _Problem:
        """With no pair matched yet."""
        row_match = np.empty(pattern.m, dtype=pattern.indices.dtype)
        col_match = np.empty(pattern.n, dtype=pattern.indices.dtype)
        row_match.fill(-1)
        col_match.fill(-1)
        return cls.of(pattern, row_match, col_match)

    @classmethod
    def of(cls, pattern: Pattern, row_match: IndexArray, col_match: IndexArray) -> _Problem:
        marks = np.zeros(pattern.m, dtype=np.uint8)
        return cls(pattern.m, pattern.indptr, pattern.indices, row_match, col_match, marks)

    @property
    def size(self) -> int:
        """Number of matched pairs."""
        return _core.count_matched(self.col_match)  # type: ignore[no-any-return]

    def transposed(self) -> _Problem:
        """The same problem seen from the rows; the matching arrays are shared."""
        n = self.indptr.size - 1
        indptr = np.empty(self.m + 1, dtype=self.indices.dtype)
        indices = np.empty(self.indices.size, dtype=self.indices.dtype)
        _core.transpose(self.m, self.indptr, self.indices, indptr, indices)
        marks = np.zeros(n, dtype=np.uint8)
        return _Problem(n, indptr, indices, self.col_match, self.row_match, marks)


def maximum_transversal(
    A: Any,
    *,
    algorithm: str = "auto",
    initializer: str = "auto",
    backend: str = "auto",
    threads: int | None = None,
    seed: int | None = None,
    options: Mapping[str, float] | None = None,
    initial: Transversal | npt.ArrayLike | None = None,
    time_limit: float | None = None,
    max_work: int | None = None,
    drop_zeros: bool | None = None,
) -> Transversal:
    """A largest set of entries, no two in a row or column, with the proof that it is largest.

    Parameters
    ----------
    A : anything `as_pattern` takes
    algorithm, initializer : names from `algorithms()`, or ``"auto"``; initializer may be ``"none"``
    backend : ``"auto"`` or ``"cpu"``
    threads : for the algorithms that use more than one; default all cores this process may use,
        and one for small matrices
    seed : for the algorithms that draw at random; the same seed gives the same draws. Default 0
    options : numbers of the algorithm and the initializer by name, as their rows in `algorithms()`
        list them, such as ``{"alpha": 5}``
    initial : a matching to start from: a `Transversal`, or the row matched to each column (n,)
        with -1 for none. It must be legal, not maximal
    time_limit : seconds; max_work : entries read. A search that reaches a limit returns a legal
        partial answer, marked as not `maximum`, with bounds on the rank
    drop_zeros : leave stored zeros out; default keeps them

    Returns
    -------
    Transversal

    Raises
    ------
    InvalidArgumentError, InvalidMatrixError, UnreadableInputError
    CheckFailedError : the certificate does not hold; a defect of btfperm, please report it

    Notes
    -----
    O(nnz sqrt(n)) at worst with ``"auto"``, linear in practice.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 0]])
    >>> t = btfperm.maximum_transversal(A)
    >>> t.structural_rank
    2
    >>> t.cover()  # one row and one column touch every entry
    Cover(rows=array([0]), cols=array([0]))
    """
    pattern = as_pattern(A, drop_zeros=drop_zeros)
    _check_backend(backend, threads)
    controls = _Controls(
        time_limit, max_work, choose_threads(pattern.nnz, threads), seed or 0, options
    )
    problem = _Problem.empty(pattern) if initial is None else _with_initial(pattern, initial)
    found = _search(pattern, problem, algorithm, initializer, controls, initial is not None)
    if pattern.stored_zeros is not None:
        _warn_of_zeros(pattern, found, time_limit, max_work)
    return found


def structural_rank(A: Any, **options: Any) -> int:
    """Size of a maximum transversal of `A`: an upper bound of the numerical rank.

    Takes what `maximum_transversal` takes; raises when a limit stopped the search.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> btfperm.structural_rank(np.array([[0, 1], [0, 1]]))
    1
    """
    return maximum_transversal(A, **options).structural_rank


def proven_transversal(
    pattern: Pattern, given: Transversal | None, options: Mapping[str, Any]
) -> Transversal:
    """A maximum transversal of `pattern`: found now, or the given one, proven anew to belong.

    Raises
    ------
    InvalidArgumentError : the given one belongs to another matrix
    BtfpermError : a limit stopped the search, so that there is nothing to decompose
    """
    found = maximum_transversal(pattern, **options) if given is None else given
    if found.shape != pattern.shape:
        raise InvalidArgumentError(
            f"the transversal belongs to a matrix of shape {found.shape}, not {pattern.shape}"
        )
    if not found.maximum:
        lower, upper = found.rank_bounds
        raise BtfpermError(
            f"the search was stopped by {found.stopped_by}: only a maximum transversal can be "
            f"decomposed, and the structural rank is only known to lie between {lower} and "
            f"{upper}; raise the limit"
        )
    if given is None:
        return found
    width = pattern.indices.dtype
    row_match = given.row_match.astype(width, copy=False)
    col_match = given.col_match.astype(width, copy=False)
    matched = (pattern.m, pattern.indptr, pattern.indices, row_match, col_match)
    if _core.certify(*matched, given.row_in_cover, np.empty(pattern.n, dtype=np.uint8))[0]:
        raise InvalidArgumentError(
            "the transversal belongs to another matrix of the same shape; leave it out, or give "
            "the one that maximum_transversal finds for this matrix"
        )
    return replace(given, row_match=row_match, col_match=col_match)


def _check_backend(backend: str, threads: int | None) -> None:
    if backend in ("gpu", "mpi"):
        raise BackendUnavailableError(
            f"this version of btfperm has no {backend} backend; use backend='cpu' or 'auto'"
        )
    if backend not in ("auto", "cpu"):
        raise InvalidArgumentError(f"unknown backend {backend!r}; there are auto, cpu")
    if threads is not None and threads < 1:
        raise InvalidArgumentError(f"threads must be at least 1, not {threads}")


def _with_initial(pattern: Pattern, initial: Transversal | npt.ArrayLike) -> _Problem:
    """The problem with a matching from outside, which is checked."""
    given = initial.col_match if isinstance(initial, Transversal) else np.asarray(initial)
    if given.shape != (pattern.n,) or given.dtype.kind not in "iu":
        raise InvalidArgumentError(
            f"initial must hold the row of each of the {pattern.n} columns, or -1"
        )
    outside = np.flatnonzero((given < -1) | (given >= pattern.m))
    if outside.size:
        j = int(outside[0])
        raise InvalidArgumentError(
            f"initial matches column {j} to row {given[j]}; rows are 0 ... {pattern.m - 1}"
        )
    col_match = given.astype(pattern.indices.dtype)
    row_match = np.full(pattern.m, -1, dtype=col_match.dtype)
    matched = np.flatnonzero(col_match >= 0)
    row_match[col_match[matched]] = matched
    verdict, j = _core.check_matching(
        pattern.m, pattern.indptr, pattern.indices, row_match, col_match
    )
    if verdict == 1:
        raise InvalidArgumentError(f"initial matches row {col_match[j]} to two columns, one is {j}")
    if verdict == 2:
        raise InvalidArgumentError(
            f"initial matches column {j} to row {col_match[j]}, where the matrix has no entry"
        )
    return _Problem.of(pattern, row_match, col_match)


def _search(
    pattern: Pattern,
    problem: _Problem,
    algorithm: str,
    initializer: str,
    controls: _Controls,
    from_outside: bool,
) -> Transversal:
    """Start, search, certificate."""
    start = (
        registry.find("greedy" if initializer == "auto" else initializer, initializer=True)
        if initializer != "none"
        else None
    )
    named = None if algorithm == "auto" else registry.find(algorithm, initializer=False)
    controls.check_options(start, named or registry.find(DEFAULT, initializer=False))
    clock = [time.perf_counter()]
    counters: dict[str, int] = {}
    full = min(pattern.m, pattern.n)
    if start is not None:
        counters.update({f"start_{k}": v for k, v in controls.run(start, problem).items()})
    clock.append(time.perf_counter())

    size = problem.size
    ran, why, view = "none", "", problem
    if from_outside and size < full and _find_cover(problem):
        problem.proven = True  # what is maximum already is only checked, not moved about
        why = "the matching given is maximum already"
    elif size < full and controls.stopped_by is None:
        if pattern.n > _WIDE * pattern.m:
            view = problem.transposed()
        if named is None:
            name, why = choose_algorithm(full - size, view is not problem)
            named = registry.find(name, initializer=False)
        ran = named.name
        counters.update(controls.run(named, view))
    elif named is not None:
        ran = named.name  # asked for, and nothing was left to do
    else:
        why = "the start left nothing to do" if size == full else ""
    clock.append(time.perf_counter())

    row_cover, col_cover = _prove(pattern, problem, view, controls.stopped_by)
    clock.append(time.perf_counter())
    size = problem.size
    maximum = row_cover is not None
    return Transversal(
        shape=pattern.shape,
        row_match=problem.row_match,
        col_match=problem.col_match,
        maximum=maximum,
        rank_bounds=(size, size if maximum else _rank_at_most(pattern)),
        verified=True,
        algorithm=ran,
        initializer="none" if start is None else start.name,
        choice=why,
        stopped_by=None if maximum else controls.stopped_by,
        counters=counters,
        seconds={
            "start": clock[1] - clock[0],
            "search": clock[2] - clock[1],
            "certificate": clock[3] - clock[2],
        },
        row_in_cover=row_cover,
        col_in_cover=col_cover,
    )


_WRONG = {
    1: "its two arrays disagree",
    2: "a matched pair is no entry",
    3: "its cover is too large",
    4: "an entry lies outside its cover",
}


def _prove(
    pattern: Pattern, problem: _Problem, view: _Problem, stopped_by: str | None
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]] | tuple[None, None]:
    """The cover, checked, or (None, None) when a limit ended the search before the maximum."""
    matched = (problem.m, problem.indptr, problem.indices, problem.row_match, problem.col_match)
    if not view.proven or view is not problem:  # what follows goes where the matching leads
        verdict, where = _core.check_matching(*matched)
        if verdict:
            raise CheckFailedError(_defect(_WRONG[verdict], where))
    if not view.proven and not _find_cover(view):
        if stopped_by is not None:
            return None, None
        raise CheckFailedError(_defect("it is not maximum although its search ended", -1))
    rows = view.row_in_cover
    if view is not problem:  # the search went from the rows: what it marked are columns
        rows = np.empty(pattern.m, dtype=np.uint8)
        _core.complete_cover(problem.row_match, view.row_in_cover, rows)
    cols = np.empty(pattern.n, dtype=np.uint8)
    verdict, where = _core.certify(*matched, rows, cols)
    if verdict:
        raise CheckFailedError(_defect(_WRONG[verdict], where))
    return rows, cols


def _defect(what: str, where: int) -> str:
    column = f" at column {where}" if where >= 0 else ""
    return (
        f"the matching is wrong{column}: {what}; this is a defect of btfperm, please report it "
        "with the matrix"
    )


def _find_cover(view: _Problem) -> bool:
    """Marks the rows of a minimum cover; False when the matching is not maximum."""
    size = view.size
    if size == view.col_match.size or size == view.m:  # all columns, or all rows, are a cover
        view.row_in_cover.fill(size < view.col_match.size)
        return True
    found: bool = _core.find_cover(
        view.m, view.indptr, view.indices, view.row_match, view.col_match, view.row_in_cover
    )
    if not found:
        view.row_in_cover.fill(0)
    return found


def _rank_at_most(pattern: Pattern) -> int:
    """No transversal has more entries than there are nonempty rows, or nonempty columns."""
    nonempty_cols = int(np.count_nonzero(np.diff(pattern.indptr)))
    seen = np.zeros(pattern.m, dtype=bool)
    seen[pattern.indices] = True
    return min(nonempty_cols, int(np.count_nonzero(seen)))


def _warn_of_zeros(
    pattern: Pattern, found: Transversal, time_limit: float | None, max_work: int | None
) -> None:
    """Says how many entries are stored as zero and whether they change the rank."""
    zeros = pattern.stored_zeros
    assert zeros is not None
    name = f"{pattern.name}: " if pattern.name else ""
    count = "1 stored entry is" if zeros.nnz == 1 else f"{zeros.nnz:,} stored entries are"
    fate = "left out" if pattern.zeros_dropped else "kept as an entry"
    other = _rank_the_other_way(pattern, found, time_limit, max_work)
    if other is None or not found.maximum:
        effect = "whether that changes the structural rank was not found out within the limits"
    elif other == found.size:
        effect = "that does not change the structural rank"
    elif pattern.zeros_dropped:
        effect = f"the structural rank is {found.size:,}, and {other:,} when they are kept"
    else:
        effect = (
            f"the structural rank is {found.size:,}, but {other:,} without them "
            "(drop_zeros=True, --drop-zeros)"
        )
    text = f"{name}{count} zero, {fate}; {effect}"
    warnings.warn(StoredZerosWarning(text, other), stacklevel=3)


def _rank_the_other_way(
    pattern: Pattern, found: Transversal, time_limit: float | None, max_work: int | None
) -> int | None:
    """The rank with the stored zeros, if they were dropped, and without them otherwise."""
    zeros = pattern.stored_zeros
    assert zeros is not None
    initial = found.col_match
    if pattern.zeros_dropped:
        if found.size == min(pattern.shape):
            return found.size
        other = pattern.union(zeros)
    else:
        other = pattern.without(zeros)
        initial = _without_entries(initial, zeros)
        if np.array_equal(initial, found.col_match):
            return found.size
    problem = _with_initial(other, initial)
    result = _search(other, problem, "auto", "auto", _Controls(time_limit, max_work), True)
    return result.size if result.maximum else None


def _without_entries(col_match: IndexArray, less: Pattern) -> IndexArray:
    """The matching without the pairs that are entries of `less`."""
    kept = col_match.copy()
    cols = less.cols()
    kept[cols[col_match[cols] == less.indices]] = -1
    return kept
