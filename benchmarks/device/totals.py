# SPDX-License-Identifier: BSD-3-Clause
"""Times of the decomposition on a GPU if the matrix is in host memory, and if it is in a file.

The first table compares the whole call with the copy to the device, and with the call for a pattern
that is on the device already. The whole call begins with a canonical pattern on the host and ends
with the results on the host; the copy of the pattern's two arrays from pinned memory is a lower
bound. The column ``copy + 1.5 device`` is the aim in docs/gpu-decomposition.md: the time of the
copy and 1.5 times that of the call on the device. The additional half is for the transfer of the
results and for launches. The second table compares the command with reading the file alone. Files
are Matrix Market, read from the page cache by a fresh process each time. The first run of each
command does not count: it compiles the modules to bytecode, as the installation of a package does.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import scipy.io
import scipy.sparse as sp

import btfperm
from benchmarks.cases import Case
from benchmarks.machine import gpu
from benchmarks.report import Options, Row, Section, by_matrix, milliseconds, paragraphs
from benchmarks.timing import median_of
from btfperm.pattern import DevicePattern, Pattern

ALGORITHM = "meeting-trees"
# {0} is the file, {1} the output.
READ = "from btfperm.io import read; read({0!r}, threads=0)"
WAYS = {
    "auto": "--quiet {0} -o {1}",
    "gpu": f"--quiet {{0}} -o {{1}} --backend gpu --algorithm {ALGORITHM}",
    "cpu": "--quiet {0} -o {1} --backend cpu",
}


def run(cases: list[Case], options: Options) -> Section:
    """Totals on each input; OSError without a GPU."""
    device, rows = gpu(), []
    for case in cases:
        pattern = btfperm.as_pattern(case.load())
        row: Row = {"matrix": case.name, "nnz": pattern.nnz}
        row["memory"] = from_memory(pattern, options.repeats)
        row["file"] = from_file(pattern, min(options.repeats, 3))
        options.say(f"{case.name}: {row['memory']}, {row['file']}")
        rows.append(row)
    data = {"gpu": device, "rows": rows}
    return Section("From host memory and from a file, by way of a GPU", markdown(data), data)


def from_memory(pattern: Pattern, repeats: int) -> dict[str, float]:
    """Median seconds of the pinned copy, of the call for a pattern on the device, and of the whole
    call: forced onto the GPU, by the rules of `auto`, and on the CPU."""
    import cupy
    import cupyx

    pinned = [cupyx.empty_pinned(a.shape, dtype=a.dtype) for a in (pattern.indptr, pattern.indices)]
    for copy, array in zip(pinned, (pattern.indptr, pattern.indices), strict=True):
        copy[:] = array
    targets = [cupy.empty(array.shape, dtype=array.dtype) for array in pinned]
    on_device = DevicePattern(pattern.shape, *map(cupy.asarray, pinned))
    forced: Any = {"algorithm": ALGORITHM, "backend": "gpu"}

    def copy_both() -> None:
        for target, source in zip(targets, pinned, strict=True):
            target.set(source)

    calls: dict[str, Any] = {
        "copy": copy_both,
        "device": lambda: btfperm.dulmage_mendelsohn(on_device, **forced),
        "gpu": lambda: btfperm.dulmage_mendelsohn(pattern, **forced),
        "auto": lambda: btfperm.dulmage_mendelsohn(pattern),
        "cpu": lambda: btfperm.dulmage_mendelsohn(pattern, backend="cpu"),
    }
    return {name: median_of(call, repeats) for name, call in calls.items()}


def from_file(pattern: Pattern, repeats: int) -> dict[str, float]:
    """Median seconds of fresh processes: reading the file alone, and the command in each way."""
    with tempfile.TemporaryDirectory() as folder:
        matrix, output = str(Path(folder) / "big.mtx"), str(Path(folder) / "perm.npz")
        entries = sp.coo_array(pattern.to_scipy())
        scipy.io.mmwrite(matrix, entries, field="pattern", symmetry="general")
        commands = {"read": [sys.executable, "-c", READ.format(matrix)]}
        for way, line in WAYS.items():
            words = line.format(matrix, output).split()
            commands[way] = [sys.executable, "-m", "btfperm_cli", *words]
        environment = storing_bytecode(folder)
        times: dict[str, list[float]] = {way: [] for way in commands}
        for _ in range(repeats + 1):
            for way, command in commands.items():
                begin = time.perf_counter()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
                times[way].append(time.perf_counter() - begin)
    return {way: statistics.median(seconds[1:]) for way, seconds in times.items()}


def storing_bytecode(folder: str) -> dict[str, str]:
    """The environment of processes that store their bytecode in a folder, even if ours forbids
    bytecode."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**ours, "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode")}


def markdown(data: dict[str, Any]) -> str:
    """Two tables."""

    def memory(row: Row) -> list[str]:
        spent = row["memory"]
        parts = [spent["copy"], spent["device"], spent["copy"] + 1.5 * spent["device"]]
        parts += [spent["gpu"], spent["auto"], spent["cpu"]]
        return [f"{row['nnz']:,}", *map(milliseconds, parts)]

    def file(row: Row) -> list[str]:
        spent = row["file"]
        over = [f"{100 * (spent[way] / spent['read'] - 1):.0f} %" for way in WAYS]
        return [*(milliseconds(spent[name]) for name in ("read", *WAYS)), *over]

    head = ["entries", "pinned copy", "device", "copy + 1.5 device"]
    return paragraphs(
        f"{data['gpu']}. On the GPU: {ALGORITHM}.",
        "### From host memory, ms",
        by_matrix([*head, "whole", "whole, auto", "whole, CPU"], data["rows"], memory),
        "### From a file to `perm.npz`, a fresh process, ms",
        by_matrix(["reading", *WAYS, *(f"{way} over reading" for way in WAYS)], data["rows"], file),
    )
