# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition after the matching, on a GPU, stage by stage, beside the CPU's.

Pattern, its row lists and the matching are on the device, and results stay there. The inputs are
those of planted.py and of on_device.py, made on the device; the matching of the latter is found by
the CPU. Each stage's time is taken with a synchronisation after it, the whole without. Every array
is compared with the CPU's.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import btfperm
from benchmarks.cases import Case
from benchmarks.contest import Options, Section
from benchmarks.generators import make
from benchmarks.generators.on_device import make_on_device
from benchmarks.generators.planted import planted
from benchmarks.machine import need_gpu
from benchmarks.tables import geometric_mean, milliseconds, table
from btfperm.backends.gpu.device import describe
from btfperm.dulmage_mendelsohn import decompose
from btfperm.dulmage_mendelsohn.form import Form
from btfperm.path.request import team_size
from btfperm.pattern import DevicePattern, Pattern


class Recorded(NamedTuple):
    """Milliseconds that exploratory code took on the same kind of machine, and what a good
    implementation might take; None: the CPU's work."""

    reached: float | None
    possible: float | None


NAMES = {
    "tiny": "tri:3e3 band:3e3 kkt:1e3 er:7:3",
    "quick": "tri:3e4 wide:300:3e4 band:3e4 circ:3e4 blk:30:3e4 erd:1.5:3e4 g3:24 kkt:3e4 er:14:3",
    "field": """tri:3e5 wide:3000:3e5 wide:300:3e5 band:3e5 circ:3e5 blk:1000:3e5 blk:30:3e5
        erd:1.5:3e5 erd:3:3e5 g3:64 g3:64:nat kkt:3e5 er:18:3 er:18:2.5 del:16 kron:16""",
    "large": """tri:3e6 wide:100000:3e6 wide:3000:3e6 wide:300:3e6 band:1e6 circ:3e6 erd:1.5:4e6
        erd:3:4e6 blk:1000:2e6 blk:30:2e6 g3:128 g3:128:nat kkt:1e6 er:21:2.5 er:22:3 del:20 kron:20
        del:22 del:22+rcp rmat:22:30 er:22:8""",
}
RECORDED = {
    "tri:3e6": Recorded(2.8, 1.4),
    "wide:100000:3e6": Recorded(4.6, 2.5),
    "wide:3000:3e6": Recorded(65.0, 35.0),
    "wide:300:3e6": Recorded(396.0, 250.0),
    "band:1e6": Recorded(None, None),
    "circ:3e6": Recorded(11.1, 4.0),
    "erd:1.5:4e6": Recorded(6.5, 3.0),
    "erd:3:4e6": Recorded(6.1, 3.0),
    "blk:1000:2e6": Recorded(43.0, 20.0),
    "blk:30:2e6": Recorded(70.0, 35.0),
    "g3:128": Recorded(4.1, 2.0),
    "g3:128:nat": Recorded(3.2, 1.5),
    "kkt:1e6": Recorded(2.2, 1.3),
    "er:22:3": Recorded(3.8, 2.0),
    "er:21:2.5": Recorded(2.4, 1.4),
    "del:20": Recorded(1.8, 1.0),
    "del:22": Recorded(7.1, 3.0),
    "del:22+rcp": Recorded(9.4, 4.5),
    "kron:20": Recorded(1.55, 1.0),
    "rmat:22:30": Recorded(5.7, 2.5),
}
RECTANGULAR = "components of rectangular parts"  # not in the recorded times
ARRAYS = Form._fields
_PLANTED = ("tri", "wide", "band", "circ", "erd", "blk", "g3", "kkt")

Row = dict[str, Any]


def cases(which: str) -> list[Case]:
    """The inputs of a set; those of planted.py are made where they are measured."""
    return [
        Case(name, name.split(":")[0], partial(_on_host, name)) for name in NAMES[which].split()
    ]


def _on_host(name: str) -> sp.csc_array:
    if name.split(":")[0] not in _PLANTED:
        return make(name)
    made = planted(name)
    return btfperm.Pattern.from_coo(made.rows, made.cols, (made.n, made.n)).to_scipy()


def run(cases: list[Case], options: Options) -> Section:
    """Milliseconds of the stages and of the whole on each input.

    Raises
    ------
    OSError : there is no GPU that works
    """
    need_gpu()
    rows, complaints = [], []
    for case in cases:
        row, wrong = measured(case, options)
        rows.append(row)
        complaints += [f"{case.name}: {what} differs from the CPU's" for what in wrong]
        stages = [f"{name} {milliseconds(s)}" for name, s in row["stages"].items() if s > 5e-5]
        options.say(
            f"{case.name}: {milliseconds(row['gpu'])} ms, CPU {milliseconds(row['cpu'])}: "
            f"{', '.join(stages)}"
        )
    data = {"gpu": describe(), "rows": rows}
    return Section("Decomposition on a GPU", markdown(data), data, complaints)


def measured(case: Case, options: Options) -> tuple[Row, list[str]]:
    """Times on one input, and the arrays that are wrong."""
    import cupy

    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.dulmage_mendelsohn.decompose_gpu import decompose_on_device

    pattern, row_match, col_match = _with_matching(case, options)
    matched = int((col_match >= 0).sum())
    problem = DeviceProblem(
        0, pattern, pattern.m, pattern.indptr, pattern.indices, row_match, col_match
    )
    problem.by_rows  # noqa: B018  (makes them: they count with the matching)
    stages: dict[str, list[float]] = {}

    def once(stage: Callable[[str], None] = lambda _: None) -> tuple[Form, float]:
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        form = decompose_on_device(problem, matched, stage)
        return form, time.perf_counter() - begin

    def timed_stages() -> None:
        since = time.perf_counter()

        def stage(name: str) -> None:
            nonlocal since
            cupy.cuda.Device().synchronize()
            now = time.perf_counter()
            stages.setdefault(name, []).append(now - since)
            since = now

        once(stage)

    form, _ = once()  # compiles
    seconds = [once()[1] for _ in range(options.repeats)]
    for _ in range(min(options.repeats, 5)):
        timed_stages()
    here = pattern.on_host(), row_match.get(), col_match.get()
    cpu_form, cpu = _on_cpu(*here, options)
    wrong = [
        name
        for name in ARRAYS
        if not np.array_equal(_host(getattr(form, name)), getattr(cpu_form, name))
    ]
    row: Row = {
        "matrix": case.name,
        "kind": case.kind,
        "n": pattern.n,
        "nnz": pattern.nnz,
        "blocks": int(cpu_form.row_blocks.size) - 1,
        "seconds": seconds,
        "gpu": statistics.median(seconds),
        "stages": {name: statistics.median(times) for name, times in stages.items()},
        "cpu": cpu,
        "cpu_threads": options.threads,
    }
    return row, wrong


def _with_matching(case: Case, options: Options) -> tuple[DevicePattern, Any, Any]:
    """Pattern and matching on the device."""
    import cupy

    from btfperm.pattern.canonical_gpu import from_positions

    if case.name.split(":")[0] in _PLANTED:
        made = planted(case.name, cupy)
        shape = (made.n, made.n)
        pattern = DevicePattern(shape, *from_positions(made.rows, made.cols, shape))
        width = pattern.indices.dtype
        col_match = made.col_match.astype(width)
        if int(col_match.min()) >= 0:
            row_match = cupy.empty(made.n, dtype=width)
            row_match[col_match] = cupy.arange(made.n, dtype=width)
            return pattern, row_match, col_match
        ours = pattern.on_host()
    else:
        pattern = _there(case)
        ours = pattern.on_host()
    found = btfperm.maximum_transversal(ours, threads=options.threads)
    return pattern, cupy.asarray(found.row_match), cupy.asarray(found.col_match)


def _there(case: Case) -> DevicePattern:
    import cupy

    if "." not in case.name:  # degrees that are whole numbers
        made = make_on_device(case.name)
        if isinstance(made, DevicePattern):
            return made
    ours = btfperm.as_pattern(case.load())
    return DevicePattern(ours.shape, cupy.asarray(ours.indptr), cupy.asarray(ours.indices))


def _on_cpu(
    pattern: Pattern, row_match: Any, col_match: Any, options: Options
) -> tuple[Form, float]:
    """The same by the core, the best of three, or of what takes a second."""
    threads = team_size(pattern.nnz, options.threads)
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        form = decompose(pattern, row_match, col_match, threads)
        times.append(time.perf_counter() - begin)
        if sum(times) > 1:
            break
    return form, min(times)


def _host(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else array


# -- tables ----------------------------------------------------------------------------------------


def markdown(data: dict[str, Any]) -> str:
    """Times beside the recorded ones, and the stages."""
    rows: list[Row] = data["rows"]
    names = list(dict.fromkeys(name for row in rows for name in row["stages"]))
    head = ["matrix", "n", "nnz", "blocks", "GPU", "without rectangular parts"]
    head += ["recorded", "possible", "CPU", "CPU / GPU"]
    body = [
        [
            f"`{row['matrix']}`",
            f"{row['n']:,}",
            f"{row['nnz']:,}",
            f"{row['blocks']:,}",
            milliseconds(row["gpu"]),
            milliseconds(_comparable(row)),
            *(_number(value) for value in RECORDED.get(row["matrix"], Recorded(None, None))),
            milliseconds(row["cpu"]),
            f"{row['cpu'] / row['gpu']:.1f}",
        ]
        for row in rows
    ]
    stages = [
        [f"`{row['matrix']}`", *(_cell(row["stages"].get(name)) for name in names)] for row in rows
    ]
    threads = rows[0]["cpu_threads"] if rows else None
    return "\n\n".join(
        [
            f"{data['gpu']}. CPU: {f'{threads} threads' if threads else 'its own choice'}.",
            "### After the matching, ms",
            "Recorded: exploratory code on an H200, without the components of rectangular parts. "
            + _over_possible(rows),
            table(head, body),
            "### Stages, ms, each with a synchronisation",
            table(["matrix", *names], stages),
        ]
    )


def _comparable(row: Row) -> float:
    return float(row["gpu"]) - float(row["stages"].get(RECTANGULAR, 0.0))


def _over_possible(rows: list[Row]) -> str:
    ratios = [
        1e3 * _comparable(row) / possible
        for row in rows
        if (possible := RECORDED.get(row["matrix"], Recorded(None, None)).possible) is not None
    ]
    if not ratios:
        return ""
    return f"Over what should be possible, geometric mean: {geometric_mean(ratios):.2f}."


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _cell(seconds: float | None) -> str:
    return "" if seconds is None else milliseconds(seconds)
