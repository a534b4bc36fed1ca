# SPDX-License-Identifier: BSD-3-Clause
"""Matrices on a device: conversion, refusals, which device computes, and which device holds the
result."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings

import btfperm
from btfperm.pattern import DevicePattern, as_pattern
from tests import families, strategies
from tests.checks.check_transversal import check_transversal
from tests.on_device import device_problem, needs_a_device
from tests.oracles import plain_matching
from tests.transversal.methods import on_device

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("how", ["csc", "csr", "coo", "dense", "triple"])
@settings(max_examples=15, deadline=None)
@given(A=strategies.any_matrix())
def test_a_pattern_stays_on_its_device(how, A):
    if how == "triple":
        A = as_pattern(A).to_scipy()
    elif not (A.shape[0] and A.shape[1]):
        return  # CuPy has no matrices without rows or columns
    theirs, shape = on_device(A, how)
    P = btfperm.as_pattern(theirs, **shape)
    assert isinstance(P, DevicePattern) and P.device == 0
    ours = btfperm.as_pattern(A.toarray() if how == "dense" else A)
    for mine, other in ((P, ours), (P.T, ours.T)):
        there = mine.on_host()
        np.testing.assert_array_equal(there.indptr, other.indptr)
        np.testing.assert_array_equal(there.indices, other.indices)
        assert there.indices.dtype == other.indices.dtype
    t = btfperm.maximum_transversal(theirs, **shape)
    assert type(t.row_match).__module__.startswith("cupy") or not min(A.shape)
    entries = ours.to_scipy()  # not A: a dense array loses the stored zeros of A
    check_transversal(entries, t.on_host(), rank=plain_matching.structural_rank(entries))
    assert t.cover().size == t.structural_rank


@pytest.mark.parametrize("algorithm", ["auto", "pothen-fan"])
def test_the_cpu_accepts_device_matrices(algorithm):
    A = families.random_rectangle(3_000, 3_000, 3, 1).A
    theirs, _ = on_device(A, "csc")
    t = btfperm.maximum_transversal(theirs, backend="cpu", algorithm=algorithm)
    assert isinstance(t.row_match, np.ndarray) and t.backend == "cpu"
    check_transversal(A, t, rank=btfperm.structural_rank(A))


def test_a_named_cpu_algorithm_returns_arrays_on_the_device_of_the_matrix():
    A = families.random_rectangle(3_000, 3_000, 3, 1).A
    theirs, _ = on_device(A, "csc")
    t = btfperm.maximum_transversal(theirs, algorithm="pothen-fan", initializer="none")
    assert not isinstance(t.row_match, np.ndarray) and t.backend == "cpu"
    check_transversal(A, t.on_host(), rank=btfperm.structural_rank(A))


def test_canonical_columns_are_not_copied():
    theirs, shape = on_device(families.random_rectangle(500, 400, 3, 1).A, "triple")
    P = btfperm.as_pattern(theirs, **shape)
    assert P.indices.data.ptr == theirs[1].data.ptr
    assert P.indptr.data.ptr == theirs[2].data.ptr


def test_arrays_of_other_packages_are_exchanged_by_protocols():
    torch = pytest.importorskip("torch")
    A = families.random_rectangle(500, 400, 3, 1).A
    ours = btfperm.as_pattern(A)
    parts = [torch.from_numpy(part.copy()).cuda() for part in (ours.indices, ours.indptr)]
    P = btfperm.as_pattern((None, *parts), shape=A.shape)
    assert P.indices.data.ptr == parts[0].data_ptr()
    assert btfperm.structural_rank(P) == btfperm.structural_rank(A)


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [([0, 5], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 2, 1]), ([0, 1], [1, 1, 2])],
)
def test_wrong_arrays_are_refused(indices, indptr):
    import cupy

    triple = (None, cupy.asarray(indices), cupy.asarray(indptr))
    with pytest.raises(btfperm.InvalidMatrixError):
        btfperm.as_pattern(triple, shape=(3, 2))


def test_more_rows_than_the_type_of_the_indices_can_count():
    import cupy

    parts = [cupy.asarray(np.array(part, dtype=np.int32)) for part in ([0, 5], [0, 1, 2])]
    P = as_pattern((None, *parts), shape=(3_000_000_000, 2))
    assert P.indices.dtype == np.int64
    assert P.indices.tolist() == [0, 5] and P.indptr.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "values", [[1.0], [0.0, 1.0, 2.0, 3.0], [[1.0], [2.0], [3.0]], "abc", ["a", "b", "c"]]
)
@pytest.mark.parametrize("place", ["there", "here"])
def test_values_that_are_not_those_of_the_entries_are_refused(values, place):
    import cupy

    if place == "there":
        if not isinstance(values[0], (float, list)):
            return  # CuPy has no arrays of characters
        values = cupy.asarray(values)
    parts = [cupy.asarray(part) for part in ([0, 0, 1], [0, 2, 3])]
    with pytest.raises(btfperm.InvalidMatrixError, match="values of 3 positions"):
        as_pattern((values, *parts), shape=(2, 2))


def test_masked_values_are_refused():
    import cupy

    parts = [cupy.asarray(part) for part in ([0, 0, 1], [0, 2, 3])]
    with pytest.raises(btfperm.InvalidMatrixError, match="masked"):
        as_pattern((np.ma.masked_equal([1.0, 0.0, 2.0], 0.0), *parts), shape=(2, 2))


@pytest.mark.parametrize("values", [[1.0, 0.0, 2.0], np.array([1, 0, 2])])
def test_values_may_come_from_the_host(values):
    import cupy

    parts = [cupy.asarray(part) for part in ([0, 1, 1], [0, 2, 3])]
    P = as_pattern((values, *parts), shape=(2, 2), drop_zeros=True)
    assert P.on_host().indices.tolist() == [0, 1]
    assert P.stored_zeros.on_host().indices.tolist() == [1]


@pytest.mark.parametrize("drop_zeros", [False, True])
def test_values_that_add_up_to_zero_are_an_entry(drop_zeros):
    """A position given twice counts as a stored zero only if all its values are zero, as on the
    host, whatever their sum is."""
    import cupy
    import cupyx.scipy.sparse as cs

    rows, cols, values = np.array([0, 0, 1]), np.array([0, 0, 1]), np.array([1.0, -1.0, 2.0])
    ours = sp.coo_matrix((values, (rows, cols)), shape=(2, 2))
    parts = (cupy.asarray(part) for part in (values, rows, cols))
    theirs = cs.coo_matrix((next(parts), tuple(parts)), shape=(2, 2))
    P, expected = (as_pattern(A, drop_zeros=drop_zeros) for A in (theirs, ours))
    assert P.stored_zeros is None and expected.stored_zeros is None
    there = P.on_host()
    np.testing.assert_array_equal(there.indptr, expected.indptr)
    np.testing.assert_array_equal(there.indices, expected.indices)


def test_a_result_there_is_a_start():
    theirs, _ = on_device(families.random_rectangle(300, 400, 3, 1).A, "csc")
    t = btfperm.maximum_transversal(theirs)
    for start in (t, btfperm.dulmage_mendelsohn(theirs, transversal=t), t.col_match):
        again = btfperm.maximum_transversal(theirs, initial=start)
        np.testing.assert_array_equal(again.on_host().col_match, t.on_host().col_match)


def test_stored_zeros_on_a_device():
    import cupyx.scipy.sparse as cs

    A = sp.csc_matrix((np.array([1.0, 0.0, 2.0]), ([0, 1, 2], [0, 1, 2])), shape=(3, 3))
    with pytest.warns(btfperm.StoredZerosWarning, match="2 without them"):
        assert btfperm.structural_rank(cs.csc_matrix(A)) == 3
    assert btfperm.structural_rank(cs.csc_matrix(A), drop_zeros=True) == 2


def test_a_decomposition_stays_on_the_device():
    theirs, _ = on_device(families.triangular(50, 1).A, "csc")
    d = btfperm.dulmage_mendelsohn(theirs)
    assert d.n_blocks == 50 and not isinstance(d.row_perm, np.ndarray)
    t = btfperm.maximum_transversal(theirs)
    assert btfperm.dulmage_mendelsohn(theirs, transversal=t).n_blocks == 50
    assert btfperm.block_triangular_form(theirs, backend="gpu").n_blocks == 50


def test_rows_beside_columns():
    for seed in range(5):
        P = as_pattern(families.random_rectangle(3_000, 700, 4, seed).A)
        view = device_problem(P)
        indptr, indices = (part.get() for part in view.by_rows)
        T = P.T
        np.testing.assert_array_equal(indptr, T.indptr)
        for i in range(T.n):
            part = slice(T.indptr[i], T.indptr[i + 1])
            np.testing.assert_array_equal(np.sort(indices[part]), T.indices[part])


@pytest.mark.parametrize("size", [0, 1, 1000, 1 << 22, 5_000_001, 12_345_678])
def test_host_arrays_arrive_as_they_are(size):
    from btfperm.backends.gpu.arrays import upload

    array = np.random.default_rng(size).integers(0, 2**62, size)
    for _ in range(2):
        np.testing.assert_array_equal(upload(array).get(), array)


def test_the_callers_stream_is_used():
    needs_a_device("all streams run in order")
    import cupy

    A = families.random_rectangle(5_000, 5_000, 3, 1).A
    wait = cupy.RawKernel(
        'extern "C" __global__ void wait(long long cycles) {'
        "const long long begin = clock64(); while (clock64() - begin < cycles) {} }",
        "wait",
    )
    btfperm.structural_rank(on_device(A, "csc")[0], backend="gpu")  # compiles all kernels
    with cupy.cuda.Stream(non_blocking=True) as stream:
        theirs, _ = on_device(A, "csc")
        wait((1,), (1,), (np.int64(0),))
        entries = theirs.indices.copy()
        theirs.indices.fill(0)
        stream.synchronize()
        wait((1,), (1,), (np.int64(2 * 10**8),))  # a tenth of a second
        theirs.indices[:] = entries  # a search on another stream finds rank 1
        assert btfperm.structural_rank(theirs, backend="gpu") == btfperm.structural_rank(A)


def test_a_device_that_is_not_there():
    with pytest.raises(btfperm.BackendUnavailableError, match="no GPU 99"):
        btfperm.maximum_transversal(sp.eye_array(3), backend="gpu", device=99)


def test_each_device(run_seed):
    import cupy

    A = families.random_rectangle(3_000, 3_000, 3, run_seed).A
    for number in range(cupy.cuda.runtime.getDeviceCount()):
        t = btfperm.maximum_transversal(A, algorithm="apfb-wr", device=number)
        assert f"(device {number})" in t.device
        check_transversal(A, t)


def test_doctor_shows_it(capfd):
    from btfperm.backends.select import backends

    (found,) = (b for b in backends() if b.name == "gpu")
    assert found.works and "compute capability" in found.reason and "NVRTC" in found.reason
