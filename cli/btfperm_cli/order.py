# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm MATRIX [-o OUT]``: decompose, write the permutations, print a summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from btfperm_cli.help import GroupedCommand
from btfperm_cli.option_types import FileName, RowName, convention_names, result_format_names
from btfperm_cli.options import (
    drop_zeros_option,
    format_option,
    matrix_argument,
    no_clobber_option,
    output_options,
    search_options,
    verbose_option,
)
from btfperm_cli.output import Output, complain
from btfperm_cli.output_files import check_output, is_replaced, open_to_reader
from btfperm_cli.progress import Stages, watcher_of
from btfperm_cli.summary import (
    LABEL,
    explanation_lines,
    report_lines,
    search_facts,
    source_of,
    stopped_sentence,
    zeros_of,
)

if TYPE_CHECKING:
    from btfperm.order import Ordered
    from btfperm.results import Decomposition

__all__ = ["order"]

# The keys of `summarize`, whose values are unknown if a limit ended the search.
FROM_THE_DECOMPOSITION = (
    "structural_rank",
    "deficiency",
    "coarse",
    "fine_blocks",
    "singletons",
    "largest_block",
    "advice",
)


@click.command(
    cls=GroupedCommand,
    hidden=True,
    examples=(
        "btfperm A.mtx -o perm.npz  # decompose, and write the permutations",
        "btfperm A.mtx.gz -o perm.txt --solver klu  # P, Q, R for klu_analyze_given",
        "btfperm A.mtx -o perm.npz --weights product  # large entries on the diagonal",
        "curl -s URL | btfperm - --json  # read standard input, print one JSON object",
    ),
)
@matrix_argument
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=FileName(dir_okay=False),
    metavar="OUT",
    help="Write the permutations: perm.npz, .mat, .json, .txt or .petsc; may be repeated; - is "
    "stdout.",
)
@format_option(RowName(result_format_names))
@click.option(
    "--convention",
    type=RowName(convention_names),
    help="Whose convention OUT is written in.  [default: that of --solver, matlab for .mat, else "
    "btfperm]",
)
@click.option(
    "--solver",
    type=click.Choice(["klu", "superlu"]),
    help="Also compute an order inside the blocks that reduces the fill of this solver.",
)
@click.option(
    "--weights",
    type=click.Choice(["product", "sum", "bottleneck", "none"]),
    help="Match the entries with the largest product, the largest sum, or the largest smallest "
    "modulus, and scale them; the file must hold values. Large matrices over MPI ranks: product or "
    "sum.  [default: none; with --solver product, where the solver would leave the "
    "diagonal or need more fill]",
)
@no_clobber_option
@search_options
@verbose_option
@drop_zeros_option
@output_options
def order(
    out: Output,
    matrix: str,
    outputs: tuple[str, ...],
    file_format: str | None,
    convention: str | None,
    solver: str | None,
    weights: str | None,
    no_clobber: bool,
    **search: Any,
) -> int:
    """Decompose MATRIX and write the permutations."""
    only_with_output = {
        "--format": file_format,
        "--convention": convention,
        "--solver": solver,
        "--no-clobber": no_clobber,
    }
    for name, value in only_with_output.items():
        if value and not outputs:
            raise click.UsageError(f"{name} goes with -o.")
    check_targets(matrix, outputs, file_format, no_clobber=no_clobber)
    if solver and convention:
        from btfperm.io.perm_file import target

        for path in outputs:
            target(path, file_format, convention, solver)
    out.to_stderr = "-" in outputs
    explain, drop_zeros = search.pop("explain"), search.pop("drop_zeros")
    verbose = search.pop("verbose")

    from btfperm.backends.mpi.launch import communicator
    from btfperm.errors import InvalidArgumentError
    from btfperm.order import order_file
    from btfperm.reports.summary import summarize

    out.expects_zeros = True
    replaced = []

    def write(result: Decomposition, path: str, **how: str | None) -> None:
        if is_replaced(path, no_clobber=no_clobber):
            replaced.append(path)
        try:
            with open_to_reader(path):
                result.save(path, **how, replace=not no_clobber)
        except InvalidArgumentError as error:  # the convention does not fit this matrix
            raise InvalidArgumentError(f"{matrix}: {error}") from None

    def advance(name: str, *progress: Any) -> None:
        if name == "search":  # errors from here on do not concern the input file
            out.subject = matrix
        stages.advance(name, *progress)

    with Stages(quiet=out.quiet or verbose) as stages:
        done = order_file(
            matrix,
            outputs,
            format=file_format,
            convention=convention,
            solver=solver,
            weights=weights,
            drop_zeros=drop_zeros,
            progress=advance,
            write=write,
            comm=communicator(search["backend"]),
            watcher=watcher_of(stages, verbose=verbose),
            **search,
        )
    pattern, transversal, result = done.pattern, done.transversal, done.decomposition
    if note := getattr(pattern, "note", ""):
        out.note(f"note: {note}")
    if result is None:
        return stopped(out, matrix, done, outputs, explain)
    facts = {
        "matrix": source_of(pattern),
        "entries": pattern.nnz,
        **summarize(result),
        "stored_zeros": zeros_of(pattern, out.zeros),
        **search_facts(transversal, result),
        **order_facts(done),
        "seconds": done.seconds,
        "written": list(outputs),
        "replaced": replaced,
    }
    for line in report_lines(facts, name=matrix, explain=explain):
        out.say(line, label=LABEL if line.startswith("  ") else 0)
    out.answer(facts)
    return 0


def order_facts(done: Ordered) -> dict[str, Any]:
    """The weights, with moduli on the diagonal; the solver; the order inside the blocks. None for
    what the call did not compute."""
    ordered, weighted, diagonals = done.solver_order, done.weighted, done.diagonals
    weights = None
    if weighted is not None and weighted.transversal is not None and diagonals is not None:
        parts = diagonals._asdict().items()
        diagonal = {name: part and part._asdict() for name, part in parts}
        weights = {**(weighted.transversal.weights or {}), "diagonal": diagonal}
    return {
        "weights": weights,
        "solver": None if ordered is None else ordered.solver,
        "block_ordering": None if ordered is None else ordered.block_ordering,
    }


def check_targets(
    matrix: str, outputs: tuple[str, ...], file_format: str | None, *, no_clobber: bool
) -> None:
    """Before the work begins, refuse outputs that could not be written after it."""
    for path in outputs:
        if not file_format and Path(path).suffix[1:].lower() not in result_format_names():
            known = ", ".join(f".{name}" for name in result_format_names())
            raise click.UsageError(f"{path}: end the name in {known}, or name a --format.")
        check_output(path, (matrix,), no_clobber=no_clobber)


def stopped(
    out: Output,
    matrix: str,
    done: Ordered,
    outputs: tuple[str, ...],
    explain: bool,
) -> int:
    """Report bounds of the rank instead of a decomposition, after a limit ended the search."""
    pattern, transversal = done.pattern, done.transversal
    reason = f"{matrix}: {stopped_sentence(transversal)}"
    if outputs:
        reason += f"; {', '.join(outputs)} not written: raise the limit"
    facts = {
        "matrix": source_of(pattern),
        "entries": pattern.nnz,
        "rows": pattern.m,
        "cols": pattern.n,
        **dict.fromkeys(FROM_THE_DECOMPOSITION),
        "stored_zeros": zeros_of(pattern, out.zeros),
        **search_facts(transversal),
        **order_facts(done),
        "seconds": done.seconds,
        "written": [],
        "replaced": [],
        "error": reason,
        "exit_code": 1,
    }
    if explain:
        for text in explanation_lines(facts):
            out.say(text)
    if not out.as_json:
        complain(reason)
    out.answer(facts)
    return 1
