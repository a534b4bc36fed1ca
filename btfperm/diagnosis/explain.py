# SPDX-License-Identifier: BSD-3-Clause
"""The groups of one coarse part, a minimal explanation for each, and the unmatched items.

The underdetermined part competes by its columns, the overdetermined part by its rows: the *items*
of which there are too many. Both are computed from the lists of the partners of each item.

If all groups have one item too many, nothing depends on the matching. Otherwise a second matching
of the part is computed from its entries alone by deterministic algorithms, so the explanations do
not depend on the algorithm, the device or the threads of the first search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.diagnosis.groups import Groups, Lists, listed_groups
from btfperm.errors import DefectError
from btfperm.pattern import Pattern
from btfperm.pattern.arrays import IndexArray
from btfperm.pattern.canonical import selected
from btfperm.results import DulmageMendelsohn
from btfperm.transversal import maximum_transversal

__all__ = ["Part", "explained"]

_SHARE = 4  # a quarter of the entries may be visited to give short items priority

Marks = npt.NDArray[np.bool_]


class Part(NamedTuple):
    """Groups with their explanations, and the smallest set of items without which the others are
    matched, ascending."""

    groups: Groups
    superfluous: IndexArray


def explained(d: DulmageMendelsohn, kind: str) -> Part:
    """The groups of the horizontal or vertical part. O(m + n + nnz), and a search in the part if a
    group has an excess of more than one.

    Raises
    ------
    DefectError : an explanation fails its certificate
    """
    of_rows = kind == "overdetermined"
    part = d.vertical if of_rows else d.horizontal
    blocks = slice(part.blocks.start, part.blocks.stop + 1)
    rows = Lists(part.rows, d.row_blocks[blocks] - d.row_blocks[part.blocks.start])
    cols = Lists(part.cols, d.col_blocks[blocks] - d.col_blocks[part.blocks.start])
    items, partners = (rows, cols) if of_rows else (cols, rows)
    if not items.members.size:
        none = np.zeros(0, dtype=np.bool_)
        return Part(listed_groups(kind, rows, cols, none, none, d.row_perm.dtype), items.members)
    lists = _competition(d, items.members, partners.members, of_rows)
    excess = items.sizes - partners.sizes
    if (excess == 1).all():
        mate = _only(d.col_match if of_rows else d.row_match, partners.members)
    else:
        mate = _deterministic(lists, items.members)
    in_item, in_partner = _violators(lists, mate, items)
    _certify(lists, items, partners, in_item, in_partner)
    in_row, in_col = (in_item, in_partner) if of_rows else (in_partner, in_item)
    marks = in_row[rows.members], in_col[cols.members]
    groups = listed_groups(kind, rows, cols, *marks, d.row_perm.dtype)
    return Part(groups, np.sort(_superfluous(lists, items, excess, mate[partners.members])))


def _competition(
    d: DulmageMendelsohn, items: IndexArray, partners: IndexArray, of_rows: bool
) -> Pattern:
    """The entries of the part; its columns are the items, with their numbers in the matrix."""
    pattern = d.pattern
    assert pattern is not None
    if of_rows:
        inside = _marks(pattern.m, items)
        chosen = inside[pattern.indices] if items.size < pattern.m else None
    else:
        inside = _marks(pattern.n, items)
        chosen = np.repeat(inside, np.diff(pattern.indptr)) if items.size < pattern.n else None
    if chosen is not None:
        columns = selected(pattern.indptr, pattern.indices, chosen, pattern.shape)
        pattern = Pattern._unchecked(pattern.shape, *columns)
    return pattern.transpose() if of_rows else pattern


def _marks(size: int, members: IndexArray) -> Marks:
    marks = np.zeros(size, dtype=np.bool_)
    marks[members] = True
    return marks


def _only(match: IndexArray, partners: IndexArray) -> IndexArray:
    """The mates of the partners, and -1 for everything else."""
    mate = np.full_like(match, -1)
    mate[partners] = match[partners]
    return mate


def _deterministic(lists: Pattern, items: IndexArray) -> IndexArray:
    """The item matched to each partner, or -1. `match_by_degree` matches items with few entries
    first, until it has visited a quarter of the entries; a deterministic search on the CPU
    completes its matching. Neither uses the matching of the first search."""
    width = lists.indices.dtype
    row_match, col_match = np.empty(lists.m, dtype=width), np.empty(lists.n, dtype=width)
    _core.diagnosis.match_by_degree(
        lists.indptr,
        lists.indices,
        items.astype(width),
        row_match,
        col_match,
        lists.nnz // _SHARE + 1,
    )
    completed = maximum_transversal(
        lists, initial=col_match, orientation="col_match", deterministic=True, backend="cpu"
    )
    return completed.row_match


def _violators(lists: Pattern, mate: IndexArray, items: Lists) -> tuple[Marks, Marks]:
    """Marks of the items and partners in explanations, by their numbers in the matrix."""
    width = lists.indices.dtype
    in_item, in_partner = (np.empty(size, dtype=np.uint8) for size in (lists.n, lists.m))
    arrays = (mate, items.members, items.starts)
    try:
        _core.diagnosis.mark_minimal_violators(
            lists.m,
            lists.indptr,
            lists.indices,
            *(np.ascontiguousarray(array, dtype=width) for array in arrays),
            in_item,
            in_partner,
        )
    except ValueError as error:
        raise _defect(str(error)) from error
    return in_item.view(np.bool_), in_partner.view(np.bool_)


def _certify(
    lists: Pattern, items: Lists, partners: Lists, in_item: Marks, in_partner: Marks
) -> None:
    """Checks that each explanation violates Hall's condition by one: its items have entries only
    in its partners, which are one fewer. In a group with an excess of 1, it is the whole group."""
    in_list = np.repeat(in_item, np.diff(lists.indptr))
    if not in_partner[lists.indices[in_list]].all():
        raise _defect("an item of an explanation has a partner outside it")
    sizes = [
        _counts(marks[each.members], each.starts)
        for marks, each in ((in_item, items), (in_partner, partners))
    ]
    if not (sizes[0] == sizes[1] + 1).all():
        raise _defect("an explanation has another excess than 1")
    is_minimal = items.sizes == partners.sizes + 1
    if not (sizes[0] == items.sizes)[is_minimal].all():
        raise _defect("a group with an excess of 1 is not connected")


def _counts(marks: Marks, starts: IndexArray) -> npt.NDArray[np.int64]:
    """The number of marks in each range."""
    places = np.zeros(marks.size + 1, dtype=np.int64)
    np.cumsum(marks, out=places[1:])
    return np.diff(places[starts])


def _superfluous(lists: Pattern, items: Lists, excess: Any, matched: IndexArray) -> IndexArray:
    """One unmatched item in each group with an excess of 1: the first one, as any can be unmatched.
    In other groups the items that the matching leaves unmatched."""
    unmatched = ~_marks(lists.n, matched)[items.members]
    single = excess == 1
    unmatched[np.repeat(single, items.sizes)] = False
    unmatched[items.starts[:-1][single]] = True
    return items.members[unmatched]


def _defect(what: str) -> DefectError:
    return DefectError(
        f"the diagnosis went wrong: {what}; this is a defect of btfperm, please report it with the "
        "matrix"
    )
