# SPDX-License-Identifier: BSD-3-Clause
"""Parts of the GPU searches for which the matrices of `test_gpu_small.py` are too small:
`far_walks.cu` (pushes along distances), hubs whose lists are cut into pieces, `meeting_peel.cu`,
and the list of active columns of g-pr-shr, which shrinks. The tests call the part directly, lower a
limit, or use a matrix with hubs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from btfperm import registry
from btfperm.backends.gpu.budget import Budget
from btfperm.pattern import as_pattern
from tests import families
from tests.checks.check_transversal import check_transversal
from tests.on_device import matrix_there
from tests.oracles import plain_matching
from tests.transversal.test_gpu import run
from tests.transversal.test_gpu_small import SMALL

pytestmark = pytest.mark.gpu


def test_far_walks_end_with_a_proof(monkeypatch):
    """No search of so small a matrix needs them, so the test starts them from an empty matching.
    With short launches and gaps, a launch continues waves and walks that the one before left
    unfinished."""
    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.transversal.augmenting import far_walks_gpu, meeting_starts_gpu
    from btfperm.transversal.certificate_gpu import prove_on_device

    for short in (False, True):
        if short:
            monkeypatch.setattr(far_walks_gpu, "_LAUNCH_ROUNDS", 2)
            monkeypatch.setattr(far_walks_gpu, "_LEAST_GAP", 1)
            monkeypatch.setattr(far_walks_gpu, "_GAP", 0.0)
        for name in ("chain", "random, tall", "random, square", "stars"):
            A = SMALL[name].A
            problem = DeviceProblem.empty(as_pattern(matrix_there(A)))
            memory = meeting_starts_gpu.Memory.of(problem)
            runs = (far_walks_gpu.walk_far(problem, Budget(), k, memory, 0) for k in range(50))
            assert any(done and waves > 0 for _, waves, done in runs), name
            assert problem.size == plain_matching.structural_rank(A), name
            assert prove_on_device(problem) is not None, name


def hubs(n, seed):
    """About 95 % of a diagonal, and random entries in four columns and four rows: 255, 256, 257 and
    n of them."""
    rng = np.random.default_rng(seed)
    A = sp.lil_array((n, n))
    A.setdiag(rng.random(n) < 0.95)
    for k, length in enumerate([255, 256, 257, n]):
        A[rng.choice(n, length, replace=False), 2 * k] = 1
        A[2 * k + 1, rng.choice(n, length, replace=False)] = 1
    A = sp.csc_array(A)
    A.eliminate_zeros()
    return A


@pytest.mark.parametrize("shape", [(420, 420), (420, 300), (300, 420)])
def test_long_lists_are_cut_into_pieces(shape):
    A = hubs(420, 5)[: shape[0], : shape[1]]
    rank = plain_matching.structural_rank(A)
    row = registry.find("meeting-trees", initializer=False)
    for initial in (None, np.where(np.arange(shape[1]) < 1, A.tocsc().indices[0], -1)):
        t = run(A, row, initializer="none", initial=initial)
        check_transversal(A, t, rank=rank)


def test_leaves_of_hubs_are_peeled():
    A = families.hubs_and_leaves(2, 700, 1).A
    row = registry.find("meeting-trees", initializer=False)
    for B in (A, A[:600], A[:, :600]):
        t = run(B, row, initializer="none")
        assert t.counters["peeled_turns"] > 0
        check_transversal(B, t, rank=plain_matching.structural_rank(B))


def test_the_list_of_active_columns_shrinks(monkeypatch):
    from btfperm.transversal.push_relabel import active_list_gpu

    monkeypatch.setattr(active_list_gpu, "_LEAST_TO_SHRINK", 1)
    row = registry.find("g-pr-shr", initializer=False)
    for name in ("random, square", "random, wide", "rivals", "chain"):
        A = SMALL[name].A
        t = run(A, row, {"relabel": "fixed:1"}, initializer="none")
        check_transversal(A, t, rank=plain_matching.structural_rank(A))
