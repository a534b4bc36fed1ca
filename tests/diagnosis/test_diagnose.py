# SPDX-License-Identifier: BSD-3-Clause
"""Diagnoses: those of small matrices are compared with all maximum matchings, and a separate check
tests all of them."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

import btfperm
from btfperm import _core
from btfperm.diagnosis import explain
from tests import strategies
from tests.checks.check_diagnosis import check_cover_of, check_diagnosis
from tests.checks.entries import entries
from tests.known_answers import known_answers, parametrized, read, shared_answers
from tests.oracles import brute_force
from tests.oracles.plain_matching import structural_rank

ALGORITHMS = ("auto", "hopcroft-karp", "ss-dfs", "push-relabel")


def checked(A, rank=None):
    """The diagnosis of `A`, checked."""
    found = btfperm.diagnose(A)
    rank = structural_rank(A) if rank is None else rank
    check_diagnosis(A, json.loads(json.dumps(found.to_dict(limit=None))), rank)
    check_cover_of(A, found.repair.cover, rank)
    assert_ascending(found.repair)
    return found


def assert_ascending(repair):
    for items in (repair.remove_rows, repair.fix_cols):
        assert (np.diff(items) > 0).all()


@given(A=strategies.any_matrix())
def test_groups_explanations_and_repair(A):
    checked(A)


@given(A=strategies.rectangular(5, 5))
def test_entries_in_every_and_in_no_maximum_transversal(A):
    matchings = [
        {(i, j) for j, i in enumerate(matching) if i >= 0}
        for matching in brute_force.maximum_matchings(A)
    ]
    every = set(zip(*(k.tolist() for k in entries(A)), strict=True))
    found = btfperm.diagnose(A)
    always, never = (
        set(zip(part.rows.tolist(), part.cols.tolist(), strict=True))
        for part in (found.always, found.never)
    )
    assert always == set.intersection(*matchings)
    assert never == every - set.union(*matchings)
    assert (found.always.size, found.n_never) == (len(always), len(never))


@given(A=strategies.any_matrix(), algorithm=st.sampled_from(ALGORITHMS), data=st.data())
def test_nothing_depends_on_the_algorithm_or_the_matching(A, algorithm, data):
    expected = btfperm.diagnose(A)
    found = btfperm.diagnose(
        A,
        algorithm=algorithm,
        initializer=data.draw(st.sampled_from(["none", "greedy", "karp-sipser"])),
    )
    assert found == expected and hash(found) == hash(expected)
    assert found.to_dict() == expected.to_dict()
    assert found.text() == expected.text()


def test_explanations_do_not_depend_on_the_matching_if_several_rows_are_too_many(run_seed):
    rng = np.random.default_rng(run_seed)
    A = sp.random_array((400, 250), density=0.012, rng=rng)
    found = {
        btfperm.diagnose(A, algorithm=algorithm, initializer=start).text(limit=None)
        for algorithm in ALGORITHMS
        for start in ("none", "greedy")
    }
    assert len(found) == 1
    assert btfperm.diagnose(A).overdetermined.excess.max() > 1


@given(A=strategies.any_matrix())
def test_the_transpose_exchanges_the_groups(A):
    found, turned = btfperm.diagnose(A), btfperm.diagnose(sp.coo_array(A).T)
    for one, other in (
        (found.overdetermined, turned.underdetermined),
        (found.underdetermined, turned.overdetermined),
    ):
        assert sorted((g.rows.tolist(), g.cols.tolist()) for g in one) == sorted(
            (g.cols.tolist(), g.rows.tolist()) for g in other
        )


@parametrized([known for known in known_answers() if known.structural_rank < max(known.shape)])
def test_real_matrices(known):
    found = checked(read(known.name), known.structural_rank)
    zeros = found.stored_zeros
    if zeros is not None:
        assert zeros.other_rank == known.rank_without_zeros
        assert zeros.hide_deficiency == (zeros.other_rank < known.structural_rank)


@pytest.mark.slow
@parametrized(
    [k for k in shared_answers() if k.structural_rank < max(k.shape) and k.entries < 20_000],
    "the shared matrices are not here",
)
def test_larger_matrices(known):
    """`python -m tests.diagnosis.record` checks those with more entries."""
    checked(btfperm.read(known.path).to_scipy(), known.structural_rank)


def test_a_minimal_part_of_a_large_group():
    """Two equations in one variable inside a large group with an excess of three."""
    A = np.zeros((9, 6))
    A[:7] = [
        [1, 1, 0, 0, 0, 0],
        [0, 1, 1, 0, 0, 0],
        [0, 0, 1, 1, 0, 0],
        [0, 0, 0, 1, 1, 0],
        [0, 0, 0, 0, 1, 1],
        [1, 0, 0, 0, 0, 1],
        [1, 0, 1, 0, 1, 0],
    ]
    A[7:, 3] = 1
    (group,) = checked(A).overdetermined
    assert (group.excess, group.explanation.rows.tolist()) == (3, [7, 8])
    assert group.explanation.cols.tolist() == [3]


def test_stored_zeros_that_hide_a_deficiency():
    A = sp.csc_array(([1.0, 0.0, 2.0], [0, 1, 2], [0, 1, 2, 3]), shape=(3, 3))
    found = btfperm.diagnose(A)
    assert found.is_nonsingular and found.stored_zeros.hide_deficiency
    assert found.stored_zeros.without == btfperm.diagnose(np.diag([1, 0, 2]))
    assert found.stored_zeros.without.empty_rows.tolist() == [1]
    assert "1 entry is stored as zero and hides a deficiency; without them the rank is 2" in str(
        found
    )
    dropped = btfperm.diagnose(A, drop_zeros=True).stored_zeros
    assert (dropped.dropped, dropped.other_rank, dropped.without) == (True, 3, None)
    harmless = btfperm.diagnose(sp.csc_array(([1.0, 0.0], [0, 1], [0, 1, 2]), shape=(3, 2)))
    assert harmless.stored_zeros.other_rank == 1


def test_no_warning_repeats_what_the_diagnosis_says(recwarn):
    A = sp.csc_array(([0.0, 1.0], [0, 1], [0, 1, 2]), shape=(2, 2))
    btfperm.diagnose(A)
    btfperm.diagnose(A, drop_zeros=True)
    assert not recwarn.list


def test_a_decomposition_is_diagnosed_without_a_search(tmp_path):
    A = [[1, 1, 1], [0, 0, 1], [0, 0, 1]]
    d = btfperm.dulmage_mendelsohn(A)
    assert btfperm.diagnose(d) == btfperm.diagnose(A)
    assert btfperm.diagnose(d).decomposition is d
    with pytest.raises(btfperm.InvalidArgumentError, match="leave out algorithm"):
        btfperm.diagnose(d, algorithm="ss-bfs")
    with pytest.raises(btfperm.InvalidArgumentError, match="leave out drop_zeros, shape"):
        btfperm.diagnose(d, shape=(3, 3), drop_zeros=False)
    d.save(tmp_path / "perm.npz")
    with pytest.raises(btfperm.InvalidArgumentError, match="give the matrix"):
        btfperm.diagnose(btfperm.load(tmp_path / "perm.npz"))
    with pytest.raises(TypeError, match=r"diagnose.* unexpected keyword argument 'algoritm'"):
        btfperm.diagnose(A, algoritm="auto")


@st.composite
def rows_of_few_patterns(draw):
    """A matrix in which many rows have the same pattern: its number of columns, and for each row
    the set of its columns."""
    n = draw(st.integers(1, 6))
    patterns = draw(st.lists(st.sets(st.integers(0, n - 1)), min_size=1, max_size=5))
    return n, draw(st.lists(st.sampled_from(patterns), max_size=12))


@given(drawn=rows_of_few_patterns())
@example(drawn=(3, [{0, 2}, {0, 2}, {0}, {1}]))  # only the last column separates row 2 from 0 and 1
@example(drawn=(6, [{0}, {1, 2}, {3}, {0}, {5}] * 20 + [{4}, {2, 4}] * 20))
def test_rows_with_identical_patterns(drawn):
    """The diagnosis lists all sets of rows with the same pattern, except empty rows. The largest
    set is first; sets of equal size are in the order of their first rows."""
    n, rows = drawn
    pairs = [(i, j) for i, row in enumerate(rows) for j in row]
    equal = {}
    for i, row in enumerate(rows):
        equal.setdefault(frozenset(row), []).append(i)
    expected = [same for row, same in equal.items() if row and len(same) > 1]
    found = btfperm.diagnose(strategies.coo(pairs, (len(rows), n))).identical_rows
    in_order = sorted(expected, key=lambda same: (-len(same), same[0]))
    assert [same.tolist() for same in found] == in_order


@pytest.mark.parametrize("seed", range(6))
def test_the_work_on_one_group_is_not_taken_from_the_next(seed):
    """One call for all groups marks the same rows as one call for each group: each group gets
    passes over its own entries, whatever the passes over earlier groups cost."""
    rng = np.random.default_rng(seed)
    row = np.tile(np.arange(20) < 3, (23, 1))
    parts = [sp.coo_array(rng.permuted(row, axis=1)) for _ in range(8)]
    d = btfperm.dulmage_mendelsohn(sp.block_diag(parts, format="csc"))
    blocks = [d.block(k) for k in rng.permutation(d.vertical.blocks)]

    def marked(some):
        sides = [block.rows for block in some], [block.cols for block in some]
        rows, cols = (
            explain.Lists(np.concatenate(side), np.cumsum([0, *map(len, side)])) for side in sides
        )
        mate = explain._numbers(rows, d.shape[0])[d.col_match[cols.members]]
        return explain._violators(explain._competition(d, rows, cols, True, 1), mate)

    together, alone = marked(blocks), [marked([block]) for block in blocks]
    for k in (0, 1):
        np.testing.assert_array_equal(together[k], np.concatenate([marks[k] for marks in alone]))


def test_the_work_on_one_group_is_bounded():
    """A group with thousands of unmatched rows, each of which could explain it, gets some passes
    over its entries, not one for each row."""
    rng = np.random.default_rng(1)
    A = sp.csc_array(rng.permuted(np.tile(np.arange(400) < 3, (4000, 1)), axis=1))
    d = btfperm.dulmage_mendelsohn(A)
    before = _core.backends.entries_visited()
    (group,) = btfperm.diagnose(d).overdetermined
    visited = _core.backends.entries_visited() - before
    assert group.excess == 3600
    assert visited < 20 * A.nnz, "one pass for each row visits 288 times the entries"


def test_groups_of_one_size_are_in_the_order_of_the_decomposition():
    rng = np.random.default_rng(2)
    tall = [np.ones((k + 1, k)) for k in rng.integers(1, 4, 60)]
    for kind, blocks in (("overdetermined", tall), ("underdetermined", [b.T for b in tall])):
        d = btfperm.dulmage_mendelsohn(sp.block_diag(blocks, format="csc"))
        groups = getattr(btfperm.diagnose(d), kind)
        sizes = [sum(d.block(k).shape) for k in range(d.n_blocks)]
        assert groups.order.tolist() == sorted(range(60), key=sizes.__getitem__)
        ours = [(group.rows.tolist(), group.cols.tolist()) for group in groups]
        blocks_in_order = (d.block(k) for k in groups.order.tolist())
        assert ours == [(block.rows.tolist(), block.cols.tolist()) for block in blocks_in_order]


def test_a_wrong_core_is_detected(monkeypatch):
    """The certificate of the explanations rejects sets that are no violators."""
    A = [[1, 1, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 1, 1]]
    right = explain._violators

    def too_few(*args):
        items, partners = right(*args)
        items[np.flatnonzero(items)[0]] = False
        return items, partners

    def not_closed(*args):
        items, partners = right(*args)
        partners[:] = False
        return items, partners

    for wrong in (too_few, not_closed):
        monkeypatch.setattr(explain, "_violators", wrong)
        with pytest.raises(btfperm.DefectError, match="the diagnosis went wrong"):
            btfperm.diagnose(A)


def test_the_core_refuses_arguments_that_do_not_fit():
    indptr, indices = np.array([0, 1, 2], np.int32), np.array([0, 0], np.int32)
    marks = np.zeros(2, np.uint8), np.zeros(1, np.uint8)
    mate, starts = np.array([0], np.int32), np.array([0, 2], np.int32)
    call = _core.diagnosis.mark_minimal_violators
    with pytest.raises(ValueError, match="a partner is not matched"):
        call(indptr, indices, np.array([-1], np.int32), starts, *marks)
    with pytest.raises(ValueError, match="out of range"):
        call(indptr, indices, np.array([2], np.int32), starts, *marks)
    wrong = np.array([0, 3], np.int32)
    with pytest.raises(ValueError, match="the groups do not hold all items"):
        call(indptr, indices, mate, wrong, *marks)
    certify = _core.diagnosis.wrong_in_violators
    partner_starts = np.array([0, 1], np.int32)
    call(indptr, indices, mate, starts, *marks)
    assert certify(indptr, indices, starts, partner_starts, *marks) == ""
    with pytest.raises(ValueError, match="the groups do not hold all items"):
        certify(indptr, indices, wrong, partner_starts, *marks)
    with pytest.raises(ValueError, match="partner_starts is out of range"):
        certify(indptr, indices, starts, np.array([0, 2], np.int32), *marks)
    numbers = np.array([0, 1], np.int32)
    with pytest.raises(ValueError, match="rows or cols is out of range"):
        _core.diagnosis.submatrix(1, indptr, indices, numbers, numbers)
    blocks = np.zeros(1, np.int32), np.ones(2, np.int32)
    assert _core.diagnosis.count_outside_blocks(indptr, indices, *blocks) == 2
    assert _core.diagnosis.count_outside_blocks(indptr, indices, *(1 - k for k in blocks)) == -1
    with pytest.raises(ValueError, match="another number of entries"):
        one = np.zeros(1, np.int32), np.zeros(1, np.int32)
        _core.diagnosis.list_outside_blocks(indptr, indices, *blocks, *one)


@given(A=strategies.any_matrix(), data=st.data())
def test_a_submatrix_has_numbers_of_its_own(A, data):
    pattern = btfperm.as_pattern(A)
    rows, cols = (
        np.array(data.draw(st.lists(st.integers(0, size - 1), unique=True)) if size else [])
        for size in pattern.shape
    )
    rows, cols = (each.astype(pattern.indices.dtype) for each in (np.sort(rows), cols))
    indptr, indices = _core.diagnosis.submatrix(
        pattern.m, pattern.indptr, pattern.indices, rows, cols
    )
    found = sp.csc_array((np.ones(indices.size), indices, indptr), shape=(rows.size, cols.size))
    expected = pattern.to_scipy().toarray()[rows.astype(int)][:, cols.astype(int)] != 0
    assert found.has_canonical_format and (found.toarray() == expected).all()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_entries_outside_the_blocks_are_counted_on_threads(threads):
    """The test calls the core, because the public function runs on one thread for a matrix this
    small."""
    rng = np.random.default_rng(3)
    A = btfperm.as_pattern(sp.random_array((900, 700), density=0.08, rng=rng))
    row_block = np.sort(rng.integers(0, 9, 900)).astype(A.indices.dtype)
    col_block = np.full(700, 9, A.indices.dtype)
    col_block[::3] = 8
    expected = int((row_block[A.indices] != np.repeat(col_block, np.diff(A.indptr))).sum())
    count = _core.diagnosis.count_outside_blocks
    assert count(A.indptr, A.indices, row_block, col_block, threads) == expected
    col_block[-1] = 7
    assert count(A.indptr, A.indices, row_block, col_block, threads) == -1
