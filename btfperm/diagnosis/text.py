# SPDX-License-Identifier: BSD-3-Clause
"""A diagnosis in words, for the command line, the assertions and the errors of solvers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from btfperm.diagnosis.groups import Explanation, Group, Groups
from btfperm.diagnosis.result import Diagnosis, Positions
from btfperm.printable import one_name, printable
from btfperm.results.counted import counted

__all__ = ["GROUPS", "changes", "finding_lines", "group_lines", "listed", "text_of", "verdict"]

GROUPS = 10  # groups, and blocks, that a message describes


def listed(
    noun: str,
    members: Any,
    name: Callable[[int], str] = str,
    most: int | None = GROUPS // 2,
) -> str:
    """A list of rows or columns with at most `most` names: `row 3`, `rows 1, 2`, or
    `37 rows (0, 1, 2, 3, 4, ...)`."""
    shown = ", ".join(name(int(k)) for k in members[:most])
    if most is not None and len(members) > most:
        return f"{counted(len(members), noun)} ({shown}, ...)"
    return f"{noun}{'s' if len(members) > 1 else ''} {shown}"


class _Words(NamedTuple):
    """The names of rows and columns, and the limits of the text."""

    names: dict[str, Callable[[int], str]]
    groups: int | None  # number of groups of each kind that are described; None: all
    members: int | None  # number of members that a list names; None: all

    def listed(self, noun: str, members: Any) -> str:
        return listed(noun, members, self.names[noun], self.members)

    def positions(self, entries: Positions) -> str:
        """A list of positions, such as `(0, 4), (1, 7), ...`."""
        row, col = self.names["row"], self.names["column"]
        pairs = zip(entries.rows[: self.members], entries.cols[: self.members], strict=True)
        shown = ", ".join(f"({row(int(i))}, {col(int(j))})" for i, j in pairs)
        return (
            f"{shown}, ..." if self.members is not None and entries.size > self.members else shown
        )


def text_of(d: Diagnosis, limit: int | None) -> str:
    """The verdict and the findings."""
    name = printable(d.name or "the matrix")
    return "\n".join([f"{name}: {verdict(d)}", *finding_lines(d, limit)])


def verdict(d: Diagnosis) -> str:
    """Shape, entries and rank in one line, such as
    `4 x 4, 7 entries, structural rank 3 of 4: structurally singular`."""
    m, n = d.shape
    rank = d.structural_rank
    what = "structurally nonsingular" if m == n else "full structural rank"
    if not d.is_full:
        what = "structurally singular" if m == n else "not of full structural rank"
    entries = "1 entry" if d.n_entries == 1 else f"{d.n_entries:,} entries"
    return f"{m:,} x {n:,}, {entries}, structural rank {rank:,} of {min(m, n):,}: {what}"


def finding_lines(d: Diagnosis, limit: int | None = GROUPS) -> list[str]:
    """All lines below the verdict, indented by two spaces or more. A line end or another control
    character in a name is printed as an escape, and a name of more than 160 characters is
    shortened in its middle."""
    members = None if limit is None else max(1, limit // 2)
    words = _words(d, limit, members)
    lines = group_lines(d, limit, members)
    lines += _repair_lines(d, words)
    lines += _zero_lines(d, words)
    if d.n_entries:
        lines.append(
            f"  diagonal: {d.always.size:,} of {d.n_entries:,} entries in every maximum "
            f"transversal, {d.n_never:,} in none"
        )
        lines += _diagonal_lines(d, words)
    lines += _identical_lines(d, words)
    return lines


def group_lines(d: Diagnosis, groups: int | None, members: int | None) -> list[str]:
    """The lines about the groups with too many rows, and about those with too many columns: at most
    `groups` groups of each kind, and at most `members` names in a list. None sets no limit."""
    words = _words(d, groups, members)
    return [
        *_group_lines(d.overdetermined, "row", words),
        *_group_lines(d.underdetermined, "column", words),
    ]


def _words(d: Diagnosis, groups: int | None, members: int | None) -> _Words:
    names = {
        "row": lambda k: one_name(d.row_name(k)),
        "column": lambda k: one_name(d.col_name(k)),
    }
    return _Words(names, groups, members)


def _group_lines(groups: Groups, noun: str, words: _Words) -> Iterator[str]:
    """The groups with too many rows (`noun` is "row") or columns, smallest first. The first of
    these lines names all empty rows or columns."""
    if not groups:
        return
    count = counted(len(groups), "independent group")
    yield f"  {groups.kind}: {counted(groups.total_excess, noun)} too many, in {count}:"
    n_empty = int(np.count_nonzero((groups.n_cols if noun == "row" else groups.n_rows) == 0))
    if n_empty:
        lists = groups.rows if noun == "row" else groups.cols
        empty = np.sort(lists.members[lists.starts[groups.order[:n_empty]]])
        yield f"    {words.listed(noun, empty)} {'is' if n_empty == 1 else 'are'} empty"
    described = len(groups) if words.groups is None else max(1, words.groups - bool(n_empty))
    described = min(len(groups), n_empty + described)
    for k in range(n_empty, described):
        yield from _one_group(groups[k], noun, words)
    more = len(groups) - described
    if more:
        rest = counted(int(groups.excess[described:].sum()), noun)
        yield f"    and {counted(more, 'group')} more, with {rest} too many"


def _one_group(group: Group, noun: str, words: _Words) -> Iterator[str]:
    """A line about the group, and one about its explanation if the explanation is smaller."""
    surplus = f" ({group.excess:,} too many)" if group.excess > 1 else ""
    yield f"    {_sentence(group.rows, group.cols, noun, words)}{surplus}"
    why: Explanation = group.explanation
    if why.rows.size < group.rows.size:
        yield f"      of these, {_sentence(why.rows, why.cols, noun, words)}"


def _sentence(rows: Any, cols: Any, noun: str, words: _Words) -> str:
    """A sentence about a group or an explanation, such as
    `rows 1, 2 have entries only in column 2`."""
    many, few = words.listed("row", rows), words.listed("column", cols)
    if noun == "column":
        many, few = few, many
    return f"{many} have entries only in {few}"


def _repair_lines(d: Diagnosis, words: _Words) -> Iterator[str]:
    changes, missing = _changes(d, words), d.repair.add_entries
    if not changes:
        return
    start = "  repair: "
    if missing.size:
        count = "1 entry" if missing.size == 1 else f"{missing.size:,} entries"
        yield f"{start}add {count}, such as {words.positions(missing)}"
        start = "    or "
    yield f"{start}{changes}: a square nonsingular matrix remains"
    cover = d.repair.cover
    parts = f"{counted(cover.rows.size, 'row')} and {counted(cover.cols.size, 'column')}"
    yield f"  proof: {parts} touch every entry, so nothing smaller suffices"
    if words.members is None and d.structural_rank:
        touching = (("row", cover.rows), ("column", cover.cols))
        shown = " and ".join(words.listed(noun, where) for noun, where in touching if where.size)
        yield f"    the cover: {shown}"


def _changes(d: Diagnosis, words: _Words) -> str:
    rows, cols = d.repair.remove_rows, d.repair.fix_cols
    changes = [f"remove {words.listed('row', rows)}"] * bool(rows.size)
    changes += [f"fix {words.listed('column', cols)}"] * bool(cols.size)
    return " and ".join(changes)


def changes(d: Diagnosis, members: int) -> str:
    """The rows to remove and the columns to fix for a square nonsingular matrix, with at most
    `members` names in a list: `remove row 2 and fix columns 0, 1`."""
    return _changes(d, _words(d, None, members))


def _diagonal_lines(d: Diagnosis, words: _Words) -> Iterator[str]:
    """The entries in every and in no maximum transversal, if everything is listed. With a limit,
    they are not shown, because an arbitrary part of them explains nothing."""
    if words.members is not None:
        return
    if d.always.size:
        yield f"    in every one: {words.positions(d.always)}"
    if d.n_never:
        yield f"    in none: {words.positions(d.never)}"


def _identical_lines(d: Diagnosis, words: _Words) -> Iterator[str]:
    """The largest set of rows with identical patterns, or, if everything is listed, all sets."""
    if not d.identical_rows:
        return
    count = len(d.identical_rows)
    start = "  identical patterns: "
    if count == 1:
        yield f"{start}{words.listed('row', d.identical_rows[0])}"
    elif words.members is None:
        yield f"{start}{count:,} sets of rows:"
        yield from (f"    {words.listed('row', rows)}" for rows in d.identical_rows)
    else:
        largest = words.listed("row", d.identical_rows[0])
        yield f"{start}{count:,} sets of rows, the largest: {largest}"


def _zero_lines(d: Diagnosis, words: _Words) -> Iterator[str]:
    zeros = d.stored_zeros
    if zeros is None:
        return
    noun = "1 entry is" if zeros.count == 1 else f"{zeros.count:,} entries are"
    hides = "hides" if zeros.count == 1 else "hide"
    start = f"  stored zeros: {noun} stored as zero"
    if zeros.dropped:
        same = zeros.other_rank == d.structural_rank
        rank = "the same" if same else f"{zeros.other_rank:,}"
        yield f"{start} and left out; with them the rank is {rank}"
    elif zeros.without is None:
        yield f"{start}; without them the rank is the same"
    else:
        yield f"{start} and {hides} a deficiency; without them the rank is {zeros.other_rank:,}:"
        for groups, item in (
            (zeros.without.overdetermined, "row"),
            (zeros.without.underdetermined, "column"),
        ):
            yield from (f"  {line}" for line in _group_lines(groups, item, words))
