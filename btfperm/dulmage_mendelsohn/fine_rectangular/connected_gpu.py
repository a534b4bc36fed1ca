# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``connected.cu``."""

from __future__ import annotations

from typing import Any, NamedTuple

from btfperm.backends.gpu.arrays import BLOCK, grid, lanes_for
from btfperm.backends.gpu.problem import DeviceProblem
from btfperm.dulmage_mendelsohn.coarse_gpu import Parts

__all__ = ["Roots", "connected"]


class Roots(NamedTuple):
    """The components, on the device.

    Attributes
    ----------
    cols : (n,) the smallest column of the component of each horizontal column; -1 for all others
    rows : (m,) the smallest row of the component of each vertical row; -1 for all others
    """

    cols: Any
    rows: Any


def connected(problem: DeviceProblem, parts: Parts) -> Roots:
    """The components of the horizontal and of the vertical part."""
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    run = problem.kernels("dulmage_mendelsohn/fine_rectangular/connected.cu")
    row_root, col_root = cupy.empty(m, dtype=width), cupy.empty(n, dtype=width)
    match = problem.row_match, problem.col_match
    roots = row_root, col_root
    run.launch("begin_sets", grid(m + n), BLOCK, m, n, match[0], parts.of_col, *roots)
    lanes = lanes_for(problem.nnz, n)
    run.launch(
        "unite_entries",
        grid(lanes * n),
        BLOCK,
        n,
        lanes,
        problem.indptr,
        problem.indices,
        *match,
        parts.of_col,
        *roots,
    )
    run.launch("flatten_sets", grid(m), BLOCK, m, row_root)
    run.launch("flatten_sets", grid(n), BLOCK, n, col_root)
    return Roots(col_root, row_root)
