# SPDX-License-Identifier: BSD-3-Clause
"""A transversal that is handed in is proven anew, and none can lead the core out of bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import btfperm
from btfperm import _core
from btfperm.errors import InvalidArgumentError
from btfperm.pattern import as_pattern
from tests.known_answers import read
from tests.transversal.methods import ROWS

FACES = [btfperm.dulmage_mendelsohn, btfperm.block_triangular_form]
each_face = pytest.mark.parametrize("face", FACES)

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


@each_face
@pytest.mark.parametrize("change", SPOILED)
def test_arrays_that_are_no_transversal(face, change):
    A = np.triu(np.ones((N, N)))
    spoiled = replace(btfperm.maximum_transversal(A), **change)
    with pytest.raises(InvalidArgumentError, match="transversal"):
        face(A, transversal=spoiled)


@each_face
@pytest.mark.parametrize("thing", [3, "t", np.arange(4), {}], ids=repr)
def test_things_that_are_no_transversal(face, thing):
    with pytest.raises(InvalidArgumentError, match="maximum_transversal returns"):
        face(np.eye(4), transversal=thing)


@each_face
def test_only_what_is_proven_is_believed(face):
    """The rank and the columns of the cover follow from what was checked, not from what is said."""
    A = read("Erdos971")
    t = btfperm.maximum_transversal(A)
    wrong = replace(t, rank_bounds=(1, 1), col_in_cover=None, verified=False)
    given = face(A, transversal=wrong)
    assert given.structural_rank == t.structural_rank
    assert given.transversal.rank_bounds == t.rank_bounds and given.transversal.verified
    assert given.transversal.cover().size == t.structural_rank


# -- the core refuses lengths that do not fit, whoever asks ----------------------------------------


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
    "dulmage_mendelsohn": (*MATCHED, "coarse_rows", "coarse_cols"),
    "block_graph": ("indptr", "indices", "row_block", "col_perm", "col_blocks"),
}


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("function", "wrong"), [(f, name) for f, names in TAKES.items() for name in names]
)
def test_the_core_refuses_wrong_lengths(function, wrong, width):
    m, n = 5, 3
    for length in (0, 1):
        arrays = places(m, n, width)
        arrays[wrong] = arrays[wrong][:length].copy()
        with pytest.raises(ValueError, match="places"):
            getattr(_core, function)(m, **{name: arrays[name] for name in TAKES[function]})
    arrays = places(m, n, width)
    arrays[wrong] = np.concatenate((arrays[wrong], np.full(9, 99, dtype=arrays[wrong].dtype)))
    if wrong not in ("indptr", "col_blocks"):  # whose last place says how many others must have
        with pytest.raises(ValueError, match="places"):
            getattr(_core, function)(m, **{name: arrays[name] for name in TAKES[function]})


def test_the_core_refuses_a_cover_of_another_matrix():
    match = np.array([0, 7, -1], dtype=np.int32)
    other, cover = np.zeros(3, dtype=np.uint8), np.zeros(3, dtype=np.uint8)
    with pytest.raises(ValueError, match="out of range"):
        _core.complete_cover(match, other, cover)
    with pytest.raises(ValueError, match="places"):
        _core.complete_cover(match, np.zeros(8, dtype=np.uint8), cover[:2])


def test_a_decomposition_is_no_transversal_but_a_start(tmp_path):
    A = read("Erdos971")
    d = btfperm.dulmage_mendelsohn(A)
    d.save(tmp_path / "perm.npz")
    for start in (d, btfperm.load(tmp_path / "perm.npz")):
        t = btfperm.maximum_transversal(A, initial=start, initializer="none")
        np.testing.assert_array_equal(t.col_match, d.col_match)
        with pytest.raises(InvalidArgumentError, match="initial="):
            btfperm.dulmage_mendelsohn(A, transversal=start)


@each_face
def test_options_of_a_search_that_does_not_happen(face):
    t = btfperm.maximum_transversal(np.eye(3))
    for threads in (None, 2):  # the decomposition uses threads, too
        assert face(np.eye(3), transversal=t, threads=threads).structural_rank == 3
    with pytest.raises(InvalidArgumentError, match="leave out algorithm, seed"):
        face(np.eye(3), transversal=t, seed=2, algorithm="hopcroft-karp")
