# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm check MATRIX PERM``: verify a permutation file against its matrix."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from btfperm_cli.help import GroupedCommand
from btfperm_cli.json_keys import JSON_KEYS, finite
from btfperm_cli.option_types import FileName
from btfperm_cli.options import (
    bipartite_option,
    drop_zeros_option,
    matrix_argument,
    output_options,
    weights_option,
)
from btfperm_cli.output import Output
from btfperm_cli.progress import stage
from btfperm_cli.summary import count

if TYPE_CHECKING:
    from btfperm.pattern import Pattern
    from btfperm.reports.perm_arrays import PermArrays
    from btfperm.reports.verify import Verdict
    from btfperm.reports.verify.graph_matching import GraphVerdict

__all__ = ["check"]

STANDARD_INPUT = "standard input"
ROUNDING = 1e-6  # a larger gap is not caused by rounding errors, so it is reported


@click.command(
    cls=GroupedCommand,
    short_help="Verify a permutation file against its matrix.",
    examples=(
        "btfperm check A.mtx perm.npz  # verify the file of any tool",
        "btfperm check A.mtx perm.mat -q && echo verified  # in a script",
        "btfperm check graph.mtx mate.npz  # a file of btfperm match",
    ),
)
@matrix_argument
@click.argument("perm", type=FileName())
@drop_zeros_option
@weights_option(None)
@bipartite_option
@output_options
def check(
    out: Output,
    matrix: str,
    perm: str,
    drop_zeros: bool,
    edge_weights: str | None,
    bipartite: bool,
) -> int:
    """Verify the permutation file PERM against MATRIX, by code that shares nothing with the
    algorithms.

    Every violation is reported, with rows and columns counted from 0. If there is one, the exit
    code is 1, and with --quiet one sentence is printed to stderr. Files in every convention are
    verified, as far as the convention determines the arrays: MATLAB, CSparse and CasADi neither
    order the blocks nor split the rectangular parts; files for SuperLU, PETSc and UMFPACK have no
    blocks, and files for SciPy have only a matching. Scalings are verified with the values of
    MATRIX: matched entries must become 1 in modulus, within the gap that PERM states, and all
    others at most 1. One of MATRIX and PERM may be -, standard input.

    PERM may also be a file with an array mate, such as btfperm match writes: a matching in the
    graph of MATRIX. Give --weights and --bipartite as to btfperm match.
    """
    if matrix == perm == "-":
        raise click.UsageError("standard input is either the matrix or the permutation, not both.")

    from btfperm.io import read
    from btfperm.reports.perm_arrays import OURS, interpreted, read_fields
    from btfperm.reports.verify import verify

    name, fields = read_fields(perm)
    if "mate" in fields:
        how = edge_weights or "values", bipartite
        return check_graph_matching(out, matrix, perm, fields, *how, drop_zeros=drop_zeros)
    if edge_weights or bipartite:
        raise click.UsageError("--weights and --bipartite go with a file of btfperm match.")
    file = interpreted(name, fields)
    dropped = drop_zeros or bool(recorded(file).get("zeros_dropped"))
    values = None
    with stage(f"reading {matrix}", quiet=out.quiet) as progress:
        if has_weights(file):
            pattern, values = with_values(matrix, perm, dropped, recorded(file).get("nnz"))
        else:
            pattern = read(matrix, drop_zeros=dropped, progress=progress.advance)
    compare_origin(out, pattern, file, perm)
    with stage("verifying", quiet=out.quiet):
        verdict = verify(
            pattern,
            file.arrays,
            kind=file.kind,
            canonical=file.convention == OURS,
            names=file.names,
            missing=file.missing,
            values=values,
            gap=gap_of(file),
        )
    for violation in verdict.violations:
        out.say(f"{violation.check}: {violation.text}")
    if verdict.skipped:
        out.say(f"not checked, because a check before it failed: {', '.join(verdict.skipped)}")
    if (gap := gap_of(file)) > ROUNDING:
        out.say(f"the file admits a gap: the largest product may be e^{gap:.3g} times its product")
    return conclude(out, matrix, perm, verdict, {"convention": file.convention})


def conclude(
    out: Output, matrix: str, perm: str, verdict: Verdict | GraphVerdict, more: dict[str, Any]
) -> int:
    """Reports whether the file is right, with the facts in `more`. Returns the exit code."""
    code = 0 if verdict.ok else 1
    what, whose = (STANDARD_INPUT if name == "-" else name for name in (perm, matrix))
    if verdict.ok:
        out.say(f"{what} is right for {whose}: {', '.join(verdict.passed)} checked")
    else:
        out.fail(f"{what} is wrong for {whose}: {count(len(verdict.violations), 'violation')}")
    facts = {
        "matrix": matrix,
        "perm": perm,
        "ok": verdict.ok,
        "violations": [asdict(violation) for violation in verdict.violations],
        "passed": list(verdict.passed),
        "skipped": list(verdict.skipped),
        "exit_code": code,
    }
    out.answer(dict.fromkeys(JSON_KEYS["check"]) | facts | more)
    return code


def check_graph_matching(
    out: Output,
    matrix: str,
    perm: str,
    fields: dict[str, Any],
    weights: str,
    bipartite: bool,
    *,
    drop_zeros: bool,
) -> int:
    """Verifies a file with an array `mate`: a matching in the graph of the matrix."""
    from btfperm.reports.verify.graph_matching import verify_graph_matching
    from btfperm.weighted.graph_input import read_graph

    if drop_zeros:
        raise click.UsageError("--drop-zeros does not go with a file of btfperm match.")
    with stage(f"reading {matrix}", quiet=out.quiet):
        pattern, weight = read_graph(matrix, weights, bipartite=bipartite)
    with stage("verifying", quiet=out.quiet):
        verdict = verify_graph_matching(pattern, weight, fields)
    for violation in verdict.violations:
        out.say(f"{violation.check}: {violation.text}")
    if verdict.skipped:
        out.say(f"not checked: {', '.join(verdict.skipped)}")
    facts = {
        "weight": verdict.weight,
        "size": verdict.size,
        "maximal": verdict.maximal,
        "locally_dominant": verdict.locally_dominant,
    }
    if verdict.weight is not None and verdict.size is not None:
        maximal = "maximal" if verdict.maximal else "not maximal"
        dominant = "locally dominant" if verdict.locally_dominant else "not locally dominant"
        out.say(
            f"{count(verdict.size, 'edge')} of the weight {verdict.weight:.6g}; {maximal}, "
            f"{dominant}"
        )
        facts["weight"] = finite(verdict.weight)
    return conclude(out, matrix, perm, verdict, facts)


def has_weights(file: PermArrays) -> bool:
    """Whether the file describes a weighted transversal."""
    from btfperm.reports.verify.scalings import SCALES

    return "weights" in file.meta or any(key in file.arrays for key in SCALES)


def gap_of(file: PermArrays) -> float:
    """The gap that the file states: the logarithm of the largest product may exceed that of the
    file's product by at most this. 0 for another objective, and if the file states no finite gap.
    """
    weights = file.meta.get("weights")
    if not isinstance(weights, dict) or weights.get("objective") != "product":
        return 0.0
    gap = weights.get("gap")
    return float(gap) if isinstance(gap, float) and math.isfinite(gap) else 0.0


def with_values(matrix: str, perm: str, drop_zeros: bool, entries: object) -> tuple[Pattern, Any]:
    """The pattern of the matrix, and the values of its entries.

    With `drop_zeros`, duplicates that cancel are still entries, with the value 0, but ``--weights``
    leaves them out. This function leaves them out if the matrix then has the number of entries that
    the permutation file records, `entries`.
    """
    from btfperm.io import values_of
    from btfperm.pattern import Pattern

    remedy = f"{perm} belongs to a weighted transversal and can only be checked with values"
    valued = values_of(matrix, drop_zeros, remedy).require_finite()
    pattern, stays = valued.pattern, valued.values != 0
    if not drop_zeros or stays.all() or stays.sum() != entries:
        return pattern, valued.values
    name, source = pattern.name, pattern.source
    rows, cols = pattern.indices[stays], pattern.cols()[stays]
    there = Pattern.from_coo(rows, cols, pattern.shape, name=name, source=source)
    return there, valued.values[stays]


def recorded(file: PermArrays) -> dict[str, Any]:
    """What the file records about its matrix; empty if it records nothing."""
    matrix = file.meta.get("matrix")
    return dict(matrix) if isinstance(matrix, dict) else {}


def compare_origin(out: Output, pattern: Pattern, file: PermArrays, perm: str) -> None:
    """Warn if the permutations were computed from a file with other bytes than this matrix file.
    It may still hold the same pattern."""
    theirs, ours = recorded(file).get("sha256"), pattern.source.get("sha256")
    if theirs and ours and theirs != ours:
        out.warn(
            f"{perm} was made from another file than {pattern.name or 'this matrix'}: the sha256 "
            "differs"
        )
