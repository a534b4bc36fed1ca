# SPDX-License-Identifier: BSD-3-Clause
"""Each sentence of `Preordering.advice`, and the layouts that `factor` and `solve` take."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.preorder import compare_solvers

ADVICE = importlib.import_module("btfperm.preorder.advice")


def hub(n: int) -> sp.csc_array:
    """Blocks of one row; in one block, the dense first row and column would fill the matrix."""
    A = sp.eye_array(n, format="lil")
    A[0, :] = 1.0
    return sp.csc_array(A)


def test_one_block_saves_nothing():
    p = btfperm.preorder(np.ones((4, 4)))
    assert p.advice == (
        "L + U is expected to have 16 entries inside 1 block: the block triangular form saves "
        "nothing"
    )
    assert p.predicted_fill.total == 16


def irreducible(n: int) -> sp.csc_array:
    """A random unsymmetric matrix of one block."""
    rng = np.random.default_rng(0)
    A = sp.random_array((n, n), density=3 / n, rng=rng, format="lil")
    A += sp.eye_array(n) + sp.eye_array(n, k=1) + sp.coo_array(([1.0], ([n - 1], [0])), (n, n))
    return sp.csc_array(A)


def fill_in_one_block(A: sp.csc_array, ordering: str) -> int:
    """The predicted fill of an irreducible matrix in this order."""
    p = btfperm.preorder(A, solver="klu", block_ordering=ordering, weights="none")
    assert p.n_blocks == 1
    return p.predicted_fill.total


def test_one_block_with_minimum_fill():
    """The saving over amd is that of the order, not of the block triangular form."""
    A = irreducible(300)
    p = btfperm.preorder(A, solver="klu", weights="none")
    assert p.block_ordering == "minimum-fill"
    total, amd = p.predicted_fill.total, fill_in_one_block(A, "amd")
    assert total < amd
    assert p.advice == (
        f"L + U is expected to have {total:,} entries inside 1 block: the block triangular form "
        f"saves nothing, and minimum-fill saves {amd - total:,} entries of {amd:,} with amd"
    )


@pytest.mark.parametrize("ordering", ["amd", "colamd", "rcm", "minimum-fill"])
def test_several_blocks_are_compared_with_the_same_order_in_one(ordering):
    A = irreducible(60)
    two = sp.csc_array(sp.block_array([[A, A], [None, A]]))
    p = btfperm.preorder(two, solver="klu", block_ordering=ordering, weights="none")
    assert p.n_blocks == 2
    text = p.advice
    assert text.startswith(f"L + U is expected to have {p.predicted_fill.total:,} entries inside 2")
    assert text.endswith(" in one block: the block triangular form is worthwhile")
    assert "ordered by" not in text


def test_the_order_of_one_block_is_named_where_it_is_another(monkeypatch):
    A = irreducible(60)
    two = sp.csc_array(sp.block_array([[A, A], [None, A]]))
    p = btfperm.preorder(two, solver="klu", block_ordering="minimum-fill", weights="none")
    monkeypatch.setattr(ADVICE, "order_by_fill", lambda *_: None)  # beyond the limits
    assert " in one block ordered by amd: the block triangular form is worthwhile" in p.advice


def test_fill_that_is_not_counted():
    p = btfperm.preorder(hub(5))
    vars(p)["predicted_fill"] = None
    assert p.advice.startswith("the fill is too large to be counted")


def test_one_block_with_much_more_fill(monkeypatch):
    p = btfperm.preorder(hub(5))
    asked = []

    def count_fill(*arguments):
        asked.append(arguments[-1])

    monkeypatch.setattr(ADVICE, "count_fill", count_fill)
    fill = p.predicted_fill
    assert p.advice == (
        "L + U is expected to have 5 entries inside 5 blocks; in one block ordered by amd, it "
        "would have more than four times as many: use the blocks"
    )
    assert asked == [4 * fill.total + p.form.pattern.nnz]


def test_amd_with_much_more_fill_in_the_only_block(monkeypatch):
    p = btfperm.preorder(irreducible(300), solver="klu", weights="none")
    monkeypatch.setattr(ADVICE, "count_fill", lambda *_: None)
    assert p.advice.endswith(
        "saves nothing, and minimum-fill saves more than three quarters of the entries of amd"
    )


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
