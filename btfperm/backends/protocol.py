# SPDX-License-Identifier: BSD-3-Clause
"""What a backend is: the methods that `btfperm.path` calls, and the data that they exchange.

A *session* lasts for one call of the library and holds the matrix and its copies. A *problem* is
the pattern and the current matching on one backend; a package with values has its own class of
problems, which also hold the values. `path` uses the attributes of `Problem` below, and of a
problem on the host also `dropped` and `proven`; all other attributes belong to the backend.

Only a `DistributedPattern` itself also holds copies, which later calls use again: its compressed
rows, its local numbers and the whole matrix. The ranks must exchange messages to make them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from btfperm import backends

if TYPE_CHECKING:
    from btfperm.backends.cpu.problem import Problem as HostProblem
    from btfperm.path.request import Request
    from btfperm.pattern import Pattern
    from btfperm.registry import Algorithm

__all__ = [
    "EACH_RANKS",
    "FIRST_RANK",
    "STOPPED_BY",
    "Backend",
    "Delivered",
    "Outcome",
    "Problem",
    "Proof",
    "Session",
]

# `Outcome.stopped_by` for the number that the core returns, or that `Budget.stop` of a GPU has.
STOPPED_BY = {0: None, 2: "time_limit", 3: "max_work"}

# A device number with this value means that each MPI rank chooses a GPU of its machine.
EACH_RANKS = -1

# A key of `Session.copies`. Its value is the whole pattern on the first rank, and None on the other
# ranks.
FIRST_RANK = "first rank"


class Session:
    """One matrix during one call.

    Attributes
    ----------
    pattern : the matrix, on the host, on a device or over ranks
    keep_copies : whether later steps of this call can use copies on a device
    copies : copies of the pattern, and other data that backends keep for later steps. `on_host`
        uses the key ``"host"``; the backends define all other keys
    """

    __slots__ = ("copies", "keep_copies", "pattern")
    package = ""  # the package whose step ``problem`` makes the problems; "": without values

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.keep_copies = False
        self.copies: dict[Any, Any] = {}

    def continue_on_host(self) -> None:
        """After a failure of the device: replaces the matrix by its copy on the host. Later steps
        keep no copies on devices."""
        self.pattern = self.on_host()
        self.keep_copies = False
        self.copies.clear()

    def on_host(self) -> Pattern:
        """The pattern on the host; a pattern on a device is copied once."""
        if self.pattern.is_on_host:
            return self.pattern
        if "host" not in self.copies:
            self.copies["host"] = self.pattern.on_host()
        copy: Pattern = self.copies["host"]
        return copy

    def for_rules_of(self, backend: str) -> Pattern:
        """The pattern from which the features for the rules of a backend are computed. The rules
        for the CPU also need row indices, so they get the pattern on the host."""
        return self.on_host() if backend == "cpu" else self.pattern

    @property
    def is_on_first_rank(self) -> bool:
        """Whether the search of this call has gathered a distributed pattern on the first rank."""
        return FIRST_RANK in self.copies

    @property
    def has_host_copy(self) -> bool:
        """Whether a step of this call has copied a pattern to the host, from a GPU or from other
        ranks."""
        return "host" in self.copies

    def close(self) -> None:
        """Releases the copies."""
        self.copies.clear()


class ValuedSession(Session):
    """One matrix with values during one call.

    Attributes
    ----------
    package : the package whose step ``problem`` makes the problems of each backend
    values : what each entry contributes, beside the indices of the pattern
    form : the decomposition of the pattern, or None
    """

    __slots__ = ("form", "package", "values")

    def __init__(self, pattern: Pattern, package: str, values: Any, form: Any = None) -> None:
        super().__init__(pattern)
        self.package, self.values, self.form = package, values, form

    def continue_on_host(self) -> None:
        super().continue_on_host()
        if backends.is_on_device(self.values):
            self.values = self.values.get()


class Outcome(NamedTuple):
    """How an algorithm ended.

    Attributes
    ----------
    stopped_by : ``"time_limit"`` or ``"max_work"``; None when it finished or was abandoned
    abandoned : whether it exceeded the bound that a rule set
    counters : its counters, by name
    """

    stopped_by: str | None
    abandoned: bool
    counters: dict[str, int | list[int]]


# The first item is an array over the rows, the second an array over the columns. Without values,
# they mark the lines of a minimum cover by a byte of 1, and the third item is the size of the
# matching. With values, they are the dual variables, and the certificate of the package defines the
# other items. The arrays are None if a limit ended the search before the matching was maximum.
Proof = tuple[Any, ...]

# `row_match`, `col_match` and the arrays of a `Proof`, on the device of the caller's matrix.
Delivered = tuple[Any, Any, Any, Any]


class Problem(Protocol):
    """A pattern and its current matching on one backend. The problems of weighted searches need
    neither `size`, `transposed` nor `reset`. A problem on the host also has `run`, which calls an
    algorithm, and `on_device`, which makes the problem of a GPU (see the class `Problem` of
    ``cpu/problem.py``)."""

    row_match: Any
    col_match: Any
    found_by: Algorithm  # the algorithm that ran last

    @property
    def size(self) -> int:
        """Number of matched entries."""

    def transposed(self) -> Any:
        """The same problem with rows and columns exchanged; the matching arrays are shared."""

    def on_host(self) -> HostProblem:
        """The problem on the host, with the current matching."""

    def reset(self, *, keep_matching: bool) -> None:
        """Discards the proof, and the matching unless `keep_matching`."""


class Backend(Protocol):
    """A CPU, a GPU or a group of MPI ranks that can run algorithms.

    Attributes
    ----------
    name : the name by which callers request it, and under which the registry lists its algorithms
    is_distributed : whether each process holds only a part of the matrix
    is_on_host : whether its algorithms run on the threads of this process and improve the arrays of
        a problem in place, so that another thread may sample them
    is_replaceable : whether the CPU continues when the backend fails, or when a rule abandons its
        search, unless the caller requested the backend
    is_deterministic : whether each of its algorithms gives the same matching in each run on one
        thread. If it is False, only those algorithms do whose registry row states it
    starts_in_order : whether one thread of the CPU computes the initial matching for its searches,
        unless the caller set the number of threads
    """

    name: str
    is_distributed: bool
    is_on_host: bool
    is_replaceable: bool
    is_deterministic: bool
    starts_in_order: bool

    def check(self, device: int | None) -> None:
        """Raises BackendUnavailableError when the backend, or this device, cannot be used."""

    def empty(self, session: Session, threads: int) -> Any:
        """A problem in which nothing is matched."""

    def adopt(self, session: Session, problem: Any, device: int | None) -> Any:
        """The same problem on this backend, and on the given device if it is not None. Returns
        `problem` itself if it is already on this backend and device."""

    def run(
        self,
        row: Algorithm,
        problem: Any,
        request: Request,
        within: float | None,
        *,
        threads: int,
    ) -> Outcome:
        """Runs a row of the registry within the limits of the request; the matching of the problem
        is improved in place.

        `within` is the bound that a rule of ``auto`` sets, or None: in passes over the entries on
        the CPU, in polls on a GPU, see `Rule`. `threads` are for algorithms that use several
        threads of the CPU.
        """

    def prove(
        self,
        package: str,
        problem: Any,
        view: Any,
        *,
        stopped_by: str | None,
        threads: int,
        size: int | None,
    ) -> Proof | None:
        """Checks the matching by a minimum cover, or by duals. Returns None if the matching must be
        checked on the host. `view` is the problem that was searched: `problem` or its transpose.
        `size` is the number of matched entries if the caller knows it.

        Raises DefectError when the matching is wrong.
        """

    def deliver(self, session: Session, problem: Any, proof: Proof) -> Delivered:
        """The matching and its proof, on the device that holds the caller's matrix."""

    def uploaded(self, pattern: Any, arrays: Delivered) -> Delivered:
        """Copies arrays on the host to the device that holds the pattern. Over ranks, each rank
        takes the part of the arrays that it owns."""

    def decompose(self, session: Session, row_match: Any, col_match: Any, threads: int) -> Any:
        """The `Form` of the Dulmage-Mendelsohn decomposition by a maximum matching. Permutations
        and boundaries of fine blocks are on the device that holds the caller's matrix, the coarse
        boundaries on the host."""

    def decomposes_here(self, session: Session) -> str | None:
        """Why the matrix of a session, which this backend holds, must be decomposed on this
        backend; None if another one may decompose a copy."""

    def should_decompose(self, session: Session) -> tuple[bool, str]:
        """Whether this backend decomposes a matrix on the host sooner than the CPU, and why. Called
        only if the session may keep copies on devices."""

    def measure(self, feature: str, subject: Any) -> float:
        """The value of a feature (see `Features`): of a pattern, if `backends.MEASURED_BY` assigns
        the feature to this backend; or of a problem on this backend, for ``"depth"``."""

    def device_name(self, problem: Any) -> str:
        """A readable name of the device that holds a problem."""
