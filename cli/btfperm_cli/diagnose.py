# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm diagnose MATRIX``: why a matrix is structurally singular, and what would repair it."""

from __future__ import annotations

from typing import Any

import click

from btfperm_cli.help import GroupedCommand
from btfperm_cli.options import (
    drop_zeros_option,
    matrix_argument,
    names_options,
    output_options,
    search_options,
    verbose_option,
)
from btfperm_cli.output import Output
from btfperm_cli.progress import Clock, stage, watcher_of
from btfperm_cli.summary import explanation_lines, search_facts

__all__ = ["diagnose"]


@click.command(
    cls=GroupedCommand,
    short_help="Explain why a matrix is structurally singular.",
    examples=(
        "btfperm diagnose A.mtx  # the groups of rows and columns to blame, and a repair",
        "btfperm diagnose A.mtx --row-names equations.txt --col-names variables.txt",
    ),
)
@matrix_argument
@names_options
@click.option(
    "--full",
    is_flag=True,
    help="List everything, however long; also all sets of identical rows, the rows and columns "
    "of the cover, and the entries in every and in no maximum transversal.",
)
@search_options
@verbose_option
@drop_zeros_option
@output_options
def diagnose(
    out: Output,
    matrix: str,
    row_names: str | None,
    col_names: str | None,
    full: bool,
    **search: Any,
) -> int:
    """Explain why MATRIX is structurally singular: the independent groups of rows and columns that
    are over- or underdetermined, smallest first, each with a minimal explanation; smallest
    repairs (rows to remove, columns to fix, entries to add), with the proof; stored zeros that hide
    a deficiency; rows with identical patterns.

    The result depends on the entries alone, not on the algorithm. Rows and columns count from 0.
    The exit code is 0 whatever is found; `btfperm rank --require-full` is the check.
    """
    explain, drop_zeros = search.pop("explain"), search.pop("drop_zeros")
    verbose = search.pop("verbose")
    if [matrix, row_names, col_names].count("-") > 1:
        raise click.UsageError("only one of the files can be standard input.")

    from btfperm.diagnosis import diagnose as diagnosed
    from btfperm.diagnosis.names import checked_names
    from btfperm.io import read
    from btfperm.pattern import DECOMPOSITION, memory_for

    clock = Clock()
    with memory_for(DECOMPOSITION):
        with stage(f"reading {matrix}", quiet=out.quiet) as progress:
            threads = search["threads"] or 0
            pattern = read(
                matrix, drop_zeros=drop_zeros, threads=threads, progress=progress.advance
            )
        out.subject = matrix
        rows = checked_names(row_names, pattern.m, "row")
        cols = checked_names(col_names, pattern.n, "column")
        clock.stop("read")
        with stage("diagnosing", quiet=out.quiet or verbose) as progress:
            watcher = watcher_of(progress, verbose=verbose)
            found = diagnosed(pattern, row_names=rows, col_names=cols, watcher=watcher, **search)
    clock.stop("diagnose")
    transversal = found.decomposition.transversal
    assert transversal is not None
    facts = {
        "matrix": dict(pattern.source),
        **found.to_dict(**({"limit": None} if full else {})),
        **search_facts(transversal, found.decomposition),
        "seconds": clock.seconds,
    }
    if explain:
        for text in (f"{transversal.algorithm}:", *explanation_lines(facts)):
            out.note(text)
    for line in found.text(**({"limit": None} if full else {})).splitlines():
        out.finding(line)
    out.answer(facts)
    return 0
