# SPDX-License-Identifier: BSD-3-Clause
"""Stages of the work: the seconds of each, and the progress of long ones on a terminal.

No progress bar is shown, and rich is not imported, before a second has passed: most matrices take
less. The lines of ``--verbose`` are printed at once.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from btfperm.printable import printable
from btfperm_cli.output import emit

if TYPE_CHECKING:
    from btfperm.path.watch import SearchState

__all__ = ["DELAY", "Clock", "Stage", "Stages", "stage", "watcher_of"]

DELAY = 1.0  # seconds


class Clock:
    """Seconds of each stage, in order."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage], self._since = round(now - self._since, 6), now


class Stage:
    """One stage of the work; `advance` is the callback that a reader of a file may call."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._done, self._total = 0, 0
        self._entries = 0  # entries that the process had visited when the stage began
        self._over = threading.Event()

    def advance(self, done: int, total: int | None = None) -> None:
        """`done` of `total` bytes, or of matched rows; None or 0 if the total is unknown."""
        self._done, self._total = done, total or 0

    def _show(self) -> None:
        from btfperm import _core

        self._entries = _core.backends.entries_visited()
        if self._over.wait(DELAY):
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn())
        with Progress(
            *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True
        ) as bar:
            task = bar.add_task(printable(self._title), total=None)
            while not self._over.wait(0.1):
                bar.update(
                    task,
                    description=printable(self._title) + self._visited(),
                    completed=self._done,
                    total=self._total or None,
                )

    def _visited(self) -> str:
        """What the core reports: it counts entries while it searches or decomposes."""
        from btfperm import _core

        entries = _core.backends.entries_visited() - self._entries
        return f", {entries:,} entries visited" if entries else ""


@contextmanager
def stage(title: str, *, quiet: bool) -> Iterator[Stage]:
    """Shows `title` and the progress if the block takes longer than `DELAY` and stderr is a
    terminal; nothing with `quiet`."""
    current = Stage(title)
    if quiet or not sys.stderr.isatty():
        yield current
        return
    painter = threading.Thread(target=current._show, daemon=True)
    painter.start()
    try:
        yield current
    finally:
        current._over.set()
        painter.join()


def watcher_of(stage: Stage | Stages, *, verbose: bool) -> Callable[[SearchState], None] | None:
    """The function that a search calls while it runs: it advances the bar, and with `verbose`
    prints lines. None without `verbose` if stderr is no terminal, so that no bar is shown."""
    if not verbose and not sys.stderr.isatty():
        return None

    begin = printed = time.perf_counter()
    steps = 0  # lines printed; the time between two of them grows

    def watch(state: SearchState) -> None:
        nonlocal printed, steps
        current = stage.current if isinstance(stage, Stages) else stage
        current.advance(state.matched, state.possible)
        now = time.perf_counter()
        is_edge = state.done or not state.entries
        if verbose and (is_edge or now - printed > min(0.1 * steps, 10)):
            emit(verbose_line(state, now - begin), err=True)
            printed, steps = now, steps + 1

    return watch


def verbose_line(state: SearchState, seconds: float) -> str:
    """A line of ``-v``: `0.31 s search (hkdw): 1,204 of 200,000 unmatched, 3,409,112 entries
    visited`."""
    end = "; done" if state.done else ""
    return (
        f"{seconds:6.2f} s  {state.step} ({state.algorithm}): "
        f"{state.possible - state.matched:,} of {state.possible:,} unmatched, "
        f"{state.entries:,} entries visited{end}"
    )


_TITLES = {
    "read": "reading {}",
    "search": "searching",
    "decompose": "decomposing",
    "weigh": "searching for large entries",
    "order": "ordering the blocks",
    "write": "writing {}",
}


class Stages:
    """Shows the stages of `btfperm.order.order_file` one after the other; `advance` is the callback
    that it calls."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._open: AbstractContextManager[Stage] | None = None
        self._key: tuple[str, object] | None = None
        self.current = Stage("")

    def __enter__(self) -> Stages:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def advance(
        self, name: str, file: str | os.PathLike[str] | None, done: int, total: int | None
    ) -> None:
        """Shows this stage, and how many bytes of `total` are done."""
        if (name, file) != self._key:
            self._close()
            self._key = name, file
            self._open = stage(_TITLES[name].format(file), quiet=self._quiet)
            self.current = self._open.__enter__()
        self.current.advance(done, total)

    def _close(self) -> None:
        if self._open is not None:
            self._open.__exit__(None, None, None)
            self._open = None
