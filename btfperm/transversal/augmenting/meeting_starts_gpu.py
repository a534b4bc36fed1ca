# SPDX-License-Identifier: BSD-3-Clause
"""What meeting-trees begins with where nothing is matched: ``meeting_peel.cu`` where there are
hubs and many leaves, greedy, and ``meeting_walks.cu`` where that did not follow an order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback
from btfperm.pattern.order_sample_gpu import OrderSample, sample_order
from btfperm.transversal.initial.greedy_gpu import draw_rows, greedy

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["Memory", "begin", "choose_start"]

_HUB, _PIECE = 256, 256  # is_hub and piece in meeting_grower.cuh
_PEELED = 16  # numbers of Peeled, and where some stand
_MATCHED, _WORTH, _EDGES, _CORE_COLS, _CORE_ROWS, _TURNS, _PAIRS = 7, 10, 11, 12, 13, 14, 15
_PEEL_THREADS = 256  # 32 times `warps` there
_FEW = 32  # leaves: one in so many columns and rows is enough to begin with them
# Steps of a walk, and where lists are short: at most so many entries.
_STEPS, _STEPS_SHORT, _SHORT = 32, 64, 4
# In order near the diagonal, one free column in so many is worth a walk.
_FREE_BEHIND_ORDER = 50
# A hub has so many times the entries of a mean column.
_HUB_BY_MEAN = 16
_NULL = np.uint64(0)


@dataclass
class Memory:
    """The arrays of a search; ``meeting_trees.cu`` says how long each is.

    Attributes
    ----------
    core : more than 1 for each column, and each row, of what the leaves have left; null: all is
    """

    workspace: Any
    owner: Any  # in it
    state: Any
    pieces: Any
    most_pieces: int
    core: Any = _NULL

    @classmethod
    def of(cls, problem: DeviceProblem) -> Memory:
        """For this problem, on the current device."""
        import cupy

        m, n, width = problem.m, problem.n, problem.width
        most_pieces = problem.nnz // _PIECE + problem.nnz // _HUB + 1
        workspace = cupy.empty(9 * (m + n) + 2 * m, dtype=width)
        return cls(
            workspace,
            workspace[9 * (m + n) :],
            cupy.zeros(m + n, dtype=np.int32),
            cupy.empty(8 * most_pieces, dtype=width),
            most_pieces,
        )


@dataclass
class Begun:
    """What a start leaves, while it may still be at work.

    Attributes
    ----------
    core : whether a search may find more
    pairs : how many there are, if not
    counters : waits for what it has read; empty where columns were matched before
    """

    core: bool = True
    pairs: int = 0
    counters: Callable[[], dict[str, int]] = dict


def begin(problem: DeviceProblem, budget: Budget, seed: int, memory: Memory) -> Begun:
    """A first matching where there is none. A limit is looked at behind it, and while it goes on in
    order."""
    peeled = peel(problem, memory)
    sample = sample_order(problem.m, problem.indptr, problem.indices)
    told = peeled()
    if told[_MATCHED]:
        return Begun()
    reads: list[Callable[[], int]] = [lambda: told[_EDGES]]

    def counters() -> dict[str, int]:
        edges = sum(read() for read in reversed(reads))  # the last one waits for all
        return {"begun_edges": edges, "peeled_turns": told[_TURNS]}

    if told[_WORTH] and not (told[_CORE_COLS] and told[_CORE_ROWS]):
        return Begun(False, told[_PAIRS], counters)
    choice, least = choose_start(problem, sample())
    if choice == "random":
        reads.append(draw_rows(problem, seed))
    else:
        read = greedy(problem, budget, seed, {"choice": choice})["edges"]
        assert isinstance(read, int)
        reads.append(lambda: read)
    if not budget.stop:
        reads.append(walk(problem, seed, memory, least))
    return Begun(counters=counters)


def peel(problem: DeviceProblem, memory: Memory) -> Callable[[], list[int]]:
    """Matches what has one choice, unless a column is matched; what is returned waits for the
    numbers of Peeled."""
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    # The last two numbers of an index stand for something else than a row.
    few = _FEW if m < np.iinfo(width).max - 4 else 0
    core = cupy.empty(m + n, dtype=width)
    told = Readback(_PEELED)
    problem.kernels("transversal/augmenting/meeting_peel.cu").launch_together(
        "peel",
        _PEEL_THREADS,
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
        np.uint64(few),
        told.array,
    )

    def numbers() -> list[int]:
        read = told.read()
        if read[_WORTH]:
            memory.core = core
        return read

    return numbers


def walk(problem: DeviceProblem, seed: int, memory: Memory, least: int) -> Callable[[], int]:
    """Lets the free columns walk if there are at least so many; what is returned waits for the
    number of entries read."""
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    run = problem.kernels("transversal/augmenting/meeting_walks.cu").launch
    label = cupy.empty(m, dtype=np.uint8)
    walkers = cupy.empty(n, dtype=width)
    told = Readback(2)
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
        told.array,
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
        told.array,
    )
    run("seat_columns", grid(m), BLOCK, m, rows, label, cols)
    return lambda: told.read()[1]


def choose_start(problem: DeviceProblem, sample: OrderSample) -> tuple[str, int]:
    """The choice of greedy that leaves least to do, and how many unmatched columns make walks pay.

    In order if neighbours lie near each other, because random choices of many threads leave
    unmatched rows far from unmatched columns there; and if there are hubs, whose lists one thread
    reads. At random otherwise: on a permuted mesh, the rest after an ordered start takes several
    times as long. After an ordered start on a mesh, walks help only if many columns are unmatched.
    """
    has_hub = sample.longest > _HUB_BY_MEAN * (problem.nnz / problem.n + 1)
    near = 2 * sample.near > sample.entries
    least = problem.n // _FREE_BEHIND_ORDER if near else 0
    return "first" if has_hub or near else "random", least
