# SPDX-License-Identifier: BSD-3-Clause
"""The same call on 1, 2, 4, ... threads, on matrices beyond the caches.

For ``auto`` the whole call counts: initial matching, search, certificate and the time of Python.
For an algorithm requested by name the search after the initial matching counts, as in its paper.
The stages of every call are in the JSON, so that the whole can be compared, too.

The section measures every matrix of its set, and each several times. A result of ``--only`` is
marked as a selection and gives no mean.
"""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.cases import Case, names
from benchmarks.peers import ours
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    geometric_mean,
    milliseconds,
    paragraphs,
    progress,
    table,
)
from benchmarks.timing import CORES, Call, Method, Outcome, raced

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
    the median of its runs. No further run is started if, at the length of the longest one so far,
    it would end later than `options.within` seconds after the start.
    """
    threads = sorted(set(options.counts)) or counts(options.threads or CORES)
    methods = {(a, count): _method(a, count) for a in options.algorithms for count in threads}
    rows: dict[tuple[str, str, int], Row] = {}
    complaints: list[str] = []
    done, begin, longest = 0, time.monotonic(), 0.0
    while done < max(options.runs, 1) and (
        not done or time.monotonic() - begin + longest <= options.within
    ):
        since = time.monotonic()
        for case, A, outcomes, wrong in raced(
            list(methods.values()), matrices, options, complaints
        ):
            times = []
            for key, method in methods.items():
                if method.name in outcomes:
                    row = rows.setdefault((case.name, *key), _row(case, A, *key))
                    _add(row, outcomes[method.name])
                    if complete(row):
                        times.append(f"{method.name}: {milliseconds(median(row))}")
            options.say(progress(case.name, times, wrong))
        done += 1
        longest = max(longest, time.monotonic() - since)
    try:
        whole = names("scaling", options.which)
    except ValueError:  # real matrices have no such list
        whole = []
    left_out = [name for name in whole if name not in {case.name for case in matrices}]
    every = list(rows.values())
    text = paragraphs(
        _note(done, options, left_out),
        *(_table(every, algorithm, threads, left_out) for algorithm in options.algorithms),
        _contest(every, options.algorithms, threads[-1]),
    )
    data = {"threads": threads, "runs": done, "left_out": left_out, "rows": every}
    return Section("Several threads", text, data, complaints)


def _note(runs: int, options: Options, left_out: Sequence[str]) -> str:
    named = ", ".join(f"`{name}`" for name in left_out)
    return paragraphs(
        f"{runs} runs, each with new processes and {options.repeats} calls after a warm-up. A time "
        "is the median of the medians of the runs; the least and the largest speed-up of a single "
        "run stand beside it.",
        f"**This is a selection.** The set `{options.which}` also has {named}. No mean or median "
        "is given, because it would not represent the set."
        if left_out
        else "",
    )


def _method(algorithm: str, threads: int) -> Method:
    searches: list[float] = []  # seconds of each call; a sample repeats short calls

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
    """Adds one more run. `medians` has one entry for each run, None if the run gave no time."""
    row["seconds"] += outcome.seconds
    row["medians"].append(outcome.median if outcome.seconds else None)
    for stage in ("start", "search", "certificate") if outcome.seconds else ():
        row["stages"].setdefault(stage, []).extend(notes[stage] for notes in outcome.notes)


def complete(row: Row) -> bool:
    """Whether every run gave a time."""
    return bool(row["medians"]) and None not in row["medians"]


def median(row: Row) -> float:
    """The median of the medians of all runs."""
    return float(statistics.median(row["medians"]))


def _table(
    rows: Sequence[Row], algorithm: str, threads: Sequence[int], left_out: Sequence[str]
) -> str:
    """Milliseconds for each number of threads, and the speed-up of the last over the first. Where
    no matrix is left out, the geometric means of the speed-ups follow, of each class and of all
    matrices, and the median of all."""
    what = "whole call" if algorithm == "auto" else "search after initialisation"
    head = ["matrix", "class", "nnz", *map(str, threads), f"speed-up over {threads[0]}"]
    lines: list[list[str]] = []
    speeds: dict[str, list[list[float]]] = {}
    groups = group_by_matrix(rows, algorithm)
    for each in groups:
        first, last = each[0], each[-1]
        cells = [f"`{first['matrix']}`", first["class"], f"{first['nnz'] / 1e6:.1f} M"]
        cells += [milliseconds(median(row)) if complete(row) else "-" for row in each]
        if all(map(complete, each)):
            speed = [median(first) / median(row) for row in each]
            speeds.setdefault(first["class"], []).append(speed)
            single = [a / b for a, b in zip(first["medians"], last["medians"], strict=True)]
            spread = (max(last["seconds"]) - min(last["seconds"])) / median(last)
            cells += [f"{speed[-1]:.2f}", f"{min(single):.2f} to {max(single):.2f}"]
            lines.append([*cells, f"{spread:.0%}"])
        else:
            lines.append([*cells, "-", "-", "-"])
    title = f"### {algorithm}, {what}: milliseconds by the number of threads"
    everything = [speed for group in speeds.values() for speed in group]
    notes = []
    if everything and not left_out:
        columns = list(zip(*everything, strict=True))
        for name, members in [*speeds.items(), ("all", everything)]:
            means = [geometric_mean(column) for column in zip(*members, strict=True)]
            lines.append(_means(f"geometric mean, {name}", means))
        lines.append(_means("median, all", list(map(statistics.median, columns))))
        if len(everything) < len(groups):
            notes.append(
                f"**{len(groups) - len(everything)} of {len(groups)} matrices exceeded the limit** "
                "and are in no mean and no median."
            )
        slower = sum(speed < 1 for speed in columns[-1])
        notes.append(
            f"Slower on {threads[-1]} than on {threads[0]}: {slower} of {len(columns[0])}."
        )
    return paragraphs(title, table([*head, "single runs", "spread"], lines), *notes)


def _means(name: str, values: Sequence[float]) -> list[str]:
    return [name, "", "", *(f"{value:.2f}" for value in values), "", "", ""]


def _contest(rows: Sequence[Row], algorithms: Sequence[str], threads: int) -> str:
    """Initial matching, search and certificate of each algorithm on the largest number of threads:
    the time of all three over that of the first algorithm."""
    if len(algorithms) < 2:
        return ""
    whole = {
        (row["matrix"], row["algorithm"]): statistics.median(
            map(sum, zip(*row["stages"].values(), strict=True))
        )
        for row in rows
        if row["threads"] == threads and complete(row)
    }

    def cells(row: Row) -> list[str]:
        own = [whole.get((row["matrix"], algorithm)) for algorithm in algorithms]
        return [f"{each / own[0]:.2f}" if each and own[0] else "-" for each in own]

    matrices = [{"matrix": name} for name in dict.fromkeys(row["matrix"] for row in rows)]
    title = f"### Start, search and certificate on {threads} threads: times {algorithms[0]}"
    return paragraphs(title, by_matrix(list(algorithms), matrices, cells))


def group_by_matrix(rows: Sequence[Row], algorithm: str) -> list[list[Row]]:
    """The rows of one algorithm, one list for each matrix."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row["algorithm"] == algorithm:
            groups.setdefault(row["matrix"], []).append(row)
    return list(groups.values())
