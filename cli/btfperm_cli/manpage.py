# SPDX-License-Identifier: BSD-3-Clause
"""The manual page, in the language of `man`, from the help of the commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import click

from btfperm_cli.help import groups_of, with_formats
from btfperm_cli.output import emit_text

__all__ = ["manual", "show_manual"]


def show_manual(
    group: click.Command, commands: Iterable[click.Command], ctx: click.Context
) -> None:
    """Prints the manual page of the group and ends the command."""
    from btfperm import __version__

    emit_text("\n".join(manual(group, commands, __version__)))
    ctx.exit()


def manual(group: click.Command, commands: Iterable[click.Command], version: str) -> Iterator[str]:
    """The lines of the page."""
    yield f'.TH BTFPERM 1 "" "btfperm {version}" "User Commands"'
    yield ".SH NAME"
    yield "btfperm \\- structural rank and block triangular form of sparse matrices"
    yield ".SH SYNOPSIS"
    yield ".B btfperm\nMATRIX [\\-o OUT]... [OPTIONS]\n.br"
    yield ".B btfperm\nCOMMAND [ARGS]..."
    yield ".SH DESCRIPTION"
    yield from _text(with_formats(group.help or ""))
    for command in commands:
        title = "btfperm MATRIX" if command.hidden else f"btfperm {command.name}"
        yield f".SH {_escaped(title.upper())}"
        yield from _command(command, title)
    yield ".SH EXIT STATUS"
    yield from _text((group.epilog or "").removeprefix("Exit codes: "))


def _command(command: click.Command, title: str) -> Iterator[str]:
    with command.make_context(title, [], resilient_parsing=True) as ctx:
        pieces = command.collect_usage_pieces(ctx)
        yield f".B {_escaped(title)}\n{_escaped(' '.join(pieces))}\n.PP"
        yield from _text(command.help or "")
        for heading, params in groups_of(command.get_params(ctx)):
            records = [record for param in params if (record := param.get_help_record(ctx))]
            if records:
                yield f".SS {heading}"
            for names, text in records:
                yield f".TP\n.B {_escaped(names)}"
                yield from _text(text)
    examples = getattr(command, "examples", ())
    if examples:
        yield ".SS Examples\n.nf"
        yield from (_escaped(example) for example in examples)
        yield ".fi"


def _text(text: str) -> Iterator[str]:
    """Paragraphs, without click's marker for lines that it must not wrap."""
    paragraphs = re.split(r"\n\s*\n", text.replace("\b", "").strip())
    for number, paragraph in enumerate(paragraphs):
        if number > 0:
            yield ".PP"
        yield _escaped(" ".join(paragraph.split()))


def _escaped(text: str) -> str:
    """`text` with escapes for what `man` would interpret: backslashes, hyphens, and a dot or an
    apostrophe at the start."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text
