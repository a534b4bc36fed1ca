# SPDX-License-Identifier: BSD-3-Clause
"""The plan of one call: which algorithms run, where, within which bounds, and why.

`make_plan` applies the rules of the package to cheap features of the matrix. The algorithm that
follows the initial matching may depend on its deficiency, so `plan_search` completes the plan when
that is known. A plan is plain data, and to plan runs nothing: the session, the backends and the
caller of `plan_search` measure a feature when a rule asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from btfperm import backends, registry
from btfperm.backends.threads import is_forked, usable_cores
from btfperm.errors import InvalidArgumentError
from btfperm.path.request import check_options
from btfperm.path.rules import Rule, first_rule, number, rules_of
from btfperm.pattern.features import Features, measured_for, ratios, size

if TYPE_CHECKING:
    from btfperm.backends.protocol import Session
    from btfperm.path.request import Request
    from btfperm.pattern import Pattern

__all__ = ["PUBLISHED", "Plan", "make_plan", "plan_on_cpu", "plan_search", "searches_from_rows"]

PUBLISHED = "published"  # as `algorithm=`: choose only among the published algorithms

# Functions that measure features, by name; each is called only if a rule asks for its feature.
Measures = Mapping[str, Callable[[], float]]


class Plan:
    """What one call does.

    Attributes
    ----------
    package : whose algorithms and rules are used, see `Algorithm.rules`
    shape, nnz : of the matrix
    backend : where the search runs
    initializer, algorithm : rows of the registry; None where nothing runs, or for the algorithm
        until the deficiency of the initial matching is known
    initializer_within, within : bounds that the rules set on each, see `Rule`; None: no bound
    in_order : whether an initializer on the CPU runs on one thread unless the caller set a number.
        True before a search on a GPU: an initializer on many threads may leave unmatched columns
        far from unmatched rows, and apfb-wr then takes longer
    threads, threads_asked : threads of the search, and whether the caller set them
    requested : whether the matrix is over MPI ranks, a weighted search runs on the device of the
        matrix, or the caller named the GPU, an algorithm that only it has, an initializer that the
        plan runs on it, or `deterministic` for a search on it. Then no rule abandons a search on
        the GPU, and a failure of this search is an error
    named : whether no rule chooses the algorithm: the caller named it, or it is the deterministic
        one of the backend
    among : the decision that chooses the algorithm: ``"algorithm"``, or ``"published"`` if the
        caller wants the best of the published ones
    ruled : what the number of entries alone decides, see `Table`
    has_start : whether the search may have an initial matching: a weighted search has none
    deficiency : the smaller of the numbers of rows and columns, minus the size of the initial
        matching; None until it is known
    decisions : the rule applied to each decision
    features : what is known about the matrix and the machine
    note : a sentence on the algorithm, empty if the caller named it; None where a rule explains it
    """

    # Class attributes are the defaults: the plan for a small matrix must cost less than its search.
    backend = "cpu"
    initializer: registry.Algorithm | None = None
    initializer_within: float | None = None
    within: float | None = None
    in_order = False
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
        self.threads = request.threads
        self.threads_asked = request.threads_asked
        self.decisions: dict[str, Rule] = {}
        self.features: dict[str, float] = {"threads": request.threads}
        if request.algorithm == PUBLISHED:
            self.among = PUBLISHED

    def __repr__(self) -> str:
        rows = (self.initializer, self.algorithm)[not self.has_start :]
        steps = ", then ".join("none" if row is None else row.name for row in rows)
        threads = f"{self.threads} thread{'s' if self.threads > 1 else ''}"
        return f"<Plan: {steps}, on {self.backend}, {threads}>"

    @property
    def decision(self) -> str:
        """The decision that chooses the algorithm on the backend of the plan. A backend may have
        rules of its own for all algorithms and none for published ones: then each of its searches
        is published."""
        if self.backend != "cpu":
            for what in (self.among, "algorithm"):
                own = self.own(what)
                if own != what:
                    return own
        return self.among

    def own(self, what: str) -> str:
        """The name of a decision in the table of rules: that of the backend if it has rules of its
        own, such as ``"start on gpu"``."""
        if self.backend == "cpu":
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
        if start is not None and start.choice == "none":
            short = "no start"
        else:
            pairs = "1 pair" if self.deficiency == 1 else f"{self.deficiency:,} pairs"
            short = f"the start was {pairs} short of full rank"
        wide = self.shape[0] != self.shape[1] and decisions["side"].choice == "rows"
        side = "; wide, so searched from the rows" if wide else ""
        return f"{short}; {taken.name}: {taken.because}{side}"

    def explain(self) -> dict[str, Any]:
        """The plan as a dict for programs: for each decision the rule that was applied and the
        rules before it, each with the condition that did not hold (a choice of the caller is not a
        decision); and the features, None where nothing was measured."""
        if not self.threads_asked and self.backend == "cpu":
            _decide(self, "threads", None)
        _learn(self, "entries", None)
        if self.deficiency is not None:
            _learn(self, "free", None)
        return {
            "decisions": {
                what: {
                    "choice": rule.choice,
                    "rule": rule.name,
                    "because": rule.because,
                    "passed_over": list(self._passed_over(what, rule)),
                }
                for what, rule in self.decisions.items()
            },
            "features": {name: self.features.get(name) for name in Features.__slots__},
        }

    def _passed_over(self, what: str, taken: Rule) -> Iterator[dict[str, str]]:
        rules = rules_of(self.package).TABLE[what]
        for rule in rules[: rules.index(taken)]:
            known = [c for c in rule.when if c.feature in self.features]
            failed = next(c for c in known if not c.holds(self.features[c.feature]))
            yield {
                "rule": rule.name,
                "choice": rule.choice,
                "fails": f"{failed}, it is {number(self.features[failed.feature])}",
            }


def make_plan(
    session: Session, request: Request, package: str, *, has_initial: bool = False
) -> Plan:
    """The plan for the matrix of a session; `has_initial`: the caller gave a matching.

    Raises
    ------
    InvalidArgumentError : an algorithm, initializer or option is unknown, or they do not fit
    """
    pattern = session.pattern
    home, wanted = pattern.backend, request.backend
    plan = Plan(package, pattern, request)
    if pattern.is_distributed:
        wanted = _over_ranks(plan, session, request)
    named = None
    if request.algorithm not in ("auto", PUBLISHED):
        how = {"backend": wanted, "package": package, "home": home}
        named = plan.algorithm = registry.find(request.algorithm, initializer=False, **how)
        plan.named, plan.backend = True, named.backend
    elif wanted != "auto":
        plan.backend = wanted
    elif home != "cpu":
        plan.backend = home
    elif request.initializer == "auto" and not (
        has_initial or request.options or request.deterministic or is_forked()
    ):
        plan.backend = _decide(plan, "place", session).choice
    if request.deterministic and named is None and plan.backend != "cpu":
        if plan.among == PUBLISHED:
            raise InvalidArgumentError(
                "no published algorithm on a GPU gives the same matching in each run, so it cannot "
                "be combined with deterministic; backend='cpu' can"
            )
        named = plan.algorithm = registry.find_deterministic(plan.backend, package)
        plan.named = True
        plan.note = f"{named.name}: it gives the same matching in each run"
    finisher = named
    if named is None and (plan.backend != "cpu" or request.options):
        finisher = plan.default()
    if plan.has_start:
        _plan_initializer(plan, session, request, finisher, has_initial)
    if request.options:
        check_options(request.options, plan.initializer, finisher)
    if request.deterministic:
        _check_deterministic(plan.algorithm, plan.initializer)
    over_ranks = session.pattern.is_distributed and plan.backend == home
    if over_ranks and plan.initializer is not None and plan.initializer.backend != home:
        raise InvalidArgumentError(
            f"the initializer {plan.initializer.name} does not run over MPI ranks"
        )
    plan.requested = (
        session.pattern.is_distributed
        or (plan.backend == home != "cpu" and not plan.has_start)
        or wanted not in ("auto", "cpu")
        or (request.deterministic and plan.backend != "cpu")
        or (named is not None and named.backend != "cpu")
        or (
            plan.initializer is not None
            and plan.initializer.backend != "cpu"
            and request.initializer != "auto"
        )
    )
    if not plan.has_start:
        plan_search(plan, session, None)
    return plan


def _over_ranks(plan: Plan, session: Session, request: Request) -> str:
    """The backend of a matrix over ranks: its own, by messages, or the CPU, whole on each rank.

    Raises
    ------
    InvalidArgumentError : the caller requests another backend than the matrix can have
    """
    home = session.pattern.backend
    if request.backend not in ("auto", home):
        raise InvalidArgumentError(
            f"a matrix over MPI ranks cannot be analysed by the backend {request.backend}: "
            "leave it out, or give the whole matrix to one process"
        )
    if request.backend == home:
        return home
    return _decide(plan, "place over ranks", session).choice


def _plan_initializer(
    plan: Plan,
    session: Session,
    request: Request,
    finisher: registry.Algorithm | None,
    has_initial: bool,
) -> None:
    """Chooses the initializer, or finds the one that the caller named."""
    name, where = request.initializer, request.backend
    starts_itself = finisher is not None and finisher.starts_itself
    if (
        name == "auto"
        and plan.named
        and starts_itself
        and (request.deterministic or not has_initial)
    ):
        name = "none"
    if name == "auto":
        where = plan.backend
        of_call: Measures | None = None
        if where != "cpu":
            of_call = {
                "itself": lambda: starts_itself,
                "on_gpus": lambda: request.device is not None and not request.deterministic,
            }
        rule = _decide(plan, plan.own("start"), session, of_call)
        name = rule.choice
        if not has_initial:
            plan.initializer_within = rule.within
    elif where == "auto" and plan.backend != "cpu" and session.pattern.backend != "cpu":
        where = session.pattern.backend
    if name != "none":
        plan.initializer = registry.find(
            name, initializer=True, backend=where, package=plan.package
        )
        plan.in_order = plan.backend != "cpu"


def plan_search(
    plan: Plan, session: Session, deficiency: int | None, measures: Measures | None = None
) -> None:
    """Chooses the algorithm that removes this deficiency, unless the plan has one already.
    `measures` has the features of the current problem that the caller can measure."""
    if plan.algorithm is not None:
        return
    plan.deficiency = deficiency
    plan.note = None
    rule = _decide(plan, plan.decision, session, measures)
    plan.algorithm = registry.find(
        rule.choice, initializer=False, backend=plan.backend, package=plan.package
    )
    plan.within = None if plan.requested and plan.backend != "cpu" else rule.within


def searches_from_rows(plan: Plan, session: Session) -> bool:
    """Whether the search in a rectangular matrix starts from the rows."""
    return _decide(plan, "side", session).choice == "rows"


def plan_on_cpu(plan: Plan, session: Session) -> None:
    """Plans the same call again by the rules for the CPU."""
    plan.backend = "cpu"
    plan.in_order = False
    plan.algorithm, plan.within, plan.deficiency = None, None, None
    plan.initializer, plan.initializer_within = None, None
    if not plan.has_start:
        plan_search(plan, session, None)
    elif (name := _decide(plan, "start", session).choice) != "none":
        plan.initializer = registry.find(
            name, initializer=True, backend="cpu", package=plan.package
        )


def _check_deterministic(*rows: registry.Algorithm | None) -> None:
    """Raises InvalidArgumentError if one of these algorithms may give another matching in each run.
    Algorithms of the CPU do not, because a deterministic call uses one thread."""
    for row in rows:
        if row is not None and row.backend != "cpu" and not row.deterministic:
            raise InvalidArgumentError(
                f"{row.name} on the {row.backend} backend may give another matching in each run, "
                "so it cannot be combined with deterministic"
            )


def _decide(
    plan: Plan, what: str, session: Session | None, measures: Measures | None = None
) -> Rule:
    """The rule applied to a decision; the first call applies it."""
    rule = plan.decisions.get(what)
    if rule is None:
        settled, left_open = plan.ruled
        rule = settled.get(what)
        if rule is None:
            rule = first_rule(
                left_open[what], plan.features, lambda f: _learn(plan, f, session, measures)
            )
        plan.decisions[what] = rule
    return rule


def _learn(
    plan: Plan, feature: str, session: Session | None, measures: Measures | None = None
) -> float:
    """Computes a feature when a rule needs it: for a tiny matrix, a sample would take as long as
    the search."""
    known = plan.features
    if feature in ("wide", "degree", "density"):
        known |= ratios(*plan.shape, plan.nnz)
    elif feature in ("rows", "cols", "entries"):
        known |= size(plan.shape, plan.nnz)
    elif feature in ("missing", "free") and plan.deficiency is not None:
        known["missing"] = plan.deficiency
        known["free"] = plan.deficiency / (min(plan.shape) or 1)
    elif feature == "cores":
        known["cores"] = usable_cores()
    elif measures is not None and feature in measures:
        known[feature] = measures[feature]()
    elif session is not None:
        if feature in backends.MEASURED_BY:
            known[feature] = backends.measure(feature, session.pattern)
        else:
            known |= measured_for(feature, session.for_rules_of(plan.backend))
    return known[feature]
