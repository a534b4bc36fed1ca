# SPDX-License-Identifier: BSD-3-Clause
"""Peak memory and time of the whole command on a file, beside SciPy's reader and matching.

The figure is the peak of a fresh process minus the peak of the same command on a tiny file. Its
unit is the size of the pattern in memory, 4 (nnz + n + 1) bytes.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import scipy.io

from benchmarks.cases import Case
from benchmarks.generators import make
from benchmarks.launch import measure
from benchmarks.peers.startup import ABSENT, SCIPY_RANK, command
from benchmarks.report import Options, Row, Section, by_matrix, paragraphs

PACKAGES = ("btfperm", "SciPy")
NOTE = (
    "`btfperm FILE -o perm.npz` and SciPy's `structural_rank(mmread(FILE).tocsr())`, each in a "
    "fresh process: seconds from start to end; peak memory less that of the same command on a tiny "
    "file, in patterns of 4 (nnz + n + 1) bytes."
)


def run(cases: list[Case], options: Options) -> Section:
    """Memory in patterns and seconds for each matrix."""
    btfperm = command()
    if btfperm is None:
        return Section("Memory", ABSENT, {})
    rows: list[Row] = []
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiny = folder / "tiny.mtx"
        scipy.io.mmwrite(tiny, make("chain_10").tocoo(), field="pattern")
        lines = {  # FILE stands for the matrix
            "btfperm": [btfperm, "FILE", "-o", str(folder / "perm.npz")],
            "SciPy": [sys.executable, "-c", SCIPY_RANK, "FILE"],
        }
        for case in cases:
            A = case.load()
            path = case.path or folder / "matrix.mtx"
            if case.path is None:
                scipy.io.mmwrite(path, A.tocoo(), field="pattern")
            unit = 4 * (A.nnz + A.shape[1] + 1)
            row: Row = {"matrix": case.name, "nnz": int(A.nnz), "unit_bytes": unit}
            row["file_bytes"] = path.stat().st_size
            del A
            for package, line in lines.items():
                try:
                    row[package] = _peak(line, tiny, path, unit, options)
                except (RuntimeError, TimeoutError) as error:
                    complaints += [f"{case.name}: {error}"] if package == "btfperm" else []
                    late = isinstance(error, TimeoutError)
                    row[package] = {"reason": str(error), "overran": late}
            rows.append(row)
            cells = ", ".join(_cells(row, options.limit))
            options.say(
                f"{case.name}: {cells} (MB, then seconds and patterns of {', '.join(PACKAGES)})"
            )
    text = by_matrix(
        ["nnz", "file, MB", "btfperm, s", "patterns", "SciPy, s", "patterns"],
        rows,
        lambda row: [f"{row['nnz']:,}", *_cells(row, options.limit)],
    )
    return Section("Memory", paragraphs(NOTE, text), {"rows": rows}, complaints)


def _peak(line: list[str], tiny: Path, path: Path, unit: int, options: Options) -> dict[str, float]:
    repeats = max(1, min(options.repeats, 3))
    base, full = (
        [
            measure([str(file) if part == "FILE" else part for part in line], options.limit)
            for _ in range(repeats)
        ]
        for file in (tiny, path)
    )
    base_peak, full_peak = (statistics.median(r["peak_bytes"] for r in of) for of in (base, full))
    return {
        "seconds": statistics.median(r["seconds"] for r in full),
        "peak_bytes": full_peak,
        "base_bytes": base_peak,
        "patterns": (full_peak - base_peak) / unit,
    }


def _cells(row: Row, limit: float) -> list[str]:
    cells = [f"{row['file_bytes'] / 1e6:.1f}"]
    for package in PACKAGES:
        result: dict[str, Any] = row[package]
        if "reason" in result:
            cells += [f">{limit:g}" if result["overran"] else "-", "-"]
        else:
            cells += [f"{result['seconds']:.2f}", f"{result['patterns']:.2f}"]
    return cells
