# SPDX-License-Identifier: BSD-3-Clause
"""Driver of karp-sipser on a GPU. The algorithm is described in ``karp_sipser.cu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.backends.gpu.readback import SharedStruct

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["karp_sipser"]

_FILE = "transversal/initial/karp_sipser.cu"
_ONE_IN = 8  # about one in this number of columns chooses a row in a round
_ALL_DRAW = 64  # if at most this number of columns is left, all choose


def karp_sipser(
    problem: DeviceProblem, budget: Budget, seed: int, _options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """Matches vertices with one unmatched neighbour level by level. If there is none, some columns
    choose a row at random, see ``karp_sipser.cu``."""
    import cupy

    run = problem.kernels(_FILE).launch
    width = problem.width
    state = SharedStruct(_FILE, "State")
    edges, left = state.field("edges"), state.field("left")
    queued = [state.field(f"queued[{side}]") for side in range(2)]  # columns, rows
    cols, rows = (
        (*lists, match, cupy.empty(vertices, dtype=width), cupy.empty(vertices, dtype=width))
        for vertices, lists, match in (
            (problem.n, (problem.indptr, problem.indices), problem.col_match),
            (problem.m, problem.by_rows, problem.row_match),
        )
    )  # each: indptr, indices, match, degree, queue
    for vertices, mine, other, count in (
        (problem.n, cols, rows, queued[0]),
        (problem.m, rows, cols, queued[1]),
    ):
        indptr, indices, match, degree, queue = mine
        blocks = grid(vertices, COUNTING)
        run(
            "count_degrees",
            blocks,
            BLOCK,
            vertices,
            indptr,
            indices,
            match,
            other[2],
            degree,
            queue,
            count,
            edges,
        )
    draws = np.random.default_rng(seed)
    undrawn, listed = problem.n, np.uint64(0)  # null list: all columns
    lists = [cupy.empty(problem.n, dtype=width) for _ in range(2)]
    done, levels, rounds = [0, 0], 0, 0

    while True:
        fields = state.fields()
        read, ends = fields["edges"], [fields["queued[0]"], fields["queued[1]"]]
        if (ends == done and not undrawn) or budget.spent(read):
            break
        if ends != done:
            levels += 1
            for begin, end, mine, other, counts in (
                (done[0], ends[0], cols, rows, queued),
                (done[1], ends[1], rows, cols, queued[::-1]),
            ):
                if begin == end:
                    continue
                blocks = grid(end - begin, COUNTING)
                run(
                    "match_forced",
                    blocks,
                    BLOCK,
                    begin,
                    end,
                    *mine,
                    counts[0],
                    *other,
                    counts[1],
                    edges,
                )
            done = ends
            continue
        rounds += 1
        left.fill(0)
        run(
            "match_some",
            grid(undrawn, COUNTING),
            BLOCK,
            draws.integers(2**64, dtype=np.uint64),
            _ONE_IN if undrawn > _ALL_DRAW else 1,
            undrawn,
            listed,
            lists[0],
            *cols,
            *rows,
            state.array,
        )
        undrawn, listed = state.fields()["left"], lists[0]
        lists.reverse()
    return {"edges": read, "levels": levels, "phases": rounds}
