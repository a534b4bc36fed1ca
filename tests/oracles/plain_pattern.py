# SPDX-License-Identifier: BSD-3-Clause
"""The positions of the stored entries, as SciPy arrays of ones."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def pattern(A, *, drop_zeros=False):
    """Canonical CSC array of ones with one entry for each stored position of `A`.

    Stored zeros are entries unless `drop_zeros`. Duplicates are one entry; `drop_zeros` omits it if
    their sum is zero, whereas btfperm omits it only if each duplicate is zero.
    """
    coo = sp.coo_array(A)
    if drop_zeros:
        csc = sp.csc_array(coo)
        csc.sum_duplicates()
        csc.eliminate_zeros()
        coo = csc.tocoo()
    ones = sp.csc_array((np.ones(coo.nnz), (coo.row, coo.col)), shape=coo.shape)
    ones.sum_duplicates()
    ones.data[:] = 1.0
    return ones


def column_lists(A):
    """rows[j] = ascending list of the rows in column j."""
    csc = pattern(A)
    return [lst.tolist() for lst in np.split(csc.indices, csc.indptr[1:-1])] if csc.shape[1] else []


def row_lists(A):
    """cols[i] = ascending list of the columns in row i."""
    return column_lists(sp.csc_array(A).T)
