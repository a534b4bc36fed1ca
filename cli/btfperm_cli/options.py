# SPDX-License-Identifier: BSD-3-Clause
"""Arguments and options that several commands share, and the types of their values."""

from __future__ import annotations

import functools
import math
import os
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from btfperm.printable import known_names
from btfperm_cli.output import Output

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = [
    "MATRIX",
    "FileName",
    "RegistryName",
    "RegistryOption",
    "RowName",
    "Seconds",
    "ThreadCount",
    "WholeNumber",
    "convention_names",
    "drop_zeros_option",
    "format_option",
    "known_options",
    "matrix_argument",
    "matrix_format_names",
    "named_values",
    "names_options",
    "no_clobber_option",
    "output_options",
    "result_format_names",
    "search_options",
    "target_option",
    "threads_option",
    "verbose_option",
]

Command = TypeVar("Command", bound=Callable[..., Any])


class FileName(click.Path):
    """A path that is not empty; `-` is standard input or output."""

    def __init__(self, **how: Any) -> None:
        super().__init__(allow_dash=True, **how)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        if not value:
            is_matrix = param is not None and param.name in ("matrix", "matrices", "source")
            self.fail(f"the name of the {'matrix' if is_matrix else 'file'} is empty.", param, ctx)
        return super().convert(value, param, ctx)


MATRIX = FileName()
LARGEST = 2**63 - 1  # a whole number that the core can hold
HELP_WIDTH = 44  # characters in the second column of the help, on a terminal of 80 columns


class RegistryName(click.types.StringParamType):
    """The name of a registered algorithm, `auto`, or one of the words `none` (initializers) and
    `published` (searches). The library decides which combinations work."""

    name = "name"

    def __init__(self, *, initial: bool = False, of_graphs: bool = False) -> None:
        self.initial = initial
        self.of_graphs = of_graphs

    def names(self) -> list[str]:
        """All names, `auto` first."""
        from btfperm.registry import algorithms

        rows = [row for row in algorithms() if row.of_graphs == self.of_graphs]
        listed = [row.name for row in rows if row.is_initializer == self.initial]
        special = ["none"] if self.initial else [] if self.of_graphs else ["published"]
        return ["auto", *special, *dict.fromkeys(listed)]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in (names := self.names()):
            advice = known_names(value, names, "btfperm algorithms")
            self.fail(f"there is no {value!r}; {advice}.", param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return completions(self.names(), incomplete)


class RowName(click.Choice):  # type: ignore[type-arg]  # click 8.1 has no parameter
    """The name of a row of a table, such as that of the formats. `names` reads the table when a
    command line is parsed or its help is printed."""

    def __init__(self, names: Callable[[], Sequence[str]]) -> None:
        self._names = names
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._names())


def convention_names() -> list[str]:
    """For ``--convention``."""
    from btfperm.conventions.rows import conventions

    return list(conventions)


def result_format_names() -> list[str]:
    """For ``--format`` of a permutation file."""
    from btfperm.io.formats import result_formats

    return list(result_formats)


def matrix_format_names() -> list[str]:
    """For ``--format`` of a matrix file."""
    from btfperm.io.formats import matrix_formats

    return [row.writes[0][1:] for row in matrix_formats.values() if row.writes]


class WholeNumber(click.types.IntParamType):
    """A whole number from `least` to `most`."""

    def __init__(self, least: int, most: int = LARGEST) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = int(super().convert(value, param, ctx))
        if not self.least <= number <= self.most:
            self.fail(f"{number} is not between {self.least} and {self.most}.", param, ctx)
        return number


class Device(WholeNumber):
    """The number of a GPU, or the word gpu."""

    def __init__(self) -> None:
        super().__init__(0, 2**31 - 1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value == "gpu" else super().convert(value, param, ctx)


class ThreadCount(WholeNumber):
    """A number of threads, from 1 to the largest number that the library accepts."""

    def __init__(self) -> None:
        super().__init__(1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from btfperm.backends.threads import MOST_THREADS

        self.most = MOST_THREADS
        return super().convert(value, param, ctx)


class Seconds(click.types.FloatParamType):
    """A time limit in seconds: positive and finite."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        seconds = float(super().convert(value, param, ctx))
        if not (seconds > 0 and math.isfinite(seconds)):
            self.fail(f"{value} is no positive number of seconds.", param, ctx)
        return seconds


def named_values(
    ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]
) -> dict[str, float | str]:
    """Callback: the values of all ``NAME=VALUE`` by name; the last value of a name counts. The
    library decides which algorithm has such an option, and which words the option accepts."""
    from btfperm.registry import algorithms

    with_words = {option.name for row in algorithms() for option in row.options if option.forms}
    values: dict[str, float | str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            values[name] = number = float(value)
        except ValueError:
            values[name], number = value, math.nan
        if name in with_words and value and math.isnan(number):
            values[name] = value
        elif not (name and number >= 0 and math.isfinite(number)):
            raise click.BadParameter(
                f"{text!r} is no NAME=VALUE with a number from 0 on.", ctx, param
            )
    return values


def known_options(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For shell completion: ``NAME=`` of every option."""
    from btfperm.registry import algorithms

    known = dict.fromkeys(f"{option.name}=" for row in algorithms() for option in row.options)
    return completions(known, incomplete)


def completions(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


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
    """The matrix file, `-` for standard input."""
    return click.argument("matrix", type=MATRIX)(command)


def target_option(help_text: str, *, required: bool = False) -> Callable[[Command], Command]:
    """The one file that a command writes."""
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
    """The format of OUT; `default` is the format of standard output if the option is left out."""
    end = f"  [default: {default} for -]" if default else ""
    return click.option(
        "--format", "file_format", type=names, help=f"Format of OUT, whatever its name.{end}"
    )


def names_options(command: Command) -> Command:
    """Files with the names of rows and columns."""
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
        "--drop-zeros", is_flag=True, help="Entries stored with the value zero are not entries."
    )(command)


def no_clobber_option(command: Command) -> Command:
    return click.option(
        "--no-clobber", is_flag=True, help="Fail with exit code 4 where OUT exists already."
    )(command)


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options ``--quiet`` and ``--json``; the command's first argument is the `Output`."""

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
    """The options of the search for a transversal."""
    for option in reversed(
        (
            click.option(
                "--algorithm",
                cls=RegistryOption,
                type=RegistryName(initial=False),
                default="auto",
                help="Algorithm for the maximum transversal; published is the best of those of "
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
                help="The backend; `btfperm doctor` lists those that work here. mpi needs mpiexec.",
            ),
            click.option(
                "--device",
                type=Device(),
                metavar="N",
                help="Number of the GPU, as `btfperm doctor` lists them; it requests the backend "
                "gpu.  [default: the first]  With --backend mpi, all ranks search on this GPU, or, "
                "with the word gpu in place of N, each on one of its own.",
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
            click.option("--explain", is_flag=True, help="Say why `auto` chose what it chose."),
        )
    ):
        command = option(command)
    return command
