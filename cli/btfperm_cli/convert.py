# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm convert IN OUT``: a matrix in another format, permuted if asked."""

from __future__ import annotations

import sys

import click

from btfperm_cli.help import GroupedCommand
from btfperm_cli.option_types import MATRIX, FileName, RowName, matrix_format_names
from btfperm_cli.options import drop_zeros_option, format_option, no_clobber_option, output_options
from btfperm_cli.output import Output, reader_may_leave
from btfperm_cli.output_files import check_output, is_replaced
from btfperm_cli.progress import stage
from btfperm_cli.summary import count

__all__ = ["convert"]


class _Convert(GroupedCommand):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name not in ("-o", "--output"):  # options of other commands
                raise
            text = f"{error.message.rstrip('.')}; OUT is the second argument."
            raise click.NoSuchOption(error.option_name, text, ctx=ctx) from None


@click.command(
    cls=_Convert,
    short_help="Write a matrix in another format, or permuted.",
    examples=(
        "btfperm convert A.rua A.mtx.gz  # another format",
        "btfperm convert A.mtx B.mtx --permute perm.npz  # in block triangular form",
    ),
)
@click.argument("source", metavar="IN", type=MATRIX)
@click.argument("target", metavar="OUT", type=FileName(dir_okay=False))
@format_option(RowName(matrix_format_names), "mtx")
@click.option(
    "--permute",
    metavar="PERM",
    type=FileName(),
    help="Permute rows and columns by this permutation file.",
)
@click.option(
    "--diagonal",
    is_flag=True,
    help="With --permute: put the transversal on the diagonals of the square blocks.",
)
@no_clobber_option
@drop_zeros_option
@output_options
def convert(
    out: Output,
    source: str,
    target: str,
    file_format: str | None,
    permute: str | None,
    diagonal: bool,
    no_clobber: bool,
    drop_zeros: bool,
) -> None:
    """Read the matrix IN and write it as OUT, in the format of --format or of OUT's name; - is
    standard input or output.

    With --permute the written matrix is A[row_perm, :][:, col_perm], block upper triangular.
    If PERM was made with --drop-zeros, stored zeros are left out here too.
    """
    if diagonal and permute is None:
        raise click.UsageError("--diagonal goes with --permute.")
    if source == permute == "-":
        raise click.UsageError("standard input is either the matrix or the permutation, not both.")
    check_output(target, (source, permute), no_clobber=no_clobber)
    out.to_stderr = target == "-"

    from btfperm.io import load, read_matrix, write_matrix

    with stage(f"reading {source}", quiet=out.quiet):
        matrix = read_matrix(source)
    order = None
    if permute is not None:
        from btfperm.errors import CheckFailedError

        order = load(permute)  # errors of `load` name PERM, because `out.subject` is set later
        if tuple(order.shape) != tuple(matrix.shape):
            raise CheckFailedError(
                f"{permute} is for a matrix of {order.shape[0]} x {order.shape[1]}, but {source} "
                f"is {matrix.shape[0]} x {matrix.shape[1]}"
            )
        recorded = order.meta.get("matrix")
        drop_zeros |= isinstance(recorded, dict) and bool(recorded.get("zeros_dropped"))
    out.subject = source
    if drop_zeros:
        matrix.eliminate_zeros()
    if order is not None:
        from btfperm.pattern import permute as permuted

        rows = order.matched_row_perm if diagonal else order.row_perm
        matrix = permuted(matrix, rows, order.col_perm)
    replaced = is_replaced(target, no_clobber=no_clobber)
    with stage(f"writing {target}", quiet=out.quiet):
        if target == "-":
            with reader_may_leave(sys.stdout):
                write_matrix(target, matrix, format=file_format)
        else:
            write_matrix(target, matrix, format=file_format, replace=not no_clobber)
    m, n = matrix.shape
    entries = count(int(matrix.nnz), "entry", "entries")
    done = f"{', permuted' if permute else ''}{' (replaced)' if replaced else ''}"
    out.say(f"{target}: {m:,} x {n:,}, {entries}{done}")
    out.answer(
        {
            "in": source,
            "out": target,
            "rows": m,
            "cols": n,
            "entries": int(matrix.nnz),
            "permuted": permute is not None,
            "replaced": replaced,
        }
    )
