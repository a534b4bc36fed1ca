# SPDX-License-Identifier: BSD-3-Clause
"""Strong and weak scaling over MPI ranks, from the file to the permutations, and a model of both.

Strong: each matrix of the set on each number of ranks. Weak: random matrices with five entries in a
column, and for each rank as many columns as the first matrix of the set has. The model (`model.py`)
of the messages of a matrix is fitted without the largest number of ranks, which checks it. That of
the seconds is fitted to the runs with a core for each rank; the fit to all other matrices checks
each matrix.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import scipy.io

from benchmarks.cases import Case
from benchmarks.generators import make
from benchmarks.mpi.model import fit, fit_counts, predict, predict_counts
from benchmarks.report import Options, Row, Section, paragraphs, table
from btfperm.backends.threads import usable_cores

__all__ = ["run"]

MANY = 1024  # ranks of the prediction


def run(matrices: list[Case], options: Options) -> Section:
    """Median seconds and counters of each matrix on each number of ranks (`options.counts`)."""
    ranks = sorted(set(options.counts)) or [1, 2, 4]
    beside = str(Path(sys.executable).parent)
    launcher = shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")
    if launcher is None:
        raise ValueError("there is no mpiexec on this machine: pip install 'btfperm[mpi]'")
    rows: list[Row] = []
    complaints: list[str] = []
    columns = max((case.load().shape[1] for case in matrices[:1]), default=1000)
    weak = [(f"er_{columns * count}_d5.0", count) for count in ranks]
    with tempfile.TemporaryDirectory() as folder:
        for name, counts in [(case.name, ranks) for case in matrices] + [
            (name, [count]) for name, count in weak
        ]:
            file = Path(folder, "matrix.mtx")
            A = next((case.load() for case in matrices if case.name == name), None)
            A = make(name) if A is None else A
            scipy.io.mmwrite(file, A.tocoo(), field="pattern", symmetry="general")
            for count in counts:
                kind = "strong" if len(counts) > 1 or counts is ranks else "weak"
                try:
                    found = _measured([launcher, "-n", str(count)], file, options)
                except (subprocess.SubprocessError, OSError, ValueError) as error:
                    complaints.append(f"{name} on {count} ranks: {error}")
                    continue
                rows.append(
                    {"matrix": name, "kind": kind, "ranks": count, "entries": A.nnz} | found
                )
                options.say(f"{name}, {count} ranks: {rows[-1]['seconds']:.2f} s")
    return _section(rows, complaints)


def _measured(launch: list[str], file: Path, options: Options) -> Row:
    """The medians of the repetitions of one measurement, and the counters of the last."""
    output = str(file.with_suffix(".npz"))
    worker = [sys.executable, "-m", "benchmarks.mpi.worker", str(file), output]
    done = subprocess.run(
        [*launch, *worker, str(max(options.repeats, 1))],
        capture_output=True,
        text=True,
        timeout=600 + options.limit,
        check=False,
    )
    samples = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")][1:]
    if not samples:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ValueError(last)
    seconds = [sample["seconds"] for sample in samples]
    counters: Row = samples[-1]
    return counters | {"seconds": statistics.median(seconds), "samples": seconds}


def _section(rows: list[Row], complaints: list[str]) -> Section:
    model = _model(rows)
    for name in {row["matrix"] for row in rows}:
        found = {row["rank"] for row in rows if row["matrix"] == name}
        if len(found) > 1:
            complaints.append(f"{name}: different ranks {sorted(found)}")
    head = ["matrix", "ranks", "s", "of 1 rank", "exchanges", "MB sent", "MB a rank", "share"]
    head.append("model s")
    text = paragraphs(
        "From the file to `perm.npz`, medians. One rank uses the serial engine, several ranks the "
        "engine over ranks, also for matrices that `auto` would analyse whole on each rank. The "
        "memory of a rank is the largest one beyond that before the call; its share is that of one "
        "rank divided by the number of ranks, and the column has the memory in shares.",
        table(head, list(_cells(rows))),
        _model_text(model),
    )
    return Section("MPI ranks", text, {"rows": rows, "model": model}, complaints)


def _cells(rows: list[Row]) -> Iterator[list[str]]:
    one = {row["matrix"]: row["seconds"] for row in rows if row["ranks"] == 1}
    memory = {row["matrix"]: row["grown_bytes"] for row in rows if row["ranks"] == 1}
    for row in rows:
        share = "-"
        if row["matrix"] in memory:
            share = f"{row['grown_bytes'] * row['ranks'] / memory[row['matrix']]:.2f}"
        ratio = f"{one[row['matrix']] / row['seconds']:.2f}" if row["matrix"] in one else "weak"
        predicted = f"{row['predicted']:.2f}" if "predicted" in row else "-"
        yield [
            f"`{row['matrix']}`",
            str(row["ranks"]),
            f"{row['seconds']:.2f}",
            ratio,
            f"{row['exchanges']:,}",
            f"{row['bytes_sent'] / 1e6:.1f}",
            f"{row['grown_bytes'] / 1e6:.0f}",
            share,
            predicted,
        ]


def _model(rows: list[Row]) -> dict[str, Any]:
    """The coefficients, the checks, and the prediction for many ranks. Adds to each row the seconds
    that the fit to all other matrices predicts."""
    several = [row for row in rows if row["ranks"] > 1]
    timed = [row for row in several if row["ranks"] <= usable_cores()]
    if len({row["matrix"] for row in timed}) < 4:
        return {}
    coefficients = fit(timed)
    for row in timed:
        others = [other for other in timed if other["matrix"] != row["matrix"]]
        row["predicted"] = predict(fit(others), row, row["ranks"])
    ratios = [row["predicted"] / row["seconds"] for row in timed]
    model: dict[str, Any] = {
        "coefficients": coefficients.tolist(),
        "seconds_ratios": [min(ratios), statistics.median(ratios), max(ratios)],
        "messages": [],
    }
    for name in dict.fromkeys(row["matrix"] for row in several):
        own = [row for row in several if row["matrix"] == name]
        if len(own) < 3:
            continue
        last = max(own, key=lambda row: int(row["ranks"]))
        checked = predict_counts(
            fit_counts([row for row in own if row is not last]), last["entries"], last["ranks"]
        )
        many = predict_counts(fit_counts(own), last["entries"], MANY)
        model["messages"].append(
            {
                "matrix": name,
                "held_out_ranks": last["ranks"],
                "operations_ratio": checked["exchanges"]
                / (last["exchanges"] + last["collectives"]),
                "bytes_ratio": checked["bytes_sent"] / max(last["bytes_sent"], 1),
                "operations_on_many": many["exchanges"],
                "bytes_on_many": many["bytes_sent"],
                "seconds_on_many": predict(coefficients, many, MANY),
            }
        )
    return model


def _model_text(model: dict[str, Any]) -> str:
    if not model:
        return "Too few measurements over several ranks for a model."
    work, latency, transfer = model["coefficients"]
    least, median, most = model["seconds_ratios"]
    text = (
        f"Model of the seconds: {work * 1e9:.0f} ns an entry and rank, {latency * 1e6:.0f} us an "
        f"operation and doubling of the ranks, {transfer * 1e9:.2f} ns a byte and rank. The fit to "
        f"all other matrices predicts {median:.2f} of the time of a matrix (median; from "
        f"{least:.2f} to {most:.2f})."
    )
    if not model["messages"]:
        return text
    head = ["matrix", "ranks left out", "operations", "bytes", f"operations on {MANY:,} ranks"]
    head += ["MB", "s"]
    lines = [
        [
            f"`{row['matrix']}`",
            str(row["held_out_ranks"]),
            f"{row['operations_ratio']:.2f}",
            f"{row['bytes_ratio']:.2f}",
            f"{row['operations_on_many']:,.0f}",
            f"{row['bytes_on_many'] / 1e6:.0f}",
            f"{row['seconds_on_many']:.2f}",
        ]
        for row in model["messages"]
    ]
    return paragraphs(
        text,
        "Model of the messages: predicted over measured on the number of ranks that was left out, "
        f"and the prediction for {MANY:,} ranks.",
        table(head, lines),
    )
