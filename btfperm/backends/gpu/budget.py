# SPDX-License-Identifier: BSD-3-Clause
"""The limits of a search on a device. The loop on the host that launches the kernels checks them
between two launches."""

from __future__ import annotations

import math
import time

__all__ = ["ABANDONED", "Budget"]

ABANDONED = 4  # `Budget.stop` when no poll is left


class Budget:
    """Limits on seconds, on visited entries and on polls of the device; 0 is no limit. `stop` is
    the limit that was reached, with the numbers of the core: 0 none, 2 time, 3 work; `ABANDONED`
    means that no poll is left.

    The host polls the device once every few levels or rounds. A poll counts against `polls` only if
    the search has visited fewer than `many_entries` entries since the last poll, which is a sign of
    long augmenting paths.
    """

    def __init__(
        self,
        seconds: float = 0.0,
        work: int = 0,
        polls: int = 0,
        many_entries: float = math.inf,
    ) -> None:
        self._ends = time.perf_counter() + seconds if seconds else 0.0
        self._work = work
        self._polls_left = polls or -1  # -1: no limit, because the number never becomes 0
        self._many_entries = many_entries
        self._visited = 0
        self.stop = 0

    def spent(self, edges: int) -> bool:
        """Whether a limit is reached after this run has visited `edges` entries. The caller must
        not call this after the search has finished, so that no finished search is abandoned."""
        if edges - self._visited < self._many_entries:
            self._polls_left -= 1
        self._visited = edges
        if self._work and edges >= self._work:
            self.stop = 3
        elif self._ends and time.perf_counter() >= self._ends:
            self.stop = 2
        elif self._polls_left == 0:
            self.stop = ABANDONED
        return self.stop != 0

    def limits_left(self, edges: int) -> tuple[float, int]:
        """The seconds and entries that are left after this run has visited `edges` entries, in the
        form of the core's arguments: 0 is no limit, so a limit that is reached gives a tiny
        positive number."""
        seconds = max(self._ends - time.perf_counter(), 1e-9) if self._ends else 0.0
        return seconds, max(self._work - edges, 1) if self._work else 0

    def work_left(self, edges: int, most: int) -> int:
        """The entries that may still be visited after this run has visited `edges` of them; at most
        `most`."""
        return min(most, max(self._work - edges, 1)) if self._work else most
