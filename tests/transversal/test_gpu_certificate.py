# SPDX-License-Identifier: BSD-3-Clause
"""The proof on the device. It never exists for arrays that are not a maximum matching. It exists
for every maximum matching unless the search has too many levels; then the host searches."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import btfperm
from btfperm.pattern import as_pattern
from tests import families, strategies
from tests.checks.check_cover import check_cover
from tests.checks.check_matching import check_matching
from tests.on_device import assert_same, device_problem, matrix_there
from tests.oracles import plain_matching

pytestmark = pytest.mark.gpu


def proof_of(pattern, row_match, col_match):
    from btfperm.transversal.certificate_gpu import prove_on_device

    problem = device_problem(pattern)
    problem.row_match.set(row_match.astype(problem.width))
    problem.col_match.set(col_match.astype(problem.width))
    covers = prove_on_device(problem)
    return None if covers is None else [part.get() for part in covers]


@settings(max_examples=200, deadline=None)
@given(A=strategies.any_matrix())
def test_a_maximum_matching_is_proven(A):
    row_match, col_match = plain_matching.maximum_matching(A)
    rows, cols = proof_of(as_pattern(A), row_match, col_match)
    assert rows.sum() + cols.sum() == (row_match >= 0).sum()
    check_cover(A, np.flatnonzero(rows), np.flatnonzero(cols), int((row_match >= 0).sum()))


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_wrong_matching_is_not_proven(data):
    A = data.draw(strategies.any_matrix())
    m, n = A.shape
    row_match, col_match = map(np.array, plain_matching.maximum_matching(A))
    before = row_match.copy(), col_match.copy()
    side, other = (row_match, n) if data.draw(st.booleans()) else (col_match, m)
    if not side.size:
        return
    wrong = st.one_of(st.integers(-1, max(other - 1, 0)), st.sampled_from([-2, 2**30, -(2**30)]))
    side[data.draw(st.integers(0, side.size - 1))] = data.draw(wrong)
    if all(np.array_equal(*pair) for pair in zip(before, (row_match, col_match), strict=True)):
        return
    try:
        check_matching(A, row_match, col_match)
    except (AssertionError, IndexError):
        assert proof_of(as_pattern(A), row_match, col_match) is None


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_smaller_matching_is_not_proven(data):
    A = data.draw(strategies.any_matrix())
    row_match, col_match = data.draw(strategies.legal_matching(A))
    whole = (row_match >= 0).sum() == plain_matching.structural_rank(A)
    assert (proof_of(as_pattern(A), row_match, col_match) is not None) == whole


def test_a_pair_that_is_no_entry_is_not_proven():
    row_match = col_match = np.array([1, 0])
    assert proof_of(as_pattern(np.eye(2)), row_match, col_match) is None
    assert proof_of(as_pattern(np.eye(2)), np.arange(2), np.arange(2)) is not None


def test_a_search_too_deep_for_launches_is_left_to_the_host():
    hard = families.surplus_path(5_000, wide=True)
    assert hard.A.shape[1] <= 1.3 * hard.A.shape[0]  # so the search starts from the columns
    t = btfperm.maximum_transversal(hard.A, algorithm="apfb-wr", time_limit=60)
    assert t.maximum and t.structural_rank == hard.rank
    P = as_pattern(hard.A)
    assert proof_of(P, t.row_match, t.col_match) is None


@pytest.mark.parametrize("shape", [(3_000, 2_000), (2_000, 3_000), (100_000, 100_000)])
def test_it_is_the_one_that_comes_with_the_result(monkeypatch, shape):
    def fail(*_):
        raise AssertionError("the host judged")

    monkeypatch.setattr(importlib.import_module("btfperm.transversal.certificate"), "prove", fail)
    A = families.random_rectangle(*shape, 3, 1).A
    t = btfperm.maximum_transversal(A, algorithm="apfb-wr")
    monkeypatch.undo()
    cover = t.cover()
    check_cover(A, cover.rows, cover.cols, t.structural_rank)
    check_matching(A, t.row_match, t.col_match)
    assert t.structural_rank == btfperm.structural_rank(A)


@pytest.mark.parametrize("name", ["row_match", "col_match", "row_in_cover"])
def test_a_transversal_on_host_and_device_is_checked(name):
    A = families.random_rectangle(300, 400, 3, 2).A
    there = matrix_there(A)
    t = btfperm.maximum_transversal(there)
    found = replace(t, **{name: getattr(t, name).get()})
    assert_same(btfperm.dulmage_mendelsohn(there, transversal=found), btfperm.dulmage_mendelsohn(A))
    wrong = replace(found, col_match=t.col_match[::-1].copy())
    with pytest.raises(btfperm.InvalidArgumentError):
        btfperm.dulmage_mendelsohn(there, transversal=wrong)


@pytest.mark.parametrize("by", [2, -1])
def test_strided_views_are_read_correctly(monkeypatch, by):
    """Kernels read contiguous arrays. These views have a stride of 2 elements, with zeros between
    them, or of -1."""
    import cupy

    from btfperm.transversal import certificate

    def fail(*_):
        raise AssertionError("the host judged")

    monkeypatch.setattr(certificate, "certified", fail)
    A = families.random_rectangle(300, 400, 3, 2).A
    there = matrix_there(A)
    t = btfperm.maximum_transversal(there)
    views = {}
    for name in ("row_match", "col_match"):
        array = getattr(t, name).get()
        whole = np.zeros(abs(by) * array.size, dtype=array.dtype)
        whole[::by] = array
        views[name] = cupy.asarray(whole)[::by]
        assert not views[name].flags.c_contiguous
    again = btfperm.dulmage_mendelsohn(there, transversal=replace(t, **views))
    check_matching(A, again.transversal.row_match.get(), again.transversal.col_match.get())
    assert_same(again, btfperm.dulmage_mendelsohn(A))
