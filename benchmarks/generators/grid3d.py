# SPDX-License-Identifier: BSD-3-Clause
"""``grid3d_k``: 7-point stencil on k^3 points, with the diagonal."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import pattern


def grid3d(k: int) -> sp.csc_array:
    """7 k^3 - 6 k^2 entries, numbered lexicographically."""
    point = np.arange(k**3).reshape(k, k, k)
    before = [point[:-1], point[:, :-1], point[:, :, :-1]]
    after = [point[1:], point[:, 1:], point[:, :, 1:]]
    u = np.concatenate([a.ravel() for a in before])
    v = np.concatenate([a.ravel() for a in after])
    diagonal = point.ravel()
    rows = np.concatenate([diagonal, u, v])
    return pattern(rows, np.concatenate([diagonal, v, u]), (k**3, k**3))
