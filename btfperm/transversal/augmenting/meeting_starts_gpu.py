# SPDX-License-Identifier: BSD-3-Clause
"""The initial matching that meeting-trees computes if nothing is matched. It has three steps: on
patterns with hubs and many leaves, ``meeting_peel.cu``; then greedy; then ``meeting_walks.cu``. If
most entries are near the diagonal, the last step runs only if many columns are unmatched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.layout import constant
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.pattern.order_sample_gpu import OrderSample, sample_order
from btfperm.transversal.initial.greedy_gpu import draw_rows, greedy

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["Memory", "begin", "choose_start"]

_GROWER = "transversal/augmenting/meeting_grower.cuh"
_PEEL = "transversal/augmenting/meeting_peel.cu"
_WALKS = "transversal/augmenting/meeting_walks.cu"
# Peeling starts only if at least one vertex in this number of vertices is a leaf.
_VERTICES_PER_LEAF = 32
# Maximum number of steps of a walk, and the same if lists are short, which means that they have at
# most `_SHORT` entries on average.
_STEPS, _STEPS_SHORT, _SHORT = 32, 64, 4
# If most entries are near the diagonal, walks run only if at least one in this number of columns is
# unmatched.
_COLS_PER_UNMATCHED = 50
# In `choose_start`, a hub is a column with more entries than this number times (the mean number of
# entries of a column + 1).
_HUB_BY_MEAN = 16
_NULL = np.uint64(0)


@dataclass
class Memory:
    """The arrays of a search. Their lengths are described in ``meeting_trees.cu``.

    Attributes
    ----------
    core : a number for each column, then one for each row. An unmatched vertex is in the core (see
        ``meeting_peel.cu``) if and only if its number is at least 2; the numbers of matched
        vertices have no meaning. A null pointer if peeling matched nothing: then the whole matrix
        is the core
    """

    workspace: Any
    owner: Any  # a part of workspace
    state: Any
    pieces: Any
    max_pieces: int
    core: Any = _NULL

    @classmethod
    def of(cls, problem: DeviceProblem) -> Memory:
        """Allocates the arrays for this problem on the current device."""
        import cupy

        m, n, nnz, width = problem.m, problem.n, problem.nnz, problem.width
        max_pieces = nnz // constant(_GROWER, "piece") + nnz // constant(_GROWER, "hub_limit") + 1
        workspace = cupy.empty(9 * (m + n) + 2 * m, dtype=width)
        return cls(
            workspace,
            workspace[9 * (m + n) :],
            cupy.zeros(m + n, dtype=np.int32),
            cupy.empty(8 * max_pieces, dtype=width),
            max_pieces,
        )


@dataclass
class Start:
    """The result of `begin`. Its kernels may still be running.

    Attributes
    ----------
    core : whether a search may match more columns
    pairs : the number of matched columns if `core` is False
    counters : a function that waits for the kernels and returns their counters. If columns were
        matched before `begin`, it returns an empty mapping
    """

    core: bool = True
    pairs: int = 0
    counters: Callable[[], dict[str, int]] = dict


def begin(problem: DeviceProblem, budget: Budget, seed: int, memory: Memory) -> Start:
    """Computes an initial matching if nothing is matched. The limits are checked between the
    launches of greedy in natural order, but not between those of the other steps."""
    peeled = peel(problem, memory)
    sample = sample_order(problem.m, problem.indptr, problem.indices)
    numbers = peeled()
    if numbers["matched"]:
        return Start()
    reads: list[Callable[[], int]] = [lambda: numbers["edges"]]

    def counters() -> dict[str, int]:
        edges = sum(read() for read in reversed(reads))  # the last read waits for all launches
        return {"begun_edges": edges, "peeled_turns": numbers["n_rounds"]}

    if numbers["peeled"] and not (numbers["core_cols"] and numbers["core_rows"]):
        return Start(False, numbers["pairs"], counters)
    choice, least = choose_start(problem, sample())
    if choice == "random":
        reads.append(draw_rows(problem, seed))
    else:
        read = greedy(problem, budget, seed, {"choice": choice})["edges"]
        assert isinstance(read, int)
        reads.append(lambda: read)
    if not budget.stop:
        reads.append(walk(problem, seed, memory, least))
    return Start(counters=counters)


def peel(problem: DeviceProblem, memory: Memory) -> Callable[[], dict[str, int]]:
    """Launches the kernel that matches vertices with one unmatched neighbour, unless a column is
    matched already or the pattern is not suitable, see ``meeting_peel.cu``. Returns a function that
    waits for the kernel and returns its counters, the struct `Peeled`."""
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    # Two index values mark rows that are matched permanently (in_cover and out_of_cover in
    # forest.cuh). If m is near the largest index, a root could have the same number, so the kernel
    # must match nothing.
    vertices_per_leaf = _VERTICES_PER_LEAF if m < np.iinfo(width).max - 4 else 0
    core = cupy.empty(m + n, dtype=width)
    peeled = SharedStruct(_PEEL, "Peeled")
    problem.kernels(_PEEL).launch_together(
        "peel",
        32 * constant(_PEEL, "warps"),
        m,
        n,
        problem.indptr,
        problem.indices,
        *problem.by_rows,
        problem.row_match,
        problem.col_match,
        core,
        memory.owner,
        memory.workspace,
        np.uint64(vertices_per_leaf),
        peeled.array,
    )

    def read_numbers() -> dict[str, int]:
        read = peeled.fields()
        if read["peeled"]:
            memory.core = core
        return read

    return read_numbers


def walk(problem: DeviceProblem, seed: int, memory: Memory, least: int) -> Callable[[], int]:
    """Launches walks from the unmatched columns, which run only if there are at least `least` of
    these. Returns a function that waits for the kernels and returns the number of visited
    entries."""
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    run = problem.kernels(_WALKS).launch
    label = cupy.empty(m, dtype=np.uint8)
    walkers = cupy.empty(n, dtype=width)
    counters = SharedStruct(_WALKS, "WalkCounters")
    rows, cols = problem.row_match, problem.col_match
    run(
        "prepare_walks",
        grid(max(m, n)),
        BLOCK,
        m,
        n,
        problem.indptr,
        rows,
        cols,
        memory.owner,
        memory.core,
        label,
        walkers,
        counters.array,
    )
    run(
        "walk",
        grid(n // 8),
        BLOCK,
        np.int32(_STEPS if problem.nnz > _SHORT * n else _STEPS_SHORT),
        np.uint64(least),
        np.uint64(seed),
        problem.indptr,
        problem.indices,
        walkers,
        rows,
        cols,
        label,
        counters.array,
    )
    run("correct_col_match", grid(m), BLOCK, m, rows, label, cols)
    return lambda: counters.fields()["edges"]


def choose_start(problem: DeviceProblem, sample: OrderSample) -> tuple[str, int]:
    """The value of greedy's option ``choice``, and the least number of unmatched columns for which
    the walks run.

    The choice is ``"first"`` (natural order) in two cases: if most entries are near the diagonal,
    because then random choices leave unmatched rows far from unmatched columns; and if there are
    hubs, because a single thread scans the list of a hub. Otherwise it is ``"random"``: on a
    permuted mesh, the search takes longer after an initial matching in natural order. If most
    entries are near the diagonal, walks save time only if many columns are unmatched.
    """
    has_hub = sample.longest > _HUB_BY_MEAN * (problem.nnz / problem.n + 1)
    near = 2 * sample.near > sample.entries
    least = problem.n // _COLS_PER_UNMATCHED if near else 0
    return "first" if has_hub or near else "random", least
