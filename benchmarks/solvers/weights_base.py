# SPDX-License-Identifier: BSD-3-Clause
"""Compares `weighted_transversal` with a base, which is the unweighted search and a sort of the
values; and compares its times for values of different ranges.

The section measures the square, structurally nonsingular matrices with values. Generated patterns
get random values, with large values on one transversal. The generators in ``auctions.py`` make the
matrices of the set ``large``. Each pattern is also measured with two other kinds of random values:
exp(z), where z is from the standard normal distribution, and 10 to the power u, where u is uniform
between -300 and 300.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import btfperm
from benchmarks import cases as by_name
from benchmarks.cases import Case
from benchmarks.generators.assemble import SEED
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    known,
    milliseconds,
    paragraphs,
    table,
)
from benchmarks.solvers.auctions import case_of
from benchmarks.solvers.routes import RATIO_HEAD, Rows, cells, method, ratio_cells, timed
from benchmarks.solvers.systems import matrices_of
from benchmarks.solvers.weights import OURS, timed_transversal
from benchmarks.timing import Method, Notes

BASE = "unweighted and sort"
NORMAL, WIDE = "values exp(z)", "values 1e-300 to 1e300"
ALL = (OURS, BASE, NORMAL, WIDE)
# title of a ratio -> the method, the method it is compared with, and which time of the former.
RATIOS = {
    "whole call over base": (OURS, BASE, "seconds"),
    "search alone over base": (OURS, BASE, "search"),
    "1e-300 to 1e300 over exp(z)": (WIDE, NORMAL, "seconds"),
}
NOTE = (
    "Milliseconds of processor time on one thread, the least of the runs. The base is "
    "`maximum_transversal` of the pattern with its certificate, and `numpy.sort` of the values. "
    "All other times are whole calls of `weighted_transversal`, with the decomposition and the "
    "certificate. 'search alone' is only the logarithms, the search and the duals."
)


def cases(which: str, _: Path) -> list[Case]:
    """The matrices of a set, by name."""
    wanted = by_name.names("weights-base", which)
    return [case_of(name) for name in wanted] if which == "large" else by_name.generated(wanted)


def run(cases: list[Case], options: Options) -> Section:
    """One row for each matrix."""
    measured = Rows(options)
    for facts, A in matrices_of(cases):
        measured.add(facts, _methods(options.threads or 1), A, "seconds")
    rows = measured.all
    head = ["nnz", *ALL, *RATIOS]
    text = [NOTE, table(["ratio", *RATIO_HEAD], _means(rows)), by_matrix(head, rows, _cells)]
    return Section("Weights and the base", paragraphs(*text), {"rows": rows}, measured.complaints)


def _methods(threads: int) -> list[Method]:
    kinds = {OURS: _weighted, BASE: _base, NORMAL: _weighted, WIDE: _weighted}
    return [method(name, partial(of, name=name, threads=threads)) for name, of in kinds.items()]


def _weighted(A: sp.csc_array, name: str, threads: int) -> Notes:
    rng = np.random.default_rng(SEED)
    if name != OURS:
        A = sp.csc_array(A, copy=True)
        powers = rng.uniform(-300, 300, A.nnz) * np.log(10)
        A.data = np.exp(powers if name == WIDE else rng.normal(size=A.nnz))
    return timed_transversal(A, threads)


def _base(A: sp.csc_array, name: str, threads: int) -> Notes:
    pattern, values = btfperm.as_pattern(A), np.abs(A.data)

    def call() -> None:
        btfperm.maximum_transversal(pattern, threads=threads)
        np.sort(values)

    return {"seconds": timed(call)[1]}


def _ratio(row: Row, one: str, other: str, part: str) -> float | None:
    mine, theirs = row.get(one, {}).get(part), row.get(other, {}).get("seconds")
    return mine / theirs if mine and theirs else None


def _means(rows: list[Row]) -> list[list[str]]:
    lines = []
    for title, names in RATIOS.items():
        found = {row["matrix"]: q for row in rows if (q := _ratio(row, *names))}
        lines.append([title, *ratio_cells(found, digits=2)])
    return lines


def _cells(row: Row) -> list[str]:
    ratios = [known(_ratio(row, *names), "{:.2f}".format) for names in RATIOS.values()]
    return [f"{row['nnz']:,}", *cells(row, ALL, "seconds", milliseconds), *ratios]
