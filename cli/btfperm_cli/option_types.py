# SPDX-License-Identifier: BSD-3-Clause
"""The types of the values of arguments and options: file names, names of rows, numbers."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from btfperm.printable import known_names

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = [
    "MATRIX",
    "Device",
    "FileName",
    "RegistryName",
    "RowName",
    "Seconds",
    "ThreadCount",
    "WholeNumber",
    "completions",
    "convention_names",
    "known_options",
    "matrix_format_names",
    "named_values",
    "result_format_names",
]


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
    """The values of ``--convention``."""
    from btfperm.conventions.rows import conventions

    return list(conventions)


def result_format_names() -> list[str]:
    """The values of ``--format`` for a permutation file."""
    from btfperm.io.formats import result_formats

    return list(result_formats)


def matrix_format_names() -> list[str]:
    """The values of ``--format`` for a matrix file."""
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
    """The text ``NAME=`` of every option, for shell completion."""
    from btfperm.registry import algorithms

    known = dict.fromkeys(f"{option.name}=" for row in algorithms() for option in row.options)
    return completions(known, incomplete)


def completions(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
