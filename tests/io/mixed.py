# SPDX-License-Identifier: BSD-3-Clause
"""A small matrix with all three coarse parts."""

import numpy as np

# A horizontal part of two blocks, a square part of row 2 and column 4, and a vertical part.
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
