# SPDX-License-Identifier: BSD-3-Clause
"""Unsigned integers, long doubles and numbers in the other byte order are accepted wherever other
numbers are."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.io import write_matrix, write_petsc_is

WHOLE = pytest.mark.parametrize("kind", ["u1", "u2", "u4", "u8", ">u2", ">i8"])
NUMBERS = ["i1", "u1", "u2", "u4", "u8", ">u2", ">i8", "f2", "f4", ">f8", "g", "c8", ">c16", "G"]
DENSE = np.array([[0, 2, 0], [1, 4, 5], [0, 1, 3]])
A = sp.csc_array(DENSE)


@pytest.mark.parametrize("kind", NUMBERS)
def test_values(tmp_path, kind):
    values = DENSE.astype(kind)
    assert btfperm.as_pattern(values) == btfperm.as_pattern(DENSE)
    assert btfperm.as_valued(values).to_scipy().toarray().tolist() == DENSE.tolist()
    write_matrix(tmp_path / "A.mtx", values)
    assert btfperm.read_matrix(tmp_path / "A.mtx").toarray().tolist() == DENSE.tolist()
    F = btfperm.preorder(values, solver="superlu").factor(values)
    for new in (values, A.data.astype(kind)):
        F.refactor(new)
        assert F.solve(np.array([2, 10, 4], kind)).tolist() == [1, 1, 1]
    np.save(tmp_path / "b.npy", np.array([2, 10, 4], kind))
    assert btfperm.solve(values, tmp_path / "b.npy", solver="superlu").x.tolist() == [1, 1, 1]


@WHOLE
def test_indices(tmp_path, kind):
    indptr, indices = A.indptr.astype(kind), A.indices.astype(kind)
    assert btfperm.as_pattern((None, indices, indptr), shape=(3, 3)) == btfperm.as_pattern(A)
    t = btfperm.maximum_transversal(A, initial=np.array([1, 0, 2], kind))
    assert t.counters["initial_dropped"] == 0 and t.col_match.tolist() == [1, 0, 2]
    write_petsc_is(tmp_path / "p", np.array([1, 0, 2], kind))
    assert (tmp_path / "p").read_bytes()[8:] == np.array([1, 0, 2], ">i4").tobytes()


@WHOLE
def test_arrays_in_files(tmp_path, kind):
    d = btfperm.dulmage_mendelsohn(A)
    d.save(tmp_path / "p.npz")
    with np.load(tmp_path / "p.npz") as file:
        held = dict(file)
    for name, array in held.items():
        if array.dtype.kind == "i":
            held[name] = array.astype(kind)
    np.savez(tmp_path / "q.npz", **held)
    assert btfperm.load(tmp_path / "q.npz") == d


def test_a_long_double_beyond_double_is_refused():
    b = np.array([1, 1, 1], "g")
    b[1] = np.longdouble(2) ** 5000
    if np.isinf(b[1]):
        pytest.skip("long double is double here")
    with pytest.raises(btfperm.InvalidMatrixError, match=r"row 1, column 0 .* must be finite"):
        btfperm.solve(DENSE, b, solver="superlu")
