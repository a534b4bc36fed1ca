# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm convert IN OUT``: a matrix in another format, permuted if asked."""

from __future__ import annotations

import click

from btfperm_cli.options import MATRIX, is_same_file, output_options
from btfperm_cli.output import Output
from btfperm_cli.progress import stage
from btfperm_cli.summary import count

__all__ = ["convert"]


@click.command(short_help="Write a matrix in another format, or permuted.")
@click.argument("source", metavar="IN", type=MATRIX)
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "--permute",
    metavar="PERM",
    type=click.Path(),
    help="Permute rows and columns as this permutation file says.",
)
@click.option(
    "--diagonal",
    is_flag=True,
    help="With --permute: put the transversal on the diagonals of the square blocks.",
)
@output_options
def convert(out: Output, source: str, target: str, permute: str | None, diagonal: bool) -> None:
    """Read the matrix IN and write it as OUT, in the format that OUT's name asks for.

    With --permute the written matrix is A[row_perm, :][:, col_perm], block upper triangular.
    """
    if diagonal and permute is None:
        raise click.UsageError("--diagonal goes with --permute.")
    if target != "-" and is_same_file(source, target):
        raise click.UsageError(f"{target} is the input; name another output.")
    out.to_stderr = target == "-"

    from btfperm.io import load, read_matrix, write_matrix

    with stage(f"reading {source}", quiet=out.quiet):
        matrix = read_matrix(source)
    if permute is not None:
        from btfperm.errors import CheckFailedError
        from btfperm.pattern import permute as permuted

        order = load(permute)
        if tuple(order.shape) != tuple(matrix.shape):
            raise CheckFailedError(
                f"{permute} is for a matrix of {order.shape[0]} x {order.shape[1]}, but {source} "
                f"is {matrix.shape[0]} x {matrix.shape[1]}"
            )
        rows = order.matched_row_perm if diagonal else order.row_perm
        matrix = permuted(matrix, rows, order.col_perm)
    with stage(f"writing {target}", quiet=out.quiet):
        write_matrix(target, matrix)
    m, n = matrix.shape
    entries = count(int(matrix.nnz), "entry", "entries")
    out.say(f"{target}: {m:,} x {n:,}, {entries}{', permuted' if permute else ''}")
    out.answer(
        {
            "in": source,
            "out": target,
            "rows": m,
            "cols": n,
            "entries": int(matrix.nnz),
            "permuted": permute is not None,
        }
    )
