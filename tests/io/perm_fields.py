# SPDX-License-Identifier: BSD-3-Clause
"""What a permutation file holds, and a small matrix with all three coarse parts."""

import numpy as np

ARRAYS = (
    "row_perm",
    "col_perm",
    "row_blocks",
    "col_blocks",
    "coarse_rows",
    "coarse_cols",
    "row_match",
    "col_match",
)
# Horizontal part of two blocks, square part of row 2 and column 4, vertical part.
MIXED = np.array(
    [
        [1, 1, 0, 0, 1, 0],
        [0, 0, 1, 1, 0, 0],
        [0, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 0],
    ]
)
