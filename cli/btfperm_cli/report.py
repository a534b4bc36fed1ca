# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm report MATRIX -o report.html``: one HTML page with all that is known."""

from __future__ import annotations

import click

from btfperm_cli.help import GroupedCommand
from btfperm_cli.json_keys import JSON_KEYS
from btfperm_cli.options import (
    drop_zeros_option,
    matrix_argument,
    names_options,
    no_clobber_option,
    output_options,
    target_option,
    threads_option,
)
from btfperm_cli.output import Output
from btfperm_cli.output_files import check_output, is_replaced, open_to_reader
from btfperm_cli.progress import stage

__all__ = ["report"]

WITHIN = 10.0  # seconds


@click.command(
    cls=GroupedCommand,
    short_help="Write a report as one HTML page.",
    examples=("btfperm report A.mtx -o report.html  # findings, pictures, tables, how to use it",),
)
@matrix_argument
@target_option("The page, for instance report.html; - is stdout.", required=True)
@names_options
@click.option(
    "--solvers-within",
    "within",
    type=click.FloatRange(0, 1e8),
    metavar="SECONDS",
    default=WITHIN,
    help="Measure the solvers of this machine if that is expected to take no longer; 0: do not.  "
    f"[default: {WITHIN:g}]",
)
@threads_option("Threads that search and count.  [default: all cores this process may use]")
@no_clobber_option
@drop_zeros_option
@output_options
def report(
    out: Output,
    matrix: str,
    target: str,
    row_names: str | None,
    col_names: str | None,
    within: float,
    threads: int | None,
    no_clobber: bool,
    drop_zeros: bool,
) -> int:
    """Write a report about MATRIX: findings, picture, blocks, diagnosis, solvers, time.

    It is one page that needs no network. Rows and columns count from 0.
    """
    check_output(target, (matrix, row_names, col_names), no_clobber=no_clobber)
    out.to_stderr = target == "-"

    from btfperm.io.atomic_write import atomic_write
    from btfperm.reports.page import page, subject_of

    with stage(f"reading and decomposing {matrix}", quiet=out.quiet):
        subject = subject_of(matrix, drop_zeros=drop_zeros, threads=threads, within=within)
    out.subject = matrix
    with stage("writing the report", quiet=out.quiet):
        text = page(subject, row_names, col_names, within, drop_zeros, threads).encode()
    replaced = is_replaced(target, no_clobber=no_clobber)
    with (
        open_to_reader(target),
        atomic_write(target, replace=not no_clobber) as file,
    ):
        file.write(text)
    d, pattern = subject.decomposition, subject.pattern
    out.say(f"{target}{' (replaced)' if replaced else ''}: {len(text):,} bytes")
    out.answer(
        dict.fromkeys(JSON_KEYS["report"])
        | {
            "matrix": dict(pattern.source),
            "entries": pattern.nnz,
            "rows": pattern.m,
            "cols": pattern.n,
            "structural_rank": d.structural_rank,
            "fine_blocks": d.n_blocks,
            "seconds": {name: round(taken, 6) for name, taken in subject.seconds.items()},
            "written": target,
            "replaced": replaced,
            "bytes": len(text),
        }
    )
    return 0
