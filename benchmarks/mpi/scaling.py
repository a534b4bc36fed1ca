# SPDX-License-Identifier: BSD-3-Clause
"""Strong and weak scaling over MPI ranks, from the file to the permutations, and a model of both.

Strong: each matrix of the set on each number of ranks. Weak: random matrices with five entries in a
column, and for each rank as many columns as the first matrix of the set has. The model (`model.py`)
is fitted to all measurements over several ranks except those on the largest number, which check it.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import scipy.io

from benchmarks.cases import Case
from benchmarks.generators import make
from benchmarks.mpi.model import fit, predict
from benchmarks.report import Options, Row, Section, paragraphs, table

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
    return _section(rows, ranks, complaints)


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


def _section(rows: list[Row], ranks: Sequence[int], complaints: list[str]) -> Section:
    several = [row for row in rows if row["ranks"] > 1]
    fitted = [row for row in several if row["ranks"] < ranks[-1]]
    held_out = [row for row in several if row["ranks"] == ranks[-1]]
    model: dict[str, Any] = {}
    if len(fitted) >= 3:
        model["coefficients"] = fit(fitted).tolist()
        every = fit(several)
        for row in several:
            row["predicted"] = predict(fit(fitted), row, row["ranks"])
            row["predicted_on_many"] = predict(every, row, MANY)
        ratios = [row["predicted"] / row["seconds"] for row in held_out]
        model["held_out_ratio"] = statistics.median(ratios) if ratios else None
    for name in {row["matrix"] for row in rows}:
        found = {row["rank"] for row in rows if row["matrix"] == name}
        if len(found) > 1:
            complaints.append(f"{name}: different ranks {sorted(found)}")
    head = ["matrix", "ranks", "s", "of 1 rank", "exchanges", "MB sent", "peak MB", "model s"]
    text = paragraphs(
        "From the file to `perm.npz`, medians. One rank uses the serial engine, several ranks the "
        "engine over ranks, also for matrices that `auto` would analyse whole on each rank.",
        table(head, list(_cells(rows))),
        _model_text(model, held_out),
    )
    return Section("MPI ranks", text, {"rows": rows, "model": model}, complaints)


def _cells(rows: list[Row]) -> Iterator[list[str]]:
    one = {row["matrix"]: row["seconds"] for row in rows if row["ranks"] == 1}
    for row in rows:
        ratio = f"{one[row['matrix']] / row['seconds']:.2f}" if row["matrix"] in one else "weak"
        predicted = f"{row['predicted']:.2f}" if "predicted" in row else "-"
        yield [
            f"`{row['matrix']}`",
            str(row["ranks"]),
            f"{row['seconds']:.2f}",
            ratio,
            f"{row['exchanges']:,}",
            f"{row['bytes_sent'] / 1e6:.1f}",
            f"{row['peak_bytes'] / 1e6:.0f}",
            predicted,
        ]


def _model_text(model: dict[str, Any], held_out: list[Row]) -> str:
    if not model:
        return "Too few measurements over several ranks for a model."
    work, latency, transfer = model["coefficients"]
    ratio = model["held_out_ratio"]
    lines = [
        f"Model, fitted without the largest number of ranks: {work * 1e9:.0f} ns an entry and "
        f"rank, {latency * 1e6:.0f} us an operation and doubling of the ranks, "
        f"{transfer * 1e9:.2f} ns a byte and rank. "
        + (f"On the largest number it predicts {ratio:.2f} of the time (median)." if ratio else "")
    ]
    many = [[f"`{row['matrix']}`", f"{row['predicted_on_many']:.2f}"] for row in held_out]
    return paragraphs(*lines, table(["matrix", f"predicted s on {MANY:,} ranks"], many))
