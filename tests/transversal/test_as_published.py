# SPDX-License-Identifier: BSD-3-Clause
"""push-relabel and hopcroft-karp take the same steps as plain versions of their papers' pseudocode;
hkdw differs from hopcroft-karp as its paper states."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from btfperm import registry
from btfperm.backends.cpu.problem import Problem
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import as_pattern
from tests import families, strategies
from tests.oracles import plain_hopcroft_karp, plain_push_relabel


def searched(A, algorithm, **options):
    """Rank and counters of a search from an empty matching, without a transposition of `A`."""
    problem = Problem.empty(as_pattern(A))
    request = Request(threads=1, options=options)
    outcome = run_algorithm(registry.find(algorithm, initializer=False), problem, request)
    return problem.size, outcome.counters


# -- push-relabel ----------------------------------------------------------------------------------


def pushed(A, **options):
    """The numbers of single pushes, double pushes and global relabels."""
    _, counters = searched(A, "push-relabel", **options)
    return tuple(counters.get(name, 0) for name in ("augmentations", "pushes", "relabels"))


@given(A=strategies.any_matrix(), k=st.sampled_from([0, 0.1, 0.5, 1, 2]))
def test_pushes_and_relabels_are_those_of_the_paper(A, k):
    assert pushed(A, relabel=k) == plain_push_relabel.push_relabel(A, k)[:3]


@pytest.mark.parametrize(
    "shape", [(150, 150), (120, 180), (180, 120), (60, 300), (300, 60)], ids=str
)
def test_labels_are_made_exact_after_k_times_rows_and_columns(shape):
    """A global relabel follows each k (m + n) changes of labels. The default of k is 0.5."""
    max_relabels = 0
    for seed in range(5):
        density = 2.5 / max(shape)
        A = sp.random_array(shape, density=density, rng=np.random.default_rng(seed))
        for k in (0.01, 0.1, 0.5, 1, 2):
            *counts, changes = plain_push_relabel.push_relabel(A, k)
            assert pushed(A, relabel=k) == tuple(counts)
            assert counts[2] - 1 <= round(changes / (k * sum(shape)), 6)
            max_relabels = max(max_relabels, counts[2])
        assert pushed(A) == plain_push_relabel.push_relabel(A, 0.5)[:3]
    assert max_relabels > 1


@given(A=strategies.any_matrix(), k=st.sampled_from([0, 0.1, 0.5, 1, 2]))
def test_one_thread_with_a_queue_of_one_column_takes_the_same_steps(A, k):
    rank, alone = searched(A, "push-relabel", relabel=k)
    same, queued = searched(A, "push-relabel-mt", relabel_frequency=k, queue_limit=1)
    assert (same, queued) == (rank, alone)


@given(A=strategies.any_matrix(), limit=st.sampled_from([1, 2, 5, 500]))
def test_the_queue_limit_keeps_the_order_of_the_columns(A, limit):
    """Without a relabelling after the first, one thread takes the columns first in, first out, for
    every queue limit."""
    alone = searched(A, "push-relabel", relabel=0)
    assert searched(A, "push-relabel-mt", relabel_frequency=0, queue_limit=limit) == alone


def test_the_relabelling_frequency_of_several_threads_counts_changed_labels():
    A = families.deadtree(500, 1).A
    for k, most in ((0, 1), (0.01, 10**9), (16, 2)):
        _, counters = searched(A, "push-relabel-mt", relabel_frequency=k, queue_limit=1)
        *_, relabels, changes = plain_push_relabel.push_relabel(A, k)
        assert counters["relabels"] == relabels <= most
        if k:
            assert relabels - 1 <= changes / (k * sum(A.shape))


# -- hkdw ------------------------------------------------------------------------------------------


def misled(k):
    """Upper bidiagonal, with the first column last. The first-fit matching takes the row above the
    diagonal in all other columns; the only augmenting path then goes through all k columns."""
    return sp.csc_array(sp.eye_array(k, k=1) + sp.eye_array(k))[:, [*range(1, k), 0]]


def test_the_extra_round_saves_phases_of_hopcroft_karp():
    lengths = range(2, 9)
    A = sp.block_diag([misled(k) for k in lengths])
    rank, shortest = searched(A, "hopcroft-karp")
    assert rank == A.shape[0] and shortest["phases"] == 1 + len(lengths)
    rank, extra = searched(A, "hkdw")
    assert rank == A.shape[0] and extra["phases"] == 1
    for what in ("augmentations", "path_edges", "longest_path"):
        assert extra[what] == shortest[what]


def test_extra_searches_start_from_rows():
    """If the first phase of hopcroft-karp matches all rows, the extra searches read no entry. If it
    matches all columns, they read entries but find no path."""
    wide = sp.hstack([sp.eye_array(50)] * 3)
    assert searched(wide, "hkdw") == searched(wide, "hopcroft-karp")
    rank, extra = searched(wide.T, "hkdw")
    assert rank == 50 and extra["edges"] > searched(wide.T, "hopcroft-karp")[1]["edges"]


def test_a_round_reads_each_column_once():
    """There are 200 unmatched rows and 40 columns, all of them matched. The extra searches from
    these rows share their marks, so together they visit each column about once."""
    A = np.ones((240, 40))
    rank, extra = searched(A, "hkdw")
    assert rank == 40 and extra["phases"] == 1
    # 200 searches without shared marks would read more than 30 * A.size entries
    assert extra["edges"] < 5 * (A.size + sum(A.shape))


# -- hopcroft-karp ---------------------------------------------------------------------------------


def assert_paths_are_those_of_the_paper(A):
    phases = plain_hopcroft_karp.path_lengths(A)
    _, counters = searched(A, "hopcroft-karp")
    lengths = [length for phase in phases for length in phase]
    assert counters.get("phases", 0) == len(phases)
    assert counters.get("augmentations", 0) == len(lengths)
    assert counters.get("path_edges", 0) == sum(lengths)
    assert counters.get("longest_path", 0) == max(lengths, default=0)


@given(A=strategies.any_matrix())
def test_paths_are_shortest(A):
    assert_paths_are_those_of_the_paper(A)


@pytest.mark.parametrize("seed", range(5))
def test_paths_are_shortest_on_larger_matrices(seed):
    """Levels have many columns, and not every entry of their lists leads to the next level."""
    rng = np.random.default_rng(seed)
    assert_paths_are_those_of_the_paper(sp.random_array((150, 150), density=0.02, rng=rng))
