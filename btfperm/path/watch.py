# SPDX-License-Identifier: BSD-3-Clause
"""Progress of a running search: how many entries are matched, sampled from another thread.

Algorithms on the CPU change the arrays of the problem in place, so a Python thread can count the
matched rows and columns while the core runs. The count may differ a little from the current
matching, and it can fall if a push takes a row from another column.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from btfperm import _core, backends

if TYPE_CHECKING:
    from btfperm.registry import Algorithm

__all__ = ["INTERVAL", "SearchState", "Watcher", "watched"]

INTERVAL = 0.1  # seconds between two samples


class SearchState(NamedTuple):
    """The state of a search.

    Attributes
    ----------
    step : ``"start"``, ``"search"``, or ``"prove"`` for the search that repairs a matching which
        failed its certificate. A second search may test whether stored zeros matter; its steps end
        in ``"without stored zeros"``, or in ``"with stored zeros"`` if the first search dropped
        them
    algorithm : the registry name of the algorithm that runs
    matched : number of matched entries at this time; at the start of a step, the number at the end
        of the step before. Over MPI ranks: number of matched columns of this rank
    possible : the smaller of the numbers of rows and columns, an upper bound on `matched`. Over MPI
        ranks: number of columns of this rank
    entries : number of entries that the process has visited on the CPU since the step began, up to
        the latest poll of the limits; at the end, at least all entries that the step visited
    done : whether the step has ended
    """

    step: str
    algorithm: str
    matched: int
    possible: int
    entries: int
    done: bool


Watcher = Callable[[SearchState], None]


def _matched(row: Algorithm, problem: Any) -> tuple[int, int]:
    """`matched` and `possible`. In one process, `matched` is the larger of the counts of rows and
    of columns, because some searches write one of the two arrays only at their end. Over ranks,
    only columns are counted, because a column of this rank may be matched to a row of another
    rank."""
    sides = [problem.col_match]
    if not backends.get(row.backend).is_distributed:
        sides.append(problem.row_match)
    counts = [int((match >= 0).sum()) for match in sides]
    return max(counts), min(match.size for match in sides)


@contextmanager
def watched(
    watcher: Watcher, step: str, row: Algorithm, problem: Any
) -> Iterator[Callable[[int], None]]:
    """Calls `watcher` at the start of a step, at its end unless it raised an error, and, on the
    CPU, every `INTERVAL` seconds while it runs. The calls between start and end come from another
    thread; if one of them raises an exception, no further ones follow. The context manager returns
    a function, which the caller must call with the number of entries that the step visited."""
    counted = 0
    before = _core.backends.entries_visited()
    on_host = backends.get(row.backend).is_on_host

    def sample(*, done: bool) -> None:
        visited = max(_core.backends.entries_visited() - before, counted)
        watcher(SearchState(step, row.name, *_matched(row, problem), visited, done))

    def count(entries: int) -> None:
        nonlocal counted
        counted = entries

    over = threading.Event()

    def samples() -> None:
        while not over.wait(INTERVAL):
            sample(done=False)

    sample(done=False)
    sampler = threading.Thread(target=samples, daemon=True)
    if on_host:
        sampler.start()
    try:
        yield count
    finally:
        over.set()
        if on_host:
            sampler.join()
    sample(done=True)
