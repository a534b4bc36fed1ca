# SPDX-License-Identifier: BSD-3-Clause
"""The density picture of a matrix: seconds and memory of the pass over its entries.

The matrix is the worst case: its rows are random, and so are the permutations, so that each entry
needs a lookup far from the last one. It is made in memory; nothing is read. With matplotlib,
``d.plot().save("picture.png")`` of its decomposition follows, which draws both pictures.
"""

from __future__ import annotations

import importlib.util
import io
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.report import Options, Section, milliseconds, paragraphs, table
from btfperm.dulmage_mendelsohn import dulmage_mendelsohn
from btfperm.pattern import Pattern
from btfperm.pattern.raster import raster
from btfperm.results import DulmageMendelsohn

ENTRIES = {"tiny": 10**5, "quick": 10**6, "field": 10**7, "large": 10**8}
DEGREE = 10
MIB = 2**20


def run(_: list[Case], options: Options) -> Section:
    """Median seconds and memory of one picture; the matrices of the set are not used."""
    entries = ENTRIES.get(options.which, ENTRIES["quick"])
    n = entries // DEGREE
    rng = np.random.default_rng(1)
    pattern = _random(n, rng)
    perms = [rng.permutation(n).astype(pattern.indices.dtype) for _ in range(2)]
    rows: list[list[str]] = []
    data: dict[str, Any] = {"entries": entries, "rows": n, "pictures": {}}
    complaints = []
    calls: dict[str, Callable[[], Any]] = {
        "as stored": lambda: int(raster(pattern, threads=options.threads).sum()),
        "permuted": lambda: int(raster(pattern, *perms, threads=options.threads).sum()),
    }
    if importlib.util.find_spec("matplotlib") is not None:
        found = dulmage_mendelsohn(pattern, threads=options.threads)
        calls["both, d.plot().save(PNG)"] = partial(_saved, found, options.threads)
    for name, call in calls.items():
        seconds, memory, returned = _measured(call, options)
        data["pictures"][name] = {"seconds": seconds, "memory": memory}
        shown = "-" if memory is None else f"{memory / MIB:.0f}"
        rows.append([name, milliseconds(statistics.median(seconds)), shown])
        if isinstance(returned, bytes):
            complaints += [] if _is_drawn(returned) else [f"{name}: a half of the file is empty"]
        elif returned != entries:
            complaints.append(f"{name}: {returned:,} of {entries:,} entries were counted")
    text = paragraphs(
        f"{entries:,} entries, {n:,} rows and columns, {DEGREE} random rows in each column. A "
        "picture has at most 800 x 800 cells.",
        table(["picture", "ms", "MiB beyond the matrix"], rows),
    )
    return Section("Pictures", text, data, complaints)


def _saved(found: DulmageMendelsohn, threads: int | None) -> bytes:
    """Draws both pictures into a file, and returns its content."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture.png"
        found.plot(threads=threads).save(file)
        return file.read_bytes()


def _is_drawn(png: bytes) -> bool:
    """Whether at least a quarter of the left half of an image, and of the right half, is not
    white: each holds a picture of a matrix that has entries everywhere."""
    from matplotlib.image import imread

    coloured = imread(io.BytesIO(png))[..., :3].min(axis=-1) < 1
    halves = np.array_split(coloured, 2, axis=1)
    return all(float(half.mean()) > 0.25 for half in halves)


def _random(n: int, rng: np.random.Generator) -> Pattern:
    """DEGREE different rows in each column: one in each of DEGREE strips of rows."""
    height = n // DEGREE
    strips = np.arange(DEGREE, dtype=np.int32) * height
    rows = rng.integers(0, height, (n, DEGREE), dtype=np.int32)
    rows += strips
    indptr = np.arange(0, rows.size + 1, DEGREE, dtype=np.int32)
    return Pattern.from_csc(indptr, rows.ravel(), (n, n))


def _measured(draw: Callable[[], Any], options: Options) -> tuple[list[float], int | None, Any]:
    """Seconds of each run after a warm-up; the peak memory of all runs beyond the memory before
    them; and the result of the last call."""
    seconds: list[float] = []
    _reset_peak()
    before = _status("VmRSS")
    returned = None
    for turn in range(1 + max(options.repeats, 1)):
        since = time.perf_counter()
        returned = draw()
        seconds += [time.perf_counter() - since] if turn else []
    peak = _status("VmHWM")
    memory = None if before is None or peak is None else max(peak - before, 0)
    return seconds, memory, returned


def _reset_peak() -> None:
    """Resets the peak memory of this process to its current memory. Works only on Linux."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _status(name: str) -> int | None:
    """Bytes of a line of the process's status; None where there is no such file."""
    try:
        text = Path("/proc/self/status").read_text()
    except OSError:
        return None
    line = next(line for line in text.splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
