# SPDX-License-Identifier: BSD-3-Clause
"""Makes the plan of one call.

`make_plan` applies the rules of the package to cheap features of the matrix. The algorithm that
follows the initial matching may depend on its deficiency, so `plan_search` completes the plan when
the deficiency is known. Planning runs no algorithm. A feature is measured only if a rule uses it,
by the session, by a backend, or by a function that the caller of `plan_search` gives. Planning also
starts the threads, because the system may refuse some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from btfperm import _core, backends, registry
from btfperm.backends.cpu.backend import CPU
from btfperm.backends.protocol import EACH_RANKS
from btfperm.backends.threads import checked_threads, is_forked, start_threads, usable_cores
from btfperm.errors import InvalidArgumentError
from btfperm.path.plan import PUBLISHED, Plan
from btfperm.path.request import check_options, refuse_one_process
from btfperm.path.rules import Rule, first_rule, rules_of
from btfperm.pattern.features import measured_for, ratios, size

if TYPE_CHECKING:
    from btfperm.backends.protocol import Backend, Session
    from btfperm.path.request import Request

__all__ = ["make_plan", "plan_on_cpu", "plan_search", "searches_from_rows", "team_size"]

# Functions that measure features, by name; each is called only if a rule uses its feature.
Measures = Mapping[str, Callable[[], float]]


def make_plan(
    session: Session, request: Request, package: str, *, has_initial: bool = False
) -> Plan:
    """The plan for the matrix of a session; `has_initial`: the caller gave a matching.

    Raises
    ------
    InvalidArgumentError : an algorithm, initializer or option is unknown, or they cannot be
        combined
    """
    pattern = session.pattern
    home, wanted = pattern.backend, request.backend
    plan = Plan(package, pattern, request)
    # Ranks with GPUs copy on threads of their own number; see `gpu.staging`.
    _plan_threads(plan, request, starts=not pattern.is_distributed or request.device is None)
    if pattern.is_distributed:
        wanted = _over_ranks(plan, session, request)
    elif request.device == EACH_RANKS:
        refuse_one_process()
    named = None
    if request.algorithm not in ("auto", PUBLISHED):
        how = {"backend": wanted, "package": package, "home": home}
        named = plan.algorithm = registry.find(request.algorithm, initializer=False, **how)
        plan.named, plan.backend = True, named.backend
    elif wanted != "auto":
        plan.backend = wanted
    elif not pattern.is_on_host:
        plan.backend = home
    elif request.initializer == "auto" and not (
        has_initial or request.options or request.deterministic or is_forked()
    ):
        plan.backend = _decide(plan, "place", session).choice
    backend = backends.get(plan.backend)
    if request.deterministic and named is None and not backend.is_deterministic:
        named = _plan_deterministic(plan)
    if plan.has_start:
        _plan_initializer(plan, session, request, backend, named, has_initial)
    if request.options:
        check_options(request.options, plan.initializer, named or plan.default())
    if request.deterministic:
        _check_deterministic(plan.algorithm, plan.initializer)
    over_ranks = pattern.is_distributed and plan.backend == home
    if over_ranks and plan.initializer is not None and plan.initializer.backend != home:
        raise InvalidArgumentError(
            f"the initializer {plan.initializer.name} does not run over MPI ranks"
        )
    plan.requested = (
        pattern.is_distributed
        or (
            backend.is_replaceable
            and (
                named is not None
                or wanted != "auto"
                or request.deterministic
                or (plan.backend == home and not plan.has_start)
            )
        )
        or (
            plan.initializer is not None
            and request.initializer != "auto"
            and backends.get(plan.initializer.backend).is_replaceable
        )
    )
    if not plan.has_start:
        plan_search(plan, session, None)
    return plan


def _plan_threads(plan: Plan, request: Request, *, starts: bool) -> None:
    """Sets the number of threads, which conditions of later rules may use; starts them if the steps
    of the plan use them."""
    asked = request.threads
    wanted = choose_threads(asked, _decide(plan, "threads", None) if asked is None else None)
    if wanted > 1:
        wanted = _core.backends.threads_for_search(plan.nnz, wanted)
        plan.threads = plan.initializer_threads = start_threads(wanted) if starts else wanted
        plan.threads_refused = plan.threads < wanted
    plan.features["threads"] = plan.threads


def choose_threads(asked: int | None, rule: Rule | None) -> int:
    """The caller's number of threads, or that of the rule: all usable cores or one."""
    if asked is not None:
        return asked
    return usable_cores() if rule is not None and rule.choice == "all" else 1


def team_size(nnz: int, asked: int | None) -> int:
    """The number of threads for a decomposition of a matrix with this number of entries, or for
    another step without a plan."""
    asked, rule = checked_threads(asked), None
    if asked is None:
        ruled = rules_of("transversal").TABLE.ruled(nnz)
        rule = ruled.settled.get("threads") or first_rule(
            ruled.left_open["threads"], {}, lambda _: usable_cores()
        )
    wanted = choose_threads(asked, rule)
    return start_threads(_core.backends.threads_for_search(nnz, wanted)) if wanted > 1 else 1


def _plan_deterministic(plan: Plan) -> registry.Algorithm:
    """The search of the plan's backend that gives the same matching in each run."""
    if plan.among == PUBLISHED:
        raise InvalidArgumentError(
            "no published algorithm on a GPU gives the same matching in each run, so it cannot "
            "be combined with deterministic; backend='cpu' can"
        )
    row = plan.algorithm = registry.find_deterministic(plan.backend, plan.package)
    plan.named = True
    plan.note = f"{row.name}: it gives the same matching in each run"
    return row


def _over_ranks(plan: Plan, session: Session, request: Request) -> str:
    """The backend for a matrix over ranks: its own, whose ranks exchange messages, or the CPU, on
    which each rank analyses the whole matrix. Ranks with GPUs use the former.

    Raises
    ------
    InvalidArgumentError : the caller requests a backend that cannot analyse a matrix over ranks
    """
    home = session.pattern.backend
    if request.backend not in ("auto", home):
        raise InvalidArgumentError(
            f"a matrix over MPI ranks cannot be analysed by the backend {request.backend}: "
            "leave it out, or give the whole matrix to one process"
        )
    # 0: no rule lets the first rank search for the others, or the only rank alone
    plan.features["first_cores"] = plan.features["first_gpu"] = plan.features["alone"] = 0.0
    if request.backend == home:
        if request.device is None and _is_free(request):
            plan.features["alone"] = float(backends.measure("ranks", session.pattern) < 2)
        return home
    if request.device is not None:
        if _is_free(request):
            plan.features["first_gpu"] = backends.measure("first_gpu", session.pattern)
        return home
    choice = _decide(plan, "place over ranks", session).choice
    if choice == home and _is_free(request):
        cores = backends.measure("first_cores", session.pattern)
        plan.features["first_cores"] = min(cores, request.threads or cores)
    return choice


def _is_free(request: Request) -> bool:
    """Whether a rule may let the first rank search as one process does. It may not if the caller
    set an argument that such a search ignores."""
    return (request.algorithm, request.initializer) == ("auto", "auto") and not (
        request.options or request.deterministic
    )


def _plan_initializer(
    plan: Plan,
    session: Session,
    request: Request,
    backend: Backend,
    named: registry.Algorithm | None,
    has_initial: bool,
) -> None:
    """Sets the initializer: the one that the caller named, or the choice of a rule. `backend` is
    the backend of the plan; `named` is the algorithm if no rule chooses it, else None."""
    name, where = request.initializer, request.backend
    if (
        name == "auto"
        and named is not None
        and named.starts_itself
        and (request.deterministic or not has_initial)
    ):
        name = "none"
    if name == "auto" and request.device is not None and not request.deterministic:
        name = _start_on_devices(plan, session, named)
    if name == "auto":
        where, what = plan.backend, plan.own("start")
        of_call: Measures | None = None
        if what not in plan.ruled.settled:
            of_call = {"itself": lambda: (named or plan.default()).starts_itself}
        rule = _decide(plan, what, session, of_call)
        name = rule.choice
        if not has_initial:
            plan.initializer_within = rule.within
    elif where == "auto" and backend.is_replaceable and not session.pattern.is_on_host:
        where = session.pattern.backend
    if name != "none":
        plan.initializer = registry.find(
            name, initializer=True, backend=where, package=plan.package
        )
        if backend.starts_in_order and request.threads is None:
            plan.initializer_threads = 1


def _start_on_devices(plan: Plan, session: Session, named: registry.Algorithm | None) -> str:
    """The initializer if the caller gave a device, but neither an initializer nor a matching: that
    of ranks with GPUs, unless one of these analyses the whole matrix. ``"auto"``: rules choose."""
    row = registry.find_on_devices(plan.backend, plan.package)
    if row is None:
        return "auto"
    if named is None:
        choice = _decide(plan, plan.decision, session).choice
        named = registry.find(choice, initializer=False, backend=plan.backend, package=plan.package)
    return "none" if named.starts_itself else row.name


def plan_search(
    plan: Plan, session: Session, deficiency: int | None, measures: Measures | None = None
) -> None:
    """Chooses the algorithm for an initial matching with this deficiency, unless the plan has an
    algorithm already. `measures` has the features of the current problem that the caller can
    measure."""
    if plan.algorithm is not None:
        return
    plan.deficiency = deficiency
    plan.note = None
    rule = _decide(plan, plan.decision, session, measures)
    plan.algorithm = registry.find(
        rule.choice, initializer=False, backend=plan.backend, package=plan.package
    )
    is_bounded = not (plan.requested and backends.get(plan.backend).is_replaceable)
    plan.within = rule.within if is_bounded else None


def searches_from_rows(plan: Plan, session: Session) -> bool:
    """Whether the search in a rectangular matrix starts from the rows."""
    return _decide(plan, "side", session).choice == "rows"


def plan_on_cpu(plan: Plan, session: Session) -> None:
    """Plans the same call again by the rules for the CPU."""
    plan.backend = CPU.name
    plan.initializer_threads = plan.threads
    plan.algorithm, plan.within, plan.deficiency = None, None, None
    plan.initializer, plan.initializer_within = None, None
    if not plan.has_start:
        plan_search(plan, session, None)
    elif (name := _decide(plan, "start", session).choice) != "none":
        plan.initializer = registry.find(
            name, initializer=True, backend=CPU.name, package=plan.package
        )


def _check_deterministic(*rows: registry.Algorithm | None) -> None:
    """Raises InvalidArgumentError if one of these algorithms may give another matching in each
    run."""
    for row in rows:
        if row is None or row.deterministic:
            continue
        if not backends.get(row.backend).is_deterministic:
            raise InvalidArgumentError(
                f"{row.name} on the {row.backend} backend may give another matching in each run, "
                "so it cannot be combined with deterministic"
            )


def _decide(
    plan: Plan, what: str, session: Session | None, measures: Measures | None = None
) -> Rule:
    """The rule for a decision. The first call for a decision finds it."""
    rule = plan.decisions.get(what)
    if rule is None:
        rule = plan.ruled.settled.get(what)
        if rule is None:
            rule = first_rule(
                plan.ruled.left_open[what],
                plan.features,
                lambda f: _learn(plan, f, session, measures),
            )
        plan.decisions[what] = rule
    return rule


def _learn(
    plan: Plan, feature: str, session: Session | None, measures: Measures | None = None
) -> float:
    """The value of a feature, which is computed only when a rule needs it: for a tiny matrix, a
    sample would take as long as the search."""
    known = plan.features
    if feature in ("wide", "degree", "density"):
        known |= ratios(*plan.shape, plan.nnz)
    elif feature in ("rows", "cols", "entries"):
        known |= size(plan.shape, plan.nnz)
    elif feature in ("missing", "free") and plan.deficiency is not None:
        known |= plan.missing()
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
