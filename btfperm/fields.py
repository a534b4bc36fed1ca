# SPDX-License-Identifier: BSD-3-Clause
"""The fields of a decomposition that files hold, declared once.

Files, comparisons, copies to the host, results over ranks and the table in ``docs/files.md`` are
derived from these rows. Classes with these fields repeat the names for type checkers
(``tests/test_fields.py``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["FIELDS", "FORM", "SCALINGS", "Field", "lengths"]


class Field(NamedTuple):
    """One field.

    Attributes
    ----------
    name : the name in Python and in files
    length : ``"m"``, ``"n"``, ``"b+1"`` for b fine blocks, or a number; ``""`` for a single number
    summary : the content
    on_device : whether the field is on a device if the matrix is on it, and distributed over ranks
        if the matrix is
    of_matching : whether the field is also a part of the transversal
    """

    name: str
    length: str
    summary: str
    on_device: bool = True
    of_matching: bool = False


FIELDS = (
    Field("shape", "2", "m and n", on_device=False),
    Field("structural_rank", "", "the number of matched entries", on_device=False),
    Field("row_perm", "m", "the original row at each place of the permuted matrix"),
    Field("col_perm", "n", "the original column at each place of the permuted matrix"),
    Field("row_blocks", "b+1", "fine block k of b has the places `row_blocks[k]:row_blocks[k+1]`"),
    Field("col_blocks", "b+1", "fine block k of b has the places `col_blocks[k]:col_blocks[k+1]`"),
    Field("coarse_rows", "5", "four coarse boundaries and one count, see below", on_device=False),
    Field("coarse_cols", "5", "the same for columns", on_device=False),
    Field("row_match", "m", "the column matched to each row, or -1", of_matching=True),
    Field("col_match", "n", "the row matched to each column, or -1", of_matching=True),
)

FORM = tuple(field for field in FIELDS[2:] if not field.of_matching)
"""The permutations and boundaries: the fields of a decomposition that its transversal has not."""

SCALINGS = (
    Field("log_row_scale", "m", "the natural logarithm of the scaling of each row", False),
    Field("log_col_scale", "n", "the natural logarithm of the scaling of each column", False),
)
"""Real numbers that a decomposition has only if its weighted transversal has scalings (the
objective "product"). They belong to the original rows and columns: element i is that of row i of
the matrix, wherever a permutation moves this row."""


def lengths(shape: tuple[int, int], boundaries: int) -> dict[str, int]:
    """The number of elements of each field in `FIELDS`, for a matrix of this shape. `boundaries` is
    the number of fine blocks plus 1."""
    known: dict[str, Any] = {"m": shape[0], "n": shape[1], "b+1": boundaries, "": 1}
    return {field.name: int(known.get(field.length, field.length)) for field in FIELDS}
