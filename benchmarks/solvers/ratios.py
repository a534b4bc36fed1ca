# SPDX-License-Identifier: BSD-3-Clause
"""KLU and SuperLU called through btfperm, compared with KLU and SuperLU called directly, for each
class of matrices; and predicted fill compared with actual fill.

The section measures every square, structurally nonsingular matrix with values. Power flow Jacobians
are also measured with their rows in random order. A generated matrix has random values, except that
the entries of one transversal are larger than all others (``systems.py``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import scipy.sparse as sp

from benchmarks.cases import Case
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    known,
    milliseconds,
    paragraphs,
    table,
)
from benchmarks.solvers.routes import (
    ALL_ROUTES,
    KLU,
    KLU_GIVEN,
    KLU_TURNS,
    OURS_KLU,
    OURS_SUPERLU,
    RATIO_HEAD,
    SPLU,
    Rows,
    libraries_in_words,
    ratio_cells,
    routes,
)
from benchmarks.solvers.systems import POWER_FLOW, domains, laid_out, matrix_of, system_of

SMALL, LARGE = 400, 1000  # bounds of n in ratios of the whole call, and of SuperLU's factor time
ERROR = 1e-15
MARGIN = 1.05
LEAST, OTHER = 3, "other fields"  # classes with fewer matrices share one line
SHUFFLED = "power flow, rows shuffled"
NOTE = (
    "splu and KLU run with their defaults and do not refine; KLU uses its own block triangular "
    "form and AMD. `KLU, given order` is KLU called by hand with the order that `preorder` "
    "computes for KLU. Its ratio to KLU's factor time is the median ratio of calls that take turns "
    "in one process. KLU's factor time does not contain its analysis; the first `p.factor(A)` "
    "contains KLU's analysis of the given order, which later calls use again. btfperm is "
    "`preorder`, `factor` and `solve` with its default refinement (`refine='auto'`). Times are "
    "processor time on one thread, the least of the runs; errors are the largest of the runs. A "
    "matrix is in a ratio if both routes solved it within the limit."
)


class Ratio(NamedTuple):
    """The ratio of one quantity of a route to that of another route, for matrices with `low <= n <
    high`. If there is no other route, the quantity is a ratio already. If `over_key` is set, the
    quantity of the other route has this key."""

    title: str
    route: str
    over: str
    key: str
    low: int = 0
    high: float = math.inf
    over_key: str = ""


RATIOS = (
    Ratio("fill, KLU", OURS_KLU, KLU, "fill"),
    Ratio("factor, KLU with the given order", KLU_TURNS, "", "ratio"),
    Ratio("first `p.factor(A)` over KLU's factor", OURS_KLU, KLU, "factor"),
    Ratio("later `p.factor(A)` over KLU's factor", OURS_KLU, KLU, "again", over_key="factor"),
    Ratio("order, factor and solve, KLU", OURS_KLU, KLU, "whole"),
    Ratio(f"`p.factor(A)` over splu, n >= {LARGE}", OURS_SUPERLU, SPLU, "factor", LARGE),
    Ratio(f"order, factor and solve over splu, n < {SMALL}", OURS_SUPERLU, SPLU, "whole", 0, SMALL),
    Ratio(f"order, factor and solve over splu, n >= {SMALL}", OURS_SUPERLU, SPLU, "whole", SMALL),
    Ratio("klu of btfperm over splu, order, factor and solve", OURS_KLU, SPLU, "whole"),
)


def run(cases: list[Case], options: Options) -> Section:
    """One row for each matrix with the measurements of each route, and the ratios for each
    class."""
    measured = Rows(options)
    for name, kind, A in _matrices(cases, options):
        facts = {"matrix": name, "class": kind, "n": A.shape[0], "nnz": int(A.nnz)}
        methods = routes(options.threads, (*ALL_ROUTES, KLU_TURNS))
        measured.add(facts, methods, system_of(A), "whole")
    rows = measured.all
    text = [NOTE, libraries_in_words()]
    text += ["### Ratios of all matrices", _overview(rows), "### Fill by class, KLU"]
    text += [_classes(rows, RATIOS[0]), "### Factor time by class, KLU with the given order"]
    text += [_classes(rows, RATIOS[1]), "### `p.factor(A)` over splu by class, SuperLU"]
    text += [_classes(rows, RATIOS[5]), "### Losses", _losses(rows)]
    text += ["### Off-diagonal pivots", _pivots(rows), "### Predicted over actual fill, KLU"]
    text += [_predicted(rows), f"### Backward errors above {ERROR:g}", _errors(rows)]
    text += ["### Each matrix", _each(rows), "### Not solved", _reasons(rows)]
    return Section("Ratios by class", paragraphs(*text), {"rows": rows}, measured.complaints)


def _matrices(cases: Sequence[Case], options: Options) -> Iterator[tuple[str, str, sp.csc_array]]:
    known_domains = domains(options.matrices) if any(case.path for case in cases) else {}
    for case in cases:
        A = matrix_of(case)
        if A is None:
            continue
        yield case.name, known_domains.get(case.name, case.kind) or "unknown", A
        if case.name.startswith(POWER_FLOW):
            yield f"{case.name} shuffled", SHUFFLED, laid_out(A, "shuffled")


def _value(row: Row, route: str, key: str) -> float | None:
    value: float | None = row.get(route, {}).get(key)
    return value


def _ratios(rows: Sequence[Row], ratio: Ratio) -> dict[str, float]:
    """The ratio for each matrix whose n is in the range of the ratio and for which both routes have
    a nonzero quantity."""
    found = {}
    for row in rows:
        one = _value(row, ratio.route, ratio.key)
        other = _value(row, ratio.over, ratio.over_key or ratio.key) if ratio.over else 1.0
        if one and other and ratio.low <= row["n"] < ratio.high:
            found[row["matrix"]] = one / other
    return found


def _line(title: str, found: dict[str, float]) -> list[str]:
    return [title, *ratio_cells(found)]


_HEAD = ["", *RATIO_HEAD]


def _overview(rows: Sequence[Row]) -> str:
    return table(_HEAD, [_line(ratio.title, _ratios(rows, ratio)) for ratio in RATIOS])


def _classes(rows: Sequence[Row], ratio: Ratio) -> str:
    counts = Counter(row["class"] for row in rows)
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["class"] if counts[row["class"]] >= LEAST else OTHER, []).append(row)
    found = {kind: _ratios(group, ratio) for kind, group in sorted(groups.items())}
    lines = [_line(kind, ratios) for kind, ratios in found.items() if ratios]
    return table(["class", *_HEAD[1:]], lines)


def _losses(rows: Sequence[Row]) -> str:
    """The matrices on which a ratio is above `MARGIN`, the largest ratio first."""
    lines = []
    for ratio in RATIOS:
        lost = {name: value for name, value in _ratios(rows, ratio).items() if value > MARGIN}
        names = sorted(lost, key=lost.__getitem__, reverse=True)
        shown = ", ".join(f"`{name}` {lost[name]:.2f}" for name in names)
        lines.append(f"- {ratio.title}, above {MARGIN}: {shown or 'none'}")
    return "\n".join(lines)


def _pivots(rows: Sequence[Row]) -> str:
    both = [
        (row["matrix"], mine, theirs)
        for row in rows
        if (mine := _value(row, OURS_KLU, "off")) is not None
        and (theirs := _value(row, KLU, "off")) is not None
    ]
    mine, theirs = (sum(row[k] for row in both) for k in (1, 2))
    more = ", ".join(f"`{name}` {a:,.0f} for {b:,.0f}" for name, a, b in both if a > b)
    return (
        f"{mine:,.0f} by btfperm and {theirs:,.0f} by KLU's default on {len(both)} matrices. "
        f"More by btfperm: {more or 'none'}."
    )


def _predicted(rows: Sequence[Row]) -> str:
    """A table of two lines: the matrices whose pivots are all on the diagonal, for which the
    prediction is exact, and the other matrices."""
    lines = []
    kept = [row for row in rows if _value(row, OURS_KLU, "off") == 0]
    left = [row for row in rows if (_value(row, OURS_KLU, "off") or 0) > 0]
    for title, of in (("all pivots on the diagonal", kept), ("some pivots off it", left)):
        found = {
            row["matrix"]: predicted / actual
            for row in of
            if (predicted := _value(row, OURS_KLU, "predicted"))
            and (actual := _value(row, OURS_KLU, "fill"))
        }
        least = min(found, key=found.__getitem__, default="")
        lines.append([*_line(title, found), f"`{least}`"])
    return table([*_HEAD, "where least"], lines)


def _errors(rows: Sequence[Row]) -> str:
    lines = []
    for route in ALL_ROUTES:
        found = [(value, row["matrix"]) for row in rows if (value := _value(row, route, "error"))]
        above = sorted([pair for pair in found if pair[0] > ERROR], reverse=True)
        shown = ", ".join(f"`{name}` {value:.1e}" for value, name in above)
        lines.append(f"- {route}: {len(above)} of {len(found)} matrices. {shown}".rstrip())
    return "\n".join(lines)


def _each(rows: Sequence[Row]) -> str:
    columns: list[tuple[str, str, str, Callable[[float], str]]] = [
        ("fill KLU", KLU, "fill", "{:,.0f}".format),
        ("fill btfperm", OURS_KLU, "fill", "{:,.0f}".format),
        ("predicted", OURS_KLU, "predicted", "{:,.0f}".format),
        ("off KLU", KLU, "off", "{:,.0f}".format),
        ("off btfperm", OURS_KLU, "off", "{:,.0f}".format),
        ("ms KLU factor", KLU, "factor", milliseconds),
        ("ms, given order", KLU_GIVEN, "factor", milliseconds),
        ("ms splu", SPLU, "whole", milliseconds),
        ("ms KLU", KLU, "whole", milliseconds),
        ("ms btfperm, klu", OURS_KLU, "whole", milliseconds),
        ("ms btfperm, superlu", OURS_SUPERLU, "whole", milliseconds),
    ]

    def cells(row: Row) -> list[str]:
        return [f"{row['n']:,}", *(known(_value(row, r, k), form) for _, r, k, form in columns)]

    return by_matrix(["n", *(column[0] for column in columns)], rows, cells)


def _reasons(rows: Sequence[Row]) -> str:
    found: list[Any] = [
        f"- `{row['matrix']}`, {route}: {row[route]['reason']}"
        for row in rows
        for route in ALL_ROUTES
        if "reason" in row.get(route, {})
    ]
    return "\n".join(found) or "None."
