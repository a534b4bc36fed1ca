# SPDX-License-Identifier: BSD-3-Clause
"""Values that are no numbers, zeros, limits, wrong engines, and the result as an object."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import _core
from btfperm.weighted import bottleneck, moduli, weigh
from btfperm.weighted.certificate import prove
from tests.faults.test_allocation import each_failure
from tests.weighted.test_weighted_transversal import check_scalings

SMALL = np.array([[1.0, 10.0, 0.0], [4.0, 2.0, 0.0], [3.0, 0.0, 5.0]])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, complex(1, np.nan)])
def test_no_number(value):
    A = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=type(value))
    A[1, 0] = value
    with pytest.raises(btfperm.InvalidMatrixError, match="row 1, column 0"):
        btfperm.weighted_transversal(A)


def test_a_modulus_that_overflows():
    A = np.array([[1.0, 0], [0, complex(1.7e308, 1.7e308)]])
    with pytest.raises(btfperm.InvalidMatrixError, match=r"row 1, column 1 .* too large"):
        btfperm.weighted_transversal(A)


def test_no_values():
    with pytest.raises(btfperm.InvalidMatrixError, match="no values"):
        btfperm.weighted_transversal(btfperm.as_pattern(SMALL))


def test_an_unknown_objective():
    with pytest.raises(btfperm.InvalidArgumentError, match="'largest' is unknown"):
        btfperm.weighted_transversal(SMALL, objective="largest")
    with pytest.raises(btfperm.InvalidArgumentError, match=r", and algorithm='heavy-perfect'$"):
        btfperm.weighted_transversal(SMALL, objective="heavy-perfect")


def test_stored_zeros_are_never_matched():
    A = sp.csc_array(([0.0, 1.0, 2.0], ([0, 1, 0], [0, 0, 1])), shape=(2, 2))
    B = sp.csc_array(([0.0, 1.0, 2.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    with pytest.warns(btfperm.StoredZerosWarning, match="does not change the structural rank"):
        assert btfperm.weighted_transversal(A).row_match.tolist() == [1, 0]
    with pytest.warns(btfperm.StoredZerosWarning, match="rank is 1, and 2 when they are kept"):
        w = btfperm.weighted_transversal(B)
    assert w.structural_rank == 1 and w.row_match.tolist() == [-1, 1]


@pytest.mark.parametrize("kind", ["product", "sum", "bottleneck"])
def test_duplicates_that_cancel(kind):
    A = sp.coo_array(([1.0, -1.0, 3.0, 5.0], ([0, 0, 1, 0], [0, 0, 0, 1])), shape=(2, 2))
    w = btfperm.weighted_transversal(A, objective=kind)
    assert w.row_match.tolist() == [1, 0]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, np.complex64, np.float32])
def test_types_of_values(dtype):
    A = sp.csc_array(np.array([[1, 9], [100, 3]]).astype(dtype))
    w = btfperm.weighted_transversal(A)
    assert w.objective == pytest.approx(np.log(900.0))
    assert btfperm.weighted_transversal(btfperm.as_valued(A)) == w


def test_the_smallest_integer():
    A = np.array([[-128, 1], [1, 1]], dtype=np.int8)
    assert btfperm.weighted_transversal(A, objective="sum").objective == 129


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (4, 0), (3, 5)])
@pytest.mark.parametrize("kind", ["product", "sum", "bottleneck"])
def test_without_entries(shape, kind):
    w = btfperm.weighted_transversal(sp.csc_array(shape), objective=kind)
    assert w.structural_rank == 0 and w.gap == 0
    assert w.row_match.tolist() == [-1] * shape[0]
    assert w.objective == (np.inf if kind == "bottleneck" else 0)


@pytest.mark.parametrize("kind", ["product", "bottleneck"])
@pytest.mark.parametrize("limit", [{"max_work": 1}, {"time_limit": 1e-9}])
def test_limits(kind, limit):
    A = sp.random(1000, 1000, 0.006, random_state=1, format="csc")
    with pytest.raises(btfperm.LimitReachedError):
        btfperm.weighted_transversal(A, objective=kind, **limit)


def test_a_limit_in_the_weighted_search():
    """The unweighted search ends within the limit, the weighted one does not."""
    rng = np.random.default_rng(0)
    A = np.exp(rng.normal(size=(400, 400)))
    with pytest.raises(btfperm.LimitReachedError, match="weighted search was stopped by max_work"):
        btfperm.weighted_transversal(A, max_work=300_000)


def test_a_limit_in_the_bisection():
    """The error holds the rank of the matrix, not bounds of the entries above a threshold."""
    A = sp.random(300, 300, 0.02, random_state=1, format="csc")
    pattern, modulus = moduli(btfperm.as_valued(A))
    d = btfperm.dulmage_mendelsohn(pattern)
    rank = d.structural_rank
    message = f"weighted search was stopped by max_work: the structural rank is {rank}, but"
    with pytest.raises(btfperm.LimitReachedError, match=message) as caught:
        weigh(pattern, modulus, d, "bottleneck", max_work=1)
    assert caught.value.rank_bounds == (rank, rank)


def test_the_searches_of_a_bisection_share_the_time_and_the_threads(monkeypatch):
    asked = []

    def search(A, *, time_limit, threads, **how):
        asked.append((time_limit, threads))
        return btfperm.maximum_transversal(A, time_limit=time_limit, threads=threads, **how)

    monkeypatch.setattr(bottleneck, "maximum_transversal", search)
    A = np.arange(1.0, 401).reshape(20, 20)
    w = btfperm.weighted_transversal(A, objective="bottleneck", time_limit=1000, threads=3)
    limits, threads = zip(*asked, strict=True)
    assert len(limits) == w.counters["thresholds"] > 5 and set(threads) == {3}
    assert 1000 > limits[0] > limits[-1] and sorted(limits, reverse=True) == [*limits]


def test_every_allocation_may_fail():
    expected = btfperm.weighted_transversal(SMALL)

    def call():
        assert btfperm.weighted_transversal(SMALL) == expected

    assert each_failure(call) > 0


def test_64_bit_indices():
    A = sp.random(60, 50, 0.1, random_state=2, format="csc")
    wide = sp.csc_array((A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64)), A.shape)
    valued = btfperm.as_valued(A)
    P = valued.pattern
    assert btfperm.weighted_transversal(wide) == btfperm.weighted_transversal(A)
    d = btfperm.dulmage_mendelsohn(P)
    arrays = [np.empty(60, np.int64), np.empty(50, np.int64), np.empty(60), np.empty(50)]
    blocks = [x.astype(np.int64) for x in (d.row_perm, d.col_perm, d.row_blocks, d.col_blocks)]
    columns = P.indptr.astype(np.int64), P.indices.astype(np.int64)
    _core.weighted.mc64(60, *columns, np.log(np.abs(valued.values)), *blocks, *arrays)
    w = btfperm.weighted_transversal(A)
    assert np.array_equal(arrays[0], w.row_match) and np.array_equal(arrays[2], w.row_dual)


def test_the_core_checks_its_arguments():
    V = btfperm.as_valued(SMALL)
    d = btfperm.dulmage_mendelsohn(V.pattern)
    P, blocks = V.pattern, (d.row_perm, d.col_perm, d.row_blocks, d.col_blocks)
    match, dual = np.zeros(3, np.int32), np.zeros(3)
    with pytest.raises(ValueError, match="value has 2 places"):
        _core.weighted.mc64(3, P.indptr, P.indices, np.ones(2), *blocks, match, match, dual, dual)
    with pytest.raises(ValueError, match="row_dual has 2 places"):
        _core.weighted.check_duals(
            3, P.indptr, P.indices, V.values, match, match, np.zeros(2), dual
        )


@pytest.mark.parametrize("row", range(3))
def test_a_dual_that_is_no_number_stays_the_excess(row):
    """If a dual is not a number, the excess is not a number either: later entries must not replace
    it."""
    P = btfperm.as_pattern(np.ones((3, 3)))
    match, dual = np.full(3, -1, P.indices.dtype), np.zeros(3)
    wrong = np.where(np.arange(3) == row, np.nan, 0.0)
    found = _core.weighted.check_duals(
        3, P.indptr, P.indices, -np.ones(9), match, match, wrong, dual
    )
    assert np.isnan(found[0]) and found[1] == row


@pytest.fixture
def proof_of():
    """Calls the certificate of SMALL with changed arrays."""
    V = btfperm.as_valued(SMALL)
    d = btfperm.dulmage_mendelsohn(V.pattern)
    w = btfperm.weighted_transversal(SMALL)
    right = [w.row_match, w.col_match, w.row_dual, w.col_dual]

    def call(**changed):
        arrays = [array.copy() for array in right]
        for name, change in changed.items():
            change(arrays[("row_match", "col_match", "row_dual", "col_dual").index(name)])
        return prove(V.pattern, np.log(V.values), d, *arrays)

    assert call().total == w.objective
    return call


def test_the_certificate_refuses_wrong_duals(proof_of):
    def add(place, amount):
        def change(array):
            array[place] += amount

        return change

    with pytest.raises(btfperm.DefectError, match="not feasible"):
        proof_of(row_dual=add(1, 1e-3))
    with pytest.raises(btfperm.DefectError, match="not feasible"):
        proof_of(col_dual=lambda array: array.fill(np.nan))
    with pytest.raises(btfperm.DefectError, match="below its bound"):
        proof_of(col_dual=add(2, -1e-3))


def test_the_certificate_refuses_wrong_matchings(proof_of):
    def swap(array):
        array[:2] = array[1::-1]

    def unmatch(array):
        array[2] = -1

    with pytest.raises(btfperm.DefectError, match=r"below its bound|not feasible"):
        proof_of(row_match=swap, col_match=swap)  # legal, but worse
    with pytest.raises(btfperm.DefectError, match="matched 2 entries of 3"):
        proof_of(row_match=unmatch)
    with pytest.raises(btfperm.DefectError, match="matched 2 entries of 3"):
        proof_of(row_match=unmatch, col_match=unmatch)


@pytest.mark.parametrize("transposed", [False, True])
def test_the_certificate_refuses_a_worse_choice_of_the_longer_side(transposed, monkeypatch):
    """The matrix has one row with two entries. The duals are feasible, and tight for either entry,
    so only the rule for unmatched vertices excludes the smaller entry."""
    A = np.array([[1.0, 10.0]])
    A = A.T if transposed else A
    V = btfperm.as_valued(A)
    d = btfperm.dulmage_mendelsohn(V.pattern)
    short, longer = np.array([0], np.int32), np.array([0, -1], np.int32)
    duals = np.array([0.0]), np.array([0.0, -np.log(10.0)])
    match = (longer, short) if transposed else (short, longer)
    dual = duals[::-1] if transposed else duals
    with pytest.raises(btfperm.DefectError, match="is not the largest of its block"):
        prove(V.pattern, np.log(V.values), d, *match, *dual)
    w = btfperm.weighted_transversal(A)
    assert w.objective == np.log(10.0)
    check_scalings(A, w)


def test_the_result_as_an_object():
    w = btfperm.weighted_transversal(SMALL)
    again = btfperm.weighted_transversal(SMALL)
    assert w == again and hash(w) == hash(again) and w != "w"
    assert w != btfperm.weighted_transversal(SMALL, objective="sum")
    assert pickle.loads(pickle.dumps(w)) == w == copy.deepcopy(w)
    assert "largest product, objective 5.29832" in repr(w)
    assert "structural rank" in w._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        w.row_match[0] = 1
    smallest = btfperm.weighted_transversal(SMALL, objective="bottleneck")
    assert smallest.log_row_scale is None and smallest.row_dual is None
    assert smallest.objective == 4.0 and smallest.counters["thresholds"] >= 1
