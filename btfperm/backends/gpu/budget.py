# SPDX-License-Identifier: BSD-3-Clause
"""The limits of a search on a device, which its host loop checks between launches."""

from __future__ import annotations

import math
import time

__all__ = ["ABANDONED", "Budget"]

ABANDONED = 4  # the stop of a budget whose polls are spent


class Budget:
    """Limits on seconds, on visited entries and on polls of the device; 0 is no limit. `stop` is
    the reason, numbered as in the core: 0 none, 2 time, 3 work; and `ABANDONED`.

    A host loop polls once every few levels or rounds. A poll counts against `polls` only if fewer
    than `many_entries` entries were visited since the last one, which is a sign of long augmenting
    paths.
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
        self._polls_left = polls or -1  # 0 means that none is left
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
        """Seconds and entries that are left when this run has visited `edges`, as the core takes
        them."""
        seconds = max(self._ends - time.perf_counter(), 1e-9) if self._ends else 0.0
        return seconds, max(self._work - edges, 1) if self._work else 0

    def work_left(self, edges: int, most: int) -> int:
        """Entries that may still be visited when this run has visited `edges`; at most `most`."""
        return min(most, max(self._work - edges, 1)) if self._work else most
