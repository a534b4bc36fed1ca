# SPDX-License-Identifier: BSD-3-Clause
"""A circuit by modified nodal analysis: one order, and the factors of every frequency.

    python docs/examples/circuit.py [NODES]

A voltage source drives a ladder of resistors and capacitors. The column of its current has no entry
on the diagonal. G + jwC has one pattern at all frequencies w, so one order serves the whole sweep.
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse as sp

import btfperm

RESISTANCE, CAPACITANCE = 100.0, 1e-9  # ohm between nodes, farad from each node to the ground


def matrices(nodes: int) -> tuple[sp.csc_array, sp.csc_array]:
    """G and C, both with the pattern of their sum. Node 0 is at the voltage source."""
    g = 1 / RESISTANCE
    ends = np.r_[g, np.full(nodes - 2, 2 * g), g]
    line = sp.diags_array(
        [np.full(nodes - 1, -g), ends, np.full(nodes - 1, -g)], offsets=[-1, 0, 1]
    )
    source = sp.csc_array(([1.0], ([0], [0])), shape=(nodes, 1))
    G = sp.csc_array(sp.block_array([[line, source], [source.T, None]]))
    C = G.copy()
    rows, cols = G.indices, np.repeat(np.arange(nodes + 1), np.diff(G.indptr))
    C.data = np.where((rows == cols) & (rows > 0) & (rows < nodes), CAPACITANCE, 0.0)
    return G, C


def main(nodes: int = 1_000) -> float:
    """Sweeps the frequency, and returns the largest backward error."""
    G, C = matrices(nodes)
    b = np.r_[np.zeros(nodes), 1.0]  # volt
    frequencies = np.geomspace(1e3, 1e9, 25)
    values = G.data + 2j * np.pi * frequencies[:, None] * C.data
    A = sp.csc_array((values[0], G.indices, G.indptr), shape=G.shape)
    F = btfperm.preorder(A, solver="klu").factor(A)
    worst, gains = 0.0, []
    for data in values:
        A.data = data
        F.refactor(data)
        x = F.solve(b)
        worst = max(worst, abs(b - A @ x).max() / (abs(A).sum(axis=1).max() * abs(x).max()))
        gains.append(abs(x[10]))
    assert worst < 1e-14
    assert np.all(np.diff(gains) < 0), "a low-pass filter lets less through at higher frequencies"
    print(f"{F}\ngain at node 10: {gains[0]:.3f} to {gains[-1]:.1e}; error {worst:.1e}")
    return worst


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
