# SPDX-License-Identifier: BSD-3-Clause
"""`Diagnosis`: why a matrix is structurally singular, and changes that would repair it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from btfperm import _core
from btfperm.arguments import whole_number
from btfperm.diagnosis.groups import Groups, Lists
from btfperm.diagnosis.names import Names, name_of
from btfperm.pattern.arrays import IndexArray
from btfperm.results import Cover, DulmageMendelsohn
from btfperm.results.counted import counted
from btfperm.results.equality import equal_values, fields_equal, tuple_by_value
from btfperm.results.html import html_table
from btfperm.results.read_only import ReadOnlyArrays, freeze, frozen

if TYPE_CHECKING:
    from btfperm.pattern import Pattern

__all__ = ["Diagnosis", "Positions", "Repair", "RowSets", "StoredZeros"]

_COMPARED = (
    *("shape", "n_entries", "structural_rank", "overdetermined", "underdetermined", "repair"),
    *("always", "n_never", "identical_rows", "stored_zeros"),
)


@tuple_by_value
class Positions(NamedTuple):
    """Positions in a matrix: their rows and their columns, in two arrays of the same length."""

    rows: IndexArray
    cols: IndexArray

    @property
    def size(self) -> int:
        return int(self.rows.size)


@tuple_by_value
class Repair(NamedTuple):
    """The smallest changes that repair the matrix: new entries that give full structural rank, or
    the removal of rows and columns after which all others can be matched.

    add_entries : min(m, n) - rank positions; if entries are added there, the rank is min(m, n)
    remove_rows : m - rank rows to remove, ascending; all other rows can be matched
    fix_cols : n - rank columns to remove, ascending, for instance because their variables get a
        value; all other columns can be matched. If the rows of `remove_rows` and the columns of
        `fix_cols` are removed, a square, structurally nonsingular matrix remains
    cover : the proof that no smaller change suffices. It consists of rows and columns, as many as
        the rank, that together touch every entry. Two matched entries share no row or column, so at
        most as many entries or rows can be matched as the cover has members. A new entry increases
        the smallest cover by at most one member
    """

    add_entries: Positions
    remove_rows: IndexArray
    fix_cols: IndexArray
    cover: Cover


@dataclass(frozen=True, eq=False, repr=False)
class RowSets(ReadOnlyArrays, Sequence[IndexArray]):
    """Sets of rows with identical patterns, the largest set first. The rows of a set ascend."""

    lists: Lists

    def __post_init__(self) -> None:
        freeze(*self.lists)

    def __len__(self) -> int:
        return int(self.lists.starts.size) - 1

    @overload
    def __getitem__(self, k: int) -> IndexArray: ...
    @overload
    def __getitem__(self, k: slice) -> list[IndexArray]: ...
    def __getitem__(self, k: int | slice) -> IndexArray | list[IndexArray]:
        if isinstance(k, slice):
            return [self[at] for at in range(*k.indices(len(self)))]
        count = len(self)
        if not -count <= k < count:
            raise IndexError(f"there are {counted(count, 'set')}")
        return self.lists.list(k % count)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RowSets):
            return NotImplemented
        return all(map(equal_values, self.lists, other.lists))

    def __hash__(self) -> int:
        return hash(("RowSets", len(self), self.n_rows))

    @property
    def n_rows(self) -> int:
        """The number of rows in all sets."""
        return int(self.lists.members.size)

    def __repr__(self) -> str:
        return f"<RowSets: {counted(len(self), 'set')}, {counted(self.n_rows, 'row')}>"


@dataclass(frozen=True)
class StoredZeros:
    """The effect of the entries that are stored with the value zero.

    Attributes
    ----------
    count : number of stored zeros
    dropped : whether they were left out of the matrix that was diagnosed
    other_rank : the structural rank without them, or with them if they were left out
    without : the diagnosis of the matrix without them, if they were kept and hide a deficiency;
        else None
    """

    count: int
    dropped: bool
    other_rank: int
    without: Diagnosis | None

    @property
    def hide_deficiency(self) -> bool:
        return self.without is not None


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(ReadOnlyArrays):
    """The causes of structural singularity of a matrix; the result of `btfperm.diagnose`.

    ``print(diagnosis)`` shows the diagnosis in words, with long lists cut. Except for
    `decomposition` and `seconds`, it depends on the matrix and the names alone, not on the
    algorithm that ran. Two diagnoses are equal (``==``) if their findings are equal; names and
    decompositions are not compared.

    Attributes
    ----------
    shape : (m, n)
    n_entries : the number of entries
    structural_rank : the size of a maximum transversal
    overdetermined : `Groups` of rows that have entries in fewer columns than there are rows,
        smallest first
    underdetermined : `Groups` of columns that have entries in fewer rows than there are columns,
        smallest first
    empty_rows, empty_cols : rows and columns without an entry; each of them is also a group
    repair : a `Repair`
    always : `Positions` of the entries that are in every maximum transversal
    n_never : the number of entries that are in no maximum transversal; `never` lists them
    identical_rows : `RowSets`, without empty rows
    stored_zeros : a `StoredZeros`, or None if there are none or the values are not known
    row_names, col_names : tuples of names, or None
    decomposition : the `DulmageMendelsohn` decomposition, which has the matrix as its `pattern`
    seconds : time of each stage
    """

    decomposition: DulmageMendelsohn
    overdetermined: Groups
    underdetermined: Groups
    repair: Repair
    always: Positions
    n_never: int
    identical_rows: RowSets
    stored_zeros: StoredZeros | None = None
    row_names: Names | None = None
    col_names: Names | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze(*self.repair.add_entries, self.repair.remove_rows, self.repair.fix_cols)
        freeze(*self.always)

    @property
    def pattern(self) -> Pattern:
        """The matrix."""
        assert self.decomposition.pattern is not None
        return self.decomposition.pattern

    @property
    def name(self) -> str | None:
        """The name of the matrix in messages, usually its file name."""
        return self.pattern.name

    @property
    def shape(self) -> tuple[int, int]:
        return self.decomposition.shape

    @property
    def n_entries(self) -> int:
        return self.pattern.nnz

    @property
    def structural_rank(self) -> int:
        return self.decomposition.structural_rank

    @property
    def is_full(self) -> bool:
        """Whether the structural rank is min(m, n)."""
        return self.structural_rank == min(self.shape)

    @property
    def is_nonsingular(self) -> bool:
        """Whether the matrix is square and has full structural rank."""
        return self.shape[0] == self.shape[1] == self.structural_rank

    @cached_property
    def empty_rows(self) -> IndexArray:
        return _without_partners(self.overdetermined.rows, self.overdetermined.cols)

    @cached_property
    def empty_cols(self) -> IndexArray:
        return _without_partners(self.underdetermined.cols, self.underdetermined.rows)

    @cached_property
    def never(self) -> Positions:
        """The entries that are in no maximum transversal, column by column. O(nnz)."""
        A, d = self.pattern, self.decomposition
        rows, cols = (np.empty(self.n_never, dtype=A.indices.dtype) for _ in range(2))
        _core.diagnosis.list_outside_blocks(
            A.indptr, A.indices, d.row_block, d.col_block, rows, cols
        )
        return Positions(frozen(rows), frozen(cols))

    def row_name(self, i: int) -> str:
        """The name of row i, or its number."""
        return name_of(self.row_names, i)

    def col_name(self, j: int) -> str:
        """The name of column j, or its number."""
        return name_of(self.col_names, j)

    def text(self, *, limit: int | None = 10) -> str:
        """The diagnosis in words, as the command `btfperm diagnose` prints it.

        The text describes at most `limit` groups of each kind, where all empty rows (columns) count
        as one group. Each list names at most half as many members. At least one group that is not
        empty, and one member, are always shown. With a limit, the text names only the largest set
        of identical rows, and only counts the rows and columns of the cover and the entries in
        every and in no maximum transversal. If `limit` is None, the text lists everything. For the
        matrix without stored zeros, it only describes the groups."""
        from btfperm.diagnosis.text import text_of

        return text_of(self, _checked(limit))

    def to_dict(self, *, limit: int | None = 1_000_000) -> dict[str, Any]:
        """The diagnosis for JSON, as ``btfperm diagnose --json`` prints it.

        At most `limit` numbers of rows and columns are listed for each kind of group, and at most
        as many in all other lists together. The diagnosis without stored zeros has the same limits
        again. ``"truncated": True`` marks lists that were cut. With a limit, the rows and columns
        of the cover, and the entries in every and in no maximum transversal, are only counted, and
        their four lists are None. If `limit` is None, everything is listed."""
        from btfperm.diagnosis.as_dict import dict_of

        return dict_of(self, _checked(limit))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Diagnosis):
            return NotImplemented
        return fields_equal(self, other, _COMPARED)

    def __hash__(self) -> int:
        return hash(("Diagnosis", self.shape, self.structural_rank))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        m, n = self.shape
        groups = (self.overdetermined, self.underdetermined)
        found = ", ".join(counted(len(each), f"{each.kind} group") for each in groups if each)
        rank = f"structural rank {self.structural_rank:,}"
        return f"<Diagnosis of a {m:,} x {n:,} matrix: {rank}, {found or 'nonsingular'}>"

    def _repr_html_(self) -> str:
        m, n = self.shape
        facts: dict[str, object] = {"matrix": self.name} if self.name else {}
        facts |= {"shape": f"{m:,} x {n:,}", "structural rank": self.structural_rank}
        for groups in (self.overdetermined, self.underdetermined):
            facts[f"{groups.kind} groups"] = len(groups)
        facts["entries in every maximum transversal"] = self.always.size
        facts["entries in none"] = self.n_never
        return html_table("Diagnosis", facts)


def _without_partners(items: Lists, partners: Lists) -> IndexArray:
    """The items of groups that have no partners. Such a group has one item, which has no entry."""
    return frozen(np.sort(items.members[items.starts[:-1][partners.sizes == 0]]))


def _checked(limit: Any) -> int | None:
    return None if limit is None else whole_number("limit", limit, 0, 2**63 - 1)
