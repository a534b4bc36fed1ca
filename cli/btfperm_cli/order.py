# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm MATRIX [-o OUT]``: decompose, write the permutations, say what was found."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from btfperm_cli.options import (
    drop_zeros_option,
    is_same_file,
    matrix_argument,
    output_options,
    search_options,
)
from btfperm_cli.output import Output, emit
from btfperm_cli.progress import stage
from btfperm_cli.summary import report_lines, searched, stopped_sentence

if TYPE_CHECKING:
    from btfperm.pattern import Pattern
    from btfperm.results import Transversal

__all__ = ["order"]

FORMATS = ("npz", "mat", "json", "txt")


@click.command(hidden=True)
@matrix_argument
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="OUT",
    help="Write the permutations: perm.npz, .mat, .json or .txt; may be repeated; - is stdout.",
)
@click.option(
    "--format", "file_format", type=click.Choice(FORMATS), help="Format of OUT, whatever its name."
)
@click.option("--convention", metavar="NAME", help="Write OUT in the convention of a solver.")
@search_options
@drop_zeros_option
@output_options
def order(
    out: Output,
    matrix: str,
    outputs: tuple[str, ...],
    file_format: str | None,
    convention: str | None,
    **search: Any,
) -> int:
    """Decompose MATRIX and write the permutations."""
    check_targets(matrix, outputs, file_format, convention)
    out.to_stderr = "-" in outputs
    explain, drop_zeros = search.pop("explain"), search.pop("drop_zeros")

    from btfperm.dulmage_mendelsohn import dulmage_mendelsohn
    from btfperm.io import read
    from btfperm.reports.summary import summarize
    from btfperm.transversal import maximum_transversal

    out.expects_zeros = True
    clock = Clock()
    with stage(f"reading {matrix}", quiet=out.quiet) as progress:
        threads = search["threads"] or 0
        pattern = read(matrix, drop_zeros=drop_zeros, threads=threads, progress=progress.advance)
    clock.stop("read")
    with stage("searching", quiet=out.quiet):
        transversal = maximum_transversal(pattern, **search)
    clock.stop("search")
    if not transversal.maximum:
        return stopped(out, matrix, transversal, outputs)
    with stage("decomposing", quiet=out.quiet):
        result = dulmage_mendelsohn(pattern, transversal=transversal)
    clock.stop("decompose")
    for path in outputs:
        with stage(f"writing {path}", quiet=out.quiet):
            result.save(path, format=file_format, convention=convention)
    if outputs:
        clock.stop("write")

    facts = {
        "matrix": dict(result.meta.get("matrix", {})),
        "entries": pattern.nnz,
        **summarize(result),
        "stored_zeros": zeros_of(pattern, out.zeros),
        **searched(transversal),
        "seconds": clock.seconds,
        "written": list(outputs),
    }
    for line in report_lines(facts, name=matrix, explain=explain):
        out.say(line)
    out.answer(facts)
    return 0


class Clock:
    """Seconds of each stage, in order."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage], self._since = round(now - self._since, 6), now


def check_targets(
    matrix: str, outputs: tuple[str, ...], file_format: str | None, convention: str | None
) -> None:
    """Refuse what could not be written before the work is done, not after."""
    for path in outputs:
        if not file_format and Path(path).suffix[1:].lower() not in FORMATS:
            known = ", ".join(f".{name}" for name in FORMATS)
            raise click.UsageError(f"{path}: end the name in {known}, or name a --format.")
        if path != "-" and is_same_file(matrix, path):
            raise click.UsageError(f"{path} is the matrix; name another output.")
        if path != "-" and not Path(path).parent.is_dir():
            from btfperm.errors import ResourceMissingError

            raise ResourceMissingError(f"{path}: there is no directory {Path(path).parent}")
    if convention is not None:
        from btfperm.conventions import CONVENTIONS

        if convention not in CONVENTIONS:
            raise click.UsageError(
                f"there is no convention {convention!r}; choose from {', '.join(CONVENTIONS)}."
            )


def zeros_of(pattern: Pattern, warned: dict[str, Any]) -> dict[str, Any] | None:
    """How many entries are stored as zero, and what the library found out about them."""
    if pattern.stored_zeros is None:
        return None
    note = str(warned.get("note", "")).removeprefix(f"{pattern.name}: ")
    return {
        "count": pattern.stored_zeros.nnz,
        "dropped": pattern.zeros_dropped,
        "other_rank": warned.get("other_rank"),
        "note": note,
    }


def stopped(out: Output, matrix: str, transversal: Transversal, outputs: tuple[str, ...]) -> int:
    """A limit ended the search: bounds instead of a decomposition."""
    facts = {
        "rows": transversal.shape[0],
        "cols": transversal.shape[1],
        "stopped_by": transversal.stopped_by,
        **searched(transversal),
        "seconds": dict(transversal.seconds),
        "written": [],
        "exit_code": 1,
    }
    reason = stopped_sentence(transversal)
    if outputs:
        facts["error"] = f"{', '.join(outputs)} not written, as no rank is proven; raise the limit"
    out.say(f"{matrix}: {reason}")
    if outputs and not out.as_json:
        emit(f"btfperm: {facts['error']}", err=True)
    out.answer(facts)
    return 1
