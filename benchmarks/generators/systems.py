# SPDX-License-Identifier: BSD-3-Clause
"""Matrices as linear systems have them: circuits, triangles, blocks, saddle points, dense lines."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, Index, both_sides, pattern

# ``circuit_n``: one large irreducible block and many tiny ones, as in circuit Jacobians.

BLOCK_SHARE = 0.6
HUBS = 20
COUPLING = 3  # scale of the Pareto(1.2) distances, either way round the cycle


def tiny_cycles(first: int, end: int, rng: np.random.Generator) -> tuple[Index, Index]:
    """Cycles of length 1 to 5 (1 three times as likely) that cover first, ..., end - 1."""
    lengths = rng.choice([1, 1, 1, 2, 3, 4, 5], size=end - first)
    ends = np.minimum(first + np.cumsum(lengths), end)
    ends = ends[: np.searchsorted(ends, end) + 1]
    starts = np.concatenate([[first], ends[:-1]])
    member = np.arange(first, end)
    successor = member + 1
    successor[ends - 1 - first] = starts
    return member, successor


def circuit(n: int) -> sp.csc_array:
    """A matrix like that of a circuit. It has full rank, because all diagonal entries are there
    before the rows and columns are permuted at random."""
    rng = np.random.default_rng(SEED)
    nb = int(BLOCK_SHARE * n)
    block = np.arange(nb)
    near = rng.integers(nb, size=2 * nb)
    distance = 1 + (COUPLING * rng.pareto(1.2, size=2 * nb)).astype(np.int64)
    distance *= rng.choice([-1, 1], size=2 * nb)
    hub = np.repeat(rng.integers(nb, size=HUBS), nb // 200)
    hub_cols = rng.integers(nb, size=len(hub))
    member, successor = tiny_cycles(nb, n, rng)
    above = rng.integers(n, size=2 * (n - nb))
    above_cols = rng.integers(nb, n, size=2 * (n - nb))
    upper = above < above_cols
    diagonal = np.arange(n)
    rows = [diagonal, block, near, hub, member, above[upper]]
    cols = [diagonal, (block + 1) % nb, (near + distance) % nb, hub_cols, successor]
    return both_sides(
        pattern(np.concatenate(rows), np.concatenate([*cols, above_cols[upper]]), (n, n))
    )


# ``tri_n`` and ``bandtri_n``: permuted triangular matrices; all blocks have one row.


def tri(n: int) -> sp.csc_array:
    """Diagonal and 4n random pairs, each put above the diagonal; both sides permuted."""
    rng = np.random.default_rng(SEED)
    u = rng.integers(n, size=4 * n)
    v = rng.integers(n, size=4 * n)
    diagonal = np.arange(n)
    rows = np.concatenate([diagonal, np.minimum(u, v)])
    cols = np.concatenate([diagonal, np.maximum(u, v)])
    return both_sides(pattern(rows, cols, (n, n)))


def bandtri(n: int) -> sp.csc_array:
    """Diagonal, superdiagonal, 3 entries a row at distance 1 to 8, both sides permuted."""
    rng = np.random.default_rng(SEED)
    diagonal = np.arange(n)
    rows = np.concatenate([diagonal, diagonal, np.repeat(diagonal, 3)])
    distance = rng.integers(1, 9, size=3 * n)
    cols = np.concatenate([diagonal, diagonal + 1, np.repeat(diagonal, 3) + distance])
    inside = cols < n
    return both_sides(pattern(rows[inside], cols[inside], (n, n)))


# ``digraph_n_dD``, ``wide_n_wW``, ``blocks_n_hH``: hard for a decomposition, easy for a matching.
# The diagonal is full; both sides are permuted.


def digraph(n: int, degree: float) -> sp.csc_array:
    """Diagonal and degree * n random pairs: for degrees above 1, one giant block, and many of one
    row."""
    rng = np.random.default_rng(SEED)
    diagonal = np.arange(n)
    size = round(degree * n)
    rows = np.concatenate([diagonal, rng.integers(n, size=size)])
    cols = np.concatenate([diagonal, rng.integers(n, size=size)])
    return both_sides(pattern(rows, cols, (n, n)))


def wide(n: int, width: int) -> sp.csc_array:
    """Triangular: diagonal and 4 entries a row, at most `width` columns right of it, so at least
    about n / width levels."""
    rng = np.random.default_rng(SEED)
    diagonal = np.arange(n)
    rows = np.repeat(diagonal, 4)
    cols = rows + rng.integers(1, width + 1, size=4 * n)
    inside = cols < n
    rows = np.concatenate([diagonal, rows[inside]])
    return both_sides(pattern(rows, np.concatenate([diagonal, cols[inside]]), (n, n)))


def blocks(n: int, largest: int) -> sp.csc_array:
    """Blocks of 10 to `largest` rows, log-uniform; the last one may be smaller. Each is a cycle and
    2 entries a row. Half the rows have one entry in a later block, half of these within the next 20
    blocks."""
    rng = np.random.default_rng(SEED)
    sizes = np.exp(rng.uniform(np.log(10), np.log(largest), size=n // 10 + 1)).astype(np.int64)
    ends = np.minimum(np.cumsum(sizes), n)
    ends = ends[: np.searchsorted(ends, n) + 1]
    starts = np.concatenate([[0], ends[:-1]])
    sizes = ends - starts
    block = np.repeat(np.arange(len(sizes)), sizes)
    row = np.arange(n)
    first, size = starts[block], sizes[block]
    inner = np.repeat(row, 2)
    inner_cols = first[inner] + rng.integers(0, size[inner])
    linked = np.flatnonzero(rng.random(n) < 0.5)
    left = len(sizes) - 1 - block[linked]
    reach = np.where(rng.random(len(linked)) < 0.5, np.minimum(left, 20), left)
    linked, reach = linked[reach > 0], reach[reach > 0]
    later = block[linked] + rng.integers(1, reach + 1)
    later_cols = starts[later] + rng.integers(0, sizes[later])
    rows = np.concatenate([row, row, inner, linked])
    cols = np.concatenate([row, first + (row + 1 - first) % size, inner_cols, later_cols])
    return both_sides(pattern(rows, cols, (n, n)))


# ``kkt_n`` and ``kkt_sing_n``: saddle point systems [[H, B'], [B, 0]].


def saddle_point(states: int, constraints: int, used: int) -> sp.csc_array:
    """H is tridiagonal. Each row of B has at most 4 entries, in random columns among the first
    `used`."""
    n = states + constraints
    k = np.arange(states)
    b_rows = states + np.repeat(np.arange(constraints), 4)
    b_cols = np.random.default_rng(SEED).integers(used, size=4 * constraints)
    rows = np.concatenate([k, k[1:], k[:-1], b_rows, b_cols])
    cols = np.concatenate([k, k[:-1], k[1:], b_cols, b_rows])
    return pattern(rows, cols, (n, n))


def kkt(n: int) -> sp.csc_array:
    """3n/4 states and n/4 constraints; full rank at 2e5."""
    return saddle_point(3 * n // 4, n // 4, 3 * n // 4)


def kkt_sing(n: int) -> sp.csc_array:
    """3n/4 states, 0.3 n constraints on 0.21 n of them: structurally singular."""
    return saddle_point(3 * n // 4, 3 * n // 10, 21 * n // 100)


# ``opf_n``: the saddle point system of an optimal power flow, in the place of ``kkt_power``.

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

    The matrix is [[H, J'], [J, 0]], permuted symmetrically at random. H has a full diagonal, and
    couples the angles of neighbouring buses, and their voltages. J has two rows for each bus: the
    balances of real and of reactive power. Both have entries at the angles and voltages of the bus
    and of its neighbours. The first also has one at the real power of each generator of the bus,
    the second one at its reactive power. The rank is full: the balances of each bus can be matched
    to its angle and its voltage.
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


# ``hessenberg_n`` and ``arrow_n``: dense lines.


def hessenberg(n: int) -> sp.csc_array:
    """Dense lower triangle and superdiagonal."""
    rows, cols = np.tril_indices(n, 1, n)
    return pattern(rows, cols, (n, n))


def arrow(n: int) -> sp.csc_array:
    """Diagonal, dense first row and dense first column."""
    k = np.arange(n)
    zero = np.zeros(n, k.dtype)
    return pattern(np.concatenate([k, zero, k]), np.concatenate([k, k, zero]), (n, n))
