# SPDX-License-Identifier: BSD-3-Clause
"""The results of a diagnosis as objects, as text and as dictionaries with bounded lists."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

import btfperm
from tests import strategies


def test_groups_are_sequences_of_groups():
    found = btfperm.diagnose(np.zeros((4, 0)))
    groups = found.overdetermined
    assert len(groups) == len(list(groups)) == 4 and groups[-1].rows.tolist() == [3]
    assert [g.rows.tolist() for g in groups[1:3]] == [[1], [2]] and not found.underdetermined
    assert (groups.n_rows.tolist(), groups.excess.tolist()) == ([1] * 4, [1] * 4)
    with pytest.raises(IndexError, match="there are 4 overdetermined groups"):
        groups[4]
    with pytest.raises(IndexError):
        found.identical_rows[0]


def test_groups_and_sets_have_the_indices_of_a_list():
    A = np.zeros((9, 6), dtype=int)
    A[:2, 0] = A[2:5, 1] = A[5:9, 2] = 1  # three groups of rows, and three empty columns
    found = btfperm.diagnose(A)

    def plain(item):
        return item.tolist() if isinstance(item, np.ndarray) else (item.rows.tolist(), item.excess)

    for items in (found.overdetermined, found.underdetermined, found.identical_rows):
        listed = [plain(item) for item in items]
        assert len(items) == len(listed) == 3
        for k in range(-3, 3):
            assert plain(items[k]) == listed[k]
        for part in (slice(None), slice(-2, None), slice(None, None, -1), slice(1, 9), slice(0)):
            assert [plain(item) for item in items[part]] == listed[part]
        for k in (3, -4):
            with pytest.raises(IndexError, match="there are 3"):
                items[k]


def test_results_are_read_only_pickled_and_shown():
    found = btfperm.diagnose([[1, 1, 1], [0, 0, 1], [0, 0, 1]])
    for same in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert same == found
        with pytest.raises(ValueError, match="read-only"):
            same.overdetermined[0].rows[0] = 5
    assert repr(found) == (
        "<Diagnosis of a 3 x 3 matrix: structural rank 2, 1 overdetermined group, "
        "1 underdetermined group>"
    )
    assert repr(found.overdetermined[0]) == "<Group overdetermined: 2 rows, 1 column>"
    for part in (found, found.overdetermined, found.overdetermined[0]):
        assert part._repr_html_().startswith("<table><caption>")
    assert found != btfperm.diagnose(np.eye(3)) and found != "x"


def test_a_dictionary_has_bounded_lists():
    found = btfperm.diagnose(np.kron(np.eye(50), [[1, 0], [1, 0]]))
    whole = found.to_dict(limit=None)
    assert not whole["truncated"] and len(whole["overdetermined"]) == 50
    cut = found.to_dict(limit=12)
    assert cut["truncated"] and cut["group_counts"] == {"overdetermined": 50, "underdetermined": 50}
    assert [g["truncated"] for g in cut["overdetermined"]] == [False, False]
    assert cut["overdetermined"] == whole["overdetermined"][:2]
    cut = found.to_dict(limit=4)
    assert [g["truncated"] for g in cut["overdetermined"]] == [True]
    assert cut["overdetermined"][0]["rows"] == [0, 1] and cut["overdetermined"][0]["excess"] == 1


def test_text_lists_everything_on_request():
    found = btfperm.diagnose(np.zeros((40, 1)))
    assert "40 rows (0, 1, 2, 3, 4, ...) are empty" in found.text()
    assert f"rows {', '.join(map(str, range(40)))} are empty" in found.text(limit=None)
    assert "the cover" not in found.text(limit=None)  # the rank is 0


def test_what_the_text_counts_is_listed_on_request():
    A = np.zeros((8, 5))
    A[:2, :3] = A[2:5, 2] = A[5:7, 3] = 1
    found = btfperm.diagnose(A)
    short = found.text().splitlines()
    whole = found.text(limit=None).splitlines()
    assert short[-3:] == [
        "  proof: 2 rows and 2 columns touch every entry, so nothing smaller suffices",
        "  diagonal: 0 of 11 entries in every maximum transversal, 2 in none",
        "  identical patterns: 3 sets of rows, the largest: rows 2, 3, 4",
    ]
    assert whole[len(short) - 3 :] == [
        short[-3],
        "    the cover: rows 0, 1 and columns 2, 3",
        short[-2],
        "    in none: (0, 2), (1, 2)",
        "  identical patterns: 3 sets of rows:",
        "    rows 2, 3, 4",
        "    rows 0, 1",
        "    rows 5, 6",
    ]


def test_what_a_dictionary_counts_is_listed_without_a_limit():
    found = btfperm.diagnose([[1, 1, 0, 0], [0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]])
    cut, whole = found.to_dict(), found.to_dict(limit=None)
    lists = {
        "repair": {"cover_rows": [0, 1, 2], "cover_columns": []},
        "diagonal": {"always_entries": [[0, 0]], "never_entries": [[0, 1]]},
    }
    for key, expected in lists.items():
        assert {name: whole[key][name] for name in expected} == expected
        assert [cut[key].pop(name) for name in expected] == [None, None]
        for name in expected:
            del whole[key][name]
    assert cut == whole and not cut["truncated"]
    in_words = found.text(limit=None)
    assert "    in every one: (0, 0)\n    in none: (0, 1)\n" in in_words


@pytest.mark.parametrize("noun", ["row", "column"])
def test_groups_that_the_text_leaves_out_are_counted_with_their_excess(noun):
    tall = sp.block_diag([np.ones((excess + 1, 1)) for excess in range(1, 15)])
    text = btfperm.diagnose(tall if noun == "row" else tall.T).text(limit=10)
    assert f"{sum(range(1, 15))} {noun}s too many, in 14 independent groups" in text
    assert f"and 4 groups more, with {11 + 12 + 13 + 14} {noun}s too many" in text


@st.composite
def several_groups(draw):
    """Full blocks with one row or one column too many."""
    sizes = draw(st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=2, max_size=4))
    blocks = [np.ones((k, k + 1) if is_wide else (k + 1, k)) for k, is_wide in sizes]
    return sp.block_diag(blocks, format="coo")


@given(A=strategies.any_matrix() | several_groups())
@example(A=sp.block_diag([np.ones((2, 1)), np.ones((2, 1))], format="coo"))
def test_lists_for_json_are_marked_as_cut_if_and_only_if_they_are(A):
    """The mark is right for each limit, also for one that is reached exactly at the end of a
    group."""
    found = btfperm.diagnose(A)
    whole = found.to_dict(limit=None)
    for limit in range(2 * sum(A.shape) + 3):
        cut, full = found.to_dict(limit=limit), whole
        while full is not None:  # then the diagnosis without stored zeros
            own, complete = (
                {**each, "stored_zeros": None, "repair": dict(each["repair"]), "diagonal": None}
                for each in (cut, full)
            )
            for each in (own, complete):  # listed without a limit only
                del each["repair"]["cover_rows"], each["repair"]["cover_columns"]
            assert not complete.pop("truncated")
            assert own.pop("truncated") == (own != complete), limit
            cut, full = (
                each["stored_zeros"] and each["stored_zeros"]["without"] for each in (cut, full)
            )
