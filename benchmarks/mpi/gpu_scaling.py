# SPDX-License-Identifier: BSD-3-Clause
"""Two ranks with a GPU each beside one, on random graphs up to the largest that fits one GPU.

Strong scaling: each graph ``er:X:d`` is matched by one process from host memory, by one rank with a
GPU and by two ranks with a GPU each, which have its columns in host memory. One process is left out
for graphs with more than 2^31 entries. Weak scaling: two ranks also match the graph ``er:X+1:d``,
which has twice as many rows, columns and entries, if a search in it fits the GPU of the first rank.
The same by messages (``backend="mpi"``), if the graph of two ranks has at most `MOST_BY_MESSAGES`
entries. After ``--within`` seconds, no graph is measured any more.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from benchmarks.cases import Case, names
from benchmarks.machine import gpu
from benchmarks.mpi.gpu_ranks import measured, not_on_the_host
from benchmarks.report import Options, Row, Section, digits, paragraphs, table

__all__ = ["bytes_needed", "cases", "largest", "run", "twice"]

MOST_BY_MESSAGES = 1 << 28
# (name, number of ranks, what the worker does, whether the graph is doubled)
WAYS = (
    ("one process", 1, "host", False),
    ("1 GPU", 1, "auto", False),
    ("2 GPUs", 2, "auto", False),
    ("2 GPUs, twice the graph", 2, "auto", True),
    ("1 GPU, messages", 1, "gpu", False),
    ("2 GPUs, messages, twice the graph", 2, "gpu", True),
)


def cases(which: str, _: Path) -> list[Case]:
    """The graphs of a set, by name; they are made on the device."""
    return [Case(name, "", not_on_the_host) for name in names("mpi-gpu-scaling", which)]


def twice(graph: str) -> str:
    """The random graph with twice as many rows, columns and entries.

    >>> twice("er:22:8")
    'er:23:8'
    """
    family, exponent, degree = graph.split(":")
    return f"{family}:{int(exponent) + 1}:{degree}"


def bytes_needed(graph: str) -> int:
    """The bytes of a GPU that `auto` requires to be free before the first rank gathers a random
    graph there; an upper bound, because pairs that are drawn twice are counted twice."""
    from btfperm.backends.gpu.problem import bytes_of_search
    from btfperm.backends.mpi.gpu_handles import bytes_beside_entries

    n, nnz = 2 ** int(graph.split(":")[1]), _entries(graph)
    # Of 2^31 pairs, some 30 are drawn twice, so that the numbers of er:28:8 have 32 bits.
    width = 4 if nnz <= 2**31 and 2 * n < 2**31 else 8
    return bytes_of_search((n, n), nnz, 2, width) + bytes_beside_entries((n, n), width)


def _entries(graph: str) -> int:
    """The number of pairs that a random graph draws."""
    _, exponent, degree = graph.split(":")
    return round(float(degree) * (1 << int(exponent)))


def largest(degree: int, memory: int) -> int:
    """The largest X for which a search in ``er:X:degree`` fits a GPU with this number of free
    bytes.

    >>> largest(8, 79 * 10**9), largest(8, 140 * 10**9)
    (28, 28)
    """
    fitting = (x for x in range(1, 40) if bytes_needed(f"er:{x}:{degree}") <= memory)
    return max(fitting, default=0)


def run(cases: list[Case], options: Options) -> Section:
    """Median seconds of each way. Raises OSError without a GPU or MPI."""
    device, complaints = gpu(), []
    memory = _memory()
    rows: list[Row] = []
    begin = time.monotonic()
    for case in cases:
        for way, ranks, where, is_twice in WAYS:
            graph = twice(case.name) if is_twice else case.name
            needed = bytes_needed(graph)
            if where == "gpu" and _entries(twice(case.name)) > MOST_BY_MESSAGES:
                continue
            if where == "host" and _entries(graph) > 2**31:
                continue
            if where != "gpu" and needed > memory:
                options.say(f"{graph}, {way}: needs {needed} bytes of a GPU, which has {memory}")
                continue
            if time.monotonic() - begin > options.within:
                options.say(f"{graph}, {way}: left out, the time is over")
                continue
            found = measured(graph, ranks, where, {}, options)
            row = {"matrix": case.name, "graph": graph, "way": way, "bytes_needed": needed}
            rows.append(row | {"ranks": ranks} | found)
            options.say(f"{graph}, {way}: {found}")
    for name in {str(row["graph"]) for row in rows}:
        sizes = {row["rank"] for row in rows if row["graph"] == name and "rank" in row}
        if len(sizes) > 1:
            complaints.append(f"{name}: different ranks {sorted(sizes)}")
    complaints += [
        f"{row['graph']}, {row['way']}: {row['error']}" for row in rows if "error" in row
    ]
    data = {"device": device, "free_bytes": memory, "rows": rows}
    return Section("Two GPUs beside one", _text(rows, memory), data, complaints)


def _memory() -> int:
    """The free bytes of the first GPU, where no rank runs yet."""
    import cupy

    return int(cupy.cuda.runtime.memGetInfo()[0])


def _text(rows: list[Row], memory: int) -> str:
    head = ["matrix", "rows", "bound GB", *(way for way, *_ in WAYS), "2 GPUs / 1 GPU"]
    graphs = list(dict.fromkeys(str(row["matrix"]) for row in rows))
    return paragraphs(
        "Medians in milliseconds of the time from an empty matching to the checked certificate of "
        "the maximum one, after a warm-up, of graphs in host memory. With one rank and two, `auto` "
        "lets the first rank gather the graph on its GPU and search there; by messages, each GPU "
        "keeps its columns. `bound GB` is the memory of a GPU that `auto` requires to be free "
        f"before the first rank gathers the graph; {memory / 1e9:.1f} GB were free. Of the graphs "
        f"`er:X:8`, X = {largest(8, memory)} is the largest that fits: beyond 2^31 entries, "
        "numbers have 64 bits.",
        table(head, [_cells(graph, rows) for graph in graphs]),
    )


def _cells(graph: str, rows: list[Row]) -> list[str]:
    times: dict[str, Any] = {
        str(row["way"]): row.get("seconds") for row in rows if row["matrix"] == graph
    }
    one, two = times.get("1 GPU"), times.get("2 GPUs")
    return [
        f"`{graph}`",
        f"2^{graph.split(':')[1]}",
        f"{bytes_needed(graph) / 1e9:.1f}",
        *("-" if times.get(way) is None else digits(times[way] * 1e3) for way, *_ in WAYS),
        "-" if one is None or two is None else digits(two / one),
    ]
