# SPDX-License-Identifier: BSD-3-Clause
"""The Jacobian of a differential-algebraic system: its blocks, and implicit Euler steps.

    python docs/examples/dae_jacobian.py [TANKS]

Liquid flows through a cascade of tanks: h' = q[k-1] - q[k] and 0 = q - c sqrt(h). The equations are
in a random order. The block triangular form finds the cascade again: each tank is one block.
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse as sp

import btfperm

STEP, COEFFICIENT, INFLOW = 0.5, 0.4, 0.3


def residual(x: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Implicit Euler: the unknowns are all levels, then all flows."""
    h, q = np.split(x, 2)
    inflow = np.r_[INFLOW, q[:-1]]
    return np.r_[h - old - STEP * (inflow - q), q - COEFFICIENT * np.sqrt(h)]


def jacobian(x: np.ndarray) -> sp.csr_array:
    n = x.size // 2
    flows = STEP * (sp.eye_array(n) - sp.eye_array(n, k=-1))
    slopes = sp.diags_array(-0.5 * COEFFICIENT / np.sqrt(x[:n]))
    return sp.csr_array(sp.block_array([[sp.eye_array(n), flows], [slopes, sp.eye_array(n)]]))


def main(tanks: int = 500) -> int:
    """Runs ten steps, and returns the number of diagonal blocks."""
    rows = np.random.default_rng(1).permutation(2 * tanks)
    x = np.r_[np.ones(tanks), np.full(tanks, COEFFICIENT)]
    A = sp.csc_array(jacobian(x)[rows])
    F = (order := btfperm.preorder(A, solver="klu")).factor(A)
    total = x[:tanks].sum()
    for _ in range(10):
        old = x[:tanks].copy()
        for _ in range(8):
            F.refactor(sp.csc_array(jacobian(x)[rows]))
            change = F.solve(residual(x, old)[rows])
            x = x - change
            if abs(change).max() < 1e-12:
                break
        total += STEP * (INFLOW - x[-1])
    assert order.n_blocks == tanks, "each tank is one block"
    assert abs(x[:tanks].sum() - total) < 1e-8 * total, "no liquid is lost"
    print(f"{order}\nliquid after 10 steps: {total:.3f}")
    return order.n_blocks


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
