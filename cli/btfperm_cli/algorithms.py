# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm algorithms``: the algorithms in the registry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from btfperm_cli.options import output_options
from btfperm_cli.output import Output

if TYPE_CHECKING:
    from btfperm.registry import Algorithm

__all__ = ["algorithms"]

GUTTER = 2


@click.command(short_help="List the algorithms there are.")
@output_options
def algorithms(out: Output) -> None:
    """List the algorithms: name, kind, backend, threads, options, paper, and when to prefer each.

    Options are given as --option NAME=VALUE.
    """
    from btfperm.registry import algorithms as registered

    rows = registered()
    width = max(len(row.name) for row in rows) + GUTTER
    for family in dict.fromkeys((row.package, row.family) for row in rows):
        out.say(": ".join(family).replace("_", " "))
        for row in rows:
            if (row.package, row.family) == family:
                for line in described(row, width):
                    out.say(line)
        out.say()
    out.answer({"algorithms": [asdict(row) for row in rows]})


def described(row: Algorithm, width: int) -> Iterator[str]:
    """The name with its summary, and the other facts of the registry below."""
    yield f"  {row.name:<{width}}{row.summary}"
    margin = " " * (width + GUTTER)
    yield f"{margin}prefer it: {row.prefer}"
    yield f"{margin}paper: {row.reference}"
    yield f"{margin}backend: {row.backend}, {'several threads' if row.parallel else 'one thread'}"
    for option in row.options:
        default = option.default if isinstance(option.default, str) else f"{option.default:g}"
        yield f"{margin}option: {option.name}={default} ({option.summary})"
