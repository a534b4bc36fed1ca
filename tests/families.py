# SPDX-License-Identifier: BSD-3-Clause
"""Families on which other codes fail or are slow: long paths, SciPy's ladder, dead trees, ...

Most functions return a `Hard` matrix: with its structural rank if its construction determines it,
else -1, and with the number of its fine blocks if that is known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.generators import adversarial, systems

# The time limit of a search in a test, in seconds: far more than a sanitizer needs on a busy
# machine, and far less than a search in exponential time.
HANG = 180.0


class Hard(NamedTuple):
    A: sp.csc_array
    rank: int
    fine_blocks: int | None = None


def csc(rows, cols, shape):
    rows, cols = np.concatenate(rows), np.concatenate(cols)
    return sp.csc_array((np.ones(rows.size), (rows, cols)), shape=shape)


def renumbered(hard, numbering, seed=0):
    """The same matrix: "forward" as built, "backward" with rows and columns reversed, or
    "mixed"."""
    m, n = hard.A.shape
    if numbering == "forward":
        return hard
    rng = np.random.default_rng(seed)
    rows, cols = (
        (np.arange(m)[::-1], np.arange(n)[::-1])
        if numbering == "backward"
        else (rng.permutation(m), rng.permutation(n))
    )
    coo = sp.coo_array(hard.A)
    return hard._replace(A=csc([rows[coo.row]], [cols[coo.col]], (m, n)))


def chain(n):
    """Greedy leaves one augmenting path, through all n columns. There is only one perfect matching,
    so each block has one row."""
    return Hard(adversarial.chain(n), n, n)


def bidiagonal(n):
    """Diagonal and superdiagonal: n blocks, one after another in a chain."""
    j = np.arange(n)
    return Hard(csc([j, j[:-1]], [j, j[1:]], (n, n)), n, n)


def cycle(n):
    """Diagonal and (j, j + 1), closed to a cycle: one block, two disjoint perfect matchings."""
    j = np.arange(n)
    return Hard(csc([j, j], [j, (j + 1) % n], (n, n)), n, 1)


def surplus_path(n, *, wide):
    """n x (n + 1) bidiagonal: one horizontal block that is one long path (transposed: vertical)."""
    j = np.arange(n)
    A = csc([j, j], [j, j + 1], (n, n + 1))
    return Hard(A if wide else sp.csc_array(A.T), n, 1)


def scipy_ladder(levels):
    """scipy#26147: the time of SciPy's search doubles with each level."""
    return Hard(adversarial.ladder(3 * levels + 3), 3 * levels + 2)


def chains_hk(k):
    """Chains of lengths 1..k, with their closing columns last: Hopcroft-Karp needs about k
    phases."""
    n = k * (k + 1) // 2
    return Hard(adversarial.chains_hk(k), n, n)


def rivals(count, length):
    """Columns that all compete for the same `count` rows. Behind each of these rows, a path of
    `length` columns leads to an unmatched row. If trees grow from all these columns at once, the
    first takes every row, so a phase finds one path. In this numbering greedy leaves exactly these
    columns unmatched."""
    i, step = np.repeat(np.arange(count), length), np.tile(np.arange(length), count)
    row, col = i * (length + 1) + step, i * length + step
    starts = np.arange(count) * (length + 1)
    rival = count * length + np.arange(count)
    n = count * (length + 1)
    rows = [row, row + 1, np.tile(starts, count)]
    return Hard(csc(rows, [col, col, np.repeat(rival, count)], (n, n)), n)


def deadtree(core, seed):
    """A core with a full diagonal, surplus columns without an augmenting path, and as many empty
    rows. A search that does not mark exhausted trees searches the core once for each surplus
    column."""
    rng = np.random.default_rng(seed)
    surplus = core // 50
    i = np.arange(core)
    rows = [i, i, rng.integers(0, core, 3 * core), rng.integers(0, core, 2 * surplus)]
    cols = [i, (i + 1) % core, rng.integers(0, core, 3 * core)]
    cols.append(core + rng.integers(0, surplus, 2 * surplus))
    return Hard(csc(rows, cols, (core + surplus, core + surplus)), core)


def stars(count, size):
    """`count` rows of `size` columns each, and `count` columns of `size` rows each. Each star has
    one match; everything else stays unmatched."""
    center = np.repeat(np.arange(count), size)
    leaf = np.arange(count * size)
    rows = [center, count + leaf]
    cols = [count + leaf, center]
    n = count + count * size
    return Hard(csc(rows, cols, (n, n)), 2 * count, 2 * count)


def empty_lines(n, seed):
    """n x n with entries only in every tenth row and every tenth column."""
    rng = np.random.default_rng(seed)
    lines = np.arange(0, n, 10)
    rows, cols = lines, rng.permutation(lines)
    return Hard(csc([rows], [cols], (n, n)), lines.size, n // 10 + 2 * (n - lines.size))


def dense(m, n):
    return Hard(sp.csc_array(np.ones((m, n))), min(m, n), 1)


def full_columns(n, full):
    """The identity of size n, then `full` columns with entries in all n + `full` rows. If the first
    n columns are matched, each other column has n matched rows at the head of its list."""
    i = np.arange(n)
    rows = [i, np.tile(np.arange(n + full), full)]
    cols = [i, n + np.repeat(np.arange(full), n + full)]
    return Hard(csc(rows, cols, (n + full, n + full)), n + full, n + 1)


def hessenberg(n):
    """Dense lower triangle and superdiagonal: greedy in column order finds a maximum matching."""
    return Hard(systems.hessenberg(n), n, 1)


def triangular(n, seed):
    """A diagonal and 4 n random entries on or above it, rows and columns permuted. There is only
    one perfect matching."""
    rng = np.random.default_rng(seed)
    i, j = np.sort(rng.integers(0, n, (2, 4 * n)), axis=0)
    d = np.arange(n)
    return renumbered(Hard(csc([d, i], [d, j], (n, n)), n, n), "mixed", seed)


def strip(length, seed):
    """A strip of 3 x `length` points, beside a random part of full rank, rows and columns permuted.
    If the diagonal is matched, an unmatched column is at one end of the strip, an unmatched row at
    the other. Labels that grow in steps of one need many pushes along the whole strip."""
    rng = np.random.default_rng(seed)
    points = 3 * length
    k = np.arange(points)
    x, y = np.divmod(k, 3)
    rows, cols = [k], [k]
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        inside = (x + dx >= 0) & (x + dx < length) & (y + dy >= 0) & (y + dy < 3)
        cols.append(k[inside])
        rows.append(((x + dx) * 3 + y + dy)[inside])
    rows += [np.array([0]), np.array([points])]
    cols += [np.array([points]), np.array([points - 1])]
    beside = points // 2
    rows += [points + 1 + rng.integers(0, beside, 4 * beside), points + 1 + np.arange(beside)]
    cols += [points + 1 + rng.integers(0, beside, 4 * beside), points + 1 + np.arange(beside)]
    n = points + 1 + beside
    return renumbered(Hard(csc(rows, cols, (n, n)), n, n), "mixed", seed)


def karp_sipser_hard(n, full_lines):
    """Dufossé, Kaya, Uçar (2015): a random choice is nearly always wrong."""
    return Hard(adversarial.karp_sipser_hard(n, full_lines), n)


def hubs_and_leaves(hubs, leaves, seed):
    """A block of `hubs` rows and `hubs` columns in which 90 % of the entries are present, and
    `leaves` further rows and columns. Each of these has an entry in a random hub column (row), and
    a quarter as many entries again are added at random. The rank is -1: an oracle must compute it.
    """
    rng = np.random.default_rng(seed)
    n = hubs + leaves
    i, j = np.nonzero(rng.random((hubs, hubs)) < 0.9)
    leaf = np.concatenate([np.arange(hubs, n), rng.integers(hubs, n, leaves // 4)])
    there, here = (rng.integers(0, hubs, leaf.size) for _ in range(2))
    order = rng.permutation(n), rng.permutation(n)
    rows, cols = np.concatenate([i, there, leaf]), np.concatenate([j, leaf, here])
    return Hard(csc([order[0][rows]], [order[1][cols]], (n, n)), -1)


def random_rectangle(m, n, per_row, seed):
    """Random entries. The rank is -1: an oracle must compute it."""
    rng = np.random.default_rng(seed)
    size = int(per_row * m)
    return Hard(csc([rng.integers(0, m, size)], [rng.integers(0, n, size)], (m, n)), -1)


def local_and_deficient(n, seed):
    """Entries next to the diagonal, and blocks of columns that share too few rows."""
    rng = np.random.default_rng(seed)
    j = np.repeat(np.arange(n), 3)
    i = j + rng.integers(-6, 7, size=j.size)
    crowded = (j // 50) % 7 == 0
    i[crowded] -= i[crowded] % 4
    return csc([np.clip(i, 0, n - 1)], [j], (n, n))


def saddle_point(states, constraints, seed):
    """A saddle point matrix: states have diagonal entries, constraints have none. To match a
    constraint, a search must move a state to another row."""
    rng = np.random.default_rng(seed)
    k = np.repeat(np.arange(constraints), 3)
    B = csc([k], [rng.integers(0, states, k.size)], (constraints, states))
    return sp.block_array([[sp.eye_array(states), B.T], [B, None]], format="csc")


def small_and_hard():
    """One small member of each family on which paths, chains of blocks or empty lines are long."""
    return (
        renumbered(chain(24), "mixed"),
        bidiagonal(30),
        renumbered(cycle(24), "mixed"),
        surplus_path(20, wide=True),
        surplus_path(20, wide=False),
        deadtree(40, 1),
        empty_lines(40, 1),
        hubs_and_leaves(3, 30, 1),
    )
