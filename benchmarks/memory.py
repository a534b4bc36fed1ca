# SPDX-License-Identifier: BSD-3-Clause
"""Peak memory and time of the whole command on a file, beside SciPy's reader and matching.

The peak is that of a fresh process, less the peak of the same command on a tiny file; the unit is
the size of the pattern in memory, 4 (nnz + n + 1) bytes.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import scipy.io

from benchmarks import tables
from benchmarks.cases import Case, generated
from benchmarks.contest import Options, Section
from benchmarks.generators import make
from benchmarks.launch import measure
from benchmarks.startup import SCIPY_RANK, command

MATRICES = {
    "tiny": ["tri_2e3"],
    "quick": ["tri_2e5", "er_3e5_d2.7"],
    "field": ["tri_1e6", "er_1e6_d5.0", "grid3d_64_rcp", "kron_s17"],
    "large": ["tri_3e6", "er_3e6_d5.0", "grid3d_128_rcp", "kron_s18"],
}


def run(cases: list[Case], options: Options) -> Section:
    """Memory in patterns and seconds for each; a few large matrices stand for the set.

    With ``--only`` or ``--set real``, the matrices asked for.
    """
    btfperm = command()
    if btfperm is None:
        return Section("Memory", "Not run: the command is not installed beside this Python.", {})
    if not options.named and options.which in MATRICES:
        cases = generated(MATRICES[options.which])
    rows = []
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiny = folder / "tiny.mtx"
        scipy.io.mmwrite(tiny, make("chain_10").tocoo(), field="pattern")
        for case in cases:
            A = case.load()
            path = case.path or folder / f"{case.name}.mtx"
            if case.path is None:
                scipy.io.mmwrite(path, A.tocoo(), field="pattern")
            unit = 4 * (A.nnz + A.shape[1] + 1)
            row: dict[str, Any] = {"matrix": case.name, "nnz": int(A.nnz), "unit_bytes": unit}
            row["file_bytes"] = path.stat().st_size
            del A
            for who, line in _lines(btfperm, folder).items():
                try:
                    row[who] = _peak(line, tiny, path, unit, options)
                except (RuntimeError, TimeoutError) as error:
                    if who == "btfperm":
                        complaints.append(f"{case.name}: {error}")
                    late = isinstance(error, TimeoutError)
                    row[who] = {"reason": str(error), "overran": late}
            if case.path is None:
                path.unlink()
            rows.append(row)
            cells = (" s, ".join(_cells(row[who], options)) for who in ("btfperm", "SciPy"))
            options.say(f"{case.name}: " + "; ".join(cells) + " patterns")
    head = ["matrix", "nnz", "file, MB", "btfperm, s", "patterns", "SciPy, s", "patterns"]
    body = [
        [f"`{r['matrix']}`", f"{r['nnz']:,}", f"{r['file_bytes'] / 1e6:.1f}"]
        + [cell for who in ("btfperm", "SciPy") for cell in _cells(r[who], options)]
        for r in rows
    ]
    note = (
        "`btfperm FILE -o perm.npz` and SciPy's `structural_rank(mmread(FILE).tocsr())`, each in a "
        "fresh process: seconds from start to end; peak memory less that of the same command on a "
        "tiny file, in patterns of 4 (nnz + n + 1) bytes."
    )
    return Section("Memory", f"{note}\n\n{tables.table(head, body)}", {"rows": rows}, complaints)


def _lines(btfperm: str, folder: Path) -> dict[str, list[str]]:
    """Each command, with FILE where the matrix goes."""
    return {
        "btfperm": [btfperm, "FILE", "-o", str(folder / "perm.npz")],
        "SciPy": [sys.executable, "-c", SCIPY_RANK, "FILE"],
    }


def _peak(line: list[str], tiny: Path, path: Path, unit: int, options: Options) -> dict[str, float]:
    repeats = max(1, min(options.repeats, 3))
    base, full = (
        [
            measure([str(file) if part == "FILE" else part for part in line], options.limit)
            for _ in range(repeats)
        ]
        for file in (tiny, path)
    )
    base_peak = statistics.median(r["peak_bytes"] for r in base)
    full_peak = statistics.median(r["peak_bytes"] for r in full)
    return {
        "seconds": statistics.median(r["seconds"] for r in full),
        "peak_bytes": full_peak,
        "base_bytes": base_peak,
        "patterns": (full_peak - base_peak) / unit,
    }


def _cells(result: dict[str, Any], options: Options) -> list[str]:
    if "reason" in result:
        return [f">{options.limit:g}" if result["overran"] else "-", "-"]
    return [f"{result['seconds']:.2f}", f"{result['patterns']:.2f}"]
