# SPDX-License-Identifier: BSD-3-Clause
"""`weighted_transversal` compared with two copies of MC64 and with SPRAL, and fill-reducing orders
compared with those of SuperLU.

The section measures every square, structurally nonsingular matrix with values. A generated matrix
has random values, except that the entries of one transversal are larger than all others
(``systems.py``).
"""

from __future__ import annotations

import importlib
import time
import warnings
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

import btfperm
from benchmarks.cases import Case
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
from benchmarks.solvers import weighted_peers
from benchmarks.solvers.routes import (
    RATIO_HEAD,
    Rows,
    libraries_in_words,
    method,
    ratio_cells,
    timed,
)
from benchmarks.solvers.systems import matrices_of
from benchmarks.solvers.weighted_peers import FASTEST, NAMES, PEERS, Search, seconds_of
from benchmarks.timing import Method, Notes
from btfperm.ordering import count_fill, order_places

# These modules measure the parts of a call with `time.perf_counter`.
CLOCKED: tuple[Any, ...] = tuple(
    map(importlib.import_module, ("btfperm.weighted", "btfperm.path.run"))
)
OURS = "weighted_transversal"
AMD, COLAMD = "amd, SuperLU's MMD", "colamd, SuperLU's COLAMD"
_SPECS = {"amd": "MMD_AT_PLUS_A", "colamd": "COLAMD"}
# The aim: a search takes at most MARGIN times the seconds of the fastest peer, plus ALLOWED.
MARGIN, ALLOWED = 1.1, 50e-6
_PARTS = {"whole": "seconds", "search": "search"}
_SAME = 1e-12  # largest relative difference of two objectives that count as equal
_CLASSES = ((0, "below 20,000"), (20_000, "20,000 to 200,000"), (200_000, "200,000 and more"))
NOTE = (
    "`weighted_transversal` is one call with its decomposition and its certificate. "
    f"{weighted_peers.NOTE} "
    "'search alone' is the part of our call that the peers do: logarithms, search, duals. "
    "Times are milliseconds of processor time on one thread, the least of the runs. nnz does not "
    "count stored zeros."
)
NOTE_FILL = (
    "Entries of L + U for pivots on the diagonal, with the whole matrix as one block and the "
    "weighted transversal on the diagonal: our order over SuperLU's order (MMD_AT_PLUS_A for amd, "
    "COLAMD for colamd). The time is the time of our order alone."
)


def run(cases: list[Case], options: Options) -> Section:
    """One row for each matrix: times and objectives, and fill by each order."""
    measured = Rows(options)
    for facts, A in matrices_of(cases):
        measured.add(facts, _methods(options.threads or 1), A, "seconds", _difference)
    rows = measured.all
    text = [NOTE, weighted_peers.absent()]
    for over in (*NAMES, FASTEST):
        text += [f"### Over {over}, by entries", "The whole call:", _means(rows, "seconds", over)]
        text += ["The search alone:", _means(rows, "search", over)]
    text += [f"Search missed the aim relative to {FASTEST}: {_late(rows)}.", "### Each matrix, ms"]
    head = ["nnz", OURS, "search alone", *NAMES, *(f"{part} over {FASTEST}" for part in _PARTS)]
    text.append(by_matrix(head, rows, _cells))
    text += ["### Fill-reducing orders", NOTE_FILL, libraries_in_words()]
    keys = ("fill", "SuperLU's", "ratio")
    head = [f"{name}: {key}" for name in ("amd", "colamd") for key in keys]
    text += [_fill_means(rows), by_matrix([*head, "amd, ms"], rows, _fill_cells)]
    return Section("Weights and orders", paragraphs(*text), {"rows": rows}, measured.complaints)


def timed_transversal(A: sp.csc_array, threads: int) -> Notes:
    """The processor times of the whole call and of its search, and the objective."""
    searches: list[float] = []
    # Replace the clock by processor time, because wall times on a busy machine mean little. Only
    # this process is affected, and it runs no other method.
    for module in CLOCKED:
        module.time = SimpleNamespace(perf_counter=time.process_time)

    def call() -> btfperm.WeightedTransversal:
        w = btfperm.weighted_transversal(A, threads=threads)
        searches.append(w.seconds["search"])
        return w

    w, seconds = timed(call)
    return {"seconds": seconds, "search": min(searches), "objective": w.objective}


def _methods(threads: int) -> list[Method]:
    def peer(A: sp.csc_array, kind: type[Search]) -> Notes:
        search = kind(A)
        _, seconds = timed(search)
        return {"seconds": seconds, "objective": search.objective()}

    orders = [
        method(name, partial(_orders, kind=kind, threads=threads))
        for name, kind in ((AMD, "amd"), (COLAMD, "colamd"))
    ]
    return [
        method(OURS, partial(timed_transversal, threads=threads)),
        *(method(one.name, partial(peer, kind=one.search), one.missing) for one in PEERS),
        *orders,
    ]


def _orders(A: sp.csc_array, kind: Any, threads: int) -> Notes:
    """The fill with our order and with SuperLU's order, for pivots on the same diagonal."""
    warnings.simplefilter("ignore")
    pattern = btfperm.as_pattern(A)
    n = pattern.n
    w = btfperm.weighted_transversal(A, threads=threads)
    place = np.arange(n, dtype=pattern.indptr.dtype)
    whole = np.array([0, n], dtype=place.dtype)
    rows = w.col_match.astype(place.dtype)
    ours, seconds = timed(lambda: order_places(pattern, rows, place, whole, kind, threads))
    notes = {"seconds": seconds}
    for name, order in (("fill", ours), ("theirs", _of_superlu(A, rows, kind))):
        fill = count_fill(pattern, rows, place, whole, order.astype(place.dtype), 10**8)
        notes[name] = float("nan") if fill is None else float(fill.total)
    return notes


def _of_superlu(A: sp.csc_array, rows: Any, kind: str) -> Any:
    """SuperLU's order of the columns of the matched matrix. The values are replaced: the diagonal
    is large and all other entries are small, so that SuperLU takes all pivots from the diagonal."""
    B = sp.csc_array(sp.csr_array(A)[rows])
    B.data = np.full(B.nnz, 1e-3)
    B.setdiag(10.0 + np.diff(B.indptr))
    B = sp.csc_array(B)
    factors = splu(B, permc_spec=_SPECS[kind], diag_pivot_thresh=0.0)
    return np.argsort(factors.perm_c)


def _difference(row: Row) -> list[str]:
    mine = row.get(OURS, {}).get("objective")
    found = []
    for name in NAMES:
        other = row.get(name, {}).get("objective")
        if mine is None or other is None or abs(mine - other) <= _SAME * max(1.0, abs(mine)):
            continue
        found.append(f"the objectives differ: {mine!r}, and {other!r} by {name}")
    return found


def _ratio(row: Row, part: str, over: str) -> float | None:
    """The time of the whole call (`part` is "seconds") or of its search ("search") over that of a
    peer."""
    mine, other = row.get(OURS, {}).get(part), seconds_of(row, over)
    return mine / other if mine and other else None


def _late(rows: list[Row]) -> str:
    """The matrices whose search takes longer than the aim permits (see `MARGIN` and `ALLOWED`)."""
    found = []
    for row in rows:
        mine, other = row.get(OURS, {}).get("search"), seconds_of(row, FASTEST)
        if mine and other and mine > MARGIN * other + ALLOWED:
            found.append(f"`{row['matrix']}` {mine / other:.2f}")
    return ", ".join(found) or "none"


def _cells(row: Row) -> list[str]:
    parts = [(OURS, "seconds"), (OURS, "search"), *((name, "seconds") for name in NAMES)]
    times = [known(row.get(name, {}).get(part), milliseconds) for name, part in parts]
    shown = [known(_ratio(row, part, FASTEST), "{:.2f}".format) for part in _PARTS.values()]
    return [f"{row['nnz']:,}", *times, *shown]


def _means(rows: list[Row], part: str, over: str) -> str:
    lines = []
    for k, (low, title) in enumerate(_CLASSES):
        high = _CLASSES[k + 1][0] if k + 1 < len(_CLASSES) else float("inf")
        some = [row for row in rows if low <= row["nnz"] < high]
        found = {row["matrix"]: q for row in some if (q := _ratio(row, part, over))}
        if found:
            lines.append([title, *ratio_cells(found, digits=2)])
    return table(["entries", *RATIO_HEAD], lines)


def _fill_ratio(row: Row, name: str) -> float | None:
    found = row.get(name, {})
    mine, other = found.get("fill"), found.get("theirs")
    return mine / other if mine and other else None


def _fill_cells(row: Row) -> list[str]:
    listed = []
    for name in (AMD, COLAMD):
        found = row.get(name, {})
        listed += [known(found.get(key), "{:,.0f}".format) for key in ("fill", "theirs")]
        listed.append(known(_fill_ratio(row, name), "{:.3f}".format))
    return [*listed, known(row.get(AMD, {}).get("seconds"), milliseconds)]


def _fill_means(rows: list[Row]) -> str:
    lines = []
    for name in (AMD, COLAMD):
        found = {r["matrix"]: q for r in rows if (q := _fill_ratio(r, name))}
        if found:
            lines.append([name, *ratio_cells(found)])
    return table(["order", *RATIO_HEAD], lines)
