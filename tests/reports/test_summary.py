# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of the summary, and its advice."""

from __future__ import annotations

import json

import numpy as np
import pytest

import btfperm
from btfperm.reports import summary
from btfperm.reports.summary import summarize
from tests.reports.answers import MIXED


def test_facts_of_a_mixed_matrix():
    facts = summarize(btfperm.dulmage_mendelsohn(MIXED))
    assert (facts["rows"], facts["cols"], facts["structural_rank"]) == (11, 10, 8)
    assert facts["deficiency"] == {"rows": 3, "cols": 2}
    coarse = {"horizontal": [2, 4], "square": [4, 4], "vertical": [5, 2]}
    assert facts["coarse"] == coarse
    assert json.loads(json.dumps(facts)) == facts


def test_facts_do_not_depend_on_the_pieces(monkeypatch):
    result = btfperm.dulmage_mendelsohn(MIXED)
    facts = summarize(result)
    sizes = [
        (int(rows), int(cols))
        for rows, cols in zip(np.diff(result.row_blocks), np.diff(result.col_blocks), strict=True)
    ]
    rows, cols = max(sizes, key=sum)
    assert facts["singletons"] == sizes.count((1, 1))
    assert (facts["largest_block"]["rows"], facts["largest_block"]["cols"]) == (rows, cols)
    assert facts["largest_block"]["share"] == (rows + cols) / 21
    monkeypatch.setattr(summary, "_PIECE", 2)
    assert summarize(result) == facts


@pytest.mark.parametrize(
    ("A", "helps", "reason"),
    [
        (np.ones((2, 3)), False, "not square"),
        (np.array([[1, 1], [0, 0]]), False, "no inverse whatever its values"),
        (np.triu(np.ones((5, 5))), True, "triangular"),
        (np.ones((4, 4)), False, "irreducible"),
        (np.kron(np.eye(2), np.ones((3, 3))), True, "50.0%"),
        (np.block([[np.ones((30, 30)), np.zeros((30, 1))], [np.ones((1, 31))]]), False, "96.8%"),
        (np.zeros((0, 0)), False, "empty"),
    ],
)
def test_advice(A, helps, reason):
    advice = summarize(btfperm.dulmage_mendelsohn(A))["advice"]
    assert advice["btf_helps"] is helps
    assert reason in advice["reason"]
