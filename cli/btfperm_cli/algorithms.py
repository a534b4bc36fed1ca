# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm algorithms [NAME]``: the algorithms in the registry."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from btfperm_cli.help import GroupedCommand
from btfperm_cli.options import output_options
from btfperm_cli.output import Output

if TYPE_CHECKING:
    from btfperm.registry import Algorithm

__all__ = ["algorithms"]

GUTTER = 2


@click.command(
    cls=GroupedCommand,
    short_help="List the algorithms.",
    examples=(
        "btfperm algorithms  # all of them",
        "btfperm algorithms pothen-fan  # one: paper, options, when to prefer it",
    ),
)
@click.argument("name", required=False, shell_complete=lambda *words: starting_with(words[-1]))
@output_options
def algorithms(out: Output, name: str | None) -> None:
    """List the algorithms: name, kind, backend, threads, options, paper, and when to prefer each.

    With NAME, only the algorithms of that name: there may be one for each backend, and one for
    matrices beside one for graphs. Options are given as --option NAME=VALUE.
    """
    from btfperm.registry import algorithms as registered

    rows = [row for row in registered() if name in (None, row.name)]
    if not rows:
        if name in ("auto", "published"):
            raise click.UsageError(
                f"{name} is no algorithm: it chooses one. --explain of btfperm and rank names the "
                "rules that were applied."
            )
        near = difflib.get_close_matches(str(name), known_names())
        hint = (
            f"; did you mean {' or '.join(near)}?" if near else "; `btfperm algorithms` lists all."
        )
        raise click.UsageError(f"there is no algorithm {name!r}{hint}")
    width = max(len(row.name) for row in rows) + GUTTER
    for family in dict.fromkeys((row.package, row.family) for row in rows):
        out.say(": ".join(family).replace("_", " "))
        for row in rows:
            if (row.package, row.family) == family:
                for line in described(row, width):
                    out.say(line)
        out.say()
    if name is not None:
        for example in dict.fromkeys(map(example_of, rows)):
            out.say(f"Use it: {example}")
    out.answer({"algorithms": [asdict(row) for row in rows]})


def known_names() -> list[str]:
    """The names of all algorithms, each once."""
    from btfperm.registry import algorithms as registered

    return list(dict.fromkeys(row.name for row in registered()))


def starting_with(incomplete: str) -> list[str]:
    """The names that begin with `incomplete`, for shell completion."""
    return [name for name in known_names() if name.startswith(incomplete)]


def example_of(row: Algorithm) -> str:
    """A command line that runs the algorithm."""
    option = "--initializer" if row.family == "initial" else "--algorithm"
    words = f"{option} {row.name}"
    if row.of_graphs:
        return f"btfperm match GRAPH {words}"
    if row.package == "weighted":
        return f"btfperm MATRIX -o perm.npz --weights product {words}"
    return f"btfperm rank MATRIX {words}"


def described(row: Algorithm, width: int) -> Iterator[str]:
    """The name with its summary; below, when to prefer it, paper, backend, threads and options."""
    yield f"  {row.name:<{width}}{row.summary}"
    margin = " " * (width + GUTTER)
    yield f"{margin}prefer it: {row.prefer}"
    yield f"{margin}paper: {row.reference}"
    yield f"{margin}backend: {row.backend}, {'several threads' if row.parallel else 'one thread'}"
    for option in row.options:
        default = option.default if isinstance(option.default, str) else f"{option.default:g}"
        yield f"{margin}option: {option.name}={default} ({option.summary})"
