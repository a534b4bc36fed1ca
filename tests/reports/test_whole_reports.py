# SPDX-License-Identifier: BSD-3-Clause
"""Everything that `check` reports about a damaged result, what pictures outline, and the numbers of
a page, for a matrix of `tests/uneven.py`: a wrong place or a wrong side makes a difference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.reports.pictures.view import coarse_outlines, outlines, view_of
from btfperm.reports.verify import verify
from tests.reports.answers import pattern_of, right_answer
from tests.reports.page.test_page import Elements, data_of, unpacked, written
from tests.uneven import uneven

ANSWER = right_answer(uneven())


def swapped(key, *places):
    changed = ANSWER[key].copy()
    changed[list(places)] = changed[list(places[::-1])]
    return {key: changed}


def inserted(**more):
    """The arrays of block boundaries with one more boundary. `more` holds its index `at`, its `row`
    and its column `col`."""
    return {
        f"{side}_blocks": np.insert(ANSWER[f"{side}_blocks"], more["at"], more[side])
        for side in ("row", "col")
    }


# what is changed; each check that fails with its text; the checks that cannot follow
REPORTS = {
    "rows of two parts": (
        swapped("row_perm", 1, 3),
        [
            "coarse: in the horizontal part, but of the square one: row 7",
            "coarse: in the square part, but of the horizontal one: row 4",
            "triangular: entries below the diagonal blocks: (4, 0), (4, 4), (4, 6)",
        ],
        "irreducible order",
    ),
    "rows of the lower parts": (
        swapped("row_perm", 2, 9),
        [
            "coarse: in the square part, but of the vertical one: row 8",
            "coarse: in the vertical part, but of the square one: row 0",
            "triangular: entries below the diagonal blocks: (0, 2), (0, 7), (0, 8)",
        ],
        "irreducible order",
    ),
    "columns of the outer parts": (
        swapped("col_perm", 0, 8),
        [
            "coarse: in the horizontal part, but of the vertical one: column 5",
            "coarse: in the vertical part, but of the horizontal one: column 0",
            "triangular: entries below the diagonal blocks: (0, 5), (1, 5), (3, 5), (5, 5), (8, 5)",
        ],
        "irreducible order",
    ),
    "columns of two parts": (
        swapped("col_perm", 3, 5),
        [
            "coarse: in the horizontal part, but of the square one: column 8",
            "coarse: in the square part, but of the horizontal one: column 6",
            "triangular: entries below the diagonal blocks: (0, 8), (7, 8)",
        ],
        "irreducible order",
    ),
    "a boundary of the unmatched rows": (
        {"coarse_rows": ANSWER["coarse_rows"] + [0, 0, 0, 1, 0]},
        ["coarse: there are 3 unmatched rows, but coarse_rows[4] - coarse_rows[3] is 2"],
        "irreducible",
    ),
    "a boundary of the unmatched columns": (
        {"coarse_cols": ANSWER["coarse_cols"] + [0, 1, 0, 0, 0]},
        ["coarse: there are 2 unmatched columns, but coarse_cols[1] is 3"],
        "irreducible",
    ),
    "a boundary inside a block": (
        {"coarse_rows": ANSWER["coarse_rows"] + [0, 0, 1, 0, 0]},
        ["boundaries: a coarse boundary lies inside a fine block"],
        "coarse triangular irreducible order",
    ),
    "a row twice": (
        {"row_perm": np.array([9, 9, *ANSWER["row_perm"][2:]])},
        [
            "permutations: row_perm holds row 9 more than once",
            "permutations: row_perm holds rows 2, 4 not at all",
        ],
        "coarse triangular irreducible order",
    ),
    "a negative column": (
        {"col_perm": np.array([*ANSWER["col_perm"][:-1], -1])},
        [
            "permutations: col_perm leaves the range 0..8 at place 8 (-1 at 8)",
            "permutations: col_perm holds column 5 not at all",
        ],
        "coarse triangular irreducible order",
    ),
    "a column too large": (
        {"col_perm": np.array([9, *ANSWER["col_perm"][1:]])},
        [
            "permutations: col_perm leaves the range 0..8 at place 0 (9 at 0)",
            "permutations: col_perm holds column 0 not at all",
        ],
        "coarse triangular irreducible order",
    ),
    "short arrays": (
        {
            "row_match": ANSWER["row_match"][:-1],
            "coarse_cols": ANSWER["coarse_cols"][:4],
            "col_blocks": ANSWER["col_blocks"][None],
        },
        [
            "arrays: col_blocks has 2 dimensions instead of 1",
            "arrays: coarse_cols has 4 elements instead of 5",
            "arrays: row_match has 9 elements instead of 10",
        ],
        "boundaries matching rank coarse triangular irreducible order",
    ),
    "rows for columns": (
        {"row_match": ANSWER["col_match"], "col_match": ANSWER["row_match"]},
        [
            "arrays: row_match has 9 elements instead of 10",
            "arrays: col_match has 10 elements instead of 9",
        ],
        "matching rank coarse irreducible",
    ),
    "long arrays": (
        {"coarse_rows": np.append(ANSWER["coarse_rows"], 10)},
        ["arrays: coarse_rows has 6 elements instead of 5"],
        "boundaries coarse triangular irreducible order",
    ),
    "two blocks joined": (
        {key: np.delete(ANSWER[key], 2) for key in ("row_blocks", "col_blocks")},
        [
            "irreducible: not irreducible: square block 1, split at column 7",
            "order: col_perm does not ascend inside a block at column 7",
        ],
        "",
    ),
    "a vertical block that is split": (
        inserted(at=4, row=7, col=8),
        [
            "triangular: entries below the diagonal blocks: (6, 1), (8, 1)",
            "triangular: entries between two blocks of the horizontal or the vertical part: "
            "(1, 5), (3, 5)",
        ],
        "irreducible order",
    ),
    "a horizontal block that is split": (
        inserted(at=1, row=1, col=2),
        [
            "triangular: entry below the diagonal blocks: (4, 0)",
            "triangular: entries between two blocks of the horizontal or the vertical part: "
            "(2, 4), (2, 6)",
        ],
        "irreducible order",
    ),
    "a pair less": (
        {
            "row_match": np.where(ANSWER["row_match"] == 5, -1, ANSWER["row_match"]),
            "col_match": np.where(np.arange(9) == 5, -1, ANSWER["col_match"]),
            "structural_rank": np.array(6),
        },
        [
            "rank: the matching is not maximum, and the structural rank is larger: an alternating "
            "path leads from an unmatched column to unmatched rows 1, 5, 6, 8"
        ],
        "coarse irreducible",
    ),
    "another rank": (
        {"structural_rank": np.array(8)},
        ["rank: structural_rank is 8, but 7 rows are matched"],
        "coarse irreducible",
    ),
    "boundaries beyond the end": (
        {"row_blocks": ANSWER["row_blocks"] * 2},
        ["boundaries: row_blocks does not run from 0 to 10"],
        "coarse triangular irreducible order",
    ),
    "another shape": (
        {"shape": np.array([9, 10])},
        ["arrays: the file is for a matrix of shape [9, 10], not [10, 9]"],
        "",
    ),
}


@pytest.mark.parametrize("name", REPORTS)
def test_the_whole_report(name):
    changes, texts, skipped = REPORTS[name]
    verdict = verify(pattern_of(uneven()), ANSWER | changes)
    assert [f"{found.check}: {found.text}" for found in verdict.violations] == texts
    assert " ".join(verdict.skipped) == skipped


def test_the_last_row_and_the_last_column_of_a_block_that_is_not_connected():
    """A vertical block with an empty row, or a horizontal block with an empty column, is not
    connected: it is two blocks."""
    for A, text in (
        (np.array([[1], [1], [0]]), "not connected with the rest of a rectangular block: row 2"),
        (np.array([[1, 1, 0]]), "not connected with the rest of a rectangular block: column 2"),
    ):
        arrays = right_answer(A)
        for side in ("row_blocks", "col_blocks"):
            arrays[side] = arrays[side][[0, -1]]
        where = "row" if A.shape[0] > 1 else "col"
        arrays[f"{where}_perm"] = np.arange(3)
        match = np.array([0, -1, -1])
        arrays |= {
            f"{where}_match": match,
            f"{'col' if where == 'row' else 'row'}_match": match[:1],
        }
        texts = [found.text for found in verify(pattern_of(A), arrays).violations]
        assert text in texts


def test_the_outlines_of_the_parts_and_the_blocks():
    d = btfperm.dulmage_mendelsohn(uneven())
    found = coarse_outlines(d)
    rows = list(zip(*(side.tolist() for side in found[:4]), strict=True))
    assert found.part == ["horizontal", "square", "vertical"]
    assert rows == [(0, 2, 0, 4), (2, 5, 4, 7), (5, 10, 7, 9)]
    fine = outlines(d, view_of(d.pattern, d, cells=100), least=1)
    assert list(zip(*(side.tolist() for side in fine[:4]), fine.part, strict=True)) == [
        (0, 2, 0, 4, "horizontal"),
        (2, 4, 4, 6, "square"),
        (4, 5, 6, 7, "square"),
        (5, 10, 7, 9, "vertical"),
    ]
    for window, blocks in (
        ({"rows": (0, 2), "cols": (0, 4)}, [0]),
        ({"rows": (2, 5), "cols": (4, 7)}, [2, 4]),
        ({"rows": (1, 3), "cols": (3, 5)}, [0, 2]),
        ({"rows": (5, 10), "cols": (0, 7)}, []),
    ):
        view = view_of(d.pattern, d, **window, cells=100)
        assert outlines(d, view, least=1).row.tolist() == blocks
        m, n = (end - begin for begin, end in window.values())
        permuted = uneven()[d.row_perm][:, d.col_perm] != 0
        shown = permuted[slice(*window["rows"]), slice(*window["cols"])]
        assert view.counts.shape == (m, n) and (view.counts == shown).all()


def test_blocks_are_outlined_by_their_own_side():
    """A block that is 16 times as wide as high has an outline only for its width."""
    A = np.zeros((66, 64))
    A[0, :16] = A[1:, 16:] = 1
    d = btfperm.dulmage_mendelsohn(A)
    assert [block.shape for block in d] == [(1, 16), (65, 48)]
    for cells, shown in (((64, 8), 1), ((64, 12), 2), ((8, 8), 1), ((2, 12), 2)):
        assert outlines(d, view_of(d.pattern, d, cells=cells)).row.size == shown


def test_the_numbers_of_the_page(tmp_path):
    page = written(uneven(), tmp_path)
    d, data = btfperm.dulmage_mendelsohn(uneven()), data_of(page)
    blocks = data["blocks"]
    listed = unpacked(blocks["listed"])
    for key, array in (
        ("firstRows", d.row_blocks[listed]),
        ("firstCols", d.col_blocks[listed]),
        ("listedHeights", np.diff(d.row_blocks)[listed]),
        ("listedWidths", np.diff(d.col_blocks)[listed]),
    ):
        assert unpacked(blocks[key]).tolist() == array.tolist(), key
    words = " ".join(Elements(page).text.split())
    for text in (
        "10 x 9",
        "structural rank is 7",
        "rows10columns9entries22structural rank7 (deficient)",
        "The rank is proven: 7 rows and columns together touch every entry.",
        "4 fine blocks, of which 1 have one row and one column",
        "direct solvers need a square matrix",
    ):
        assert text in words, text


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (2, 2)])
@pytest.mark.parametrize("is_full", [True, False])
def test_full_rank_is_that_of_the_shorter_side(tmp_path, shape, is_full):
    A = np.eye(*shape)
    A[1, 1] = is_full
    words = " ".join(Elements(written(A, tmp_path)).text.split())
    rank = "2 (full)" if is_full else "1 (deficient)"
    assert f"structural rank{rank}fine blocks" in words
    assert ("has full rank" in words) == is_full
    assert ("does not have full rank" in words) != is_full


@pytest.mark.parametrize("drop", [True, False])
def test_the_page_counts_the_stored_zeros(tmp_path, drop):
    A = sp.csc_array(uneven())
    A.data[[2, 5, 8]] = 0
    words = " ".join(Elements(written(A, tmp_path, drop_zeros=drop)).text.split())
    what = "left out" if drop else "kept as entries"
    assert f"3 stored entries are zero, {what}." in words
