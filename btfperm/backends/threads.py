# SPDX-License-Identifier: BSD-3-Clause
"""Threads that this process can have: what cores there are for them, and what the system gives."""

from __future__ import annotations

import os
from pathlib import Path

from btfperm import _core
from btfperm.arguments import whole_number
from btfperm.errors import BackendWarning
from btfperm.warn import warn

__all__ = [
    "MOST_THREADS",
    "checked_threads",
    "is_forked",
    "pass_threads",
    "start_threads",
    "startable_threads",
    "usable_cores",
]

MOST_THREADS = 1024  # that may be asked for
_MOST_TOGETHER = (
    254  # that the smallest tables of the core have room for: no team is another's part
)
_WORTH_PASSING = 1_000_000  # entries; one thread has passed over fewer in three milliseconds

# A forked child has OpenMP's list of its parent's threads, but not the threads: it would wait for
# them forever, whichever library had them started. A parent of one thread leaves no such list.
_forked = False
_had_others = False
_said = False  # that the system gives too few: told once a process


def _note_threads() -> None:
    global _had_others
    try:
        _had_others = len(list(Path("/proc/self/task").iterdir())) > 1
    except OSError:
        _had_others = True


def _note_fork() -> None:
    global _forked
    _forked = _forked or _had_others


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_note_threads, after_in_child=_note_fork)


def is_forked() -> bool:
    """Whether this is a forked child of a process with threads, such as those of a GPU's driver,
    none of which it has."""
    return _forked


def usable_cores() -> int:
    """Cores that this process may use, even where OMP_PROC_BIND holds this thread on one."""
    cores: int = _core.backends.usable_cores()
    return cores


def checked_threads(threads: int | None) -> int | None:
    """What a caller asks for, None when that is nothing; raises InvalidArgumentError."""
    return None if threads is None else whole_number("threads", threads, 1, MOST_THREADS)


def pass_threads(entries: int, asked: int | None) -> int:
    """Threads for passes over so many entries: what was asked for, else all cores; one for few."""
    asked = checked_threads(asked)
    if entries < _WORTH_PASSING:
        return 1
    return start_threads(usable_cores() if asked is None else asked)


def start_threads(wanted: int) -> int:
    """The threads, the calling one among them, that share the work of its next calls of the core:
    those wanted, or as many as can be started; one in a forked child."""
    global _said
    wanted = min(wanted, _MOST_TOGETHER)
    if wanted <= 1 or _forked:
        return 1
    threads: int = _core.backends.start_threads(wanted)
    if threads < wanted and not _said:
        _said = True
        warn(
            BackendWarning(
                f"the system refuses to start {wanted} threads (its limits on memory, or on "
                f"threads); btfperm goes on with {threads}"
            )
        )
    return threads


def startable_threads(wanted: int) -> int:
    """Threads that another library can start now; at least one, which is the calling one."""
    return max(1, _core.backends.startable_threads(wanted)) if wanted > 1 else 1
