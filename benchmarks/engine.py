# SPDX-License-Identifier: BSD-3-Clause
"""meeting-trees from nothing to the proof: start, search and certificate, all on the device.

The graphs are made there (`generators/on_device.py`), columns and rows beside each other; what
counts is the time from an empty matching to the end of the failed search, which is the proof, and
apart from it the certificate. Each run is proven, and of one size; that of a small graph is also
what the CPU finds: ``--set quick --repeats 1000 --limit 600`` runs each a thousand times.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import btfperm
from benchmarks.cases import Case
from benchmarks.contest import Options, Section
from benchmarks.generators.on_device import make_on_device
from benchmarks.machine import need_gpu
from benchmarks.tables import milliseconds, table
from btfperm.backends.gpu.device import describe
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm

NAMES = {
    "tiny": "er:7:3 road:12",
    # hex:256, because in hex:128 the holes leave fragments that need one phase
    "quick": """er:14:3 er:14:8 kron:12 rmat:14:30 del:14 del:14+rcp rgg:14 rgg:14+rcp road:128
        hex:256""",
    "field": "er:18:3 er:18:8 kron:16 rmat:18:30 del:18 del:18+rcp rgg:18 rgg:18+rcp road:1000",
    "large": """er:22:3 er:22:8 kron:20 kron:21 rmat:22:30 del:20 del:20+rcp del:22 del:22+rcp
        del:23 del:23+rcp del:24 del:24+rcp rgg:22 rgg:22+rcp rgg:24 rgg:24+rcp road:4000
        road:4000+rcp hex:4000 hex:4000+rcp""",
}

SMALL = 2_000_000  # entries: what the CPU does, too

Row = dict[str, Any]


def cases(which: str) -> list[Case]:
    """The graphs of a set, by name; they are made on the device."""
    return [Case(name, "", _not_on_the_host) for name in NAMES[which].split()]


def _not_on_the_host() -> Any:
    raise OSError("this graph is made on a GPU")


def run(cases: list[Case], options: Options) -> Section:
    """Median times and the counters of meeting-trees on each graph.

    Raises
    ------
    OSError : there is no GPU that works
    """
    need_gpu()
    rows, complaints = [], []
    for case in cases:
        row = _measured(case.name, options)
        rows.append(row)
        if not row["proven"]:
            complaints.append(f"{case.name}: not proven within {options.limit:g} s")
        if len(row["sizes"]) > 1:
            complaints.append(f"{case.name}: different sizes, {row['sizes']}")
        options.say(f"{case.name}: {milliseconds(row['median'])} ms")
    data = {"gpu": describe(), "limit": options.limit, "rows": rows}
    return Section("meeting-trees, from nothing", markdown(data), data, complaints)


def _measured(name: str, options: Options) -> Row:
    import cupy

    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.transversal.certificate_gpu import prove_on_device

    pattern = make_on_device(name)
    assert isinstance(pattern, btfperm.pattern.DevicePattern)
    problem = DeviceProblem.empty(pattern)
    rows_beside = problem.by_rows
    cupy.get_default_memory_pool().free_all_blocks()
    engine = btfperm.registry.find("meeting-trees", initializer=False)
    seconds: list[float] = []
    sizes = [_rank_by_cpu(pattern)] if pattern.nnz <= SMALL else []
    proofs = [True]
    for _ in range(options.repeats + 1):  # the first is a warm-up
        problem = DeviceProblem.empty(pattern)
        problem.__dict__["by_rows"] = rows_beside
        request = Request(pattern.nnz, time_limit=options.limit)
        spent, outcome = _timed(lambda: run_algorithm(engine, problem, request))  # noqa: B023
        seconds.append(spent)
        sizes.append(problem.size)
        proof, covers = _timed(lambda: prove_on_device(problem))  # noqa: B023
        proofs.append(covers is not None)
        if sum(seconds) > options.limit or outcome.stopped_by:
            break
    proof, _ = _timed(lambda: prove_on_device(problem))
    kept = seconds[1:] or seconds
    return {
        "matrix": name,
        "n": pattern.n,
        "nnz": pattern.nnz,
        "size": problem.size,
        "sizes": sorted(set(sizes)),
        "proven": all(proofs),
        "seconds": kept,
        "median": statistics.median(kept),
        "certificate": proof,
        "counters": outcome.counters,
    }


def _rank_by_cpu(pattern: btfperm.Pattern) -> int:
    return btfperm.maximum_transversal(pattern.on_host(), backend="cpu").structural_rank


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    import cupy

    cupy.cuda.Device().synchronize()
    begin = time.perf_counter()
    result = call()
    cupy.cuda.Device().synchronize()
    return time.perf_counter() - begin, result


def markdown(data: dict[str, Any]) -> str:
    """One row a graph."""
    head = [
        "matrix",
        "n",
        "nnz",
        "start leaves",
        "in the end",
        "ms",
        "least",
        "most",
        "certificate",
    ]
    head += ["phases", "rounds", "entries read / nnz"]
    return "\n\n".join(
        [
            f"{data['gpu']}.",
            "From an empty matching: start, search and the failed search that is its proof, ms "
            "(median, least, most), graph on the device in columns and rows. Beside it the "
            f"certificate. `>`: not done within {data['limit']:g} s.",
            table(head, [_cells(row) for row in data["rows"]]),
        ]
    )


def _cells(row: Row) -> list[str]:
    counters = row["counters"]
    least, most = min(row["seconds"]), max(row["seconds"])
    return [
        f"`{row['matrix']}`",
        f"{row['n']:,}",
        f"{row['nnz']:,}",
        f"{1 - counters['begun_pairs'] / row['n']:.2%}",
        f"{1 - row['size'] / row['n']:.2%}",
        ("" if row["proven"] else "> ") + milliseconds(row["median"]),
        milliseconds(least),
        milliseconds(most),
        milliseconds(row["certificate"]),
        f"{counters['phases']:,}",
        f"{counters['rounds']:,}",
        f"{counters['edges'] / row['nnz']:.2f}",
    ]
