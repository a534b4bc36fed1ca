# SPDX-License-Identifier: BSD-3-Clause
"""Start, search, certificate; and a second algorithm where the certificate does not hold."""

from __future__ import annotations

import time
import warnings

from btfperm import registry
from btfperm.errors import DefectError, DefectWarning
from btfperm.pattern import Pattern
from btfperm.results import Transversal
from btfperm.transversal.auto import DEFAULT, choose_algorithm, choose_initializer
from btfperm.transversal.certificate import find_cover, is_legal, prove, rank_at_most
from btfperm.transversal.limits import Controls
from btfperm.transversal.problem import Problem

__all__ = ["search"]

# Search from the rows when there are this many times more columns than rows (short side first).
_WIDE = 1.3

# Finishes what another algorithm has spoiled: serial, short, and with a bound on its time.
_SECOND = "hopcroft-karp"


def search(
    pattern: Pattern,
    problem: Problem,
    algorithm: str,
    initializer: str,
    controls: Controls,
    from_outside: bool,
) -> Transversal:
    """A transversal with its proof, or what a limit let it become.

    Raises
    ------
    InvalidArgumentError : no such algorithm, initializer or option
    DefectError : what was found does not stand its proof, at the second attempt either
    """
    start = None
    if initializer != "none":
        first = choose_initializer() if initializer == "auto" else initializer
        start = registry.find(first, initializer=True)
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
    if size == full:
        why = "the start left nothing to do"
    elif from_outside and find_cover(problem, controls.threads):
        problem.proven = True  # what is maximum already is only checked, not moved about
        why = "the matching given is maximum already"
    elif controls.stopped_by is not None:
        why = f"the start was stopped by {controls.stopped_by}"
    else:
        if pattern.n > _WIDE * pattern.m:
            view = problem.transposed()
        if named is None:
            name, why = choose_algorithm(full - size, view is not problem)
            named = registry.find(name, initializer=False)
        ran = named.name
        counters.update(controls.run(named, view))
    clock.append(time.perf_counter())

    try:
        row_cover, col_cover = prove(problem, view, controls.stopped_by, controls.threads)
    except DefectError as defect:
        culprits = [name for name in (start.name if start else "none", ran) if name != "none"]
        if culprits == [_SECOND] and not from_outside:
            raise  # the same again would go wrong again
        why = f"{' and '.join(culprits) or 'the start'} went wrong, {_SECOND} finished"
        warnings.warn(DefectWarning(f"{defect}; {why}"), stacklevel=3)
        ran = _SECOND
        second = _finish(problem, view, controls)
        counters.update({f"second_{k}": v for k, v in second.items()})
        row_cover, col_cover = prove(problem, view, controls.stopped_by, controls.threads)
    clock.append(time.perf_counter())
    size = problem.size
    maximum = row_cover is not None
    return Transversal(
        shape=pattern.shape,
        row_match=problem.row_match,
        col_match=problem.col_match,
        maximum=maximum,
        rank_bounds=(size, size if maximum else rank_at_most(pattern)),
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


def _finish(problem: Problem, view: Problem, controls: Controls) -> dict[str, int]:
    """The second algorithm, from the matching reached so far if it is one, else from nothing."""
    legal = is_legal(problem)
    view.take_back(keep_pairs=legal)
    return controls.run(registry.find(_SECOND, initializer=False), view)
