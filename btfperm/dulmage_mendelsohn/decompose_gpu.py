# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition on a device: coarse parts, fine blocks, canonical order. The steps and the
results are those of ``decompose.hpp``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from btfperm import _core
from btfperm.backends.gpu.arrays import download, upload
from btfperm.backends.gpu.device import on, refuse_beyond_free
from btfperm.backends.gpu.problem import DeviceProblem, copy_on_device, device_copies
from btfperm.backends.protocol import Session
from btfperm.dulmage_mendelsohn.canonical_order_gpu import in_order
from btfperm.dulmage_mendelsohn.coarse_gpu import split
from btfperm.dulmage_mendelsohn.fine_rectangular.connected_gpu import connected
from btfperm.dulmage_mendelsohn.fine_square.find_square_gpu import find_square
from btfperm.dulmage_mendelsohn.form import Form
from btfperm.errors import BackendUnavailableError
from btfperm.pattern import LARGEST_INT32
from btfperm.results import IndexArray

__all__ = ["decompose", "decompose_on_device"]

# The least number of indices that a decomposition needs for each row or column, in addition to the
# matrix, the matching and one array of length nnz (the row lists, or the edges of the square part).
# Some matrices need several times as many. The check uses the least number, because a larger one
# would refuse matrices for which the memory suffices.
_LEAST = 2


def decompose_on_device(
    problem: DeviceProblem, matched: int, stage: Callable[[str], None] = lambda _: None
) -> Form:
    """Decomposes a problem with a maximum matching of `matched` entries. In a square problem, each
    row may also be paired with a column, even if some pairs are not entries; then `matched` is the
    number of rows. The returned arrays are on the device of the problem, except the coarse
    boundaries, which are on the host. `stage` is called with the name of each stage after its last
    launch.

    Raises
    ------
    BackendUnavailableError : the device fails or has too little memory, or m or n exceeds
        `LARGEST_INT32`, or m + n the largest index
    DefectError : the matching is not maximum
    """
    m, n = problem.m, problem.n
    # There are at most m + n blocks.
    if max(m, n) > LARGEST_INT32 or m + n > np.iinfo(problem.width).max:
        raise BackendUnavailableError(
            f"a {m:,} x {n:,} matrix has too many rows and columns for the sorts on a GPU; use "
            "backend='cpu'"
        )
    import cupy

    with on(problem.device):
        lists = 0 if "by_rows" in problem.__dict__ else problem.nnz
        refuse_beyond_free(
            (lists + _LEAST * (m + n)) * int(problem.width.itemsize),
            f"the decomposition of a matrix of {m:,} x {n:,} with {problem.nnz:,} entries",
        )
        parts = split(problem, matched)
        stage("coarse")
        roots = connected(problem, parts) if parts.of_col is not None else None
        stage("components of rectangular parts")
        square = find_square(problem, parts, stage) if parts.square[0] else None
        form = in_order(problem, parts, roots, square)
        stage("order")
        cupy.cuda.get_current_stream().synchronize()
    return Form(*form, *(np.array(b, dtype=problem.width) for b in parts.boundaries()))


def decompose(session: Session, row_match: Any, col_match: Any) -> Form:
    """Decomposes the pattern of a session by the matching `row_match`, `col_match`, which is as for
    `decompose_on_device`.

    If the pattern is on a device, the permutations and the boundaries of the blocks are returned on
    this device, and the coarse boundaries on the host. If the pattern is on the host, all results
    are on the host; the device that holds a copy of the pattern computes them, or CuPy's current
    device if there is no copy.

    Raises
    ------
    BackendUnavailableError, DefectError : as for `decompose_on_device`
    """
    pattern: Any = session.pattern
    if pattern.is_on_device:
        arrays = pattern.m, pattern.indptr, pattern.indices, row_match, col_match
        problem = DeviceProblem(pattern.device, pattern, *arrays)
        return decompose_on_device(problem, problem.size)
    with on(next(iter(device_copies(session)), None)) as device:
        known, problem = session.copies.get("matched", (None, None))
        if problem is None or problem.device != device or known is not row_match:
            copy, matches = copy_on_device(session, device), (upload(row_match), upload(col_match))
            problem = DeviceProblem(device, copy, pattern.m, copy.indptr, copy.indices, *matches)
        form = decompose_on_device(problem, problem.size)
        return Form(*(_here(array) for array in form))


def _here(array: Any) -> IndexArray:
    if isinstance(array, np.ndarray):
        return array
    result: IndexArray = _core.backends.new_bytes(array.nbytes).view(array.dtype)
    download(array, result)
    return result
