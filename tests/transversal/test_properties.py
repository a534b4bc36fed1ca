# SPDX-License-Identifier: BSD-3-Clause
"""Every initializer before every algorithm: the rank, the certificate, any start, any numbering."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, note, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import structural_rank as scipy_structural_rank

import btfperm
from btfperm.errors import InvalidArgumentError
from btfperm.pattern import as_pattern
from tests import strategies
from tests.checks.check_matching import check_maximum
from tests.checks.check_transversal import check_transversal
from tests.loops import looped
from tests.oracles import brute_force, plain_matching
from tests.oracles.plain_pattern import pattern
from tests.transversal.methods import (
    ALGORITHMS,
    AUGMENTING,
    INITIALIZERS,
    in_64_bits,
)

initializers = st.sampled_from(INITIALIZERS)
methods = st.tuples(initializers, st.sampled_from(ALGORITHMS))
# Each example runs every algorithm after one initializer.
FOUR_TIMES = settings(max_examples=4 * settings().max_examples)


def each_algorithm_on(A, initializer, initial=None):
    """The name and the result of each algorithm. A failing example prints the name as a note."""
    P = as_pattern(A)
    for algorithm in ALGORITHMS:
        note(f"algorithm={algorithm!r}")
        yield (
            algorithm,
            btfperm.maximum_transversal(
                P, initializer=initializer, algorithm=algorithm, initial=initial
            ),
        )


@FOUR_TIMES
@given(A=strategies.any_matrix(), initializer=initializers)
def test_every_pair_finds_a_maximum_transversal(A, initializer):
    rank = plain_matching.structural_rank(A)
    for algorithm, t in each_algorithm_on(A, initializer):
        assert t.maximum and t.stopped_by is None
        assert t.initializer == initializer
        assert t.algorithm in (algorithm, "none")  # none: the start matched everything
        check_transversal(A, t, rank=rank)


@given(strategies.any_matrix())
def test_auto_finds_a_maximum_transversal(A):
    t = btfperm.maximum_transversal(A)
    assert t.maximum
    assert t.algorithm in ["none", *ALGORITHMS]  # none: the start matched everything
    assert t.initializer in INITIALIZERS
    check_transversal(A, t, rank=plain_matching.structural_rank(A))
    check_maximum(A, t.row_match, t.col_match)
    assert t.structural_rank == t.size == t.cover().size


@given(strategies.tiny(), methods)
def test_rank_is_the_brute_force_rank(A, method):
    initializer, algorithm = method
    rank = btfperm.structural_rank(A, initializer=initializer, algorithm=algorithm)
    assert rank == brute_force.structural_rank(A)


@given(strategies.any_matrix())
def test_rank_is_scipys(A):
    expected = scipy_structural_rank(pattern(A)) if min(A.shape) else 0
    assert btfperm.structural_rank(A) == expected


@FOUR_TIMES
@given(data=st.data(), initializer=initializers)
def test_any_legal_matching_is_a_start(data, initializer):
    A = data.draw(strategies.any_matrix())
    row_match, col_match = data.draw(strategies.legal_matching(A))
    before = col_match.copy()
    rank = plain_matching.structural_rank(A)
    for algorithm, t in each_algorithm_on(A, initializer, col_match):
        assert t.maximum
        check_transversal(A, t, rank=rank)
        np.testing.assert_array_equal(col_match, before)
        if algorithm in AUGMENTING:
            assert (t.row_match[row_match >= 0] >= 0).all()
            assert (t.col_match[col_match >= 0] >= 0).all()


@FOUR_TIMES
@given(A=strategies.any_matrix(), initializer=initializers)
def test_a_maximum_start_is_only_checked(A, initializer):
    row_match, col_match = plain_matching.maximum_matching(A)
    for algorithm, t in each_algorithm_on(A, initializer, col_match):
        assert t.structural_rank == (row_match >= 0).sum()
        assert t.counters.get("augmentations", 0) == 0
        if algorithm in AUGMENTING:
            np.testing.assert_array_equal(t.row_match, row_match)
            np.testing.assert_array_equal(t.col_match, col_match)


@given(strategies.any_matrix())
def test_a_transversal_is_a_start(A):
    first = btfperm.maximum_transversal(A)
    assert btfperm.structural_rank(A, initial=first) == first.structural_rank
    again = btfperm.maximum_transversal(A, algorithm="hopcroft-karp", initial=first)
    np.testing.assert_array_equal(again.row_match, first.row_match)
    assert not np.shares_memory(again.row_match, first.row_match)


@given(st.data(), strategies.any_matrix(), methods)
def test_rank_does_not_depend_on_the_numbering(data, A, method):
    initializer, algorithm = method
    m, n = A.shape
    rows = np.array(data.draw(strategies.permutations_of(m)), dtype=int)
    cols = np.array(data.draw(strategies.permutations_of(n)), dtype=int)
    permuted = pattern(A)[rows, :][:, cols]
    rank = btfperm.structural_rank(A)
    options = {"initializer": initializer, "algorithm": algorithm}
    assert btfperm.structural_rank(permuted, **options) == rank
    assert btfperm.structural_rank(A.T, **options) == rank


@given(strategies.any_matrix(), methods)
def test_32_and_64_bits_give_the_same(A, method):
    initializer, algorithm = method
    P = as_pattern(A)
    wide = in_64_bits(A)
    options = {"initializer": initializer, "algorithm": algorithm, "seed": 1, "threads": 1}
    narrow_t = btfperm.maximum_transversal(P, **options)
    wide_t = btfperm.maximum_transversal(wide, **options)
    assert narrow_t.row_match.dtype == np.int32 and wide_t.row_match.dtype == np.int64
    np.testing.assert_array_equal(narrow_t.row_match, wide_t.row_match)
    np.testing.assert_array_equal(narrow_t.col_match, wide_t.col_match)
    narrow_counts, wide_counts = (
        {name: count for name, count in t.counters.items() if not name.endswith("_us")}
        for t in (narrow_t, wide_t)  # the counters of microseconds may differ
    )
    assert narrow_counts == wide_counts


@pytest.mark.parametrize("options", [{"threads": 1}, {"threads": 2}, {"seed": 7}], ids=str)
@given(A=strategies.any_matrix())
def test_threads_and_seed_change_no_rank(A, options):
    t = btfperm.maximum_transversal(A, **options)
    check_transversal(A, t, rank=plain_matching.structural_rank(A))


@given(strategies.any_matrix(), methods)
def test_the_same_call_gives_the_same_matching(A, method):
    """On one thread, results are reproducible in one process, also with the default seed. (Those of
    rustworkx were not: its issue 1545.)"""
    initializer, algorithm = method
    options = {"initializer": initializer, "algorithm": algorithm, "threads": 1}
    first = btfperm.maximum_transversal(A, **options)
    second = btfperm.maximum_transversal(A, **options)
    np.testing.assert_array_equal(first.row_match, second.row_match)


@given(strategies.stored_zeros())
def test_stored_zeros(A):
    assert btfperm.structural_rank(A) == plain_matching.structural_rank(A)
    without = pattern(A, drop_zeros=True)
    t = btfperm.maximum_transversal(A, drop_zeros=True)
    check_transversal(without, t, rank=plain_matching.structural_rank(without))


@looped(
    "options",
    [
        {"algorithm": "no-such-thing"},
        {"initializer": "no-such-thing"},
        {"backend": "abacus"},
        {"algorithm": "greedy"},
        {"initializer": "pothen-fan"},
        {"time_limit": -1.0},
        {"max_work": -1},
        {"threads": 0},
        {"time_limit": float("nan")},
        {"time_limit": "a"},
        {"time_limit": 1j},
        {"max_work": 10**30},
        {"max_work": 1.5},
        {"max_work": "a"},
        {"threads": "x"},
        {"threads": 1.5},
        {"threads": 10**30},
        {"threads": 1_000_000},
        {"seed": -1},
        {"seed": 10**30},
        {"seed": "x"},
        {"options": {1: 2}},
        {"options": [("alpha", 5)]},
        {"options": {"sweeps": "x"}, "initializer": "two-sided"},
        {"options": {"sweeps": 10**400}, "initializer": "two-sided"},
        {"options": {"sweeps": float("inf")}, "initializer": "two-sided"},
        {"options": {"sweeps": float("nan")}, "initializer": "two-sided"},
        {"options": {"sweeps": -1}, "initializer": "two-sided"},
        {"options": {"no_such_option": 1}},
        {"algorithm": 3},
        {"initializer": None},
    ],
    ids=str,
)
def test_impossible_options_are_refused_with_a_sentence(options):
    with pytest.raises(InvalidArgumentError) as caught:
        btfperm.maximum_transversal(sp.eye_array(3), **options)
    assert 20 < len(str(caught.value)) < 700 and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"time_limit": float("inf")},
        {"time_limit": np.float32(5)},
        {"max_work": np.int64(2**62), "seed": np.uint64(2**64 - 1), "threads": np.int8(2)},
        {"options": {"sweeps": np.int64(3)}, "initializer": "two-sided"},
    ],
    ids=str,
)
def test_numbers_of_any_kind_are_taken(options):
    assert btfperm.structural_rank(sp.eye_array(3), **options) == 3


def test_an_empty_start_of_a_matrix_without_columns():
    assert btfperm.structural_rank(sp.csc_array((3, 0)), initial=[]) == 0


def test_an_unknown_algorithm_names_the_known_ones():
    with pytest.raises(InvalidArgumentError, match="hopcroft-karp"):
        btfperm.maximum_transversal(sp.eye_array(3), algorithm="hopcroft-carp")
