# SPDX-License-Identifier: BSD-3-Clause
"""Weighted searches on matrices on which they take long: `mc64`, `heavy-perfect` on the CPU and on
a GPU, two copies of MC64, and SPRAL.

The matrices are made here unless the set is ``real``. Let z be from the standard normal
distribution. ``rnd_N_dD`` has the entries of a permutation matrix and (D - 1) N entries at random
places. Their values are exp(z); with ``_s10`` exp(10 z), with ``_unif`` uniform, with ``_ties`` 1,
2, 4 or 8. ``kkt_N`` is a saddle point matrix with N rows. ``circuit_N`` is the pattern of this name
(``generators/systems.py``) with the values exp(3 z). ``grid_K`` is the matrix of a grid of K x
K points; its rows and columns are scaled by exp(3 z), and its rows are in random order.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import btfperm
from benchmarks.cases import Case, names
from benchmarks.generators.assemble import SEED
from benchmarks.generators.systems import circuit
from benchmarks.machine import gpu
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    known,
    milliseconds,
    paragraphs,
    progress,
    table,
)
from benchmarks.solvers import weighted_peers
from benchmarks.solvers.routes import RATIO_HEAD, cells, ratio_cells
from benchmarks.solvers.systems import WITH_VALUES, matrix_of
from benchmarks.solvers.weighted_peers import FASTEST, NAMES, PEERS, Peer, seconds_of
from btfperm.backends.select import backends

EXACT, CPU, GPU = "mc64", "heavy-perfect", "heavy-perfect, GPU"
ALL = (EXACT, CPU, GPU, *NAMES)
_SAME = 1e-9
NOTE = (
    "Medians of wall time, ms. `mc64` and `heavy-perfect` are whole calls of "
    "`weighted_transversal`, with the decomposition, the transfers and the certificate; 'search "
    "alone' is the part of `mc64` that the peers do: logarithms, search, duals. "
    f"{weighted_peers.NOTE} "
    "All take turns in one process, because CUDA does not work in forked processes. 'off' is the "
    "distance of the logarithm of the product from the optimum, divided by the number of rows. "
    "'gap' is the proven bound on the distance, relative to the optimum."
)


def cases(which: str, _: Path) -> list[Case]:
    """The matrices of a set, by name."""
    return [case_of(name) for name in names("auctions", which)]


def case_of(name: str) -> Case:
    """The matrix of that name."""
    return Case(name, WITH_VALUES, partial(make, name))


def make(name: str) -> sp.csc_array:
    """The matrix of that name."""
    rng = np.random.default_rng(SEED)
    family, size, *rest = name.split("_")
    if family == "kkt":
        return _saddle_point(int(float(size)), rng)
    if family == "grid":
        return _grid(int(size), rng)
    if family == "circuit":
        A = sp.csc_array(circuit(int(float(size))), dtype=np.float64)
        A.data = np.exp(3 * rng.normal(size=A.nnz))
        return A
    n, d = int(float(size)), int(rest[0].removeprefix("d"))
    rows = np.concatenate([rng.permutation(n), rng.integers(0, n, (d - 1) * n)])
    cols = np.concatenate([np.arange(n), rng.integers(0, n, (d - 1) * n)])
    A = sp.csc_array((np.ones(d * n), (rows, cols)), shape=(n, n))
    normal = rng.normal(size=A.nnz)
    A.data = {
        "": np.exp(normal),
        "s10": np.exp(10 * normal),
        "unif": rng.uniform(1e-9, 1, A.nnz),
        "ties": 2.0 ** rng.integers(0, 4, A.nnz),
    }[rest[1] if len(rest) > 1 else ""]
    return A


def _saddle_point(n: int, rng: np.random.Generator) -> sp.csc_array:
    k = n // 4
    h = n - k
    places = rng.integers(0, h, (2, 2 * h))
    H = sp.csr_array((np.exp(rng.normal(size=2 * h)), (places[0], places[1])), shape=(h, h))
    H = H + sp.diags_array(np.exp(rng.normal(size=h)))
    chosen = np.repeat(np.arange(k), 3), rng.integers(0, h, 3 * k)
    B = sp.csr_array((rng.normal(size=3 * k), chosen), shape=(k, h))
    return sp.csc_array(sp.block_array([[H, B.T], [B, None]]))


def _grid(k: int, rng: np.random.Generator) -> sp.csc_array:
    line = sp.diags_array([-np.ones(k - 1), 2.2 * np.ones(k), -np.ones(k - 1)], offsets=[-1, 0, 1])
    A = sp.kron(sp.eye_array(k), line) + sp.kron(line, sp.eye_array(k))
    left, right = (sp.diags_array(np.exp(3 * rng.normal(size=k * k))) for _ in range(2))
    return sp.csc_array(sp.csr_array(left @ A @ right)[rng.permutation(k * k)])


def run(cases: list[Case], options: Options) -> Section:
    """One row for each matrix."""
    rows: list[Row] = []
    complaints: list[str] = []
    for case in cases:
        A = matrix_of(case)
        if A is None:
            continue
        row: Row = {"matrix": case.name, "n": A.shape[0], "nnz": int(A.nnz)}
        row |= _in_turns(_calls(A, options.threads), options)
        rows.append(row)
        found = _contradictions(row)
        complaints += [f"{case.name}: {problem}" for problem in found]
        times = cells(row, ALL, "seconds", milliseconds)
        options.say(progress(case.name, times, found))
    where = gpu() if _no_gpu() is None else "No GPU"
    text = [
        NOTE,
        f"{where}.",
        weighted_peers.absent(),
        _means(rows),
        by_matrix(["nnz", *_TIMES, *_HEAD], rows, _cells),
    ]
    return Section("Long weighted searches", paragraphs(*text), {"rows": rows}, complaints)


def _no_gpu() -> str | None:
    (found,) = (backend for backend in backends() if backend.name == "gpu")
    return None if found.works else found.reason


def _calls(A: sp.csc_array, threads: int | None) -> dict[str, Callable[[], Row]]:
    """The methods that this machine has."""

    def ours(**how: Any) -> Row:
        w = btfperm.weighted_transversal(A, threads=threads, **how)
        return {"objective": w.objective, "gap": w.gap, "search": w.seconds["search"]}

    def searched(peer: Peer) -> Row:
        search = peer.search(A)
        begin = time.perf_counter()
        search()
        seconds = time.perf_counter() - begin
        return {"objective": search.objective(), "gap": 0.0, "seconds": seconds}

    heavy = partial(ours, algorithm="heavy-perfect")
    calls: dict[str, Callable[[], Row]] = {EXACT: ours, CPU: heavy}
    if _no_gpu() is None:
        calls[GPU] = partial(heavy, backend="gpu")
    calls |= {peer.name: partial(searched, peer) for peer in PEERS if peer.takes(A)}
    return calls


def _in_turns(calls: dict[str, Callable[[], Row]], options: Options) -> dict[str, Row]:
    """Median seconds and the result of each call, without the first run, which is a warm-up, unless
    it is the only run. A call is not repeated once its runs have taken `options.limit` seconds. A
    result with "seconds" has measured itself, without the preparation of its arrays."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    results: dict[str, list[Row]] = {name: [] for name in calls}
    for _ in range(options.repeats + 1):
        for name, call in calls.items():
            if sum(seconds[name]) < options.limit:
                begin = time.perf_counter()
                results[name].append(call())
                whole = time.perf_counter() - begin
                seconds[name].append(results[name][-1].get("seconds", whole))
    rows: dict[str, Row] = {}
    for name, each in seconds.items():
        rows[name] = results[name][-1] | {"seconds": statistics.median(each[1:] or each)}
        if "search" in rows[name]:
            searches = [row["search"] for row in results[name]]
            rows[name]["search"] = statistics.median(searches[1:] or searches)
    return rows


def _contradictions(row: Row) -> list[str]:
    """Contradictions between results: two different optima, or a gap smaller than the distance from
    the optimum."""
    best = row.get(EXACT, {}).get("objective")
    if best is None:
        return []
    room = _SAME * max(1.0, abs(best))
    found = []
    for name in (CPU, GPU, *NAMES):
        objective = row.get(name, {}).get("objective")
        if objective is not None and not -room <= best - objective <= row[name]["gap"] + room:
            found.append(
                f"{name}: objective {objective!r}, gap {row[name]['gap']!r}; mc64: {best!r}"
            )
    return found


_TIMES = [EXACT, f"{EXACT}: search alone", *ALL[1:]]
_HEAD = [f"{name}: {what}" for name in (CPU, GPU) for what in ("off", "gap")]


def _off(row: Row, name: str) -> float | None:
    best, objective = (row.get(key, {}).get("objective") for key in (EXACT, name))
    return None if best is None or objective is None else max(best - objective, 0.0) / row["n"]


def _cells(row: Row) -> list[str]:
    times = cells(row, ALL, "seconds", milliseconds)
    times.insert(1, known(row.get(EXACT, {}).get("search"), milliseconds))
    quality = []
    for name in (CPU, GPU):
        best, gap = row.get(EXACT, {}).get("objective"), row.get(name, {}).get("gap")
        share = gap / abs(best) if best and gap is not None else None
        quality += [known(value, "{:.1e}".format) for value in (_off(row, name), share)]
    return [f"{row['nnz']:,}", *times, *quality]


def _means(rows: list[Row]) -> str:
    lines = []
    pairs = [(CPU, EXACT, "seconds"), (GPU, EXACT, "seconds"), (GPU, CPU, "seconds")]
    for other in (*NAMES, FASTEST):
        pairs += [(EXACT, other, part) for part in ("seconds", "search")]
    for one, other, part in pairs:
        ratios = {
            row["matrix"]: row[one][part] / seconds
            for row in rows
            if part in row.get(one, {}) and (seconds := seconds_of(row, other))
        }
        if ratios:
            what = ", search alone," if part == "search" else ""
            lines.append([f"{one}{what} over {other}", *ratio_cells(ratios, digits=2)])
    return table(["time", *RATIO_HEAD], lines)
