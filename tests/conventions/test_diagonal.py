# SPDX-License-Identifier: BSD-3-Clause
"""Orders of BTF, KLU and SuperLU: btfperm's and SuiteSparse's pass `check`, edited ones do not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import btfperm
from btfperm.conventions import CONVENTIONS, as_btf, as_klu, as_superlu
from btfperm.conventions.rows import conventions
from btfperm.reports.verify import verify
from tests.oracles import suitesparse
from tests.reports.answers import pattern_of
from tests.strategies import any_square, coo, nonsingular, singular

SOLVERS = ("btf", "klu", "superlu")


def verdict(A, fields, convention, *, completed=False):
    arrays, names = conventions[convention].read(fields, completed=completed)
    return verify(pattern_of(A), arrays, kind="solver", canonical=False, names=names)


def failing(A, fields, convention, **options):
    return {violation.check for violation in verdict(A, fields, convention, **options).violations}


@pytest.mark.parametrize("convention", SOLVERS)
@given(A=nonsingular())
def test_ours_pass(convention, A):
    fields = CONVENTIONS[convention](btfperm.block_triangular_form(A))._asdict()
    found = verdict(A, fields, convention)
    assert found.ok, found
    blocks = {"boundaries", "triangular", "irreducible"}
    passed = {"arrays", "permutations", "matching", "rank"}
    assert set(found.passed) == passed | (set() if convention == "superlu" else blocks)


@pytest.mark.parametrize("convention", [*SOLVERS, "petsc", "umfpack"])
@given(A=singular())
def test_completed_ones_pass(convention, A):
    fields = CONVENTIONS[convention](btfperm.block_triangular_form(A))._asdict()
    assert verdict(A, fields, convention, completed=True).ok
    # BTF marks the zeros on the diagonal. A file of PETSc does not state how its order was found.
    if convention not in ("btf", "petsc"):
        assert "matching" in failing(A, fields, convention), (
            "the diagonal must be zero-free if the file is not that of a completed order"
        )


@given(A=any_square())
def test_those_of_libbtf_pass(A):
    P, Q, R, nmatch = suitesparse.btf_order(A)
    fields = {"P": P, "Q": Q, "R": R, "nmatch": nmatch, "nblocks": len(R) - 1}
    assert verdict(A, fields, "btf").ok
    whole = np.zeros(A.shape[0] + 1, dtype=np.int32)  # the length that the C function requires
    whole[: len(R)] = R
    assert verdict(A, fields | {"R": whole}, "btf").ok


@given(A=nonsingular())
def test_those_of_libklu_pass(A):
    assume(A.shape[0] > 0)
    P, Q, R = suitesparse.klu_analyze(A)
    assert verdict(A, {"P": P, "Q": Q, "R": R}, "klu").ok


@pytest.mark.parametrize("convention", SOLVERS)
@given(A=any_square(), data=st.data())
def test_any_changed_number_is_detected(convention, A, data):
    form = btfperm.block_triangular_form(A)
    fields = {
        key: np.array(value) for key, value in CONVENTIONS[convention](form)._asdict().items()
    }
    filled = [key for key in fields if fields[key].size]
    assume(filled)  # there is nothing to change in an empty order of SuperLU
    key = data.draw(st.sampled_from(filled))
    changed = fields[key].reshape(-1).copy()
    place = data.draw(st.integers(0, changed.size - 1))
    changed[place] += data.draw(st.sampled_from([-3, -2, -1, 1, 2, 3]))
    fields[key] = changed.reshape(fields[key].shape)
    assert failing(A, fields, convention, completed=form.completed > 0)


# Four blocks of one row. The matched entries form a permutation that is not its own inverse.
CYCLE = coo([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], (4, 4))
FORM = btfperm.block_triangular_form(CYCLE)
BTF, KLU, SUPERLU = (adapter(FORM)._asdict() for adapter in (as_btf, as_klu, as_superlu))
EDITS = {
    "P and Q exchanged": (
        KLU | {"P": KLU["Q"], "Q": KLU["P"]},
        "klu",
        "matching",
        "where the matrix has no entry",
    ),
    "gather for scatter": (
        {"perm_r": KLU["P"], "perm_c": KLU["Q"]},
        "superlu",
        "matching",
        "where the matrix has no entry",
    ),
    "no P": ({"Q": KLU["Q"], "R": KLU["R"]}, "klu", "arrays", "P is missing"),
    "a column twice": (KLU | {"Q": [0, 0, 1, 2]}, "klu", "permutations", "Q holds column 0 more"),
    "a place twice": (
        SUPERLU | {"perm_r": [0, 0, 1, 2]},
        "superlu",
        "permutations",
        "the inverse of perm_r leaves the range 0..3 at place 3",
    ),
    "numbers with fractions": (KLU | {"P": KLU["P"] + 0.5}, "klu", "arrays", "P holds float64"),
    "text": (KLU | {"P": np.array(list("abcd"))}, "klu", "arrays", "P holds"),
    "the other way round": (
        KLU | {"P": KLU["P"][::-1], "Q": KLU["Q"][::-1]},
        "klu",
        "triangular",
        "below the diagonal blocks: (0, 2)",
    ),
    "two blocks as one": (KLU | {"R": [0, 1, 2, 4]}, "klu", "irreducible", "square block 2"),
    "R too short": (KLU | {"R": [0, 3]}, "klu", "boundaries", "R does not run from 0 to 4"),
    "nblocks": (BTF | {"nblocks": 5}, "btf", "boundaries", "nblocks is 5, but there are 4 blocks"),
    "nmatch": (BTF | {"nmatch": 3}, "btf", "rank", "nmatch is 3, but 4 rows are matched"),
    "a flip that is none": (
        BTF | {"Q": np.where(BTF["Q"] == 1, -3, BTF["Q"])},
        "btf",
        "matching",
        "Match pairs (0, 1), and the diagonal does not",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_names_the_error(name):
    fields, convention, check, sentence = EDITS[name]
    found = [v for v in verdict(CYCLE, fields, convention).violations if v.check == check]
    assert any(sentence in violation.text for violation in found), found


def test_an_entry_that_is_flagged_as_none_is_caught_by_the_rank():
    fields = BTF | {"Q": np.where(BTF["Q"] == 1, -3, BTF["Q"]), "nmatch": 3}
    del fields["Match"]
    assert failing(CYCLE, fields, "btf") == {"rank"}


def test_another_size():
    assert "arrays" in failing(coo([(0, 0)], (2, 3)), KLU, "klu")
