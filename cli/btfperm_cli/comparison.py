# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm solve MATRIX --compare``: the table of all solvers on this machine."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from btfperm_cli.json_keys import finite, finite_parts
from btfperm_cli.output import Output, complain
from btfperm_cli.progress import stage
from btfperm_cli.summary import count

if TYPE_CHECKING:
    from btfperm.preorder import SolverRun

__all__ = ["compared"]

WIDEST = 200  # columns of text; the table is as wide as its contents


def compared(
    out: Output, facts: dict[str, Any], valued: Any, right: Any, limits: tuple[int, float]
) -> int:
    """Compares the solvers and prints the table, with the reason for each that failed. The exit
    code is 1 if all failed."""
    from btfperm.preorder import compare_solvers

    repeats, budget = limits
    with stage("comparing the solvers", quiet=out.quiet):
        rows = compare_solvers(valued, right, repeats=repeats, budget=budget)
    failed = all(row.error is not None for row in rows)
    name = "standard input" if out.subject == "-" else out.subject
    sentence = f"{name}: no solver solved this system: {reason(rows[-1])}" if failed else None
    entries = count(facts["entries"], "entry", "entries")
    out.say(f"{name}: {facts['rows']:,} x {facts['cols']:,}, {entries}")
    if not failed:
        for line in table_lines(rows):
            out.say(line)
    for row in rows:
        if row.error is not None:
            out.say(f"{title(row, rows)}: {reason(row)}")
    for line in notes(rows, repeats, budget, is_given=right is not None):
        out.say(line)
    facts |= {
        "right_hand_sides": 1 if right is None or right.ndim == 1 else right.shape[1],
        "comparison": [as_json(row) for row in rows],
        "measured": {"repeats": repeats, "budget": budget, "known_solution": right is None},
    }
    if failed:
        facts |= {"error": sentence, "exit_code": 1}
        if not out.as_json:
            complain(str(sentence))
    out.answer(facts)
    return 1 if failed else 0


def title(row: SolverRun, rows: Sequence[SolverRun]) -> str:
    """The solver, whose order it uses, and the library if `rows` have several for the solver."""
    how = "btfperm" if row.ordering == "btfperm" else "alone"
    from btfperm.preorder.compare import ambiguous_library

    library = ambiguous_library(row, rows)
    suffix = f" ({library})" if library else ""
    return f"{'KLU' if row.solver == 'klu' else 'SuperLU'}, {how}{suffix}"


def reason(row: SolverRun) -> str:
    """Why the solver failed, without the explanation in the lines after the first one."""
    return str(row.error).partition("\n")[0]


COLUMNS: dict[str, Callable[[SolverRun], object]] = {
    "order": lambda row: milliseconds(row.order_seconds),
    "factor": lambda row: milliseconds(row.factor_seconds),
    "solve": lambda row: milliseconds(row.solve_seconds),
    "total": lambda row: milliseconds(row.total_seconds),
    "refactor": lambda row: milliseconds(row.refactor_seconds),
    "nnz(L+U)": lambda row: "-" if row.nnz is None else f"{row.nnz:,}",
    "off-diagonal": lambda row: (
        "-" if row.off_diagonal_pivots is None else f"{row.off_diagonal_pivots:,}"
    ),
    "error": lambda row: error_text(row.backward_error),
    "refined": lambda row: error_text(row.refined_error),
}


def milliseconds(seconds: float | None) -> str:
    """Three digits, or all digits of a whole number from 100 on; a step that does not exist is a
    dash."""
    if seconds is None:
        return "-"
    time = 1000 * seconds
    return f"{time:,.0f}" if time >= 99.95 else f"{time:.3g}"


def error_text(error: Any) -> str:
    return "-" if error is None else f"{error.componentwise:.1e}"


def table_lines(rows: Sequence[SolverRun]) -> list[str]:
    """The table as text in ASCII, so that every terminal and pipe shows the same."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("solver, order")
    for name in COLUMNS:
        table.add_column(name, justify="right")
    for row in rows:
        if row.error is None:
            table.add_row(title(row, rows), *(str(cell(row)) for cell in COLUMNS.values()))
        else:
            table.add_row(title(row, rows), "failed")
    text = io.StringIO()
    Console(file=text, width=WIDEST, color_system=None, markup=False, emoji=False).print(table)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def notes(rows: Sequence[SolverRun], repeats: int, budget: float, *, is_given: bool) -> list[str]:
    """How the numbers were measured; nothing if no solver succeeded."""
    runs = {row.runs for row in rows if row.error is None}
    if not runs:
        return []
    done = f"{min(runs)} to {max(runs)}" if len(runs) > 1 else f"{max(runs)}"
    b = "the one given" if is_given else "made from a known solution"
    libraries = dict.fromkeys(row.library for row in rows if row.library)
    return [
        f"Times are in milliseconds: medians of {done} runs (--repeats {repeats}; no run of a "
        f"solver starts after {budget:g} s).",
        "SuperLU alone orders inside the factorization. A refactorization has the same values.",
        "Pivots count as off-diagonal if they leave the diagonal of the order; for SuperLU alone, "
        "that of the matrix.",
        f"The errors are componentwise backward errors, before and after one step of refinement; "
        f"the right-hand side is {b}.",
        f"Libraries: {', '.join(libraries)}.",
    ]


def as_json(row: SolverRun) -> dict[str, Any]:
    """All fields; a number that is not finite is null."""
    facts = {field.name: getattr(row, field.name) for field in fields(row)}
    for name in ("backward_error", "refined_error"):
        facts[name] = finite_parts(facts[name])
    facts["forward_error"] = finite(row.forward_error)
    return facts
