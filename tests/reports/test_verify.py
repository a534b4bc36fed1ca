# SPDX-License-Identifier: BSD-3-Clause
"""The verifier accepts the results of the oracle and names every kind of error."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from btfperm.reports.verify import CHECKS, verify
from btfperm.reports.verify import reach as reach_module
from btfperm.reports.verify.reach import reach
from tests.loops import looped
from tests.oracles.plain_block_triangular import block_triangular_form
from tests.reports.answers import KEYS, MIXED, pattern_of, right_answer
from tests.strategies import random_matrices, square

ALL = set(CHECKS) - {"scalings", "unmatched"}  # only for files with scalings


def failing(A, arrays, **options):
    """Names of the checks that failed. Skipped checks must follow from a failure."""
    verdict = verify(pattern_of(A), arrays, **options)
    assert verdict.ok == (not verdict.violations)
    assert set(verdict.passed) | set(verdict.skipped) | {v.check for v in verdict.violations} == ALL
    return {violation.check for violation in verdict.violations}


@given(random_matrices())
def test_accepts_the_oracle(A):
    assert failing(A, right_answer(A)) == set()


@given(square())
def test_accepts_block_triangular_form(A):
    arrays, n = right_answer(A), A.shape[1]
    plain = block_triangular_form(A, arrays["row_match"], arrays["col_match"])
    arrays |= {
        "row_perm": plain.row_perm,
        "col_perm": plain.col_perm,
        "row_blocks": plain.blocks,
        "col_blocks": plain.blocks,
        "coarse_rows": np.array([0, 0, n, n, n]),
        "coarse_cols": np.array([0, 0, 0, n, n]),
    }
    assert failing(A, arrays, kind="block_triangular_form") == set()


@given(random_matrices(), st.data())
def test_any_changed_number_is_detected(A, data):
    """No number can be changed without a failure, because each array follows from the others."""
    arrays = right_answer(A)
    candidates = [key for key in KEYS if arrays[key].size]
    key = data.draw(st.sampled_from(candidates))
    place = data.draw(st.integers(0, arrays[key].size - 1))
    value = data.draw(st.integers(-3, max(A.shape) + 3))
    if arrays[key][place] == value:
        return
    changed = arrays[key].copy()
    changed[place] = value
    assert failing(A, arrays | {key: changed})


def swapped(array, *places):
    changed = array.copy()
    changed[list(places)] = changed[list(places[::-1])]
    return changed


ANSWER = right_answer(MIXED)
CORRUPTIONS = {
    "a missing array": ({"row_perm": None}, "arrays", "row_perm is missing"),
    "floats": ({"col_perm": ANSWER["col_perm"] + 0.5}, "arrays", "float64"),
    "a short array": ({"row_match": ANSWER["row_match"][:-1]}, "arrays", "10 elements"),
    "two dimensions": ({"row_blocks": ANSWER["row_blocks"][None]}, "arrays", "2 dimensions"),
    "another shape": ({"shape": np.array([3, 3])}, "arrays", "shape [3, 3], not [11, 10]"),
    "no numbers in shape": (
        {"shape": np.array([11, None])},
        "arrays",
        "shape that is not two numbers, not [11, 10]",
    ),
    "huge numbers": ({"col_match": np.full(10, 2**63, dtype=np.uint64)}, "arrays", "beyond"),
    "a row twice": (
        {"row_perm": np.array([0, 0, *ANSWER["row_perm"][2:]])},
        "permutations",
        "row_perm holds row 0 more than once",
    ),
    "a row out of range": (
        {"row_perm": np.array([99, *ANSWER["row_perm"][1:]])},
        "permutations",
        "99",
    ),
    "falling boundaries": (
        {"row_blocks": swapped(ANSWER["row_blocks"], 2, 3)},
        "boundaries",
        "falls after place 2",
    ),
    "boundaries that end early": (
        {"col_blocks": np.array([*ANSWER["col_blocks"][:-1], 9])},
        "boundaries",
        "does not run from 0 to 10",
    ),
    "a block too few": (
        {"row_blocks": np.delete(ANSWER["row_blocks"], 3)},
        "boundaries",
        "has the boundaries of",
    ),
    "an empty block": (
        {key: np.insert(ANSWER[key], 3, ANSWER[key][3]) for key in ("row_blocks", "col_blocks")},
        "boundaries",
        "without rows and columns",
    ),
    "a coarse boundary inside a block": (
        {"coarse_rows": ANSWER["coarse_rows"] + [0, 1, 0, 0, 0]},
        "boundaries",
        "inside a fine block",
    ),
    "a match out of range": (
        {"row_match": np.array([10, *ANSWER["row_match"][1:]])},
        "matching",
        "leaves the range -1..9 at row 0",
    ),
    "arrays that disagree": (
        {"row_match": swapped(ANSWER["row_match"], 3, 4)},
        "matching",
        "and col_match does not",
    ),
    "a wrong rank": ({"structural_rank": np.array(5)}, "rank", "structural_rank is 5"),
    "another count of unmatched": (
        {"coarse_cols": ANSWER["coarse_cols"] + [0, 1, 0, 0, 0]},
        "coarse",
        "unmatched columns",
    ),
    "blocks in another order": (
        {
            "row_perm": swapped(ANSWER["row_perm"], 0, 1),
            "col_perm": ANSWER["col_perm"][[2, 3, 0, 1, *range(4, 10)]],
        },
        "order",
        "horizontal block 0 and the next",
    ),
    "rows that do not ascend": (
        {"row_perm": swapped(ANSWER["row_perm"], 3, 4)},
        "order",
        "does not ascend",
    ),
}


@looped("name", CORRUPTIONS)
def test_names_the_error(name):
    changes, check, sentence = CORRUPTIONS[name]
    arrays = {k: v for k, v in (ANSWER | changes).items() if v is not None}
    assert check in failing(MIXED, arrays)
    texts = [v.text for v in verify(pattern_of(MIXED), arrays).violations if v.check == check]
    assert any(sentence in text for text in texts), texts


def test_a_pair_without_entry_is_named():
    A = sp.csc_array(np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]]))
    arrays = right_answer(A) | {"row_match": np.array([2, 0, 1]), "col_match": np.array([1, 2, 0])}
    verdict = verify(pattern_of(A), arrays)
    assert [v.check for v in verdict.violations] == ["matching"]
    assert verdict.violations[0].rows == (0, 1, 2) and verdict.violations[0].cols == (2, 0, 1)


def test_a_matching_that_is_not_maximum_is_named():
    A = sp.csc_array(np.array([[1, 1], [1, 0]]))
    arrays = right_answer(A)
    arrays |= {"row_match": np.array([0, -1]), "col_match": np.array([0, -1])}
    arrays |= {"structural_rank": np.array(1)}
    verdict = verify(pattern_of(A), arrays)
    assert {v.check for v in verdict.violations} == {"rank"}
    assert "unmatched row 1" in verdict.violations[0].text
    assert "coarse" in verdict.skipped and "irreducible" in verdict.skipped


def test_entries_below_the_blocks_are_counted_and_named():
    A = sp.csc_array(np.tril(np.ones((20, 20))))
    arrays = right_answer(A)
    arrays |= {"row_perm": np.arange(20), "col_perm": np.arange(20)}
    (violation,) = (v for v in verify(pattern_of(A), arrays).violations if v.check == "triangular")
    assert violation.count == 190
    assert violation.rows[:2] == (1, 2) and violation.cols[:2] == (0, 0)


def test_blocks_that_split_are_named():
    """The arrays join two blocks into one. The form is still triangular, but the joined block is
    not irreducible."""
    A = sp.csc_array(np.eye(3))
    merged = np.array([0, 2, 3])
    verdict = verify(pattern_of(A), right_answer(A) | {"row_blocks": merged, "col_blocks": merged})
    assert [v.check for v in verdict.violations] == ["irreducible"]
    assert "square block 0" in verdict.violations[0].text


def test_rectangular_blocks_that_split_are_named():
    A = sp.csc_array(np.array([[1, 1, 0, 0], [0, 0, 1, 1]]))
    arrays = right_answer(A) | {"row_blocks": np.array([0, 2]), "col_blocks": np.array([0, 4])}
    assert failing(A, arrays) == {"irreducible"}
    tall = right_answer(A.T) | {"row_blocks": np.array([0, 4]), "col_blocks": np.array([0, 2])}
    assert failing(A.T, tall) == {"irreducible"}


def test_entries_between_rectangular_blocks_are_named():
    A = sp.csc_array(np.array([[1, 1, 1, 0], [0, 0, 1, 1]]))
    arrays = right_answer(A)
    arrays |= {"row_blocks": np.array([0, 1, 2]), "col_blocks": np.array([0, 2, 4])}
    assert "triangular" in failing(A, arrays)


def test_an_entry_between_two_vertical_blocks_is_named():
    """The entry lies above the diagonal blocks in one order of the blocks, and below them in the
    other."""
    A = sp.csc_array(np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1]]))
    arrays = right_answer(A)
    assert arrays["col_blocks"].tolist() == [0, 2]  # one block, because of the entry in row 2
    parts = {"row_blocks": np.array([0, 3, 5]), "col_blocks": np.array([0, 1, 2])}
    for cols in ([0, 1], [1, 0]):
        rows = [0, 1, 2, 3, 4] if cols == [0, 1] else [3, 4, 0, 1, 2]
        ends = np.array([0, 3 if cols == [0, 1] else 2, 5])
        split = parts | {
            "row_perm": np.array(rows),
            "col_perm": np.array(cols),
            "row_blocks": ends,
        }
        texts = [v.text for v in verify(pattern_of(A), arrays | split).violations]
        where = "between two blocks" if cols == [0, 1] else "below the diagonal blocks"
        assert any(where in text and "(2, 1)" in text for text in texts), texts


@pytest.mark.parametrize("dense", [[[1, 0], [1, 1]], [[1, 1], [0, 1]]], ids=["lower", "upper"])
def test_two_blocks_joined_are_named(dense):
    """The smallest column of the joined block is in the lower or in the upper block. A search from
    it reaches all columns in one direction, and none in the other."""
    A = sp.csc_array(np.array(dense))
    arrays = right_answer(A)
    assert arrays["row_blocks"].tolist() == [0, 1, 2]
    merged = {key: np.array([0, 2]) for key in ("row_blocks", "col_blocks")}
    merged |= {key: np.array([0, 1]) for key in ("row_perm", "col_perm")}
    verdict = verify(pattern_of(A), arrays | merged)
    assert [v.check for v in verdict.violations] == ["irreducible"]
    assert "square block 0" in verdict.violations[0].text


def test_vertical_blocks_are_ordered_by_their_smallest_row():
    A = sp.csc_array(np.array([[1, 0], [1, 0], [0, 1], [0, 1]]))
    arrays = right_answer(A)
    swapped_blocks = {"row_perm": np.array([2, 3, 0, 1]), "col_perm": np.array([1, 0])}
    verdict = verify(pattern_of(A), arrays | swapped_blocks)
    assert [v.check for v in verdict.violations] == ["order"]
    assert "vertical block 0 and the next" in verdict.violations[0].text
    # By rows, not by columns: here the smallest column is in the other block.
    B = sp.csc_array(A.toarray()[:, ::-1])
    assert right_answer(B)["col_perm"].tolist() == [1, 0] and not failing(B, right_answer(B))


def test_blocks_of_equal_height_are_ordered_by_column():
    A = sp.csc_array(np.eye(2))
    arrays = right_answer(A) | {"row_perm": np.array([1, 0]), "col_perm": np.array([1, 0])}
    assert failing(A, arrays) == {"order"}


@pytest.mark.parametrize("narrow", [0, 10**9], ids=["frontiers", "vertex by vertex"])
@given(A=random_matrices())
def test_both_ways_of_searching_agree_with_the_oracle(narrow, A):
    saved = reach_module.NARROW, reach_module.WIDE
    reach_module.NARROW = reach_module.WIDE = narrow
    try:
        assert failing(A, right_answer(A)) == set()
    finally:
        reach_module.NARROW, reach_module.WIDE = saved


def test_a_long_path_takes_no_operations_on_whole_arrays(monkeypatch):
    """Each level of the search has one vertex. A round of operations on whole arrays for each level
    would take about 30 times as long as the search vertex by vertex."""
    rounds = []
    monkeypatch.setattr(reach_module, "_lists_of", lambda *args: rounds.append(args))
    n = 300_000
    indptr, indices = np.arange(n + 1), np.arange(n)
    near, far = reach(indptr, indices, np.append(np.arange(1, n), -1), np.array([0]), n)
    assert near.all() and far.all() and not rounds
