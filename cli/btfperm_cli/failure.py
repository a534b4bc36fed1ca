# SPDX-License-Identifier: BSD-3-Clause
"""Handling of errors: each becomes an exit code and one sentence (with ``--json``, one object). A
traceback is printed only if BTFPERM_DEBUG is 1."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import click

from btfperm.printable import LONGEST_WORD, one_line, one_name, printable, shortened
from btfperm_cli import signals
from btfperm_cli.advice import for_the_shell, on_one_line, singular_sentence
from btfperm_cli.json_keys import error_object
from btfperm_cli.output import Output, complain, drop, emit, flush

__all__ = ["Failure", "guarded"]

FAULT = 70  # EX_SOFTWARE of sysexits.h


class Failure:
    """Print the error of a command line: one sentence on stderr; with ``--json`` one object with
    the command's keys, on stdout, or on stderr if stdout holds a file."""

    def __init__(self, command: Callable[[], str], *, as_json: bool, to_stderr: bool) -> None:
        self._command, self._as_json, self._to_stderr = command, as_json, to_stderr
        self.printed: tuple[str, int] | None = None  # the sentence and the exit code

    def __call__(self, text: str, code: int) -> int:
        sentence = one_line(for_the_shell(on_one_line(text)))
        self.printed = sentence, code
        warned = Output.current.warnings if Output.current else []
        as_json = self._as_json
        try:
            if as_json:
                answer = error_object(self._command(), sentence, code, warned)
                emit(json.dumps(answer), err=self._to_stderr)
            flush()
        except OSError:  # stdout itself has failed
            drop(sys.stdout)
            as_json = False
        if not as_json:
            complain(sentence)
        return code


def guarded(work: Callable[[], Any], failed: Failure) -> int:
    """Run `work`; every outcome becomes an exit code, and every error is printed by `failed`."""
    try:
        code = work()
        flush()
        return int(code or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.Abort, KeyboardInterrupt):
        return failed(signals.sentence(), signals.exit_code())
    except click.UsageError as error:
        where = error.ctx.command_path.removesuffix(" order") if error.ctx else "btfperm"
        return failed(f"{error.format_message()} (Help: {where} --help)", 2)
    except click.ClickException as error:
        return failed(error.format_message(), error.exit_code)
    except MemoryError:
        return failed(about("out of memory; use a machine with more, or stop other programs"), 4)
    except Exception as error:
        return _library_error(error, failed)


def about(text: str) -> str:
    """`text` with the name of the matrix in front, unless the text contains this name or the
    command has not set one."""
    subject = Output.current.subject if Output.current else None
    if subject is None:
        return text
    name = "standard input" if subject == "-" else one_name(subject)
    return text if name in text or printable(subject) in text else f"{name}: {text}"


def _library_error(error: Exception, failed: Failure) -> int:
    from btfperm.errors import (
        BtfpermError,
        InvalidArgumentError,
        ResourceMissingError,
        StructurallySingularError,
        UnreadableInputError,
    )

    if os.environ.get("BTFPERM_DEBUG") == "1":
        import traceback

        for line in traceback.format_exc().splitlines():
            emit(line, err=True)
    if isinstance(error, BtfpermError):
        # Messages of these classes already name a file or an argument, which need not be the
        # matrix.
        is_named = isinstance(error, (InvalidArgumentError, ResourceMissingError))
        is_named |= type(error) is UnreadableInputError
        text = str(error) if is_named else about(str(error))
        if isinstance(error, StructurallySingularError) and error.diagnosis is not None:
            text = singular_sentence(text, error.diagnosis)
        return failed(text, error.exit_code)
    if isinstance(error, OSError):  # files have errors of their own; this is a standard stream
        where = error.filename or "standard output"
        return failed(f"{where} cannot be written: {error.strerror or error}", 4)
    return failed(
        about(
            f"a fault in btfperm ({type(error).__name__}: {shortened(str(error), LONGEST_WORD)}); "
            "please report it with the matrix and what BTFPERM_DEBUG=1 adds"
        ),
        FAULT,
    )
