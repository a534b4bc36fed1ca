# SPDX-License-Identifier: BSD-3-Clause
"""The findings of the page in plain words, and the figures behind them."""

from __future__ import annotations

import platform
import shlex
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, NamedTuple

from btfperm.errors import BtfpermError
from btfperm.reports.summary import summarize
from btfperm.results.counted import counted

if TYPE_CHECKING:
    from btfperm.pattern import Pattern, ValuedPattern
    from btfperm.preorder import SolverRun
    from btfperm.results import BlockGraph, DulmageMendelsohn

__all__ = ["SolverFacts", "command_line", "findings", "likely_entries", "solver_facts", "versions"]

_ENTRIES_PER_SECOND = 200_000  # entries whose order and predicted fill take about a second
_OPERATIONS_PER_SECOND = (
    1e7  # operations of a factorization, with a margin for the fill of the solver's own order
)
_REPEATS = 3


class SolverFacts(NamedTuple):
    """The fill that is predicted, and the solvers that were measured; or why not.

    Attributes
    ----------
    advice : a sentence about the predicted fill with and without blocks, or None
    runs : one row for each solver and order
    missing : why there is no advice, or why nothing was measured; or None
    """

    advice: str | None = None
    runs: tuple[SolverRun, ...] = ()
    missing: str | None = None


def findings(d: DulmageMendelsohn, pattern: Pattern, graph: BlockGraph) -> list[str]:
    """Sentences for a reader who knows the matrix, but not the decomposition."""
    facts = summarize(d)
    m, n = d.shape
    rank, full = d.structural_rank, min(m, n)
    head = f"The structural rank is {rank:,}, and {full:,} is the largest possible."
    if rank == full:
        sentences = [f"{head} For almost all values of its entries, the matrix has full rank."]
    else:
        sentences = [f"{head} The matrix does not have full rank, whatever the values are."]
    for part, what in ((d.vertical, "overdetermined"), (d.horizontal, "underdetermined")):
        if any(part.shape):
            rows, cols = counted(part.shape[0], "row"), counted(part.shape[1], "column")
            many, few = (rows, cols) if what == "overdetermined" else (cols, rows)
            groups = counted(len(part.blocks), "independent group")
            sentences.append(f"A part is {what}: {many} have entries only in {few}, in {groups}.")
    helps, reason = facts["advice"]["btf_helps"], facts["advice"]["reason"]
    sentences.append(f"Block triangular form {'helps' if helps else 'does not help'}: {reason}.")
    if d.n_blocks > 1:
        sentences.append(
            f"There are {counted(d.n_blocks, 'fine block')}, of which {facts['singletons']:,} have "
            f"one row and one column. They have {counted(graph.n_levels, 'level')}: blocks of one "
            "level can be solved at the same time."
        )
    zeros = pattern.stored_zeros
    if zeros is not None and zeros.nnz:
        what = "left out" if pattern.zeros_dropped else "kept as entries"
        sentences.append(
            f"{counted(zeros.nnz, 'stored entry', 'stored entries')} are zero, {what}."
        )
    if d.transversal is not None and d.transversal.verified:
        cover = counted(rank, "row or column", "rows and columns")
        sentences.append(f"The rank is proven: {cover} together touch every entry.")
    return sentences


def solver_facts(
    pattern: Pattern, valued: ValuedPattern | None, d: DulmageMendelsohn, within: float
) -> SolverFacts:
    """The predicted fill, and the solvers measured with and without btfperm, if `within` seconds
    are likely to suffice.

    The cost of an order is estimated from the entries, that of a factorization from its predicted
    operations. Nothing is started that is expected to take longer.
    """
    m, n = pattern.shape
    if m != n or n == 0:
        return SolverFacts(missing="direct solvers need a square matrix")
    if d.structural_rank < n:
        return SolverFacts(missing="the matrix is structurally singular, so it cannot be factored")
    if within <= 0:
        return SolverFacts(missing="solvers were not asked for")
    if pattern.nnz > likely_entries(within):
        return SolverFacts(
            missing=f"an order of {pattern.nnz:,} entries is not expected to take less than "
            f"{within:g} s"
        )
    from btfperm.preorder import compare_solvers, preorder
    from btfperm.preorder.routes import route_rows

    p = preorder(pattern if valued is None else valued, solver="klu")
    fill = p.predicted_fill
    advice = p.advice[0].upper() + p.advice[1:] + "."
    if valued is None:
        return SolverFacts(advice, missing="the matrix has no values to be factored")
    if fill is None or fill.operations > _OPERATIONS_PER_SECOND * within:
        return SolverFacts(
            advice, missing=f"a factorization is not expected to take less than {within:g} s"
        )
    try:
        runs = compare_solvers(valued, repeats=_REPEATS, budget=within / len(route_rows()))
    except BtfpermError as error:
        return SolverFacts(advice, missing=str(error))
    return SolverFacts(advice, runs)


def likely_entries(within: float) -> float:
    """Entries of a matrix whose order is expected to take `within` seconds."""
    return _ENTRIES_PER_SECOND * within


def versions() -> dict[str, str]:
    """The versions of the packages with which the page was made."""
    import numpy as np

    from btfperm import __version__, _core

    known = {"btfperm": __version__, "Python": platform.python_version(), "NumPy": np.__version__}
    for name in ("scipy", "nbklu"):
        try:
            known[name] = version(name)
        except PackageNotFoundError:
            continue
    return known | {"compiler": _core.compiler, "system": platform.platform(terse=True)}


def command_line(matrix: str | None, options: dict[str, Any]) -> str:
    """The command that makes this page again; without a file, the call."""
    if matrix is None:
        return 'btfperm.report(A, "report.html")'
    words = ["btfperm", "report", matrix, "-o", "report.html"]
    for name, value in options.items():
        if value is True:
            words.append(f"--{name}")
        elif value is not None and value is not False:
            words += [f"--{name}", str(value)]
    return shlex.join(words)
