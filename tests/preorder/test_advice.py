# SPDX-License-Identifier: BSD-3-Clause
"""Each sentence of `Preordering.advice`, and the layouts that `factor` and `solve` take."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.preorder import compare_solvers

PREORDERING = importlib.import_module("btfperm.preorder.preordering")


def hub(n: int) -> sp.csc_array:
    """Blocks of one row; in one block, the dense first row and column would fill the matrix."""
    A = sp.eye_array(n, format="lil")
    A[0, :] = 1.0
    return sp.csc_array(A)


def test_blocks_that_save_nothing():
    p = btfperm.preorder(np.ones((4, 4)))
    text = p.advice
    assert text.startswith("L + U is expected to have 16 entries inside 1 block")
    assert p.predicted_fill.total == 16


def test_fill_that_is_not_counted():
    p = btfperm.preorder(hub(5))
    vars(p)["predicted_fill"] = None
    assert p.advice.startswith("the fill is too large to be counted")


def test_one_block_with_much_more_fill(monkeypatch):
    p = btfperm.preorder(hub(5))
    asked = []

    def count_fill(*arguments):
        asked.append(arguments[-1])

    monkeypatch.setattr(PREORDERING, "count_fill", count_fill)
    fill = p.predicted_fill
    assert p.advice.endswith(
        "in one block, it would have more than four times as many: order it so"
    )
    assert asked == [4 * fill.total + p.form.pattern.nnz]


@pytest.mark.parametrize("layout", ["csc", "csr", "coo", "dense", "F", "reversed", "int"])
def test_layouts_of_a_system(layout):
    A = np.array([[4.0, 1, 0], [0, 3, 2], [1, 0, 5]])
    given = {
        "csc": sp.csc_array(A),
        "csr": sp.csr_array(A),
        "coo": sp.coo_array(A),
        "dense": A,
        "F": np.asfortranarray(A),
        "reversed": A[::-1, ::-1][::-1, ::-1],
        "int": A.astype(np.int32),
    }[layout]
    F = btfperm.preorder(given).factor(given)
    for b in (np.ones(3), np.ones((3, 1)), np.arange(12.0).reshape(3, 4)[:, ::2]):
        x = F.solve(b)
        assert x.shape == b.shape and x.flags.c_contiguous
        np.testing.assert_allclose(A @ x, b, atol=1e-14)
        np.testing.assert_allclose(A.T @ F.solve(b, "T"), b, atol=1e-14)


def test_the_memory_of_a_solver_that_fails(monkeypatch):
    def fails(*_, **__):
        raise MemoryError

    monkeypatch.setattr("scipy.sparse.linalg.splu", fails)
    runs = compare_solvers(np.array([[2.0, 1], [1, 2]]), repeats=1)
    texts = [run.error for run in runs if run.solver == "superlu"]
    assert len(texts) == 2 and all("memory" in text for text in texts)
