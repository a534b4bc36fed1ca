# SPDX-License-Identifier: BSD-3-Clause
"""meeting-trees from an empty matching to the certificate: initial matching, search, proof.

The graphs are made on the device (`generators/counted.py`), by columns and by rows. The time is
that from an empty matching to the end of the last search, which finds no augmenting path and so
proves the matching. The certificate is timed separately, and a run without a certificate is
reported. All runs must find the same size, which on a small graph must be that of the CPU. ``--set
quick --repeats 1000 --limit 600`` runs the engine a thousand times on each graph, unless this takes
more than 600 s.
"""

from __future__ import annotations

import statistics
from functools import partial
from pathlib import Path
from typing import Any

import btfperm
from benchmarks.cases import Case, names
from benchmarks.generators.counted import make_on_device
from benchmarks.machine import gpu
from benchmarks.report import Options, Row, Section, by_matrix, milliseconds, paragraphs
from benchmarks.timing import synchronised

SMALL = 2_000_000  # entries up to which the CPU's rank is compared


def cases(which: str, _: Path) -> list[Case]:
    """The graphs of a set, by name; they are made on the device."""
    return [Case(name, "", _not_on_the_host) for name in names("engine", which)]


def _not_on_the_host() -> Any:
    raise OSError("this graph is made on a GPU")


def run(cases: list[Case], options: Options) -> Section:
    """Median times and the counters of meeting-trees on each graph; OSError without a GPU."""
    device, rows, complaints = gpu(), [], []
    for case in cases:
        row = _measured(case.name, options)
        rows.append(row)
        if not row["proven"]:
            complaints.append(f"{case.name}: not proven within {options.limit:g} s")
        if len(row["sizes"]) > 1:
            complaints.append(f"{case.name}: different sizes, {row['sizes']}")
        options.say(f"{case.name}: {milliseconds(row['median'])} ms")
    data = {"gpu": device, "limit": options.limit, "rows": rows}
    return Section("meeting-trees, from nothing", markdown(data), data, complaints)


def _measured(name: str, options: Options) -> Row:
    import cupy

    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.path.request import Request
    from btfperm.path.run import run_algorithm
    from btfperm.transversal.certificate_gpu import prove_on_device

    pattern = make_on_device(name)
    assert isinstance(pattern, btfperm.pattern.DevicePattern)
    by_rows = DeviceProblem.empty(pattern).by_rows
    cupy.get_default_memory_pool().free_all_blocks()
    engine = btfperm.registry.find("meeting-trees", initializer=False)
    seconds: list[float] = []
    sizes, proofs = set(), [True]
    if pattern.nnz <= SMALL:
        host = pattern.on_host()
        sizes.add(btfperm.maximum_transversal(host, backend="cpu").structural_rank)
    for _ in range(options.repeats + 1):  # the first is a warm-up
        problem = DeviceProblem.empty(pattern)
        problem.__dict__["by_rows"] = by_rows
        request = Request(time_limit=options.limit)
        outcome, spent = synchronised(partial(run_algorithm, engine, problem, request))
        seconds.append(spent)
        sizes.add(problem.size)
        proofs.append(prove_on_device(problem) is not None)
        if sum(seconds) > options.limit or outcome.stopped_by:
            break
    kept = seconds[1:] or seconds
    return {
        "matrix": name,
        "n": pattern.n,
        "nnz": pattern.nnz,
        "size": problem.size,
        "sizes": sorted(sizes),
        "proven": all(proofs),
        "seconds": kept,
        "median": statistics.median(kept),
        "certificate": synchronised(lambda: prove_on_device(problem))[1],
        "counters": outcome.counters,
    }


def markdown(data: dict[str, Any]) -> str:
    """One row for each graph."""
    head = "n, nnz, start leaves, in the end, ms, least, most, certificate, phases, rounds"
    return paragraphs(
        f"{data['gpu']}.",
        "From an empty matching: initial matching, search and the failed search that is its proof, "
        "ms (median, least, most), graph on the device in columns and rows. Beside it the "
        f"certificate. `>`: not finished within {data['limit']:g} s.",
        by_matrix(f"{head}, entries read / nnz", data["rows"], _cells),
    )


def _cells(row: Row) -> list[str]:
    counters = row["counters"]
    return [
        *(f"{row['n']:,}", f"{row['nnz']:,}"),
        f"{1 - counters['begun_pairs'] / row['n']:.2%}",
        f"{1 - row['size'] / row['n']:.2%}",
        ("" if row["proven"] else "> ") + milliseconds(row["median"]),
        *(milliseconds(f(row["seconds"])) for f in (min, max)),
        milliseconds(row["certificate"]),
        *(f"{counters[name]:,}" for name in ("phases", "rounds")),
        f"{counters['edges'] / row['nnz']:.2f}",
    ]
