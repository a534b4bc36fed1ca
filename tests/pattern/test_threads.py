# SPDX-License-Identifier: BSD-3-Clause
"""Several threads check, transpose and sort the input with the same result as one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from btfperm import InvalidArgumentError, _core
from btfperm.pattern import as_pattern
from tests import families, strategies


@pytest.fixture
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


@pytest.mark.parametrize("threads", [1, 2, 5])
@given(A=strategies.any_matrix(), data=st.data())
def test_passes_on_several_threads_find_the_same(everything_shared, threads, A, data):
    """The threads find any fault in the columns, at any position, and make the same row lists."""
    P = as_pattern(A)
    indptr, indices = P.indptr.copy(), P.indices.copy()
    for array in (indptr, indices):
        if array.size and data.draw(st.booleans()):
            place = data.draw(st.integers(0, array.size - 1))
            array[place] = data.draw(st.integers(-2, max(*P.shape, P.nnz) + 2))
    alone = _core.pattern.check_columns(P.m, indptr, indices)
    assert _core.pattern.check_columns(P.m, indptr, indices, threads=threads) == alone
    starts, lists = np.empty(P.m + 1, P.indices.dtype), np.empty(P.nnz, P.indices.dtype)
    _core.pattern.transpose(P.m, P.indptr, P.indices, starts, lists, threads=threads)
    rows = sp.csr_array(P.to_scipy())
    np.testing.assert_array_equal(starts, rows.indptr)
    np.testing.assert_array_equal(lists, rows.indices)


@pytest.mark.parametrize("m", [1, 2, 511, 512, 513, 514, 1023, 1024, 1025, 1026, 2049])
def test_row_lists_of_any_number_of_rows(everything_shared, m):
    """The threads divide the rows into at most 512 parts."""
    P = as_pattern(families.random_rectangle(m, 700, 5, m).A)
    rows = sp.csr_array(P.to_scipy())
    for threads in (2, 3):
        starts, lists = np.empty(P.m + 1, P.indices.dtype), np.empty(P.nnz, P.indices.dtype)
        _core.pattern.transpose(P.m, P.indptr, P.indices, starts, lists, threads=threads)
        np.testing.assert_array_equal(starts, rows.indptr)
        np.testing.assert_array_equal(lists, rows.indices)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("threads", [None, 1, 3])
def test_many_entries_are_taken_by_several_threads(container, threads, run_seed):
    """Rows are converted to columns, and unordered columns are sorted, as by one thread."""
    A = sp.csr_array(families.random_rectangle(200_000, 250_000, 3, run_seed).A)
    right = A.tocsc()
    right.sort_indices()
    given = container(A)
    given.indices = given.indices.copy()
    begin, end = given.indptr[:-1], given.indptr[1:]
    several = end - begin > 1
    first, last = begin[several], end[several] - 1
    given.indices[first], given.indices[last] = given.indices[last], given.indices[first]
    P = as_pattern(given, threads=threads)
    np.testing.assert_array_equal(P.indptr, right.indptr)
    np.testing.assert_array_equal(P.indices, right.indices)
    with pytest.raises(InvalidArgumentError, match="threads"):
        as_pattern(given, threads=0)
