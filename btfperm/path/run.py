# SPDX-License-Identifier: BSD-3-Clause
"""Carries out a plan: initializer, search, certificate (``prove.py``), and the actions after failed
steps, on which ``fallback.py`` decides. `Run` calls backends through
`backends.protocol.Backend`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from btfperm import backends, registry
from btfperm.backends.cpu.backend import CPU
from btfperm.backends.protocol import Backend, Delivered, Outcome, Proof, Session
from btfperm.errors import BackendUnavailableError, DefectError
from btfperm.path.failure import check_requested, warn_of_failed_backend
from btfperm.path.fallback import Action, Event, State, after
from btfperm.path.make_plan import make_plan, plan_on_cpu, plan_search, searches_from_rows
from btfperm.path.plan import Plan
from btfperm.path.prove import has_no_second, is_legal, prove, warn_of_defect
from btfperm.path.request import Request
from btfperm.path.result import result_of
from btfperm.path.rules import rules_of
from btfperm.path.watch import watched
from btfperm.results import Transversal

__all__ = ["Run", "carry_out", "match", "run_algorithm"]

Steps = list[Callable[[], Event | None]]


def match(
    session: Session, request: Request, given: Any = None, package: str = "transversal"
) -> Transversal:
    """A maximum transversal with its certificate or, if a limit ended the search, the transversal
    at that time. The arguments and the errors are those of `carry_out`."""
    return result_of(carry_out(session, request, package, given))


def carry_out(session: Session, request: Request, package: str, given: Any = None) -> Run:
    """Plans a call and runs its steps. The package makes the result from the returned run.

    `given` is a problem on the host with the caller's matching, or None.

    Raises
    ------
    BackendUnavailableError : the backend that the caller requested (`Plan.requested`) fails
    InvalidArgumentError : there is no such algorithm, initializer or option
    DefectError : the result fails its certificate, and the second search fails, too, or cannot run
    """
    plan = make_plan(session, request, package, has_initial=given is not None)
    run = Run(session, request, plan, given)
    steps = run.steps()
    while steps:
        try:
            event = steps[0]()
        except BackendUnavailableError as failure:
            run.failure, event = failure, Event.BACKEND_FAILED
        if event is None:
            del steps[0]
            continue
        action = after(event, run.state(event))
        if action is Action.RAISE:
            raise run.failure
        steps = run.apply(action, steps)
    return run


def run_algorithm(
    row: registry.Algorithm,
    problem: Any,
    request: Request,
    within: float | None = None,
    *,
    threads: int = 0,
) -> Outcome:
    """Runs one algorithm on a problem of its backend. The algorithm has the limits that remain of
    the request. Afterwards, its work is deducted from the limit of the request. `Backend.run`
    explains `within`. If `threads` is 0, it uses the threads of the request, or one."""
    threads = threads or request.threads or 1
    outcome = backends.get(row.backend).run(row, problem, request, within, threads=threads)
    if request.work is not None:
        request.charge(outcome.counters)
    return outcome


class Run:
    """The state of one call between its steps."""

    failure: BackendUnavailableError | DefectError
    restarted: str | None = None  # a note, if a rule's bound restarted the call on the CPU
    initializer: registry.Algorithm | None = None  # the initializer that ran
    algorithm: registry.Algorithm | None = None  # the search that ran last
    repaired = False  # whether the second algorithm ran after a failed certificate
    stopped_by: str | None = None
    size = 0  # matched entries
    proof: Proof | None = None
    arrays: Delivered | None = None
    step = "start"
    ran_on = ""  # the backend that ran the last step before the certificate
    device = ""  # the name of its device
    backend: Backend = CPU
    problem: Any = None  # set by the first step, which may fail
    view: Any = None  # the problem that is searched: the matrix or its transpose

    def __init__(self, session: Session, request: Request, plan: Plan, given: Any) -> None:
        self.session = session
        self.request = request
        self.plan = plan
        self.given = given
        self.counters: dict[str, int | list[int]] = {}
        if given is not None:
            self.counters["initial_dropped"] = given.dropped
        self.seconds = {"start": 0.0, "search": 0.0, "certificate": 0.0}
        self.begun = self.since = time.perf_counter()

    def _again(self, request: Request, plan: Plan) -> None:
        """Resets the state for another run of the whole call on the CPU."""
        session, given = self.session, self.given
        vars(self).clear()
        self.__init__(session, request, plan, given)  # type: ignore[misc]

    def steps(self) -> Steps:
        """All steps of a run, in order."""
        steps: Steps = [self.start, self.search, self.prove, self.deliver]
        return [self.check, *steps] if self.plan.requested else steps

    # -- steps: each returns the event that ended it early, or None ----------------------------

    def check(self) -> None:
        """Tests whether the requested backends work, before anything runs."""
        self.step = "check"
        check_requested(self.plan, self.request)

    def start(self) -> Event | None:
        """Finds the initial matching."""
        self.step = "start"
        if self.problem is None:
            self._begin()
        row = self.plan.initializer
        if row is None:
            return None
        self.initializer = row
        plan = self.plan
        outcome = self._run(row, plan.initializer_within, threads=plan.initializer_threads)
        self.stop("start")
        if outcome.abandoned:
            return Event.ABANDONED
        self.counters.update({f"start_{k}": v for k, v in outcome.counters.items()})
        return None

    def search(self) -> Event | None:
        """Extends the initial matching to a maximum one. No algorithm runs if the matching has full
        size, if the caller's matching is maximum, or if a limit was reached."""
        self.step = "search"
        plan = self.plan
        if not plan.has_start:
            self.stop("start")
            return self._improve()
        if self.initializer is not None or self.given is not None:
            self.size = self.problem.size
        full = min(plan.shape)
        if self.size == full:
            plan.note = "the start left nothing to do"
        elif self.given is not None and self._given_is_maximum():
            plan.note = "the matching given is maximum already"
        elif self.stopped_by is not None:
            plan.note = f"the start was stopped by {self.stopped_by}"
        else:
            measures = None if plan.among == "algorithm" else {"depth": self._depth}
            plan_search(plan, self.session, full - self.size, measures)
            return self._improve()
        self.stop("search")
        return None

    def prove(self) -> Event | None:
        """Checks the certificate of the matching."""
        self.step = "prove"
        return prove(self)

    def deliver(self) -> Event | None:
        """Copies matching and cover to the device that holds the caller's matrix."""
        self.step = "deliver"
        assert self.proof is not None
        self.arrays = self.backend.deliver(self.session, self.problem, self.proof)
        if not (backends.get(self.ran_on).is_on_host and self.session.pattern.is_on_host):
            self.stop("transfer")
        return None

    # -- actions -------------------------------------------------------------------------------

    def state(self, event: Event) -> State:
        """The state from which `after` chooses an action."""
        away = not self.session.pattern.is_on_host
        now = self.step, self.backend.name, self.plan.requested, away
        if event is not Event.WRONG:
            return State(*now, last_resort=self.request.is_limited_to_cpu)
        if has_no_second(self):
            return State(*now, second=True)
        return State(*now, legal=is_legal(self))

    def apply(self, action: Action, steps: Steps) -> Steps:
        """Carries out an action and returns the remaining steps."""
        if action is Action.START_ON_CPU:
            assert self.initializer is not None
            self.plan.initializer = registry.find(
                self.initializer.name, initializer=True, backend=CPU.name, package=self.plan.package
            )
            self.plan.initializer_within = None
            self._move(CPU.name)
            self.problem.reset(keep_matching=False)
            return steps
        if action is Action.CONTINUE_WITH_DEFAULT:
            return [self._continue_with_default, *steps[1:]]
        if action is Action.PROVE_ON_CPU:
            self._move(CPU.name)
            self.stop("transfer")
            return steps
        if action in (Action.SECOND_FROM_MATCHING, Action.SECOND_FROM_EMPTY):
            warn_of_defect(self, keep_matching=action is Action.SECOND_FROM_MATCHING)
            return [self._repair, *steps]
        assert action in (Action.RESTART_ON_CPU, Action.WARN_AND_RESTART_ON_CPU)
        lost = sum(self.seconds.values()) + time.perf_counter() - self.since
        request = self.request.on_cpu()
        if action is Action.RESTART_ON_CPU:
            restarted = self._abandoned()
            plan_on_cpu(self.plan, self.session)
            self._again(request, self.plan)
            self.restarted = restarted
            self.seconds["given_up"] = lost
        else:
            assert isinstance(self.failure, BackendUnavailableError)
            warn_of_failed_backend(self.failure)
            self.session.continue_on_host()
            has_initial, package = self.given is not None, self.plan.package
            plan = make_plan(self.session, request, package, has_initial=has_initial)
            self._again(request, plan)
        return self.steps()

    def _continue_with_default(self) -> None:
        self.counters["given_up_edges"] = self.counters.pop("edges", 0)
        self.algorithm = row = self._named(self.rules.DEFAULT)
        self.plan.note = (
            f"{self.plan.why()}; abandoned after {self.plan.within} passes, {row.name} continued"
        )
        self.view.reset(keep_matching=True)
        self.counters.update(self._run(row).counters)
        self.stop("search")

    def _repair(self) -> None:
        self.repaired = True
        self.algorithm = row = self._named(self.rules.SECOND)
        outcome = self._run(row)
        self.stopped_by = outcome.stopped_by
        self.counters.update({f"second_{k}": v for k, v in outcome.counters.items()})

    # -- parts ---------------------------------------------------------------------------------

    @property
    def rules(self) -> Any:
        """The module with the rules of the package."""
        return rules_of(self.plan.package)

    def _named(self, name: str) -> registry.Algorithm:
        return registry.find(name, initializer=False, package=self.plan.package)

    def _depth(self) -> float:
        """The feature `depth` of the problem that is searched, the matrix or its transpose."""
        self._take_side(self.plan.backend)
        return self.backend.measure("depth", self.view)

    def _begin(self) -> None:
        """Makes the problem on the backend that `_home` names, or uses the caller's problem."""
        home = CPU.name if self.given is not None else self._home()
        self.backend = backends.get(home)
        self.problem = self.given
        if self.problem is None:
            self.problem = self.backend.empty(self.session, self.plan.threads)
        self.view = self.problem

    def _home(self) -> str:
        """The backend that holds the matrix if a step runs there, or else the CPU."""
        plan, home = self.plan, self.session.pattern.backend
        rows = (plan.initializer, plan.algorithm)
        if home == plan.backend or any(row is not None and row.backend == home for row in rows):
            return home
        return CPU.name

    def _improve(self) -> Event | None:
        row = self.plan.algorithm
        assert row is not None
        self.algorithm = row
        self._take_side(row.backend)
        outcome = self._run(row, self.plan.within)
        self.counters.update(outcome.counters)
        self.stop("search")
        return Event.ABANDONED if outcome.abandoned else None

    def _take_side(self, backend: str) -> None:
        """Moves the problem to the backend of the search; transposes it if the search starts from
        the rows."""
        self._move(backend)
        is_square = self.plan.shape[0] == self.plan.shape[1]
        if is_square or self.view is not self.problem or not self.plan.has_start:
            return
        if searches_from_rows(self.plan, self.session):
            self.view = self.problem.transposed()

    def _run(
        self, row: registry.Algorithm, within: float | None = None, *, threads: int = 0
    ) -> Outcome:
        """Runs one algorithm on the current view of the problem, on the threads of the plan unless
        `threads` is set."""
        self._move(row.backend)
        plan, threads = self.plan, threads or self.plan.threads
        if not self.plan.has_start:
            self.view.found_by = row
        watcher = self.request.watcher
        if watcher is None:
            outcome = run_algorithm(row, self.view, self.request, within, threads=threads)
        else:
            with watched(watcher, self.step, row, self.view) as count:
                outcome = run_algorithm(row, self.view, self.request, within, threads=threads)
                edges = outcome.counters.get("edges", 0)
                assert isinstance(edges, int)
                count(edges)
        if plan.threads_refused and row.parallel and self.backend.is_on_host:
            self.counters["threads"] = plan.threads
        self.stopped_by = outcome.stopped_by
        return outcome

    def _move(self, name: str) -> None:
        """Moves the problem with its current matching to the backend of that name."""
        backend = self.backend
        # The host is one place; another backend may have several devices.
        if backend.is_on_host and backend.name == name:
            return
        self.backend = backends.get(name)
        try:
            moved = self.backend.adopt(self.session, self.problem, self.request.device)
        except BackendUnavailableError:
            self.backend = backend
            raise
        if moved is not self.problem:
            self.problem = self.view = moved
            self.stop("transfer")

    def _given_is_maximum(self) -> bool:
        """Whether the caller's matching, without pairs that are no entries, is maximum. Then the
        problem moves to the CPU with its certificate, and no search runs."""
        host = self.problem.on_host()
        if not registry.step(self.plan.package, "cover", CPU.name)(host, self.plan.threads):
            return False
        self._move(CPU.name)
        host.proven = True
        return True

    def _abandoned(self) -> str:
        """A note about the algorithm that a rule abandoned."""
        plan = self.plan
        row, within = self.algorithm, plan.within
        if self.step == "start":
            row, within = self.initializer, plan.initializer_within
        assert row is not None
        return f"{row.name} on a {self.backend.name} abandoned after {within} polls"

    def stop(self, stage: str) -> None:
        """Adds the time since the last stop to this stage."""
        now = time.perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self.since
        self.since = now
