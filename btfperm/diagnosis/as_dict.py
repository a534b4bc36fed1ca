# SPDX-License-Identifier: BSD-3-Clause
"""A diagnosis as a dictionary for JSON. Rows and columns are numbered from 0."""

from __future__ import annotations

from typing import Any

from btfperm.diagnosis.groups import Group, Groups
from btfperm.diagnosis.result import Diagnosis

__all__ = ["dict_of"]


class _Quota:
    """The limit of some lists together. `left` is how many numbers may still be listed; None: no
    limit. `cut` is whether a list was cut."""

    def __init__(self, limit: int | None) -> None:
        self.left = limit
        self.cut = False

    def take(self, members: Any) -> list[int]:
        """The first members of a list, at most `left` of them."""
        shown = members if self.left is None else members[: self.left]
        self.cut |= len(shown) < len(members)
        if self.left is not None:
            self.left -= len(shown)
        return [int(k) for k in shown.tolist()]

    def pairs(self, rows: Any, cols: Any) -> list[list[int]]:
        """The first positions of a list; each counts as two numbers."""
        count = len(rows) if self.left is None else min(len(rows), self.left // 2)
        self.cut |= count < len(rows)
        listed = [self.take(each[:count]) for each in (rows, cols)]
        return [list(pair) for pair in zip(*listed, strict=True)]


def dict_of(d: Diagnosis, limit: int | None) -> dict[str, Any]:
    """See `Diagnosis.to_dict`. The members of the cover, and the entries in every and in no maximum
    transversal, are listed only without a limit. Even in a nonsingular matrix, they may be as many
    as the rows or the entries."""
    m, n = d.shape
    over, over_cut = _groups(d, d.overdetermined, limit)
    under, under_cut = _groups(d, d.underdetermined, limit)
    rest = _Quota(limit)
    facts = {
        "rows": m,
        "cols": n,
        "entries": d.n_entries,
        "structural_rank": d.structural_rank,
        "full": d.is_full,
        "overdetermined": over,
        "underdetermined": under,
        "group_counts": {each.kind: len(each) for each in (d.overdetermined, d.underdetermined)},
        "empty_rows": rest.take(d.empty_rows),
        "empty_columns": rest.take(d.empty_cols),
        "repair": {
            "add_entries": rest.pairs(*d.repair.add_entries),
            "remove_rows": rest.take(d.repair.remove_rows),
            "fix_columns": rest.take(d.repair.fix_cols),
            "cover": {
                "rows": int(d.repair.cover.rows.size),
                "columns": int(d.repair.cover.cols.size),
            },
            "cover_rows": d.repair.cover.rows.tolist() if limit is None else None,
            "cover_columns": d.repair.cover.cols.tolist() if limit is None else None,
        },
        "diagonal": {
            "always": d.always.size,
            "never": d.n_never,
            "always_entries": rest.pairs(*d.always) if limit is None else None,
            "never_entries": rest.pairs(*d.never) if limit is None else None,
        },
        "identical_rows": _sets(d, rest),
        "stored_zeros": _zeros(d, limit),
    }
    return facts | {"truncated": over_cut or under_cut or rest.cut}


def _groups(d: Diagnosis, groups: Groups, limit: int | None) -> tuple[list[dict[str, Any]], bool]:
    """(the groups, smallest first; whether some are missing or cut)."""
    quota = _Quota(limit)
    listed = []
    for group in groups:
        if quota.left == 0:
            break
        listed.append(_group(d, group, quota))
    return listed, quota.cut or len(listed) < len(groups)


def _group(d: Diagnosis, group: Group, quota: _Quota) -> dict[str, Any]:
    why = group.explanation
    before, quota.cut = quota.cut, False
    found: dict[str, Any] = {
        "rows": quota.take(group.rows),
        "columns": quota.take(group.cols),
        "excess": group.excess,
        "explanation": {"rows": quota.take(why.rows), "columns": quota.take(why.cols)},
        "truncated": quota.cut,
    }
    quota.cut |= before
    if d.row_names is not None:
        found["row_names"] = [d.row_name(i) for i in found["rows"]]
    if d.col_names is not None:
        found["column_names"] = [d.col_name(j) for j in found["columns"]]
    return found


def _sets(d: Diagnosis, quota: _Quota) -> list[list[int]]:
    listed = []
    for rows in d.identical_rows:
        if quota.left == 0:
            quota.cut = True
            break
        listed.append(quota.take(rows))
    return listed


def _zeros(d: Diagnosis, limit: int | None) -> dict[str, Any] | None:
    """The effect of stored zeros, with the diagnosis without them if they hide a deficiency."""
    zeros = d.stored_zeros
    if zeros is None:
        return None
    found = {"count": zeros.count, "dropped": zeros.dropped, "other_rank": zeros.other_rank}
    found["hide_deficiency"] = zeros.hide_deficiency
    without = None if zeros.without is None else dict_of(zeros.without, limit)
    return found | {"without": without}
