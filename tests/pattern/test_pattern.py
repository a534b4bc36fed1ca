# SPDX-License-Identifier: BSD-3-Clause
"""A Pattern is canonical for any input, read-only, and does not change the input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.pattern import Pattern, as_pattern, inverse, permute
from tests import strategies
from tests.loops import looped
from tests.oracles.plain_pattern import pattern

FORMATS = ["coo", "csc", "csr", "lil", "dok", "bsr", "dia"]


def assert_is(P, A, *, drop_zeros=False):
    """Checks that `P` is the canonical pattern of `A`."""
    expected = pattern(A, drop_zeros=drop_zeros)
    assert P.shape == expected.shape
    assert (P.m, P.n, P.nnz) == (*expected.shape, expected.nnz)
    np.testing.assert_array_equal(P.indptr, expected.indptr)
    np.testing.assert_array_equal(P.indices, expected.indices)
    assert P.indptr.dtype == P.indices.dtype == np.int32
    assert not P.indptr.flags.writeable and not P.indices.flags.writeable


def canonical_csc(A):
    """Canonical compressed columns, which `as_pattern` could share."""
    csc = pattern(A)
    csc.indices, csc.indptr = csc.indices.astype(np.int32), csc.indptr.astype(np.int32)
    return csc


@given(strategies.any_matrix(), st.sampled_from(FORMATS))
def test_every_scipy_format(A, kind):
    converted = A.asformat(kind)
    assert_is(as_pattern(converted), converted)


@given(strategies.any_matrix(), st.sampled_from(FORMATS))
def test_old_scipy_matrices(A, kind):
    converted = getattr(sp, f"{kind}_matrix")(A)
    assert_is(as_pattern(converted), converted)


@given(strategies.any_matrix())
def test_inputs_are_not_modified(A):
    for matrix in (A, sp.csr_array(A), sp.csc_array(A)):
        before = matrix.copy()
        as_pattern(matrix)
        as_pattern(matrix, drop_zeros=True)
        for name in ("data", "indptr", "indices", "row", "col"):
            if hasattr(matrix, name):
                np.testing.assert_array_equal(getattr(matrix, name), getattr(before, name))


@given(strategies.any_matrix())
def test_owned_arrays_are_not_copied_and_stay_writeable(A):
    """The arrays are not copied. Those of the pattern are read-only, but the caller may write to
    the given ones."""
    csc = canonical_csc(A)
    given = Pattern.from_csc(csc.indptr, csc.indices, csc.shape, owned=True)
    for P in (given, as_pattern(csc, owned=True)):
        assert np.shares_memory(P.indices, csc.indices) or not P.nnz
        assert csc.indices.flags.writeable and csc.indptr.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            P.indptr[0] = 1


@given(strategies.any_matrix())
def test_a_pattern_owns_its_arrays(A):
    """The caller may write to the matrix later."""
    csc, csr = canonical_csc(A), sp.csr_array(A)
    triple = (None, csc.indices, csc.indptr)
    patterns = [
        as_pattern(csc),
        as_pattern(triple, shape=A.shape),
        Pattern.from_csc(csc.indptr, csc.indices, A.shape),
        as_pattern(csr),
        Pattern.from_csr(csr.indptr, csr.indices, A.shape),
        as_pattern(A),
        Pattern.from_coo(A.row, A.col, A.shape),
    ]
    right = pattern(A)
    for array in (csc.indptr, csc.indices, csr.indptr, csr.indices, A.row, A.col):
        array[:] = 2**30
    for P in patterns:
        np.testing.assert_array_equal(P.indptr, right.indptr)
        np.testing.assert_array_equal(P.indices, right.indices)


def test_later_changes_of_the_matrix_do_not_reach_the_core():
    """The changed indices would be gigabytes beyond the end of the matching."""
    A = canonical_csc(sp.eye_array(1000))
    P = as_pattern(A)
    d = btfperm.dulmage_mendelsohn(A)
    A.indices[:] = 2**30
    assert btfperm.maximum_transversal(P).structural_rank == 1000
    assert btfperm.dulmage_mendelsohn(d.pattern).n_blocks == 1000


def test_one_array_for_rows_and_columns_may_be_owned():
    """Sorting in place must not overwrite elements that are still needed."""
    both = np.array([3, 1, 2, 0, 1], dtype=np.int32)
    assert_is(Pattern.from_coo(both, both, (4, 4), owned=True), np.eye(4))


def test_read_only_arrays_may_be_owned():
    rows, cols = np.array([1, 0], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    rows.flags.writeable = cols.flags.writeable = False
    assert_is(Pattern.from_coo(rows, cols, (2, 2), owned=True), np.eye(2)[::-1])


def test_a_zero_mask_may_be_a_list():
    P = Pattern.from_coo([0, 1], [0, 1], (2, 2), zero_mask=[True, False])
    assert P.stored_zeros is not None and P.stored_zeros.indices.tolist() == [0]


@given(st.data(), st.integers(0, 9))
def test_inverse(data, n):
    perm = np.array(data.draw(strategies.permutations_of(n)), dtype=np.int32)
    np.testing.assert_array_equal(perm[inverse(perm)], np.arange(n))
    np.testing.assert_array_equal(inverse(perm)[perm], np.arange(n))


@given(strategies.any_matrix())
def test_a_pattern_is_itself(A):
    P = as_pattern(A)
    assert_is(as_pattern(P), A)


@given(strategies.any_matrix())
def test_duplicates_and_order_do_not_matter(A):
    twice = sp.coo_array(
        (np.tile(A.data, 2), (np.tile(A.row[::-1], 2), np.tile(A.col[::-1], 2))), shape=A.shape
    )
    assert_is(as_pattern(twice), A)


@given(st.data(), strategies.any_matrix(), st.integers(1, 3))
def test_compressed_lists_in_any_order(data, A, copies):
    """Each list is shuffled and each entry occurs `copies` times, as is legal in CSC and CSR."""
    for compressed, make in (
        (pattern(A), Pattern.from_csc),
        (pattern(A).tocsr(), Pattern.from_csr),
    ):
        lists = np.split(compressed.indices, compressed.indptr[1:-1])
        lists = [data.draw(st.permutations(lst.tolist() * copies)) for lst in lists]
        indices = np.array([k for lst in lists for k in lst], dtype=np.int32)
        indptr = np.asarray(compressed.indptr * copies, dtype=np.int32)
        assert_is(make(indptr, indices, A.shape), A)


@given(strategies.any_matrix())
def test_constructors_agree(A):
    csc, csr = sp.csc_array(A), sp.csr_array(A)
    csc.sum_duplicates()
    assert_is(Pattern.from_coo(A.row, A.col, A.shape), A)
    assert_is(Pattern.from_csc(csc.indptr, csc.indices, A.shape), A)
    assert_is(Pattern.from_csr(csr.indptr, csr.indices, A.shape), A)


@given(strategies.any_matrix())
def test_transpose(A):
    P = as_pattern(A)
    assert_is(P.transpose(), A.T)
    assert_is(P.T.T, A)


@given(strategies.any_matrix())
def test_to_scipy(A):
    back = as_pattern(A).to_scipy()
    assert isinstance(back, sp.csc_array) and back.dtype == np.float64
    assert (back.data == 1).all()
    assert_is(as_pattern(back), A)


@given(st.data(), strategies.any_matrix())
def test_permute(data, A):
    m, n = A.shape
    row_perm = np.array(data.draw(strategies.permutations_of(m)), dtype=np.int64)
    col_perm = np.array(data.draw(strategies.permutations_of(n)), dtype=np.int64)
    expected = pattern(A)[row_perm, :][:, col_perm]
    assert_is(permute(as_pattern(A), row_perm, col_perm), expected)
    csr = sp.csr_array(A)
    csr.sum_duplicates()
    permuted = permute(csr, row_perm, col_perm)
    assert sp.issparse(permuted)
    np.testing.assert_array_equal(permuted.toarray(), csr.toarray()[row_perm, :][:, col_perm])


@given(strategies.stored_zeros())
def test_stored_zeros_are_entries_and_are_remembered(A):
    zeros = A.data == 0
    only = sp.coo_array((np.ones(zeros.sum()), (A.row[zeros], A.col[zeros])), shape=A.shape)
    for matrix in (A, sp.csc_array(A), sp.csr_array(A)):
        P = as_pattern(matrix)
        assert_is(P, A)
        assert not P.zeros_dropped
        if zeros.any():
            assert_is(P.stored_zeros, only)
        else:
            assert P.stored_zeros is None


@given(strategies.stored_zeros())
def test_stored_zeros_can_be_dropped(A):
    for matrix in (A, sp.csc_array(A), sp.csr_array(A)):
        P = as_pattern(matrix, drop_zeros=True)
        assert_is(P, matrix, drop_zeros=True)
        assert P.zeros_dropped == bool((A.data == 0).any())


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float32, np.complex128])
def test_value_types(dtype):
    A = np.array([[1, 0, 1], [0, 0, 1]]).astype(dtype)
    assert_is(as_pattern(sp.csr_array(A)), A)
    assert_is(as_pattern(A), A)


def test_nan_and_infinity_are_entries():
    A = np.array([[np.nan, 0.0], [np.inf, 0.0]])
    assert_is(as_pattern(A), sp.coo_array(([1.0, 1.0], ([0, 1], [0, 0])), shape=(2, 2)))
    assert as_pattern(sp.csc_array(A), drop_zeros=True).nnz == 2


def test_dense_lists():
    assert_is(as_pattern([[1, 0], [0, 2]]), np.eye(2))


def test_triple_with_a_shape():
    csc = sp.csc_array(np.array([[1.0, 0, 2], [0, 3, 0]]))
    assert_is(as_pattern((csc.data, csc.indices, csc.indptr), shape=csc.shape), csc)


def test_objects_that_can_become_sparse():
    class Foreign:
        def tocsc(self):
            return sp.csc_array(np.eye(3))

    assert_is(as_pattern(Foreign()), np.eye(3))


@pytest.mark.parametrize("index", [np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64])
def test_index_types(index):
    rows, cols = np.array([2, 0, 1], dtype=index), np.array([0, 1, 1], dtype=index)
    expected = sp.coo_array((np.ones(3), ([2, 0, 1], [0, 1, 1])), shape=(3, 2))
    assert_is(Pattern.from_coo(rows, cols, (3, 2)), expected)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_that_are_not_contiguous(order):
    pairs = np.array([[2, 0], [0, 1], [1, 1], [2, 1]], order=order)
    expected = sp.coo_array((np.ones(4), (pairs[:, 0], pairs[:, 1])), shape=(3, 2))
    assert_is(Pattern.from_coo(pairs[:, 0], pairs[:, 1], (3, 2)), expected)
    reverse = pairs[::-1]
    assert_is(Pattern.from_coo(reverse[:, 0], reverse[:, 1], (3, 2)), expected)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_empty_sides(shape):
    assert_is(as_pattern(sp.csc_array(shape)), sp.csc_array(shape))
    assert_is(as_pattern(np.zeros(shape)), sp.csc_array(shape))
    assert as_pattern(sp.csc_array(shape)).T.shape == shape[::-1]


def test_wide_indices_appear_where_they_are_needed():
    """A row index beyond 2^31 needs 64 bits, but no memory for the rows."""
    P = Pattern.from_coo([2**31 + 5, 3], [0, 1], (2**31 + 6, 2))
    assert P.indices.dtype == P.indptr.dtype == np.int64
    assert P.indices.tolist() == [2**31 + 5, 3]
    small = Pattern.from_coo(np.array([5, 3], dtype=np.int64), np.array([0, 1]), (6, 2))
    assert small.indices.dtype == np.int32


@given(strategies.stored_zeros())
def test_patterns_of_both_widths_fit_together(A):
    zeros = A.data == 0
    less = sp.coo_array((np.ones(zeros.sum()), (A.row[zeros], A.col[zeros])), shape=A.shape)
    P, Q = as_pattern(A), as_pattern(less)
    wide = Pattern(Q.shape, Q.indptr.astype(np.int64), Q.indices.astype(np.int64))
    assert_is(P.without(wide), A, drop_zeros=True)
    assert_is(P.union(wide), A)
    assert wide.without(P).indices.dtype == np.int64 and wide.without(P).nnz == 0


def test_other_forms_keep_the_name_and_the_source():
    """Patterns that are made from another one keep its name and source, so that the meta data of
    their results name the file and its hash."""
    source = {"file": "A.mtx", "sha256": "0" * 64}
    about = {"name": "A.mtx", "source": source}
    P = Pattern.from_coo([0, 1, 1], [0, 0, 2], (2, 3), values=[1.0, 0.0, 2.0], **about)
    less = as_pattern(P, drop_zeros=True)
    more = as_pattern(less, drop_zeros=False)
    assert (P.nnz, less.nnz, more.nnz) == (3, 2, 3)
    rows = Pattern.from_csr([0, 1, 2], [0, 2], (2, 3), values=[1.0, 0.0], **about)
    columns = Pattern.from_csc([0, 1, 1, 2], [0, 1], (2, 3), values=[1.0, 0.0], **about)
    for Q in (
        P,
        less,
        more,
        P.T,
        P.union(less),
        P.without(less),
        rows,
        columns,
        pickle.loads(pickle.dumps(P)),
    ):
        assert (Q.name, Q.source) == ("A.mtx", source)


def test_a_hundred_thousand_duplicates_of_one_entry():
    zeros = np.zeros(100_000, dtype=np.int32)
    assert Pattern.from_coo(zeros, zeros, (1, 1)).nnz == 1
    csr = sp.csr_array((np.ones(100_000), zeros, [0, 100_000]), shape=(1, 1))
    assert as_pattern(csr).nnz == 1


@looped("count", [3, 2**11 - 1, 2**11])
@looped("kind", ["?", "i1", "u8", "f2", "f4", "f8", "c8", "O"])
def test_few_and_many_values_hold_the_same_zeros(count, kind):
    indptr, rows = [0, count], np.arange(count)
    values = np.ones(count).astype(kind)
    assert Pattern.from_csc(indptr, rows, (count, 1), values=values).stored_zeros is None
    values[count - 2] = 0
    zeros = Pattern.from_csc(indptr, rows, (count, 1), values=values).stored_zeros
    assert zeros is not None and zeros.indices.tolist() == [count - 2]


@pytest.mark.parametrize("count", [3, 2**11])
def test_a_negative_zero_is_a_zero_and_nan_is_not(count):
    values = np.ones(count)
    values[0], values[1] = np.nan, -0.0
    P = Pattern.from_csc([0, count], np.arange(count), (count, 1), values=values)
    assert P.stored_zeros is not None and P.stored_zeros.indices.tolist() == [1]
