# SPDX-License-Identifier: BSD-3-Clause
"""Values of matrices on a GPU, compared with those on the host, on matrices small enough for an
emulated device."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from btfperm import ValuedPattern, as_valued
from btfperm.errors import InvalidMatrixError
from tests.oracles.plain_values import assert_is, lists_of, same_pattern

pytestmark = pytest.mark.gpu


def matrices_there(A, dtype):
    """`A` with values of this type, and the same entries in each form on the device, in the order
    of `A` and with duplicates. CuPy's sparse matrices hold no integers."""
    import cupy
    import cupyx.scipy.sparse as cs

    positions = A.row.astype(np.int32), A.col.astype(np.int32)
    A = sp.coo_matrix((A.data.astype(dtype), positions), A.shape)
    cols = tuple(cupy.asarray(part) for part in lists_of(A, False))
    strided = cupy.asarray(np.repeat(cols[0].get(), 2))[::2], *cols[1:]
    if A.dtype.kind == "i":
        return A, [cols, strided]
    coo = cs.coo_matrix(A)
    coo.data, coo.row, coo.col = (cupy.asarray(part) for part in (A.data, A.row, A.col))
    rows = tuple(cupy.asarray(part) for part in lists_of(A, True))
    compressed = cs.csr_matrix(rows, shape=A.shape), cs.csc_matrix(cols, shape=A.shape)
    return A, [coo, *compressed, strided]


def random_list(seed):
    """Duplicates, stored zeros, and values whose sums depend on the order."""
    rng = np.random.default_rng(seed)
    m, n, count = rng.integers(1, 9), rng.integers(1, 9), rng.integers(0, 40)
    values = rng.uniform(-40, 40, count) * (rng.random(count) < 0.7)
    return sp.coo_array((values, (rng.integers(0, m, count), rng.integers(0, n, count))), (m, n))


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128, np.int16, np.int64])
def test_values_on_a_device_are_those_of_the_host(dtype, drop):
    """The values are equal bit by bit, because both sum duplicates in the order of the list."""
    for seed in range(10):
        A, forms = matrices_there(random_list(seed), dtype)
        ours = as_valued(A, drop_zeros=drop)
        for form in forms:
            shape = A.shape if isinstance(form, tuple) else None
            there = as_valued(form, shape=shape, drop_zeros=drop)
            assert there.pattern.backend == "gpu" and hasattr(there.values, "get")
            for V, W in ((there.on_host(), ours), (there.T.on_host(), ours.T)):
                same_pattern(V, W.pattern)
                assert V.values.dtype == W.values.dtype
                assert V.values.tobytes() == W.values.tobytes()
            assert there.require_finite() is there
            other = as_valued(there, drop_zeros=not drop).on_host()
            wanted = as_valued(A, drop_zeros=not drop)
            same_pattern(other, wanted.pattern)
            np.testing.assert_array_equal(other.values, wanted.values)  # a dropped -0 returns as 0


def test_other_forms_on_a_device():
    import cupy

    D = np.array([[0, 1.5, 0], [2, 0, -3]])
    ours, C = as_valued(D), sp.csc_array(D)
    indices, indptr = cupy.asarray(C.indices), cupy.asarray(C.indptr)
    triples = [(values, indices, indptr) for values in (C.data, cupy.asarray(C.data))]
    for there in (as_valued(cupy.asarray(D)), *(as_valued(t, shape=C.shape) for t in triples)):
        assert_is(there.on_host(), ours.to_scipy())
        again = pickle.loads(pickle.dumps(there))
        assert again.pattern.backend == "gpu" and again.values.tolist() == ours.values.tolist()
        assert_is(as_valued(there, drop_zeros=True).on_host(), ours.to_scipy())
    for shape in ((0, 3), (3, 0), (0, 0)):
        assert as_valued(cupy.asarray(np.zeros(shape))).T.on_host().shape == shape[::-1]
    with pytest.raises(InvalidMatrixError, match="the triple has no values"):
        as_valued((None, indices, indptr), shape=C.shape)
    with pytest.raises(InvalidMatrixError, match="truth values"):
        as_valued(cupy.asarray(D != 0))
    with pytest.raises(InvalidMatrixError, match="must be on its GPU"):
        ValuedPattern(again.pattern, ours.values)
    with pytest.raises(InvalidMatrixError, match="must be there, too"):
        ValuedPattern(ours.pattern, again.values)


def test_errors_on_a_device_name_row_and_column():
    import cupy

    with pytest.raises(InvalidMatrixError, match=r"row 1, column 2 .* is nan"):
        as_valued(cupy.asarray(np.array([[1, 0, 0], [0, 0, np.nan]]))).require_finite()
    values, indices, indptr = (
        cupy.asarray(np.array(part)) for part in ([100, 27, 1], [1, 1, 0], [0, 0, 2, 3])
    )
    triple = values.astype(np.int8), indices, indptr
    assert as_valued(triple, shape=(2, 3)).values.tolist() == [127, 1]
    triple = (values + 1).astype(np.int8), indices, indptr
    with pytest.raises(InvalidMatrixError, match=r"row 1, column 1 .* int8 cannot hold"):
        as_valued(triple, shape=(2, 3))
