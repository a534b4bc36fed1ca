# SPDX-License-Identifier: BSD-3-Clause
"""What a search on a device may spend: looked at by its host loop, between launches."""

from __future__ import annotations

import math
import time

__all__ = ["LOOKED", "Budget"]

LOOKED = 4  # the stop of a budget whose looks are spent


class Budget:
    """Seconds, entries read, and looks at the device; 0 is no limit. `stop` is the reason as the
    core numbers it: 0 none, 2 time, 3 work; and `LOOKED`.

    A host loop looks once every few levels or rounds: what it finds costs next to nothing, the way
    does. A look counts only if fewer than `much` entries were read since the one before: who reads
    much comes on, who does not follows long paths.
    """

    def __init__(
        self, seconds: float = 0.0, work: int = 0, looks: int = 0, much: float = math.inf
    ) -> None:
        self._ends = time.perf_counter() + seconds if seconds else 0.0
        self._work = work
        self._looks_left = looks or -1  # none left is 0
        self._much = much
        self._read = 0
        self.stop = 0

    def spent(self, edges: int) -> bool:
        """Whether a limit is reached, with so many entries read so far in this run. Asked only
        while something is left to do: what is done has not been given up."""
        if edges - self._read < self._much:
            self._looks_left -= 1
        self._read = edges
        if self._work and edges >= self._work:
            self.stop = 3
        elif self._ends and time.perf_counter() >= self._ends:
            self.stop = 2
        elif self._looks_left == 0:
            self.stop = LOOKED
        return self.stop != 0

    def work_left(self, edges: int, most: int) -> int:
        """How many entries more may be read, with so many read so far: `most`, or what is left."""
        return min(most, max(self._work - edges, 1)) if self._work else most
