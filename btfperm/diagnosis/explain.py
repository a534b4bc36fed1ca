# SPDX-License-Identifier: BSD-3-Clause
"""The groups of one coarse part, a minimal explanation for each, and the unmatched items.

The *items* are the columns of the underdetermined part and the rows of the overdetermined part:
there are too many of them. The *partners* of an item are the rows (columns) in which it has
entries. The same code computes both parts from the lists of the partners of each item. Items and
partners are numbered group by group.

If all groups have one item too many, the explanations do not depend on the matching. Otherwise a
second matching of the part is computed from its entries alone by deterministic algorithms. So the
explanations do not depend on the algorithm, the device or the threads of the first search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.diagnosis.groups import Groups, Lists, listed_groups
from btfperm.errors import DefectError
from btfperm.pattern.arrays import IndexArray
from btfperm.pattern.canonical import transposed
from btfperm.results import DulmageMendelsohn

__all__ = ["Part", "defect", "explained"]

_SHARE = 4  # `match_by_degree` visits at most about 1 / _SHARE as many entries as the part has

Marks = npt.NDArray[np.bool_]


class Part(NamedTuple):
    """The groups of a coarse part with their explanations, and a smallest set of items, ascending,
    after whose removal all other items can be matched."""

    groups: Groups
    superfluous: IndexArray


class Competition(NamedTuple):
    """The entries of a coarse part. Item k is the k-th member of `items`, and partner k is the k-th
    member of `partners`. The partners of item k are ``indices[indptr[k]:indptr[k + 1]]``.
    `partner_indptr` and `partner_indices` list the items of each partner in the same way, or are
    None."""

    items: Lists
    partners: Lists
    indptr: IndexArray
    indices: IndexArray
    partner_indptr: IndexArray | None = None
    partner_indices: IndexArray | None = None


def explained(d: DulmageMendelsohn, kind: str, threads: int = 1) -> Part:
    """The groups of the horizontal or vertical part. O(m + n + nnz), in addition to sorts, and to a
    search in the part if a group has an excess of more than one.

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
    lists = _competition(d, items, partners, of_rows, threads)
    excess = items.sizes - partners.sizes
    if (excess == 1).all():
        mate = _numbers(items, d.shape[0 if of_rows else 1])
        mate = mate[(d.col_match if of_rows else d.row_match)[partners.members]]
    else:
        mate = _deterministic(lists, threads)
    in_item, in_partner = _violators(lists, mate)
    _certify(lists, in_item, in_partner)
    in_row, in_col = (in_item, in_partner) if of_rows else (in_partner, in_item)
    groups = listed_groups(kind, rows, cols, in_row, in_col, d.row_perm.dtype)
    return Part(groups, np.sort(_superfluous(items, excess, mate)))


def _competition(
    d: DulmageMendelsohn, items: Lists, partners: Lists, of_rows: bool, threads: int
) -> Competition:
    """The entries of the part. The rows of the vertical part have entries only in its columns, the
    columns of the horizontal part only in its rows; `diagnose` checks this for all entries."""
    A = d.pattern
    assert A is not None
    width = A.indices.dtype
    members = [np.ascontiguousarray(each.members, dtype=width) for each in (items, partners)]
    rows, cols = members if of_rows else members[::-1]
    indptr, indices = _core.diagnosis.submatrix(A.m, A.indptr, A.indices, rows, cols)
    items, partners = (
        each._replace(starts=each.starts.astype(width)) for each in (items, partners)
    )
    if of_rows:  # the columns are the partners
        lists = transposed(rows.size, indptr, indices, threads)
        return Competition(items, partners, *lists, indptr, indices)
    return Competition(items, partners, indptr, indices)


def _numbers(lists: Lists, size: int) -> IndexArray:
    """An array with the number of each member of the lists; other elements are not set."""
    numbers = np.empty(size, dtype=lists.members.dtype)
    numbers[lists.members] = np.arange(lists.members.size, dtype=numbers.dtype)
    return numbers


def _deterministic(lists: Competition, threads: int) -> IndexArray:
    """The item matched to each partner. `match_by_degree` matches items with few entries first,
    until its searches have visited about a quarter of the number of entries. A search on one thread
    then completes this matching from the partners, all of which can be matched. The matching of
    `d` is not used."""
    m, n, width = lists.partners.members.size, lists.items.members.size, lists.indices.dtype
    mate, item_match = np.empty(m, dtype=width), np.empty(n, dtype=width)
    entries = lists.indptr, lists.indices
    _core.diagnosis.match_by_degree(*entries, mate, item_match, lists.indices.size // _SHARE + 1)
    of_partners = lists.partner_indptr, lists.partner_indices
    if of_partners[0] is None:
        of_partners = transposed(m, *entries, threads)
    cover = np.zeros(n, dtype=np.uint8)
    # The search uses one thread, so that each run finds the same matching. The matching needs no
    # certificate, because `_violators` raises an error if a partner is not matched.
    _core.transversal.guided_displacement(n, *of_partners, item_match, mate, cover)
    return mate


def _violators(lists: Competition, mate: IndexArray) -> tuple[Marks, Marks]:
    """Marks of the items and partners in explanations."""
    sizes = lists.items.members.size, lists.partners.members.size
    in_item, in_partner = (np.empty(size, dtype=np.uint8) for size in sizes)
    mate = mate.astype(lists.indices.dtype, copy=False)
    try:
        if (mate < 0).any():
            raise ValueError("a partner is not matched")
        _core.diagnosis.mark_minimal_violators(
            lists.indptr, lists.indices, mate, lists.items.starts, in_item, in_partner
        )
    except ValueError as error:
        raise defect(str(error)) from error
    return in_item.view(np.bool_), in_partner.view(np.bool_)


def _certify(lists: Competition, in_item: Marks, in_partner: Marks) -> None:
    """Checks that each explanation violates Hall's condition by one, see
    ``violators_certificate.hpp``."""
    starts = lists.items.starts, lists.partners.starts
    marks = in_item.view(np.uint8), in_partner.view(np.uint8)
    wrong = _core.diagnosis.wrong_in_violators(lists.indptr, lists.indices, *starts, *marks)
    if wrong:
        raise defect(wrong)


def _superfluous(items: Lists, excess: Any, mate: IndexArray) -> IndexArray:
    """Items whose removal leaves the others matchable. In a group with an excess of 1, this is the
    first item, because any of its items can be left unmatched. In other groups, these are the items
    that the matching leaves unmatched."""
    unmatched = np.ones(items.members.size, dtype=np.bool_)
    unmatched[mate] = False
    single = excess == 1
    unmatched[np.repeat(single, items.sizes)] = False
    unmatched[items.starts[:-1][single]] = True
    return items.members[unmatched]


def defect(what: str) -> DefectError:
    """The error that a certificate raises."""
    return DefectError(
        f"the diagnosis went wrong: {what}; this is a defect of btfperm, please report it with the "
        "matrix"
    )
