# SPDX-License-Identifier: BSD-3-Clause
"""The command group: the command of a line, and the handling of errors.

``btfperm MATRIX`` needs no subcommand: if the first word that is not an option is no command, the
line is one for `order`. If this word has no dot and no slash and no file has this name, the line is
wrong usage, because the word may be a misspelt command. A file that is named like a command is
reached as ``./rank``.

Exit codes: 0 done; 1 a check failed, a system to be solved is singular, or a limit ended the search
before the answer was proven; 2 wrong usage; 3 unreadable input; 4 a backend or a resource is
missing, or --no-clobber found the output file; 70 a fault in btfperm; 129, 130, 143 ended by
SIGHUP, Ctrl-C, SIGTERM.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from btfperm_cli.failure import Failure, guarded
from btfperm_cli.help import GroupedCommand, PageContext, with_formats, write_groups
from btfperm_cli.output import Output, drop, emit, emit_text, flush, open_closed
from btfperm_cli.standard_output import stdout_is_taken

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["all_commands", "main"]

# In the order of the manual page. The command `rank` is the object `rank` of the module `rank`.
COMMANDS = (
    *("order", "rank", "diagnose", "check", "convert", "solve", "match", "plot", "report"),
    *("algorithms", "doctor"),
)


def command_of(name: str) -> click.Command:
    """Imports the module of a command, so that a line imports only the command that it runs."""
    command: click.Command = getattr(import_module(f"btfperm_cli.{name}"), name)
    return command


def all_commands() -> list[click.Command]:
    return [command_of(name) for name in COMMANDS]


class MainGroup(click.Group):
    """A group that runs `order` if a line names no command."""

    context_class = PageContext
    asked = "order"  # the command of the line, as far as the line has been parsed

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_of(cmd_name) if cmd_name in COMMANDS else None

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
        failure = Failure(
            lambda: self.asked, as_json="--json" in words, to_stderr=stdout_is_taken(words)
        )
        code = guarded(
            lambda: super(MainGroup, self).main(
                words, "btfperm", complete_var, standalone_mode=False, **extra
            ),
            failure,
        )
        if standalone_mode:
            if failure.printed is not None:
                from btfperm_cli.other_ranks import raise_on_other_ranks

                raise_on_other_ranks(*failure.printed, self.asked, words)
            leave_if_ranks_failed(code)
            sys.exit(code)
        return code

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """In this method, Click prints help and version. Click itself would fail if the reader
        closes the pipe."""
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
            self.asked = args[0] if args[0] in COMMANDS else self.asked
        return super().parse_args(ctx, args)

    def _with_command(self, args: list[str]) -> list[str]:
        """The line with its command in front, because options may precede the word that names the
        command. If no word names a command, the command is `order`; if ``--help`` is among the
        words, the line becomes ``--help`` alone.
        """
        if args[0] in COMMANDS:
            return args
        options = [o for o in command_of("order").params if isinstance(o, click.Option)]
        takes_value = {name for option in options if not option.is_flag for name in option.opts}
        at = 0
        while at < len(args) and args[at].startswith("-") and args[at] not in ("-", "--"):
            at += 2 if args[at] in takes_value else 1
        word = args[at] if at < len(args) else ""
        if word in COMMANDS:
            return [word, *args[:at], *args[at + 1 :]]
        bare = word and word not in ("-", "--") and not set(word) & {".", "/", os.sep}
        # The word may be the value of a misspelt option, which `order` names.
        known = {name for o in options for name in (*o.opts, *o.secondary_opts)} | {"--help"}
        misspelt = any(a.startswith("--") and a.split("=")[0] not in known for a in args[:at])
        if bare and not misspelt and not exists(word):
            from difflib import get_close_matches

            near = get_close_matches(word, COMMANDS)
            hint = f"; did you mean {' or '.join(near)}?" if near else "."
            raise click.UsageError(f"{word!r} is neither a command nor a file{hint}")
        if {"-h", "--help"} & set(args):
            return ["--help"]
        return ["order", *args]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("btfperm", "MATRIX [-o OUT]... [OPTIONS]")
        formatter.write_usage("btfperm", "COMMAND [ARGS]...", prefix="       ")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        GroupedCommand.write_examples(command_of("order"), formatter)
        super().format_epilog(ctx, formatter)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        general = self.help or ""
        try:
            self.help = with_formats(general)
            super().format_help_text(ctx, formatter)
        finally:
            self.help = general

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        order = command_of("order")
        with click.Context(order, info_name="btfperm", parent=None) as own:
            options = [p for p in order.get_params(own) if "--help" not in p.opts]
            write_groups(own, formatter, [*options, *self.get_params(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Files and the options of `order`, which needs no name, then the commands."""
        from click.shell_completion import CompletionItem

        order = command_of("order")
        files = [] if incomplete.startswith("-") else [CompletionItem(incomplete, type="file")]
        own = order.shell_complete(click.Context(order), incomplete)
        return files + own + super().shell_complete(ctx, incomplete)


def exists(path: str) -> bool:
    """Whether a file of that name exists. True also for a name that the system refuses: the reader
    of the file reports that."""
    try:
        return Path(path).exists()
    except OSError:
        return True


def silence_other_ranks() -> None:
    """If an MPI launcher has started several processes, only the first one prints."""
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


def print_manual(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from btfperm_cli.manpage import show_manual

        show_manual(main, all_commands(), ctx)


def print_completion(ctx: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell is not None and not ctx.resilient_parsing:
        from btfperm_cli.completion import show_completion

        show_completion(ctx, shell)


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
    "input, 4 a backend or a resource is missing, or --no-clobber found the output file, 70 a "
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
    "--show-manual",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_manual,
    help="Print the manual page, for instance to ~/.local/share/man/man1/btfperm.1.",
)
@click.option(
    "--show-completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    is_eager=True,
    expose_value=False,
    callback=print_completion,
    help="Print the completion script of a shell, for instance for "
    'eval "$(btfperm --show-completion bash)" in ~/.bashrc.',
)
def main() -> None:
    """Find the structure of a sparse MATRIX: its structural rank, its Dulmage-Mendelsohn
    decomposition and block triangular form, each proven.

    MATRIX is a file (FORMATS; packed or not), or - for standard input. A file named like a command
    is reached as ./rank. Rows and columns in messages count from 0, those in OUT as its convention
    says.
    """
