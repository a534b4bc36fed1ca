# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``by_levels.cuh``: the parameters of a search, and its state afterwards."""

from __future__ import annotations

from typing import Any, NamedTuple

from btfperm.backends.gpu.compile import Kernels
from btfperm.backends.gpu.readback import SharedStruct

__all__ = ["NONE", "LevelSearch", "Limits", "SearchState"]

_FILE = "backends/gpu/by_levels.cuh"
NONE = 2**62
_THREADS = 512
_BLOCKS = 2  # number of blocks per multiprocessor; more blocks wait longer at a barrier


class Limits(NamedTuple):
    """Bounds of a search. A round processes the items that the preceding round put in the queue.

    The search ends early in each of three cases:

    * the average of `window` successive levels is fewer than `narrow` items per level;
    * it has finished `max_levels` levels;
    * the lists of the next round have at least `max_round_entries` entries in total. This is
      checked only for rounds with many items, and only in kernels with `visit_many`.

    A round is exactly one level until a round has fewer than `in_order` items. From this round on,
    a round may visit items of several levels.
    """

    narrow: int = 0
    window: int = NONE
    max_levels: int = NONE
    in_order: int = NONE
    max_round_entries: int = NONE


class SearchState(NamedTuple):
    """The state of a search.

    Attributes
    ----------
    level : number of finished levels
    taken : number of processed items
    ordered : number of items, from the start of the queue, that rounds of exactly one level
        processed
    gave_up : whether the search ended early
    left : the part of the queue that was not processed: its first position, and the one behind its
        last
    found : whether a kernel raised the flag `found`
    own : the additional words of the kernel, see `LevelSearch`
    """

    level: int
    taken: int
    ordered: int
    gave_up: bool
    left: tuple[int, int]
    found: bool
    own: list[int]


class LevelSearch:
    """A queue on the current device, and the search that processes its levels.

    The queue `items` has `room` places; it must have one for every item of the search. Kernels that
    ran before the search may put items there, and must count them in `end`. `found` is a flag that
    kernels may raise. The parameter `own` is the number of additional words for the kernel, zero at
    first, which the host reads together with the state; the attribute `own` is the array of them.
    """

    def __init__(self, room: int, width: Any, limits: Limits, own: int = 0) -> None:
        import cupy

        self.items = cupy.empty(max(room, 1), dtype=width)
        self._state = SharedStruct(_FILE, "Levels", limits._asdict(), own)
        self.end, self.found = self._state.field("end"), self._state.field("found")
        self.own = self._state.array[self._state.layout.size :]

    def run(self, kernels: Kernels, name: str, lanes: int, *arguments: Any) -> SearchState:
        """Launches a kernel that calls `search_by_levels` once, as a cooperative launch, waits for
        its end, and returns the state of the search."""
        self.launch(kernels, name, lanes, *arguments)
        return self.state()

    def launch(self, kernels: Kernels, name: str, lanes: int, *arguments: Any) -> None:
        """As `run`, without waiting."""
        kernels.launch_together(
            name, _THREADS, self._state.array, lanes, *arguments, self.items, most=_BLOCKS
        )

    def state(self) -> SearchState:
        """Waits for the search and returns its state."""
        values, layout = self._state.read(), self._state.layout
        level, begin, end, ordered, on_own, gave_up, found = (
            values[layout.words[name]]
            for name in ("level", "begin", "end", "ordered", "on_own", "gave_up", "found")
        )
        left, own = (begin, end), values[layout.size :]
        return SearchState(level, begin + on_own, ordered, gave_up != 0, left, found != 0, own)
