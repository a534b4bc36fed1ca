# SPDX-License-Identifier: BSD-3-Clause
"""The command group: which command a line means, and what becomes of errors.

``btfperm MATRIX`` needs no subcommand: a line whose first word is no command is one for `order`.
A file that is named like a command is reached as ``./rank``.

Exit codes: 0 done; 1 the check asked for failed, or a limit ended the search before the answer was
proven; 2 wrong usage; 3 unreadable input; 4 a backend or a resource is missing; 70 a fault in
btfperm; 130 interrupted.
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

from btfperm_cli.algorithms import algorithms
from btfperm_cli.check import check
from btfperm_cli.completion import show_completion
from btfperm_cli.convert import convert
from btfperm_cli.doctor import doctor
from btfperm_cli.order import order
from btfperm_cli.output import drop, emit, flush, open_closed
from btfperm_cli.rank import rank

__all__ = ["main"]

FAULT = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130


class MainGroup(click.Group):
    """A group whose nameless command is `order`."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        open_closed()
        words = list(sys.argv[1:] if args is None else args)
        code = guarded(
            lambda: super(MainGroup, self).main(
                words, "btfperm", complete_var, standalone_mode=False, **extra
            ),
            as_json="--json" in words,
            to_stderr=stdout_is_taken(words),
        )
        if standalone_mode:
            sys.exit(code)
        return code

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Also prints help and version; click itself would make a reader that leaves a failure."""
        try:
            return super().make_context(*args, **extra)
        except BrokenPipeError:
            drop(sys.stdout)
            raise click.exceptions.Exit(0) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            drop(sys.stdout)
            return 0

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            emit(ctx.get_help(), err=True)
            ctx.exit(2)
        own = {name for option in self.params for name in option.opts} | {"-h", "--help"}
        if args and args[0] not in own:
            args = self._with_command(args)
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
    """Whether there is something of that name; a name that cannot be asked for is the reader's."""
    try:
        return Path(path).exists()
    except OSError:
        return True


def stdout_is_taken(words: Sequence[str]) -> bool:
    """Whether standard output holds a file (``-o -``, ``convert A.mtx -``), so that what is said
    makes way, however the work ends.

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


def guarded(work: Callable[[], Any], *, as_json: bool, to_stderr: bool) -> int:
    """Run `work`; every way in which it can end becomes an exit code and at most one sentence: for
    a machine as JSON, on stderr where stdout holds a file."""

    def failed(text: str, code: int) -> int:
        return _failed(text, code, as_json, to_stderr)

    try:
        code = work()
        flush()
        return int(code or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.Abort, KeyboardInterrupt):
        return failed("interrupted", INTERRUPTED)
    except click.UsageError as error:
        where = error.ctx.command_path.removesuffix(" order") if error.ctx else "btfperm"
        return failed(f"{error.format_message()} (Help: {where} --help)", 2)
    except click.ClickException as error:
        return failed(error.format_message(), error.exit_code)
    except MemoryError:
        return failed("out of memory; use a machine with more, or stop other programs", 4)
    except Exception as error:
        return _library_error(error, failed)


def _library_error(error: Exception, failed: Callable[[str, int], int]) -> int:
    from btfperm.errors import BtfpermError

    if os.environ.get("BTFPERM_DEBUG") == "1":
        import traceback

        emit(traceback.format_exc(), err=True)
    if isinstance(error, BtfpermError):
        return failed(str(error), error.exit_code)
    if isinstance(error, OSError):  # files have their own errors: what is left is what is said
        where = error.filename or "standard output"
        return failed(f"{where} cannot be written: {error.strerror or error}", 4)
    return failed(
        f"a fault in btfperm ({type(error).__name__}: {error}); please report it with the matrix "
        "and what BTFPERM_DEBUG=1 adds",
        FAULT,
    )


def _failed(text: str, code: int, as_json: bool, to_stderr: bool) -> int:
    sentence = " ".join(text.split())
    try:
        if as_json:
            emit(json.dumps({"error": sentence, "exit_code": code}), err=to_stderr)
        flush()
    except OSError:  # stdout is what failed
        drop(sys.stdout)
        as_json = False
    if not as_json:
        emit(f"btfperm: {sentence}", err=True)
    return code


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
    "input, 4 a backend or a resource is missing, 70 a fault in btfperm, 130 interrupted.",
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

    MATRIX is a file (Matrix Market, Harwell-Boeing, Rutherford-Boeing, MATLAB, SciPy; packed or
    not), or - for standard input. A file named like a command is reached as ./rank.
    """


for command in (order, rank, check, convert, algorithms, doctor):
    main.add_command(command)
