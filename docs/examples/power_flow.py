# SPDX-License-Identifier: BSD-3-Clause
"""A power flow by Newton's method: one order, new factors in each step, and shuffled rows.

    python docs/examples/power_flow.py [BUSES]

With the largest product on the diagonal, the fill hardly depends on the order of the rows.
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse as sp

import btfperm


def network(buses: int) -> sp.csr_array:
    """The admittances of a ring of buses with random lines to near buses."""
    rng = np.random.default_rng(1)
    one = np.r_[np.arange(buses), np.arange(buses)]
    other = np.r_[np.arange(1, buses + 1), np.arange(buses) + rng.integers(2, 9, buses)] % buses
    y = 20 / (rng.uniform(0.05, 0.2, 2 * buses) + 1j)
    entries = np.r_[y, y, -y, -y], (np.r_[one, other, one, other], np.r_[one, other, other, one])
    return sp.csr_array(sp.coo_array(entries, shape=(buses, buses)))


def newton_system(Y: sp.csr_array, V: np.ndarray, S: np.ndarray) -> tuple:
    """The Jacobian for angles and magnitudes, and the mismatch."""
    current, turned = Y @ V, sp.diags_array(V / abs(V))
    volts, amps = sp.diags_array(V), sp.diags_array(current)
    by_angle = 1j * volts @ (amps - Y @ volts).conj()
    by_size = volts @ (Y @ turned).conj() + amps.conj() @ turned
    H, N, mismatch = by_angle.tocsr()[1:, 1:], by_size.tocsr()[1:, 1:], (V * current.conj() - S)[1:]
    J = sp.block_array([[H.real, N.real], [H.imag, N.imag]])
    return sp.csr_array(J), np.r_[mismatch.real, mismatch.imag]


def main(buses: int = 1_000) -> None:
    """Solves the power flow in both orders of the rows."""
    Y, S, fills = network(buses), np.full(buses, -4e-5 - 2e-5j), []
    for rows in (np.arange(2 * buses - 2), np.random.default_rng(2).permutation(2 * buses - 2)):
        V, F = np.ones(buses, complex), None
        for _ in range(8):
            J, f = newton_system(Y, V, S)
            A = sp.csc_array(J[rows])
            F = F or btfperm.preorder(A, solver="klu", weights="product").factor(A)
            F.refactor(A)
            angle, size = np.split(F.solve(f[rows]), 2)
            V[1:] = (abs(V[1:]) - size) * np.exp(1j * (np.angle(V[1:]) - angle))
        assert abs(f).max() < 1e-10, "Newton's method did not converge"
        fills.append(F.fill)
        print(f"{F}: {F.off_diagonal_pivots} pivots off the diagonal")
    assert abs(fills[1] - fills[0]) < 0.1 * fills[0]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
