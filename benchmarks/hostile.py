# SPDX-License-Identifier: BSD-3-Clause
"""The time for each entry on forty hostile patterns with up to a million rows: long paths, chains,
stars, hubs, dense lines, cliques, deficient groups, traps for Karp-Sipser, random orders of meshes.

The patterns are those of ``hostile`` in ``sets.toml``. Most are of the families in ``generators``;
`FAMILIES` makes the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.cases import Case, generated, names
from benchmarks.generators.assemble import SEED, pattern, rcp
from benchmarks.peers import ours
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    milliseconds,
    paragraphs,
    progress,
)
from benchmarks.timing import raced

AIM = 0.45  # microseconds for each entry
FORM = re.compile(r"([a-z]+)_([0-9]+)x([0-9]+)(_rcp)?")
WHOLE = "decomposition"


def _stars(count: int, leaves: int) -> sp.csc_array:
    """`count` full rows of `leaves` columns each, and as many full columns: rank 2 count."""
    center, leaf = np.repeat(np.arange(count), leaves), count + np.arange(count * leaves)
    n = count * (leaves + 1)
    return pattern(np.r_[center, leaf], np.r_[leaf, center], (n, n))


def _rivals(count: int, length: int) -> sp.csc_array:
    """`count` columns have the same `count` rows; a path of `length` columns leads from each of
    these to an unmatched row. If trees grow from all these columns at the same time, each phase
    finds only one path."""
    i, step = np.repeat(np.arange(count), length), np.tile(np.arange(length), count)
    row, col = i * (length + 1) + step, i * length + step
    starts, rival = np.arange(count) * (length + 1), count * length + np.arange(count)
    rows = np.concatenate([row, row + 1, np.tile(starts, count)])
    n = count * (length + 1)
    return pattern(rows, np.concatenate([col, col, np.repeat(rival, count)]), (n, n))


def _cliques(count: int, size: int) -> sp.csc_array:
    """`count` full blocks on the diagonal."""
    k = np.arange(count * size * size)
    block, place = np.divmod(k, size * size)
    n = count * size
    return pattern(block * size + place // size, block * size + place % size, (n, n))


def _hall(count: int, size: int) -> sp.csc_array:
    """Groups of `size` columns; each has three of the first `size` - 1 rows of its group only."""
    rng = np.random.default_rng(SEED)
    col = np.repeat(np.arange(count * size), 3)
    n = count * size
    return pattern(col // size * size + rng.integers(size - 1, size=3 * n), col, (n, n))


def _nearly(n: int, missing: int) -> sp.csc_array:
    """Full but for `missing` entries in each column, on the diagonal and below it."""
    row, col = np.divmod(np.arange(n * n), n)
    kept = (row - col) % n >= missing
    return pattern(row[kept], col[kept], (n, n))


def _band(n: int, width: int) -> sp.csc_array:
    """All entries at most `width` from the diagonal, without the diagonal itself."""
    offsets = [k for k in range(-width, width + 1) if k]
    row, col = np.repeat(np.arange(n), 2 * width), np.tile(offsets, n)
    col = row + col
    inside = (col >= 0) & (col < n)
    return pattern(row[inside], col[inside], (n, n))


def _lines(n: int, full: int) -> sp.csc_array:
    """The identity of order n, then `full` columns with entries in all rows."""
    i = np.arange(n)
    rows = np.r_[i, np.tile(np.arange(n + full), full)]
    cols = np.r_[i, n + np.repeat(np.arange(full), n + full)]
    return pattern(rows, cols, (n + full, n + full))


def _hubs(n: int, hubs: int) -> sp.csc_array:
    """n rows with three entries each, all in `hubs` columns: rank `hubs`."""
    rng = np.random.default_rng(SEED)
    return pattern(np.repeat(np.arange(n), 3), rng.integers(hubs, size=3 * n), (n, hubs))


def _bowtie(n: int, degree: int) -> sp.csc_array:
    """Diagonal; a core of n/3 with `degree` random entries a row, which the first third of the rows
    enters and which leads to the last third."""
    rng = np.random.default_rng(SEED)
    third = n // 3
    k = np.repeat(np.arange(third), degree)
    size = k.size
    rows = [np.arange(n), third + k, k, third + rng.integers(third, size=size)]
    cols = [np.arange(n), third + rng.integers(third, size=size)]
    cols += [third + rng.integers(third, size=size), 2 * third + k]
    return pattern(np.concatenate(rows), np.concatenate(cols), (n, n))


def _stairs(n: int, width: int) -> sp.csc_array:
    """n rows with the entries (i, i) to (i, i + width): one wide block that is a long path."""
    row, step = np.repeat(np.arange(n), width + 1), np.tile(np.arange(width + 1), n)
    return pattern(row, row + step, (n, n + width))


def _ring(n: int, step: int) -> sp.csc_array:
    """Diagonal, and (i, i + step) closed to cycles."""
    i = np.arange(n)
    return pattern(np.r_[i, i], np.r_[i, (i + step) % n], (n, n))


def _tree(n: int, children: int) -> sp.csc_array:
    """Nodes by edges of a tree, each of whose nodes has `children`: one row more than columns."""
    edge = np.arange(n - 1)
    return pattern(np.r_[edge + 1, edge // children], np.r_[edge, edge], (n, n - 1))


FAMILIES: dict[str, Callable[[int, int], sp.csc_array]] = {
    "stars": _stars,
    "rivals": _rivals,
    "cliques": _cliques,
    "hall": _hall,
    "nearly": _nearly,
    "band": _band,
    "lines": _lines,
    "hubs": _hubs,
    "bowtie": _bowtie,
    "stairs": _stairs,
    "ring": _ring,
    "tree": _tree,
}


def make(name: str) -> sp.csc_array:
    """The pattern of a name such as ``stars_10x20``, or ``stars_10x20_rcp`` in a random order."""
    found = FORM.fullmatch(name)
    if found is None or found[1] not in FAMILIES:
        raise ValueError(f"{name!r} names no hostile pattern")
    A = FAMILIES[found[1]](int(found[2]), int(found[3]))
    return rcp(A, name) if found[4] else A


def cases(which: str, folder: Path) -> list[Case]:
    """The patterns of a set."""
    found = []
    for name in names("hostile", which):
        form = FORM.fullmatch(name)
        is_own = form is not None and form[1] in FAMILIES
        found += [Case(name, "hostile", partial(make, name))] if is_own else generated([name])
    return found


def run(cases: list[Case], options: Options) -> Section:
    """The median seconds, and the microseconds for each entry, of the matching by each algorithm
    that the options name, and of the decomposition by the first of them."""
    matching = ours.matching(options.algorithms, options.threads)
    whole = ours.decomposition(options.algorithms[:1], options.threads)[0]
    methods = [m for m in matching if m.name != ours.UNPROVEN]
    titles = dict(zip([m.name for m in methods], options.algorithms, strict=True))
    methods.append(replace(whole, name=WHOLE))
    rows: list[Row] = []
    complaints: list[str] = []
    for case, A, outcomes, wrong in raced(methods, cases, options, complaints):
        medians = {titles.get(k, k): o.median for k, o in outcomes.items() if o.seconds}
        row = {
            "matrix": case.name,
            "shape": list(A.shape),
            "nnz": int(A.nnz),
            "median": medians,
            "microseconds_per_entry": {k: 1e6 * t / A.nnz for k, t in medians.items()},
            "stopped": [titles.get(k, k) for k, o in outcomes.items() if not o.seconds],
        }
        rows.append(row)
        times = [f"{name} {milliseconds(t)}" for name, t in medians.items()]
        options.say(progress(case.name, times, wrong))
    return Section(
        "Hostile patterns",
        paragraphs(_summary(rows), _table(rows)),
        {"rows": rows},
        complaints,
    )


def _summary(rows: list[Row]) -> str:
    text = []
    for name in dict.fromkeys(k for row in rows for k in (*row["median"], *row["stopped"])):
        done = [row for row in rows if name in row["median"]]
        found = [(row["microseconds_per_entry"][name], row["matrix"]) for row in done]
        stopped = [row["matrix"] for row in rows if name in row["stopped"]]
        worst, where = max(found, default=(0.0, "none"))
        above = sum(value > AIM for value, _ in found)
        text.append(
            f"* {name}: at most {worst:.3f} µs for each entry, on `{where}`; more than {AIM} µs on "
            f"{above} of {len(found)} patterns"
            + (f"; stopped on {', '.join(stopped)}" if stopped else "")
        )
    return "\n".join(text)


def _table(rows: list[Row]) -> str:
    methods = list(dict.fromkeys(name for row in rows for name in row["median"]))

    def cells(row: Row) -> list[str]:
        per_entry = row["microseconds_per_entry"]
        return [
            f"{row['shape'][0]:,}",
            f"{row['nnz']:,}",
            *(f"{per_entry[m]:.3f}" if m in per_entry else "-" for m in methods),
        ]

    return by_matrix(["rows", "entries", *(f"{m}, µs" for m in methods)], rows, cells)
