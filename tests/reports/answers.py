# SPDX-License-Identifier: BSD-3-Clause
"""Right results that do not come from btfperm but from the oracle, with the keys of `perm.npz`."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from btfperm.pattern import as_pattern
from tests.oracles.plain_dulmage_mendelsohn import dulmage_mendelsohn
from tests.oracles.plain_matching import maximum_matching

KEYS = (
    "row_perm",
    "col_perm",
    "row_blocks",
    "col_blocks",
    "coarse_rows",
    "coarse_cols",
    "row_match",
    "col_match",
)

# A horizontal part of two blocks, a square part of three, a vertical part of two.
MIXED = sp.csc_array(
    np.array(
        [
            # horizontal | square        | vertical
            [1, 1, 0, 0, 0, 1, 0, 0, 0, 0],
            [0, 0, 1, 1, 0, 0, 0, 0, 0, 1],
            [0, 0, 0, 0, 1, 1, 1, 0, 0, 0],
            [0, 0, 0, 0, 0, 1, 1, 0, 0, 0],
            [0, 0, 0, 0, 0, 1, 1, 1, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, 1, 1, 0],
            [0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
            [0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        ]
    )
)


def right_answer(A):
    """The arrays that a permutation file of `A` must hold."""
    row_match, col_match = maximum_matching(A)
    plain = dulmage_mendelsohn(A, (row_match, col_match))
    arrays = {key: np.array(getattr(plain, key)) for key in KEYS[:6]}
    arrays |= {"row_match": np.array(row_match), "col_match": np.array(col_match)}
    arrays |= {"structural_rank": np.array(plain.structural_rank), "shape": np.array(A.shape)}
    return {key: np.asarray(array, dtype=np.int64) for key, array in arrays.items()}


def pattern_of(A):
    return as_pattern(sp.csc_array(A))
