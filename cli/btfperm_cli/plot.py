# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm plot MATRIX -o fig.svg``: pictures of the decomposition, in files or as text."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from btfperm_cli.help import GroupedCommand
from btfperm_cli.json_keys import JSON_KEYS
from btfperm_cli.option_types import WholeNumber
from btfperm_cli.options import (
    drop_zeros_option,
    format_option,
    matrix_argument,
    no_clobber_option,
    output_options,
    target_option,
    threads_option,
)
from btfperm_cli.output import Output, emit_text, is_terminal
from btfperm_cli.output_files import check_output, is_replaced, open_to_reader
from btfperm_cli.progress import Clock, Stages, stage

if TYPE_CHECKING:
    from btfperm.order import Ordered
    from btfperm.pattern import Pattern
    from btfperm.results import DulmageMendelsohn

__all__ = ["decomposed", "plot"]

TEXT_KINDS = ("spy", "before", "after")
LARGEST_BLOCK_NUMBER = 2**63 - 1


@click.command(
    cls=GroupedCommand,
    short_help="Draw the matrix and its blocks.",
    examples=(
        "btfperm plot A.mtx -o fig.svg  # the entries before and after",
        "btfperm plot A.mtx --kind sizes -o sizes.png  # the histogram of the block sizes",
        "btfperm plot A.mtx --terminal  # as text",
        "btfperm plot A.mtx --terminal --kind before  # the entries as stored, without a search",
    ),
)
@matrix_argument
@target_option(
    "Write the picture: fig.png, fig.svg or fig.pdf; - is stdout. This needs matplotlib."
)
@format_option(click.Choice(["png", "svg", "pdf"]), "png")
@click.option(
    "--kind",
    type=click.Choice(["spy", "before", "after", "sizes", "levels"]),
    help="The entries before and after, or one of the two; with -o also the histogram of the block "
    "sizes, or the block graph by levels. The picture before needs no search.  [default: spy]",
)
@click.option(
    "--block",
    type=WholeNumber(0, LARGEST_BLOCK_NUMBER),
    metavar="K",
    help="Zoom into this fine block; blocks count from 0.",
)
@click.option("--terminal", is_flag=True, help="Draw the entries on the terminal as text.")
@click.option(
    "--characters",
    "style",
    type=click.Choice(["braille", "blocks", "ascii"]),
    help="With --terminal: what to draw with.  [default: braille, or ascii where the terminal has "
    "no other characters]",
)
@threads_option(
    "Threads that parse the file, search and count.  [default: all cores this process may use]"
)
@no_clobber_option
@drop_zeros_option
@output_options
def plot(
    out: Output,
    matrix: str,
    target: str | None,
    file_format: str | None,
    kind: str | None,
    block: int | None,
    terminal: bool,
    style: str | None,
    threads: int | None,
    no_clobber: bool,
    drop_zeros: bool,
) -> int:
    """Draw MATRIX as stored and permuted, with the coarse parts and the larger fine blocks
    outlined; with --kind before or after, one of the two; with --kind sizes or levels, the blocks
    alone; with --terminal, the entries as text.

    In a picture of the entries, a cell is darker where it has more of them.
    """
    check_usage(target, file_format, kind, block, terminal, style, no_clobber)
    if target is not None:
        check_target(matrix, target, file_format, no_clobber=no_clobber)
    out.to_stderr = target == "-"
    kind = kind or "spy"
    result: DulmageMendelsohn | None = None
    if kind == "before":
        pattern, seconds = entries_of(out, matrix, threads=threads, drop_zeros=drop_zeros)
    else:
        done = decomposed(out, matrix, threads=threads, drop_zeros=drop_zeros)
        pattern, result, seconds = done.pattern, done.decomposition, done.seconds
    clock, replaced = Clock(), None
    if terminal:
        if not out.as_json:
            in_text = kind if kind in TEXT_KINDS else "spy"
            show(result, pattern, in_text, block, style, threads)
        clock.stop("draw")
    if target is not None:
        with stage("drawing", quiet=out.quiet):
            if result is None:
                picture = pattern.plot(threads=threads)
            else:
                picture = result.plot(kind, block=block, threads=threads)
        replaced = is_replaced(target, no_clobber=no_clobber)
        with open_to_reader(target):
            how = file_format or ("png" if target == "-" else None)
            picture.save(target, format=how, replace=not no_clobber)
        clock.stop("draw")
        out.say(f"{target}{' (replaced)' if replaced else ''}: {drawn_in(pattern, result)}")
    out.answer(
        dict.fromkeys(JSON_KEYS["plot"])
        | facts_of(pattern, result)
        | {
            "kind": kind,
            "block": block,
            "seconds": seconds | clock.seconds,
            "written": target,
            "replaced": replaced,
        }
    )
    return 0


def check_usage(
    target: str | None,
    file_format: str | None,
    kind: str | None,
    block: int | None,
    terminal: bool,
    style: str | None,
    no_clobber: bool,
) -> None:
    """Raises UsageError for an option without another one that it needs."""
    if block is not None and kind not in (None, "spy", "after"):
        raise click.UsageError(
            f"a block is shown by the pictures spy and after, not by --kind {kind}."
        )
    if target is None and not terminal:
        raise click.UsageError("name a picture with -o, or draw on the --terminal.")
    if style and not terminal:
        raise click.UsageError("--characters goes with --terminal.")
    needs_file = {"--format": file_format, "--no-clobber": no_clobber}
    if kind in ("sizes", "levels"):
        needs_file[f"--kind {kind}"] = True
    for name, given in needs_file.items():
        if given and target is None:
            raise click.UsageError(f"{name} goes with -o.")


def check_target(matrix: str, target: str, file_format: str | None, *, no_clobber: bool) -> None:
    """Before the work begins, refuse an output that could not be written after it."""
    if target != "-" and not file_format and not target.lower().endswith((".png", ".svg", ".pdf")):
        raise click.UsageError(f"{target}: end the name in .png, .svg or .pdf, or name a --format.")
    check_output(target, (matrix,), no_clobber=no_clobber)
    from btfperm.reports.pictures.picture import require_matplotlib

    require_matplotlib()


def decomposed(out: Output, matrix: str, **how: Any) -> Ordered:
    """The matrix and its decomposition, with progress on a terminal."""
    from btfperm.order import order_file

    def advance(name: str, *progress: Any) -> None:
        if name == "search":  # errors from here on do not concern the input file
            out.subject = matrix
        stages.advance(name, *progress)

    with Stages(quiet=out.quiet) as stages:
        return order_file(matrix, progress=advance, **how)


def entries_of(
    out: Output, matrix: str, *, threads: int | None, drop_zeros: bool
) -> tuple[Pattern, dict[str, float]]:
    """The matrix, and the seconds of reading it."""
    from btfperm.io import read

    clock = Clock()
    with stage(f"reading {matrix}", quiet=out.quiet) as progress:
        how: dict[str, Any] = {"threads": threads or 0, "progress": progress.advance}
        pattern = read(matrix, drop_zeros=drop_zeros, **how)
    out.subject = matrix
    clock.stop("read")
    return pattern, clock.seconds


def facts_of(pattern: Pattern, result: DulmageMendelsohn | None) -> dict[str, Any]:
    """The matrix and the size of its decomposition, if there is one, for the JSON object."""
    return {
        "matrix": dict(pattern.source),
        "entries": pattern.nnz,
        "rows": pattern.m,
        "cols": pattern.n,
        "structural_rank": None if result is None else result.structural_rank,
        "fine_blocks": None if result is None else result.n_blocks,
    }


def drawn_in(pattern: Pattern, result: DulmageMendelsohn | None) -> str:
    """What was drawn: `166 fine blocks`, or `1,910 entries` of a matrix that was not decomposed."""
    from btfperm.results.counted import counted

    if result is None:
        return counted(pattern.nnz, "entry", "entries")
    return counted(result.n_blocks, "fine block")


def show(
    result: DulmageMendelsohn | None,
    pattern: Pattern,
    kind: str,
    block: int | None,
    style: str | None,
    threads: int | None,
) -> None:
    """Draws on standard output, with colours if it is a terminal and NO_COLOR is not set."""
    import shutil

    from btfperm.reports.pictures.terminal import terminal_lines

    encoding = (sys.stdout.encoding or "").lower()
    style = style or ("braille" if encoding.replace("-", "") == "utf8" else "ascii")
    size = shutil.get_terminal_size()
    colour = is_terminal(sys.stdout) and not os.environ.get("NO_COLOR")
    lines = terminal_lines(
        None if result is None else result.on_host(),
        pattern.on_host(),
        kind=kind,
        columns=max(20, min(size.columns - 1, 160)),
        rows=max(10, size.lines - 1),
        style=style,
        colour=colour,
        block=block,
        threads=threads,
    )
    emit_text("\n".join(lines))
