# SPDX-License-Identifier: BSD-3-Clause
"""The verifier and scalings: every changed scaling is reported, whatever the shape and rank of the
matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.conventions.btfperm import write_btfperm
from btfperm.pattern import as_pattern
from btfperm.reports.verify import verify
from tests.weighted.test_weighted_transversal import valued

SCALES = ("log_row_scale", "log_col_scale")


def answer(A):
    """The pattern with its values, and the arrays of a file."""
    w = btfperm.weighted_transversal(A)
    d = btfperm.dulmage_mendelsohn(A, transversal=w)
    valued = btfperm.as_valued(A)
    arrays = {**write_btfperm(d), "structural_rank": np.asarray(d.structural_rank)}
    return valued.pattern, valued.values, arrays | {name: getattr(d, name) for name in SCALES}


@given(A=valued())
def test_accepts_the_scalings_of_btfperm(A):
    pattern, values, arrays = answer(A)
    verdict = verify(pattern, arrays, values=values)
    assert verdict.ok and {"scalings", "unmatched"} <= {*verdict.passed}


@given(A=valued(), data=st.data())
def test_a_changed_scaling_of_a_matched_row_or_column_is_reported(A, data):
    pattern, values, arrays = answer(A)
    places = [
        (name, k)
        for name, match in zip(SCALES, ("row_match", "col_match"), strict=True)
        for k in np.flatnonzero(arrays[match] >= 0).tolist()
    ]
    if not places:
        return
    name, k = data.draw(st.sampled_from(places))
    by = data.draw(st.sampled_from([1e-3, -1e-3, 1.0, -40.0, 1e6]))
    changed = arrays[name].copy()
    changed[k] += by
    verdict = verify(pattern, arrays | {name: changed}, values=values)
    assert {violation.check for violation in verdict.violations} == {"scalings"}
    assert verdict.skipped == ("unmatched",)


@given(A=valued(), data=st.data())
def test_another_maximum_transversal_is_reported_if_it_is_worse(A, data):
    """No scalings prove a matching whose product is not the largest: those of the best one are not
    tight there."""
    pattern, values, arrays = answer(A)
    order = data.draw(st.permutations(range(A.shape[1])))
    other = btfperm.maximum_transversal(A[:, order], algorithm="ss-bfs", initializer="none")
    col_match = np.empty(A.shape[1], dtype=np.int64)
    col_match[order] = other.col_match
    row_match = np.full(A.shape[0], -1)
    cols = np.flatnonzero(col_match >= 0)
    row_match[col_match[cols]] = cols
    own = np.flatnonzero(arrays["col_match"] >= 0)
    best = np.log(np.abs(A[arrays["col_match"][own], own])).sum()
    worse = np.log(np.abs(A[col_match[cols], cols])).sum() < best - 1e-6
    arrays |= {"row_match": row_match, "col_match": col_match}
    verdict = verify(pattern, arrays, values=values)
    assert verdict.ok != worse


def test_a_matching_that_is_nearly_the_best_admits_its_gap():
    pattern, values, arrays = answer(np.diag([1.0, 2.0, 4.0]))
    arrays["log_row_scale"] = arrays["log_row_scale"] - [0.25, 0.0, 0.5]
    assert verify(pattern, arrays, values=values, gap=0.751).ok
    for gap in (0.0, 0.25, 0.749):
        verdict = verify(pattern, arrays, values=values, gap=gap)
        assert verdict.violations[0].rows == (0, 2) and verdict.skipped == ("unmatched",)
    assert "the gap of 0.749 admits" in verdict.violations[0].text
    arrays["log_col_scale"] = arrays["log_col_scale"] + [0.0, 0.1, 0.0]
    text = verify(pattern, arrays, values=values, gap=9.0).violations[0].text
    assert text == "scaled entries are larger than 1 in modulus, by a factor of up to e^0.1: (1, 1)"


def test_a_matched_stored_zero_is_reported():
    A = sp.csc_array(([1.0, 0.0], ([0, 1], [0, 1])), shape=(2, 2))
    d = btfperm.dulmage_mendelsohn(A, drop_zeros=False)
    arrays = {**write_btfperm(d), "structural_rank": np.asarray(2)}
    arrays |= {name: np.zeros(2) for name in SCALES}
    values = btfperm.as_valued(A).values
    (violation,) = verify(as_pattern(A), arrays, values=values).violations
    assert violation.text == "matched entries whose value is zero: (1, 1)"


def test_without_values_scalings_are_skipped():
    pattern, values, arrays = answer(np.array([[1.0, 2.0], [3.0, 4.0]]))
    verdict = verify(pattern, arrays)
    assert verdict.skipped == ("scalings", "unmatched") and not verdict.ok
    assert verify(pattern, arrays, values=values).ok


@pytest.mark.parametrize(
    "wrong", [None, 1.5, "text", [], [["x", 1.0]], [1j, 2j], [True, False], [object(), object()]]
)
def test_anything_else_is_reported(wrong):
    pattern, values, arrays = answer(np.array([[1.0, 2.0], [3.0, 4.0]]))
    verdict = verify(pattern, arrays | {SCALES[1]: wrong}, values=values)
    assert [violation.check for violation in verdict.violations] == ["scalings"]
