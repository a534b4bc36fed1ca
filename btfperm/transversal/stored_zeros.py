# SPDX-License-Identifier: BSD-3-Clause
"""Entries that are stored with the value zero: how many there are, and whether they matter."""

from __future__ import annotations

import numpy as np

from btfperm.backends.protocol import Session
from btfperm.errors import StoredZerosWarning
from btfperm.path.request import Request
from btfperm.path.run import match
from btfperm.path.watch import Watcher
from btfperm.pattern import Pattern
from btfperm.results import IndexArray, Transversal
from btfperm.transversal.given import given_problem
from btfperm.warn import warn

__all__ = ["rank_the_other_way", "warn_of_zeros", "warn_that_zeros_do_not_matter"]

_NO_EFFECT = "that does not change the structural rank"


def warn_of_zeros(pattern: Pattern, found: Transversal, request: Request) -> None:
    """Warns of entries that are stored as zero, with their number and their effect on the rank.

    `found` is the result of the search for `request`. To determine the effect, a second search may
    be necessary; it gets what remains of the limits of the request.
    """
    zeros = pattern.stored_zeros
    if zeros is None:
        return
    found = found.on_host()
    name = f"{pattern.name}: " if pattern.name else ""
    other = rank_the_other_way(pattern, zeros, found, request) if found.maximum else None
    if other is None:
        effect = "whether that changes the structural rank was not found out within the limits"
    elif other == found.size:
        effect = _NO_EFFECT
    elif pattern.zeros_dropped:
        effect = f"the structural rank is {found.size:,}, and {other:,} when they are kept"
    else:
        effect = (
            f"the structural rank is {found.size:,}, but {other:,} without them "
            "(drop_zeros=True, --drop-zeros)"
        )
    fate = _fate(zeros.nnz, dropped=pattern.zeros_dropped)
    warn(StoredZerosWarning(f"{name}{fate}; {effect}", other))


def warn_that_zeros_do_not_matter(count: int, rank: int) -> None:
    """Warns of `count` stored zeros that are kept as entries and do not change the structural rank,
    which is `rank`."""
    warn(StoredZerosWarning(f"{_fate(count, dropped=False)}; {_NO_EFFECT}", rank))


def _fate(count: int, *, dropped: bool) -> str:
    found, kept = f"{count:,} stored entries are", "kept as entries"
    if count == 1:
        found, kept = "1 stored entry is", "kept as an entry"
    return f"{found} zero, {'left out' if dropped else kept}"


def rank_the_other_way(
    pattern: Pattern, zeros: Pattern, found: Transversal, request: Request
) -> int | None:
    """The structural rank for the other treatment of stored zeros: with them if they were dropped,
    otherwise without them. `found` is the result of the first search. None if a limit stopped the
    second one."""
    initial = found.col_match
    if pattern.zeros_dropped:
        if found.size == min(pattern.shape) or _covers(found, zeros):
            return found.size
        other, words = pattern.union(zeros), "with stored zeros"
    else:
        other, words = pattern.without(zeros), "without stored zeros"
        initial = _without_entries(initial, zeros)
        if np.array_equal(initial, found.col_match):
            return found.size
    rest = request.rest()
    if rest.watcher is not None:
        rest.watcher = _naming(rest.watcher, words)
    result = match(Session(other), rest, given_problem(other, initial, "col_match"))
    return result.size if result.maximum else None


def _naming(watcher: Watcher, words: str) -> Watcher:
    """A watcher for a second search, which appends these words to the names of the steps."""
    return lambda state: watcher(state._replace(step=f"{state.step} {words}"))


def _covers(found: Transversal, more: Pattern) -> bool:
    """Whether the cover of `found` also touches all entries of `more`; then these do not change the
    rank."""
    if found.row_in_cover is None or found.col_in_cover is None:
        return False
    touched = found.row_in_cover[more.indices] | found.col_in_cover[more.cols()]
    return bool(touched.all())


def _without_entries(col_match: IndexArray, less: Pattern) -> IndexArray:
    """The matching without its entries that `less` contains."""
    kept = col_match.copy()
    cols = less.cols()
    kept[cols[col_match[cols] == less.indices]] = -1
    return kept
