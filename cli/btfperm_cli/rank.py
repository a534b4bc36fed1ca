# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm rank MATRIX``: the structural rank, alone on stdout."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from btfperm.printable import printable
from btfperm_cli.failure import Failure, guarded
from btfperm_cli.help import GroupedCommand
from btfperm_cli.option_types import MATRIX
from btfperm_cli.options import drop_zeros_option, output_options, search_options, verbose_option
from btfperm_cli.output import Output, complain
from btfperm_cli.progress import Clock, stage, watcher_of
from btfperm_cli.summary import (
    count,
    explanation_lines,
    search_facts,
    source_of,
    stopped_sentence,
    zeros_of,
)

if TYPE_CHECKING:
    from btfperm.diagnosis import Diagnosis
    from btfperm.pattern import Pattern
    from btfperm.results import Transversal

__all__ = ["rank"]

MOST_FOR_ONE = 70  # the largest exit code that concerns one file
NAMED = 5  # the rows, and the columns, to remove that the JSON object names at most


@click.command(
    cls=GroupedCommand,
    short_help="Print the structural rank.",
    examples=(
        "btfperm rank A.mtx  # the structural rank alone",
        "btfperm rank *.mtx.gz  # one line for each file",
        "btfperm rank A.mtx --require-full  # exit code 1 if it is structurally singular",
        "btfperm rank A.mtx -v  # show the steps while they run",
    ),
)
@click.argument("matrices", metavar="MATRIX...", nargs=-1, required=True, type=MATRIX)
@click.option(
    "--require-full", is_flag=True, help="Exit with 1 unless the rank is min(rows, columns)."
)
@search_options
@verbose_option
@drop_zeros_option
@output_options
def rank(out: Output, matrices: tuple[str, ...], **how: Any) -> int:
    """Print the structural rank of each MATRIX.

    The number of one matrix stands alone on stdout. Of several, each line has the number, a tab and
    the name of the file; --json prints one object for each on a line of its own. A file that cannot
    be read does not keep the others from being read, and the exit code is the largest of all. If a
    limit ends the search, bounds of the rank are a message, and the exit code is 1. With
    --require-full, the text of `btfperm diagnose` explains a rank that is not full, except over MPI
    ranks. Rows and columns in messages count from 0.
    """
    if len(matrices) == 1:
        return rank_of(out, matrices[0], **how)
    if matrices.count("-") > 1:
        raise click.UsageError("- is standard input, which can be read only once.")
    codes = []
    for matrix in matrices:
        out.begin(matrix)
        failed = Failure(lambda: "rank", as_json=out.as_json, to_stderr=False)
        code = guarded(partial(rank_of, out, matrix, with_name=True, **how), failed)
        if code > MOST_FOR_ONE:  # a signal
            return code
        codes.append(code)
    return max(codes)


def rank_of(
    out: Output, matrix: str, *, require_full: bool, with_name: bool = False, **search: Any
) -> int:
    """The rank of one matrix; the exit code."""
    explain, drop_zeros = search.pop("explain"), search.pop("drop_zeros")
    verbose = search.pop("verbose")

    from btfperm.backends.mpi.launch import communicator
    from btfperm.io import read
    from btfperm.pattern import SEARCH, as_pattern, memory_for
    from btfperm.transversal import maximum_transversal

    comm = communicator(search["backend"])
    clock = Clock()
    with memory_for(SEARCH):
        with stage(f"reading {matrix}", quiet=out.quiet) as progress:
            if comm is not None:
                pattern = as_pattern(
                    matrix, comm=comm, drop_zeros=drop_zeros, threads=search["threads"]
                )
            else:
                threads = search["threads"] or 0
                pattern = read(
                    matrix, drop_zeros=drop_zeros, threads=threads, progress=progress.advance
                )
        clock.stop("read")
        out.subject = matrix
        with stage("searching", quiet=out.quiet or verbose) as progress:
            watcher = watcher_of(progress, verbose=verbose)
            transversal = maximum_transversal(pattern, watcher=watcher, gather=False, **search)
        clock.stop("search")
    if note := getattr(pattern, "note", ""):
        out.note(f"note: {note}")
    m, n = pattern.shape
    lower = transversal.size
    facts: dict[str, Any] = {
        "matrix": source_of(pattern),
        "entries": pattern.nnz,
        "rows": m,
        "cols": n,
        "structural_rank": lower if transversal.maximum else None,
        "full": lower == min(m, n) if transversal.maximum else None,
        "unmatched_rows": None,
        "unmatched_columns": None,
        **dict.fromkeys(("overdetermined", "underdetermined", "truncated")),
        "stored_zeros": zeros_of(pattern, out.zeros),
        **search_facts(transversal),
        "seconds": clock.seconds,
    }
    if explain:
        for text in (f"{transversal.algorithm}:", *explanation_lines(facts)):
            out.note(text)
    findings: list[str] = []
    if not transversal.maximum:
        failure = stopped_sentence(transversal)
    elif require_full and lower < min(m, n) and pattern.is_distributed:
        failure = f"structural rank {lower:,} of {min(m, n):,}; diagnose it in one process"
    elif require_full and lower < min(m, n):
        found = diagnosed(transversal, pattern)
        failure = f"structural rank {lower:,} of {min(m, n):,}: {too_many(found)}"
        facts |= groups_of(found)
        findings = found.text().splitlines()[1:]
    else:
        failure = ""
    if failure:
        facts |= {"error": f"{matrix}: {failure}", "exit_code": 1}
    name = f"\t{printable(matrix)}" if with_name else ""
    out.answer(facts, f"{lower}{name}" if transversal.maximum else None, escaped=True)
    if failure and not out.as_json:
        complain(f"{matrix}: {failure}")
        for text in findings:
            out.finding(text, beside=True)
    return 1 if failure else 0


def diagnosed(transversal: Transversal, pattern: Pattern) -> Diagnosis:
    from btfperm.diagnosis import diagnose
    from btfperm.dulmage_mendelsohn import dulmage_mendelsohn

    return diagnose(dulmage_mendelsohn(pattern, transversal=transversal))


def too_many(found: Diagnosis) -> str:
    """The surplus in words: `3 rows too many, 1 column too many`."""
    parts = ((found.overdetermined, "row"), (found.underdetermined, "column"))
    return ", ".join(f"{count(each.total_excess, noun)} too many" for each, noun in parts if each)


def groups_of(found: Diagnosis) -> dict[str, Any]:
    """The groups for the JSON object, and the rows and columns that a smallest repair removes."""
    whole = found.to_dict()
    removed = {"rows": found.repair.remove_rows, "columns": found.repair.fix_cols}
    facts = {
        f"unmatched_{noun}": {"count": int(where.size), "first": where[:NAMED].tolist()}
        for noun, where in removed.items()
    }
    return facts | {key: whole[key] for key in ("overdetermined", "underdetermined", "truncated")}
