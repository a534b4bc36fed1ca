# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition after the matching, on a GPU, by stage, beside the CPU.

Pattern, row lists and matching are on the device, and results stay there. The inputs are those of
`generators/planted.py` and `generators/counted.py`, made on the device. If the generator does not
provide a perfect matching, the CPU finds a maximum one. The time of each stage includes a
synchronisation after it; the whole is timed in other runs without these synchronisations. Every
array is compared with the CPU's.
"""

from __future__ import annotations

import json
import statistics
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import btfperm
from benchmarks.cases import Case, names
from benchmarks.generators import make
from benchmarks.generators.counted import make_on_device
from benchmarks.generators.planted import FAMILIES, planted
from benchmarks.machine import gpu
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    geometric_mean,
    milliseconds,
    paragraphs,
)
from btfperm.dulmage_mendelsohn.decompose_cpu import decompose
from btfperm.dulmage_mendelsohn.form import Form
from btfperm.path.make_plan import team_size
from btfperm.pattern import DevicePattern, Pattern

# Milliseconds: the time of exploratory code, and what its author estimated as possible.
RECORDED: dict[str, list[float]] = {
    name: times
    for name, *times in json.loads(
        Path(__file__).with_name("recorded.json").read_text(encoding="utf-8")
    )["decomposition"]["rows"]
}
RECTANGULAR = "components of rectangular parts"  # the recorded times do not have this stage


def cases(which: str, _: Path) -> list[Case]:
    """The inputs of a set."""
    return [
        Case(name, name.split(":")[0], partial(_on_host, name))
        for name in names("gpu-decomposition", which)
    ]


def _is_planted(name: str) -> bool:
    return name.split(":")[0] in FAMILIES


def _on_host(name: str) -> sp.csc_array:
    if not _is_planted(name):
        return make(name)
    made = planted(name)
    return btfperm.Pattern.from_coo(made.rows, made.cols, (made.n, made.n)).to_scipy()


def run(cases: list[Case], options: Options) -> Section:
    """Milliseconds of the stages and of the whole on each input; OSError without a GPU."""
    device, rows, complaints = gpu(), [], []
    for case in cases:
        row, wrong = measured(case, options)
        rows.append(row)
        complaints += [f"{case.name}: {what} differs from the CPU's" for what in wrong]
        stages = [f"{name} {milliseconds(s)}" for name, s in row["stages"].items() if s > 5e-5]
        times = f"{milliseconds(row['gpu'])} ms, CPU {milliseconds(row['cpu'])}"
        options.say(f"{case.name}: {times}: {', '.join(stages)}")
    data = {"gpu": device, "rows": rows}
    return Section("Decomposition on a GPU", markdown(data), data, complaints)


def measured(case: Case, options: Options) -> tuple[Row, list[str]]:
    """Times on one input, and the arrays that are wrong."""
    import cupy

    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.dulmage_mendelsohn.decompose_gpu import decompose_on_device

    pattern, row_match, col_match = _with_matching(case.name, options)
    matched = int((col_match >= 0).sum())
    problem = DeviceProblem(
        0, pattern, pattern.m, pattern.indptr, pattern.indices, row_match, col_match
    )
    problem.by_rows  # noqa: B018  (makes the row lists: their time belongs to the matching)
    stages: dict[str, list[float]] = {}
    since = 0.0

    def stage(name: str) -> None:
        nonlocal since
        cupy.cuda.Device().synchronize()
        now = time.perf_counter()
        stages.setdefault(name, []).append(now - since)
        since = now

    def once(at_stage: Any = lambda _: None) -> tuple[Form, float]:
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        form = decompose_on_device(problem, matched, at_stage)
        return form, time.perf_counter() - begin

    form, _ = once()  # the first call compiles the kernels
    seconds = [once()[1] for _ in range(options.repeats)]
    for _ in range(min(options.repeats, 5)):
        since = time.perf_counter()
        once(stage)
    expected, cpu = _on_cpu(pattern.on_host(), row_match.get(), col_match.get(), options)
    row: Row = {
        "matrix": case.name,
        "kind": case.kind,
        "n": pattern.n,
        "nnz": pattern.nnz,
        "blocks": int(expected.row_blocks.size) - 1,
        "seconds": seconds,
        "gpu": statistics.median(seconds),
        "stages": {name: statistics.median(times) for name, times in stages.items()},
        "cpu": cpu,
        "cpu_threads": options.threads,
    }
    same = {
        name: np.array_equal(cupy.asnumpy(getattr(form, name)), getattr(expected, name))
        for name in Form._fields
    }
    return row, [name for name, is_same in same.items() if not is_same]


def _with_matching(name: str, options: Options) -> tuple[DevicePattern, Any, Any]:
    """Pattern and matching on the device."""
    import cupy

    from btfperm.pattern.canonical_gpu import from_positions

    if _is_planted(name):
        made = planted(name, cupy)
        shape = (made.n, made.n)
        pattern = DevicePattern(shape, *from_positions(made.rows, made.cols, shape))
        width = pattern.indices.dtype
        col_match = made.col_match.astype(width)
        if int(col_match.min()) >= 0:
            row_match = cupy.empty(made.n, dtype=width)
            row_match[col_match] = cupy.arange(made.n, dtype=width)
            return pattern, row_match, col_match
    else:
        on_device = make_on_device(name)
        assert isinstance(on_device, DevicePattern)
        pattern = on_device
    found = btfperm.maximum_transversal(pattern.on_host(), threads=options.threads)
    return pattern, cupy.asarray(found.row_match), cupy.asarray(found.col_match)


def _on_cpu(
    pattern: Pattern, row_match: Any, col_match: Any, options: Options
) -> tuple[Form, float]:
    """The decomposition on the CPU and its seconds: the least of three calls, or of fewer if these
    take more than a second together."""
    threads = team_size(pattern.nnz, options.threads)
    times: list[float] = []
    while len(times) < 3 and sum(times) <= 1:
        begin = time.perf_counter()
        form = decompose(pattern, row_match, col_match, threads)
        times.append(time.perf_counter() - begin)
    return form, min(times)


def markdown(data: dict[str, Any]) -> str:
    """Times beside the recorded ones, and the stages."""
    rows: list[Row] = data["rows"]
    stages = list(dict.fromkeys(name for row in rows for name in row["stages"]))
    threads = rows[0]["cpu_threads"] if rows else None

    def comparable(row: Row) -> float:
        return float(row["gpu"]) - float(row["stages"].get(RECTANGULAR, 0.0))

    def cells(row: Row) -> list[str]:
        return [
            *(f"{row[name]:,}" for name in ("n", "nnz", "blocks")),
            *(milliseconds(row["gpu"]), milliseconds(comparable(row))),
            *(f"{t:g}" for t in RECORDED.get(row["matrix"], [])),
            *([] if row["matrix"] in RECORDED else ["", ""]),
            *(milliseconds(row["cpu"]), f"{row['cpu'] / row['gpu']:.1f}"),
        ]

    over = [
        1e3 * comparable(row) / RECORDED[row["matrix"]][1]
        for row in rows
        if row["matrix"] in RECORDED
    ]
    mean = f"Over what should be possible, geometric mean: {geometric_mean(over):.2f}."
    head = "n, nnz, blocks, GPU, without rectangular parts, recorded, possible, CPU, CPU / GPU"
    return paragraphs(
        f"{data['gpu']}. CPU: {f'{threads} threads' if threads else 'its own choice'}.",
        "### After the matching, ms",
        "Recorded: exploratory code on an H200, without the components of rectangular parts. "
        + (mean if over else ""),
        by_matrix(head, rows, cells),
        "### Stages, ms, each with a synchronisation",
        by_matrix(
            stages,
            rows,
            lambda row: [
                milliseconds(row["stages"][name]) if name in row["stages"] else ""
                for name in stages
            ],
        ),
    )
