# SPDX-License-Identifier: BSD-3-Clause
"""Every array of the decomposition is that of the oracle, with any algorithm for the matching."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.errors import InvalidArgumentError
from tests import strategies
from tests.checks.check_btf import check_canonical_order, check_fine
from tests.checks.check_coarse import check_coarse
from tests.oracles import brute_force, plain_dulmage_mendelsohn, plain_matching
from tests.oracles.plain_pattern import pattern
from tests.transversal.methods import ALGORITHMS, INITIALIZERS, in_64_bits

ARRAYS = ("row_perm", "col_perm", "row_blocks", "col_blocks", "coarse_rows", "coarse_cols")


def assert_same(d, expected):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(d, name), getattr(expected, name), err_msg=name)


@given(strategies.any_matrix())
def test_canonical_order_is_the_oracles(A):
    d = btfperm.dulmage_mendelsohn(A)
    expected = plain_dulmage_mendelsohn.dulmage_mendelsohn(A)
    assert_same(d, expected)
    assert d.structural_rank == expected.structural_rank
    assert d.n_blocks == len(expected.row_blocks) - 1


@given(strategies.any_matrix())
def test_theorems(A):
    d = btfperm.dulmage_mendelsohn(A)
    check_coarse(A, d, d.row_match, d.col_match)
    check_fine(A, d, d.col_match)
    check_canonical_order(A, d)


@given(strategies.tiny())
def test_coarse_sets_are_those_of_the_definition(A):
    d = btfperm.dulmage_mendelsohn(A)
    sets = brute_force.coarse_sets(A)
    rows = np.split(d.row_perm, d.coarse_rows[[1, 2]])
    cols = np.split(d.col_perm, d.coarse_cols[[2, 3]])
    assert [set(p.tolist()) for p in (rows[0], cols[0], rows[1], cols[1], rows[2], cols[2])] == [
        *sets
    ]


@given(strategies.nonsingular(5))
def test_square_blocks_are_fully_indecomposable(A):
    d = btfperm.dulmage_mendelsohn(A)
    csc = pattern(A)
    for k in range(d.n_blocks):
        rows = d.row_perm[d.row_blocks[k] : d.row_blocks[k + 1]]
        cols = d.col_perm[d.col_blocks[k] : d.col_blocks[k + 1]]
        assert brute_force.is_irreducible(csc[rows, :][:, cols])


@given(strategies.any_matrix(), st.sampled_from(INITIALIZERS), st.sampled_from(ALGORITHMS))
def test_independent_of_the_algorithm(A, initializer, algorithm):
    d = btfperm.dulmage_mendelsohn(A, initializer=initializer, algorithm=algorithm)
    assert_same(d, btfperm.dulmage_mendelsohn(A))
    assert d.meta["initializer"] == initializer
    assert d.meta["algorithm"] in (algorithm, "none")  # none: no search was needed


def another_matching(A, col_match, data):
    """A maximum matching without a randomly chosen entry of the first; None if there is none."""
    matched = np.flatnonzero(col_match >= 0).tolist()
    if not matched:
        return None
    j = data.draw(st.sampled_from(matched))
    coo = pattern(A).tocoo()
    keep = (coo.row != col_match[j]) | (coo.col != j)
    rest = sp.coo_array((coo.data[keep], (coo.row[keep], coo.col[keep])), shape=A.shape)
    other = plain_matching.maximum_matching(rest)
    return other if (other[1] >= 0).sum() == len(matched) else None


@given(st.data(), strategies.any_matrix())
def test_independent_of_the_matching(data, A):
    d = btfperm.dulmage_mendelsohn(A)
    other = another_matching(A, d.col_match, data)
    if other is None:
        return
    t = btfperm.maximum_transversal(A, initial=other[1], algorithm="hopcroft-karp")
    again = btfperm.dulmage_mendelsohn(A, transversal=t)
    np.testing.assert_array_equal(again.col_match, other[1])
    assert (again.col_match != d.col_match).any()
    assert_same(again, d)


@pytest.mark.parametrize("n", [2, 3, 50])
def test_a_cycle_with_its_other_matching(n):
    """Every column has another mate; the decomposition is the same."""
    j = np.arange(n)
    A = sp.coo_array((np.ones(2 * n), (np.r_[j, j], np.r_[j, (j + 1) % n])), shape=(n, n))
    results = []
    for row_match in (j, (j + 1) % n):
        t = btfperm.maximum_transversal(A, initial=np.argsort(row_match), algorithm="hopcroft-karp")
        np.testing.assert_array_equal(t.row_match, row_match)
        results.append(btfperm.dulmage_mendelsohn(A, transversal=t))
    assert_same(*results)
    assert results[0].n_blocks == 1


@given(strategies.any_matrix())
def test_idempotent(A):
    """The decomposition of its own result changes nothing."""
    d = btfperm.dulmage_mendelsohn(A)
    again = btfperm.dulmage_mendelsohn(d.apply(sp.csc_array(A)))
    np.testing.assert_array_equal(again.row_perm, np.arange(A.shape[0]))
    np.testing.assert_array_equal(again.col_perm, np.arange(A.shape[1]))
    for name in ARRAYS[2:]:
        np.testing.assert_array_equal(getattr(again, name), getattr(d, name), err_msg=name)


@given(st.data(), strategies.any_matrix())
def test_renumbering_keeps_parts_and_blocks(data, A):
    """After a renumbering, every row and column stays in its part, and blocks keep their
    members."""
    m, n = A.shape
    rows = np.array(data.draw(strategies.permutations_of(m)), dtype=int)
    cols = np.array(data.draw(strategies.permutations_of(n)), dtype=int)
    d = btfperm.dulmage_mendelsohn(A)
    moved = btfperm.dulmage_mendelsohn(pattern(A)[rows, :][:, cols])
    np.testing.assert_array_equal(d.coarse_rows, moved.coarse_rows)
    np.testing.assert_array_equal(d.coarse_cols, moved.coarse_cols)

    def members(row_block, col_block, row_name, col_name):
        blocks = [(set(), set()) for _ in range(d.n_blocks)]
        for i in range(m):
            blocks[row_block[i]][0].add(int(row_name[i]))
        for j in range(n):
            blocks[col_block[j]][1].add(int(col_name[j]))
        return {(frozenset(r), frozenset(c)) for r, c in blocks}

    assert d.n_blocks == moved.n_blocks
    assert members(d.row_block, d.col_block, np.arange(m), np.arange(n)) == members(
        moved.row_block, moved.col_block, rows, cols
    )


@given(strategies.any_matrix())
def test_transposed_parts_change_places(A):
    d, t = btfperm.dulmage_mendelsohn(A), btfperm.dulmage_mendelsohn(A.T)
    assert d.horizontal_shape == t.vertical_shape[::-1]
    assert d.square_shape == t.square_shape[::-1]
    assert d.vertical_shape == t.horizontal_shape[::-1]
    assert d.n_blocks == t.n_blocks


@given(strategies.any_matrix())
def test_32_and_64_bits_give_the_same(A):
    narrow, wide = btfperm.dulmage_mendelsohn(A), btfperm.dulmage_mendelsohn(in_64_bits(A))
    assert narrow.row_perm.dtype == np.int32 and wide.row_perm.dtype == np.int64
    assert_same(wide, narrow)


@given(strategies.any_matrix())
def test_a_transversal_of_the_other_width_is_taken(A):
    t = btfperm.maximum_transversal(in_64_bits(A))
    assert_same(btfperm.dulmage_mendelsohn(A, transversal=t), btfperm.dulmage_mendelsohn(A))


@given(strategies.any_matrix())
def test_block_of_each_row_and_column(A):
    d = btfperm.dulmage_mendelsohn(A)
    for block, perm, ends in (
        (d.row_block, d.row_perm, d.row_blocks),
        (d.col_block, d.col_perm, d.col_blocks),
    ):
        for k in range(d.n_blocks):
            assert (block[perm[ends[k] : ends[k + 1]]] == k).all()


@given(strategies.any_matrix())
def test_matched_row_perm_has_the_matching_on_the_square_diagonal(A):
    d = btfperm.dulmage_mendelsohn(A)
    perm = d.matched_row_perm
    assert sorted(perm.tolist()) == list(range(A.shape[0]))
    first_row, last_row = d.coarse_rows[[1, 2]]
    first_col, last_col = d.coarse_cols[[2, 3]]
    np.testing.assert_array_equal(
        d.row_match[perm[first_row:last_row]], d.col_perm[first_col:last_col]
    )
    # rows stay in their blocks, and outside the square part in their positions
    np.testing.assert_array_equal(d.row_block[perm], d.row_block[d.row_perm])
    np.testing.assert_array_equal(perm[:first_row], d.row_perm[:first_row])
    np.testing.assert_array_equal(perm[last_row:], d.row_perm[last_row:])


OTHERS = [  # matrices whose transversals do not fit [[1, 1], [0, 1]]
    pytest.param([[0, 1], [1, 0]], id="pairs that are no entries"),
    pytest.param([[1, 0], [1, 0]], id="smaller"),
    pytest.param(np.eye(3), id="another shape"),
]


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("function", [btfperm.dulmage_mendelsohn, btfperm.block_triangular_form])
def test_the_transversal_of_another_matrix_is_refused(function, other):
    foreign = btfperm.maximum_transversal(np.array(other))
    with pytest.raises(InvalidArgumentError, match="transversal"):
        function(np.array([[1, 1], [0, 1]]), transversal=foreign)


@given(strategies.stored_zeros())
def test_stored_zeros(A):
    assert_same(
        btfperm.dulmage_mendelsohn(A, drop_zeros=True),
        plain_dulmage_mendelsohn.dulmage_mendelsohn(pattern(A, drop_zeros=True)),
    )


@given(strategies.any_matrix())
def test_meta_describes_the_call(A):
    import json

    d = btfperm.dulmage_mendelsohn(A)
    meta = json.loads(json.dumps(d.meta))  # files store it as JSON
    assert meta["kind"] == "dulmage_mendelsohn" and meta["convention"] == "btfperm"
    assert meta["matrix"]["nnz"] == pattern(A).nnz
    assert meta["verified"] is True and meta["maximum"] is True
    assert meta["btfperm_version"] == btfperm.__version__
    assert meta["format_version"] == 1
    assert all(seconds >= 0 for seconds in meta["seconds"].values())
