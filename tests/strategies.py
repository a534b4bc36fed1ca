# SPDX-License-Identifier: BSD-3-Clause
"""Hypothesis strategies for sparse matrices, small enough for the oracles.

Each strategy for matrices draws a `scipy.sparse.coo_array` that may hold duplicates and stored
zeros: the input of a user, before btfperm converts it. `permutations_of` draws a permutation,
`legal_matching` the two arrays of a matching.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st


def coo(pairs, shape, values=None):
    """A coo_array with entries at `pairs`, in this order and with duplicates."""
    rows, cols = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    data = np.arange(1.0, rows.size + 1) if values is None else np.array(values, dtype=float)
    return sp.coo_array((data, (rows, cols)), shape=shape)


@st.composite
def of_shape(draw, m, n, *, per_row=2.5):
    """m x n with up to per_row * max(m, n) random entries. Duplicates may occur."""
    if not m * n:
        return coo([], (m, n))
    size = draw(st.integers(0, int(per_row * max(m, n))))
    pair = st.tuples(st.integers(0, m - 1), st.integers(0, n - 1))
    return coo(draw(st.lists(pair, min_size=size, max_size=size)), (m, n))


@st.composite
def rectangular(draw, max_rows, max_cols, *, per_row=2.5):
    m, n = draw(st.integers(0, max_rows)), draw(st.integers(0, max_cols))
    return draw(of_shape(m, n, per_row=per_row))


def random_matrices(max_rows=12, max_cols=12):
    """Matrices of any shape, including 0 x n and m x 0."""
    return rectangular(max_rows, max_cols)


def tall():
    return rectangular(16, 5)


def wide():
    return rectangular(5, 16)


@st.composite
def square(draw, max_size=12):
    n = draw(st.integers(0, max_size))
    return draw(of_shape(n, n))


@st.composite
def empty(draw):
    """Matrices without entries."""
    return coo([], (draw(st.integers(0, 6)), draw(st.integers(0, 6))))


@st.composite
def singular(draw):
    """Square, with s rows that have entries only in s - 1 columns (a Hall violator), rows and
    columns permuted."""
    n = draw(st.integers(1, 10))
    s = draw(st.integers(1, n))
    deficient = draw(of_shape(s, s - 1, per_row=4))
    rest = draw(of_shape(n - s, n, per_row=4))
    rows, cols = draw(permutations_of(n)), draw(permutations_of(n))
    pairs = [
        *zip(deficient.row, deficient.col, strict=True),
        *zip(rest.row + s, rest.col, strict=True),
    ]
    return coo([(rows[i], cols[j]) for i, j in pairs], (n, n))


@st.composite
def nonsingular(draw, max_size=12):
    """Square, with a planted transversal of full rank."""
    n = draw(st.integers(0, max_size))
    rows = draw(permutations_of(n))
    others = draw(of_shape(n, n))
    pairs = [*zip(rows, range(n), strict=True), *zip(others.row, others.col, strict=True)]
    return coo(draw(st.permutations(pairs)), (n, n))


@st.composite
def long_path(draw):
    """Column j holds rows j and j + 1; one more entry may close the chain. The numbering is
    forward, backward or random."""
    n = draw(st.integers(1, 60))
    m = n + draw(st.integers(0, 1))
    pairs = [(i, j) for j in range(n) for i in (j, j + 1) if i < m]
    if draw(st.booleans()):
        pairs.append((0, n - 1))
    numbering = draw(st.sampled_from(["forward", "backward", "mixed"]))
    if numbering == "backward":
        pairs = [(m - 1 - i, n - 1 - j) for i, j in pairs]
    elif numbering == "mixed":
        rows, cols = draw(permutations_of(m)), draw(permutations_of(n))
        pairs = [(rows[i], cols[j]) for i, j in pairs]
    return coo(pairs, (m, n))


@st.composite
def one_dense_row(draw):
    """A sparse matrix with one full row or, transposed, with one full column."""
    base = draw(rectangular(10, 10, per_row=1.5))
    m, n = base.shape
    pairs = list(zip(base.row, base.col, strict=True))
    if m:
        pairs += [(draw(st.integers(0, m - 1)), j) for j in range(n)]
    matrix = coo(pairs, (m, n))
    return matrix.T.tocoo() if draw(st.booleans()) else matrix


@st.composite
def dense(draw):
    m, n = draw(st.integers(0, 7)), draw(st.integers(0, 7))
    return coo([(i, j) for i in range(m) for j in range(n)], (m, n))


@st.composite
def duplicates(draw):
    """Every entry occurs several times."""
    base = draw(rectangular(6, 6))
    copies = draw(st.integers(2, 30))
    pairs = list(zip(base.row, base.col, strict=True))
    return coo(pairs * copies, base.shape)


@st.composite
def stored_zeros(draw):
    """Some of the entries have the value zero; there are no duplicates."""
    base = draw(rectangular(9, 9))
    pairs = sorted(set(zip(base.row.tolist(), base.col.tolist(), strict=True)))
    values = draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=len(pairs), max_size=len(pairs)))
    return coo(pairs, base.shape, values)


@st.composite
def block_triangular(draw):
    """Irreducible diagonal blocks by construction, entries above them, rows and columns
    permuted."""
    sizes = draw(st.lists(st.integers(1, 4), max_size=6))
    n = sum(sizes)
    pairs, first = [], 0
    for size in sizes:  # a diagonal and a cycle make a block irreducible
        block = range(first, first + size)
        pairs += [(v, v) for v in block]
        pairs += [(v, first + (v + 1 - first) % size) for v in block if size > 1]
        first += size
        if first < n and draw(st.booleans()):
            pairs += [(draw(st.sampled_from(block)), draw(st.integers(first, n - 1)))]
    rows, cols = draw(permutations_of(n)), draw(permutations_of(n))
    return coo([(rows[i], cols[j]) for i, j in pairs], (n, n))


@st.composite
def with_all_parts(draw):
    """Horizontal, square and vertical part, coupled as the decomposition permits, permuted."""
    wide_part, tall_part = draw(of_shape(2, 4)), draw(of_shape(4, 2))
    middle = draw(nonsingular(4))
    shapes = [part.shape for part in (wide_part, middle, tall_part)]
    top = np.cumsum([0] + [s[0] for s in shapes])
    left = np.cumsum([0] + [s[1] for s in shapes])
    m, n = int(top[-1]), int(left[-1])
    pairs = []
    for k, part in enumerate((wide_part, middle, tall_part)):
        pairs += zip((part.row + top[k]).tolist(), (part.col + left[k]).tolist(), strict=True)
        for l in range(k + 1, 3):  # noqa: E741
            if shapes[k][0] and shapes[l][1]:
                i = st.integers(int(top[k]), int(top[k + 1]) - 1)
                j = st.integers(int(left[l]), int(left[l + 1]) - 1)
                pairs += draw(st.lists(st.tuples(i, j), max_size=4))
    rows, cols = draw(permutations_of(m)), draw(permutations_of(n))
    return coo([(rows[i], cols[j]) for i, j in pairs], (m, n))


def permutations_of(n):
    return st.permutations(range(n))


def any_matrix():
    """Matrices of all families."""
    return st.one_of(
        random_matrices(),
        tall(),
        wide(),
        square(),
        empty(),
        singular(),
        nonsingular(),
        long_path(),
        one_dense_row(),
        dense(),
        duplicates(),
        stored_zeros(),
        block_triangular(),
        with_all_parts(),
    )


def any_square():
    """Square matrices of all kinds, singular or not."""
    return st.one_of(square(), singular(), nonsingular(), block_triangular())


def tiny():
    """Matrices small enough to try every matching."""
    return st.one_of(
        rectangular(5, 5, per_row=2),
        st.just(coo([], (0, 4))),
        st.just(coo([], (4, 0))),
        st.just(coo([], (3, 3))),
        st.just(coo([(0, 0)], (1, 1))),
        st.just(coo([(i, j) for i in range(4) for j in range(4)], (4, 4))),
    )


@st.composite
def legal_matching(draw, A):
    """row_match and col_match of a random matching of `A`, made by a greedy pass in random
    order."""
    m, n = A.shape
    pairs = sorted(set(zip(A.row.tolist(), A.col.tolist(), strict=True)))
    row_match, col_match = np.full(m, -1), np.full(n, -1)
    keep = draw(st.integers(0, len(pairs)))
    for i, j in draw(st.permutations(pairs))[:keep]:
        if row_match[i] < 0 and col_match[j] < 0:
            row_match[i], col_match[j] = j, i
    return row_match, col_match
