# SPDX-License-Identifier: BSD-3-Clause
"""Far walks, see `far_walks.cu`: which waves (global relabellings from all unmatched rows) prove
that the matching is maximum, and when the trees continue instead. A stray is a column whose
col_match was out of date after a launch; a wave under way in that launch proves nothing.

The first tests replace the counters that the device reports by fixed ones. The others need a GPU.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.backends.gpu.budget import Budget
from btfperm.backends.gpu.layout import layout
from btfperm.transversal.augmenting import far_walks_gpu
from tests import families
from tests.checks.check_transversal import check_transversal
from tests.on_device import pattern_there

FIELDS = dict.fromkeys(layout(far_walks_gpu._FILE, "Progress").words, 0)


def progress(wave, strays=0, done=0, edges=10):
    """The fields of Progress after a launch."""
    changed = {
        far_walks_gpu._WAVE: wave,
        far_walks_gpu._STRAYS: strays,
        far_walks_gpu._DONE: done,
        far_walks_gpu._EDGES: edges,
    }
    assert changed.keys() <= FIELDS.keys()
    return FIELDS | changed


def run_walks(monkeypatch, launches, seed=0):
    """The result of walk_far if the launches give these answers, and the names of the kernels that
    it launched."""
    answers, names = iter(launches), []

    class Answers:
        array = np.zeros(len(FIELDS), dtype=np.uint64)

        def __init__(self, *_):
            pass

        def fields(self):
            return next(answers)

        def zeros(self):
            return dict(FIELDS)

    def launch(name, *_):
        names.append(name)

    m, n = 6, 5
    kernels = SimpleNamespace(launch=launch, launch_together=launch)
    problem = SimpleNamespace(
        m=m,
        n=n,
        kernels=lambda _: kernels,
        row_match=None,
        col_match=None,
        indptr=None,
        indices=None,
        by_rows=(None, None),
    )
    memory = SimpleNamespace(workspace=np.zeros(9 * (m + n)), owner=None, core=None)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(empty=np.empty))
    monkeypatch.setattr(far_walks_gpu, "SharedStruct", Answers)
    return far_walks_gpu.walk_far(problem, Budget(), seed, memory, 0), names


@pytest.mark.parametrize(
    ("launches", "n_starts"),
    [
        ([progress(1, done=1)], 1),
        ([progress(5), progress(5, done=1)], 1),
        ([progress(5, strays=3), progress(6, strays=3, done=1)], 1),
        ([progress(5, strays=3, done=1), progress(1, done=1)], 2),
        ([progress(5, strays=3), progress(5, strays=3, done=1), progress(1, done=1)], 2),
        ([progress(5, strays=3), progress(6, strays=4, done=1), progress(1, done=1)], 2),
        ([progress(254, strays=3, done=2), progress(1, done=1)], 2),
    ],
    ids=[
        "at once",
        "over two launches",
        "sent behind the strays",
        "strays in its launch",
        "strays in the launch before, when it was on its way",
        "more strays",
        "no wave left",
    ],
)
def test_a_wave_that_may_have_passed_strays_proves_nothing(launches, n_starts, monkeypatch):
    (_, _, done), names = run_walks(monkeypatch, launches)
    assert done and names.count("prepare_far") == n_starts
    assert names.count("walk_far") == len(launches) and names[-1] == "mark_far_cover"


def test_trees_continue_if_waves_do_not_lead_to_a_row(monkeypatch):
    turns = far_walks_gpu._TURNS
    (edges, waves, done), names = run_walks(monkeypatch, [progress(254, done=2)] * turns)
    assert (edges, waves, done) == (10 * turns, 254 * turns, False)
    assert "mark_far_cover" not in names


def test_the_largest_seed_is_one(monkeypatch):
    launches = [progress(254, done=2), progress(1, done=1)]
    assert run_walks(monkeypatch, launches, seed=2**64 - 1)[0][2]


def problem_with(A, row_match):
    """The problem on the device with this matching, and the memory of a search."""
    import cupy

    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.transversal.augmenting.meeting_starts_gpu import Memory

    problem = DeviceProblem.empty(pattern_there(A))
    cols = np.full(A.shape[1], -1, dtype=np.int32)
    cols[row_match[row_match >= 0]] = np.flatnonzero(row_match >= 0)
    problem.row_match, problem.col_match = cupy.asarray(row_match), cupy.asarray(cols)
    return problem, Memory.of(problem)


def from_lists(m, lists):
    rows = np.concatenate(lists)
    cols = np.repeat(np.arange(len(lists)), [len(rows) for rows in lists])
    return sp.csc_array((np.ones(len(rows)), (rows, cols)), shape=(m, len(lists)))


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(3))
def test_the_one_way_out_of_a_long_list(seed):
    """The last column holds all matched rows. Only one of these rows is matched to a column that
    also holds the unmatched row. A push scans at most 64 entries of a list, so several pushes are
    needed to find this row."""
    from btfperm.transversal.certificate_gpu import prove_on_device

    n = 5_000
    lists = [np.array([i]) for i in range(n)]
    lists[(1_000 + 1_700 * seed) % n] = np.array([(1_000 + 1_700 * seed) % n, n])
    A = from_lists(n + 1, [*lists, np.arange(n)])
    problem, memory = problem_with(A, np.append(np.arange(n), -1).astype(np.int32))
    assert far_walks_gpu.walk_far(problem, Budget(), seed, memory, 0)[2]
    assert problem.size == n + 1 and prove_on_device(problem) is not None


@pytest.mark.gpu
def test_surplus_columns_do_not_walk_forever(monkeypatch):
    """Two unmatched columns, far from the only unmatched row. No wave is left when the first column
    is matched. Without a limit, the walk of the other column, which cannot be matched, would then
    continue forever along the labels of the last wave."""
    from btfperm.transversal.certificate_gpu import prove_on_device

    monkeypatch.setattr(far_walks_gpu, "_LEAST_GAP", 1)
    monkeypatch.setattr(far_walks_gpu, "_GAP", 0.0)
    n = 9_000  # twice the steps of a walk: 16 for each of 254 waves
    ways = [np.arange(i, min(i + 3, n + 1)) for i in range(n)]
    A = from_lists(n + 1, [*ways, np.array([0, 1]), np.array([0, 1])])
    problem, memory = problem_with(A, np.append(np.arange(n), -1).astype(np.int32))
    budget = Budget(seconds=60)
    assert far_walks_gpu.walk_far(problem, budget, 1, memory, 0)[2], "the time limit was reached"
    assert problem.size == n + 1 and prove_on_device(problem) is not None


@pytest.mark.gpu
def test_trees_finish_what_walks_abandon(monkeypatch):
    from btfperm.transversal.augmenting import meeting_trees_gpu

    monkeypatch.setattr(meeting_trees_gpu, "_LAUNCH_ROUNDS", 2)
    monkeypatch.setattr(meeting_trees_gpu, "_PATIENCE", 1)
    monkeypatch.setattr(meeting_trees_gpu, "_MANY", 0)
    monkeypatch.setattr(far_walks_gpu, "_TURNS", 0)
    for A in (families.chain(1_000).A, families.hubs_and_leaves(300, 1_200, 1).A):
        t = btfperm.maximum_transversal(A, algorithm="meeting-trees", initializer="none")
        assert t.maximum and t.counters["far_phases"] == 0
        check_transversal(A, t, rank=btfperm.structural_rank(A))
