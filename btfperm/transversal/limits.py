# SPDX-License-Identifier: BSD-3-Clause
"""What a run is given beside the matrix: limits, threads, seed and options, checked at the door."""

from __future__ import annotations

import copy
import operator
import time
from collections.abc import Mapping
from numbers import Real
from typing import Any

from btfperm import registry
from btfperm.errors import BackendUnavailableError, InvalidArgumentError
from btfperm.transversal.auto import choose_threads
from btfperm.transversal.problem import Problem

__all__ = ["MOST_THREADS", "Controls", "check_backend"]

_STOPS = {0: None, 2: "time_limit", 3: "max_work"}

_LONGEST = 1e9  # seconds; more is as good as no limit, and clocks cannot count it
MOST_THREADS = 1024  # OpenMP ends the process where it gets no more


class Controls:
    """What a run may spend and how it is to run; counts down what is left of time and work."""

    def __init__(
        self,
        nnz: int,
        time_limit: float | None = None,
        max_work: int | None = None,
        threads: int | None = None,
        seed: int | None = None,
        options: Mapping[str, float] | None = None,
    ) -> None:
        if threads is not None:
            threads = _whole_number("threads", threads, 1, MOST_THREADS)
        self.threads = choose_threads(nnz, threads)
        self._seed = 0 if seed is None else _whole_number("seed", seed, 0, 2**64 - 1)
        self._work = None if max_work is None else _whole_number("max_work", max_work, 1, 2**63 - 1)
        self._options = {} if options is None else _numbers_by_name(options)
        self._ends = None
        if time_limit is not None:
            if not isinstance(time_limit, Real) or not time_limit > 0:
                raise InvalidArgumentError(
                    f"time_limit must be a positive number of seconds, not {time_limit!r}"
                )
            self._ends = time.perf_counter() + float(min(time_limit, _LONGEST))
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

    def rest(self) -> Controls:
        """For another search, with the default options, within what this one has left."""
        other = copy.copy(self)
        other._options = {}
        other.stopped_by = None
        return other

    def run(self, row: registry.Algorithm, problem: Problem) -> dict[str, int]:
        """Runs one algorithm within the limits; its counters."""
        seconds = 0.0
        if self._ends is not None:
            seconds = max(self._ends - time.perf_counter(), 1e-9)
        stop, problem.proven, counters = row.load()(
            *problem.matched,
            problem.row_in_cover,
            seconds,
            self._work or 0,
            self.threads if row.parallel else 1,
            self._seed,
            row.checked(self._options),
        )
        if self._work is not None:
            self._work = max(self._work - counters.get("edges", 0), 1)
        self.stopped_by = _STOPS[stop]
        return counters


def check_backend(backend: str) -> None:
    """Raises unless the backend exists."""
    if backend in ("gpu", "mpi"):
        raise BackendUnavailableError(
            f"this version of btfperm has no {backend} backend; use backend='cpu' or 'auto'"
        )
    if backend not in ("auto", "cpu"):
        raise InvalidArgumentError(f"unknown backend {backend!r}; there are auto, cpu")


def _whole_number(name: str, value: Any, least: int, most: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidArgumentError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise InvalidArgumentError(f"{name} must be a whole number from {least} to {most}")
    return number


def _numbers_by_name(options: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise InvalidArgumentError("options must map names to numbers, such as {'alpha': 5}")
    for name, value in options.items():
        if not isinstance(value, Real) or not 0 <= value <= 2**31 - 1:  # not a number: neither
            raise InvalidArgumentError(
                f"the option {name} must be a number from 0 to {2**31 - 1}, not {value!r}"
            )
    return {name: float(value) for name, value in options.items()}
