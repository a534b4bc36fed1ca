# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end the command line: one sentence or JSON object, no traceback, no unfinished file.

``Ctrl-C`` (SIGINT), SIGTERM and SIGHUP become a `KeyboardInterrupt` while a command works, so that
every ``finally`` runs. The process ends at once where an exception cannot work: while modules are
imported (the imports of C extensions print or replace what is raised in them), after a second
signal, and when the work is over. A file that is being written is removed in every case.

`watch` belongs to the process that runs the command line, and only `__main__` calls it. It does
not change a signal that is ignored, such as SIGHUP under ``nohup``, or has another handler. A
program that calls `btfperm_cli.main.main` or the library keeps its own handlers.

The exit code is 128 plus the number of the signal, as in shells: 129, 130 or 143.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType

__all__ = ["end_if_others_wait", "exit_code", "leave", "say", "sentence", "set_working", "watch"]

_ENDING = tuple(
    number
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if (number := getattr(signal, name, None)) is not None
)
_IMPORT_SYSTEM = "<frozen importlib._bootstrap>"
_SHOW_CURSOR = "\x1b[?25h"  # a progress bar hides it

_received: int | None = None  # the first signal
_working = False  # whether a command runs, which handles KeyboardInterrupt
_over = False  # whether the command has ended, so that a signal prints nothing more


def watch() -> None:
    """Handle each of these signals from now on, unless it is ignored or has another handler."""
    for number in _ENDING:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _on_signal)


def set_working(working: bool) -> None:
    """Sets whether a signal may raise KeyboardInterrupt; otherwise it ends the process."""
    global _working, _over
    _over = _working and not working
    _working = working


def exit_code() -> int:
    """The exit code after an interrupt."""
    return 128 + (_received or signal.SIGINT)


def sentence() -> str:
    """The sentence printed after an interrupt."""
    number = _received or signal.SIGINT
    return "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"


def leave() -> None:
    """End the process at once, with the exit code of the first signal; remove unfinished files and
    show the cursor before that. Nothing is printed."""
    try:
        atomic_write = sys.modules.get("btfperm.io.atomic_write")
        remove = getattr(atomic_write, "remove_unfinished", None)  # None while it is imported
        if remove is not None:
            remove()
        if "rich.progress" in sys.modules and os.isatty(2):
            os.write(2, _SHOW_CURSOR.encode())
    finally:
        end_if_others_wait()
        os._exit(exit_code())


def end_if_others_wait() -> None:
    """End the process by a signal if it is one of several MPI ranks and has not started MPI: the
    others wait for it, and MPICH's launcher ends them after a signal, but not after an exit
    code."""
    # `btfperm.backends.mpi.launch` has these names, too, but its import may be incomplete.
    sizes = [os.environ.get(name, "") for name in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")]
    if "mpi4py.MPI" in sys.modules or os.environ.get("BTFPERM_MPI") == "0":
        return
    if any(size.isdigit() and int(size) > 1 for size in sizes):
        os.kill(os.getpid(), signal.SIGKILL)


def say() -> None:
    """Print the sentence, or the JSON object, without the streams that may be in use."""
    words = sys.argv[1:]
    text, stream = f"btfperm: {sentence()}", 2
    if "--json" in words:
        import json

        from btfperm_cli.json_keys import command_of, error_object
        from btfperm_cli.standard_output import stdout_is_taken

        text = json.dumps(error_object(command_of(words), sentence(), exit_code()))
        stream = 2 if stdout_is_taken(words) else 1
    with contextlib.suppress(OSError):  # the reader has closed the pipe
        os.write(stream, f"{text}\n".encode())


def _on_signal(number: int, frame: FrameType | None) -> None:
    global _received
    first, _received = _received is None, _received or number
    if first and _working and not _importing(frame):
        raise KeyboardInterrupt
    try:
        if first and not _over:
            say()
    finally:  # also if the import of a module of `say` is not complete
        leave()


def _importing(frame: FrameType | None) -> bool:
    """Whether the import system has called `frame`, directly or through others."""
    while frame is not None:
        if frame.f_code.co_filename == _IMPORT_SYSTEM:
            return True
        frame = frame.f_back
    return False
