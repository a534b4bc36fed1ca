# SPDX-License-Identifier: BSD-3-Clause
"""The directive ``command-reference``: a section for each command, from its click objects."""

from __future__ import annotations

from typing import Any, ClassVar

import click
from btfperm_cli.help import groups_of, with_formats
from btfperm_cli.main import all_commands
from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class CommandReference(SphinxDirective):
    """Sections with the usage, the description, the options by groups, and the examples."""

    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        return [_section(command) for command in all_commands()]


def _section(command: click.Command) -> nodes.section:
    name = "btfperm MATRIX" if command.hidden else f"btfperm {command.name}"
    section = nodes.section(ids=[nodes.make_id(name)], names=[name])
    section += nodes.title(text=name)
    prefix = name.removesuffix(" MATRIX")
    with click.Context(command, info_name=prefix) as ctx:
        usage = " ".join([prefix, *command.collect_usage_pieces(ctx)])
        section += nodes.literal_block(usage, usage, language="text")
        for paragraph in with_formats(command.help or "").split("\n\n"):
            section += nodes.paragraph(text=" ".join(paragraph.replace("\b", "").split()))
        for title, params in groups_of(command.get_params(ctx)):
            section += nodes.rubric(text=title)
            records = [record for param in params if (record := param.get_help_record(ctx))]
            section += _definitions(records)
    examples = getattr(command, "examples", ())
    if examples:
        section += nodes.rubric(text="Examples")
        text = "\n".join(examples)
        section += nodes.literal_block(text, text, language="sh")
    return section


def _definitions(records: list[tuple[str, str]]) -> nodes.definition_list:
    listed = nodes.definition_list()
    for names, text in records:
        term = nodes.term("", "", nodes.literal(text=names))
        plain = " ".join(text.replace("\b", "").split())
        meaning = nodes.definition("", nodes.paragraph(text=plain))
        listed += nodes.definition_list_item("", term, meaning)
    return listed


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("command-reference", CommandReference)
    return {"parallel_read_safe": True}
