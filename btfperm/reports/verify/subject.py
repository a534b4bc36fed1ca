# SPDX-License-Identifier: BSD-3-Clause
"""The input of the verifier, and the names in its messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.reports.verify.reach import Flags, Index, by_rows

__all__ = ["KEYS", "Subject", "Violation", "named", "wrong"]

SHOWN = 10  # rows, columns or entries named in one violation; the rest are counted

KEYS = (
    "row_perm",
    "col_perm",
    "row_blocks",
    "col_blocks",
    "coarse_rows",
    "coarse_cols",
    "row_match",
    "col_match",
    "structural_rank",
)


@dataclass(frozen=True)
class Violation:
    """One way in which a file is wrong.

    Attributes
    ----------
    check : name of the check in `CHECKS`
    text : one sentence; rows and columns count from 0, as in the file
    count : how many rows, columns or entries are concerned; 1 if none are listed
    rows, cols : the first `SHOWN` of them; entry (rows[k], cols[k]) where both are given
    """

    check: str
    text: str
    count: int = 1
    rows: tuple[int, ...] = ()
    cols: tuple[int, ...] = ()


@dataclass
class Subject:
    """The matrix and the arrays that claim to describe it; `good` holds those that are usable.
    `values` are those of the entries, in their order, or None if they are not known. `gap` is the
    distance from the optimum that the file admits."""

    m: int
    n: int
    indptr: Index
    indices: Index
    arrays: Mapping[str, Any]
    kind: str
    canonical: bool
    names: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    values: npt.NDArray[Any] | None = None
    gap: float = 0.0
    good: dict[str, Index] = field(default_factory=dict)
    found: tuple[Flags, Flags, Flags, Flags] | None = None

    def __getitem__(self, key: str) -> Index:
        return self.good[key]

    def called(self, key: str) -> str:
        """The file's own name of an array."""
        return self.names.get(key, key)

    @property
    def expected(self) -> tuple[str, ...]:
        """The required keys: all, except that a solver's file may hold permutations only, and a
        matching needs neither permutations nor blocks."""
        if self.kind == "matching":
            return KEYS[6:]
        if self.kind != "solver":
            return KEYS
        return tuple(key for key in KEYS if key in self.arrays or key in KEYS[:2])

    def match_diagonal(self) -> None:
        """Takes the entries on the diagonal as the matching."""
        P, Q = self["row_perm"], self["col_perm"]
        column_beside = np.empty(self.m, dtype=np.int64)
        column_beside[P] = Q
        rows = np.unique(self.indices[column_beside[self.indices] == self.entry_col])
        row_match, col_match = np.full(self.m, -1), np.full(self.n, -1)
        row_match[rows], col_match[column_beside[rows]] = column_beside[rows], rows
        self.good |= {"row_match": row_match, "col_match": col_match}
        self.good["structural_rank"] = np.asarray(rows.size)

    @cached_property
    def entry_col(self) -> Index:
        return np.repeat(np.arange(self.n), np.diff(self.indptr))

    @cached_property
    def row_lists(self) -> tuple[Index, Index]:
        return by_rows(self.indices, self.entry_col, self.m)

    @cached_property
    def row_block(self) -> Index:
        return block_of(self["row_perm"], self["row_blocks"])

    @cached_property
    def col_block(self) -> Index:
        return block_of(self["col_perm"], self["col_blocks"])

    @cached_property
    def square_blocks(self) -> tuple[int, int]:
        """Numbers of the first square block and of the first vertical one, or -1 where the coarse
        boundary is not a boundary of the fine blocks."""
        rows, cols = self["coarse_rows"], self["coarse_cols"]
        first, last = (
            np.flatnonzero((self["row_blocks"] == row) & (self["col_blocks"] == col))
            for row, col in ((rows[1], cols[2]), (rows[2], cols[3]))
        )
        return int(first[0]) if first.size else -1, int(last[0]) if last.size else -1

    @cached_property
    def mates(self) -> tuple[Index, Index]:
        """`row_match` and `col_match`, completed by pairs of unmatched rows and columns: both
        ascending in a block triangular form, those of the diagonal for a solver."""
        row_match, col_match = self["row_match"].copy(), self["col_match"].copy()
        if self.kind == "solver":
            row_match[self["row_perm"]] = self["col_perm"]
            col_match[self["col_perm"]] = self["row_perm"]
        if self.kind == "block_triangular_form":
            rows, cols = np.flatnonzero(row_match < 0), np.flatnonzero(col_match < 0)
            row_match[rows], col_match[cols] = cols, rows
        return row_match, col_match


def block_of(perm: Index, boundaries: Index) -> Index:
    """Block of each original row or column."""
    block = np.empty(perm.size, dtype=np.int64)
    block[perm] = np.repeat(np.arange(boundaries.size - 1), np.diff(boundaries))
    return block


def named(noun: str, where: npt.ArrayLike) -> str:
    """`row 3`, or `rows 3, 5, 9 and 12 more`."""
    numbers = np.atleast_1d(np.asarray(where)).tolist()
    listed = ", ".join(map(str, numbers[:SHOWN]))
    more = f" and {len(numbers) - SHOWN:,} more" if len(numbers) > SHOWN else ""
    return f"{noun}{'s' if len(numbers) > 1 else ''} {listed}{more}"


def wrong(check: str, text: str, rows: npt.ArrayLike = (), cols: npt.ArrayLike = ()) -> Violation:
    """A violation at `rows`, `cols`; in `text`, ``{rows}``, ``{cols}`` and ``{entries}`` stand for
    them."""
    row, col = np.atleast_1d(np.asarray(rows)), np.atleast_1d(np.asarray(cols))
    pairs = ", ".join(
        f"({i}, {j})" for i, j in zip(row[:SHOWN].tolist(), col[:SHOWN].tolist(), strict=False)
    )
    more = f" and {row.size - SHOWN:,} more" if row.size > SHOWN else ""
    text = (
        text.replace("{rows}", named("row", row))
        .replace("{cols}", named("column", col))
        .replace("{entries}", pairs + more)
    )
    count = max(row.size, col.size, 1)
    return Violation(check, text, count, tuple(row[:SHOWN].tolist()), tuple(col[:SHOWN].tolist()))
