# SPDX-License-Identifier: BSD-3-Clause
"""``opf_n``: the saddle point system of an optimal power flow, in the place of ``kkt_power``."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, Index, pattern

LINES_PER_BUS = 1.2
GENERATORS_PER_BUS = 0.25


def power_lines(buses: int, rng: np.random.Generator) -> tuple[Index, Index]:
    """A tree of near neighbours and 0.2 extra lines a bus, most of them short."""
    child = np.arange(1, buses)
    reach = np.minimum(child, 1 + rng.geometric(0.2, size=len(child)))
    extra = round((LINES_PER_BUS - 1) * buses)
    end = rng.integers(buses, size=extra)
    length = 1 + (4 * rng.pareto(1.5, size=extra)).astype(np.int64)
    return np.concatenate([child, end]), np.concatenate([child - reach, (end + length) % buses])


def opf(n: int) -> sp.csc_array:
    """About n unknowns: angle and voltage of each bus, real and reactive power of each generator,
    two multipliers a bus.

    H couples the angles and voltages of neighbours, J the two balances of a bus with them and with
    its generators: [[H, J'], [J, 0]]. Full rank: the balances take angles and voltages.
    """
    rng = np.random.default_rng(SEED)
    buses = round(n / (4 + 2 * GENERATORS_PER_BUS))
    u, v = power_lines(buses, rng)
    bus = np.arange(buses)
    here, there = np.concatenate([bus, u, v]), np.concatenate([bus, v, u])
    generators = round(GENERATORS_PER_BUS * buses)
    plant = rng.integers(buses, size=generators)
    voltage, real, reactive = buses, 2 * buses, 2 * buses + generators
    states = 2 * buses + 2 * generators
    balance = states + buses
    unit = np.arange(generators)
    h_rows = [here, here + voltage, real + unit, reactive + unit]
    h_cols = [there, there + voltage, real + unit, reactive + unit]
    j_rows = [states + here, states + here, balance + here, balance + here]
    j_cols = [there, there + voltage, there, there + voltage]
    j_rows += [states + plant, balance + plant]
    j_cols += [real + unit, reactive + unit]
    rows = np.concatenate([*h_rows, *j_rows, *j_cols])
    cols = np.concatenate([*h_cols, *j_cols, *j_rows])
    order = rng.permutation(states + 2 * buses)
    return pattern(order[rows], order[cols], (states + 2 * buses,) * 2)
