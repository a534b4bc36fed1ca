# SPDX-License-Identifier: BSD-3-Clause
"""The *routes* from a matrix to a solution: SciPy's splu; KLU called directly, with its own order
and with the order of `preorder`; and both solvers called through btfperm.

All times are processor time of one process, by default on one thread. The least of several runs
counts, because other processes on the machine only add to the time.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import splu

import btfperm
from benchmarks.report import Options, Row, geometric_mean, known, milliseconds, progress
from benchmarks.solvers.systems import System
from benchmarks.timing import Call, Method, NotApplicableError, Notes, Outcome, problems, race
from btfperm.preorder.klu_libraries import libraries

SPLU, KLU, KLU_GIVEN = "splu", "KLU", "KLU, given order"
KLU_TURNS = "KLU, in turns"
OURS_KLU, OURS_SUPERLU = "btfperm, klu", "btfperm, superlu"
ALL_ROUTES = (SPLU, KLU, KLU_GIVEN, OURS_KLU, OURS_SUPERLU)
WHEEL = "nbklu"
TIMES = ("order", "factor", "solve")
_SHORT = 2e-2  # seconds; a step is repeated until the sum of its runs is longer, or `_MOST` times
_MOST = 20
_LONG = 0.1  # seconds; two steps take turns until the sum of their runs is longer
_LEAST_TURNS, _MOST_TURNS = 7, 1000
_Numbers = npt.NDArray[Any]


def timed(
    step: Callable[[], Any], *, once: bool = False, before: Callable[[], Any] = lambda: None
) -> tuple[Any, float]:
    """The result of a step and the least processor time of its runs. A step of less than `_SHORT`
    seconds is repeated, unless `once` is set. `before` runs before each of them, and is not
    timed."""
    least, total = math.inf, 0.0
    for _ in range(1 if once else _MOST):
        before()
        begin = time.process_time()
        result = step()
        seconds = time.process_time() - begin
        least, total = min(least, seconds), total + seconds
        if total > _SHORT:
            break
    return result, least


def in_turns(one: Callable[[], Any], other: Callable[[], Any]) -> float:
    """The median ratio of the processor time of `one` to that of `other`. Both take turns, so that
    other processes slow both down alike; the one that runs first changes from turn to turn."""
    ratios: list[float] = []
    total, steps = 0.0, (one, other)
    while len(ratios) < _LEAST_TURNS or (total < _LONG and len(ratios) < _MOST_TURNS):
        seconds = [0.0, 0.0]
        for k in (0, 1) if len(ratios) % 2 else (1, 0):
            begin = time.process_time()
            steps[k]()
            seconds[k] = time.process_time() - begin
        ratios.append(seconds[0] / seconds[1])
        total += sum(seconds)
    return median(ratios)


def errors(system: System, x: _Numbers) -> Notes:
    """The normwise and the componentwise backward error; both are infinite if `x` is not finite."""
    if not np.isfinite(x).all():
        return {"error": math.inf, "componentwise": math.inf}
    A, b, size = system
    residual = np.abs(b - A @ x)
    parts = abs(A) @ np.abs(x) + np.abs(b)
    norm = size * float(np.abs(x).max()) + float(np.abs(b).max())
    shares = np.divide(residual, parts, out=np.zeros_like(residual), where=parts > 0)
    return {"error": float(residual.max() / norm), "componentwise": float(shares.max())}


class Klu:
    """KLU of the wheel nbklu, called directly as in KLU's manual: old factors are freed before new
    ones are computed. The solution is not refined."""

    _symbolic: Any = None
    _numeric: Any = None

    def __init__(self, A: Any, *, has_blocks: bool = True) -> None:
        wheel: Any = next(one for one in libraries() if one.name == WHEEL)
        self._functions = wheel.functions
        self._columns = A.indptr.astype(np.int32), A.indices.astype(np.int32)
        self._n = A.shape[0]
        self._field = "z_" if A.dtype.kind == "c" else ""
        self._common = self._functions.Common()
        self._common.defaults()
        self._common.btf = int(has_blocks)

    def __del__(self) -> None:
        self._free()

    def _free(self) -> None:
        """Frees the factors and the analysis. The objects of nbklu do not free themselves."""
        self._free_factors()
        if self._symbolic is not None:
            self._functions.free_symbolic(self._symbolic, self._common)
            self._symbolic = None

    def _free_factors(self) -> None:
        if self._numeric is not None:
            free = getattr(self._functions, f"{self._field}free_numeric")
            free(self._numeric, self._common)
            self._numeric = None

    def analyze(self, order: Any = None) -> None:
        """Analyzes the pattern with KLU's block triangular form and AMD, or with the `Preordering`
        `order`."""
        self._free()
        if order is None:
            self._symbolic = self._functions.analyze(self._n, *self._columns, self._common)
        else:
            P, Q = (np.array(one, np.int32) for one in (order.row_perm, order.col_perm))
            arguments = self._n, *self._columns, P, Q, self._common
            self._symbolic = self._functions.analyze_given(*arguments)
        self._require_success()

    def factor(self, values: _Numbers) -> None:
        function = getattr(self._functions, f"{self._field}factor")
        self._free_factors()
        numeric = function(*self._columns, values, self._symbolic, self._common)
        self._require_success()  # after an error, KLU has freed the factors itself
        self._numeric = numeric

    def refactor(self, values: _Numbers) -> None:
        function = getattr(self._functions, f"{self._field}refactor")
        function(*self._columns, values, self._symbolic, self._numeric, self._common)
        self._require_success()

    def solve(self, b: _Numbers) -> _Numbers:
        x = b.copy()
        function = getattr(self._functions, f"{self._field}solve")
        function(self._symbolic, self._numeric, self._n, 1, x[:, None], self._common)
        return x

    def facts(self) -> Notes:
        fill = self._numeric.lnz + self._numeric.unz - self._n
        off = float(self._common.noffdiag)
        return {"fill": float(fill), "off": off, "blocks": float(self._numeric.nblocks)}

    def _require_success(self) -> None:
        if self._common.status:
            raise NotApplicableError(f"KLU's status is {self._common.status}")


def klu_is_absent() -> str | None:
    """The reason why KLU cannot be called directly, or None if it can."""
    found = [one.name for one in libraries()]
    return None if WHEEL in found else "the wheel nbklu is not installed"


def routes(threads: int | None, names: Sequence[str] = ALL_ROUTES) -> list[Method]:
    """The methods with these names. Each call orders, factors and solves, and records the time of
    each step, the fill and the backward errors. All routes but splu also record the number of
    pivots that are not on the diagonal. `KLU_TURNS` records only the ratio of two times."""
    absent = klu_is_absent()
    threads = threads or 1
    known: dict[str, tuple[Callable[[System], Notes], str | None]] = {
        SPLU: (_splu, None),
        KLU: (_klu, absent),
        KLU_GIVEN: (lambda system: _klu_given(system, threads), absent),
        KLU_TURNS: (lambda system: _klu_in_turns(system, threads), absent),
        OURS_KLU: (lambda system: _ours(system, "klu", threads), absent),
        OURS_SUPERLU: (lambda system: _ours(system, "superlu", threads), None),
    }
    return [method(name, *known[name]) for name in names]


def method(name: str, run: Callable[[Any], Notes], absent: str | None = None) -> Method:
    """A method of the timing loop (`race`) that calls `run` and records the dict that it
    returns."""

    def prepare(system: Any) -> Call:
        warnings.simplefilter("ignore")
        return lambda: run(system)

    return Method(name, prepare, lambda _: {}, absent, notes=lambda notes: notes)


def _splu(system: System) -> Notes:
    try:
        lu, factor = timed(lambda: splu(system.A))
    except RuntimeError as error:
        raise NotApplicableError(str(error)) from None
    x, solve = timed(lambda: lu.solve(system.b))
    fill = {"fill": float(lu.nnz)}
    return {"order": 0.0, "factor": factor, "solve": solve, **fill, **errors(system, x)}


def _klu(system: System) -> Notes:
    klu = Klu(system.A)
    _, order = timed(klu.analyze)
    return _by_klu(system, klu, order)


def _klu_given(system: System, threads: int) -> Notes:
    p = btfperm.preorder(system.A, solver="klu", threads=threads)
    klu = Klu(system.A)
    _, order = timed(lambda: klu.analyze(p))
    return _by_klu(system, klu, order)


def _klu_in_turns(system: System, threads: int) -> Notes:
    """KLU's factor time with the order of btfperm over its factor time with its own order."""
    given, own = Klu(system.A), Klu(system.A)
    given.analyze(btfperm.preorder(system.A, solver="klu", threads=threads))
    own.analyze()
    values = system.A.data
    own.factor(values)
    given.factor(values)
    ratio = in_turns(lambda: given.factor(values), lambda: own.factor(values))
    return {"ratio": ratio}


def _by_klu(system: System, klu: Klu, order: float) -> Notes:
    _, factor = timed(lambda: klu.factor(system.A.data))
    x, solve = timed(lambda: klu.solve(system.b))
    seconds = {"order": order, "factor": factor, "solve": solve}
    return {**seconds, **klu.facts(), **errors(system, x)}


def _ours(system: System, solver: Any, threads: int) -> Notes:
    p, order = timed(lambda: btfperm.preorder(system.A, solver=solver, threads=threads))
    try:
        # The first call analyses the entries, and later calls use this analysis.
        F, factor = timed(lambda: p.factor(system.A), before=lambda: vars(p).pop("_last", None))
        F, again = timed(lambda: p.factor(system.A))
    except btfperm.NumericallySingularError as error:
        raise NotApplicableError(str(error)) from None
    if F.backend != solver:
        raise NotApplicableError(f"factored by {F.backend}")
    x, solve = timed(lambda: F.solve(system.b))
    predicted = p.predicted_fill
    facts = {
        "fill": float(F.fill),
        "off": float(F.off_diagonal_pivots),
        "blocks": float(p.n_blocks),
        "weighted": float(p.weights == "product"),
        "predicted": math.nan if predicted is None else float(predicted.total),
    }
    seconds = {"order": order, "factor": factor, "again": again, "solve": solve}
    return {**seconds, **facts, **errors(system, x)}


def summary(outcome: Outcome) -> Row:
    """The summary of a method's runs: the largest errors, the median of `ratio`, and the least of
    every other quantity. `whole` is the sum of the least times of the steps. If no run succeeded,
    the summary is the reason."""
    if not outcome.notes:
        over = "more than the limit" if outcome.overran else outcome.reason
        return {"reason": over}
    chosen: dict[str, Callable[[list[float]], float]] = {
        "error": max,
        "componentwise": max,
        "ratio": median,
    }
    row = {
        name: chosen.get(name, min)([n[name] for n in outcome.notes]) for name in outcome.notes[0]
    }
    if "order" in row:
        row["whole"] = sum(row[name] for name in TIMES)
    return {name: None if math.isnan(value) else value for name, value in row.items()}


class Rows:
    """The rows of a section. The methods take turns on each matrix."""

    def __init__(self, options: Options) -> None:
        self.all: list[Row] = []
        self.complaints: list[str] = []
        self._options = options

    def add(
        self,
        facts: Row,
        methods: Sequence[Method],
        data: Any,
        key: str,
        check: Callable[[Row], list[str]] = lambda _: [],
    ) -> None:
        """Runs the methods on `data` in turns. Adds the row of the matrix, which has its facts and
        the summary of each method, and prints the time `key` of each method. Adds the problems of
        the runs, and the sentences that `check` returns for the row, to the complaints."""
        options = self._options
        outcomes = race(methods, data, repeats=options.repeats, limit=options.limit)
        row = facts | {name: summary(outcome) for name, outcome in outcomes.items()}
        self.all.append(row)
        found = problems(outcomes) + check(row)
        self.complaints += [f"{row['matrix']}: {problem}" for problem in found]
        times = cells(row, [one.name for one in methods], key, milliseconds)
        options.say(progress(row["matrix"], times, found))


def cells(row: Row, names: Sequence[str], key: str, form: Callable[[float], str]) -> list[str]:
    """The cells of a table line: the quantity `key` of each method."""
    return [known(row.get(name, {}).get(key), form) for name in names]


RATIO_HEAD = ["matrices", "geometric mean", "least", "largest", "where largest"]


def ratio_cells(ratios: Mapping[str, float], digits: int = 3) -> list[str]:
    """The cells under `RATIO_HEAD`, which summarize the ratios of all matrices."""
    if not ratios:
        return ["0", "-", "-", "-", ""]
    values = list(ratios.values())
    numbers = [f"{of(values):.{digits}f}" for of in (geometric_mean, min, max)]
    return [str(len(values)), *numbers, f"`{max(ratios, key=ratios.__getitem__)}`"]


def libraries_in_words() -> str:
    """The solvers on this machine, with their versions, as a sentence."""
    found = [
        f"{one.name} by {one.library} {one.version}" for one in btfperm.solvers() if one.library
    ]
    return f"Solvers: {', '.join(found)}."
