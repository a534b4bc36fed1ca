# SPDX-License-Identifier: BSD-3-Clause
"""`Groups`: the independent over- or underdetermined groups of a matrix, each a `Group`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np

from btfperm.arguments import whole_number
from btfperm.pattern.arrays import IndexArray
from btfperm.results.counted import counted
from btfperm.results.equality import fields_equal, tuple_by_value
from btfperm.results.html import html_table
from btfperm.results.read_only import ReadOnlyArrays, freeze

__all__ = ["Explanation", "Group", "Groups", "Lists", "listed_groups"]


class Lists(NamedTuple):
    """Lists in one array: list k is ``members[starts[k]:starts[k + 1]]``."""

    members: IndexArray
    starts: IndexArray

    def list(self, k: int) -> IndexArray:
        return self.members[self.starts[k] : self.starts[k + 1]]

    @property
    def sizes(self) -> IndexArray:
        return np.diff(self.starts)


@tuple_by_value
class Explanation(NamedTuple):
    """A minimal set that violates Hall's condition; both arrays ascend.

    In an overdetermined group, the rows in `rows` have entries only in the columns in `cols`, and
    there is one column fewer than rows. In an underdetermined group, rows and columns are
    exchanged. The set is minimal: if any one of its rows (columns) is left out, the others can be
    matched.
    """

    rows: IndexArray
    cols: IndexArray


@dataclass(frozen=True, eq=False, repr=False)
class Group(ReadOnlyArrays):
    """One independent group of rows and columns, with too many rows or too many columns.

    Attributes
    ----------
    kind : "overdetermined" (too many rows) or "underdetermined" (too many columns)
    rows, cols : original numbers, ascending. The rows of an overdetermined group have entries only
        in its columns, the columns of an underdetermined group only in its rows
    explanation : a minimal part of the group that is deficient by itself, see `Explanation`. It
        depends on the entries alone. If the excess is 1, it is the whole group
    excess : number of rows minus number of columns, or the reverse: the number of rows (columns)
        that must be removed
    """

    kind: str
    rows: IndexArray
    cols: IndexArray
    explanation: Explanation

    def __post_init__(self) -> None:
        freeze(self.rows, self.cols, *self.explanation)

    @property
    def excess(self) -> int:
        return abs(int(self.rows.size) - int(self.cols.size))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Group):
            return NotImplemented
        return fields_equal(self, other, ("kind", "rows", "cols", "explanation"))

    def __hash__(self) -> int:
        return hash((self.kind, self.rows.size, self.cols.size))

    def __repr__(self) -> str:
        r, c = self.rows.size, self.cols.size
        return f"<Group {self.kind}: {counted(r, 'row')}, {counted(c, 'column')}>"

    def _repr_html_(self) -> str:
        facts = {"rows": int(self.rows.size), "columns": int(self.cols.size)}
        few = {"rows": int(self.explanation.rows.size), "columns": int(self.explanation.cols.size)}
        minimal = f"{counted(few['rows'], 'row')}, {counted(few['columns'], 'column')}"
        return html_table(
            f"{self.kind} group", {**facts, "excess": self.excess, "explanation": minimal}
        )


@dataclass(frozen=True, eq=False, repr=False)
class Groups(ReadOnlyArrays, Sequence[Group]):
    """The independent groups of one kind, smallest first; ties by their order in the decomposition.

    This is a sequence of `Group` objects. Each is made when it is accessed, because a matrix may
    have a million groups.

    Attributes
    ----------
    kind : "overdetermined" or "underdetermined"
    n_rows, n_cols, excess : arrays with a number for each group, in the order of the sequence
    total_excess : the sum of `excess`: the number of rows (columns) that cannot be matched
    rows, cols, explained_rows, explained_cols : `Lists` of all groups and of their explanations, in
        the order of the decomposition
    order : the group of the decomposition at each place of the sequence
    """

    kind: str
    rows: Lists
    cols: Lists
    explained_rows: Lists
    explained_cols: Lists
    order: IndexArray

    def __post_init__(self) -> None:
        for lists in (self.rows, self.cols, self.explained_rows, self.explained_cols):
            freeze(*lists)
        freeze(self.order)

    @cached_property
    def n_rows(self) -> IndexArray:
        return self.rows.sizes[self.order]

    @cached_property
    def n_cols(self) -> IndexArray:
        return self.cols.sizes[self.order]

    @cached_property
    def excess(self) -> IndexArray:
        surplus: IndexArray = np.abs(self.n_rows - self.n_cols)
        return surplus

    @property
    def total_excess(self) -> int:
        return int(self.excess.sum())

    def __len__(self) -> int:
        return int(self.order.size)

    @overload
    def __getitem__(self, k: int) -> Group: ...
    @overload
    def __getitem__(self, k: slice) -> list[Group]: ...
    def __getitem__(self, k: int | slice) -> Group | list[Group]:
        if isinstance(k, slice):
            return [self[at] for at in range(*k.indices(len(self)))]
        count = len(self)
        if not -count <= k < count:
            raise IndexError(f"there are {counted(count, f'{self.kind} group')}")
        at = int(self.order[whole_number("the number of a group", k, -count, count - 1)])
        why = Explanation(self.explained_rows.list(at), self.explained_cols.list(at))
        return Group(self.kind, self.rows.list(at), self.cols.list(at), why)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Groups):
            return NotImplemented
        names = ("kind", "order", "rows", "cols", "explained_rows", "explained_cols")
        return all(_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        return hash((self.kind, len(self), self.rows.members.size, self.cols.members.size))

    def __repr__(self) -> str:
        count = counted(len(self), f"{self.kind} group")
        return f"<Groups: {count}, excess {self.total_excess:,}>"

    def _repr_html_(self) -> str:
        return html_table(f"{self.kind} groups", self.facts())

    def facts(self) -> dict[str, Any]:
        return {"groups": len(self), "excess": self.total_excess}


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, Lists):
        return all(map(np.array_equal, one, other))
    return bool(np.array_equal(one, other))


def listed_groups(
    kind: str, rows: Lists, cols: Lists, in_row: Any, in_col: Any, width: Any
) -> Groups:
    """The groups with these members; `in_row` and `in_col` mark the members of explanations."""
    sizes = rows.sizes + cols.sizes
    order = np.argsort(sizes, kind="stable").astype(width)
    return Groups(kind, rows, cols, _marked(rows, in_row), _marked(cols, in_col), order)


def _marked(lists: Lists, marks: Any) -> Lists:
    """The same lists with only the marked members."""
    if marks.all():
        return lists
    places = np.zeros(marks.size + 1, dtype=lists.starts.dtype)
    np.cumsum(marks, out=places[1:])
    return Lists(lists.members[marks], places[lists.starts])
