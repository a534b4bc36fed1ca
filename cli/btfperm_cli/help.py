# SPDX-License-Identifier: BSD-3-Clause
"""Help pages: options in groups, headings in colour on a terminal, examples at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import click

__all__ = ["GroupedCommand", "PageContext", "groups_of", "with_formats", "write_groups"]

# The titles in the order of the page, each with the names of its parameters. Other options are
# below "Options", but --help is below "Information".
_GROUPS = {
    "Options": (),
    "Files": ("outputs", "target", "file_format", "convention", "no_clobber", "drop_zeros"),
    "Order for a solver": ("solver", "weights", "block_ordering"),
    "Search": (
        *("algorithm", "initializer", "options", "threads", "backend", "device"),
        *("seed", "deterministic", "time_limit", "max_work"),
    ),
    "Messages": ("verbose", "explain", "as_json", "quiet"),
    "Information": ("version", "show_completion", "show_manual"),
}


class HelpFormatter(click.HelpFormatter):
    """Headings in bold, names of options and commands in cyan; on a terminal only."""

    def write_heading(self, heading: str) -> None:
        super().write_heading(click.style(heading, bold=True))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        styled = [(click.style(name, fg="cyan"), text) for name, text in rows]
        super().write_dl(styled, col_max, col_spacing)


class PageContext(click.Context):
    formatter_class = HelpFormatter


class GroupedCommand(click.Command):
    """A command whose help page has its options in groups, and examples.

    `examples` are command lines with a comment: ``"btfperm rank A.mtx  # the structural rank"``.
    """

    context_class = PageContext

    def __init__(self, *args: object, examples: Sequence[str] = (), **extra: object) -> None:
        extra.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        super().__init__(*args, **extra)  # type: ignore[arg-type]
        self.examples = tuple(examples)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_groups(ctx, formatter, self.get_params(ctx))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.write_examples(self, formatter)
        super().format_epilog(ctx, formatter)

    @staticmethod
    def write_examples(command: click.Command, formatter: click.HelpFormatter) -> None:
        """Writes the section with the examples of a command. Each comment is on the line of its
        command if all lines fit the page, otherwise on the line above."""
        examples: tuple[str, ...] = getattr(command, "examples", ())
        if not examples:
            return
        parts = [example.partition("  # ")[::2] for example in examples]
        width = max(len(words) for words, _ in parts)
        with formatter.section("Examples"):
            indent = " " * formatter.current_indent
            longest = max(len(comment) for _, comment in parts)
            fits = len(indent) + width + len("  # ") + longest <= formatter.width
            for words, comment in parts:
                note = click.style("# " + comment, dim=True)
                if not comment:
                    lines = [words]
                else:
                    lines = [f"{words:<{width}}  {note}"] if fits else [note, words]
                formatter.write("".join(f"{indent}{line}\n" for line in lines))


def with_formats(text: str) -> str:
    """`text` with the titles of all matrix formats in the place of FORMATS."""
    from btfperm.io.formats import matrix_formats

    return text.replace("FORMATS", ", ".join(row.title for row in matrix_formats.values()))


def groups_of(params: Iterable[click.Parameter]) -> Iterator[tuple[str, list[click.Parameter]]]:
    """The options by the titles of their groups; a group without options is left out."""
    title_of = {name: title for title, names in _GROUPS.items() for name in names}
    sorted_by_title: dict[str, list[click.Parameter]] = {title: [] for title in _GROUPS}
    for param in params:
        if isinstance(param, click.Option):
            title = "Information" if "--help" in param.opts else title_of.get(param.name or "")
            sorted_by_title[title or "Options"].append(param)
    return ((title, found) for title, found in sorted_by_title.items() if found)


def write_groups(
    ctx: click.Context, formatter: click.HelpFormatter, params: Iterable[click.Parameter]
) -> None:
    """Writes one section for each group of options."""
    for title, found in groups_of(params):
        records = [record for param in found if (record := param.get_help_record(ctx))]
        if records:
            with formatter.section(title):
                formatter.write_dl(records)
