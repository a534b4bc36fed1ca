# SPDX-License-Identifier: BSD-3-Clause
"""The same call on 1, 2, 4, ... threads, on matrices beyond the caches.

Of ``auto`` the whole call counts: start, search, certificate and what Python adds. Of an algorithm
asked for by name the search counts, after initialisation, as its paper counts; the stages of every
call are in the JSON, so that the whole can be compared, too.

The section measures every matrix of its set, and each several times. A result of ``--only`` says
that it is a selection and gives no mean.
"""

from __future__ import annotations

import importlib
import os
import statistics
import time
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
    """Seconds of each algorithm on each number of threads: --counts, or up to --threads (all).

    The whole race is run `options.runs` times, each time over all matrices and with new processes,
    because the figures of one process and of one minute differ from the next. A matrix counts by
    the median of its runs. No further run is started if it would end after `options.within`.
    """
    threads = sorted(set(options.counts)) or counts(options.threads or len(os.sched_getaffinity(0)))
    methods = {
        (algorithm, count): _method(algorithm, count)
        for algorithm in options.algorithms
        for count in threads
    }
    rows: dict[tuple[str, str, int], Row] = {}
    complaints: list[str] = []
    done, begun, longest = 0, time.monotonic(), 0.0
    while done < max(options.runs, 1) and (
        not done or time.monotonic() - begun + longest <= options.within
    ):
        since = time.monotonic()
        for case in matrices:
            A = case.load()
            outcomes = race(list(methods.values()), A, repeats=options.repeats, limit=options.limit)
            wrong = disagreements(outcomes, case.expected)
            wrong += [f"{name}: {o.reason}" for name, o in outcomes.items() if o.failed]
            complaints += [f"{case.name}: {what}" for what in wrong]
            for key, method in methods.items():
                if method.name in outcomes:
                    row = rows.setdefault((case.name, *key), _row(case, A, *key))
                    _add(row, outcomes[method.name])
            mine = [rows[case.name, *key] for key in methods if (case.name, *key) in rows]
            options.say(_progress(case.name, mine, wrong))
        done += 1
        longest = max(longest, time.monotonic() - since)
    left_out = _left_out(matrices, options.which)
    every = list(rows.values())
    parts = [_note(done, options, left_out)]
    parts += [_table(every, algorithm, threads, left_out) for algorithm in options.algorithms]
    parts += [_contest(every, options.algorithms, threads[-1])]
    data = {"threads": threads, "runs": done, "left_out": left_out, "rows": every}
    return Section("Several threads", "\n\n".join(p for p in parts if p), data, complaints)


def _left_out(matrices: Sequence[Case], which: str) -> list[str]:
    """The matrices of the set that are not measured; empty for a set that has none of its own."""
    names = {case.name for case in matrices}
    return [name for name in MATRICES.get(which, "").split() if name not in names]


def _note(runs: int, options: Options, left_out: Sequence[str]) -> str:
    text = (
        f"{runs} runs, each with new processes and {options.repeats} calls after a warm-up. A time "
        "is the median of the medians of the runs; the least and the largest speed-up of a single "
        "run stand beside it."
    )
    if left_out:
        names = ", ".join(f"`{name}`" for name in left_out)
        text += (
            f"\n\n**This is a selection.** The set `{options.which}` also has {names}. No mean or "
            "median is given, because it would not stand for the set."
        )
    return text


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


def _row(case: Case, A: Any, algorithm: str, threads: int) -> Row:
    return {
        "matrix": case.name,
        "nnz": int(A.nnz),
        "class": CLASSES.get(case.kind, "other"),
        "algorithm": algorithm,
        "threads": threads,
        "seconds": [],
        "medians": [],
        "stages": {},
    }


def _add(row: Row, outcome: Outcome) -> None:
    """One more run. `medians` has one entry for each run, None where the limit was exceeded."""
    row["seconds"] += outcome.seconds
    row["medians"].append(outcome.median if outcome.seconds else None)
    for stage in ("start", "search", "certificate") if outcome.seconds else ():
        row["stages"].setdefault(stage, []).extend(notes[stage] for notes in outcome.notes)


def _complete(row: Row) -> bool:
    """Whether every run gave a time."""
    return bool(row["medians"]) and None not in row["medians"]


def _median(row: Row) -> float:
    return float(statistics.median(row["medians"]))


def _whole(row: Row) -> float:
    """Median of start, search and certificate together."""
    return statistics.median(map(sum, zip(*row["stages"].values(), strict=True)))


def _table(
    rows: Sequence[Row], algorithm: str, threads: Sequence[int], left_out: Sequence[str]
) -> str:
    """Milliseconds for each number of threads, and the speed-up of the last over the first; below,
    where no matrix is left out, the means of the classes and of all, and the median of all."""
    what = "whole call" if algorithm == "auto" else "search after initialisation"
    over = f"speed-up over {threads[0]}"
    head = ["matrix", "class", "nnz", *map(str, threads), over, "single runs", "spread"]
    lines: list[list[str]] = []
    speeds: dict[str, list[list[float]]] = {}
    groups = _by_matrix(rows, algorithm)
    for each in groups:
        cells = [f"`{each[0]['matrix']}`", each[0]["class"], f"{each[0]['nnz'] / 1e6:.1f} M"]
        if all(map(_complete, each)):
            speed = [_median(each[0]) / _median(row) for row in each]
            speeds.setdefault(each[0]["class"], []).append(speed)
            first, last = each[0]["medians"], each[-1]["medians"]
            single = [a / b for a, b in zip(first, last, strict=True)]
            cells += [milliseconds(_median(row)) for row in each]
            cells += [f"{speed[-1]:.2f}", f"{min(single):.2f} to {max(single):.2f}"]
            cells += [f"{_spread(each[-1]):.0%}"]
        else:
            cells += [milliseconds(_median(row)) if _complete(row) else "-" for row in each]
            cells += ["-", "-", "-"]
        lines.append(cells)
    title = f"### {algorithm}, {what}: milliseconds by the number of threads"
    everything = [speed for group in speeds.values() for speed in group]
    if left_out or not everything:
        return f"{title}\n\n{table(head, lines)}"
    for name, members in [*speeds.items(), ("all", everything)]:
        means = [geometric_mean(column) for column in zip(*members, strict=True)]
        lines.append(_means(f"geometric mean, {name}", means))
    columns = list(zip(*everything, strict=True))
    lines.append(_means("median, all", list(map(statistics.median, columns))))
    parts = [f"{title}\n\n{table(head, lines)}"]
    if len(everything) < len(groups):
        parts.append(
            f"**{len(groups) - len(everything)} of {len(groups)} matrices exceeded the limit** and "
            "are in no mean and no median."
        )
    slower = sum(speed < 1 for speed in columns[-1])
    parts.append(f"Slower on {threads[-1]} than on {threads[0]}: {slower} of {len(everything)}.")
    return "\n\n".join(parts)


def _means(name: str, values: Sequence[float]) -> list[str]:
    return [name, "", "", *(f"{value:.2f}" for value in values), "", "", ""]


def _spread(row: Row) -> float:
    """Slowest less fastest call of all runs, over the median."""
    return float(max(row["seconds"]) - min(row["seconds"])) / _median(row)


def _contest(rows: Sequence[Row], algorithms: Sequence[str], threads: int) -> str:
    """Start, search and certificate of each algorithm on all threads, as ratios to the first."""
    if len(algorithms) < 2:
        return ""
    whole = {
        (row["matrix"], row["algorithm"]): _whole(row)
        for row in rows
        if row["threads"] == threads and _complete(row)
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
        if _complete(row)
    ]
    return f"{name}: {', '.join(times)} ms" + "".join(f"\n  PROBLEM {what}" for what in wrong)
