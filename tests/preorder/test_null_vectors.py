# SPDX-License-Identifier: BSD-3-Clause
"""The rows and columns that the message about a singular matrix names: a change of one of them can
make its block nonsingular, and a change of others cannot."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import splu

import btfperm
from btfperm.errors import NumericallySingularError
from btfperm.preorder import blockwise
from btfperm.preorder.null_vectors import dependent
from tests.loops import looped

SIZE = 6


def duplicate_column(rng):
    A = whole(rng)
    A[:, 4] = A[:, 1]
    return A


def duplicate_column_and_row(rng):
    """The duplicate rows are 2 and 5, the duplicate columns 1 and 4: no number is in both pairs."""
    A = whole(rng)
    A[2] = A[5]
    A[:, 4] = A[:, 1]
    return A


def three_columns(rng):
    A = whole(rng)
    A[:, 3] = 2 * A[:, 0] - A[:, 1]
    return A


def square_inside(rng):
    """Rows 1 and 2 have entries only in columns 3 and 4. The determinant of this 2 x 2 matrix is
    zero."""
    A = whole(rng)
    A[1:3] = 0
    A[1:3, 3:5] = [[1, 2], [2, 4]]
    return A


def zero_column(rng):
    A = whole(rng)
    A[:, 2] = 0
    return A


def zero_row(rng):
    return zero_column(rng).T.copy()


def nullity_two(rng):
    A = duplicate_column(rng)
    A[:, 5] = A[:, 0]
    return A


def whole(rng):
    """A random matrix without zeros, so that any entry may be replaced. Elimination has no rounding
    errors, or nearly none."""
    return rng.choice([-4.0, -2, -1, 1, 2, 4, 8], (SIZE, SIZE))


KINDS = [
    duplicate_column,
    duplicate_column_and_row,
    three_columns,
    square_inside,
    zero_column,
    zero_row,
    nullity_two,
]


def named(message: str, what: str) -> list[int]:
    """The numbers of the rows or columns (`what`) that the message names."""
    (words,) = re.findall(rf"\b{what}s? (\d[\d, and]*) (?:are linearly|has no)", message)
    return [int(number) for number in re.findall(r"\d+", words)]


def beside_others(block):
    """A matrix with the given block as rows and columns 5 to 10, two other diagonal blocks, and
    entries above the blocks."""
    n = SIZE + 9
    A = np.zeros((n, n), block.dtype)
    A[:5, :5] = np.ones((5, 5)) + 2 * np.eye(5)
    A[-4:, -4:] = np.ones((4, 4)) + 3 * np.eye(4)
    A[0, 6] = A[3, -2] = A[7, -1] = 3
    A[5 : 5 + SIZE, 5 : 5 + SIZE] = block
    return A


def columns_that_repair(block):
    """A column j is listed if the rank is larger with another column j."""
    found = []
    for j in range(SIZE):
        changed = block.copy()
        changed[:, j] = np.random.default_rng(1).normal(size=SIZE)
        if np.linalg.matrix_rank(changed) > np.linalg.matrix_rank(block):
            found.append(j)
    return found


@pytest.mark.parametrize("large", [2, 64])  # with 2, each block is a segment; with 64, all are one
@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("kind", KINDS)
def test_another_row_or_column_makes_the_block_nonsingular_if_it_is_named(
    monkeypatch, kind, dtype, large
):
    monkeypatch.setattr(blockwise, "LARGE", large)
    monkeypatch.setattr(blockwise, "_MOST_NAMED", SIZE)
    tried = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        block = kind(rng).astype(dtype)
        if dtype is complex:
            block *= rng.choice([1, 1j], (SIZE, 1)) * rng.choice([1, 1j], SIZE)
        rows, cols = rng.permutation(SIZE + 9), rng.permutation(SIZE + 9)
        pattern = sp.csc_array(beside_others(np.ones((SIZE, SIZE)))[rows][:, cols])
        p = btfperm.preorder(pattern, weights="none")
        assert p.n_blocks == 3
        A = pattern.astype(dtype)  # with stored zeros
        A.data = beside_others(block)[rows][:, cols].T[pattern.toarray().T != 0]
        try:
            p.factor(A)
        except NumericallySingularError as error:
            message = str(error)
        else:
            continue  # because of rounding errors, no pivot is exactly zero
        tried += 1
        for names, own, transposed in ((rows, "row", True), (cols, "column", False)):
            found = sorted(int(names[number]) - 5 for number in named(message, own))
            assert found == columns_that_repair(block.T if transposed else block), message
    assert tried >= 3


@looped("exponents", [(0, 0), (150, -150), (-250, 0), (150, 150)])
def test_rows_and_columns_of_all_sizes(exponents):
    rng = np.random.default_rng(3)
    A = sp.csc_array(duplicate_column(rng))
    first, last = (2.0 ** (k * rng.uniform(-2, 2, SIZE).round()) for k in exponents)
    A.data *= first[A.indices] * np.repeat(last, np.diff(A.indptr))
    assert set(dependent(A, splu_or_none).cols.tolist()) == {1, 4}


def splu_or_none(A):
    try:
        return splu(A)
    except RuntimeError:
        return None


def test_what_is_not_singular_has_no_dependent_columns():
    A = sp.csc_array(np.array([[2.0, 1], [1, 3]]))
    assert dependent(A, splu_or_none) is None


def test_the_search_ends_if_there_are_no_factors():
    calls = []
    assert dependent(sp.csc_array(np.ones((2, 2))), calls.append) is None
    assert len(calls) == 2


def test_missing_entries_of_the_pattern():
    """The matrix has fewer entries than the pattern, so that a row of its block is empty."""
    p = btfperm.preorder(np.ones((4, 4)))
    A = np.array([[1.0, 2, 3, 4], [0, 0, 0, 0], [4, 1, 2, 2], [1, 1, 1, 1]])
    with pytest.raises(NumericallySingularError, match="and row 1 has no nonzeros"):
        p.factor(sp.csc_array(A))


@pytest.mark.parametrize("coupling", [0.0, 1e6])
def test_the_singular_one_of_many_blocks_is_found(monkeypatch, coupling):
    """With large entries between the blocks, a null vector of the whole matrix is nearly zero in
    the singular block."""
    n = 5_000
    A = sp.block_diag([np.array([[1.0, 2], [3, 4]])] * n, format="csc")
    A += coupling * sp.eye_array(2 * n, k=2)
    p = btfperm.preorder(A)
    place = 2 * 3_210
    A = A.tolil()
    A[place, place : place + 2], A[place + 1, place : place + 2] = [1, 2], [2, 4]
    calls = []
    monkeypatch.setattr(blockwise, "_superlu", counted(blockwise._superlu, calls))
    number = int(np.searchsorted(p.blocks, np.flatnonzero(p.col_perm == place)[0], "right")) - 1
    text = rf"block {number:,}, which has 2 rows.*rows {place} and {place + 1} are linearly"
    with pytest.raises(NumericallySingularError, match=text):
        p.factor(A.tocsc())
    assert calls == [2 * n, 2 * n, 2]  # the factors, and two searches


def counted(function, calls):
    def count(A, *rest):
        calls.append(A.shape[0])
        return function(A, *rest)

    return count


def test_a_pivot_below_the_smallest_number():
    """The determinant is -1e-400, which is no number; the matrix is not singular."""
    A = np.array([[1.0, 1e-200], [1e-200, 0]])
    p = btfperm.preorder(np.ones((2, 2)))
    with pytest.raises(NumericallySingularError, match="a pivot is zero or too small to be repr"):
        p.factor(sp.csc_array(A))


def test_long_lists_are_cut():
    A = np.ones((40, 40))
    with pytest.raises(NumericallySingularError) as error:
        btfperm.preorder(A).factor(A)
    assert re.search(
        r"columns (\d+, ){3}\d+ and 36 others are linearly dependent", str(error.value)
    )
