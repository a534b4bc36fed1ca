# SPDX-License-Identifier: BSD-3-Clause
"""Checks for a cover of the claimed size, the proof of a structural rank (Kőnig)."""

from __future__ import annotations

import numpy as np

from tests.checks.entries import entries


def check_cover(A, rows, cols, size):
    """`rows` and `cols` together have `size` members and cover every entry of `A`."""
    in_cover = []
    for name, members, limit in (("row", rows, A.shape[0]), ("column", cols, A.shape[1])):
        members = np.asarray(members)
        assert members.ndim == 1, f"the {name}s of the cover are no list"
        assert (np.diff(members) > 0).all(), f"the {name}s of the cover do not ascend"
        assert not members.size or (members[0] >= 0 and members[-1] < limit), (
            f"the cover names a {name} outside 0..{limit - 1}"
        )
        flag = np.zeros(limit, dtype=bool)
        flag[members] = True
        in_cover.append(flag)
    total = len(rows) + len(cols)
    assert total == size, f"the cover has {total} rows and columns, the matching {size} entries"
    i, j = entries(A)
    bare = ~(in_cover[0][i] | in_cover[1][j])
    assert not bare.any(), f"entry {i[bare][:1]}, {j[bare][:1]} is touched by no row or column"
