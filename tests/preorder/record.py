# SPDX-License-Identifier: BSD-3-Clause
"""The record of backward errors: `python -m tests.preorder.record FILE.json`.

Every matrix of ``../shared/matrices`` that is square, with values, and structurally nonsingular
without its stored zeros, is ordered and factored by both solvers with each choice of `weights`, and
solved for two right-hand sides, plain and transposed, with the default refinement. Matrices with at
least `LARGE` entries have the default weights only. A matrix whose rows all sum to exactly 0 is
singular, and is not solved. The residuals are computed in the extended
precision of NumPy's longdouble by code that shares nothing with btfperm. A route that takes longer
than ``--limit`` seconds is stopped; SuperLU and KLU run in processes of their own.

FILE.json is written after each matrix, and a run with the same file continues there, also with
routes that an earlier run stopped at a smaller limit. ``--within SECONDS`` starts no further
matrix. The exit status is 1 if a normwise backward error exceeds `MOST`. A Markdown file is written
beside the JSON file.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

import btfperm
from benchmarks import machine
from benchmarks.report import describe, table
from tests.known_answers import KnownAnswer, shared_answers

MOST = 1e-15
LARGE = 500_000
_FIELDS = ("real", "complex", "integer")
_WEIGHTS = ("auto", "product", "none")
_SINGULAR, _ZERO_SUMS = "numerically singular", "singular: all rows sum to 0"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.preorder.record")
    parser.add_argument("file", type=Path, help="the JSON file to write, or to continue")
    parser.add_argument("--limit", type=float, default=30.0, metavar="SECONDS")
    parser.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    end = time.monotonic() + options.within
    # A run in several parts has the result of one run.
    head = machine.describe([str(options.file)], module="tests.preorder.record")
    rows = json.loads(options.file.read_text())["matrices"] if options.file.exists() else {}
    for known in matrices():
        if time.monotonic() > end:
            print("more matrices may be left", file=sys.stderr)
            break
        routes = rows.setdefault(known.name, {"n": known.shape[0], "routes": {}})["routes"]
        fill_in(routes, known, options.limit)
        print(known.name, routes, file=sys.stderr, flush=True)
        options.file.write_text(json.dumps({**head, "matrices": rows}, indent=1) + "\n")
        options.file.with_suffix(".md").write_text(markdown(head, rows), encoding="utf-8")
    print(sentence(rows))
    return int(any(error > MOST for error in errors_of(rows, "normwise")))


def matrices() -> Iterator[KnownAnswer]:
    """Smallest first."""
    for known in sorted(shared_answers(), key=lambda known: known.entries):
        is_regular = known.shape == (known.rank_without_zeros,) * 2
        if is_regular and scipy.io.mminfo(known.path)[4] in _FIELDS:
            yield known


def fill_in(routes: dict[str, Any], known: KnownAnswer, limit: float) -> None:
    """Adds the routes that are missing, and those that were stopped at a smaller limit."""
    names = [
        f"{solver} {weights}"
        for weights in (_WEIGHTS if known.entries < LARGE else _WEIGHTS[:1])
        for solver in ("klu", "superlu")
    ]
    A = None
    for name in names:
        if name in routes and routes[name].get("limit", limit) >= limit:
            continue
        if A is None:
            A = sp.csc_array(scipy.io.mmread(known.path, spmatrix=False))
            A = A.astype(np.complex128 if A.dtype.kind == "c" else np.float64)
            A.eliminate_zeros()
            A.sort_indices()
        if has_zero_sums(A):
            routes[name] = {"error": _ZERO_SUMS}
        else:
            routes[name] = limited(A, *name.split(), limit)


def has_zero_sums(A: Any) -> bool:
    """Whether A times the vector of ones is exactly 0; `fsum` rounds only once."""
    if A.dtype.kind == "c" or np.abs(A @ np.ones(A.shape[0])).max() > MOST * np.abs(A.data).max():
        return False
    rows = sp.csr_array(A)
    parts = np.split(rows.data, rows.indptr[1:-1])
    return not any(math.fsum(part) for part in parts)


def limited(A: Any, solver: str, weights: str, limit: float) -> dict[str, Any]:
    """What `measured` returns, by another process; the limit if it takes longer."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(measured(A, solver, weights)))
    process.start()
    found = {"limit": limit}
    if receiver.poll(limit):
        found = receiver.recv()
    process.kill()
    process.join()
    return found


def measured(A: Any, solver: str, weights: str) -> dict[str, Any]:
    """The largest backward errors of plain and transposed solutions; or the error."""
    rng = np.random.default_rng(1)
    try:
        F = btfperm.preorder(A, solver=solver, weights=weights).factor(A)
    except btfperm.NumericallySingularError:
        return {"error": _SINGULAR}
    worst = {"normwise": 0.0, "componentwise": 0.0}
    for trans, matrix in (("N", A), ("T", A.T)):
        rows = sp.csr_array(matrix)
        right = np.column_stack([rows @ np.ones(A.shape[0]), rng.normal(size=A.shape[0])])
        for error in backward_errors(rows, F.solve(right, trans), right):
            worst = {name: max(worst[name], error[name]) for name in worst}
    return {**worst, "backend": F.backend}


def backward_errors(rows: Any, X: Any, B: Any) -> Iterator[dict[str, float]]:
    """The backward error of each column of X. No row of the matrix is empty."""
    extended = np.clongdouble if X.dtype.kind == "c" else np.longdouble
    data, starts = rows.data.astype(extended), rows.indptr[:-1]
    norm = np.add.reduceat(np.abs(data), starts).max()
    for x, b in zip(X.T, B.T, strict=True):
        terms = data * x.astype(extended)[rows.indices]
        residual = np.abs(b - np.add.reduceat(terms, starts))
        sizes = np.add.reduceat(np.abs(terms), starts) + np.abs(b)
        shares = residual[sizes > 0] / sizes[sizes > 0]
        yield {
            "normwise": float(residual.max() / (norm * np.abs(x).max() + np.abs(b).max())),
            "componentwise": float(shares.max(initial=0)),
        }


def errors_of(rows: dict[str, Any], name: str) -> list[float]:
    found = (route for row in rows.values() for route in row["routes"].values())
    return [route[name] for route in found if name in route]


def sentence(rows: dict[str, Any]) -> str:
    solved = {name for name, row in rows.items() if any("normwise" in r for r in values(row))}
    norms, parts = errors_of(rows, "normwise"), errors_of(rows, "componentwise")
    singular = [name for name, row in rows.items() if any("error" in r for r in values(row))]
    text = (
        f"{len(solved)} of {len(rows)} matrices were solved, by {len(norms)} routes: the largest "
        f"backward error is {max(norms):.1e} by norms and {max(parts):.1e} by components, and "
        f"{sum(error > MOST for error in norms)} of the errors by norms exceed {MOST:g}."
    )
    return text + (
        f" Singular, exactly or up to rounding: {', '.join(singular)}." if singular else ""
    )


def values(row: dict[str, Any]) -> list[dict[str, Any]]:
    return list(row["routes"].values())


def markdown(head: dict[str, Any], rows: dict[str, Any]) -> str:
    names = [f"{solver} {weights}" for solver in ("klu", "superlu") for weights in _WEIGHTS]
    lines = [
        [f"`{name}`", f"{row['n']:,}", *(shown(row["routes"].get(route)) for route in names)]
        for name, row in rows.items()
    ]
    parts = [
        f"# Backward errors, {head['date']}",
        f"`{head['command']}`",
        describe(head),
        "The largest of four backward errors by norms, with the default refinement: two right-hand "
        "sides, plain and transposed. `>30` is a limit in seconds, a dash a route that was not "
        "tried.",
        sentence(rows),
        table(["matrix", "n", *names], lines),
    ]
    return "\n\n".join(parts) + "\n"


def shown(route: dict[str, Any] | None) -> str:
    if route is None:
        return "-"
    if "limit" in route:
        return f">{route['limit']:g}"
    return route["error"] if "error" in route else f"{route['normwise']:.1e}"


if __name__ == "__main__":
    sys.exit(main())
