# SPDX-License-Identifier: BSD-3-Clause
"""Files that a command writes: what is refused before the work, and standard output as a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from btfperm_cli.output import reader_may_leave

__all__ = ["check_output", "is_replaced", "open_to_reader"]


def _is_same_file(source: str, target: str) -> bool:
    """Whether both names are of one file, so that writing `target` would destroy the input."""
    try:
        return Path(source).samefile(target)
    except (OSError, ValueError):
        return False


def check_output(target: str, inputs: Iterable[str | None], *, no_clobber: bool) -> None:
    """Before the work begins, refuses an output that could not be written after it."""
    if target != "-" and any(name is not None and _is_same_file(name, target) for name in inputs):
        raise click.UsageError(f"{target} is an input; name another output.")
    is_replaced(target, no_clobber=no_clobber)
    if target != "-" and not Path(target).parent.is_dir():
        from btfperm.errors import ResourceMissingError

        raise ResourceMissingError(
            f"{target} cannot be written: there is no directory {Path(target).parent}"
        )


def is_replaced(target: str, *, no_clobber: bool) -> bool:
    """Whether a file of that name exists, which the output replaces. With `no_clobber`, an existing
    file raises ResourceMissingError."""
    try:
        there = target != "-" and Path(target).is_file()
    except (OSError, ValueError):  # the writer reports the fault of the name
        return False
    if there and no_clobber:
        from btfperm.errors import ResourceMissingError

        raise ResourceMissingError(
            f"{target} exists already, and --no-clobber keeps it: name another output"
        )
    return there


def open_to_reader(target: str) -> AbstractContextManager[None]:
    """A context for writing `target`: if it is standard output, the reader may close the pipe."""
    return reader_may_leave(sys.stdout) if target == "-" else nullcontext()
