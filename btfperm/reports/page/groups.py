# SPDX-License-Identifier: BSD-3-Clause
"""The over- and underdetermined groups of the diagnosis, and names, for the tables of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from btfperm.diagnosis import Diagnosis

__all__ = ["listed_groups", "names_for"]

_GROUPS = 500
_NAMES = 12  # rows, and columns, of a group that are named
_LONGEST = 60  # characters of a name
_NAMED = 20_000  # rows and columns whose names the page holds


def listed_groups(diagnosis: Diagnosis) -> dict[str, Any]:
    """The groups, the smallest first, as far as the page lists them, and their number."""
    both = (diagnosis.overdetermined, diagnosis.underdetermined)
    listed = []
    for groups in both:
        for k in range(min(len(groups), _GROUPS)):
            group = groups[k]
            why = group.explanation
            rows = _names("row", diagnosis.row_name, why.rows)
            cols = _names("column", diagnosis.col_name, why.cols)
            many, few = (rows, cols) if group.kind == "overdetermined" else (cols, rows)
            verb = "has" if max(why.rows.size, why.cols.size) == 1 else "have"
            only = f"entries only in {few}" if few else "no entries"
            listed.append(
                {
                    "kind": group.kind,
                    "rows": int(group.rows.size),
                    "cols": int(group.cols.size),
                    "excess": int(group.excess),
                    "explanation": f"{many} {verb} {only}",
                }
            )
    return {"count": sum(map(len, both)), "listed": listed}


def names_for(diagnosis: Diagnosis) -> dict[str, Any]:
    """The names of all rows and columns, where the caller gave some and they are not too many."""
    is_small = sum(diagnosis.shape) <= _NAMED
    names = {"rowNames": diagnosis.row_names, "colNames": diagnosis.col_names}
    return {
        key: [str(name)[:_LONGEST] for name in given] if given is not None and is_small else None
        for key, given in names.items()
    }


def _names(noun: str, name_of: Any, members: Any) -> str:
    """The first names after their noun, and how many more there are; empty without members."""
    if not len(members):
        return ""
    shown = [str(name_of(k))[:_LONGEST] for k in members[:_NAMES].tolist()]
    more = len(members) - len(shown)
    head = noun if len(members) == 1 else f"{noun}s"
    return f"{head} {', '.join(shown)}" + (f" and {more:,} more" if more else "")
