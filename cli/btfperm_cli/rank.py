# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm rank MATRIX``: the structural rank, alone on stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from btfperm_cli.options import drop_zeros_option, matrix_argument, output_options, search_options
from btfperm_cli.output import Output, complain
from btfperm_cli.progress import Clock, stage
from btfperm_cli.summary import count, explanation_lines, search_facts, stopped_sentence, zeros_of

if TYPE_CHECKING:
    from btfperm.results import Transversal

__all__ = ["rank"]

NAMED = 5  # unmatched rows and columns named in a message


@click.command(short_help="Print the structural rank.")
@matrix_argument
@click.option(
    "--require-full", is_flag=True, help="Exit with 1 unless the rank is min(rows, columns)."
)
@search_options
@drop_zeros_option
@output_options
def rank(out: Output, matrix: str, require_full: bool, **search: Any) -> int:
    """Print the structural rank of MATRIX.

    The number stands alone on stdout. Rows and columns in messages count from 0.
    """
    explain, drop_zeros = search.pop("explain"), search.pop("drop_zeros")

    from btfperm.io import read
    from btfperm.pattern import SEARCH, memory_for
    from btfperm.transversal import maximum_transversal

    clock = Clock()
    with memory_for(SEARCH):
        with stage(f"reading {matrix}", quiet=out.quiet) as progress:
            threads = search["threads"] or 0
            pattern = read(
                matrix, drop_zeros=drop_zeros, threads=threads, progress=progress.advance
            )
        clock.stop("read")
        out.subject = matrix
        with stage("searching", quiet=out.quiet):
            transversal = maximum_transversal(pattern, **search)
        clock.stop("search")
    m, n = pattern.shape
    lower = transversal.size
    facts: dict[str, Any] = {
        "matrix": dict(pattern.source),
        "entries": pattern.nnz,
        "rows": m,
        "cols": n,
        "structural_rank": lower if transversal.maximum else None,
        "full": lower == min(m, n) if transversal.maximum else None,
        "unmatched_rows": None,
        "unmatched_columns": None,
        "stored_zeros": zeros_of(pattern, out.zeros),
        **search_facts(transversal),
        "seconds": clock.seconds,
    }
    if explain:
        for text in (f"{transversal.algorithm}:", *explanation_lines(facts)):
            out.note(text)
    if not transversal.maximum:
        failure = stopped_sentence(transversal)
    elif require_full and lower < min(m, n):
        failure = f"structural rank {lower:,} of {min(m, n):,}: {unmatched(transversal, facts)}"
    else:
        failure = ""
    if failure:
        facts |= {"error": f"{matrix}: {failure}", "exit_code": 1}
    out.answer(facts, f"{lower}" if transversal.maximum else None)
    if failure and not out.as_json:
        complain(f"{matrix}: {failure}")
    return 1 if failure else 0


def unmatched(transversal: Transversal, facts: dict[str, Any]) -> str:
    """`3 rows unmatched (rows 4, 8, 9), 1 column unmatched (column 7)`; noted in `facts`."""
    parts = []
    for noun, match in (("row", transversal.row_match), ("column", transversal.col_match)):
        where = (match < 0).nonzero()[0]
        named = where[:NAMED].tolist()
        facts[f"unmatched_{noun}s"] = {"count": int(where.size), "first": named}
        listed = ", ".join(map(str, named)) + (", ..." if where.size > NAMED else "")
        plural = "s" if len(named) > 1 else ""
        names = f" ({noun}{plural} {listed})" if named else ""
        parts.append(f"{count(int(where.size), noun)} unmatched{names}")
    return ", ".join(parts)
