# SPDX-License-Identifier: BSD-3-Clause
"""Transversals from the caller. btfperm checks their certificate again, and no array can make the
core read out of bounds. A matching for `initial` is reduced to the entries that fit."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm import _core
from btfperm.errors import InitialMatchingWarning, InvalidArgumentError
from btfperm.pattern import as_pattern
from btfperm.transversal.given import given_problem
from tests import strategies
from tests.known_answers import read
from tests.loops import looped
from tests.oracles.plain_matching import structural_rank
from tests.transversal.methods import ROWS

FUNCTIONS = [btfperm.dulmage_mendelsohn, btfperm.block_triangular_form]
each_function = pytest.mark.parametrize("function", FUNCTIONS)

N = 4
SPOILED = [
    pytest.param(change, id=f"{name} {what}")
    for name in ("row_match", "col_match", "row_in_cover")
    for what, change in (
        ("too short", {name: np.zeros(N - 1, dtype=np.int32)}),
        ("too long", {name: np.zeros(N + 1, dtype=np.int32)}),
        ("empty", {name: np.zeros(0, dtype=np.uint8)}),
        ("None", {name: None}),
        ("a list", {name: [0] * N}),
        ("of floats", {name: np.zeros(N)}),
        ("of two dimensions", {name: np.zeros((N, 1), dtype=np.uint8)}),
        ("of rubbish", {name: np.full(N, 2**62)}),
        ("below -1", {name: np.full(N, -7)}),
    )
]


@each_function
@looped("change", SPOILED)
def test_arrays_that_are_no_transversal(function, change):
    A = np.triu(np.ones((N, N)))
    spoiled = replace(btfperm.maximum_transversal(A), **change)
    with pytest.raises(InvalidArgumentError, match="transversal"):
        function(A, transversal=spoiled)


@each_function
@pytest.mark.parametrize("thing", [3, "t", np.arange(4), {}], ids=repr)
def test_things_that_are_no_transversal(function, thing):
    with pytest.raises(InvalidArgumentError, match="maximum_transversal returns"):
        function(np.eye(4), transversal=thing)


@each_function
def test_only_checked_arrays_count(function):
    """The rank and the columns of the cover follow from the checked arrays, not from other
    fields."""
    A = read("Erdos971")
    t = btfperm.maximum_transversal(A)
    wrong = replace(t, rank_bounds=(1, 1), col_in_cover=None, verified=False)
    result = function(A, transversal=wrong)
    assert result.structural_rank == t.structural_rank
    assert result.transversal.rank_bounds == t.rank_bounds and result.transversal.verified
    assert result.transversal.cover().size == t.structural_rank


# -- the core refuses arrays of wrong lengths, whatever Python checked before ---------------------


def places(m, n, width):
    """Arrays of the right lengths, by argument name."""
    P = as_pattern(np.eye(m, n))
    return {
        "indptr": P.indptr.astype(width),
        "indices": P.indices.astype(width),
        "row_match": np.full(m, -1, dtype=width),
        "col_match": np.full(n, -1, dtype=width),
        "row_in_cover": np.zeros(m, dtype=np.uint8),
        "col_in_cover": np.zeros(n, dtype=np.uint8),
        "col_perm": np.zeros(n, dtype=width),
        "coarse_rows": np.zeros(5, dtype=width),
        "coarse_cols": np.zeros(5, dtype=width),
        "row_block": np.zeros(m, dtype=width),
        "col_blocks": np.array([0, n], dtype=width),
    }


MATCHED = ("indptr", "indices", "row_match", "col_match")
TAKES = {
    **{row.stem: (*MATCHED, "row_in_cover") for row in ROWS},
    "find_cover": (*MATCHED, "row_in_cover"),
    "check_matching": MATCHED,
    "certify": (*MATCHED, "row_in_cover", "col_in_cover"),
    "decompose": (*MATCHED, "coarse_rows", "coarse_cols"),
    "block_graph": ("indptr", "indices", "row_block", "col_perm", "col_blocks"),
}


def _owner(function):
    """The submodule of the core that has a function of this name."""
    is_decomposition = function in ("decompose", "block_graph")
    return _core.dulmage_mendelsohn if is_decomposition else _core.transversal


@looped("width", [np.int32, np.int64])
@looped("function", TAKES)
def test_the_core_refuses_wrong_lengths(function, width):
    """Each array in turn is empty, has one place, or has nine places too many."""
    for wrong in TAKES[function]:
        # the last element of these gives the length of others, so they may be longer
        for length in (0, 1, *(() if wrong in ("indptr", "col_blocks") else (9,))):
            arrays = places(5, 3, width)
            right = arrays[wrong]
            more = np.full(9, 99, dtype=right.dtype)
            arrays[wrong] = np.concatenate((right, more)) if length == 9 else right[:length].copy()
            given = {name: arrays[name] for name in TAKES[function]}
            with pytest.raises(ValueError, match=r"places|elements"):
                getattr(_owner(function), function)(5, **given)
                pytest.fail(f"{wrong} with {length} places is accepted")


def test_the_core_refuses_a_cover_of_another_matrix():
    match = np.array([0, 7, -1], dtype=np.int32)
    other, cover = np.zeros(3, dtype=np.uint8), np.zeros(3, dtype=np.uint8)
    with pytest.raises(ValueError, match="out of range"):
        _core.transversal.complete_cover(match, other, cover)
    with pytest.raises(ValueError, match="places"):
        _core.transversal.complete_cover(match, np.zeros(8, dtype=np.uint8), cover[:2])


def test_a_decomposition_is_no_transversal_but_a_start(tmp_path):
    A = read("Erdos971")
    d = btfperm.dulmage_mendelsohn(A)
    d.save(tmp_path / "perm.npz")
    for start in (d, btfperm.load(tmp_path / "perm.npz")):
        t = btfperm.maximum_transversal(A, initial=start, initializer="none")
        np.testing.assert_array_equal(t.col_match, d.col_match)
        with pytest.raises(InvalidArgumentError, match="initial="):
            btfperm.dulmage_mendelsohn(A, transversal=start)


@each_function
def test_options_of_a_search_that_does_not_happen(function):
    t = btfperm.maximum_transversal(np.eye(3))
    for threads in (None, 2):  # the decomposition uses threads, too
        assert function(np.eye(3), transversal=t, threads=threads).structural_rank == 3
    with pytest.raises(InvalidArgumentError, match="leave out algorithm, seed"):
        function(np.eye(3), transversal=t, seed=2, algorithm="hopcroft-karp")


# -- a matching to start from ----------------------------------------------------------------------


def start_from(A, initial, **options):
    """The transversal that hopcroft-karp finds from the matching `initial`. An
    InitialMatchingWarning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", btfperm.InitialMatchingWarning)
        return btfperm.maximum_transversal(
            A, initial=initial, initializer="none", algorithm="hopcroft-karp", **options
        )


def plain_drop(A, pairs):
    """The pairs that are entries of `A`, without later ones in a row or a column already used."""
    entries = set(zip(*(lines.tolist() for lines in sp.coo_array(A).coords), strict=True))
    expected, rows, cols = [], set(), set()
    for i, j in pairs:
        if (i, j) in entries and i not in rows and j not in cols:
            expected.append((i, j))
            rows.add(i)
            cols.add(j)
    return expected


@pytest.mark.filterwarnings("ignore::btfperm.InitialMatchingWarning")
@pytest.mark.parametrize("orientation", ["col_match", "row_match"])
@given(data=st.data(), A=strategies.any_matrix())
def test_pairs_that_do_not_fit_are_dropped_and_counted(orientation, data, A):
    m, n = A.shape
    length = data.draw(st.integers(0, max(m, n) + 2))
    number = st.integers(-3, max(m, n) + 2) | st.integers(-(2**62), 2**62)
    array = data.draw(st.lists(number, min_size=length, max_size=length))
    problem = given_problem(btfperm.as_pattern(A), array, orientation)
    pairs = [(i, j) for j, i in enumerate(array) if i != -1]
    if orientation == "row_match":
        pairs = sorted(((j, i) for i, j in pairs), key=lambda pair: pair[1])
    expected = plain_drop(A, pairs)
    assert problem.dropped == len(pairs) - len(expected)
    matched = np.flatnonzero(problem.col_match >= 0)
    assert dict(zip(matched.tolist(), problem.col_match[matched].tolist(), strict=True)) == {
        j: i for i, j in expected
    }
    assert _core.transversal.check_matching(*problem.matched)[0] == 0
    t = btfperm.maximum_transversal(A, initial=array, orientation=orientation)
    assert t.counters["initial_dropped"] == problem.dropped
    assert t.structural_rank == structural_rank(A)


# The entries are (0,0), (1,1), (2,2), (3,3) and (0,1).
SQUARE = sp.csc_array(np.eye(4) + np.eye(4, k=1) * [[1], [0], [0], [0]])


@pytest.mark.parametrize(
    ("initial", "dropped"),
    [
        ([0, 1, 2, 3], 0),
        ([0, 1, 3, 3], 1),  # (3,2) is not an entry
        ([0, 0, 2, 3], 1),  # row 0 occurs twice
        ([0, 1, 2, 9], 1),  # there is no row 9
        ([0, 1, 2, 2**40], 1),
        ([0, 1, 2, 2**32 + 3], 1),  # the lower 32 bits are 3
        ([0, 1, 2, -2], 1),
        ([0, 1], 0),
        ([0, 1, 2, 3, 4], 1),
        ([0, 1, 2, 3, -1, -1], 0),
        ([], 0),
        (np.array([0, 1, 2, 3], dtype=np.uint8), 0),
    ],
    ids=str,
)
def test_a_matching_of_an_earlier_matrix_is_a_start(initial, dropped):
    t = start_from(SQUARE, initial)
    assert t.structural_rank == 4 and t.verified
    assert t.counters["initial_dropped"] == dropped


@pytest.mark.parametrize(
    ("initial", "dropped"),
    [
        ([1, 1, 2, 3], 1),  # column 1 occurs twice
        ([1, -1, 3, 3], 1),  # (2,3) is not an entry, so (3,3) is not dropped
        ([-2, 1, 2, 4], 2),
    ],
    ids=str,
)
def test_an_earlier_matching_given_by_rows_is_a_start(initial, dropped):
    problem = given_problem(as_pattern(SQUARE), initial, "row_match")
    assert problem.dropped == dropped and _core.transversal.check_matching(*problem.matched)[0] == 0
    t = start_from(SQUARE, initial, orientation="row_match")
    assert t.structural_rank == 4 and t.counters["initial_dropped"] == dropped


def test_a_transversal_of_a_matrix_of_another_size_is_a_start():
    larger = btfperm.maximum_transversal(sp.eye_array(6))
    t = start_from(sp.eye_array(4), larger)
    assert t.counters["initial_dropped"] == 2 and t.structural_rank == 4
    assert "initial_dropped" not in btfperm.maximum_transversal(SQUARE).counters


@pytest.mark.parametrize("orientation", ["row_match", "col_match"])
def test_the_first_of_the_pairs_with_the_same_row_or_column_stays(orientation):
    A = np.ones((60, 3)) if orientation == "row_match" else np.ones((3, 60))
    claimed = np.arange(60)[::-1] % 3  # 2, 1, 0, 2, ...
    with pytest.warns(InitialMatchingWarning, match="57 of 60 pairs"):
        t = btfperm.maximum_transversal(A, initial=claimed, orientation=orientation)
    assert getattr(t, orientation).tolist() == [2, 1, 0] + 57 * [-1]


def test_the_two_forms_of_scipy():
    """SciPy returns the row of each column (`perm_type="row"`) or the column of each row. The
    matrix is a cyclic shift with one more entry: if either array is read in the wrong orientation,
    at most one of its pairs is an entry."""
    from scipy.sparse.csgraph import maximum_bipartite_matching

    shift = np.roll(np.arange(5), 1)
    A = sp.csr_array((np.ones(6), (np.append(np.arange(5), 0), np.append(shift, 0))), shape=(5, 5))
    for perm_type, orientation in (("row", "col_match"), ("column", "row_match")):
        theirs = maximum_bipartite_matching(A, perm_type=perm_type)
        t = start_from(A, theirs, orientation=orientation)
        assert t.counters["initial_dropped"] == 0
        np.testing.assert_array_equal(getattr(t, orientation), theirs)
        other = {"col_match": "row_match", "row_match": "col_match"}[orientation]
        with pytest.warns(btfperm.InitialMatchingWarning, match="of 5 pairs.* orientation=") as w:
            t = btfperm.maximum_transversal(A, initial=theirs, orientation=other)
        assert t.counters["initial_dropped"] >= 4 and t.structural_rank == 5
        assert w[0].filename == __file__
    B = A[:4]
    rows = maximum_bipartite_matching(B, perm_type="column")
    with pytest.raises(InvalidArgumentError, match="orientation='row_match'"):
        btfperm.maximum_transversal(B, initial=rows)
    assert start_from(B, rows, orientation="row_match").counters["initial_dropped"] == 0


@pytest.mark.parametrize(
    "initial",
    [
        [0.0, -1, -1, -1],
        [[0, 1, -1, -1]],
        [[0], [1, 2]],
        ["a", "b", "c", "d"],
        "abcd",
        [True, False, False, True],
        3,
        object(),
        {"row_match": 1},
    ],
    ids=lambda initial: f"{type(initial).__name__} {initial}".partition(" object at ")[0],
)
def test_only_arrays_of_integers_are_a_start(initial):
    with pytest.raises(InvalidArgumentError, match="array of integers"):
        btfperm.maximum_transversal(SQUARE, initial=initial)


def test_an_orientation_belongs_to_an_array():
    t = btfperm.maximum_transversal(SQUARE)
    for initial, orientation in ((None, "row_match"), (t, "row_match"), ([0], "row"), ([0], 3)):
        with pytest.raises(InvalidArgumentError, match="orientation"):
            btfperm.maximum_transversal(SQUARE, initial=initial, orientation=orientation)
    assert start_from(SQUARE, t, orientation="col_match") == t
