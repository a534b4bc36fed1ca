# SPDX-License-Identifier: BSD-3-Clause
"""Small matrices for tests of whole reports and results.

The parts of `uneven` and the blocks of its square part differ in size, and its rows and columns are
permuted. So a report or a result changes if a number is in the place of another one, or a row in
the place of a column. `three_blocks` is for functions that take square matrices, `cycle_with_tail`
for matchings in graphs.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

__all__ = ["ROWS", "cycle_with_tail", "three_blocks", "uneven"]

ROWS, COLS = [3, 7, 0, 9, 1, 5, 8, 2, 6, 4], [2, 8, 5, 0, 3, 7, 1, 6, 4]


def uneven() -> np.ndarray:
    """The parts 2 x 4, 3 x 3 in blocks of 2 and 1, and 5 x 2, with permuted rows and columns."""
    A = np.zeros((10, 9))
    A[0:2, 0:4] = [[1, 2, 0, 3], [0, 4, 5, 6]]
    A[2:5, 4:7] = [[7, 8, 0], [9, 1.5, 2], [0, 0, 3]]
    A[5:10, 7:9] = [[4, 0], [5, 6], [7, 0], [0, 8], [9, 1]]
    A[0, 5], A[1, 8], A[3, 7] = 2, 1, 4
    return A[ROWS][:, COLS]


def three_blocks() -> np.ndarray:
    """A square matrix with blocks of 2, 1 and 2 rows."""
    rows = [[4, 1, 0, 0, 0], [2, 5, 0, 1, 0], [0, 0, 3, 0, 0], [0, 0, 1, 2, 2], [0, 0, 0, 1, 6]]
    return np.array(rows, dtype=float)


def cycle_with_tail() -> sp.coo_array:
    """The weights of a graph: a cycle of five vertices, a tail of two, and one more edge."""
    edges = [(0, 1, 5), (1, 2, 8), (2, 3, 3), (3, 4, 2), (4, 0, 1), (0, 5, 2), (5, 6, 1), (7, 8, 9)]
    rows, cols, weights = zip(*edges, strict=True)
    both = (weights + weights, (rows + cols, cols + rows))
    return sp.coo_array(both, shape=(9, 9), dtype=float)
