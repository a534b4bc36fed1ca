# SPDX-License-Identifier: BSD-3-Clause
"""Coarse split, fine blocks, canonical order on the device: one after the other, as in
``decompose.hpp``, and to the same arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from btfperm.backends.gpu.device import on
from btfperm.dulmage_mendelsohn.canonical_order_gpu import in_order
from btfperm.dulmage_mendelsohn.coarse_gpu import split
from btfperm.dulmage_mendelsohn.fine_rectangular.connected_gpu import connected
from btfperm.dulmage_mendelsohn.fine_square.find_square_gpu import find_square
from btfperm.dulmage_mendelsohn.form import Form
from btfperm.errors import BackendUnavailableError
from btfperm.pattern import LARGEST_INT32
from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["decompose_on_device"]


def decompose_on_device(
    problem: DeviceProblem, matched: int, stage: Callable[[str], None] = lambda _: None
) -> Form:
    """The blocks of a problem with a maximum matching of so many pairs; of a square one also with
    all rows paired, be the pairs entries or not. Arrays on the device; the coarse boundaries, a
    few numbers, on the host. `stage` is called with the name of each stage when it is launched.

    Raises
    ------
    BackendUnavailableError : the device fails, or the matrix has 2^31 rows or columns
    DefectError : the matching is not maximum
    """
    if max(problem.m, problem.n) > LARGEST_INT32:
        raise BackendUnavailableError(
            f"a {problem.m:,} x {problem.n:,} matrix has more rows or columns than the keys of the "
            "gpu's sorts can tell apart; use backend='cpu'"
        )
    import cupy

    with on(problem.device):
        parts = split(problem, matched)
        stage("coarse")
        roots = connected(problem, parts) if parts.of_col is not None else None
        stage("components of rectangular parts")
        square = find_square(problem, parts, stage) if parts.square[0] else None
        form = in_order(problem, parts, roots, square)
        stage("order")
        cupy.cuda.get_current_stream().synchronize()
    return Form(*form, *(np.array(b, dtype=problem.width) for b in parts.boundaries()))
