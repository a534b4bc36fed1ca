# SPDX-License-Identifier: BSD-3-Clause
"""Whether every algorithm on a GPU finds a maximum transversal of everything, time and again.

Each variant of each search, and each start with a search behind it, on the real matrices, their
transposes and a random permutation of each, and on the smallest graphs of every family: 20 runs on
small matrices, since races fall out differently each time. The rank is that of the index or of
the CPU, and each answer has passed its certificate. What does not end within the limit must have
left a legal matching. Everything runs in one process, because several processes take turns on the
GPU and are slower. The smallest matrices come first, and Ctrl-C ends the run with the rows that it
has.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import btfperm
from benchmarks.cases import Case, generated
from benchmarks.contest import Options, Section
from benchmarks.gpu import asked_for, variants, words
from benchmarks.machine import need_gpu
from benchmarks.tables import table
from btfperm.backends.gpu.device import describe

RUNS = 20
SMALL = 5_000  # entries, up to which a matrix has all the runs
FEW = 2  # runs of larger ones, of transposes and of permutations
LARGE = 1_000_000  # entries, from which a matrix is run once, as it is
FAMILIES = """
    er:10:3 er:14:8 kron:12 rmat:12:30 del:12 del:12+rcp rgg:12 rgg:12+rcp road:100 hex:100
    grid3d_12 circuit_1e3 tri_1e3 bandtri_1e3 hessenberg_60 arrow_1e3 kkt_1e3 kkt_sing_1e3
    chain_1e3 chain_1e3_rcp chains_hk_40 chains_30x30 deadtree_1e3 ladder_57 kshard_60_k4
    rect_wide_1e3 rect_tall_1e3 er_1e3_d1.5
"""

Row = dict[str, Any]


def cases(which: str) -> list[Case]:
    """The generated ones; ``--set real`` takes the real ones instead."""
    return generated(FAMILIES.split()[: 4 if which == "tiny" else None])


def run(cases: list[Case], options: Options) -> Section:
    """Runs, wrong answers and stopped ones of every variant.

    Raises
    ------
    OSError : there is no GPU that works
    """
    need_gpu()
    rows: list[Row] = []
    calls = _calls(options)
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
        options.say(f"not tried to the end: {', '.join(missing)}")
    complaints = [f"{row['matrix']}: {what}" for row in rows for what in row["wrong"]]
    data = {"gpu": describe(), "limit": options.limit, "rows": rows, "names": list(calls)}
    data |= {"missing": missing, "seconds": time.perf_counter() - begin}
    return Section("Answers on a GPU", markdown(data), data, complaints)


def _calls(options: Options) -> dict[str, dict[str, Any]]:
    """How each variant is asked for: searches behind the start of `auto`, starts before apfb-wr;
    only searches, where the options name some."""
    all_of_them = variants()
    field = asked_for(all_of_them, options)
    calls: dict[str, dict[str, Any]] = {
        variant.name: {"algorithm": variant.row.name, "options": variant.options}
        for variant in field
    }
    if len(field) < len(all_of_them):
        return calls
    for row in btfperm.algorithms("initial"):
        if row.backend != "gpu":
            continue
        forms = [(option.name, form) for option in row.options for form in option.forms]
        for name, form in forms or [("", "")]:
            options = {name: words(form)[0]} if name else {}
            calls[f"{row.name} {form}".strip()] = {
                "initializer": row.name,
                "algorithm": "apfb-wr",
                "options": options,
            }
    return calls


def _of_matrix(case: Case, calls: dict[str, dict[str, Any]], limit: float) -> Iterator[Row]:
    """The matrix, and unless it is large its transpose and a permutation of it."""
    P = btfperm.as_pattern(case.load())
    rng = np.random.default_rng(P.nnz)
    shuffled = btfperm.Pattern.from_coo(
        rng.permutation(P.m)[P.indices], rng.permutation(P.n)[P.cols()], P.shape
    )
    rank = btfperm.structural_rank(P, backend="cpu")
    others = [(", transposed", P.T), (", permuted", shuffled)] if P.nnz < LARGE else []
    for label, A in (("", P), *others):
        runs = RUNS if P.nnz <= SMALL and not label else FEW
        expected = case.expected.get("rank")
        runs = runs if P.nnz < LARGE else 1
        yield _tried(case.name + label, A, calls, rank, expected, runs, limit)


def _tried(
    name: str,
    A: btfperm.Pattern,
    calls: dict[str, dict[str, Any]],
    rank: int,
    expected: int | None,
    runs: int,
    limit: float,
) -> Row:
    begin = time.perf_counter()
    wrong = [] if expected in (None, rank) else [f"the index says {expected}, the cpu {rank}"]
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
        "matrix": name,
        "shape": list(A.shape),
        "nnz": A.nnz,
        "rank": rank,
        "runs": tried,
        "wrong": wrong,
        "stopped": stopped,
        "seconds": time.perf_counter() - begin,
    }


def markdown(data: dict[str, Any]) -> str:
    """Totals by kind, and what was stopped."""
    rows = data["rows"]
    kinds = {
        "square, full rank": lambda m, n, rank: m == n == rank,
        "square, deficient": lambda m, n, rank: m == n > rank,
        "rectangular, full rank": lambda m, n, rank: m != n and rank == min(m, n),
        "rectangular, deficient": lambda m, n, rank: m != n and rank < min(m, n),
    }
    body = []
    for kind, is_one in kinds.items():
        group = [row for row in rows if is_one(*row["shape"], row["rank"])]
        if group:
            runs = sum(row["runs"] for row in group)
            wrong = sum(len(row["wrong"]) for row in group)
            body.append([kind, str(len(group)), f"{runs:,}", str(wrong)])
    runs = sum(row["runs"] for row in rows)
    wrong = sum(len(row["wrong"]) for row in rows)
    body.append(["all", str(len(rows)), f"{runs:,}", str(wrong)])
    stopped = [
        [f"`{row['matrix']}`", f"{row['nnz']:,}", name, f"{short:,}"]
        for row in rows
        for name, short in row["stopped"].items()
    ]
    parts = [
        f"{data['gpu']}.",
        f"{len(data['names'])} variants ({', '.join(data['names'])}); {RUNS} runs of each on "
        f"matrices of up to {SMALL:,} entries, {FEW} on larger, transposed and permuted ones, 1 "
        f"from {LARGE:,} on, as they are; {data['seconds']:.0f} s in all.",
        table(["matrices", "how many", "runs", "wrong"], body),
    ]
    if data["missing"]:
        parts.append(f"Not tried to the end: {', '.join(data['missing'])}.")
    if stopped:
        parts += [
            f"Stopped after {data['limit']:g} s with a legal matching:",
            table(["matrix", "entries", "variant", "pairs short"], stopped),
        ]
    return "\n\n".join(parts)
