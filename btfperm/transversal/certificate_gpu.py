# SPDX-License-Identifier: BSD-3-Clause
"""The driver of ``certificate.cu``, which checks the certificate on a device. If the check fails
there, the host must check the matching again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, brought, grid, lanes_for, upload
from btfperm.backends.gpu.device import on
from btfperm.backends.gpu.problem import DeviceProblem
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.pattern import DevicePattern
from btfperm.results import Transversal

__all__ = ["certified_on_device", "prove", "prove_on_device"]

_FILE = "transversal/certificate.cu"
# Maximum number of levels of the search for a cover. Each level costs a synchronisation with the
# host; with more levels, a search on the host is faster.
_MOST_LEVELS = 2000


def prove(
    problem: DeviceProblem,
    view: DeviceProblem,
    stopped_by: str | None,
    threads: int,
    size: int | None,
) -> tuple[Any, Any, int] | None:
    """Calls `prove_on_device` for `view`, the problem that was searched: `problem` or its
    transpose."""
    covers = prove_on_device(view)
    if covers is None:
        return None
    rows, cols = covers if view is problem else covers[::-1]
    return rows, cols, problem.size if size is None else size


def prove_on_device(problem: DeviceProblem) -> tuple[Any, Any] | None:
    """The rows and columns of a minimum cover, as bytes on the device. None if the host must check:
    the matching is not legal or not maximum, or the search has too many levels."""
    with on(problem.device):
        findings = SharedStruct(_FILE, "Findings")
        run = problem.kernels(_FILE).launch
        m, n, row_match, col_match = problem.m, problem.n, problem.row_match, problem.col_match
        run("check_pairs", grid(m + n), BLOCK, m, n, row_match, col_match, findings.array)
        if problem.reached is not None:
            wrong = findings.fields()["wrong"]
            covers = None if wrong else _checked(problem, problem.reached, findings)
            if wrong or covers is not None:
                return covers
            findings = SharedStruct(_FILE, "Findings")
        return _searched(problem, findings)


def _searched(problem: DeviceProblem, findings: SharedStruct) -> tuple[Any, Any] | None:
    """The cover by an alternating search from the unmatched columns; None in the cases in which
    `prove_on_device` returns None."""
    import cupy

    m, n, row_match, col_match = problem.m, problem.n, problem.row_match, problem.col_match
    run = problem.kernels(_FILE).launch
    reached = cupy.zeros(m, dtype=np.int32)
    queue = cupy.empty(n, dtype=problem.width)
    run("queue_free_columns", grid(n), BLOCK, n, col_match, queue, findings.array)
    begin, levels, state = 0, 0, findings.fields()
    while (end := state["reached_columns"]) > begin and not (state["free_row"] or state["wrong"]):
        levels += 1
        if levels > _MOST_LEVELS:
            return None
        run(
            "reach_rows",
            grid(32 * (end - begin)),
            BLOCK,
            begin,
            end,
            problem.indptr,
            problem.indices,
            row_match,
            reached,
            queue,
            findings.array,
        )
        begin, state = end, findings.fields()
    return None if state["free_row"] or state["wrong"] else _checked(problem, reached, findings)


def _checked(
    problem: DeviceProblem, reached: Any, findings: SharedStruct
) -> tuple[Any, Any] | None:
    """The cover whose rows `reached` marks. None if it does not touch all entries, if it does not
    have the size of the matching, or if the matching contains a pair that is no entry."""
    import cupy

    m, n = problem.m, problem.n
    run = problem.kernels(_FILE).launch
    rows, cols = cupy.empty(m, dtype=np.uint8), cupy.empty(n, dtype=np.uint8)
    lanes = lanes_for(problem.nnz, n)
    run(
        "check_entries",
        grid(lanes * n, COUNTING),
        BLOCK,
        np.int32(lanes),
        n,
        problem.indptr,
        problem.indices,
        problem.col_match,
        reached,
        cols,
        findings.array,
    )
    run("mark_rows", grid(m, COUNTING), BLOCK, m, reached, rows, findings.array)
    found = findings.fields()
    is_proof = found["matched"] == found["pairs"] == found["covers"] and not found["wrong"]
    return (rows, cols) if is_proof else None


def certified_on_device(pattern: DevicePattern, given: Transversal) -> Transversal | None:
    """The caller's transversal, checked again on the device. None if the host must check it: its
    arrays do not have the lengths for this pattern, or `prove_on_device` returns None."""
    problem = DeviceProblem.empty(pattern)
    with on(problem.device):
        names = ("row_match", "col_match")
        places = [_places(getattr(given, name)) for name in names]
        if places != [(pattern.m,), (pattern.n,)]:
            return None
        problem.row_match, problem.col_match = (
            _as_width(getattr(given, name), problem.width) for name in names
        )
        covers = prove_on_device(problem)
        if covers is None:
            return None
        return replace(
            given,
            row_match=problem.row_match,
            col_match=problem.col_match,
            rank_bounds=(problem.size, problem.size),
            verified=True,
            row_in_cover=covers[0],
            col_in_cover=covers[1],
        )


def _places(array: Any) -> Any:
    """The shape of an integer array; None for anything else."""
    return array.shape if getattr(getattr(array, "dtype", None), "kind", "?") in "iu" else None


def _as_width(array: Any, width: Any) -> Any:
    """The array on the current device, with this dtype and contiguous."""
    on_device = upload(array) if isinstance(array, np.ndarray) else brought(array)
    cast = on_device.astype(width, copy=False)
    return cast if cast.flags.c_contiguous else cast.copy()
