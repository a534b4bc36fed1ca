# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of other packages (PyData sparse, CasADi), rare layouts of SciPy, and other objects.

The packages are large and not installed for the tests; stand-ins have their methods. The same tests
use the packages if they are installed.
"""

from __future__ import annotations

import ctypes
import importlib
from array import array

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.io import read_matrix, write_matrix
from btfperm.pattern import as_pattern
from tests.loops import looped

DENSE = np.array([[0.0, 2, 0], [1, 0, 0], [0, 0, 4]])
FAR = np.int32([0, 10**7, 0])


class OfPyData:
    """The attributes of PyData's COO and GCXS; their `tocsc` does not return SciPy's class."""

    format, shape, nnz, fill_value = "gcxs", DENSE.shape, 3, 0

    def to_scipy_sparse(self):
        if self.fill_value:
            raise ValueError("operation requires zero fill values")
        return sp.csr_array(DENSE)

    def tocoo(self):
        return self

    tocsc = tocoo

    def __array__(self, *_, **__):
        raise RuntimeError("Cannot convert a sparse array to dense automatically.")


class OfCasadi:
    """A CasADi ``Sparsity``, which NumPy would convert to a dense array."""

    columns = sp.csc_array(DENSE)

    def size1(self):
        return 3

    def size2(self):
        return 3

    def colind(self):
        return self.columns.indptr.tolist()

    def row(self):
        return self.columns.indices.tolist()

    def __array__(self, *_, **__):
        raise AssertionError("converted to dense")


class Expressions(OfCasadi):
    """CasADi's ``SX`` and ``MX``."""

    shape = DENSE.shape

    def sparsity(self):
        return OfCasadi()


def of_package(name, make):
    """`make(package)`, or a skip with the reason if the package is missing."""
    if importlib.util.find_spec(name) is None:
        return pytest.param(None, id=name, marks=pytest.mark.skip(f"{name} is not installed"))
    return pytest.param(lambda: make(importlib.import_module(name)), id=f"{name} itself")


SPARSE = [
    pytest.param(OfPyData, id="like PyData"),
    of_package("sparse", lambda sparse: sparse.COO.from_numpy(DENSE)),
    of_package("sparse", lambda sparse: sparse.GCXS.from_numpy(DENSE)),
    of_package("casadi", lambda casadi: casadi.sparsify(casadi.DM(DENSE))),
]
WITHOUT_VALUES = [
    pytest.param(OfCasadi, id="like CasADi"),
    of_package("casadi", lambda casadi: casadi.sparsify(casadi.DM(DENSE)).sparsity()),
]


@pytest.mark.parametrize("make", SPARSE)
def test_sparse_matrices_of_other_packages(make, tmp_path):
    A = make()
    P = as_pattern(A)
    np.testing.assert_array_equal(P.to_scipy().toarray() != 0, DENSE != 0)
    assert btfperm.structural_rank(A) == 3
    d, p = btfperm.dulmage_mendelsohn(A), btfperm.preorder(A)
    expected = DENSE[d.row_perm, :][:, d.col_perm]
    np.testing.assert_array_equal(d.apply(A).toarray(), expected)
    np.testing.assert_allclose(DENSE @ p.factor(A).solve(np.ones(3)), np.ones(3))
    write_matrix(tmp_path / "a.mtx", A)
    np.testing.assert_array_equal(read_matrix(tmp_path / "a.mtx").toarray(), DENSE)


@pytest.mark.parametrize("make", WITHOUT_VALUES)
def test_patterns_of_other_packages(make, tmp_path):
    A = make()
    P = as_pattern(A)
    np.testing.assert_array_equal(P.to_scipy().toarray() != 0, DENSE != 0)
    d = btfperm.dulmage_mendelsohn(A)
    assert isinstance(d.apply(A), btfperm.Pattern)
    write_matrix(tmp_path / "a.mtx", A)
    assert read_matrix(tmp_path / "a.mtx").dtype == bool
    with pytest.raises(InvalidArgumentError, match="no values to factor"):
        btfperm.preorder(A).factor(A)


def test_a_pattern_of_another_package_costs_its_entries():
    """A dense array of this shape would need 8 TB."""

    class Large(OfCasadi):
        def size1(self):
            return 10**6

        size2 = size1

        def colind(self):
            return [0] * 10**6 + [1]

        def row(self):
            return [10**6 - 1]

    assert as_pattern(Large()).nnz == btfperm.structural_rank(Large()) == 1


def test_expressions_have_a_pattern_and_no_values():
    A = Expressions()
    assert as_pattern(A).nnz == 3
    with pytest.raises(InvalidMatrixError, match=r"sparsity\(\)"):
        btfperm.dulmage_mendelsohn(A).apply(A)


def test_conversions_that_fail():
    A, S = OfPyData(), OfCasadi()
    A.fill_value = 1
    S.row = lambda: [0, 2**30, 1]
    for thing, message in ((A, "OfPyData cannot .* zero fill values"), (S, "row index 1073741824")):
        for call in (as_pattern, btfperm.dulmage_mendelsohn(DENSE).apply):
            with pytest.raises(InvalidMatrixError, match=message):
                call(thing)


class Sequence:
    """A sequence that NumPy would convert entry by entry."""

    def __len__(self):
        return 3

    def __getitem__(self, i):
        if not 0 <= i < 3:
            raise IndexError
        return DENSE[i]


class SparseContainer:
    """A container that NumPy would convert to zeros."""

    nnz, shape = 3, DENSE.shape

    def __array__(self, *_, **__):
        raise AssertionError("converted to dense")


@pytest.mark.parametrize(
    "thing", [Sequence(), SparseContainer(), {1, 2}, range(3)], ids=lambda t: type(t).__name__
)
def test_nothing_is_made_dense_entry_by_entry(thing, tmp_path):
    for call in (
        as_pattern,
        btfperm.dulmage_mendelsohn(DENSE).apply,
        lambda A: write_matrix(tmp_path / "a.mtx", A),
    ):
        with pytest.raises(InvalidMatrixError, match="is no matrix: give"):
            call(thing)
    with pytest.raises(InvalidMatrixError, match="is no matrix to factor"):
        btfperm.preorder(DENSE).factor(thing)


def test_arrays_of_other_packages_are_read():
    class Table:
        def __array__(self, *_, **__):
            return DENSE

    buffer = (ctypes.c_double * DENSE.shape[1] * DENSE.shape[0])()
    np.asarray(buffer)[:] = DENSE
    for A in (Table(), memoryview(DENSE), DENSE.tolist(), buffer):
        assert as_pattern(A).nnz == 3
    for other in (array("d", [1.0, 2.0]), (ctypes.c_double * 2 * 2 * 2)()):
        with pytest.raises(InvalidMatrixError, match="is no matrix: give"):
            as_pattern(other)


# -- SciPy's layouts, with arrays that were changed --------------------------------------------


def changed(layout, **parts):
    A = getattr(sp, f"{layout}_array")(np.kron(np.eye(2), np.ones((2, 2))))
    if layout == "bsr":
        A = A.tobsr((2, 2))
    for name, value in parts.items():
        setattr(A, name, value)
    return A


def lists(*lines):
    array = np.empty(len(lines), dtype=object)
    array[:] = lines
    return array


NONE = np.zeros(0, np.int32)
HOSTILE = {
    "csc": changed("csc", indptr=np.int32([0, 10**7, 0, 0, 0]), indices=NONE, data=np.zeros(0)),
    "csr": changed("csr", indptr=np.int32([0, -(10**7), 0, 0, 0]), indices=NONE, data=np.zeros(0)),
    "csc few values": changed("csc", data=np.zeros(1)),
    "csc real pointers": changed("csc", indptr=np.array([0, 2, 4, 6, 8.0])),
    "csr outside": changed("csr", indices=np.int32([0, 1, 0, 1, 2, 3, 2, 2**30])),
    "coo outside": changed("coo", coords=(np.int32([0, 2**30]), np.int32([0, 0])), data=np.ones(2)),
    "coo short": changed("coo", coords=(np.int32([0]), np.int32([0, 0])), data=np.ones(2)),
    "coo empty": changed("coo", coords=()),
    "bsr": changed("bsr", indptr=FAR, indices=NONE, data=np.zeros((0, 2, 2))),
    "bsr outside": changed("bsr", indices=np.int32([0, 2])),
    "bsr negative": changed("bsr", indices=np.int32([0, -1])),
    "bsr few values": changed("bsr", data=np.ones((1, 2, 2))),
    "bsr no blocks": changed("bsr", data=np.ones((2, 0, 0))),
    "bsr flat": changed("bsr", data=np.ones(8)),
    "lil outside": changed("lil", rows=lists([0, 2**30], [0, 1], [2, 3], [2, 3])),
    "lil real": changed("lil", rows=lists([0, 0.5], [0, 1], [2, 3], [2, 3])),
    "lil text": changed("lil", rows=lists([0, "a"], [0, 1], [2, 3], [2, 3])),
    "lil many values": changed("lil", data=lists([1.0] * 10**5, [1.0], [1.0], [1.0])),
    "lil no lists": changed("lil", rows=lists(3, 4, 5, 6)),
    "lil short": changed("lil", rows=lists([0, 1]), data=lists([1.0, 1.0])),
    "dok outside": changed("dok", _dict={(0, 0): 1.0, (4, 0): 1.0}),
    "dok negative": changed("dok", _dict={(0, 0): 1.0, (0, -1): 1.0}),
    "dok real": changed("dok", _dict={(0, 0): 1.0, (0.5, 1): 1.0}),
    "dok text": changed("dok", _dict={"ab": 1.0}),
    "dok no value": changed("dok", _dict={(0, 0): "x"}),
    "dia two lists": changed("dia", offsets=np.int64([0])),
    "dia huge": changed("dia", offsets=np.int64([-(2**63), 0, 2**63 - 1])),
    "dia real": changed("dia", offsets=np.array([0.5, 1, 2])),
}


@looped("A", HOSTILE.values(), ids=HOSTILE)
def test_changed_arrays_are_refused_everywhere(A, tmp_path):
    d, p = btfperm.dulmage_mendelsohn(np.eye(4)), btfperm.preorder(np.eye(4))
    for call in (
        as_pattern,
        btfperm.structural_rank,
        d.apply,
        p.apply,
        lambda A: write_matrix(tmp_path / "a.mtx", A),
        lambda A: write_matrix(tmp_path / "a.mat", A),
    ):
        with pytest.raises(InvalidMatrixError):
            call(A)
    with pytest.raises(InvalidMatrixError, match="is no matrix to factor"):
        p.factor(A)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("by", ["apply", "factor"])
def test_triples_with_changed_arrays(by):
    call = getattr(btfperm.preorder(np.eye(2)), by)
    for triple in (
        (np.zeros(0), NONE, FAR),
        (np.ones(2), [0, 2**30], [0, 1, 2]),
        (np.ones(1), [0, 1], [0, 1, 2]),
        (["a", "b"], [0, 1], [0, 1, 2]),
        (np.ones(2), [0, 1]),
        (2, 2),
    ):
        with pytest.raises((InvalidMatrixError, InvalidArgumentError)):
            call(triple)


def test_a_pattern_fits_only_a_pattern():
    """Nothing has checked the arrays of another class."""
    A = sp.csc_array((2, 2))
    A.indptr = FAR
    for method in (as_pattern(np.eye(2)).without, as_pattern(np.eye(2)).union):
        with pytest.raises(InvalidArgumentError, match="no Pattern"):
            method(A)


@pytest.mark.parametrize("layout", ["csc", "csr", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_apply_and_write_take_every_layout(layout, kind, tmp_path):
    A = getattr(sp, f"{layout}_{kind}")(np.kron(DENSE, np.ones((2, 1))))
    d = btfperm.dulmage_mendelsohn(A)
    permuted = d.apply(A)
    assert isinstance(permuted, getattr(sp, f"csc_{kind}"))
    expected = A.toarray()[d.row_perm, :][:, d.col_perm]
    np.testing.assert_array_equal(permuted.toarray(), expected)
    write_matrix(tmp_path / "a.npz", A)
    np.testing.assert_array_equal(read_matrix(tmp_path / "a.npz").toarray(), A.toarray())


@pytest.mark.parametrize("dtype", ["M8[D]", "m8[s]", "U3", "S3", "V4"])
def test_values_that_are_no_numbers(dtype, tmp_path):
    values = np.zeros(2, dtype=dtype)
    triple = (values, [0, 1], [0, 1, 2])
    for call in (
        lambda: as_pattern(np.zeros((2, 2), dtype=dtype)),
        lambda: as_pattern(triple, shape=(2, 2)),
        lambda: btfperm.Pattern.from_coo([0, 1], [0, 1], (2, 2), values=values),
        lambda: btfperm.preorder(np.eye(2)).apply(triple),
        lambda: btfperm.preorder(np.eye(2)).factor(triple),
        lambda: write_matrix(tmp_path / "a.mtx", np.zeros((2, 2), dtype=dtype)),
    ):
        with pytest.raises((InvalidMatrixError, InvalidArgumentError)):
            call()
