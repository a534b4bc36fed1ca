# SPDX-License-Identifier: BSD-3-Clause
"""Start, search, certificate; a second algorithm where the certificate does not hold, and the cpu
where ``auto`` took a gpu that fails."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm import registry
from btfperm.errors import BackendUnavailableError, BackendWarning, DefectError, DefectWarning
from btfperm.pattern import DevicePattern, Pattern
from btfperm.results import Transversal
from btfperm.transversal.auto import Choices
from btfperm.transversal.certificate import find_cover, is_legal, prove, rank_at_most
from btfperm.transversal.limits import Controls
from btfperm.transversal.problem import Problem

if TYPE_CHECKING:
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["search"]

# Finishes what another algorithm has spoiled: serial, short, and with a bound on its time.
_SECOND = "hopcroft-karp"


_said: set[str] = set()  # why gpus did not work: each reason is told once a process


def search(
    pattern: Pattern,
    problem: Problem | DeviceProblem,
    algorithm: str,
    initializer: str,
    controls: Controls,
    from_outside: bool,
) -> Transversal:
    """A transversal with its proof, or what a limit let it become.

    Raises
    ------
    BackendUnavailableError : the gpu, or an algorithm that only it has, was asked for and fails
    InvalidArgumentError : no such algorithm, initializer or option
    DefectError : what was found does not stand its proof, at the second attempt either
    """
    place = controls.backend
    if place == "auto" and isinstance(pattern, DevicePattern):
        place = "gpu"
    choices = Choices(
        pattern,
        on_gpu=place == "gpu",
        threads=controls.threads,
        threads_asked=controls.threads_asked,
    )
    start = None
    first = choices.start() if initializer == "auto" else initializer
    if first != "none":
        # What no one named starts on the CPU, in order: a start by many threads would drift.
        where = "cpu" if initializer == "auto" else place
        start = registry.find(first, initializer=True, backend=where)
    named = None
    if algorithm != "auto":
        named = registry.find(algorithm, initializer=False, backend=controls.backend)
    controls.check_options(start, named or registry.find(choices.default, initializer=False))
    explicit = controls.backend == "gpu" or "gpu" in (
        named.backend if named is not None else "",
        start.backend if start is not None and initializer != "auto" else "",
    )
    if explicit:
        controls.refuse_missing_gpu()
    try:
        return _search(pattern, problem, start, named, choices, controls, from_outside)
    except BackendUnavailableError as failure:
        if explicit:
            raise
        if str(failure) not in _said:
            _said.add(str(failure))
            warnings.warn(BackendWarning(f"{failure}; the cpu went on"), stacklevel=3)
    return search(
        pattern.on_host(),
        problem.on_host(),
        algorithm,
        initializer,
        controls.on_cpu(),
        from_outside,
    )


def _search(
    pattern: Pattern,
    problem: Problem | DeviceProblem,
    start: registry.Algorithm | None,
    named: registry.Algorithm | None,
    choices: Choices,
    controls: Controls,
    from_outside: bool,
) -> Transversal:
    clock = _Clock()
    counters: dict[str, int | list[int]] = {}
    full = min(pattern.m, pattern.n)
    if start is not None:
        problem = controls.place(start, problem, pattern)
        clock.stop("transfer")
        finisher = named or registry.find(choices.default, initializer=False)
        counted = controls.run(start, problem, in_order=finisher.backend == "gpu")
        counters.update({f"start_{k}": v for k, v in counted.items()})
    size = problem.size
    clock.stop("start")

    ran, why, view = None, "", problem
    if size == full:
        why = "the start left nothing to do"
    elif from_outside and find_cover(problem.on_host(), controls.threads):
        problem = view = problem.on_host()
        problem.proven = True  # what is maximum already is only checked, not moved about
        why = "the matching given is maximum already"
    elif controls.stopped_by is not None:
        why = f"the start was stopped by {controls.stopped_by}"
    else:
        ran, within = named, None
        if ran is None:
            rule = choices.algorithm(full - size)
            ran, within, why = (
                registry.find(rule.choice, initializer=False),
                rule.within,
                choices.why(),
            )
        problem = view = controls.place(ran, problem, pattern)
        clock.stop("transfer")
        if choices.from_rows():
            view = problem.transposed()
        counters.update(controls.run(ran, view, within))
        if controls.gave_up and isinstance(view, Problem):  # no rule limits a gpu
            counters["given_up_edges"] = counters.pop("edges", 0)
            ran = registry.find(choices.default, initializer=False)
            why += f"; given up after {within} readings, {ran.name} finished"
            view.take_back(keep_pairs=True)
            counters.update(controls.run(ran, view))
        size = problem.size
    clock.stop("search")

    device = None if isinstance(problem, Problem) else problem.device
    last = "none" if ran is None else ran.name
    proven = None if isinstance(problem, Problem) else _proven_on_device(problem, view)
    clock.stop("certificate")
    if proven is not None:
        row_match, col_match, row_cover, col_cover = proven
        size = problem.size
        if not isinstance(pattern, DevicePattern):
            here = problem.on_host()
            row_match, col_match = here.row_match, here.col_match
            row_cover, col_cover = row_cover.get(), col_cover.get()
        clock.stop("transfer")
    else:
        here = problem.on_host()
        view = view if isinstance(view, Problem) else here
        clock.stop("transfer")
        try:
            row_cover, col_cover = prove(here, view, size, controls.stopped_by, controls.threads)
        except DefectError as defect:
            names = [row.name for row in (start, ran) if row is not None]
            if names == [_SECOND] and not from_outside:
                raise  # the same again would go wrong again
            why = f"{' and '.join(names) or 'the start'} went wrong, {_SECOND} finished"
            warnings.warn(DefectWarning(f"{defect}; {why}"), stacklevel=4)
            last = _SECOND
            second = _finish(here, view, controls)
            counters.update({f"second_{k}": v for k, v in second.items()})
            size = here.size
            row_cover, col_cover = prove(here, view, size, controls.stopped_by, controls.threads)
        row_match, col_match = here.row_match, here.col_match
        clock.stop("certificate")
    maximum = row_cover is not None
    found = Transversal(
        shape=pattern.shape,
        row_match=row_match,
        col_match=col_match,
        maximum=maximum,
        rank_bounds=(size, size if maximum else rank_at_most(pattern.on_host())),
        verified=True,
        algorithm=last,
        initializer="none" if start is None else start.name,
        backend="cpu" if device is None else "gpu",
        device="cpu" if device is None else _name_of(device),
        choice=why,
        explain=choices.finished().explain,
        stopped_by=None if maximum else controls.stopped_by,
        counters=counters,
        seconds=clock.seconds(moved=device is not None),
        row_in_cover=row_cover,
        col_in_cover=col_cover,
    )
    return found if not isinstance(pattern, DevicePattern) else _beside(pattern, found)


def _proven_on_device(problem: DeviceProblem, view: Problem | DeviceProblem) -> list[Any] | None:
    """Matching and cover, of rows and columns each, on the device; None when the host has to judge.

    `view` is the problem as the search saw it: itself, or transposed.
    """
    from btfperm.transversal.certificate_gpu import prove_on_device

    covers = None if isinstance(view, Problem) else prove_on_device(view)
    if covers is None:
        return None
    return [problem.row_match, problem.col_match, *(covers if view is problem else covers[::-1])]


def _finish(problem: Problem, view: Problem, controls: Controls) -> dict[str, int | list[int]]:
    """The second algorithm, from the matching reached so far if it is one, else from nothing."""
    legal = is_legal(problem)
    view.take_back(keep_pairs=legal)
    return controls.run(registry.find(_SECOND, initializer=False), view)


def _name_of(device: int) -> str:
    from btfperm.backends.gpu.device import gpus

    return f"{gpus()[device].name} (device {device})"


def _beside(pattern: DevicePattern, found: Transversal) -> Transversal:
    """What was found, on the device of its matrix."""
    from btfperm.backends.gpu.arrays import device_of, upload
    from btfperm.backends.gpu.device import on

    on_host = isinstance(found.row_match, np.ndarray)
    if not on_host and device_of(found.row_match) == pattern.device:
        return found
    there = found.on_host()
    names = ["row_match", "col_match", *(["row_in_cover", "col_in_cover"] if found.maximum else [])]
    with on(pattern.device):
        return replace(found, **{name: upload(getattr(there, name)) for name in names})


class _Clock:
    """Seconds by stage; each stop ends one stage and begins the next."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self._stages = {"start": 0.0, "search": 0.0, "certificate": 0.0, "transfer": 0.0}

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self._stages[stage] += now - self._last
        self._last = now

    def seconds(self, *, moved: bool) -> dict[str, float]:
        """By stage; the transfers to and from a device only where there were any."""
        return {k: v for k, v in self._stages.items() if moved or k != "transfer"}
