# SPDX-License-Identifier: BSD-3-Clause
"""Checks that a `Transversal` is a matching, of the claimed size, and proven if maximum.

`t` is anything with shape, row_match, col_match, maximum, rank_bounds, verified, cover().
"""

from __future__ import annotations

from tests.checks.check_cover import check_cover
from tests.checks.check_matching import check_matching


def check_transversal(A, t, *, rank=None):
    """A legal matching with true bounds. If `t.maximum`, its cover proves it.

    `rank` is the structural rank by an oracle, if it is known.
    """
    assert tuple(t.shape) == A.shape, f"the transversal is of a {t.shape} matrix, not {A.shape}"
    check_matching(A, t.row_match, t.col_match)
    size = int((t.row_match >= 0).sum())
    lower, upper = t.rank_bounds
    assert lower == size, f"the lower bound is {lower}, but {size} entries are matched"
    assert lower <= upper <= min(A.shape), f"{t.rank_bounds} are no bounds of a rank"
    assert t.maximum == (lower == upper), f"maximum is {t.maximum} between bounds {t.rank_bounds}"
    assert rank is None or lower <= rank <= upper, f"rank {rank} is outside {t.rank_bounds}"
    assert t.verified, "the transversal is not marked as verified"
    if t.maximum:
        rows, cols = t.cover()
        check_cover(A, rows, cols, size)
