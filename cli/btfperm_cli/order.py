# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm MATRIX [-o OUT]``: decompose, write the permutations, say what was found."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from btfperm_cli.options import (
    FileName,
    RowName,
    convention_names,
    drop_zeros_option,
    is_replaced,
    is_same_file,
    matrix_argument,
    no_clobber_option,
    output_options,
    result_format_names,
    search_options,
)
from btfperm_cli.output import Output, complain, reader_may_leave
from btfperm_cli.progress import Clock, stage
from btfperm_cli.summary import (
    explained,
    report_lines,
    searched,
    stopped_sentence,
    zeros_of,
)

if TYPE_CHECKING:
    from btfperm.pattern import Pattern
    from btfperm.results import Transversal

__all__ = ["order"]

# What `summarize` adds, unknown where a limit ended the search.
FROM_THE_DECOMPOSITION = (
    "structural_rank",
    "deficiency",
    "coarse",
    "fine_blocks",
    "singletons",
    "largest_block",
    "advice",
)


@click.command(hidden=True)
@matrix_argument
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=FileName(dir_okay=False),
    metavar="OUT",
    help="Write the permutations: perm.npz, .mat, .json or .txt; may be repeated; - is stdout.",
)
@click.option(
    "--format",
    "file_format",
    type=RowName(result_format_names),
    help="Format of OUT, whatever its name.",
)
@click.option(
    "--convention",
    type=RowName(convention_names),
    help="Whose convention OUT is written in.  [default: matlab for .mat, else btfperm]",
)
@no_clobber_option
@search_options
@drop_zeros_option
@output_options
def order(
    out: Output,
    matrix: str,
    outputs: tuple[str, ...],
    file_format: str | None,
    convention: str | None,
    no_clobber: bool,
    **search: Any,
) -> int:
    """Decompose MATRIX and write the permutations."""
    only_with_output = {
        "--format": file_format,
        "--convention": convention,
        "--no-clobber": no_clobber,
    }
    for name, value in only_with_output.items():
        if value and not outputs:
            raise click.UsageError(f"{name} goes with -o.")
    check_targets(matrix, outputs, file_format, no_clobber=no_clobber)
    out.to_stderr = "-" in outputs
    explain, drop_zeros = search.pop("explain"), search.pop("drop_zeros")

    from btfperm.dulmage_mendelsohn import decompose_proven
    from btfperm.errors import InvalidArgumentError
    from btfperm.io import read
    from btfperm.pattern import DECOMPOSITION, KeptPattern, memory_for
    from btfperm.reports.summary import summarize
    from btfperm.transversal import maximum_transversal
    from btfperm.transversal.limits import Controls

    out.expects_zeros = True
    clock = Clock()
    with memory_for(DECOMPOSITION):
        with stage(f"reading {matrix}", quiet=out.quiet) as progress:
            threads = search["threads"] or 0
            pattern = read(
                matrix, drop_zeros=drop_zeros, threads=threads, progress=progress.advance
            )
        clock.stop("read")
        out.subject = matrix
        with stage("searching", quiet=out.quiet):
            kept = KeptPattern.of(pattern)
            transversal = maximum_transversal(kept, **search)
        clock.stop("search")
        if not transversal.maximum:
            return stopped(out, matrix, pattern, transversal, outputs, clock, explain)
        with stage("decomposing", quiet=out.quiet):
            team = Controls(pattern.nnz, threads=search["threads"]).threads
            result = decompose_proven(kept, transversal, team)
            kept.forget()
        clock.stop("decompose")
    replaced = []
    for path in outputs:
        if is_replaced(path, no_clobber=no_clobber):
            replaced.append(path)
        with stage(f"writing {path}", quiet=out.quiet):
            try:
                with reader_may_leave(sys.stdout) if path == "-" else nullcontext():
                    result.save(
                        path, format=file_format, convention=convention, replace=not no_clobber
                    )
            except InvalidArgumentError as error:  # the convention does not fit this matrix
                raise InvalidArgumentError(f"{matrix}: {error}") from None
    if outputs:
        clock.stop("write")

    facts = {
        "matrix": dict(pattern.source),
        "entries": pattern.nnz,
        **summarize(result),
        "stored_zeros": zeros_of(pattern, out.zeros),
        **searched(transversal),
        "seconds": clock.seconds,
        "written": list(outputs),
        "replaced": replaced,
    }
    for line in report_lines(facts, name=matrix, explain=explain):
        out.say(line)
    out.answer(facts)
    return 0


def check_targets(
    matrix: str, outputs: tuple[str, ...], file_format: str | None, *, no_clobber: bool
) -> None:
    """Refuse what could not be written before the work is done, not after."""
    for path in outputs:
        if not file_format and Path(path).suffix[1:].lower() not in result_format_names():
            known = ", ".join(f".{name}" for name in result_format_names())
            raise click.UsageError(f"{path}: end the name in {known}, or name a --format.")
        if path != "-" and is_same_file(matrix, path):
            raise click.UsageError(f"{path} is the matrix; name another output.")
        is_replaced(path, no_clobber=no_clobber)
        if path != "-" and not Path(path).parent.is_dir():
            from btfperm.errors import ResourceMissingError

            raise ResourceMissingError(f"{path}: there is no directory {Path(path).parent}")


def stopped(
    out: Output,
    matrix: str,
    pattern: Pattern,
    transversal: Transversal,
    outputs: tuple[str, ...],
    clock: Clock,
    explain: bool,
) -> int:
    """A limit ended the search: bounds instead of a decomposition, of which nothing is known."""
    reason = f"{matrix}: {stopped_sentence(transversal)}"
    if outputs:
        reason += f"; {', '.join(outputs)} not written: raise the limit"
    facts = {
        "matrix": dict(pattern.source),
        "entries": pattern.nnz,
        "rows": pattern.m,
        "cols": pattern.n,
        **dict.fromkeys(FROM_THE_DECOMPOSITION),
        "stored_zeros": zeros_of(pattern, out.zeros),
        **searched(transversal),
        "seconds": clock.seconds,
        "written": [],
        "replaced": [],
        "error": reason,
        "exit_code": 1,
    }
    if explain:
        for text in explained(facts):
            out.say(text)
    if not out.as_json:
        complain(reason)
    out.answer(facts)
    return 1
