# SPDX-License-Identifier: BSD-3-Clause
"""The command group: the command of a line, and the handling of errors.

``btfperm MATRIX`` needs no subcommand: a line whose first word is no command is one for `order`.
A file that is named like a command is reached as ``./rank``.

Exit codes: 0 done; 1 the check asked for failed, or a limit ended the search before the answer was
proven; 2 wrong usage; 3 unreadable input; 4 a backend or a resource is missing, or a file is in the
way of --no-clobber; 70 a fault in btfperm; 129, 130, 143 ended by SIGHUP, Ctrl-C, SIGTERM.
"""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from btfperm.printable import LONGEST_WORD, one_line, printable, shortened
from btfperm_cli import signals
from btfperm_cli.advice import for_the_shell, on_one_line
from btfperm_cli.algorithms import algorithms
from btfperm_cli.check import check
from btfperm_cli.completion import show_completion
from btfperm_cli.convert import convert
from btfperm_cli.diagnose import diagnose
from btfperm_cli.doctor import doctor
from btfperm_cli.json_keys import error_object
from btfperm_cli.match import match
from btfperm_cli.order import order
from btfperm_cli.output import Output, complain, drop, emit, emit_text, flush, open_closed
from btfperm_cli.plot import plot
from btfperm_cli.rank import rank
from btfperm_cli.solve import solve

__all__ = ["main"]

FAULT = 70  # EX_SOFTWARE of sysexits.h


class MainGroup(click.Group):
    """A group whose nameless command is `order`."""

    asked = "order"  # the command of the part of the line that has been parsed

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        open_closed()
        silence_other_ranks()
        self.asked = "order"
        Output.current = None
        words = list(sys.argv[1:] if args is None else args)
        code = guarded(
            lambda: super(MainGroup, self).main(
                words, "btfperm", complete_var, standalone_mode=False, **extra
            ),
            Failure(self, as_json="--json" in words, to_stderr=stdout_is_taken(words)),
        )
        if standalone_mode:
            leave_if_ranks_failed(code)
            sys.exit(code)
        return code

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Also prints help and version; click would fail if the reader closes the pipe."""
        try:
            return super().make_context(*args, **extra)
        except KeyboardInterrupt:  # for which click prints an empty line
            raise click.Abort from None
        except BrokenPipeError:
            drop(sys.stdout)
            raise click.exceptions.Exit(0) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None
        except BrokenPipeError:
            drop(sys.stdout)
            return 0

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            emit_text(ctx.get_help(), err=True)
            ctx.exit(2)
        own = {name for option in self.params for name in option.opts} | {"-h", "--help"}
        if args and args[0] not in own:
            args = self._with_command(args)
            self.asked = args[0] if args[0] in self.commands else self.asked
        return super().parse_args(ctx, args)

    def _with_command(self, args: list[str]) -> list[str]:
        """The line with its command in front: options may come before the word that names it."""
        takes_value = {
            name
            for option in order.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        at = 0
        while at < len(args) and args[at].startswith("-") and args[at] not in ("-", "--"):
            at += 2 if args[at] in takes_value else 1
        word = args[at] if at < len(args) else ""
        if word in self.commands:
            return [word, *args[:at], *args[at + 1 :]]
        bare = word and word not in ("-", "--") and not set(word) & {".", "/", os.sep}
        if bare and not exists(word):
            near = difflib.get_close_matches(word, self.list_commands(click.Context(self)))
            hint = f"; did you mean {' or '.join(near)}?" if near else "."
            raise click.UsageError(f"{word!r} is neither a command nor a file{hint}")
        if {"-h", "--help"} & set(args):
            return ["--help"]
        return ["order", *args]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("btfperm", "MATRIX [-o OUT]... [OPTIONS]")
        formatter.write_usage("btfperm", "COMMAND [ARGS]...", prefix="       ")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help with the titles of all matrix formats in the place of FORMATS."""
        from btfperm.io.formats import matrix_formats

        titles = ", ".join(row.title for row in matrix_formats.values())
        general = self.help or ""
        try:
            self.help = general.replace("FORMATS", titles)
            super().format_help_text(ctx, formatter)
        finally:
            self.help = general

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with click.Context(order, info_name="btfperm", parent=None) as own:
            options = [p for p in order.get_params(own) if isinstance(p, click.Option)]
            records = [p.get_help_record(own) for p in options if "--help" not in p.opts]
        records += [p.get_help_record(ctx) for p in self.get_params(ctx)]
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record])
        self.format_commands(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Files, which are the main job, and commands."""
        files = [] if incomplete.startswith("-") else [CompletionItem(incomplete, type="file")]
        own = order.shell_complete(click.Context(order), incomplete)
        return files + own + super().shell_complete(ctx, incomplete)


def exists(path: str) -> bool:
    """Whether a file of that name exists; the reader reports names that the system refuses."""
    try:
        return Path(path).exists()
    except OSError:
        return True


def stdout_is_taken(words: Sequence[str]) -> bool:
    """Whether standard output holds a file (``-o -``, ``convert A.mtx -``), so that
    messages must go to stderr.

    >>> stdout_is_taken(["A.mtx", "-o", "-"]), stdout_is_taken(["convert", "-", "A.mtx"])
    (True, False)
    """
    pairs = list(pairwise(["", *words]))
    if "convert" in words:  # its last word is OUT
        valued = ("--permute", "--format")
        names = [
            word
            for before, word in pairs
            if before not in valued and (word == "-" or not word.startswith("-"))
        ]
        return names[-1:] == ["-"]
    spelt = {"-o-", "--output=-"} & set(words)
    return bool(spelt) or any(pair in (("-o", "-"), ("--output", "-")) for pair in pairs)


def silence_other_ranks() -> None:
    """Of the processes that an MPI launcher has started, only the first prints."""
    from btfperm.backends.mpi.launch import rank_by_launcher

    if rank_by_launcher() > 0:
        drop(sys.stdout)
        drop(sys.stderr)


def leave_if_ranks_failed(code: int) -> None:
    """Ends the process if a call over MPI ranks has failed: MPI would wait at the exit for messages
    that no rank sends any more."""
    module = sys.modules.get("btfperm.backends.mpi.exchange")
    failed = None if module is None else module.Exchange.failed
    if failed is not None:
        flush()
        failed.leave_together()
        os._exit(code)


class Failure:
    """Print the error of a line: one sentence on stderr, or with ``--json`` one object with the
    command's keys, on stderr if stdout holds a file."""

    def __init__(self, group: MainGroup, *, as_json: bool, to_stderr: bool) -> None:
        self._group, self._as_json, self._to_stderr = group, as_json, to_stderr

    def __call__(self, text: str, code: int) -> int:
        sentence = one_line(for_the_shell(on_one_line(text)))
        warned = Output.current.warnings if Output.current else []
        as_json = self._as_json
        try:
            if as_json:
                answer = error_object(self._group.asked, sentence, code, warned)
                emit(json.dumps(answer), err=self._to_stderr)
            flush()
        except OSError:  # stdout is what failed
            drop(sys.stdout)
            as_json = False
        if not as_json:
            complain(sentence)
        return code


def guarded(work: Callable[[], Any], failed: Failure) -> int:
    """Run `work`; every outcome becomes an exit code and at most one sentence."""
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
    """`text` with the name of the matrix in front, unless it names it, or none has been read."""
    subject = Output.current.subject if Output.current else None
    if subject is None or printable(subject) in text:
        return text
    return f"{'standard input' if subject == '-' else subject}: {text}"


def _library_error(error: Exception, failed: Failure) -> int:
    from btfperm.errors import (
        BtfpermError,
        InvalidArgumentError,
        ResourceMissingError,
        UnreadableInputError,
    )

    if os.environ.get("BTFPERM_DEBUG") == "1":
        import traceback

        for line in traceback.format_exc().splitlines():
            emit(line, err=True)
    if isinstance(error, BtfpermError):
        # Readers name their file themselves, which need not be the matrix.
        is_named = isinstance(error, (InvalidArgumentError, ResourceMissingError))
        is_named |= type(error) is UnreadableInputError
        return failed(str(error) if is_named else about(str(error)), error.exit_code)
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


def show_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from btfperm import __version__

        emit(f"btfperm {__version__}")
        ctx.exit()


@click.group(
    cls=MainGroup,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 a check failed or a limit was hit, 2 wrong usage, 3 unreadable "
    "input, 4 a backend or a resource is missing, or a file is in the way of --no-clobber, 70 a "
    "fault in btfperm, 129, 130 or 143 ended by SIGHUP, Ctrl-C or SIGTERM.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version and exit.",
)
@click.option(
    "--show-completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    is_eager=True,
    expose_value=False,
    callback=show_completion,
    help="Print the completion script of a shell, for instance for "
    'eval "$(btfperm --show-completion bash)" in ~/.bashrc.',
)
def main() -> None:
    """Find the structure of a sparse MATRIX: its structural rank, its Dulmage-Mendelsohn
    decomposition and block triangular form, each proven.

    MATRIX is a file (FORMATS; packed or not), or - for standard input. A file named like a command
    is reached as ./rank.
    """


for command in (order, rank, diagnose, check, convert, solve, match, plot, algorithms, doctor):
    main.add_command(command)
