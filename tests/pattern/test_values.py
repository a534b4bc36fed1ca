# SPDX-License-Identifier: BSD-3-Clause
"""Values of arrays, in the order of the pattern, compared with SciPy's."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm import ValuedPattern, as_pattern, as_valued
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.io import read_matrix, write_matrix
from btfperm.pattern import canonical
from btfperm.pattern.values import carried
from tests import strategies
from tests.oracles.plain_values import assert_is, lists_of, same_pattern, summed, wide

TYPES = [np.float64, np.float32, np.complex128, np.complex64, np.int8, np.int64, np.uint16]
LAYOUTS = ["coo", "csc", "csr", "bsr", "dia", "lil", "dok"]


def with_values(A, data, dtype):
    """`A` with small integers as values, some of them 0, so that sums are exact in any order."""
    least = 0 if np.dtype(dtype).kind == "u" else -3
    number = st.lists(st.integers(least, 3), min_size=A.nnz, max_size=A.nnz)
    values = np.array(data.draw(number), dtype=dtype)
    if values.dtype.kind == "c":
        values.imag = data.draw(number)
    return sp.coo_array((values, (A.row, A.col)), shape=A.shape)


# -- arrays ----------------------------------------------------------------------------------------


@given(A=strategies.any_matrix(), data=st.data(), dtype=st.sampled_from(TYPES))
def test_lists_in_any_order_with_duplicates(A, data, dtype):
    A = with_values(A, data, dtype)
    C, rows, cols = summed(A), lists_of(A, True), lists_of(A, False)
    for given_form in (A, sp.csr_array(rows, shape=A.shape), sp.csc_array(cols, shape=A.shape)):
        assert_is(as_valued(given_form), C)
    assert_is(as_valued(cols, shape=A.shape), C)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("make", [sp.coo_array, sp.coo_matrix])
def test_every_layout_of_scipy(layout, make):
    A = make(np.array([[0, 1.5, 0, -2], [3, 0, 0, 4], [0, 5, 6, 0]]))
    given_form = A.asformat(layout)
    assert_is(as_valued(given_form, drop_zeros=True), summed(A))  # bsr stores zeros
    same_pattern(as_valued(given_form), as_pattern(given_form))


@given(A=strategies.any_matrix(), data=st.data(), drop=st.sampled_from([None, False, True]))
def test_the_pattern_is_that_of_as_pattern(A, data, drop):
    """Values stay with their entries, whichever zeros are dropped."""
    A = with_values(A, data, np.float64)
    for given_form in (A, sp.csr_array(lists_of(A, True), shape=A.shape)):
        V = as_valued(given_form, drop_zeros=drop)
        same_pattern(V, as_pattern(given_form, drop_zeros=drop))
        np.testing.assert_array_equal(V.to_scipy().toarray(), summed(A).toarray())
        for other in (False, True):
            changed = as_valued(V, drop_zeros=other)
            same_pattern(changed, as_pattern(given_form, drop_zeros=other))
            np.testing.assert_array_equal(changed.to_scipy().toarray(), summed(A).toarray())


def test_cancelled_duplicates_remain_and_zeros_that_are_added_do_no_harm():
    A = sp.coo_array(([1.0, -1, 0, 5, 0, 0], ([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 0])), (3, 1))
    assert as_valued(A).values.tolist() == [0, 5, 0]
    V = as_valued(A, drop_zeros=True)
    assert V.pattern.indices.tolist() == [0, 1] and V.values.tolist() == [0, 5]


@pytest.mark.parametrize("dtype", [float, np.float16, complex, np.int16, np.uint64])
def test_dense_arrays(dtype):
    D = np.array([[0, 1, 0], [2, 0, 3]], dtype=dtype)
    for given_form in (D, np.asfortranarray(D)):
        V = as_valued(given_form)
        assert V.values.dtype == wide(dtype)
        assert V.values.tolist() == [2, 1, 3] and V.pattern.indices.tolist() == [1, 0, 1]
    assert as_valued([[0.0, 2.0]]).values.tolist() == [2]


def test_matrices_of_other_packages():
    class OfPyData:
        def to_scipy_sparse(self):
            return sp.csr_array([[0, 2.0], [1, 0]])

    assert as_valued(OfPyData()).values.tolist() == [1, 2]


def test_the_order_of_a_sum_is_that_of_the_list():
    """The sum is neither pairwise nor sorted. A single -0 keeps its sign."""
    parts = [1e16, 1.0, -1e16, 1.0, -0.0]
    A = sp.coo_array((parts, ([0, 0, 0, 0, 1], [0] * 5)), shape=(2, 1))
    values = as_valued(A).values
    assert values[0] == ((1e16 + 1.0) - 1e16) + 1.0 and np.signbit(values[1])


@pytest.mark.parametrize(
    ("dtype", "parts", "total"),
    [
        (np.int8, [100, 27], 127),
        (np.int8, [100, 28], None),
        (np.int8, [-100, -29], None),
        (np.int8, [127, 127, -127], 127),
        (np.uint8, [200, 56], None),
        (np.int64, [2**62, 2**62, -(2**62), 5], 2**62 + 5),
        (np.int64, [2**62, 2**62], None),
        (np.int64, [-(2**63), -1], None),
        (np.uint64, [2**63, 2**63 - 1], 2**64 - 1),
        (np.uint64, [2**63, 2**63], None),
    ],
)
def test_sums_of_integers_are_exact_or_refused(dtype, parts, total):
    count = len(parts)
    values = np.array([7, *parts], dtype=dtype)
    A = sp.coo_array((values, ([0, *[1] * count], [0, *[2] * count])), shape=(2, 3))
    if total is not None:
        assert as_valued(A).values.tolist() == [7, total]
        return
    with pytest.raises(InvalidMatrixError, match=f"row 1, column 2 .* {values.dtype} cannot hold"):
        as_valued(A)


@given(A=strategies.any_matrix(), data=st.data())
def test_transpose(A, data):
    A = with_values(A, data, np.complex128)
    assert_is(as_valued(A).T, summed(A.T))


def test_inputs_are_copied_unless_they_are_owned():
    A = sp.csc_array([[1.0, 2], [0, 3]])
    V, shared = as_valued(A), as_valued(A, owned=True)
    assert not np.shares_memory(V.values, A.data) and np.shares_memory(shared.values, A.data)
    with pytest.raises(ValueError, match="read-only"):
        V.values[0] = 2
    assert A.data.flags.writeable
    strided = np.arange(6.0)[::2], A.indices, A.indptr
    V = as_valued(strided, shape=(2, 2), owned=True)
    assert V.values.flags.c_contiguous and V.values.tolist() == [0, 2, 4]


# -- the class -------------------------------------------------------------------------------------


V0 = as_valued(sp.csc_array([[1.0, 2], [0, 3]]))


@pytest.mark.parametrize(
    "again", [lambda V: pickle.loads(pickle.dumps(V)), copy.copy, copy.deepcopy]
)
def test_copies(again):
    V = again(V0)
    assert type(V) is ValuedPattern and V.values.tolist() == [1, 2, 3]
    assert not V.values.flags.writeable


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([1.0, 2], "3 positions, but the values have the shape"),
        ([[1.0], [2], [3]], "the values have the shape"),
        (["a", "b", "c"], "are no numbers"),
        ([True, False, True], "truth values"),
        ([1.0, [2], 3], "are no numbers"),
        (np.ma.masked_array([1.0, 2, 3], [0, 1, 0]), "masked"),
    ],
)
def test_the_constructor_checks(values, what):
    with pytest.raises(InvalidMatrixError, match=what):
        ValuedPattern(V0.pattern, values)


def test_the_constructor_converts_and_copies():
    for dtype in (">f4", np.float64):
        values = np.array([1, 2, 3], dtype=dtype)
        V = ValuedPattern(V0.pattern, values)
        values[0] = 9
        assert V.values.dtype == np.float64 and V.values.tolist() == [1, 2, 3]
        V.to_scipy().data[0] = 9
        assert V.values.tolist() == [1, 2, 3]
    with pytest.raises(InvalidArgumentError, match="csc_array is no Pattern"):
        ValuedPattern(sp.csc_array((2, 2)), values)


def test_its_attributes():
    assert repr(V0) == "<ValuedPattern 2 x 2, 3 real entries>"
    A = sp.csc_array(([0, 5], [0, 1], [0, 2]), shape=(2, 1))
    assert repr(as_valued(A, drop_zeros=True)) == (
        "<ValuedPattern 2 x 1, 1 integer entry, 1 left out>"
    )
    assert as_valued(1j * A).field == "complex"


def test_every_function_takes_it(tmp_path):
    A = sp.csc_array([[2.0, 1, 0], [0, 3, 0], [4, 0, 5]])
    V = as_valued(A)
    assert as_pattern(V) is V.pattern
    assert as_valued(V) is V
    zeros = as_valued(sp.csc_array(([0.0, 5], [0, 1], [0, 2]), shape=(2, 1)))
    assert as_pattern(zeros, drop_zeros=True).indices.tolist() == [1]
    assert btfperm.structural_rank(V) == 3
    d = btfperm.block_triangular_form(V)
    np.testing.assert_array_equal(d.apply(V).toarray(), d.apply(A).toarray())
    b = A @ np.ones(3)
    np.testing.assert_allclose(btfperm.preorder(V).factor(V).solve(b), 1)
    write_matrix(tmp_path / "a.mtx", V)
    np.testing.assert_array_equal(read_matrix(tmp_path / "a.mtx").toarray(), A.toarray())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, complex(0, np.nan)])
def test_nonfinite_values_are_an_error_if_values_are_used(value):
    """Columns come first: the entry in row 0, column 2 is after that in row 1, column 1."""
    D = np.array([[1, 0, value], [0, value, 0]])
    for given_form in (D, sp.csr_array(D)):
        V = as_valued(given_form)
        assert V.nnz == 3
        with pytest.raises(InvalidMatrixError) as caught:
            V.require_finite()
        where = "the entry in row 1, column 1 (counted from 0) is"
        assert str(caught.value) == f"{where} {V.values[1]}; every value must be finite"


def test_finite_values_pass():
    for V in (V0, as_valued(np.eye(2, dtype=int)), as_valued(np.zeros((0, 3)))):
        assert V.require_finite() is V


def test_sums_beyond_float64_are_not_finite():
    A = sp.coo_array(([1e308, 1e308], ([0, 0], [1, 1])), shape=(1, 2))
    with pytest.raises(InvalidMatrixError, match=r"row 0, column 1 .* is inf"):
        as_valued(A).require_finite()


# -- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("A", "shape", "what"),
    [
        (V0.pattern, None, "a Pattern has no values"),
        ((None, [0], [0, 1]), (1, 1), "the triple has no values"),
        (([1.0], [0]), (1, 1), "a tuple must be"),
        (([1.0, 2.0], [0], [0, 1]), (1, 1), "1 positions, but the values have the shape"),
        (([1.0], [3], [0, 1]), (1, 1), "outside"),
        (np.eye(2, dtype=bool), None, "truth values"),
        (sp.eye_array(2, dtype=bool), None, "truth values"),
        (sp.eye_array(2, dtype=bool, format="csr"), None, "truth values"),
        (np.array([["a"]]), None, "are no numbers"),
        (np.ones(3), None, "two dimensions"),
        (sp.coo_array(np.ones(3)), None, "two dimensions"),
        ({}, None, "dict is no matrix"),
    ],
)
def test_matrices_without_values_are_refused(A, shape, what):
    with pytest.raises(InvalidMatrixError, match=what):
        as_valued(A, shape=shape)


def test_another_shape_is_refused():
    assert as_valued(np.eye(2), shape=(2, 2)).nnz == 2
    with pytest.raises(InvalidArgumentError, match=r"shape=\(3, 3\) was given"):
        as_valued(np.eye(2), shape=(3, 3))


def test_entries_that_the_pattern_lacks_are_refused():
    """This happens if another thread writes to the arrays."""
    with pytest.raises(InvalidMatrixError, match="changed while they were read"):
        carried(V0.pattern, np.array([1, 0, 1]), np.array([0, 1, 1]), np.ones(3))


# -- places ----------------------------------------------------------------------------------------


@given(A=strategies.any_matrix(), data=st.data(), width=st.sampled_from([np.int32, np.int64]))
def test_places(A, data, width):
    """Finds the place of each listed position in the pattern, or -1. The list is in any order, with
    duplicates and with positions outside the shape."""
    P, (m, n) = as_pattern(A), A.shape
    columns = P.indptr.astype(width), P.indices.astype(width)
    position = st.tuples(st.integers(-1, m), st.integers(-1, n))
    listed = [*zip(A.row.tolist(), A.col.tolist(), strict=True), *data.draw(st.lists(position))]
    order = data.draw(st.sampled_from([sorted, list, reversed]))
    rows, cols = np.array(list(order(listed)), dtype=width).reshape(-1, 2).T
    where = {
        key: p for p, key in enumerate(zip(P.indices.tolist(), P.cols().tolist(), strict=True))
    }
    wanted = [where.get(key, -1) for key in zip(rows.tolist(), cols.tolist(), strict=True)]
    places, found = canonical.places_in(columns, m, rows, cols)
    assert places.dtype == width and places.tolist() == wanted
    assert found == sum(place >= 0 for place in wanted)


# -- calls that need no values ---------------------------------------------------------------------


def test_calls_without_values_load_no_code_for_them(tmp_path):
    """A `Pattern` has no attribute for values, and neither module for values is imported."""
    write_matrix(tmp_path / "a.mtx", np.eye(2))
    program = f"""
import sys, numpy as np, scipy.sparse as sp, btfperm
P = btfperm.read({str(tmp_path / "a.mtx")!r})
for A in (P, np.eye(2), sp.eye_array(2), (None, [0], [0, 1])):
    P = btfperm.as_pattern(A, shape=(1, 1) if isinstance(A, tuple) else None)
    assert not any("values" in name for name in vars(P))
    btfperm.dulmage_mendelsohn(P)
assert not any(name.startswith("btfperm.pattern.value") for name in sys.modules)
btfperm.as_valued(np.eye(2))
assert "btfperm.pattern.values" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["i2", "i4", "i8", "u4", "f4", "f8", "c16"])
def test_values_in_either_byte_order_become_native(kind, order):
    data = np.array([3, 250, 1]).astype(order + kind)
    V = as_valued((data, [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    assert V.values.dtype.isnative and V.values.tolist() == [3, 250, 1]


@pytest.mark.parametrize("kind", ["i4", "f4", "f8", "c16"])
@pytest.mark.parametrize("make", [sp.csc_array, sp.csr_matrix])
def test_matrices_in_the_other_byte_order(tmp_path, make, kind):
    """SciPy accepts such values in compressed columns or rows, but converts no such matrix."""
    other = np.dtype(kind).newbyteorder()
    A = make(np.array([[4, 0, 6], [0, 5, 0], [0, 0, 1]], dtype=kind))
    B = make((A.data.astype(other), A.indices, A.indptr), shape=A.shape)
    assert B.data.dtype == other and not B.data.dtype.isnative
    assert as_pattern(B) == as_pattern(A)
    assert_is(as_valued(B), summed(A))
    for suffix in ("mtx", "npz", "mat"):
        write_matrix(tmp_path / f"a.{suffix}", B)
        np.testing.assert_array_equal(read_matrix(tmp_path / f"a.{suffix}").toarray(), A.toarray())
    d = btfperm.dulmage_mendelsohn(A)
    np.testing.assert_array_equal(d.apply(B).toarray(), d.apply(A).toarray())
    if kind == "f8":
        assert btfperm.weighted_transversal(B) == btfperm.weighted_transversal(A)
        np.testing.assert_array_equal(
            btfperm.solve(B, np.ones(3)).x, btfperm.solve(A, np.ones(3)).x
        )
