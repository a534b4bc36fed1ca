# SPDX-License-Identifier: BSD-3-Clause
"""The layouts bsr and dia, in pieces of any size, and lists of entries of which some are zeros."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from btfperm.errors import InvalidMatrixError
from btfperm.pattern import Pattern, as_valued, blocks_and_diagonals
from btfperm.pattern.blocks_and_diagonals import (
    pattern_of_blocks,
    pattern_of_diagonals,
    positions_of_blocks,
    positions_of_diagonals,
)
from tests.loops import looped


def places(rows, cols) -> list[tuple[int, int]]:
    """Positions without duplicates, by columns."""
    return sorted({*zip(map(int, cols), map(int, rows), strict=True)})


def listed(pattern: Pattern | None) -> list[tuple[int, int]]:
    return [] if pattern is None else [*zip(pattern.cols(), pattern.indices, strict=True)]


def a_small_piece(monkeypatch, piece):
    monkeypatch.setattr(blocks_and_diagonals, "_PIECE", piece)


def test_no_blocks_of_any_size():
    """A matrix without blocks needs no memory for entries, whatever the declared size of a block
    is."""
    size = 1 << 31
    pointers = np.zeros(2, dtype=np.int64)
    found = positions_of_blocks(
        np.empty((0, size, size), dtype=bool), [], pointers, (size, size), "a"
    )
    assert [array.size for array in found] == [0, 0, 0]


@looped("piece", [1, 3, 10, 1 << 17])
@looped("block", [(1, 1), (3, 1), (1, 4), (2, 3)])
@looped("with_zeros", [False, True])
@looped("drop_zeros", [False, True])
def test_blocks(run_seed, monkeypatch, piece, block, with_zeros, drop_zeros):
    """There are duplicate blocks, and their columns are in any order."""
    a_small_piece(monkeypatch, piece)
    rng = np.random.default_rng(run_seed)
    (height, width), count = block, 30
    shape = 7 * height, 9 * width
    lengths = rng.multinomial(count, np.ones(7) / 7)
    indptr, indices = np.concatenate(([0], np.cumsum(lengths))), rng.integers(0, 9, count)
    data = rng.integers(0 if with_zeros else 1, 3, (count, *block))
    A = np.zeros(shape, dtype=int)
    there = np.zeros(shape, dtype=bool)
    for i in range(7):
        for p in range(indptr[i], indptr[i + 1]):
            here = np.s_[i * height :, indices[p] * width :]
            A[here][:height, :width] += data[p]
            there[here][:height, :width] = True
    entries = places(*np.nonzero(A if drop_zeros else there))
    pattern = pattern_of_blocks(data, indices, indptr, shape, drop_zeros=drop_zeros, name="a")
    assert listed(pattern) == entries and pattern.name == "a"
    assert listed(pattern.stored_zeros) == places(*np.nonzero(there & (A == 0)))
    rows, cols, values = positions_of_blocks(data, indices, indptr, shape, None)
    assert rows.dtype == cols.dtype == np.int32
    sums = np.zeros(shape, dtype=int)
    np.add.at(sums, (rows, cols), values)
    assert (sums == A).all() and places(rows, cols) == places(*np.nonzero(there))


def test_one_block_of_a_large_matrix():
    """The columns and the rows of blocks are mostly empty."""
    shape = (2 * 2**40, 3 * 10**5)
    lists = np.array([77_777]), np.concatenate((np.zeros(9), np.ones(2**10 - 8))).astype(int)
    with pytest.raises(InvalidMatrixError, match="indptr has 1025 places"):
        pattern_of_blocks(np.ones((1, 2, 3)), *lists, shape, drop_zeros=False)
    shape = (2 * 2**10, 3 * 10**5)
    pattern = pattern_of_blocks(np.ones((1, 2, 3)), *lists, shape, drop_zeros=False)
    cols = 3 * 77_777 + np.arange(3).repeat(2)
    assert listed(pattern) == places(np.tile([16, 17], 3), cols)


@looped("piece", [1, 3, 10, 1 << 17])
@looped("shape", [(5, 8), (8, 5), (1, 9), (9, 1), (6, 6), (0, 4), (4, 0)])
@looped("length", [3, 7, 12])
def test_diagonals(run_seed, monkeypatch, piece, shape, length):
    """Some diagonals lie outside the shape, and some end before it or behind it."""
    a_small_piece(monkeypatch, piece)
    rng = np.random.default_rng(run_seed)
    offsets = rng.permutation(np.arange(-12, 12))[:15].astype(rng.choice(["i1", "i8"]))
    data = rng.integers(0, 3, (15, length))
    A = np.zeros(shape, dtype=int)
    for offset, diagonal in zip(offsets.tolist(), data, strict=True):
        for col in range(max(0, offset), min(shape[1], shape[0] + offset, length)):
            A[col - offset, col] = diagonal[col]
    rows, cols, values = positions_of_diagonals(data, offsets, shape, None)
    assert [*zip(cols, rows, strict=True)] == places(*np.nonzero(A)), "in canonical order"
    assert rows.dtype == cols.dtype == np.int32 and (A[rows, cols] == values).all()
    pattern = pattern_of_diagonals(data, offsets, shape, name="a")
    assert listed(pattern) == places(rows, cols) and pattern.name == "a"


def test_offsets_are_compared_without_a_table(monkeypatch):
    """`np.unique` may enter millions of offsets into a hash table, which takes far longer than
    `np.sort`, so it is not used."""
    monkeypatch.setattr(np, "unique", None)
    rows, cols, _ = positions_of_diagonals(np.ones((3, 4)), [9, -1, 2], (4, 4), None)
    assert places(rows, cols) == [(0, 1), (1, 2), (2, 0), (2, 3), (3, 1)]
    for twice in ([2, 1, 2], [99, 0, 99]):
        with pytest.raises(InvalidMatrixError, match="a diagonal is listed twice"):
            positions_of_diagonals(np.ones((3, 4)), twice, (4, 4), None)


@looped("empty", [0, 10_000])
@looped("owned", [False, True])
@looped("drop_zeros", [False, True])
@looped("width", [np.int8, np.int32, np.int64])
def test_zeros_among_duplicates(run_seed, empty, owned, drop_zeros, width):
    """The lists hold unsorted columns, rows, or positions. A position that also has a nonzero value
    is no stored zero. With 10,000 empty rows and columns, arrays of their length are avoided."""
    rng = np.random.default_rng(run_seed)
    count, shape = 200, (11 + empty, 13 + empty)
    rows = rng.integers(0, 11, count, dtype=width)
    cols, values = np.sort(rng.integers(0, 13, count, dtype=width)), rng.integers(0, 2, count)
    nonzero = values != 0
    entries, solid = places(rows, cols), places(rows[nonzero], cols[nonzero])
    how = {"values": values, "drop_zeros": drop_zeros, "owned": owned}
    indptr = np.searchsorted(cols, np.arange(shape[1] + 1))
    found = [
        Pattern.from_csc(indptr, rows.copy(), shape, **how),
        Pattern.from_csr(indptr, rows.copy(), shape[::-1], **how).T,
        Pattern.from_coo(rows.copy(), cols.copy(), shape, **how),
    ]
    for pattern in found:
        assert listed(pattern) == (solid if drop_zeros else entries)
        assert listed(pattern.stored_zeros) == sorted({*entries} - {*solid})
        assert pattern.indices.dtype == np.int32
    for given in (rows.copy(), memoryview(rows.copy())):
        Pattern.from_csc(indptr, given, shape, **how)
        assert (np.asarray(given) == rows).all(), "the arrays of the caller are not overwritten"


def test_values_of_a_matrix_with_mostly_empty_columns(run_seed):
    """Each entry takes a bisection of its column, without an array of the length n."""
    rng = np.random.default_rng(run_seed)
    places = rng.integers(0, 2**22, 40)
    rows, cols = rng.integers(0, 7, 300), places[rng.integers(0, 40, 300)]
    values = rng.integers(1, 9, 300).astype(float)
    A = scipy.sparse.coo_array((values, (rows, cols)), shape=(7, 2**22))
    V = as_valued(A)
    expected: dict[tuple[int, int], float] = {}
    for i, j, value in zip(rows, cols, values, strict=True):
        expected[int(j), int(i)] = expected.get((int(j), int(i)), 0.0) + value
    order = sorted(expected)
    assert listed(V.pattern) == order and V.values.tolist() == [expected[k] for k in order]
