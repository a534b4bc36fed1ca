# SPDX-License-Identifier: BSD-3-Clause
"""meeting-trees: its cover, its start, long lists in pieces, far walks, and 64-bit indices for more
than 2^31 entries. `test_gpu.py` tests it as it tests every algorithm of a GPU."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from tests import families
from tests.checks.check_transversal import check_transversal

pytestmark = pytest.mark.gpu


def on_device(A):
    import cupyx.scipy.sparse as cs

    return cs.csc_matrix(sp.csc_matrix(A))


def test_its_cover_is_the_proof(monkeypatch):
    """The rows that its last phase marks are the rows of a minimum cover, so the certificate needs
    no search of its own."""
    from btfperm.transversal import certificate_gpu

    def fail(*_):
        raise AssertionError("its marks were not enough")

    matrices = (
        families.random_rectangle(3_000, 3_000, 2, 3).A,  # the trees of either side may close
        families.random_rectangle(2_000, 3_000, 3, 3).A,
        families.random_rectangle(3_000, 2_000, 3, 3).A,
    )
    ranks = [btfperm.structural_rank(A) for A in matrices]
    monkeypatch.setattr(certificate_gpu, "_searched", fail)
    monkeypatch.setattr(importlib.import_module("btfperm.transversal.certificate"), "prove", fail)
    for A, rank in zip(matrices, ranks, strict=True):
        for initializer in ("none", "greedy"):
            theirs = on_device(A)
            t = btfperm.maximum_transversal(
                theirs, algorithm="meeting-trees", initializer=initializer
            )
            assert t.maximum and t.counters["launches"] >= 1
            check_transversal(A, t.on_host(), rank=rank)


def test_marks_of_another_matching_prove_nothing():
    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.path.request import Request
    from btfperm.path.run import run_algorithm
    from btfperm.transversal.certificate_gpu import prove_on_device

    theirs = on_device(families.random_rectangle(3_000, 3_000, 3, 3).A)
    problem = DeviceProblem.empty(btfperm.as_pattern(theirs))
    row = btfperm.registry.find("meeting-trees", initializer=False)
    run_algorithm(row, problem, Request())
    assert problem.reached is not None and prove_on_device(problem) is not None
    j = int(problem.row_match.argmax())
    i = int(problem.col_match[j])
    problem.row_match[i], problem.col_match[j] = -1, -1
    assert prove_on_device(problem) is None, "a smaller matching"
    problem.row_match[i] = j
    assert prove_on_device(problem) is None, "arrays that disagree"


def test_columns_and_rows_of_any_length():
    """Long lists are cut into pieces: lists just below, at and above the lengths of the pieces."""
    rng = np.random.default_rng(11)
    n = 6_000
    A = sp.lil_array((n, n))
    A.setdiag(1)
    for k, length in enumerate([255, 256, 257, 511, 512, 513, 2048, 5000, n]):
        A[rng.choice(n, length, replace=False), 2 * k] = 1
        A[2 * k + 1, rng.choice(n, length, replace=False)] = 1
    A = sp.csc_array(A)[rng.permutation(n)][:, rng.permutation(n)]
    A = sp.csc_array(A.multiply(rng.random(n) < 0.9))
    A.eliminate_zeros()
    for B in (A, A.T.tocsc(), A[:4_000], A[:, :4_000]):
        t = btfperm.maximum_transversal(B, algorithm="meeting-trees", initializer="none")
        check_transversal(B, t, rank=btfperm.structural_rank(B))


def test_more_entries_than_32_bits_count():
    """Each column has one entry in each of 33 blocks of rows: more than 2^31 entries in all. The
    lists are canonical by construction."""
    import cupy

    per_column, block = 33, 2_000_000
    n = per_column * block
    if cupy.cuda.runtime.memGetInfo()[0] < 90e9:
        pytest.skip("needs 90 GB of GPU memory")
    draw = cupy.ElementwiseKernel(
        "int64 block",
        "int64 row",
        """unsigned long long x = (i + 1) * 0x9E3779B97F4A7C15ULL;
           x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
           x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
           row = i % 33 * block + (x ^ (x >> 31)) % block;""",
        "draw",
    )
    indices = draw(block, size=n * per_column)
    indptr = cupy.arange(0, n * per_column + 1, per_column)
    assert indices.size > 2**31
    t = btfperm.maximum_transversal(
        (None, indices, indptr), shape=(n, n), algorithm="meeting-trees", initializer="none"
    )
    assert t.maximum and t.row_match.dtype == np.int64 and t.structural_rank == n
    cols = t.col_match
    assert bool((t.row_match[cols] == cupy.arange(n)).all())
    drawn = indices.reshape(n, per_column)[cupy.arange(n), cols // block]
    assert bool((drawn == cols).all()), "a matched pair is not an entry"


@pytest.mark.parametrize(
    ("A", "choice", "least"),
    [
        (families.chain(3_000).A, "first", 60),  # the rows of a column are close to each other
        (families.random_rectangle(3_000, 5_000, 3, 1).A, "random", 0),
        (families.stars(60, 70).A, "first", 0),  # hubs, whose rows are not close to each other
    ],
)
def test_its_start_is_chosen_by_the_order(A, choice, least):
    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.pattern.order_sample_gpu import sample_order
    from btfperm.transversal.augmenting.meeting_starts_gpu import choose_start

    problem = DeviceProblem.empty(btfperm.as_pattern(on_device(A)))
    sample = sample_order(problem.m, problem.indptr, problem.indices)()
    assert choose_start(problem, sample) == (choice, least)
    t = btfperm.maximum_transversal(A, algorithm="meeting-trees", initializer="none")
    assert t.counters["begun_pairs"] > 0
    check_transversal(A, t, rank=btfperm.structural_rank(A))


def test_forced_choices_come_before_the_search():
    for seed in range(3):
        A = families.hubs_and_leaves(400, 6_000, seed).A
        for B in (A, A[:6_000], A[:, :6_000]):
            t = btfperm.maximum_transversal(B, algorithm="meeting-trees", initializer="none")
            assert t.counters["peeled_turns"] > 0 and t.maximum
            check_transversal(B, t, rank=btfperm.structural_rank(B))


def test_the_counters_add_up_to_the_rank():
    """The initial matching, computed or given, and the augmentations add up to the lower bound of
    the rank: also if the removal of leaves matches everything (the stars), if nothing can be
    matched, and if a limit ends the search."""
    random = families.random_rectangle(1_000, 1_000, 3, 4).A
    star = families.stars(1, 600).A
    half = btfperm.maximum_transversal(random, max_work=1, algorithm="ss-bfs").col_match
    empty = sp.csc_array((30, 20))
    given = [(random, None), (star, None), (star.T, None), (random, half), (empty, None)]
    for A, initial in given:
        for limits in ({}, {"max_work": 1}):
            t = btfperm.maximum_transversal(
                A, algorithm="meeting-trees", initializer="none", initial=initial, **limits
            )
            found = t.counters["begun_pairs"] + t.counters["augmentations"]
            assert found == t.rank_bounds[0] and not t.counters["far_phases"]


def test_steps_of_one_side_while_the_other_waits(monkeypatch):
    """With these thresholds, the side with more open vertices waits in every round that is not
    thin: its trees do not grow (meeting_trees_gpu.py)."""
    from btfperm.transversal.augmenting import meeting_trees_gpu

    monkeypatch.setattr(meeting_trees_gpu, "_SIDE_RATIO", 1)
    monkeypatch.setattr(meeting_trees_gpu, "_OPEN_RATIO", 0)
    monkeypatch.setattr(meeting_trees_gpu, "_THIN", 0.25)
    for A in (
        families.random_rectangle(9_000, 8_000, 3, 5).A,
        families.random_rectangle(8_000, 9_000, 2, 5).A,
        families.chains_hk(40).A,
    ):
        t = btfperm.maximum_transversal(A, algorithm="meeting-trees", initializer="greedy")
        check_transversal(A, t, rank=btfperm.structural_rank(A))


@pytest.mark.parametrize(
    "A", [families.hubs_and_leaves(400, 6_000, 5).A, families.chain(3_000).A], ids=["hubs", "chain"]
)
def test_walks_along_distances_end_with_a_proof(A, monkeypatch):
    """The walks start from an empty matching, and then from that of trees abandoned at once."""
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.transversal.augmenting import far_walks_gpu, meeting_starts_gpu, meeting_trees_gpu
    from btfperm.transversal.certificate_gpu import prove_on_device

    rank = btfperm.structural_rank(A)
    problem = DeviceProblem.empty(btfperm.as_pattern(on_device(A)))
    memory = meeting_starts_gpu.Memory.of(problem)
    assert any(far_walks_gpu.walk_far(problem, Budget(), k, memory, 0)[2] for k in range(50))
    assert problem.size == rank and prove_on_device(problem) is not None
    monkeypatch.setattr(meeting_trees_gpu, "_LAUNCH_ROUNDS", 2)
    monkeypatch.setattr(meeting_trees_gpu, "_PATIENCE", 1)
    monkeypatch.setattr(meeting_trees_gpu, "_MANY", 0)
    t = btfperm.maximum_transversal(A, algorithm="meeting-trees", initializer="none")
    check_transversal(A, t, rank=rank)


@pytest.mark.parametrize("gap", [1, 64])
def test_walks_in_short_launches_end_with_a_proof(gap, monkeypatch):
    """A launch continues the waves and walks that the one before left unfinished. With a gap of 1,
    there can be more waves than labels can distinguish."""
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.transversal.augmenting import far_walks_gpu, meeting_starts_gpu
    from btfperm.transversal.certificate_gpu import prove_on_device

    monkeypatch.setattr(far_walks_gpu, "_LAUNCH_ROUNDS", 2)
    monkeypatch.setattr(far_walks_gpu, "_LEAST_GAP", gap)
    monkeypatch.setattr(far_walks_gpu, "_GAP", 0.0)
    for A in (families.chain(20_000).A, families.random_rectangle(3_000, 2_900, 3, 7).A):
        problem = DeviceProblem.empty(btfperm.as_pattern(on_device(A)))
        memory = meeting_starts_gpu.Memory.of(problem)
        _, waves, done = far_walks_gpu.walk_far(problem, Budget(), 1, memory, 0)
        assert done and waves > 0 and problem.size == btfperm.structural_rank(A)
        assert prove_on_device(problem) is not None


@pytest.mark.parametrize("algorithm", ["meeting-trees", "ordered-trees"])
def test_a_work_limit_leaves_a_legal_matching(algorithm):
    A = families.random_rectangle(30_000, 30_000, 4, 2).A
    whole = btfperm.structural_rank(A)
    for work in (1_000, A.nnz + 5_000, 2 * A.nnz):
        t = btfperm.maximum_transversal(A, algorithm=algorithm, initializer="none", max_work=work)
        check_transversal(A, t, rank=whole)
        assert t.maximum or t.stopped_by == "max_work"
        assert work > 1_000 or not t.maximum
