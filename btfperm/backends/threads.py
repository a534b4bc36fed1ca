# SPDX-License-Identifier: BSD-3-Clause
"""Threads of this process: the cores it may use, and the threads that the system allows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from btfperm import _core
from btfperm.arguments import whole_number
from btfperm.errors import BackendWarning
from btfperm.warn import warn

__all__ = [
    "MOST_THREADS",
    "checked_threads",
    "in_threads",
    "is_forked",
    "pass_threads",
    "start_threads",
    "startable_threads",
    "usable_cores",
]

Item = TypeVar("Item")
Found = TypeVar("Found")

MOST_THREADS = 1024  # the largest number that a caller may request
# The largest number of threads in one call of the core: some of its algorithms store the number of
# a thread in one byte, in which two values have other meanings.
_MOST_TOGETHER = 254
_WORTH_PASSING = 1_000_000  # entries; a pass over fewer entries uses one thread

# A forked child has OpenMP's list of the threads of its parent, but not the threads: its first
# parallel region would wait for them forever. Any other thread of the parent may be a thread of
# OpenMP, so the child may use OpenMP only if its parent had one thread.
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
    """Whether the parent of this process had other threads (such as those of a GPU driver) when it
    forked this process. The child does not have these threads. If the system does not list the
    threads of a process, the result is True in every forked child."""
    return _forked


def usable_cores() -> int:
    """Cores that this process may use, even if OMP_PROC_BIND binds this thread to one."""
    cores: int = _core.backends.usable_cores()
    return cores


def checked_threads(threads: int | None) -> int | None:
    """The number that a caller requests, or None; raises InvalidArgumentError."""
    return None if threads is None else whole_number("threads", threads, 1, MOST_THREADS)


def pass_threads(entries: int, asked: int | None) -> int:
    """The number of threads for passes over this number of entries. It is 1 for fewer than a
    million entries. Otherwise it is `asked`, or the number of usable cores if `asked` is None;
    `start_threads` may reduce it."""
    asked = checked_threads(asked)
    if entries < _WORTH_PASSING:
        return 1
    return start_threads(usable_cores() if asked is None else asked)


def start_threads(wanted: int) -> int:
    """Starts threads for the next calls of the core by the calling thread, and returns their
    number, including the calling one. It is `wanted`, but at most 254, and less if the system
    refuses to start some. If `is_forked()`, it is 1."""
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
    """How many of the wanted threads another library can start now; at least 1, because the calling
    thread exists."""
    return max(1, _core.backends.startable_threads(wanted)) if wanted > 1 else 1


def in_threads(
    function: Callable[[Item], Found], items: Sequence[Item], threads: int
) -> list[Found]:
    """``[function(item) for item in items]`` on several threads of Python, for functions that
    release the interpreter's lock. They are independent of the threads of OpenMP, which wait for
    each other in each region. If the system refuses a thread, the calling thread does all.

    >>> in_threads(abs, [-1, 2, -3], 2)
    [1, 2, 3]
    """
    if threads > 1 and len(items) > 1:
        from concurrent.futures import ThreadPoolExecutor  # only here: slow to import

        try:
            with ThreadPoolExecutor(min(threads, len(items))) as pool:
                return list(pool.map(function, items))
        except RuntimeError as error:
            if "new thread" not in str(error):
                raise
    return [function(item) for item in items]
