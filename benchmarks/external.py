# SPDX-License-Identifier: BSD-3-Clause
"""Matchings in graphs larger than memory: the rate of `local-max-external`, in both models, beside
the bandwidth of the disk that holds its temporary files.

The aim: the algorithm processes a graph of eight times the memory at least at a quarter of the
sequential bandwidth of the disk. The bytes of the graph, or all bytes that the algorithm reads and
writes, over its time give the rate. The bandwidth is that of one file of the size of the graph:
written and synchronised, then read after the system has dropped it from its cache. ``random_K`` has
2^K vertices and the different edges among 2^(K+4) random pairs of them, with weights in (0, 1]. An
edge takes 16 bytes, and the memory is an eighth of all edges, but at least `LEAST_MEMORY`. The
graph comes from a Matrix Market file, whose reading is timed by itself.
"""

from __future__ import annotations

import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import btfperm
from benchmarks.cases import Case, names
from benchmarks.generators.assemble import SEED
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    digits,
    paragraphs,
    progress,
)
from btfperm.weighted.external import LEAST_MEMORY

MODELS = ("sorted", "candidates")
TIMES = 8  # size of the graph over the memory limit
EDGE = 16  # bytes of an edge
AIM = 1 / 4
PART = 1 << 24  # bytes of one call to write or read
_RUN = (
    "import json, sys; from benchmarks.external import one; print(json.dumps(one(*sys.argv[1:])))"
)


def cases(which: str, _: Path) -> list[Case]:
    """The graphs of a set, by name."""
    return [Case(name, "random", _only_by_name) for name in names("external", which)]


def _only_by_name() -> Any:
    raise OSError("this graph is written to a file by its name")


def run(cases: list[Case], options: Options) -> Section:
    """One row for each graph, each call in a process of its own."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            path = Path(folder, "graph.mtx")
            n, edges = write(case, path)
            memory = max(edges * EDGE // TIMES, LEAST_MEMORY)
            bandwidth = disk_bandwidth(Path(folder), edges * EDGE)
            facts = {"matrix": case.name, "n": n, "edges": edges, "memory": memory, **bandwidth}
            arguments = str(path), folder, str(memory)
            runs: dict[str, list[Row]] = {model: [] for model in MODELS}
            for _ in range(max(options.repeats, 1)):  # the models in turns
                for model in MODELS:
                    command = [sys.executable, "-c", _RUN, *arguments, model]
                    done = subprocess.run(command, capture_output=True, text=True, check=True)
                    runs[model].append(json.loads(done.stdout))
            for model in MODELS:
                seconds = [each["seconds"] for each in runs[model]]
                row = facts | {"model": model, "seconds": seconds, **runs[model][-1]["result"]}
                rows.append(row)
                options.say(progress(case.name, [f"{model} {match_seconds(row):.2f} s"], []))
    data = {"rows": rows}
    return Section("Matchings in graphs larger than memory", markdown(data), data, [])


def write(case: Case, path: Path) -> tuple[int, int]:
    """Writes the Matrix Market file of a graph: ``random_K``, or one whose edges are the entries of
    another matrix. Returns the numbers of vertices and edges."""
    from fast_matrix_market import write_coo

    rng = np.random.default_rng(SEED)
    if case.name.startswith("random_"):
        exponent = int(case.name.split("_")[1])
        n = 1 << exponent
        u, v = rng.integers(0, n, (2, 16 << exponent))
    else:
        A: Any = case.load().tocoo()
        n, u, v = max(A.shape), A.row.astype(np.int64), A.col.astype(np.int64)
    keys = np.unique(np.minimum(u, v) * n + np.maximum(u, v))
    v, u = keys // n, keys % n
    u, v = u[u != v], v[u != v]
    order = rng.permutation(len(u))  # a file in the order of the columns would be sorted already
    entries = 1 - rng.random(len(u)), (u[order], v[order])
    write_coo(path, entries, (n, n))
    head = b"%%MatrixMarket matrix coordinate real "
    with path.open("r+b") as file:  # the same number of bytes, without the comment
        assert file.read(len(head) + 10) == head + b"general\n%\n"
        file.seek(len(head))
        file.write(b"symmetric\n")
    return n, len(u)


def disk_bandwidth(folder: Path, size: int) -> dict[str, float]:
    """Bytes a second of writing a new file with its synchronisation, and of reading it again after
    the system has dropped it from its cache."""
    block = np.random.default_rng(SEED).integers(0, 256, PART, np.uint8).tobytes()
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        begin = time.perf_counter()
        for _ in range(0, size, PART):
            file.write(block)
        os.fsync(file.fileno())
        written = time.perf_counter() - begin
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file.seek(0)
        begin = time.perf_counter()
        while file.read(PART):
            pass
        read = time.perf_counter() - begin
    whole = -(-size // PART) * PART
    return {"write_bandwidth": whole / written, "read_bandwidth": whole / read}


def one(path: str, folder: str, memory: str, model: str) -> Row:
    """One call, in this process."""
    resident = _resident()
    how: Any = {"memory": int(memory), "temporary": folder, "options": {"model": model}}
    m = btfperm.match(path, algorithm="local-max-external", **how)
    result = {
        "size": m.size,
        "weight": m.weight,
        "rounds": m.rounds,
        "counters": {k: v for k, v in m.counters.items() if isinstance(v, int)},
        "beyond": _peak() - resident,
    }
    return {"seconds": dict(m.seconds), "result": result}


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def _peak() -> int:
    """The peak of this process alone; ru_maxrss includes that of the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (peak,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return int(peak) * 1024


def match_seconds(row: Row) -> float:
    """The median seconds of the algorithm, without reading the text and without the check."""
    return float(statistics.median(each["match"] for each in row["seconds"]))


def disk(row: Row) -> float:
    """The bandwidth of the disk in bytes per second if as many bytes are written as read."""
    return float(2 / (1 / row["write_bandwidth"] + 1 / row["read_bandwidth"]))


def volume(row: Row) -> float:
    """Bytes that the algorithm reads and writes."""
    return float(row["counters"]["bytes_read"] + row["counters"]["bytes_written"])


def share(row: Row) -> float:
    """The rate of the algorithm in bytes read and written over that of the disk."""
    return volume(row) / match_seconds(row) / disk(row)


def share_of_graph(row: Row) -> float:
    """The rate of the algorithm in bytes of the graph over that of the disk."""
    return EDGE * float(row["edges"]) / match_seconds(row) / disk(row)


def markdown(data: dict[str, Any]) -> str:
    """Volumes, rates and their share of the bandwidth."""
    rows = data["rows"]
    head = [
        "model",
        "vertices",
        "edges",
        "graph, MB",
        "memory, MB",
        "beyond, MB",
        "read and written, MB",
    ]
    head += [
        "over the bound",
        "s",
        "MB/s",
        "disk, MB/s",
        "share",
        "share, graph",
        "reading the text, s",
        "check, s",
    ]
    least = {
        model: [
            min((of(row) for row in rows if row["model"] == model), default=math.nan)
            for of in (share, share_of_graph)
        ]
        for model in MODELS
    }
    words = "; ".join(f"{model} {one:.2f} and {other:.2f}" for model, (one, other) in least.items())

    def cells(row: Row) -> list[str]:
        seconds = {k: statistics.median(s[k] for s in row["seconds"]) for k in row["seconds"][0]}
        return [
            row["model"],
            f"{row['n']:,}",
            f"{row['edges']:,}",
            *(digits(x / 1e6) for x in (row["edges"] * EDGE, row["memory"], row["beyond"])),
            digits(volume(row) / 1e6),
            digits(volume(row) / row["counters"]["sort_bytes"]),
            digits(seconds["match"]),
            digits(volume(row) / seconds["match"] / 1e6),
            digits(disk(row) / 1e6),
            f"{share(row):.2f}",
            f"{share_of_graph(row):.2f}",
            digits(seconds["read"]),
            digits(seconds["check"]),
        ]

    return paragraphs(
        f"The graph has {TIMES} times the memory. Share: the rate of the algorithm, in bytes read "
        "and written by the second, over the mean rate of the disk for a file that is written and "
        "read once. Share, graph: the same for the bytes of the graph alone. The least of both: "
        f"{words}; the aim is {AIM}. Beyond: the peak memory of the process beyond that before the "
        "call, with the mates and the check. The bound is that of the paper for sorting all edges. "
        "The system may keep temporary files in its cache.",
        by_matrix(head, rows, cells),
    )
