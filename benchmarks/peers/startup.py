# SPDX-License-Identifier: BSD-3-Clause
"""Start-up: a fresh process from the command to its end, beside bare imports.

The command on a small file should end before ``import scipy.sparse`` alone would.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import scipy.io

from benchmarks.cases import Case
from benchmarks.generators import make
from benchmarks.launch import measure
from benchmarks.report import Options, Section, milliseconds, paragraphs, table

SMALL = "circuit_500"
BARE = "python: import numpy, click"  # a lower bound for any command on arrays
SCIPY_RANK = (
    "import sys, scipy.io, scipy.sparse.csgraph as g; "
    "print(g.structural_rank(scipy.io.mmread(sys.argv[1]).tocsr()))"
)
ABSENT = "Not run: btfperm (the command is not installed beside this Python)."


def command() -> str | None:
    """The installed ``btfperm`` of this interpreter, or None."""
    path = Path(sys.executable).with_name("btfperm")
    return str(path) if path.exists() else None


def run(_: list[Case], options: Options) -> Section:
    """Median seconds of each command, in turns; the matrices of the set are not used."""
    btfperm = command()
    samples: dict[str, list[float]] = {}
    reasons: dict[str, str] = {}
    overran: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        small = str(Path(folder, "small.mtx"))
        scipy.io.mmwrite(small, make(SMALL).tocoo(), field="pattern")
        lines = _lines(btfperm, small, str(Path(folder, "perm.npz")))
        samples = {name: [] for name in lines}
        for turn in range(1 + max(options.repeats, 1)):  # the first is a warm-up
            for name in [name for name in lines if name not in reasons]:
                try:
                    seconds = measure(lines[name], options.limit)["seconds"]
                except (RuntimeError, TimeoutError) as error:
                    reasons[name] = str(error)
                    overran |= {name} if isinstance(error, TimeoutError) else set()
                    continue
                samples[name] += [seconds] if turn else []
    medians = {name: statistics.median(times) for name, times in samples.items() if times}

    def cells(name: str) -> list[str]:
        if name not in medians:
            return [name, f">{options.limit * 1e3:.0f}" if name in overran else "-", "-"]
        ratio = f"{medians[name] / medians[BARE]:.2f}" if BARE in medians else "-"
        return [name, milliseconds(medians[name]), ratio]

    text = paragraphs(
        f"`{SMALL}`, fresh processes, {options.repeats} each.",
        table(["", "ms", f"of {BARE}"], [cells(name) for name in samples]),
        "" if btfperm else ABSENT,
    )
    data = {"seconds": samples, "median": medians, "reasons": reasons}
    return Section("Start-up", text, data, [f"{name}: {why}" for name, why in reasons.items()])


def _lines(btfperm: str | None, small: str, output: str) -> dict[str, list[str]]:
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
        lines["btfperm small.mtx -o perm.npz"] = [btfperm, small, "-o", output]
    return lines
