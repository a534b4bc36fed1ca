# SPDX-License-Identifier: BSD-3-Clause
"""The check of diagnoses rejects wrong ones of every kind."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from tests.checks.check_diagnosis import check_diagnosis
from tests.loops import looped

# Rows 3, 4 compete for column 3; rows 5, 6, 7 for column 4; row 8 is empty. Rows 0, 1 and columns
# 0, 1, 2 are underdetermined.
A = np.zeros((9, 6))
A[0, [0, 1]] = A[1, [1, 2]] = A[2, 5] = A[0, 3] = 1
A[3:5, 3] = A[5:8, 4] = 1
RANK = 5
RIGHT = {
    "structural_rank": RANK,
    "full": False,
    "truncated": False,
    "overdetermined": [
        {"rows": [8], "columns": [], "excess": 1, "explanation": {"rows": [8], "columns": []}},
        {
            "rows": [3, 4],
            "columns": [3],
            "excess": 1,
            "explanation": {"rows": [3, 4], "columns": [3]},
        },
        {
            "rows": [5, 6, 7],
            "columns": [4],
            "excess": 2,
            "explanation": {"rows": [5, 7], "columns": [4]},
        },
    ],
    "underdetermined": [
        {
            "rows": [0, 1],
            "columns": [0, 1, 2],
            "excess": 1,
            "explanation": {"rows": [0, 1], "columns": [0, 1, 2]},
        }
    ],
    "empty_rows": [8],
    "empty_columns": [],
    "repair": {
        "add_entries": [[8, 0]],
        "remove_rows": [3, 6, 7, 8],
        "fix_columns": [0],
        "cover": {"rows": 3, "columns": 2},
        "cover_rows": [0, 1, 2],
        "cover_columns": [3, 4],
    },
    "diagonal": {
        "always": 1,
        "never": 1,
        "always_entries": [[2, 5]],
        "never_entries": [[0, 3]],
    },
    "identical_rows": [[5, 6, 7], [3, 4]],
}


def test_the_right_diagnosis_is_accepted():
    check_diagnosis(A, RIGHT, RANK)


def changed(path, value):
    found = copy.deepcopy(RIGHT)
    *parents, last = path
    inner = found
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return found


OVER = "overdetermined"


@looped(
    ("path", "value"),
    [
        (["structural_rank"], 6),
        (["truncated"], True),
        (["full"], True),
        ([OVER], RIGHT[OVER][1:]),  # a group is missing
        ([OVER], RIGHT[OVER][::-1]),  # in the opposite order
        ([OVER, 1, "rows"], [3]),
        ([OVER, 1, "rows"], [4, 3]),
        ([OVER, 1, "columns"], [3, 5]),
        ([OVER, 1, "excess"], 2),
        # row 2 and column 5 are in the square part
        ([OVER, 1], {**RIGHT[OVER][1], "rows": [2, 3, 4], "columns": [3, 5]}),
        ([OVER, 2, "explanation"], {"rows": [5, 6, 7], "columns": [4]}),  # not minimal
        ([OVER, 2, "explanation"], {"rows": [5], "columns": []}),  # not closed
        ([OVER, 2, "explanation"], {"rows": [3, 4], "columns": [3]}),  # of another group
        ([OVER, 2, "explanation"], {"rows": [5], "columns": [4]}),
        (["underdetermined", 0, "columns"], [0, 1]),
        (["underdetermined", 0, "explanation"], {"rows": [0], "columns": [0, 1]}),
        (["empty_rows"], []),
        (["empty_columns"], [5]),
        (["repair", "remove_rows"], [3, 6, 7]),
        (["repair", "remove_rows"], [3, 4, 7, 8]),  # rows 5, 6 both need column 4
        (["repair", "fix_columns"], [3]),
        (["repair", "add_entries"], []),
        (["repair", "add_entries"], [[0, 0]]),
        (["repair", "cover"], {"rows": 3, "columns": 3}),
        (["repair", "cover_rows"], [0, 1]),
        (["repair", "cover_rows"], [0, 1, 3]),
        (["repair", "cover_columns"], None),
        (["diagonal", "always"], 2),
        (["diagonal", "never"], 0),
        (["diagonal", "always_entries"], []),
        (["diagonal", "never_entries"], [[2, 5]]),
        (["diagonal", "never_entries"], [[0, 5]]),
        (["identical_rows"], [[5, 6, 7]]),
        (["identical_rows"], [[3, 4], [5, 6, 7]]),
        (["identical_rows"], [[5, 6], [3, 4]]),
    ],
    ids=lambda value: str(value).replace(" ", "")[:40],
)
def test_a_wrong_diagnosis_is_rejected(path, value):
    with pytest.raises((AssertionError, ValueError)):
        check_diagnosis(A, changed(path, value), RANK)


def test_groups_that_were_united_are_rejected():
    united = {
        "rows": [3, 4, 5, 6, 7],
        "columns": [3, 4],
        "excess": 3,
        "explanation": {"rows": [3, 4], "columns": [3]},
    }
    with pytest.raises(AssertionError, match="not connected"):
        check_diagnosis(A, changed([OVER], [RIGHT[OVER][0], united]), RANK)
