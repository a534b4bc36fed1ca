# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of ``by_levels.cuh``: what a search is told before, and where it stands after."""

from __future__ import annotations

from typing import Any, NamedTuple

from btfperm.backends.gpu.compile import Kernels
from btfperm.backends.gpu.readback import Readback

__all__ = ["NONE", "LevelSearch", "Limits", "Stand"]

_PLACES = 18 + 3 * 32  # words of Levels
NONE = 2**62
_THREADS = 512
_BLOCKS = 2  # a multiprocessor: more wait longer for each other


class Limits(NamedTuple):
    """When a search gives up: below `narrow` items a level over `window` levels, or after `most`
    levels. And how long levels are kept apart: until one has fewer than `in_order` items."""

    narrow: int = 0
    window: int = NONE
    most: int = NONE
    in_order: int = NONE


class Stand(NamedTuple):
    """Levels done, as far as they were kept apart; items taken, and those of the queue that were
    taken level by level, its first ones; whether the search gave up, what was left in the queue
    then (from, to), and what it found itself."""

    level: int
    taken: int
    ordered: int
    gave_up: bool
    left: tuple[int, int]
    found: bool


class LevelSearch:
    """A queue on the current device and the levels that are taken from it.

    `items` must have the room for all that is ever pushed; `end` counts what the host's kernels
    put there before.
    """

    def __init__(self, room: int, width: Any, limits: Limits) -> None:
        import cupy

        self.items = cupy.empty(max(room, 1), dtype=width)
        self._state = Readback(_PLACES, dict(zip((3, 4, 5, 8), limits, strict=True)))
        self.end = self._state.array[2:3]

    def run(self, kernels: Kernels, name: str, lanes: int, *arguments: Any) -> Stand:
        """The one cooperative launch of a kernel that calls `search_by_levels`, to its end."""
        kernels.launch_together(
            name, _THREADS, self._state.array, lanes, *arguments, self.items, most=_BLOCKS
        )
        level, taken, end, _, _, _, gave_up, found, _, ordered, on_own, *_ = self._state.read()
        return Stand(level, taken + on_own, ordered, gave_up != 0, (taken, end), found != 0)
