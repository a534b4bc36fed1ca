# SPDX-License-Identifier: BSD-3-Clause
"""The limits of a search over ranks: all ranks stop at the same level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from btfperm.backends.mpi.exchange import Exchange

if TYPE_CHECKING:
    from btfperm.path.request import Request

__all__ = ["SharedBudget"]


class SharedBudget:
    """The limits of a search, and what it has used.

    Attributes
    ----------
    edges : entries that all ranks have visited
    stopped_by : ``"time_limit"`` or ``"max_work"`` when a limit has ended the search, else None
    """

    def __init__(self, exchange: Exchange, request: Request) -> None:
        self._exchange, self._request = exchange, request
        self.edges = 0
        self.stopped_by: str | None = None

    @property
    def stopped(self) -> bool:
        return self.stopped_by is not None

    @property
    def has_deadline(self) -> bool:
        """Whether there is a time limit."""
        return self._request.deadline is not None

    @property
    def work_left(self) -> int | None:
        """The entries that the search may still visit; None without a limit."""
        work = self._request.work
        return None if work is None else max(work - self.edges, 1)

    @property
    def threads(self) -> int | None:
        """The number of threads that the caller set, or None."""
        return self._request.threads

    @property
    def seconds_left(self) -> float:
        """See `Request.seconds_left`."""
        return self._request.seconds_left()

    def spent(self, edges: int) -> bool:
        """Adds `edges`, the entries that all ranks together have just visited, and returns whether
        the search must stop. If there is a time limit, the call is collective, and all ranks stop
        as soon as one has reached the limit."""
        self.edges += edges
        if self._request.work is not None and self.edges > self._request.work:
            self.stopped_by = "max_work"
        if self._request.deadline is not None:
            is_over = self._request.seconds_left() <= 1e-9
            if self._exchange.largest(int(is_over))[0]:
                self.stopped_by = "time_limit"
        return self.stopped
