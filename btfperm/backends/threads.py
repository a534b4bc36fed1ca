# SPDX-License-Identifier: BSD-3-Clause
"""Threads of this process: the cores it may use, and the threads that the system allows."""

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

MOST_THREADS = 1024  # the largest number that a caller may request
_MOST_TOGETHER = 254  # the smallest tables of the core have space for this number
_WORTH_PASSING = 1_000_000  # entries; one thread makes a pass over fewer

# A forked child has OpenMP's list of the threads of its parent, but not the threads: its first
# region would wait for them forever. Each thread of the parent may be one of OpenMP's, so a child
# is safe only if its parent had one thread.
_forked = False
_had_others = False
_warned = False  # whether the process was warned that the system refuses threads


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
    """Whether this is a forked child of a process with threads, such as those of a GPU driver. The
    child does not have them. Where the system does not list threads, every forked child counts."""
    return _forked


def usable_cores() -> int:
    """Cores that this process may use, even if OMP_PROC_BIND binds this thread to one."""
    cores: int = _core.backends.usable_cores()
    return cores


def checked_threads(threads: int | None) -> int | None:
    """The number that a caller requests, or None; raises InvalidArgumentError."""
    return None if threads is None else whole_number("threads", threads, 1, MOST_THREADS)


def pass_threads(entries: int, asked: int | None) -> int:
    """The number of threads for passes over this number of entries: one below a million, otherwise
    `asked`, or all cores if that is None, or fewer, see `start_threads`."""
    asked = checked_threads(asked)
    if entries < _WORTH_PASSING:
        return 1
    return start_threads(usable_cores() if asked is None else asked)


def start_threads(wanted: int) -> int:
    """The number of threads, including the calling one, for its next calls of the core: `wanted`,
    but at most 254, or fewer if the system refuses some; one where `is_forked` holds."""
    global _warned
    wanted = min(wanted, _MOST_TOGETHER)
    if wanted <= 1 or _forked:
        return 1
    threads: int = _core.backends.start_threads(wanted)
    if threads < wanted and not _warned:
        _warned = True
        warn(
            BackendWarning(
                f"the system refuses to start {wanted} threads (its limits on memory, or on "
                f"threads); btfperm continues with {threads}"
            )
        )
    return threads


def startable_threads(wanted: int) -> int:
    """Number of threads that another library can start now; at least one, the calling one."""
    return max(1, _core.backends.startable_threads(wanted)) if wanted > 1 else 1
