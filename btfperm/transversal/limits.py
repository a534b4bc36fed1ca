# SPDX-License-Identifier: BSD-3-Clause
"""What a run is given beside the matrix: limits, place, threads, seed and options, checked at the
door."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Mapping
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING

from btfperm import _core, registry
from btfperm.arguments import text, whole_number
from btfperm.backends.threads import checked_threads, is_forked, start_threads
from btfperm.errors import BackendUnavailableError, InvalidArgumentError
from btfperm.pattern import Pattern
from btfperm.transversal.auto import choose_threads
from btfperm.transversal.problem import Problem

if TYPE_CHECKING:
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["Controls", "asked_backend", "check_backend"]

_STOPS = {0: None, 2: "time_limit", 3: "max_work"}

# Entries: a search on a gpu that reads so many between two looks, or half of all, comes on.
_MUCH = 1 << 27

_LONGEST = 1e9  # seconds; more is as good as no limit, and clocks cannot count it


class Controls:
    """What a run may spend and how it is to run; counts down what is left of time and work."""

    # Where nobody asks for anything else, which mostly is so.
    backend = "auto"
    threads = 1
    threads_asked = False
    stopped_by: str | None = None
    gave_up = False  # the last algorithm was not done within what its rule gave it
    _too_few_threads = False
    _device: int | None = None
    _seed = 0
    _work: int | None = None
    _ends: float | None = None  # of the clock
    options: Mapping[str, float | str] = MappingProxyType({})

    def __init__(
        self,
        nnz: int,
        time_limit: float | None = None,
        max_work: int | None = None,
        threads: int | None = None,
        seed: int | None = None,
        options: Mapping[str, float | str] | None = None,
        backend: str = "auto",
        device: int | None = None,
    ) -> None:
        if not isinstance(backend, str) or backend != "auto":
            check_backend(backend)
            self.backend = backend
        if device is not None:
            self.backend = asked_backend(backend, device)
            self._device = whole_number("device", device, 0, 2**31 - 1)
            if backend == "cpu":
                raise InvalidArgumentError("device= names a GPU: leave it out with backend='cpu'")
        if threads is not None:
            threads = checked_threads(threads)
            self.threads_asked = True
        wanted = choose_threads(nnz, threads)
        if wanted > 1:
            wanted = _core.threads_for_search(nnz, wanted)
            self.threads = start_threads(wanted)
            self._too_few_threads = self.threads < wanted
        if seed is not None:
            self._seed = whole_number("seed", seed, 0, 2**64 - 1)
        if max_work is not None:
            self._work = whole_number("max_work", max_work, 1, 2**63 - 1)
        if options is not None:
            self.options = _values_by_name(options)
        if time_limit is not None:
            if not isinstance(time_limit, Real) or not time_limit > 0:
                raise InvalidArgumentError(
                    f"time_limit must be a positive number of seconds, not {time_limit!r}"
                )
            self._ends = time.perf_counter() + float(min(time_limit, _LONGEST))

    def check_options(self, *rows: registry.Algorithm | None) -> None:
        """Each option must be one that an algorithm of this run has, with a value it can have."""
        chosen = [row for row in rows if row is not None]
        for name in self.options:
            if not any(row.has_option(name) for row in chosen):
                known = [f"{o.name} of {row.name}" for row in chosen for o in row.options]
                raise InvalidArgumentError(
                    f"no algorithm of this run has an option {name!r}; there are "
                    f"{', '.join(known) or 'none'}"
                )
        for row in chosen:
            row.checked(self.options)

    def rest(self) -> Controls:
        """For another search on the cpu, with the default options, within what this one has
        left."""
        other = self.on_cpu()
        other.options = {}
        other.stopped_by = None
        return other

    def on_cpu(self) -> Controls:
        """The same without a gpu, with what is left of the limits."""
        other = copy.copy(self)
        other.backend, other._device = "cpu", None
        return other

    @property
    def places_freely(self) -> bool:
        """Whether it is left to the rules where to search: nothing says so, no option either."""
        return self.backend == "auto" and not self.options and not is_forked()

    def refuse_missing_gpu(self) -> None:
        """Raises BackendUnavailableError when the GPU that was asked for cannot be used."""
        from btfperm.backends.gpu.device import refuse_missing

        refuse_missing(self._device)

    def place(
        self, row: registry.Algorithm, problem: Problem | DeviceProblem, pattern: Pattern
    ) -> Problem | DeviceProblem:
        """The problem where the algorithm runs."""
        if row.backend == "gpu":
            return problem.on_device(pattern, self._device)
        return problem.on_host()

    def run(
        self,
        row: registry.Algorithm,
        problem: Problem | DeviceProblem,
        within: float | None = None,
        *,
        in_order: bool = False,
    ) -> dict[str, int | list[int]]:
        """Run one algorithm within the limits, and within `within` passes over the entries, or
        polls of the host on a GPU; return its counters.

        `in_order`: on one thread unless the caller asked for more. An initial matching by many
        threads is nearly as large, but on a mesh its unmatched rows and columns lie far apart,
        which makes a search level by level (apfb-wr) many times slower.
        """
        seconds = 0.0 if self._ends is None else max(self._ends - time.perf_counter(), 1e-9)
        work = self._work or 0
        options = row.checked(self.options) if self.options else {}
        counters: dict[str, int | list[int]]
        if isinstance(problem, Problem):
            most = work
            if within is not None:
                own = math.ceil(within * problem.indices.size)
                most = own if own > 0 and (work == 0 or own < work) else work
            stop, problem.proven, counters = row.load()(
                problem.m,
                problem.indptr,
                problem.indices,
                problem.row_match,
                problem.col_match,
                problem.row_in_cover,
                seconds,
                most,
                self.threads if row.parallel and (self.threads_asked or not in_order) else 1,
                self._seed,
                options,
            )
            self.gave_up = most != work and _STOPS[stop] == "max_work"
        else:
            from btfperm.backends.gpu.budget import LOOKED, Budget

            looks = 0 if within is None else math.ceil(within)
            budget = Budget(seconds, work, looks, min(problem.nnz // 2, _MUCH))
            counters = problem.run(row.load(), budget, self._seed, options)
            stop, self.gave_up = budget.stop, budget.stop == LOOKED
        if self._too_few_threads and row.parallel and row.backend == "cpu":
            counters["threads"] = self.threads
        if self._work is not None:
            edges = counters.get("edges", 0)
            assert isinstance(edges, int)
            self._work = max(self._work - edges, 1)
        self.stopped_by = None if self.gave_up else _STOPS[stop]
        return counters


def check_backend(backend: str) -> None:
    """Raises unless the backend exists; whether a GPU works here, its first use shows."""
    if text("backend", backend) in ("auto", "cpu", "gpu"):
        return
    if backend == "mpi":
        raise BackendUnavailableError(
            "this version of btfperm has no mpi backend; use backend='cpu' or 'auto'"
        )
    raise InvalidArgumentError(f"unknown backend {backend!r}; there are auto, cpu, gpu")


def asked_backend(backend: str, device: int | None) -> str:
    """The backend that was asked for: who names a device asks for a GPU."""
    return "gpu" if backend == "auto" and device is not None else backend


def _values_by_name(options: Mapping[str, float | str]) -> dict[str, float | str]:
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise InvalidArgumentError("options must map names to numbers, such as {'alpha': 5}")
    for name, value in options.items():
        if isinstance(value, str):  # a word, if the option has any
            continue
        if not isinstance(value, Real) or not 0 <= value <= 2**31 - 1:  # not a number: neither
            raise InvalidArgumentError(
                f"the option {name} must be a number from 0 to {2**31 - 1}, not {value!r}"
            )
    return {
        name: value if isinstance(value, str) else float(value) for name, value in options.items()
    }
