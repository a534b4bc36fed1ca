# SPDX-License-Identifier: BSD-3-Clause
"""From the host's memory, and from a file, to all blocks by way of a GPU: how much more than the
copy and the device's own time, and how much more than reading.

The pattern is on the host, canonical; results come back there. The pinned copy is that of its two
arrays from pinned memory, which is the least that can be. Files are Matrix Market, read from the
page cache by a fresh process each time; reading alone is a fresh process, too. These processes find
their modules compiled, as those of an installed package do: a first turn, which is not timed, keeps
the bytecode.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import scipy.io
import scipy.sparse as sp

import btfperm
from benchmarks.cases import Case
from benchmarks.contest import Options, Section
from benchmarks.generators import make
from benchmarks.machine import need_gpu
from benchmarks.tables import milliseconds, table
from btfperm.backends.gpu.device import describe
from btfperm.pattern import DevicePattern, Pattern

NAMES = {
    "tiny": "er:7:3",
    "quick": "er:14:3",
    "field": "er:18:3",
    "large": "er:22:3 er:22:8",
}
ALGORITHM = "meeting-trees"
# As a shell would, in a fresh process: {0} is the file, {1} the output.
READ = "from btfperm.io import read; read({0!r}, threads=0)"
WAYS = {
    "auto": "--quiet {0} -o {1}",
    "gpu": f"--quiet {{0}} -o {{1}} --backend gpu --algorithm {ALGORITHM}",
    "cpu": "--quiet {0} -o {1} --backend cpu",
}

Row = dict[str, Any]


def cases(which: str) -> list[Case]:
    """The inputs of a set."""
    return [Case(name, "er", partial(make, name)) for name in NAMES[which].split()]


def run(cases: list[Case], options: Options) -> Section:
    """Totals on each input.

    Raises
    ------
    OSError : there is no GPU that works
    """
    need_gpu()
    rows = []
    for case in cases:
        pattern = btfperm.as_pattern(case.load())
        row = {
            "matrix": case.name,
            "nnz": pattern.nnz,
            "memory": from_memory(pattern, options.repeats),
            "file": from_file(pattern, min(options.repeats, 3)),
        }
        options.say(f"{case.name}: {row['memory']}, {row['file']}")
        rows.append(row)
    data = {"gpu": describe(), "rows": rows}
    return Section("From host memory and from a file, by way of a GPU", markdown(data), data)


def from_memory(pattern: Pattern, repeats: int) -> dict[str, float]:
    """Seconds, medians: the pinned copy, the device alone, and the whole."""
    import cupy

    pinned = [_pinned(array) for array in (pattern.indptr, pattern.indices)]
    there = [cupy.empty(array.shape, dtype=array.dtype) for array in pinned]
    on_device = DevicePattern(pattern.shape, *map(cupy.asarray, pinned))
    gpu = {"algorithm": ALGORITHM, "backend": "gpu"}

    def copy() -> None:
        for target, source in zip(there, pinned, strict=True):
            target.set(source)

    calls: dict[str, Callable[[], object]] = {
        "copy": copy,
        "device": lambda: btfperm.dulmage_mendelsohn(on_device, **gpu),
        "gpu": lambda: btfperm.dulmage_mendelsohn(pattern, **gpu),
        "auto": lambda: btfperm.dulmage_mendelsohn(pattern),
        "cpu": lambda: btfperm.dulmage_mendelsohn(pattern, backend="cpu"),
    }
    return {name: _median(call, repeats) for name, call in calls.items()}


def _pinned(array: Any) -> Any:
    import cupyx

    copy = cupyx.empty_pinned(array.shape, dtype=array.dtype)
    copy[:] = array
    return copy


def _median(call: Callable[[], object], repeats: int) -> float:
    import cupy

    times = []
    for _ in range(repeats + 1):  # the first one compiles
        begin = time.perf_counter()
        call()
        cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])


def from_file(pattern: Pattern, repeats: int) -> dict[str, float]:
    """Seconds, medians of fresh processes: reading alone, and the command each way."""
    with tempfile.TemporaryDirectory() as folder:
        matrix, output = str(Path(folder) / "big.mtx"), str(Path(folder) / "perm.npz")
        entries = sp.coo_array(pattern.to_scipy())
        scipy.io.mmwrite(matrix, entries, field="pattern", symmetry="general")
        commands = {"read": [sys.executable, "-c", READ.format(matrix)]}
        for way, line in WAYS.items():
            words = line.format(matrix, output).split()
            commands[way] = [sys.executable, "-m", "btfperm_cli", *words]
        surroundings = _keeping_bytecode(folder)
        times: dict[str, list[float]] = {way: [] for way in commands}
        for _ in range(repeats + 1):  # the first one compiles
            for way, command in commands.items():
                begin = time.perf_counter()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=surroundings)
                times[way].append(time.perf_counter() - begin)
    return {way: statistics.median(found[1:]) for way, found in times.items()}


def _keeping_bytecode(folder: str) -> dict[str, str]:
    """The environment of processes that keep their bytecode in a folder, whatever ours says."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**ours, "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode")}


def markdown(data: dict[str, Any]) -> str:
    """Two tables."""
    rows: list[Row] = data["rows"]
    head = ["matrix", "entries", "pinned copy", "device", "copy + 1.5 device", "whole"]
    head += ["whole, auto", "whole, CPU"]
    memory = [
        [
            f"`{row['matrix']}`",
            f"{row['nnz']:,}",
            *(milliseconds(row["memory"][name]) for name in ("copy", "device")),
            milliseconds(row["memory"]["copy"] + 1.5 * row["memory"]["device"]),
            *(milliseconds(row["memory"][name]) for name in ("gpu", "auto", "cpu")),
        ]
        for row in rows
    ]
    ways = ["auto", "gpu", "cpu"]
    files = [
        [
            f"`{row['matrix']}`",
            *(milliseconds(row["file"][name]) for name in ("read", *ways)),
            *(f"{100 * (row['file'][way] / row['file']['read'] - 1):.0f} %" for way in ways),
        ]
        for row in rows
    ]
    over = [f"{way} over reading" for way in ways]
    return "\n\n".join(
        [
            f"{data['gpu']}. On the GPU: {ALGORITHM}.",
            "### From host memory, ms",
            table(head, memory),
            "### From a file to `perm.npz`, a fresh process, ms",
            table(["matrix", "reading", *ways, *over], files),
        ]
    )
