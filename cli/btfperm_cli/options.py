# SPDX-License-Identifier: BSD-3-Clause
"""Arguments and options that several commands share."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

import click

from btfperm_cli.option_types import (
    MATRIX,
    Device,
    FileName,
    RegistryName,
    Seconds,
    ThreadCount,
    WholeNumber,
    known_options,
    named_values,
)
from btfperm_cli.output import Output

__all__ = [
    "RegistryOption",
    "bipartite_option",
    "drop_zeros_option",
    "format_option",
    "matrix_argument",
    "names_options",
    "no_clobber_option",
    "output_options",
    "search_options",
    "target_option",
    "threads_option",
    "verbose_option",
    "weights_option",
]

Command = TypeVar("Command", bound=Callable[..., Any])

HELP_WIDTH = 44  # characters in the second column of the help, on a terminal of 80 columns


class RegistryOption(click.Option):
    """An option whose help lists the names of the registry, which is read only for the help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, RegistryName):
            return record
        # "\b" keeps click from wrapping, which would break names at their hyphens.
        names = f"One of: {', '.join(self.type.names())}."
        lines = textwrap.wrap(f"{record[1]} {names}", HELP_WIDTH, break_on_hyphens=False)
        return record[0], "\n".join(["\b", *lines])


def matrix_argument(command: Command) -> Command:
    """Adds the argument for the matrix file, which is `-` for standard input."""
    return click.argument("matrix", type=MATRIX)(command)


def weights_option(default: str | None) -> Callable[[Command], Command]:
    """Adds the option for the weights of the edges of a graph."""
    return click.option(
        "--weights",
        "edge_weights",
        type=click.Choice(["values", "moduli", "ones"]),
        default=default,
        help="The weights of the edges: the values, which must be positive, their moduli, or ones.",
    )


def bipartite_option(command: Command) -> Command:
    """Adds the flag for the bipartite graph of a matrix."""
    return click.option(
        "--bipartite",
        is_flag=True,
        help="Match the rows of MATRIX, which may have any shape, to its columns: row i is the "
        "vertex i, and column j the vertex m + j, where m is the number of rows.",
    )(command)


def target_option(help_text: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Adds the option for the one file that a command writes."""
    return click.option(
        "-o",
        "--output",
        "target",
        type=FileName(dir_okay=False),
        metavar="OUT",
        required=required,
        help=help_text,
    )


def format_option(names: Any, default: str = "") -> Callable[[Command], Command]:
    """Adds the option for the format of OUT. `default` is the format of standard output if the
    option is left out."""
    end = f"  [default: {default} for -]" if default else ""
    return click.option(
        "--format", "file_format", type=names, help=f"Format of OUT, whatever its name.{end}"
    )


def names_options(command: Command) -> Command:
    """Adds the options for files with the names of rows and columns."""
    for noun, example in (("column", "variables"), ("row", "equations")):
        command = click.option(
            f"--{noun[:3]}-names",
            type=FileName(),
            metavar="FILE",
            help=f"The names of the {noun}s, one a line, for instance of {example}.",
        )(command)
    return command


def threads_option(help_text: str) -> Callable[[Command], Command]:
    return click.option("--threads", type=ThreadCount(), metavar="N", help=help_text)


def drop_zeros_option(command: Command) -> Command:
    return click.option(
        "--drop-zeros", is_flag=True, help="Leave out entries that are stored with the value zero."
    )(command)


def no_clobber_option(command: Command) -> Command:
    return click.option(
        "--no-clobber", is_flag=True, help="Fail with exit code 4 where OUT exists already."
    )(command)


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options ``--quiet`` and ``--json``, and passes an `Output` as the command's first
    argument."""

    @functools.wraps(command)
    def talking(*args: Any, as_json: bool, quiet: bool, **options: Any) -> Any:
        with Output(as_json=as_json, quiet=quiet) as out:
            return command(out, *args, **options)

    for option in (
        click.option("-q", "--quiet", is_flag=True, help="Only results and errors."),
        click.option(
            "--json",
            "as_json",
            is_flag=True,
            help="One JSON object on stdout, or on stderr where stdout holds OUT.",
        ),
    ):
        talking = option(talking)
    return talking


def verbose_option(command: Command) -> Command:
    """For a command that shows its search while it runs (`progress.watcher_of`)."""
    return click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="Print the steps of the search to stderr while they run, with the number of rows or "
        "columns that are still unmatched.",
    )(command)


def search_options(command: Command) -> Command:
    """Adds the options of the search for a transversal."""
    for option in reversed(
        (
            click.option(
                "--algorithm",
                cls=RegistryOption,
                type=RegistryName(initial=False),
                default="auto",
                help="Algorithm for the maximum transversal; published chooses among those of "
                "other authors; mc64 and heavy-perfect need --weights.",
            ),
            click.option(
                "--initializer",
                cls=RegistryOption,
                type=RegistryName(initial=True),
                default="auto",
                help="Algorithm for the matching that the search starts from.",
            ),
            click.option(
                "--backend",
                type=click.Choice(["auto", "cpu", "gpu", "mpi"]),
                default="auto",
                help="The backend; `btfperm doctor` lists those that work here. mpi needs mpiexec; "
                "no rank then holds the whole matrix.",
            ),
            click.option(
                "--device",
                type=Device(),
                metavar="N",
                help="Number of the GPU, as `btfperm doctor` lists them; it requests the backend "
                "gpu.  [default: the first]  With --backend mpi, all ranks search on this GPU, or, "
                "with the word gpu in place of N, each on one of its own. With gpu and without "
                "--backend, the first rank searches alone on its GPU if the matrix fits there.",
            ),
            click.option(
                "--option",
                "options",
                metavar="NAME=VALUE",
                multiple=True,
                callback=named_values,
                shell_complete=known_options,
                help="A number or word for the algorithm or the initializer, such as alpha=5; may "
                "be repeated. `btfperm algorithms` lists them.",
            ),
            threads_option(
                "Threads that parse the file, and that search where the algorithm uses more than "
                "one; see `btfperm algorithms`.  [default: all cores this process may use, and one "
                "to search a small matrix]"
            ),
            click.option(
                "--seed",
                type=WholeNumber(0),
                metavar="N",
                help="Seed of the algorithms that draw at random; the same seed gives the same "
                "draws.  [default: 0]",
            ),
            click.option(
                "--deterministic",
                is_flag=True,
                help="Give the same matching in each run and for each number of threads: search on "
                "one thread, or with ordered-trees on a GPU.",
            ),
            click.option(
                "--time-limit",
                type=Seconds(),
                metavar="SECONDS",
                help="Stop the search after this time; the answer is then a pair of bounds.",
            ),
            click.option(
                "--max-work",
                type=WholeNumber(1),
                metavar="N",
                help="Stop the search after visiting this number of entries.",
            ),
            click.option("--explain", is_flag=True, help="Explain the choices of `auto`."),
        )
    ):
        command = option(command)
    return command
