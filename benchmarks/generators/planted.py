# SPDX-License-Identifier: BSD-3-Clause
"""Matrices with a known perfect matching, and saddle points, for decompositions: triangles shallow
and deep, blocks of all sizes, circuits, grids. NumPy, or CuPy on a GPU, computes them from
splitmix64 words; both give the same matrices, up to rounding in the sizes of the blocks of ``blk``.

A name is a family, its parameter where it has one, and the number of rows: ``tri:3e6``,
``wide:300:3e6``. For ``kkt``, it is the number of rows of the block H; for ``g3``, the side of the
grid. Each family returns positions (row, column), all but ``kkt`` with the known pairs on the
diagonal. `planted` permutes both sides at random, unless the name ends with ``:nat``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from benchmarks.generators.words import below, stream

__all__ = ["FAMILIES", "Planted", "planted"]


class Planted(NamedTuple):
    """Positions of the entries, duplicates among them, and the row of each column's known pair;
    -1 in the columns of a saddle point, whose matching is not known."""

    rows: Any
    cols: Any
    col_match: Any
    n: int


def planted(name: str, xp: Any = np) -> Planted:
    """The matrix of that name, made by `xp`: NumPy or CuPy.

    >>> planted("band:100").n
    100
    """
    family, *sizes = name.removesuffix(":nat").split(":")
    numbers = [float(size) for size in sizes]
    rows, cols, n = FAMILIES[family](xp, *numbers)
    if name.endswith(":nat"):
        row_of = col_of = xp.arange(n)
    else:
        row_of, col_of = xp.argsort(_words(xp, 99, n)), xp.argsort(_words(xp, 77, n))
    col_match = xp.full(n, -1)
    if family != "kkt":
        col_match[col_of] = row_of
    return Planted(row_of[rows], col_of[cols], col_match, n)


def _words(xp: Any, seed: int, count: int) -> Any:
    """A stream of words of its own for each seed."""
    return stream(xp, seed << 40, count)


def _below(xp: Any, seed: int, bound: Any, count: int) -> Any:
    """Random numbers below a bound, or each below its own."""
    return below(_words(xp, seed, count), bound)


def _unit(xp: Any, seed: int, count: int) -> Any:
    return (_words(xp, seed, count) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _with_diagonal(xp: Any, n: int, rows: Any, cols: Any) -> tuple[Any, Any, int]:
    j = xp.arange(n)
    return xp.concatenate([j, rows]), xp.concatenate([j, cols]), n


def _tri(xp: Any, size: float) -> tuple[Any, Any, int]:
    """4 n random pairs, each on or above the diagonal."""
    n = int(size)
    a, b = _below(xp, 1, n, 4 * n), _below(xp, 2, n, 4 * n)
    return _with_diagonal(xp, n, xp.minimum(a, b), xp.maximum(a, b))


def _wide(xp: Any, width: float, size: float) -> tuple[Any, Any, int]:
    """4 entries a row, at most `width` columns right of the diagonal: at least n / width levels."""
    n = int(size)
    rows = xp.repeat(xp.arange(n), 4)
    cols = rows + 1 + _below(xp, 3, int(width), 4 * n)
    inside = cols < n
    return _with_diagonal(xp, n, rows[inside], cols[inside])


def _band(xp: Any, size: float) -> tuple[Any, Any, int]:
    """(i, i + 1), and 3 more within 8: a level for each row."""
    n = int(size)
    i = xp.arange(n)
    rows = xp.concatenate([i, xp.repeat(i, 3)])
    cols = xp.concatenate([i + 1, xp.repeat(i, 3) + 1 + _below(xp, 4, 8, 3 * n)])
    inside = cols < n
    return _with_diagonal(xp, n, rows[inside], cols[inside])


def _erd(xp: Any, per_row: float, size: float) -> tuple[Any, Any, int]:
    """per_row * n random pairs: one giant block and small ones."""
    n = int(size)
    k = round(per_row * n)
    return _with_diagonal(xp, n, _below(xp, 5, n, k), _below(xp, 6, n, k))


def _g3(xp: Any, side: float) -> tuple[Any, Any, int]:
    """The 7-point stencil on a grid of `side`^3 points."""
    k = int(side)
    here = xp.arange(k**3).reshape(k, k, k)
    rows, cols = [], []
    for axis in range(3):
        low = xp.take(here, xp.arange(k - 1), axis).ravel()
        high = xp.take(here, xp.arange(1, k), axis).ravel()
        rows += [low, high]
        cols += [high, low]
    return _with_diagonal(xp, k**3, xp.concatenate(rows), xp.concatenate(cols))


def _cycles(xp: Any, first: Any, size: Any, n: int) -> tuple[Any, Any]:
    """Each vertex and the next one on the cycle through its block; `first` and `size` hold, for
    each vertex, the first vertex and the size of its block."""
    j = xp.arange(n)
    return j, first + (j - first + 1) % size


def _circ(xp: Any, size: float) -> tuple[Any, Any, int]:
    """60 % in one block: a cycle, 2 couplings a row that are mostly near, and at most 9,000 more
    entries in each of 20 random rows. The rest is in blocks of 1 to 5; each column of these has an
    entry in a row of an earlier block."""
    n = int(size)
    giant = int(0.6 * n)
    j = xp.arange(giant)
    twice = xp.repeat(j, 2)
    reach = xp.minimum(1 / (_unit(xp, 7, 2 * giant) + 1e-7), giant - 1).astype(np.int64)
    sign = 2 * _below(xp, 8, 2, 2 * giant) - 1
    hubs = xp.repeat(_below(xp, 9, giant, 20), min(9000, giant))
    rows = [j, twice, hubs]
    cols = [(j + 1) % giant, (twice + sign * reach) % giant, _below(xp, 10, giant, hubs.size)]
    ends = xp.cumsum(1 + _below(xp, 11, 5, n))
    block = xp.searchsorted(ends, xp.arange(n - giant), side="right")
    first = xp.where(block > 0, ends[block - 1], 0)
    length = xp.minimum(ends[block], n - giant) - first
    small, following = _cycles(xp, first, length, n - giant)
    rows += [giant + small, _below(xp, 12, giant + first, n - giant)]
    cols += [giant + following, giant + small]
    return _with_diagonal(xp, n, xp.concatenate(rows), xp.concatenate(cols))


def _blk(xp: Any, largest: float, size: float) -> tuple[Any, Any, int]:
    """Blocks of 10 to `largest` rows, the logarithms of the sizes uniform; the last one may be
    smaller. Each block is a cycle and 2 more entries a row. Half the rows have one entry in a later
    block, half of those within the next 20 blocks."""
    n = int(size)
    lengths = (10 * (largest / 10) ** _unit(xp, 13, n // 10 + 1)).astype(np.int64)
    ends = xp.cumsum(lengths)
    j = xp.arange(n)
    block = xp.searchsorted(ends, j, side="right")
    first = xp.where(block > 0, ends[block - 1], 0)
    length = xp.minimum(ends[block], n) - first
    following = _cycles(xp, first, length, n)[1]
    rows, cols = [j], [following]
    twice = xp.repeat(j, 2)
    rows.append(twice)
    cols.append(first[twice] + _below(xp, 14, length[twice], 2 * n))
    near = _below(xp, 15, 4, n)  # 0: within 20 blocks, 1: anywhere later
    span = xp.where(near == 0, xp.minimum(ends[xp.minimum(block + 20, ends.size - 1)], n), n)
    after = first + length
    later = (near < 2) & (after < span)
    target = after + _below(xp, 16, xp.maximum(span - after, 1), n)
    rows.append(j[later])
    cols.append(target[later])
    return _with_diagonal(xp, n, xp.concatenate(rows), xp.concatenate(cols))


def _kkt(xp: Any, size: float) -> tuple[Any, Any, int]:
    """[[H, B'], [B, 0]]: H is tridiagonal with `size` rows. B has 0.4 `size` rows, each of 4 random
    entries, duplicates among them, all in its first 0.28 `size` columns, so the matrix is
    structurally singular."""
    h = int(size)
    b = int(0.4 * h)
    j = xp.arange(h)
    i = xp.repeat(h + xp.arange(b), 4)
    at = _below(xp, 17, int(0.28 * h), 4 * b)
    rows = xp.concatenate([j, j[1:], j[:-1], i, at])
    cols = xp.concatenate([j, j[:-1], j[1:], at, i])
    return rows, cols, h + b


FAMILIES: dict[str, Any] = {
    "tri": _tri,
    "wide": _wide,
    "band": _band,
    "erd": _erd,
    "g3": _g3,
    "circ": _circ,
    "blk": _blk,
    "kkt": _kkt,
}
