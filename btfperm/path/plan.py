# SPDX-License-Identifier: BSD-3-Clause
"""The plan of one call. It is plain data and states which algorithms run, where, on how many
threads, within which bounds and limits, and why. ``make_plan.py`` makes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from btfperm import backends, registry
from btfperm.path.rules import Rule, number, rules_of
from btfperm.pattern.features import Features, size

if TYPE_CHECKING:
    from btfperm.path.request import Request
    from btfperm.pattern import Pattern

__all__ = ["PUBLISHED", "Plan"]

PUBLISHED = "published"  # with algorithm="published", rules choose among published algorithms only


class Plan:
    """The plan of one call.

    Attributes
    ----------
    package : the package whose algorithms and rules are used, see `Algorithm.rules`
    shape, nnz : of the matrix
    backend : the backend that runs the search
    initializer, algorithm : rows of the registry, or None if none runs. The algorithm is also None
        until the deficiency of the initial matching is known
    initializer_within, within : the bounds that the rules set on them, see `Rule`; None: no bound
    threads : number of threads of the steps on the CPU: the caller's number, or that of the rules,
        but at most the number that the system starts
    threads_refused : whether the system refused to start more threads
    initializer_threads : number of threads of the initializer, see `Backend.starts_in_order`
    time_limit, max_work : the limits of the caller, in seconds and in visited entries; None: none
    requested : whether a failure on the backend of the search is an error. Then no rule abandons
        the search either. It is true in three cases: the matrix is over MPI ranks; a weighted
        search runs on the device that holds the matrix; or the caller requested a GPU. The caller
        requests a GPU by its name, by an algorithm that only the GPU has, by an initializer that
        the plan runs on it, or by `deterministic` for a search on it
    named : whether no rule chooses the algorithm, because the caller named it, or because it is the
        deterministic algorithm of the backend
    among : the decision that chooses the algorithm: ``"algorithm"``, or ``"published"`` if the
        caller wants the best of the published ones
    ruled : the decisions that depend on the number of entries alone, see `Table`
    has_start : whether the search may have an initial matching; a weighted search has none
    deficiency : the smaller of the numbers of rows and columns, minus the size of the initial
        matching; None until it is known
    decisions : the rule applied to each decision
    features : the known features of the matrix and of the machine
    note : a sentence on the algorithm, empty if the caller named it; None if a rule explains it
    """

    # The defaults are class attributes: the plan of a small matrix must take less time than the
    # search.
    backend = "cpu"
    initializer: registry.Algorithm | None = None
    initializer_within: float | None = None
    within: float | None = None
    threads = 1
    threads_refused = False
    initializer_threads = 1
    time_limit: float | None = None
    max_work: int | None = None
    requested = False
    named = False
    deficiency: int | None = None
    note: str | None = ""
    among = "algorithm"

    def __init__(self, package: str, pattern: Pattern, request: Request) -> None:
        self.package = package
        self.ruled = rules_of(package).TABLE.ruled(pattern.nnz)
        self.has_start = "start" in self.ruled.left_open
        self.shape = pattern.shape
        self.nnz = pattern.nnz
        self.algorithm: registry.Algorithm | None = None
        self.decisions: dict[str, Rule] = {}
        self.features: dict[str, float] = {}
        if request.time_limit is not None or request.max_work is not None:
            self.time_limit, self.max_work = request.time_limit, request.max_work
        if request.algorithm == PUBLISHED:
            self.among = PUBLISHED

    def __repr__(self) -> str:
        rows = (self.initializer, self.algorithm)[not self.has_start :]
        steps = ", then ".join("none" if row is None else row.name for row in rows)
        threads = f"{self.threads} thread{'s' if self.threads > 1 else ''}"
        return f"<Plan: {steps}, on {self.backend}, {threads}>"

    @property
    def decision(self) -> str:
        """The decision that chooses the algorithm on the backend of the plan. If a backend has
        rules of its own for all algorithms but none for published ones, all its searches are
        published, so the former rules are used for both."""
        if self.backend in self.ruled.backends:
            for what in (self.among, "algorithm"):
                own = self.own(what)
                if own != what:
                    return own
        return self.among

    def own(self, what: str) -> str:
        """The name of the decision `what` in the table of rules. If the backend has rules of its
        own for it, this is, for example, ``"start on gpu"`` for ``"start"``."""
        if self.backend not in self.ruled.backends:
            return what
        own = f"{what} on {self.backend}"
        return own if own in rules_of(self.package).TABLE else what

    def default(self) -> registry.Algorithm:
        """The algorithm that is chosen if no rule with a condition applies."""
        name = rules_of(self.package).TABLE[self.decision][-1].choice
        return registry.find(name, initializer=False, backend=self.backend, package=self.package)

    def why(self) -> str:
        """One sentence that explains the algorithm."""
        if self.note is not None:
            return self.note
        decisions = self.decisions
        taken = decisions[self.decision]
        if self.deficiency is None:
            return f"{taken.name}: {taken.because}"
        start = decisions.get(self.own("start"))
        if self.initializer is None if start is None else start.choice == "none":
            short = "no start"
        else:
            pairs = "1 pair" if self.deficiency == 1 else f"{self.deficiency:,} pairs"
            short = f"the start was {pairs} short of full rank"
        side = decisions.get("side")
        wide = side is not None and side.choice == "rows" and self.shape[0] != self.shape[1]
        from_rows = "; wide, so searched from the rows" if wide else ""
        return f"{short}; {taken.name}: {taken.because}{from_rows}"

    def explain(self) -> dict[str, Any]:
        """The plan as a dict for programs. ``"plan"`` has its parts. ``"decisions"`` has, for each
        decision, the rule that was applied and the rules before it, each with the condition that
        did not hold; a choice of the caller is not a decision. ``"features"`` has the features;
        a feature that was not measured is None."""
        known = self.known()
        return {
            "plan": self.parts(),
            "decisions": {
                what: {
                    "choice": rule.choice,
                    "rule": rule.name,
                    "because": rule.because,
                    "passed_over": list(self._passed_over(what, rule, known)),
                }
                for what, rule in self.decisions.items()
            },
            "features": {name: known.get(name) for name in Features._fields},
        }

    def parts(self) -> dict[str, Any]:
        """Backend, algorithms, threads, bounds and limits by name, and the reason."""
        initializer, algorithm = self.initializer, self.algorithm
        return {
            "backend": self.backend,
            "initializer": None if initializer is None else initializer.name,
            "algorithm": None if algorithm is None else algorithm.name,
            "threads": self.threads,
            "initializer_threads": self.initializer_threads,
            "uses_threads": self.uses_threads(),
            "initializer_within": self.initializer_within,
            "within": self.within,
            "time_limit": self.time_limit,
            "max_work": self.max_work,
            "reason": self.why(),
        }

    def uses_threads(self) -> bool:
        """Whether a step that is chosen already runs on the CPU of one process."""
        rows = [row for row in (self.initializer, self.algorithm) if row is not None]
        names = [row.backend for row in rows] or [self.backend]
        return any(backends.get(name).is_on_host for name in names)

    def known(self) -> dict[str, float]:
        """The features that rules used, and the features that follow from the fields of the
        plan."""
        known = self.features | size(self.shape, self.nnz)
        return known if self.deficiency is None else known | self.missing()

    def missing(self) -> dict[str, float]:
        """The features `missing`, the deficiency, and `free`, its share of the smaller of the
        numbers of rows and columns. The deficiency must be known."""
        assert self.deficiency is not None
        share = self.deficiency / (min(self.shape) or 1)
        return {"missing": self.deficiency, "free": share}

    def _passed_over(
        self, what: str, taken: Rule, known: dict[str, float]
    ) -> Iterator[dict[str, str]]:
        rules = rules_of(self.package).TABLE[what]
        for rule in rules[: rules.index(taken)]:
            measured = [c for c in rule.when if c.feature in known]
            failed = next(c for c in measured if not c.holds(known[c.feature]))
            yield {
                "rule": rule.name,
                "choice": rule.choice,
                "fails": f"{failed}, it is {number(known[failed.feature])}",
            }
