# SPDX-License-Identifier: BSD-3-Clause
"""The analysis of the entries by a solver, which serves all matrices with these entries."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.preorder.klu_libraries import find as find_klu

SOLVERS = ("superlu", *(("klu",) if find_klu() else ()))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["one block", "blocks", "single rows"])
def test_the_analysis_serves_matrices_with_the_same_entries(solver, kind, monkeypatch):
    """`factor` analyses the entries again only if they differ from those of the last call, and the
    factors of earlier calls stay."""
    rng = np.random.default_rng(3)
    n = 40
    A = sp.random_array((n, n), density=0.1, rng=rng, format="csc") + 9 * sp.eye_array(n)
    A = {"one block": A + sp.csc_array(np.eye(n, k=1) + np.eye(n, k=1 - n)), "blocks": A}.get(
        kind, sp.triu(A)
    )
    A = sp.csc_array(A)
    A.sort_indices()
    p = btfperm.preorder(A, solver=solver)
    analysed, calls = type(p)._analysed, []
    counted = lambda *of: calls.append(1) or analysed(*of)  # noqa: E731
    monkeypatch.setattr(type(p), "_analysed", counted)
    first = p.factor(A)
    others = (2 * A, sp.csr_array(3 * A), 1j * A, (4 * A).toarray())
    for k, B in enumerate(others):
        F = p.factor(B)
        np.testing.assert_allclose(B @ F.solve(np.ones(n)), np.ones(n), rtol=1e-12)
        np.testing.assert_allclose(A @ first.solve(np.ones(n)), np.ones(n), rtol=1e-12)
        assert len(calls) == 1, k
        assert F.refactor(B) in (True, False)
    fewer = A.copy()
    fewer.data[
        np.flatnonzero(fewer.indices != np.repeat(np.arange(n), np.diff(fewer.indptr)))[0]
    ] = 0
    fewer.eliminate_zeros()
    F = p.factor(fewer)
    np.testing.assert_allclose(fewer @ F.solve(np.ones(n)), np.ones(n), rtol=1e-12)
    assert len(calls) == 2
    p.factor(fewer, diag_pivot_thresh=0.5)
    assert len(calls) == 3
    again = pickle.loads(pickle.dumps(p))
    np.testing.assert_allclose(A @ again.factor(A).solve(np.ones(n)), np.ones(n), rtol=1e-12)
    with pytest.raises(btfperm.InvalidMatrixError, match=r"column 0 is nan"):
        B = fewer.copy()
        B.data[0] = np.nan
        p.factor(B)
