# SPDX-License-Identifier: BSD-3-Clause
"""The groups of one coarse part, a minimal explanation for each, and what is left unmatched.

The underdetermined part competes by its columns, the overdetermined part by its rows: the *items*
of which there are too many. Both are computed from the lists of the partners of each item, in the
order of the decomposition, in which the groups are ranges.

If all groups have one item too many, nothing depends on the matching. Otherwise a second matching
of the part is computed, by a deterministic search that knows only the entries: so the explanations
do not depend on the algorithm, the device or the threads of the first search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.diagnosis.groups import Groups, Lists, listed_groups
from btfperm.errors import DefectError
from btfperm.pattern import Pattern, inverse
from btfperm.pattern.arrays import IndexArray
from btfperm.results import CoarsePart, DulmageMendelsohn
from btfperm.transversal import maximum_transversal

__all__ = ["Part", "explained"]

_PASSES = 8  # over the entries, that the priority of items with few entries may take

Marks = npt.NDArray[np.bool_]


class Part(NamedTuple):
    """Groups with their explanations, and the smallest set of items without which the others are
    matched, ascending."""

    groups: Groups
    superfluous: IndexArray


def explained(d: DulmageMendelsohn, kind: str) -> Part:
    """The groups of the horizontal or vertical part. O(m + n + nnz of the part), and a search in
    the part if a group has an excess of more than one.

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
    lists = _competition(d, part, of_rows)
    excess = items.sizes - partners.sizes
    mate = _mates(d, lists, items, partners, of_rows, is_unique=bool((excess == 1).all()))
    in_item, in_partner = _violators(lists, mate, items.starts)
    _certify(lists, items, partners, in_item, in_partner)
    in_row, in_col = (in_item, in_partner) if of_rows else (in_partner, in_item)
    groups = listed_groups(kind, rows, cols, in_row, in_col, d.row_perm.dtype)
    return Part(groups, np.sort(_superfluous(items, excess, mate)))


def _competition(d: DulmageMendelsohn, part: CoarsePart, of_rows: bool) -> Pattern:
    """The part in the order of the decomposition; its columns are the items."""
    pattern = d.pattern
    assert pattern is not None
    cols = part.cols
    place = inverse(d.row_perm) - d.row_perm.dtype.type(part.row_slice.start)
    starts = np.zeros(cols.size + 1, dtype=pattern.indptr.dtype)
    np.cumsum(np.diff(pattern.indptr)[cols], out=starts[1:])
    entries = np.arange(starts[-1], dtype=pattern.indptr.dtype)
    entries += np.repeat(pattern.indptr[:-1][cols] - starts[:-1], np.diff(starts))
    rows = place[pattern.indices[entries]]
    del entries, place
    if of_rows:  # the columns of the vertical part have entries above it, too
        inside = rows >= 0
        places = np.zeros(rows.size + 1, dtype=starts.dtype)
        np.cumsum(inside, out=places[1:])
        starts, rows = places[starts], rows[inside]
    shape = part.rows.size, cols.size
    if of_rows:
        return Pattern.from_csr(starts, rows, shape[::-1], owned=True)
    return Pattern.from_csc(starts, rows, shape, owned=True)


def _mates(
    d: DulmageMendelsohn,
    lists: Pattern,
    items: Lists,
    partners: Lists,
    of_rows: bool,
    *,
    is_unique: bool,
) -> IndexArray:
    """The item matched to each partner, by the places of both in the part."""
    if not is_unique:
        return _deterministic(lists)
    match = d.col_match if of_rows else d.row_match  # of each partner
    perm = d.row_perm if of_rows else d.col_perm
    first = perm.size - items.members.size if of_rows else 0
    return (inverse(perm)[match[partners.members]] - perm.dtype.type(first)).astype(
        lists.indices.dtype
    )


def _deterministic(lists: Pattern) -> IndexArray:
    """The item matched to each partner: items with few entries have priority within the limit of
    the work, and a search that knows only the entries completes the matching."""
    width = lists.indices.dtype
    row_match, col_match = np.empty(lists.m, dtype=width), np.empty(lists.n, dtype=width)
    _core.diagnosis.match_by_degree(
        lists.indptr, lists.indices, row_match, col_match, _PASSES * (lists.nnz + 1)
    )
    completed = maximum_transversal(
        lists, initial=col_match, orientation="col_match", deterministic=True, backend="cpu"
    )
    return completed.row_match


def _violators(lists: Pattern, mate: IndexArray, starts: IndexArray) -> tuple[Marks, Marks]:
    """Marks of the items and partners in explanations."""
    width = lists.indices.dtype
    in_item, in_partner = (np.empty(size, dtype=np.uint8) for size in (lists.n, lists.m))
    try:
        _core.diagnosis.mark_minimal_violators(
            lists.m,
            lists.indptr,
            lists.indices,
            np.ascontiguousarray(mate, dtype=width),
            np.ascontiguousarray(starts, dtype=width),
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
        _counts(marks, each.starts) for marks, each in ((in_item, items), (in_partner, partners))
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


def _superfluous(items: Lists, excess: Any, mate: IndexArray) -> IndexArray:
    """One unmatched item in each group with an excess of 1: the first one, as any can be unmatched.
    In other groups the items that the matching leaves unmatched."""
    unmatched = np.ones(items.members.size, dtype=np.bool_)
    unmatched[mate] = False
    single = excess == 1
    unmatched[np.repeat(single, items.sizes)] = False
    unmatched[items.starts[:-1][single]] = True
    return items.members[unmatched]


def _defect(what: str) -> DefectError:
    return DefectError(
        f"the diagnosis went wrong: {what}; this is a defect of btfperm, please report it with the "
        "matrix"
    )
