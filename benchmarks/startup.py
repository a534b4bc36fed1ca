# SPDX-License-Identifier: BSD-3-Clause
"""Start-up: a fresh process from the command to its end, beside bare imports.

The command on a small file should end before ``import scipy.sparse`` alone would.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import scipy.io

from benchmarks import tables
from benchmarks.cases import Case
from benchmarks.contest import Options, Section
from benchmarks.generators import make
from benchmarks.launch import measure

SMALL = "circuit_500"
BARE = "python: import numpy, click"  # what no command on arrays can go below


def command() -> str | None:
    """The installed ``btfperm`` of this interpreter, or None."""
    path = Path(sys.executable).with_name("btfperm")
    return str(path) if path.exists() else None


def run(cases: list[Case], options: Options) -> Section:
    """Median seconds of each, in turns; the matrices of the set play no part."""
    btfperm = command()
    with tempfile.TemporaryDirectory() as folder:
        small = str(Path(folder, "small.mtx"))
        scipy.io.mmwrite(small, make(SMALL).tocoo(), field="pattern")
        python = [sys.executable, "-c"]
        lines = {
            "python: nothing": [*python, "pass"],
            BARE: [*python, "import numpy, click"],
            "python: import scipy.sparse": [*python, "import scipy.sparse"],
            "python: mmread, structural_rank (SciPy)": [*python, SCIPY_RANK, small],
        }
        if btfperm is not None:
            lines["btfperm --version"] = [btfperm, "--version"]
            lines["btfperm rank small.mtx"] = [btfperm, "rank", small]
            lines["btfperm small.mtx -o perm.npz"] = [
                *(btfperm, small, "-o", str(Path(folder, "perm.npz")))
            ]
        samples, reasons, overran = _measure(lines, options)
    medians = {name: statistics.median(times) for name, times in samples.items() if times}
    unit = medians.get(BARE, math.nan)
    body = [
        [name, tables.milliseconds(medians[name]), _ratio(medians[name], unit)]
        if name in medians
        else [name, f">{options.limit * 1e3:.0f}" if name in overran else "-", "-"]
        for name in samples
    ]
    parts = [
        f"`{SMALL}`, fresh processes, {options.repeats} each.",
        tables.table(["", "ms", f"of {BARE}"], body),
    ]
    if btfperm is None:
        parts.append("Not run: btfperm (the command is not installed beside this Python).")
    data: dict[str, Any] = {"seconds": samples, "median": medians, "reasons": reasons}
    complaints = [f"{name}: {reason}" for name, reason in reasons.items()]
    return Section("Start-up", "\n\n".join(parts), data, complaints)


def _ratio(seconds: float, unit: float) -> str:
    return "-" if math.isnan(unit) else f"{seconds / unit:.2f}"


SCIPY_RANK = (
    "import sys, scipy.io, scipy.sparse.csgraph as g; "
    "print(g.structural_rank(scipy.io.mmread(sys.argv[1]).tocsr()))"
)


def _measure(
    lines: dict[str, list[str]], options: Options
) -> tuple[dict[str, list[float]], dict[str, str], set[str]]:
    """Seconds of each command after a warm-up; the reason of each that ended early, and which of
    them exceeded the limit. A command that fails keeps the samples it has."""
    samples: dict[str, list[float]] = {name: [] for name in lines}
    reasons: dict[str, str] = {}
    overran = set()
    for turn in range(1 + max(options.repeats, 1)):
        for name, line in lines.items():
            if name in reasons:
                continue
            try:
                seconds = measure(line, options.limit)["seconds"]
            except (RuntimeError, TimeoutError) as error:
                reasons[name] = str(error)
                if isinstance(error, TimeoutError):
                    overran.add(name)
                continue
            if turn > 0:
                samples[name].append(seconds)
    return samples, reasons, overran
