# SPDX-License-Identifier: BSD-3-Clause
"""The matrices for the regret beside a GPU: two halves without a common matrix. The unseen half has
every family, and each real matrix in another form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from benchmarks.cases import ALL, Case, names
from benchmarks.generators import families, family_of
from benchmarks.regret.gpu import cases, unseen_form
from benchmarks.regret.gpu_report import HALVES, half_of

FOLDER = Path(__file__).parents[2] / "matrices"
SEEN = names("regret-gpu", "fit") + names("regret-gpu", "fit_later")
NEW = names("regret-gpu", "unseen")


def in_index(tmp_path):
    """Two of the stored matrices, in a folder with an index."""
    lines = ["name,file,structural_rank,btf_blocks", "west0067,west0067.mtx.gz,67,"]
    for name in ("west0067", "ash219"):
        (tmp_path / f"{name}.mtx.gz").write_bytes((FOLDER / f"{name}.mtx.gz").read_bytes())
    (tmp_path / "index.csv").write_text("\n".join([*lines, "ash219,ash219.mtx.gz,85,"]))
    return tmp_path


def test_no_matrix_is_in_both_halves():
    assert len(set(SEEN) | set(NEW)) == len(SEEN) + len(NEW)
    assert {half_of(name) for name in SEEN} == {HALVES[0]}
    assert {half_of(name) for name in NEW} == {HALVES[1]}


def test_every_family_is_in_the_unseen_half():
    known = {family.name for family in families()}
    assert {family_of(name)[0].name for name in NEW} == known


def test_the_unseen_half_has_each_real_matrix_in_another_form(tmp_path):
    found = {case.name for case in cases(ALL, in_index(tmp_path))} - set(SEEN) - set(NEW)
    halves = {name: half_of(name) for name in found}
    assert halves == dict.fromkeys(("west0067", "ash219"), HALVES[0]) | {
        f"{name}, in another form": HALVES[1] for name in ("west0067", "ash219")
    }


def test_a_rectangular_one_is_reordered(tmp_path):
    (case,) = (case for case in cases(ALL, in_index(tmp_path)) if case.name == "ash219")
    found = unseen_form(case)
    A, B = case.load(), found.load()
    assert case.name == "ash219" and found.path is case.path
    assert B.shape == A.shape and B.nnz == A.nnz
    assert (A != B).nnz
    for degrees, other in ((A.sum(0), B.sum(0)), (A.sum(1), B.sum(1))):
        assert sorted(degrees) == sorted(other)


@pytest.mark.parametrize("name", ["kept", "shuffled", "lost", "found", "a", "b", "c"])
def test_a_square_one_is_transposed_and_reordered(name):
    rng = np.random.default_rng(5)
    A = sp.csc_array(sp.eye_array(300) + sp.random_array((300, 300), density=0.01, rng=rng))
    case = Case(name, "", lambda: A)
    B, again = unseen_form(case).load(), unseen_form(case).load()
    assert B.shape == A.shape and B.nnz == A.nnz and (again != B).nnz == 0
    by_column, by_row = np.diff(A.indptr), np.diff(A.tocsr().indptr)
    assert sorted(np.diff(B.indptr)) == sorted(by_row)
    assert sorted(np.diff(B.tocsr().indptr)) == sorted(by_column)
    assert btfperm.structural_rank(B) == btfperm.structural_rank(A) == 300
    on_diagonal = np.count_nonzero(B.diagonal())
    assert on_diagonal == 300 or on_diagonal < 30
    forms = {
        np.count_nonzero(unseen_form(Case(f"{name}{k}", "", lambda: A)).load().diagonal()) == 300
        for k in range(20)
    }
    assert forms == {True, False}
