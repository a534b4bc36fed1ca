# SPDX-License-Identifier: BSD-3-Clause
"""The record of weighted transversals beside oracles: `python -m tests.weighted.record FILE.json`.

Random matrices: half of them are small enough for brute force, and square ones of full rank are
compared with SciPy's `min_weight_full_bipartite_matching`. Then every matrix of
``../shared/matrices`` with values, of any shape and rank, without its stored zeros. A check that
shares no code with btfperm proves that the matching is maximum and, by the duals, that none is
better. Up to `SCIPY_ENTRIES` entries, the independent parts are compared with SciPy; matrices that
are square and structurally nonsingular with MC64 of MUMPS, too. All objectives are sums that are
rounded once. The exit status is 1 if an objective or a rank differs, or if a gap exceeds
`SAME_GAP`. Beside the JSON file is one in Markdown.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import multiprocessing
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

import btfperm
from benchmarks import machine
from benchmarks.report import describe, table
from benchmarks.solvers.mc64 import Mumps, mumps
from tests.checks.check_weights import independent_parts, weight_bound
from tests.known_answers import shared_answers
from tests.oracles.plain_weighted import best_transversal

SAME = 1e-12  # the largest difference of two objectives, relative
SAME_GAP = 1e-9  # the largest gap of the duals, relative to the objective
SCIPY_ENTRIES = 100_000  # SciPy takes too long for larger ones
SCIPY_SECONDS = 2.0
_FIELDS = ("real", "complex", "integer")
_SMALL, _LARGE = 7, 80  # rows and columns of random matrices


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.weighted.record")
    parser.add_argument("file", type=Path, help="the JSON file to write")
    parser.add_argument("--count", type=int, default=10_000, help="random matrices (10,000)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    head = machine.describe(module="tests.weighted.record")
    random = of_random_matrices(options.count)
    rows = list(of_collection())
    content = head | {"random": random, "matrices": rows}
    options.file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    text = markdown(head, random, rows)
    options.file.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)
    wrong = random["wrong ranks"] + sum(not row["maximum"] for row in rows)
    differences = [random["worst"][name] for name in ("brute force", "SciPy")]
    differences += [row[name] for row in rows for name in row["with"]]
    gaps = [random["worst"]["gap"], *(row["gap"] for row in rows)]
    return int(wrong > 0 or max(differences) > SAME or max(gaps) > SAME_GAP)


# -- random matrices -------------------------------------------------------------------------------


def random_matrix(seed: int) -> sp.csc_array:
    """A random matrix. For even seeds it has at most `_SMALL` rows and columns and any structural
    rank; for odd seeds it is square and has full structural rank. The moduli are few different
    numbers, near 1, or of all sizes. Every fifth matrix is complex."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        n = int(rng.integers(2, _LARGE + 1))
        mask = rng.random((n, n)) < rng.uniform(1, 6) / n
        mask[np.arange(n), rng.permutation(n)] = True
    else:
        m, n = rng.integers(1, _SMALL + 1, 2)
        mask = rng.random((m, n)) < rng.uniform(0.2, 1)
    size = mask.shape
    kinds = (
        lambda: 2.0 ** rng.integers(-1, 2, size),
        lambda: np.exp(rng.normal(size=size)),
        lambda: 10.0 ** rng.uniform(-300, 300, size),
    )
    values = kinds[seed // 2 % 3]() * rng.choice([-1.0, 1.0], size)
    if seed % 5 == 0:
        values = values * np.exp(1j * rng.uniform(0, 6, size))
    return sp.csc_array(np.where(mask, values, 0))


def of_random_matrices(count: int) -> dict[str, Any]:
    """Numbers of comparisons, of wrong ranks, and the largest differences by oracle."""
    numbers = {"brute force": 0, "SciPy": 0}
    worst = {"brute force": 0.0, "SciPy": 0.0, "gap": 0.0}
    wrong = unfinished = 0
    square = []
    for seed in range(count):
        A = random_matrix(seed)
        w = btfperm.weighted_transversal(A)
        worst["gap"] = max(worst["gap"], w.gap / max(1.0, abs(w.objective)))
        if max(A.shape) <= _SMALL:
            rank, best = best_transversal(A.toarray(), "product")
            numbers["brute force"] += 1
            wrong += rank != w.structural_rank
            worst["brute force"] = max(worst["brute force"], difference(w.objective, best))
        if A.shape[0] == A.shape[1] == w.structural_rank:
            square.append((A, w.objective))
    for (_, objective), best in zip(square, by_scipy([A for A, _ in square]), strict=True):
        if best is None:
            unfinished += 1
            continue
        numbers["SciPy"] += 1
        worst["SciPy"] = max(worst["SciPy"], difference(objective, best))
    found = {"matrices": count, "compared": numbers, "wrong ranks": wrong, "worst": worst}
    return found | {"unfinished": unfinished}


def by_scipy(matrices: list[sp.csc_array]) -> Iterator[float | None]:
    """The largest sum of logarithms of each; None if SciPy takes longer than `SCIPY_SECONDS`: it
    may never end if several optima are equal up to rounding errors. Another process calls it."""
    context = multiprocessing.get_context("fork")
    at = 0
    while at < len(matrices):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(matrices[at:], sender))
        process.start()
        while at < len(matrices) and receiver.poll(SCIPY_SECONDS):
            yield receiver.recv()
            at += 1
        process.kill()
        process.join()
        if at < len(matrices):
            yield None
            at += 1


def _send(matrices: list[sp.csc_array], sender: Any) -> None:
    for A in matrices:
        sender.send(_by_scipy(A))


def _by_scipy(A: sp.csc_array) -> float:
    """SciPy minimizes the sum of positive costs. They are exact for powers of 2."""
    logs = np.log2(np.abs(A.data))
    costs = sp.csr_array(sp.csc_array((logs.max() - logs + 1, A.indices, A.indptr), A.shape))
    rows, cols = min_weight_full_bipartite_matching(costs)
    numbered = sp.csr_array(sp.csc_array((np.arange(1, A.nnz + 1), A.indices, A.indptr), A.shape))
    chosen = np.asarray(numbered[rows, cols]).ravel() - 1
    return math.fsum(np.log(np.abs(A.data[chosen])))


def difference(one: float, other: float) -> float:
    return abs(one - other) / max(1.0, abs(other))


# -- the collection --------------------------------------------------------------------------------


def of_collection() -> Any:
    """A row for each matrix: its objective, the gap of its duals, and the relative differences to
    the others."""
    for known in shared_answers():
        if scipy.io.mminfo(known.path)[4] not in _FIELDS:
            continue
        A = sp.csc_array(scipy.io.mmread(known.path, spmatrix=False))
        A = A.astype(np.complex128 if A.dtype.kind == "c" else np.float64)
        A.eliminate_zeros()
        A.sort_indices()
        w = btfperm.weighted_transversal(A)
        row = {"matrix": known.name, "m": A.shape[0], "n": A.shape[1], "nnz": A.nnz}
        row |= {"rank": w.structural_rank, "objective": w.objective, "with": []}
        row |= proof(A, w, known.rank_without_zeros)
        if mumps() is not None and known.shape == (w.structural_rank,) * 2:
            mc64 = Mumps(A)
            mc64()
            row["MC64"] = difference(w.objective, mc64.objective())
            row["with"].append("MC64")
        if A.nnz <= SCIPY_ENTRIES and row["maximum"]:
            parts = independent_parts(A, w.row_match, w.col_match)
            found = list(
                by_scipy([A[rows][:, cols] for rows, cols in parts if min(rows.size, cols.size)])
            )
            if None not in found:
                row["SciPy"] = difference(w.objective, math.fsum(found))
                row["with"].append("SciPy")
        print(row, file=sys.stderr, flush=True)
        yield row


def proof(A: sp.csc_array, w: btfperm.WeightedTransversal, rank: int) -> dict[str, Any]:
    """Whether the matching is maximum, and the distance of its weight from the bound by its duals,
    relative to the larger of 1 and this weight."""
    weights = np.log(np.abs(A.data))
    with contextlib.suppress(AssertionError):
        parts = independent_parts(A, w.row_match, w.col_match)
        bound = weight_bound(A, weights, w.log_row_scale, w.log_col_scale, parts)
        cols = np.repeat(np.arange(A.shape[1]), np.diff(A.indptr))
        weight = math.fsum(weights[w.col_match[cols] == A.indices])
        same = w.structural_rank == rank and difference(w.objective, weight) <= SAME
        return {"maximum": same, "gap": max(0.0, difference(bound, weight))}
    return {"maximum": False, "gap": math.inf}


def markdown(head: dict[str, Any], random: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    numbers, worst = random["compared"], random["worst"]
    lines = [
        [
            f"`{row['matrix']}`",
            f"{row['m']:,}",
            f"{row['n']:,}",
            f"{row['nnz']:,}",
            f"{row['rank']:,}",
            f"{row['objective']!r}",
            f"{row['gap']:.1e}",
            *(f"{row[name]:.1e}" if name in row else "-" for name in ("MC64", "SciPy")),
        ]
        for row in rows
    ]
    titles = ["matrix", "rows", "columns", "entries", "rank", "objective", "gap", "MC64", "SciPy"]
    largest = {
        name: max((row[name] for row in rows if name in row), default=0.0)
        for name in ("MC64", "SciPy")
    }
    counts = {name: sum(name in row for row in rows) for name in largest}
    others = [row for row in rows if not row["m"] == row["n"] == row["rank"]]
    parts = [
        f"# Weighted transversals beside oracles, {head['date']}",
        f"`{head['command']}`",
        describe(head),
        "The objective is the sum of the logarithms of the matched moduli, rounded once. "
        "Differences are relative to the larger of 1 and the objective of the oracle.",
        f"{random['matrices']:,} random matrices: {numbers['brute force']:,} beside brute force, "
        f"largest difference {worst['brute force']:.1e}, {random['wrong ranks']} wrong ranks; "
        f"{numbers['SciPy']:,} beside SciPy, largest difference {worst['SciPy']:.1e}; "
        f"{random['unfinished']} more on which SciPy did not end; the largest gap of "
        f"the duals is {worst['gap']:.1e}, relative.",
        f"{len(rows)} matrices of the collection, {len(others)} of them rectangular or "
        f"structurally deficient: {sum(row['maximum'] for row in rows)} matchings are maximum, "
        "and the bound by the duals exceeds their objectives by at most "
        f"{max(row['gap'] for row in rows):.1e}, relative, by a check that shares no code with "
        "btfperm. "
        f"{counts['MC64']} beside MC64, largest difference {largest['MC64']:.1e}; "
        f"{counts['SciPy']} beside SciPy, part by part ("
        f"{sum('SciPy' in row for row in others)} of them rectangular or deficient), largest "
        f"difference {largest['SciPy']:.1e}. SciPy was called up to {SCIPY_ENTRIES:,} entries and "
        f"for {SCIPY_SECONDS:g} s.",
        table(titles, lines),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
