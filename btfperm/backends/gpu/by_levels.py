# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of ``by_levels.cuh``: what a search is told before, and where it stands after."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from btfperm.backends.gpu.compile import Kernels
from btfperm.backends.gpu.readback import Readback

__all__ = ["LevelSearch", "Limits", "Stand"]

_PLACES = 18 + 3 + 3 * 32  # words of Levels
_NONE = 2**62
_THREADS = 512
_BLOCKS = 2  # a multiprocessor: more wait longer for each other


class Limits(NamedTuple):
    """When a search gives up: below `narrow` items a level over `window` levels, or after `most`
    levels."""

    narrow: int = 0
    window: int = _NONE
    most: int = _NONE


class Stand(NamedTuple):
    """Levels done, items taken from the queue and items in it; whether the search gave up, and
    what it found itself."""

    level: int
    taken: int
    queued: int
    gave_up: bool
    found: bool


class LevelSearch:
    """A queue on the current device and the levels that are taken from it.

    `items` must have the room for all that is ever pushed; `end` counts what the host's kernels
    put there before.
    """

    def __init__(self, room: int, width: Any, limits: Limits) -> None:
        import cupy

        self.items = cupy.empty(max(room, 1), dtype=width)
        self._state = Readback(_PLACES)
        told = np.zeros(_PLACES, dtype=np.uint64)
        told[3:6] = limits
        self._state.array.set(told)
        self.end = self._state.array[2:3]

    def run(self, kernels: Kernels, name: str, lanes: int, *arguments: Any) -> Stand:
        """One cooperative launch of a kernel that calls `search_by_levels`, to its end."""
        kernels.launch_together(
            name, _THREADS, self._state.array, lanes, *arguments, self.items, most=_BLOCKS
        )
        level, taken, queued, _, _, _, gave_up, found, *_ = self._state.read()
        return Stand(level, taken, queued, gave_up != 0, found != 0)
