# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of ``connected.cu``."""

from __future__ import annotations

from typing import Any, NamedTuple

from btfperm.backends.gpu.arrays import BLOCK, grid, lanes_for
from btfperm.dulmage_mendelsohn.coarse_gpu import Parts
from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["Roots", "connected"]


class Roots(NamedTuple):
    """Smallest member of each vertex's component, -1 outside the part: columns name horizontal
    components, rows vertical ones."""

    rows_by_col: Any
    cols_by_col: Any
    rows_by_row: Any
    cols_by_row: Any


def connected(problem: DeviceProblem, parts: Parts) -> Roots:
    """The components of the horizontal and of the vertical part."""
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    run = problem.kernels("dulmage_mendelsohn/fine_rectangular/connected.cu")
    row_root, row_lent = cupy.empty(m, dtype=width), cupy.empty(m, dtype=width)
    col_root, col_lent = cupy.empty(n, dtype=width), cupy.empty(n, dtype=width)
    match = problem.row_match, problem.col_match
    both = grid(m + n), BLOCK, m, n
    run.launch("begin_sets", *both, match[0], parts.of_col, row_root, col_root)
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
        row_root,
        col_root,
    )
    run.launch("flatten_sets", grid(m), BLOCK, m, row_root)
    run.launch("flatten_sets", grid(n), BLOCK, n, col_root)
    roots = row_root, col_root
    run.launch("lend_roots", *both, *match, parts.of_col, *roots, row_lent, col_lent)
    return Roots(row_lent, col_root, row_root, col_lent)
