# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained HTML page about a matrix, behind `btfperm.report` and ``btfperm report``.

* ``facts.py`` - the findings in words, the solvers, the versions
* ``data.py``, ``groups.py`` and ``packed.py`` - what the script of the page draws and lists
* ``sections.py`` - the sections of the page, with all text escaped
* ``page.html``, ``page.css``, ``*.js`` - the page; ``snippets/`` - how to use the result

The page loads nothing from a network. Its security policy forbids such loads, and all scripts but
the page's own.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from btfperm.arguments import path_text, truth
from btfperm.errors import InvalidArgumentError

if TYPE_CHECKING:
    from btfperm.diagnosis import Diagnosis
    from btfperm.pattern import Pattern, ValuedPattern
    from btfperm.results import DulmageMendelsohn

__all__ = ["Subject", "page_of", "report", "subject_of"]

PathLike = str | os.PathLike[str]


class Subject(NamedTuple):
    """A matrix that was read and decomposed.

    Attributes
    ----------
    name : the name of the matrix on the page
    valued : the matrix with its values, for the solvers. None if it has no values, if some are not
        finite, or if they were not read because no solver will run
    seconds : the seconds of each stage so far
    """

    name: str
    pattern: Pattern
    valued: ValuedPattern | None
    decomposition: DulmageMendelsohn
    seconds: dict[str, float]


def report(
    A: Any,
    path: PathLike,
    *,
    row_names: Any = None,
    col_names: Any = None,
    solvers_within: float = 10.0,
    drop_zeros: bool | None = None,
    threads: int | None = None,
    replace: bool = True,
) -> None:
    """Write a report about a matrix: one HTML page that needs no network.

    The page has the findings in plain words, the matrix before and after to zoom into, the blocks,
    the diagnosis, the time of each stage, the solvers if they were measured, and how to use the
    result. Its size is bounded for a matrix of any size.

    Parameters
    ----------
    A : a matrix of any type that `as_pattern` accepts, or a path. If it has values, is square and
        structurally nonsingular, KLU and SuperLU are measured, within `solvers_within`. Or a Pyomo
        model or CasADi function as for `diagnose`, whose names are used
    path : the page
    row_names, col_names : as for `diagnose`
    solvers_within : seconds for the solvers. Nothing is started that is expected to take longer;
        0 leaves them out
    drop_zeros : as for `as_pattern`
    threads : number of threads
    replace : False does not replace an older file

    Raises
    ------
    InvalidArgumentError : the number of names is wrong
    ResourceMissingError : the page cannot be written, or exists and may not be replaced

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> btfperm.report(np.eye(3), "report.html")  # doctest: +SKIP
    """
    from btfperm.diagnosis.systems import with_names
    from btfperm.io.atomic_write import atomic_write

    within = _seconds(solvers_within)
    A, row_names, col_names = with_names(A, row_names, col_names)
    subject = subject_of(A, drop_zeros=drop_zeros, threads=threads, within=within)
    text = page(subject, row_names, col_names, within, drop_zeros, threads)
    with atomic_write(path, replace=replace) as file:
        file.write(text.encode())


def subject_of(
    A: Any, *, drop_zeros: bool | None = None, threads: int | None = None, within: float = 10.0
) -> Subject:
    """Reads a matrix and decomposes it. Its values are kept if they are finite and solvers may be
    measured."""
    from btfperm.dulmage_mendelsohn import dulmage_mendelsohn

    since = time.perf_counter()
    pattern, valued = _read(A, drop_zeros, threads, within)
    middle = time.perf_counter()
    decided = None if pattern.stored_zeros is None else pattern.zeros_dropped
    d = dulmage_mendelsohn(pattern, drop_zeros=decided, threads=threads).on_host()
    here = d.pattern.on_host() if d.pattern is not None else pattern.on_host()
    stages = dict(d.meta.get("seconds", {}))
    seconds = {"read": middle - since, **stages}
    if not stages:
        seconds["decompose"] = time.perf_counter() - middle
    return Subject(pattern.name or "matrix", here, valued, d, seconds)


def page(
    subject: Subject,
    row_names: Any = None,
    col_names: Any = None,
    within: float = 10.0,
    drop_zeros: bool | None = None,
    threads: int | None = None,
) -> str:
    """The text of the page."""
    from btfperm.diagnosis import diagnose
    from btfperm.reports.page.data import page_data
    from btfperm.reports.page.facts import solver_facts
    from btfperm.reports.page.sections import Contents, assembled

    d, seconds = subject.decomposition, dict(subject.seconds)
    clock = _Clock(seconds)
    graph = d.block_graph(subject.pattern)
    clock.stop("block graph")
    diagnosis = diagnose(d, row_names=row_names, col_names=col_names)
    clock.stop("diagnosis")
    data = page_data(d, subject.pattern, graph, threads)
    clock.stop("pictures")
    solvers = solver_facts(subject.pattern, subject.valued, d, within)
    if solvers.runs or solvers.advice:
        clock.stop("solvers")
    options = {"drop-zeros": bool(drop_zeros), "threads": threads}
    return assembled(Contents(subject, graph, diagnosis, data, solvers, seconds, options))


def page_of(diagnosis: Diagnosis, name: str) -> str:
    """The text of a page about a matrix that was diagnosed, without solvers."""
    d = diagnosis.decomposition
    subject = Subject(name, diagnosis.pattern, None, d, dict(diagnosis.seconds))
    return page(subject, diagnosis.row_names, diagnosis.col_names, within=0.0)


class _Clock:
    """Seconds of each stage."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds, self._since = seconds, time.perf_counter()

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self._seconds[stage], self._since = now - self._since, now


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise InvalidArgumentError(f"solvers_within must be a number of seconds, not {value!r}")
    return float(value)


def _read(
    A: Any, drop_zeros: bool | None, threads: int | None, within: float
) -> tuple[Pattern, ValuedPattern | None]:
    from btfperm.pattern import as_pattern

    if not isinstance(A, str | os.PathLike):
        from btfperm.preorder.weights import finite_values

        valued = finite_values(A, None, drop_zeros) if within > 0 else None
        if valued is not None:
            return valued.pattern, valued
        return as_pattern(A, drop_zeros=drop_zeros, threads=threads), None
    from btfperm.io import pattern_and_values, read

    drop = drop_zeros is not None and truth("drop_zeros", drop_zeros)
    if within > 0 and _is_small(path_text(A), within):
        return pattern_and_values(A, drop)
    return read(A, drop_zeros=drop, threads=threads or 0), None


def _is_small(path: str, within: float) -> bool:
    """Whether a file holds a square matrix that is small enough for the solvers. The answer is True
    for standard input, whose header cannot be read in advance."""
    from btfperm.io import peek
    from btfperm.reports.page.facts import likely_entries

    if path == "-":
        return True
    header = peek(path)
    m, n = header.shape
    return m == n and (header.entries or 0) <= likely_entries(within)
