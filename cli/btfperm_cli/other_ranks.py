# SPDX-License-Identifier: BSD-3-Clause
"""An error that one of several MPI ranks meets alone, for example before it has started MPI. The
other ranks would wait for this rank forever, so it raises the error on them, too."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from typing import Any

__all__ = ["raise_on_other_ranks"]

_COMMANDS = ("order", "rank", "match")  # those that run over ranks


def raise_on_other_ranks(text: str, code: int, command: str, words: list[str]) -> None:
    """Raises an error of this rank in the call that the other ranks make together. `text` and
    `code` are its sentence and its exit code, `words` those of the command line.

    Nothing happens in one process, or if all ranks have agreed on an error. If MPI does not start
    on this rank, for example without memory, the rank ends by a signal: then the launcher ends the
    job, which MPICH's does not after an exit code of a rank that has not started MPI.
    """
    from btfperm.backends.mpi.launch import launched_ranks

    if command not in _COMMANDS or launched_ranks() < 2 or _names_other_backend(words):
        return
    if _agreed() or find_spec("mpi4py") is None or "the mpi backend cannot be used" in text:
        return  # without MPI, all ranks have the same error
    try:
        from btfperm.backends.mpi.exchange import Exchange
        from btfperm.backends.mpi.launch import world

        Exchange.of(world()).fail(_error(text, code))
    except BaseException:
        os.kill(os.getpid(), signal.SIGKILL)


def _agreed() -> bool:
    """Whether a call over ranks has failed, so that all of them have raised its error."""
    module = sys.modules.get("btfperm.backends.mpi.exchange")
    return module is not None and module.Exchange.failed is not None


def _names_other_backend(words: list[str]) -> bool:
    """Whether the line names a backend of one process, so that the ranks do not use MPI."""
    text = " ".join(words).replace("=", " ")
    return any(f"--backend {name}" in text for name in ("cpu", "gpu"))


def _error(text: str, code: int) -> BaseException:
    from btfperm import errors

    kinds: dict[int, Any] = {
        kind.exit_code: kind
        for kind in (
            errors.InvalidArgumentError,
            errors.UnreadableInputError,
            errors.ResourceMissingError,
        )
    }
    return KeyboardInterrupt() if code > 128 else kinds.get(code, errors.DefectError)(text)
