# SPDX-License-Identifier: BSD-3-Clause
"""Power flow Jacobians in three layouts of their rows: fill, off-diagonal pivots, backward error.

The set ``real`` has the Jacobians of the folder, and a matrix of three copies of the largest
Jacobian, tied together by power lines (``systems.py``). The other sets have patterns with random
values.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import scipy.sparse as sp

from benchmarks.cases import Case
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    geometric_mean,
    milliseconds,
    paragraphs,
    table,
)
from benchmarks.solvers.routes import (
    ALL_ROUTES,
    KLU,
    OURS_KLU,
    Rows,
    cells,
    libraries_in_words,
    routes,
)
from benchmarks.solvers.systems import LAYOUTS, POWER_FLOW, laid_out, matrix_of, system_of, tied

ROUTES = ALL_ROUTES
COPIES = 3
LARGEST = "pfjac_case13659pegase"
NOTE = (
    "Layouts: rows as they are (natural); with the equations of active and reactive power "
    "exchanged at each bus that has both (swapped); in a random order (shuffled). "
    f"`{LARGEST}_x{COPIES}` has {COPIES} copies of that Jacobian, tied together by the benchmark. "
    "splu and KLU run with their defaults and do not refine; KLU uses its own block triangular "
    "form and AMD. btfperm refines by its default (`refine='auto'`). Times are milliseconds of "
    "processor time on one thread, the least of the runs. Errors are normwise backward errors, the "
    "largest of the runs. The fill is the number of entries of L + U inside the blocks; the fill "
    "of SuperLU includes zeros that it stores."
)


def run(cases: list[Case], options: Options) -> Section:
    """One row for each matrix and layout, with the facts of each route."""
    measured = Rows(options)
    for name, A in _matrices(cases):
        for layout in LAYOUTS:
            facts = {"matrix": f"{name} {layout}", "layout": layout, "n": A.shape[0]}
            system = system_of(laid_out(A, layout))
            measured.add(facts, routes(options.threads, ROUTES), system, "whole")
    rows = measured.all
    parts = [
        ("Fill", "fill", "{:,.0f}".format, ROUTES),
        ("Pivots that are not on the diagonal", "off", "{:,.0f}".format, ROUTES[1:]),
        ("Backward error", "error", "{:.1e}".format, ROUTES),
        ("Factor, ms (splu: with its order)", "factor", milliseconds, ROUTES),
        ("Order, factor and solve, ms", "whole", milliseconds, ROUTES),
    ]
    text = [NOTE, libraries_in_words()]
    for title, key, form, names in parts:
        text.append(f"### {title}")
        of_each = partial(cells, names=names, key=key, form=form)
        text.append(by_matrix(list(names), rows, of_each))
    text += ["### btfperm over KLU by itself, geometric means", _means(rows)]
    return Section(
        "Power flow in three layouts", paragraphs(*text), {"rows": rows}, measured.complaints
    )


def _means(rows: list[Row]) -> str:
    lines = []
    for layout in LAYOUTS:
        both = [
            (row[OURS_KLU], row[KLU])
            for row in rows
            if row["layout"] == layout and "fill" in row.get(KLU, {}) and "fill" in row[OURS_KLU]
        ]
        cells = [
            f"{geometric_mean([one[key] / other[key] for one, other in both]):.3f}"
            for key in ("fill", "factor", "whole")
        ]
        lines.append([layout, str(len(both)), *cells])
    return table(["rows", "matrices", "fill", "factor", "order, factor, solve"], lines)


def _matrices(cases: list[Case]) -> Iterator[tuple[str, sp.csc_array]]:
    """All generated matrices, the real matrices of power flow, and tied copies of the largest
    one."""
    for case in cases:
        if case.path is not None and not case.name.startswith(POWER_FLOW):
            continue
        A = matrix_of(case)
        if A is None:
            continue
        yield case.name, A
        if case.name == LARGEST:
            yield f"{case.name}_x{COPIES}", tied(A, COPIES)
