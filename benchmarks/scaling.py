# SPDX-License-Identifier: BSD-3-Clause
"""The same call on 1, 2, 4, ... threads, on matrices beyond the caches.

Of ``auto`` the whole call counts: start, search, certificate and what Python adds. Of an algorithm
asked for by name the search counts, after initialisation, as its paper counts; the stages of every
call are in the JSON, so that the whole can be compared, too.
"""

from __future__ import annotations

import importlib
import os
import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks import ours
from benchmarks.cases import Case, generated
from benchmarks.contest import Options, Section
from benchmarks.tables import geometric_mean, milliseconds, table
from benchmarks.timing import Call, Method, Outcome, disagreements, race

Row = dict[str, Any]

# Above 10 million entries, but for the smaller sets, which only show that the section works.
MATRICES = {
    "tiny": "er_300_d5.0 circuit_300",
    "quick": "circuit_2e4 er_3e4_d5.0 rmat_s14 road_128",
    "field": "circuit_2e5 er_3e5_d2.7 grid3d_48_rcp kron_s16 rmat_s17 road_512 tri_2e5",
    "large": """circuit_3e6 er_4e6_d2.7 er_3e6_d5.0 grid3d_128_rcp kkt_3e6 kkt_3e6_rcp kron_s19
        rmat_s21 road_2048 road_2048_rcp tri_3e6 rgg_n_2_20 rgg_n_2_20_rcp delaunay_n21
        delaunay_n21_rcp bandtri_3e6_rcp chains_hk_3200_rcp rect_wide_4e6 rect_tall_4e6""",
}

CLASSES = {
    "mesh": "scientific",
    "stencil": "scientific",
    "kkt": "scientific",
    "power law": "scale-free",
    "road": "networks",
    "er": "random",
    "circuit": "circuits, triangular",
    "triangular": "circuits, triangular",
    "adversarial": "chains",
    "rect": "wide, tall",
}


def cases(size: str) -> list[Case]:
    """The matrices of this section."""
    return generated(MATRICES[size].split())


def counts(most: int) -> list[int]:
    """1, 2, 4, ... and `most`.

    >>> counts(6)
    [1, 2, 4, 6]
    """
    return sorted({most, *(1 << k for k in range(most.bit_length()) if 1 << k <= most)})


def run(matrices: list[Case], options: Options) -> Section:
    """Seconds of each algorithm on each number of threads: --counts, or up to --threads (all)."""
    threads = sorted(set(options.counts)) or counts(options.threads or len(os.sched_getaffinity(0)))
    methods = {
        (algorithm, count): _method(algorithm, count)
        for algorithm in options.algorithms
        for count in threads
    }
    rows: list[Row] = []
    complaints: list[str] = []
    for case in matrices:
        A = case.load()
        outcomes = race(list(methods.values()), A, repeats=options.repeats, limit=options.limit)
        wrong = disagreements(outcomes, case.expected)
        wrong += [f"{name}: {o.reason}" for name, o in outcomes.items() if o.failed]
        complaints += [f"{case.name}: {what}" for what in wrong]
        mine = [
            _row(case, A, *key, outcomes[method.name])
            for key, method in methods.items()
            if method.name in outcomes
        ]
        rows += mine
        options.say(_progress(case.name, mine, wrong))
    parts = [_table(rows, algorithm, threads) for algorithm in options.algorithms]
    parts += [_contest(rows, options.algorithms, threads[-1])]
    data = {"threads": threads, "rows": rows}
    return Section("Several threads", "\n\n".join(p for p in parts if p), data, complaints)


def _method(algorithm: str, threads: int) -> Method:
    searches: list[float] = []  # of the calls of one sample: short ones are repeated

    def prepare(A: Any) -> Call:
        btfperm = importlib.import_module("btfperm")
        pattern = btfperm.as_pattern(A)

        def call() -> Any:
            found = btfperm.maximum_transversal(
                pattern, algorithm=algorithm, threads=threads, backend="cpu"
            )
            searches.append(float(found.seconds["search"]))
            return found

        return call

    def counted(_: Any, seconds: float) -> float:
        search = statistics.mean(searches)
        searches.clear()
        return seconds if algorithm == "auto" else search

    return Method(
        f"{algorithm}, {threads}",
        prepare,
        lambda t: {"rank": t.structural_rank},
        ours.absent(),
        counted,
        lambda t: dict(t.seconds),
    )


def _row(case: Case, A: Any, algorithm: str, threads: int, outcome: Outcome) -> Row:
    return {
        "matrix": case.name,
        "nnz": int(A.nnz),
        "class": CLASSES.get(case.kind, "other"),
        "algorithm": algorithm,
        "threads": threads,
        "seconds": outcome.seconds,
        "stages": {
            stage: [notes[stage] for notes in outcome.notes]
            for stage in ("start", "search", "certificate")
            if outcome.seconds
        },
    }


def _median(row: Row) -> float:
    return float(statistics.median(row["seconds"]))


def _whole(row: Row) -> float:
    """Median of start, search and certificate together."""
    return statistics.median(map(sum, zip(*row["stages"].values(), strict=True)))


def _table(rows: Sequence[Row], algorithm: str, threads: Sequence[int]) -> str:
    """Milliseconds for each number of threads; speed-up of the most over the fewest, spread at the
    most."""
    what = "whole call" if algorithm == "auto" else "search after initialisation"
    over = f"speed-up over {threads[0]}"
    head = ["matrix", "class", "nnz", *map(str, threads), over, "spread"]
    lines: list[list[str]] = []
    speeds: dict[str, list[list[float]]] = {}
    for each in _by_matrix(rows, algorithm):
        cells = [f"`{each[0]['matrix']}`", each[0]["class"], f"{each[0]['nnz'] / 1e6:.1f} M"]
        if all(row["seconds"] for row in each):
            speed = [_median(each[0]) / _median(row) for row in each]
            speeds.setdefault(each[0]["class"], []).append(speed)
            cells += [milliseconds(_median(row)) for row in each]
            cells += [f"{speed[-1]:.1f}", f"{_spread(each[-1]):.0%}"]
        else:
            cells += [milliseconds(_median(row)) if row["seconds"] else "-" for row in each]
            cells += ["-", "-"]
        lines.append(cells)
    everything = [speed for group in speeds.values() for speed in group]
    for name, members in [*speeds.items(), ("all", everything)]:
        means = [geometric_mean(column) for column in zip(*members, strict=True)]
        lines.append([f"speed-up, {name}", "", "", *(f"{mean:.2f}" for mean in means), "", ""])
    title = f"### {algorithm}, {what}: milliseconds by the number of threads"
    return f"{title}\n\n{table(head, lines)}"


def _spread(row: Row) -> float:
    """Slowest less fastest call, over the median."""
    return float(max(row["seconds"]) - min(row["seconds"])) / _median(row)


def _contest(rows: Sequence[Row], algorithms: Sequence[str], threads: int) -> str:
    """Start, search and certificate of each algorithm on all threads, as ratios to the first."""
    if len(algorithms) < 2:
        return ""
    whole = {
        (row["matrix"], row["algorithm"]): _whole(row)
        for row in rows
        if row["threads"] == threads and row["seconds"]
    }
    lines: list[list[str]] = []
    for matrix in dict.fromkeys(row["matrix"] for row in rows):
        first = whole.get((matrix, algorithms[0]))
        own = [whole.get((matrix, algorithm)) for algorithm in algorithms]
        ratios = [f"{seconds / first:.2f}" if seconds and first else "-" for seconds in own]
        lines.append([f"`{matrix}`", *ratios])
    title = f"### Start, search and certificate on {threads} threads: times {algorithms[0]}"
    return f"{title}\n\n{table(['matrix', *algorithms], lines)}"


def _by_matrix(rows: Sequence[Row], algorithm: str) -> list[list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row["algorithm"] == algorithm:
            groups.setdefault(row["matrix"], []).append(row)
    return list(groups.values())


def _progress(name: str, rows: Sequence[Row], wrong: Sequence[str]) -> str:
    times = [
        f"{row['algorithm']} {row['threads']}: {milliseconds(_median(row))}"
        for row in rows
        if row["seconds"]
    ]
    return f"{name}: {', '.join(times)} ms" + "".join(f"\n  PROBLEM {what}" for what in wrong)
