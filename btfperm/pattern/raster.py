# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a permuted matrix as the number of entries in each of its cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.threads import pass_threads
from btfperm.pattern.arrays import IndexArray
from btfperm.pattern.pattern import Pattern

__all__ = ["raster"]

_NO_PERM = np.empty(0, dtype=np.int64)


def raster(
    pattern: Pattern,
    row_perm: IndexArray | None = None,
    col_perm: IndexArray | None = None,
    *,
    rows: tuple[int, int] | None = None,
    cols: tuple[int, int] | None = None,
    cells: int | tuple[int, int] = 800,
    threads: int | None = None,
) -> npt.NDArray[np.int64]:
    """Entries in each cell of a picture of ``A[row_perm, :][:, col_perm]``.

    Parameters
    ----------
    pattern : a matrix on the host
    row_perm, col_perm : gather permutations; None: the order of the matrix
    rows, cols : (first, last) the window of the permuted matrix; None: all of it
    cells : the largest number of rows and of columns of cells: one number, or (rows, columns). A
        window with fewer rows has one row of cells for each row; likewise for columns
    threads : number of threads; the result does not depend on it

    Returns
    -------
    (height, width) array. Cell (y, x) counts the entries at places (r, c) of the window with
    ``r * height // (number of rows) == y``, and likewise for x. The array is empty if the window is
    empty

    Notes
    -----
    O(rows + columns + nnz of the columns in the window + cells on all threads), one pass over the
    entries. Memory: the picture, one byte for each cell on each thread, and at most two bytes for
    each row and column.

    Examples
    --------
    >>> import numpy as np
    >>> from btfperm.pattern import as_pattern
    >>> raster(as_pattern(np.eye(5)), cells=2)
    array([[3, 0],
           [0, 2]])
    """
    rows = (0, pattern.m) if rows is None else rows
    cols = (0, pattern.n) if cols is None else cols
    most = (cells, cells) if isinstance(cells, int) else cells
    height, width = min(rows[1] - rows[0], most[0]), min(cols[1] - cols[0], most[1])
    counts = np.zeros(max(height, 0) * max(width, 0), dtype=np.int64)
    if counts.size:
        type_ = pattern.indices.dtype
        perms = (_NO_PERM if perm is None else perm for perm in (row_perm, col_perm))
        _core.pattern.raster(
            pattern.m,
            pattern.indptr,
            pattern.indices,
            *(perm.astype(type_, copy=False) for perm in perms),
            rows,
            cols,
            (height, width),
            pass_threads(pattern.nnz, threads),
            counts,
        )
    return counts.reshape(max(width, 0), max(height, 0)).T
