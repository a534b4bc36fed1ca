# SPDX-License-Identifier: BSD-3-Clause
"""Newton loops in which the values change a little in each step: total time and largest backward
error of each route from the matrix to the solution (``routes.py``).

The set ``real`` has the matrices in `REAL`; the other sets have patterns with random values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse.linalg import splu

import btfperm
from benchmarks.cases import Case
from benchmarks.generators.assemble import SEED
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    known,
    milliseconds,
    paragraphs,
)
from benchmarks.solvers.routes import (
    KLU,
    OURS_KLU,
    OURS_SUPERLU,
    SPLU,
    Klu,
    Rows,
    cells,
    errors,
    in_turns,
    klu_is_absent,
    libraries_in_words,
    method,
    timed,
)
from benchmarks.solvers.systems import System, laid_out, matrix_of, system_of
from benchmarks.timing import Method, NotApplicableError, Notes

REAL = ("pfjac_case13659pegase", "add32")
STEPS = (6, 50)
DRIFT = 0.02  # the largest relative change of a value from one step to the next
UNREFINED = "btfperm, klu, refine=0"
TURNS = "btfperm and KLU in turns"
ROUTES = (SPLU, KLU, OURS_KLU, UNREFINED, OURS_SUPERLU)
NOTE = (
    "Each step solves one system. Each step but the first multiplies each value of the step before "
    f"by a random factor between {1 - DRIFT:g} and {1 + DRIFT:g}. splu orders and factors in each "
    "step. KLU is called by hand: it analyzes and factors in the first step and refactors in all "
    "later steps, without a check or refinement. btfperm calls `preorder` and `factor` in the "
    "first step and `F.refactor`, with its checks, in all later steps. It refines by its default "
    "(`refine='auto'`) unless the column states otherwise. Times are milliseconds of processor "
    "time on one thread for all steps and the order, the least of the runs. Errors are the largest "
    "backward errors of all steps. The ratio to KLU is the median ratio of loops that take turns "
    "in one process."
)


def run(cases: list[Case], options: Options) -> Section:
    """One row for each matrix and number of steps."""
    rows = Rows(options)
    for case in cases:
        A = None if case.path is not None and case.name not in REAL else matrix_of(case)
        if A is None:
            continue
        layouts = ("natural", "shuffled") if case.name == REAL[0] else ("natural",)
        for layout, steps in [(layout, steps) for layout in layouts for steps in STEPS]:
            data = _drifting(laid_out(A, layout), steps)
            facts = {"matrix": f"{case.name} {layout}, {steps} steps", "steps": steps}
            rows.add(facts, _methods(options.threads or 1), data, "total")

    def of_all(key: str, form: Callable[[float], str]) -> Callable[[Row], list[str]]:
        return lambda row: cells(row, ROUTES, key, form)

    text = [NOTE, libraries_in_words(), "### All steps, ms"]
    text.append(by_matrix(list(ROUTES), rows.all, of_all("total", milliseconds)))
    text += ["### Largest normwise backward error"]
    text.append(by_matrix(list(ROUTES), rows.all, of_all("error", "{:.1e}".format)))
    text += ["### One later step, ms: new factors, and the solution"]
    head = [f"{name}: {what}" for name in ROUTES[1:4] for what in ("factors", "solution")]
    text.append(by_matrix(head, rows.all, _later))
    text += ["### New values in the order of btfperm, ms"]
    head = ["`p.apply`", "the values alone, gathered by hand"]
    text.append(by_matrix(head, rows.all, _applied))
    text += ["### Ratios of all steps", by_matrix(["over KLU", "over splu"], rows.all, _ratios)]
    return Section("Newton loops", paragraphs(*text), {"rows": rows.all}, rows.complaints)


def _later(row: Row) -> list[str]:
    return [
        known(row.get(name, {}).get(key), milliseconds)
        for name in ROUTES[1:4]
        for key in ("refactor", "solve")
    ]


def _applied(row: Row) -> list[str]:
    return [known(row.get(OURS_KLU, {}).get(key), milliseconds) for key in ("apply", "gather")]


def _ratios(row: Row) -> list[str]:
    mine, splu_total = (row.get(name, {}).get("total") for name in (OURS_KLU, SPLU))
    of_splu = mine / splu_total if mine and splu_total else None
    return [known(one, "{:.3f}".format) for one in (row.get(TURNS, {}).get("ratio"), of_splu)]


def _drifting(A: Any, steps: int) -> list[System]:
    """The systems of all steps."""
    rng = np.random.default_rng(SEED)
    systems: list[System] = []
    for step in range(steps):
        B = A.copy()
        if step:
            B.data = systems[-1].A.data * rng.uniform(1 - DRIFT, 1 + DRIFT, A.nnz)
        systems.append(system_of(B))
    return systems


def _methods(threads: int) -> list[Method]:
    absent = klu_is_absent()
    return [
        method(SPLU, _with_splu),
        method(KLU, _with_klu, absent),
        method(OURS_KLU, lambda systems: _with_ours(systems, "klu", "auto", threads), absent),
        method(UNREFINED, lambda systems: _with_ours(systems, "klu", 0, threads), absent),
        method(OURS_SUPERLU, lambda systems: _with_ours(systems, "superlu", "auto", threads)),
        method(TURNS, lambda systems: _turns(systems, threads), absent),
    ]


def _loop(
    systems: list[System],
    first: Callable[[Any], Any],
    later: Callable[[Any], Any],
    solve: Callable[[Any], Any],
) -> Notes:
    """Runs the loop. Returns the total time, the time of the first factorization, the least times
    to refactor and to solve in a later step, and the largest errors. The errors are computed
    outside the timed part."""
    total, refactor, substitute = 0.0, [], []
    worst = {"error": 0.0, "componentwise": 0.0}
    try:
        for step, system in enumerate(systems):
            _, factors = timed(partial(later if step else first, system.A), once=True)
            x, solution = timed(partial(solve, system.b), once=True)
            total += factors + solution
            refactor.append(factors)
            substitute.append(solution)
            found = errors(system, x)
            worst = {name: max(worst[name], found[name]) for name in worst}
    except (RuntimeError, btfperm.NumericallySingularError) as error:
        raise NotApplicableError(str(error)) from None
    steps = {"first": refactor[0], "refactor": min(refactor[1:]), "solve": min(substitute[1:])}
    return {"total": total, **steps, **worst}


def _with_splu(systems: list[System]) -> Notes:
    factors: list[Any] = [None]

    def factor(A: Any) -> None:
        factors[0] = splu(A)

    return _loop(systems, factor, factor, lambda b: factors[0].solve(b))


def _with_klu(systems: list[System]) -> Notes:
    klu = Klu(systems[0].A)

    def first(A: Any) -> None:
        klu.analyze()
        klu.factor(A.data)

    return _loop(systems, first, lambda A: klu.refactor(A.data), klu.solve)


def _turns(systems: list[System], threads: int) -> Notes:
    """The time of the loop with btfperm and KLU over the time of the loop that calls KLU by
    hand."""

    def by_hand() -> None:
        klu = Klu(systems[0].A)
        klu.analyze()
        for step, (A, b, _) in enumerate(systems):
            (klu.refactor if step else klu.factor)(A.data)
            klu.solve(b)

    def ours() -> None:
        A, b, _ = systems[0]
        F = btfperm.preorder(A, solver="klu", threads=threads).factor(A)
        F.solve(b)
        for later in systems[1:]:
            F.refactor(later.A.data)
            F.solve(later.b)

    return {"ratio": in_turns(ours, by_hand)}


def _with_ours(systems: list[System], solver: Any, refine: Any, threads: int) -> Notes:
    p: list[Any] = [None]
    F: list[Any] = [None]

    def first(A: Any) -> None:
        p[0] = btfperm.preorder(A, solver=solver, threads=threads)
        F[0] = p[0].factor(A)

    def later(A: Any) -> None:
        F[0].refactor(A.data)

    found = _loop(systems, first, later, lambda b: F[0].solve(b, refine=refine))
    return {**found, "fill": float(F[0].fill), **_times_to_apply(systems[-1].A, p[0])}


def _times_to_apply(A: Any, p: Any) -> Notes:
    """The least time of `p.apply` for new values, and the least time to permute only the values by
    one NumPy index array."""
    numbered = A.copy()
    numbered.data = np.arange(A.nnz)
    order = p.apply(numbered).data
    applied, apply = timed(partial(p.apply, A))
    values, gather = timed(lambda: A.data[order])
    if not np.array_equal(applied.data, values):
        raise AssertionError("p.apply returns other values")
    return {"apply": apply, "gather": gather}
