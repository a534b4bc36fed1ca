# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm solve MATRIX RHS -o OUT``: the solution of a system; ``--compare``: all solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from btfperm_cli.comparison import compared
from btfperm_cli.help import GroupedCommand
from btfperm_cli.json_keys import JSON_KEYS, finite, finite_parts
from btfperm_cli.option_types import FileName, Seconds, WholeNumber
from btfperm_cli.options import (
    drop_zeros_option,
    format_option,
    matrix_argument,
    no_clobber_option,
    output_options,
    target_option,
)
from btfperm_cli.output import Output
from btfperm_cli.output_files import check_output, is_replaced, open_to_reader
from btfperm_cli.progress import stage
from btfperm_cli.summary import count, line, seconds_line

if TYPE_CHECKING:
    from btfperm.preorder import Solution

__all__ = ["solve"]

REPEATS = 5
BUDGET = 10.0


@click.command(
    cls=GroupedCommand,
    short_help="Solve a system, or compare the solvers of this machine.",
    examples=(
        "btfperm solve A.mtx b.mtx -o x.mtx  # order, factor, solve, refine",
        "btfperm solve A.mtx --compare  # measure KLU and SuperLU on this machine",
    ),
)
@matrix_argument
@click.argument("rhs", required=False, type=FileName())
@target_option(
    "Write the solution: x.mtx (Matrix Market array; also packed) or x.npy; - is stdout."
)
@format_option(click.Choice(["mtx", "npy"]), "mtx")
@click.option(
    "--solver",
    type=click.Choice(["auto", "klu", "superlu"]),
    help="The solver.  [default: auto, which is klu if `btfperm doctor` finds it]",
)
@click.option(
    "--weights",
    type=click.Choice(["auto", "product", "none"]),
    help="The entries on the diagonal: with product those with the largest product, with none "
    "those of a transversal of the pattern, with auto those that are better for the solver.  "
    "[default: auto]",
)
@click.option(
    "--block-ordering",
    type=click.Choice(["auto", "amd", "colamd", "minimum-fill", "rcm", "natural"]),
    help="The fill-reducing order inside the blocks.  [default: auto]",
)
@click.option("--transpose", is_flag=True, help="Solve with the transposed matrix.")
@click.option(
    "--compare",
    is_flag=True,
    help="Measure SuperLU and each KLU found, with and without btfperm; RHS may be left out.",
)
@click.option(
    "--repeats",
    type=WholeNumber(1, 1_000_000),
    metavar="N",
    help=f"With --compare: runs of each solver, whose medians are printed.  [default: {REPEATS}]",
)
@click.option(
    "--budget",
    type=Seconds(),
    metavar="SECONDS",
    help="With --compare: start no further run of a solver after this time.  "
    f"[default: {BUDGET:g}]",
)
@no_clobber_option
@drop_zeros_option
@output_options
def solve(
    out: Output,
    matrix: str,
    rhs: str | None,
    target: str | None,
    file_format: str | None,
    transpose: bool,
    compare: bool,
    repeats: int | None,
    budget: float | None,
    no_clobber: bool,
    drop_zeros: bool,
    **choices: str | None,
) -> int:
    """Solve the system of MATRIX with the right-hand sides RHS: order, factor, solve and refine.

    RHS has one right-hand side in each column: a matrix file of any format, or .npy. One of MATRIX
    and RHS may be -, standard input. Without -o only the summary is printed.
    Rows and columns in messages count from 0.
    """
    if matrix == rhs == "-":
        raise click.UsageError(
            "standard input is either the matrix or the right-hand side, not both."
        )
    one_solver = {"-o": target, "--transpose": transpose}
    one_solver |= {f"--{name.replace('_', '-')}": value for name, value in choices.items()}
    for name, choice in one_solver.items():
        if compare and choice:
            raise click.UsageError(f"{name} does not go with --compare.")
    for name, limit in {"--repeats": repeats, "--budget": budget}.items():
        if limit is not None and not compare:
            raise click.UsageError(f"{name} goes with --compare.")
    for name, given in {"--format": file_format, "--no-clobber": no_clobber}.items():
        if given and target is None:
            raise click.UsageError(f"{name} goes with -o.")
    if rhs is None and not compare:
        raise click.UsageError("give the right-hand side after the matrix, or --compare.")
    if target is not None:
        check_target(target, (matrix, rhs), file_format, no_clobber=no_clobber)
    out.to_stderr = target == "-"

    from btfperm.preorder.system import read_system
    from btfperm.preorder.system import solve as solved

    with stage(f"reading {matrix}", quiet=out.quiet):
        valued, right = read_system(matrix, rhs, drop_zeros=drop_zeros)
    out.subject = matrix
    facts = dict.fromkeys(JSON_KEYS["solve"]) | {
        "matrix": dict(valued.pattern.source),
        "entries": valued.nnz,
        "rows": valued.shape[0],
        "cols": valued.shape[1],
        "right_hand_side": rhs,
    }
    if compare:
        return compared(out, facts, valued, right, (repeats or REPEATS, budget or BUDGET))
    how: dict[str, Any] = {name: value for name, value in choices.items() if value}
    with stage("solving", quiet=out.quiet):
        solution = solved(valued, right, trans="T" if transpose else "N", **how)
    replaced = write(solution, target, file_format, out, no_clobber=no_clobber)
    facts |= solution_facts(solution, transpose) | {"written": target, "replaced": replaced}
    for text in report_lines(facts, matrix):
        out.say(text)
    out.answer(facts)
    return 0


def check_target(
    target: str, inputs: tuple[str | None, ...], file_format: str | None, *, no_clobber: bool
) -> None:
    """Before the work begins, refuse an output that could not be written after it."""
    from btfperm.io.vectors import writes

    if writes(target, file_format) is None:
        raise click.UsageError(f"{target}: end the name in .mtx or .npy, or name a --format.")
    check_output(target, inputs, no_clobber=no_clobber)


def write(
    solution: Solution,
    target: str | None,
    file_format: str | None,
    out: Output,
    *,
    no_clobber: bool,
) -> bool | None:
    """Writes the solution, and returns whether an older file was replaced."""
    if target is None:
        return None
    replaced = is_replaced(target, no_clobber=no_clobber)
    with (
        stage(f"writing {target}", quiet=out.quiet),
        open_to_reader(target),
    ):
        solution.save(target, format=file_format, replace=not no_clobber)
    return replaced


def solution_facts(solution: Solution, transpose: bool) -> dict[str, Any]:
    """What the report and the JSON object contain about the solution."""
    p, F, x = solution.preordering, solution.factors, solution.x
    return {
        "right_hand_sides": x.shape[1] if x.ndim == 2 else 1,
        "transposed": transpose,
        "solver": F.backend,
        "weights": p.weights,
        "block_ordering": p.block_ordering,
        "blocks": p.n_blocks,
        "fill": F.fill,
        "nnz": F.nnz,
        "off_diagonal_pivots": F.off_diagonal_pivots,
        "rcond": finite(F.rcond),
        "backward_error": finite_parts(solution.backward_error),
        "seconds": {step: round(seconds, 6) for step, seconds in solution.seconds.items()},
    }


def report_lines(facts: dict[str, Any], matrix: str) -> list[str]:
    """The summary for a person."""
    name = "standard input" if matrix == "-" else matrix
    entries = count(facts["entries"], "entry", "entries")
    sides = count(facts["right_hand_sides"], "right-hand side")
    above = facts["nnz"] - facts["fill"]
    error, rcond = facts["backward_error"], facts["rcond"]
    normwise, componentwise = (
        "infinite" if part is None else f"{part:.2g}"
        for part in (error["normwise"], error["componentwise"])
    )
    diagonal = "largest product" if facts["weights"] == "product" else "transversal of the pattern"
    lines = {
        "solver": facts["solver"] + (", transposed" if facts["transposed"] else ""),
        "diagonal": diagonal,
        "blocks": f"{facts['blocks']:,}, {facts['block_ordering']} inside",
        "fill": f"{facts['fill']:,} entries in L + U, {above:,} above the blocks",
        "pivots": f"{facts['off_diagonal_pivots']:,} off the diagonal",
        "backward error": f"{normwise} normwise, {componentwise} componentwise",
        "rcond": "unknown" if rcond is None else f"{rcond:.2g} (smallest / largest pivot)",
    }
    if facts["written"] not in (None, "-"):
        lines["written"] = facts["written"] + (" (replaced)" if facts["replaced"] else "")
    head = f"{name}: {facts['rows']:,} x {facts['cols']:,}, {entries}, {sides}"
    rows = [line(title, text) for title, text in lines.items()]
    return [head, *rows, seconds_line(facts["seconds"])]
