# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of a call except the matrix, validated once, with its limits of time and work."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

from btfperm.arguments import function, text, truth, whole_number
from btfperm.backends import check_backend
from btfperm.backends.protocol import EACH_RANKS
from btfperm.backends.threads import checked_threads
from btfperm.errors import InvalidArgumentError

if TYPE_CHECKING:
    from btfperm.path.watch import Watcher
    from btfperm.registry import Algorithm

__all__ = [
    "Request",
    "check_options",
    "is_limited_to_cpu",
    "refuse_one_process",
    "requested_backend",
]

_LONGEST = 1e9  # seconds; longer limits are reduced to this one, because clocks may overflow

NO_OPTIONS: Mapping[str, float | str] = MappingProxyType({})


class Request:
    """The arguments of one call, validated, and the time and work that its limits still allow.

    Attributes
    ----------
    algorithm, initializer, backend : names, or ``"auto"``
    device : number of the GPU that the caller named, `EACH_RANKS`, or None
    threads : the number that the caller set, or None; 1 if `deterministic`
    deterministic : whether the matching must be the same in each run and for each number of
        threads. The search then uses one thread, or a deterministic algorithm of another backend
    seed : for algorithms that use random numbers
    options : values of algorithm options, by name
    time_limit, max_work : the limits in seconds and in visited entries that the caller set, or None
    deadline : time on ``time.perf_counter`` at which the call must end, or None
    work : entries that may still be visited, at least 1; None without a limit
    watcher : called with the state of the search while it runs, or None
    """

    # The defaults are class attributes: a call on a small matrix takes less time if it sets only
    # the attributes for which the caller gave a value.
    algorithm = "auto"
    initializer = "auto"
    backend = "auto"
    device: int | None = None
    threads: int | None = None
    deterministic = False
    seed = 0
    options: Mapping[str, float | str] = NO_OPTIONS
    time_limit: float | None = None
    max_work: int | None = None
    deadline: float | None = None
    work: int | None = None
    watcher: Watcher | None = None

    def __init__(
        self,
        algorithm: str = "auto",
        initializer: str = "auto",
        backend: str = "auto",
        device: int | str | None = None,
        threads: int | None = None,
        seed: int | None = None,
        options: Mapping[str, float | str] | None = None,
        time_limit: float | None = None,
        max_work: int | None = None,
        deterministic: bool = False,
        watcher: Watcher | None = None,
    ) -> None:
        if not isinstance(algorithm, str) or algorithm != "auto":
            self.algorithm = text("algorithm", algorithm)
        if not isinstance(initializer, str) or initializer != "auto":
            self.initializer = text("initializer", initializer)
        if not isinstance(backend, str) or backend != "auto":
            check_backend(backend)
            self.backend = backend
        if isinstance(device, str) and device == "gpu":
            self.device = EACH_RANKS
            if backend not in ("auto", "mpi"):
                refuse_one_process()
        elif device is not None:
            self.backend = requested_backend(backend, device)
            self.device = whole_number("device", device, 0, 2**31 - 1)
            if backend == "cpu":
                raise InvalidArgumentError("device= names a GPU: leave it out with backend='cpu'")
        if threads is not None:
            self.threads = checked_threads(threads)
        if deterministic is not False and truth("deterministic", deterministic):
            self.deterministic = True
            self.threads = 1
        if watcher is not None:
            self.watcher = function("watcher", watcher)
        if seed is not None:
            self.seed = whole_number("seed", seed, 0, 2**64 - 1)
        if max_work is not None:
            self.work = self.max_work = whole_number("max_work", max_work, 1, 2**63 - 1)
        if options is not None:
            self.options = _values_by_name(options)
        if time_limit is not None:
            if not isinstance(time_limit, Real) or not time_limit > 0:
                raise InvalidArgumentError(
                    f"time_limit must be a positive number of seconds, not {time_limit!r}"
                )
            self.time_limit = float(min(time_limit, _LONGEST))
            self.deadline = time.perf_counter() + self.time_limit

    def on_cpu(self) -> Request:
        """The same call without a GPU, with the same deadline and the work that is left."""
        other = copy.copy(self)
        other.backend, other.device = "cpu", None
        return other

    def rest(self) -> Request:
        """A request for another search on the CPU, by the rules of ``auto`` and with default
        options, with the deadline of this call and the work that is left."""
        other = self.on_cpu()
        other.algorithm = other.initializer = "auto"
        other.options = NO_OPTIONS
        return other

    def seconds_left(self) -> float:
        """Seconds until the deadline, 1e-9 if it has passed; 0 if there is no deadline."""
        if self.deadline is None:
            return 0.0
        return max(self.deadline - time.perf_counter(), 1e-9)

    def options_of(self, row: Algorithm) -> Mapping[str, float | str]:
        """The values of all options of one algorithm, given or default."""
        return row.checked(self.options) if self.options else row.defaults

    def numbers_of(self, row: Algorithm) -> Mapping[str, float | str]:
        """The values of all options of one algorithm, in the form that the core takes."""
        return row.in_numbers(row.checked(self.options)) if self.options else row.default_numbers

    @property
    def is_limited_to_cpu(self) -> bool:
        """See the function of this name."""
        return is_limited_to_cpu(self.backend)

    def charge(self, counters: dict[str, int | list[int]]) -> None:
        """Deducts the entries that an algorithm visited from `work`, which remains at least 1."""
        if self.work is not None:
            edges = counters.get("edges", 0)
            assert isinstance(edges, int)
            self.work = max(self.work - edges, 1)


def is_limited_to_cpu(backend: str) -> bool:
    """Whether the caller limits a call to the CPU, so that its results are on the host."""
    return backend == "cpu"


def refuse_one_process() -> NoReturn:
    """Raises InvalidArgumentError about a call in one process with ``device="gpu"``."""
    raise InvalidArgumentError(
        "device='gpu' gives each of several MPI ranks a GPU: in one process, give the number of a "
        "GPU, or use backend='mpi'"
    )


def requested_backend(backend: str, device: int | str | None) -> str:
    """The backend that the caller requests: naming a device requests a GPU."""
    return "gpu" if backend == "auto" and device is not None else backend


def check_options(options: Mapping[str, float | str], *rows: Algorithm | None) -> None:
    """Raises InvalidArgumentError unless each option belongs to one of these algorithms, with a
    value that it accepts."""
    chosen = [row for row in rows if row is not None]
    for name in options:
        if not any(row.has_option(name) for row in chosen):
            known = [f"{o.name} of {row.name}" for row in chosen for o in row.options]
            raise InvalidArgumentError(
                f"no algorithm of this run has an option {name!r}; there are "
                f"{', '.join(known) or 'none'}"
            )
    for row in chosen:
        row.checked(options)


def _values_by_name(options: Mapping[str, float | str]) -> dict[str, float | str]:
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise InvalidArgumentError("options must map names to numbers, such as {'alpha': 5}")
    for name, value in options.items():
        if isinstance(value, str):  # the registry checks words
            continue
        if not isinstance(value, Real) or not 0 <= value <= 2**31 - 1:  # also refuses NaN
            raise InvalidArgumentError(
                f"the option {name} must be a number from 0 to {2**31 - 1}, not {value!r}"
            )
    return {
        name: value if isinstance(value, str) else float(value) for name, value in options.items()
    }
