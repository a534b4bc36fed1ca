# SPDX-License-Identifier: BSD-3-Clause
"""Whether every algorithm on a GPU finds a maximum transversal, in repeated runs.

The section runs each variant of each search, and each initial matching with a search after it, on
every matrix, and, unless it has `LARGE` entries or more, on its transpose and on a random
permutation of it. Matrices of at most `SMALL` entries, as they are, have 20 runs, because races
differ from run to run. Each answer is compared with the rank that the CPU finds, this rank with
that of the index if there is one, and each answer has passed its certificate. A search that does
not finish within the limit must leave a valid matching. Everything runs in one process, because
several processes take turns on the GPU and are slower. Generated matrices come first, then real
ones by the size of the file; Ctrl-C ends the run with the rows so far.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import btfperm
from benchmarks.cases import Case
from benchmarks.machine import gpu
from benchmarks.papers.gpu import asked_for, variants, words
from benchmarks.report import Options, Row, Section, paragraphs, table

RUNS = 20
SMALL = 5_000  # entries of the largest matrix that has all runs
FEWER = 2  # runs of larger matrices, of transposes and of permutations
LARGE = (
    1_000_000  # entries of the smallest matrix that is run once, without transpose and permutation
)
KINDS = {
    (True, True): "square, full rank",
    (True, False): "square, deficient",
    (False, True): "rectangular, full rank",
    (False, False): "rectangular, deficient",
}

Calls = dict[str, dict[str, Any]]


def run(cases: list[Case], options: Options) -> Section:
    """Runs, wrong answers and stopped ones of every variant; OSError without a GPU."""
    device = gpu()
    rows: list[Row] = []
    calls = calls_of(options)
    by_size = sorted(cases, key=lambda case: case.path.stat().st_size if case.path else 0)
    begin, missing = time.perf_counter(), [case.name for case in by_size]
    try:
        for case in by_size:
            for row in _of_matrix(case, calls, options.limit):
                rows.append(row)
                wrong = "".join(f"\n  PROBLEM {what}" for what in row["wrong"])
                options.say(f"{row['matrix']}: {row['runs']} runs, {row['seconds']:.1f} s{wrong}")
            missing.remove(case.name)
    except KeyboardInterrupt:
        options.say(f"not finished: {', '.join(missing)}")
    complaints = [f"{row['matrix']}: {what}" for row in rows for what in row["wrong"]]
    data = {"gpu": device, "limit": options.limit, "rows": rows, "names": list(calls)}
    data |= {"missing": missing, "seconds": time.perf_counter() - begin}
    return Section("Answers on a GPU", markdown(data), data, complaints)


def calls_of(options: Options) -> Calls:
    """The arguments of each variant: searches after the initial matching of `auto`, and initial
    matchings before apfb-wr; searches alone if the options name some."""
    everyone = variants()
    field = asked_for(everyone, options)
    calls: Calls = {v.name: {"algorithm": v.row.name, "options": v.options} for v in field}
    if len(field) < len(everyone):
        return calls
    for row in btfperm.algorithms("initial"):
        if row.backend == "gpu":
            forms = [(option.name, form) for option in row.options for form in option.forms]
            for name, form in forms or [("", "")]:
                calls[f"{row.name} {form}".strip()] = {
                    "initializer": row.name,
                    "algorithm": "apfb-wr",
                    "options": {name: words(form)[0]} if name else {},
                }
    return calls


def _of_matrix(case: Case, calls: Calls, limit: float) -> Iterator[Row]:
    """The matrix and, unless it is large, its transpose and a permutation of it."""
    P = btfperm.as_pattern(case.load())
    rng = np.random.default_rng(P.nnz)
    shuffled = btfperm.Pattern.from_coo(
        rng.permutation(P.m)[P.indices], rng.permutation(P.n)[P.cols()], P.shape
    )
    rank = btfperm.structural_rank(P, backend="cpu")
    expected = case.expected.get("rank", rank)
    others = [(", transposed", P.T), (", permuted", shuffled)] if P.nnz < LARGE else []
    for label, A in (("", P), *others):
        runs = RUNS if P.nnz <= SMALL and not label else FEWER if P.nnz < LARGE else 1
        row = _tried(A, calls, rank, runs, limit)
        if expected != rank:
            row["wrong"].insert(0, f"the rank is {expected} in the index, but {rank} on the cpu")
        yield {"matrix": case.name + label, **row}


def _tried(A: btfperm.Pattern, calls: Calls, rank: int, runs: int, limit: float) -> Row:
    begin = time.perf_counter()
    wrong: list[str] = []
    stopped: dict[str, int] = {}
    tried = 0
    for variant, call in calls.items():
        for seed in range(runs):
            tried += 1
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", btfperm.DefectWarning)
                    t = btfperm.maximum_transversal(
                        A, backend="gpu", seed=seed, time_limit=limit, **call
                    )
            except Exception as error:
                wrong.append(f"{variant}: {type(error).__name__}: {error}")
                continue
            size = t.rank_bounds[0]
            if not t.maximum:
                stopped[variant] = rank - size
                break
            if size != rank:
                wrong.append(f"{variant}: {size} instead of {rank}")
    return {
        "shape": list(A.shape),
        "nnz": A.nnz,
        "rank": rank,
        "runs": tried,
        "wrong": wrong,
        "stopped": stopped,
        "seconds": time.perf_counter() - begin,
    }


def markdown(data: dict[str, Any]) -> str:
    """Totals by kind of matrix, and the searches that were stopped."""
    groups: dict[str, list[Row]] = {kind: [] for kind in KINDS.values()}
    for row in data["rows"]:
        m, n = row["shape"]
        groups[KINDS[m == n, row["rank"] == min(m, n)]].append(row)
    groups["all"] = data["rows"]
    body = [
        [
            *(kind, str(len(group)), f"{sum(row['runs'] for row in group):,}"),
            str(sum(len(row["wrong"]) for row in group)),
        ]
        for kind, group in groups.items()
        if group
    ]
    stopped = [
        [f"`{row['matrix']}`", f"{row['nnz']:,}", name, f"{short:,}"]
        for row in data["rows"]
        for name, short in row["stopped"].items()
    ]
    text = f"Stopped after {data['limit']:g} s with a valid matching:"
    missing = f"Not finished: {', '.join(data['missing'])}."
    return paragraphs(
        f"{data['gpu']}.",
        f"{len(data['names'])} variants ({', '.join(data['names'])}); {RUNS} runs of each on "
        f"matrices of up to {SMALL:,} entries, {FEWER} on larger, transposed and permuted ones, 1 "
        f"from {LARGE:,} on, as they are; {data['seconds']:.0f} s in all.",
        table(["matrices", "how many", "runs", "wrong"], body),
        missing if data["missing"] else "",
        text if stopped else "",
        table(["matrix", "entries", "variant", "pairs short"], stopped) if stopped else "",
    )
