# SPDX-License-Identifier: BSD-3-Clause
"""Start, search, certificate; a second algorithm where the certificate does not hold, and the cpu
where ``auto`` took a gpu that fails."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm import registry
from btfperm.errors import BackendUnavailableError, BackendWarning, DefectError, DefectWarning
from btfperm.pattern import DevicePattern, KeptPattern, Pattern
from btfperm.results import Transversal
from btfperm.results.read_only import made
from btfperm.transversal.auto import DEFAULT, Choices, Rule
from btfperm.transversal.certificate import find_cover, is_legal, prove, rank_at_most
from btfperm.transversal.limits import Controls
from btfperm.transversal.problem import Problem
from btfperm.warn import warn

if TYPE_CHECKING:
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["search"]

# Finishes what another algorithm has spoiled: serial, short, and with a bound on its time.
_SECOND = "hopcroft-karp"

_said: set[str] = set()  # why gpus did not work: each reason is told once a process


def search(
    pattern: Pattern,
    given: Problem | None,
    algorithm: str,
    initializer: str,
    controls: Controls,
) -> Transversal:
    """A transversal with its proof, or what a limit let it become; `given`: with a matching from
    outside, if there is one.

    Raises
    ------
    BackendUnavailableError : the gpu, or an algorithm that only it has, was asked for and fails
    InvalidArgumentError : no such algorithm, initializer or option
    DefectError : what was found does not stand its proof, at the second attempt either
    """
    named = None
    lives_on_gpu = isinstance(pattern, DevicePattern)
    if algorithm != "auto":
        named = registry.find(algorithm, initializer=False, backend=controls.backend)
        place = named.backend
    elif controls.backend != "auto" or lives_on_gpu:
        place = "cpu" if controls.backend == "cpu" else "gpu"
    else:
        free = initializer == "auto" and given is None and controls.places_freely
        place = "auto" if free else "cpu"
    looked_at = pattern.on_host() if place == "cpu" else pattern
    choices = Choices(looked_at, place, controls.threads, asked=controls.threads_asked)
    start, rule = None, None
    finisher = named
    if named is None and (choices.place == "gpu" or controls.options):
        finisher = registry.find(choices.default, initializer=False)
    if initializer == "auto" and given is None and named is not None and named.starts_itself:
        initializer = "none"
    if initializer == "auto":
        rule = choices.start(itself=finisher is not None and finisher.starts_itself)
        where = choices.place
    else:
        where = "gpu" if lives_on_gpu and controls.backend == "auto" else controls.backend
    first = initializer if rule is None else rule.choice
    if first != "none":
        start = registry.find(first, initializer=True, backend=where)
    if controls.options:
        controls.check_options(start, finisher)
    explicit = (
        controls.backend == "gpu"
        or (named is not None and named.backend == "gpu")
        or (rule is None and start is not None and start.backend == "gpu")
    )
    if explicit:
        controls.refuse_missing_gpu()
    try:
        run = _Run(pattern, given, choices, controls, stays=explicit)
        if start is not None:
            run.start(start, rule, in_order=choices.place == "gpu")
        run.search(named)
        return run.proven()
    except _GivenUpError as given_up:
        return _on_cpu(run, given_up)
    except BackendUnavailableError as failure:
        if explicit:
            raise
        if str(failure) not in _said:
            _said.add(str(failure))
            warn(BackendWarning(f"{failure}; the cpu went on"))
    return search(pattern.on_host(), given, algorithm, initializer, controls.on_cpu())


class _GivenUpError(Exception):
    """A search on a gpu, chosen by a rule, was not done within the looks that the rule gave it:
    where it takes so many levels, the cpu is sooner done from nothing."""


def _on_cpu(tried: _Run, given_up: _GivenUpError) -> Transversal:
    """The same search on the cpu, by the rules of there."""
    begin = time.perf_counter()
    choices = tried.choices
    choices.leave_gpu()
    run = _Run(tried.pattern.on_host(), tried.given, choices, tried.controls.on_cpu())
    lost = sum(tried.seconds.values()) + run.since - begin
    first = choices.start().choice
    if first != "none":
        run.start(registry.find(first, initializer=True, backend="cpu"))
    run.search(None)
    choices.said = f"{given_up}; then {choices.why()}"
    run.seconds["given_up"] = lost
    found = run.proven()
    return _beside(tried.pattern, found) if isinstance(tried.pattern, DevicePattern) else found


class _Run:
    """A problem on its way: where it is, what has run on it, and how long that took."""

    initializer: registry.Algorithm | None = None
    algorithm: registry.Algorithm | None = None
    size = 0  # pairs

    def __init__(
        self,
        pattern: Pattern,
        given: Problem | None,
        choices: Choices,
        controls: Controls,
        *,
        stays: bool = False,
    ) -> None:
        self.pattern = pattern
        self.given = given
        self.choices = choices
        self.controls = controls
        self.stays = stays  # on the gpu that was asked for, whatever a rule gives up
        self.problem = _empty(pattern, controls.threads) if given is None else given
        self.view = self.problem  # as the search sees it, perhaps transposed
        self.counters: dict[str, int | list[int]] = {}
        if given is not None:
            self.counters["initial_dropped"] = given.dropped
        self.seconds = {"start": 0.0, "search": 0.0, "certificate": 0.0}
        self.since = time.perf_counter()

    def start(
        self, row: registry.Algorithm, rule: Rule | None = None, *, in_order: bool = False
    ) -> None:
        """A first matching; `rule` is what chose it. One given up on a gpu is made on the cpu."""
        self.initializer = row
        self._place(row)
        within = None if rule is None or self.given is not None else rule.within
        counted = self.controls.run(row, self.problem, within, in_order=in_order)
        if self.controls.gave_up:
            self._stop("start")
            if not self.stays:
                raise _GivenUpError(f"{row.name} on a gpu given up after {within} looks")
            self.initializer = registry.find(row.name, initializer=True, backend="cpu")
            self._place(self.initializer)
            self.problem.on_host().take_back(keep_pairs=False)
            counted = self.controls.run(self.initializer, self.problem, in_order=in_order)
        self.counters.update({f"start_{k}": v for k, v in counted.items()})
        self._stop("start")

    def search(self, named: registry.Algorithm | None) -> None:
        """The maximum, by the algorithm named or the one that the rules say; nothing where there
        is nothing left to do, or a limit came."""
        if self.initializer is not None or self.given is not None:
            self.size = self.problem.size
        full = min(self.pattern.shape)
        if self.size == full:
            self.choices.said = "the start left nothing to do"
        elif self.given is not None and find_cover(self.problem.on_host(), self.controls.threads):
            self.problem = self.view = self.problem.on_host()
            self.problem.proven = True  # what is maximum already is only checked, not moved about
            self.choices.said = "the matching given is maximum already"
        elif self.controls.stopped_by is not None:
            self.choices.said = f"the start was stopped by {self.controls.stopped_by}"
        elif named is not None:
            self._improve(named)
        else:
            rule = self.choices.algorithm(full - self.size)
            self._improve(registry.find(rule.choice, initializer=False), rule.within)
        self._stop("search")

    def _improve(self, row: registry.Algorithm, within: float | None = None) -> None:
        self.algorithm = row
        self._place(row)
        if self.choices.from_rows():
            self.view = self.problem.transposed()
        if row.backend == "gpu" and self.stays:
            within = None
        self.counters.update(self.controls.run(row, self.view, within))
        if self.controls.gave_up and isinstance(self.view, Problem):
            self.counters["given_up_edges"] = self.counters.pop("edges", 0)
            self.algorithm = registry.find(DEFAULT, initializer=False)
            default = self.algorithm.name
            self.choices.said = (
                f"{self.choices.why()}; given up after {within} readings, {default} finished"
            )
            self.view.take_back(keep_pairs=True)
            self.counters.update(self.controls.run(self.algorithm, self.view))
        elif self.controls.gave_up:
            self._stop("search")
            raise _GivenUpError(f"{row.name} on a gpu given up after {within} looks")
        if not isinstance(self.problem, Problem):  # on the host, the certificate counts
            self.size = self.problem.size

    def proven(self) -> Transversal:
        """What has been reached, with its proof: from the device, where the search ended there."""
        here, covers = self.problem, None
        if not isinstance(here, Problem):
            here, covers = self._from_device(here)
        rows, cols = self._prove(here.on_host()) if covers is None else covers
        found = self._found(here, rows, cols)
        return _beside(self.pattern, found) if isinstance(self.pattern, DevicePattern) else found

    def _from_device(self, there: DeviceProblem) -> tuple[Problem | DeviceProblem, Any]:
        """The problem beside its pattern and its covers, which are None when the host has to judge;
        then it is there."""
        covers = _covers_on_device(there, self.view)
        self._stop("certificate")
        if covers is None:
            here = there.on_host()
        elif isinstance(self.pattern, DevicePattern):
            return there, covers
        else:
            here = there.on_host()
            covers = _brought(covers, here)
            if isinstance(self.pattern, KeptPattern):
                self.pattern.matched[there.device] = here.row_match, there
        self._stop("transfer")
        return here, covers

    def _prove(self, here: Problem) -> tuple[Any, Any]:
        """The cover, (None, None) after a limit; by a second algorithm where the first is wrong."""
        view = self.view if isinstance(self.view, Problem) else here
        controls = self.controls
        try:
            left_by_start = self.size if self.algorithm is None else None
            rows, cols, self.size = prove(
                here, view, controls.stopped_by, controls.threads, left_by_start
            )
        except DefectError as defect:
            names = [row.name for row in (self.initializer, self.algorithm) if row is not None]
            if names == [_SECOND] and self.given is None:
                raise  # the same again would go wrong again
            why = f"{' and '.join(names) or 'the start'} went wrong, {_SECOND} finished"
            self.choices.said = why
            warn(DefectWarning(f"{defect}; {why}"))
            self.algorithm = registry.find(_SECOND, initializer=False)
            view.take_back(keep_pairs=is_legal(here))  # if it is none, from nothing
            second = controls.run(self.algorithm, view)
            self.counters.update({f"second_{k}": v for k, v in second.items()})
            rows, cols, self.size = prove(here, view, controls.stopped_by, controls.threads)
        self._stop("certificate")
        return rows, cols

    def _found(
        self, matched: Problem | DeviceProblem, row_cover: Any, col_cover: Any
    ) -> Transversal:
        maximum, size = row_cover is not None, self.size
        most = size
        if not maximum:
            most = rank_at_most(self.pattern.on_host())
            self._stop("certificate")
        backend = device = "cpu"
        if not isinstance(self.problem, Problem):
            backend, device = "gpu", _name_of(self.problem.device)
            self.seconds.setdefault("transfer", 0.0)
        found = {
            "shape": self.pattern.shape,
            "row_match": matched.row_match,
            "col_match": matched.col_match,
            "maximum": maximum,
            "rank_bounds": (size, most),
            "verified": True,
            "algorithm": "none" if self.algorithm is None else self.algorithm.name,
            "initializer": "none" if self.initializer is None else self.initializer.name,
            "backend": backend,
            "device": device,
            "explain": self.choices.finished().explain,
            "stopped_by": None if maximum else self.controls.stopped_by,
            "counters": self.counters,
            "seconds": self.seconds,
            "row_in_cover": row_cover,
            "col_in_cover": col_cover,
        }
        return made(Transversal, found, {"choice": self.choices.why})

    def _place(self, row: registry.Algorithm) -> None:
        """The problem where the algorithm runs."""
        if row.backend == "cpu" and isinstance(self.problem, Problem):
            return
        placed = self.controls.place(row, self.problem, self.pattern)
        if placed is not self.problem:
            self.problem = self.view = placed
            self._stop("transfer")

    def _stop(self, stage: str) -> None:
        """What passed since the last stop belongs to this stage."""
        now = time.perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self.since
        self.since = now


def _empty(pattern: Pattern, threads: int) -> Problem | DeviceProblem:
    """With no pair matched yet, where the pattern lives."""
    if isinstance(pattern, DevicePattern):
        from btfperm.transversal.device_problem import DeviceProblem

        return DeviceProblem.empty(pattern)
    return Problem.empty(pattern, threads)


def _covers_on_device(problem: DeviceProblem, view: Problem | DeviceProblem) -> Any:
    """Cover of rows and of columns, on the device; None when the host has to judge.

    `view` is the problem as the search saw it: itself, or transposed.
    """
    from btfperm.transversal.certificate_gpu import prove_on_device

    covers = None if isinstance(view, Problem) else prove_on_device(view)
    if covers is None:
        return None
    return covers if view is problem else covers[::-1]


def _brought(covers: Any, here: Problem) -> tuple[Any, Any]:
    """Covers on a device, on the host."""
    from btfperm.backends.gpu.arrays import device_of, download
    from btfperm.backends.gpu.device import on

    with on(device_of(covers[0])):
        download(covers[0], here.row_in_cover)
        download(covers[1], here.col_in_cover)
    return here.row_in_cover, here.col_in_cover


def _name_of(device: int) -> str:
    from btfperm.backends.gpu.device import facts

    return f"{facts(device)[0]} (device {device})"


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
