# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands share, and the names they may take."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from btfperm_cli.output import Output

__all__ = [
    "MATRIX",
    "RegistryName",
    "drop_zeros_option",
    "is_same_file",
    "matrix_argument",
    "output_options",
    "search_options",
]

Command = TypeVar("Command", bound=Callable[..., Any])

MATRIX = click.Path(allow_dash=True)
HELP_WIDTH = 44  # second column of the help on a terminal of 80


def is_same_file(source: str, target: str) -> bool:
    """Whether writing `target` would destroy the input."""
    try:
        return Path(source).samefile(target)
    except (OSError, ValueError):
        return False


class RegistryName(click.types.StringParamType):
    """The name of a registered algorithm; the library decides which combinations work."""

    name = "name"

    def __init__(self, *, initial: bool) -> None:
        self.initial = initial

    def names(self) -> list[str]:
        """Every name there is, `auto` first."""
        from btfperm.registry import algorithms

        listed = [row.name for row in algorithms() if row.is_initializer == self.initial]
        return ["auto", *(["none"] if self.initial else []), *listed]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        names = self.names()
        if value not in names:
            self.fail(f"there is no {value!r}; choose from {', '.join(names)}.", param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class RegistryOption(click.Option):
    """An option whose help lists the registry, read when the help is asked for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, RegistryName):
            return record
        # "\b" keeps click from wrapping, which would break names at their hyphens.
        names = f"One of: {', '.join(self.type.names())}."
        lines = textwrap.wrap(f"{record[1]} {names}", HELP_WIDTH, break_on_hyphens=False)
        return record[0], "\n".join(["\b", *lines])


def matrix_argument(command: Command) -> Command:
    """The matrix file, `-` for standard input."""
    return click.argument("matrix", type=MATRIX)(command)


def drop_zeros_option(command: Command) -> Command:
    return click.option(
        "--drop-zeros", is_flag=True, help="Entries stored with the value zero are not entries."
    )(command)


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How the command talks: its first argument becomes the `Output`."""

    @functools.wraps(command)
    def talking(*args: Any, as_json: bool, quiet: bool, **options: Any) -> Any:
        with Output(as_json=as_json, quiet=quiet) as out:
            return command(out, *args, **options)

    for option in (
        click.option("-q", "--quiet", is_flag=True, help="Only results and errors."),
        click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout."),
    ):
        talking = option(talking)
    return talking


def search_options(command: Command) -> Command:
    """How the transversal is searched."""
    for option in reversed(
        (
            click.option(
                "--algorithm",
                cls=RegistryOption,
                type=RegistryName(initial=False),
                default="auto",
                help="Algorithm for the maximum transversal.",
            ),
            click.option(
                "--initializer",
                cls=RegistryOption,
                type=RegistryName(initial=True),
                default="auto",
                help="What it starts from.",
            ),
            click.option(
                "--backend",
                type=click.Choice(["auto", "cpu", "gpu", "mpi"]),
                default="auto",
                help="Where it runs; `btfperm doctor` says what works here.",
            ),
            click.option(
                "--threads",
                type=click.IntRange(min=1),
                metavar="N",
                help="CPU threads.  [default: as OMP_NUM_THREADS says, else all cores]",
            ),
            click.option(
                "--seed",
                type=click.IntRange(min=0),
                metavar="N",
                help="Seed of the randomised initializers.",
            ),
            click.option(
                "--time-limit",
                type=click.FloatRange(min=0, min_open=True),
                metavar="SECONDS",
                help="Stop the search after this time; the answer is then a pair of bounds.",
            ),
            click.option(
                "--max-work",
                type=click.IntRange(min=1),
                metavar="N",
                help="Stop the search after reading this many entries.",
            ),
            click.option("--explain", is_flag=True, help="Say why `auto` chose what it chose."),
        )
    ):
        command = option(command)
    return command
