# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm algorithms``: what can be named, from the registry."""

from __future__ import annotations

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
    """List the algorithms: name, kind, backend, reference, and when to prefer each."""
    from btfperm.registry import algorithms as registered

    rows = registered()
    width = max(len(row.name) for row in rows) + GUTTER
    for family in dict.fromkeys((row.room, row.family) for row in rows):
        out.say(": ".join(family).replace("_", " "))
        for row in rows:
            if (row.room, row.family) == family:
                out.say("\n".join(described(row, width)))
        out.say()
    out.answer({"algorithms": [asdict(row) for row in rows]})


def described(row: Algorithm, width: int) -> list[str]:
    """The name with its summary, and what else the registry knows below."""
    known = (("prefer it", row.prefer), ("paper", row.reference), ("backend", row.backend))
    margin = " " * (width + GUTTER)
    return [f"  {row.name:<{width}}{row.summary}"] + [
        f"{margin}{label}: {text}" for label, text in known if text
    ]
