# SPDX-License-Identifier: BSD-3-Clause
"""Decisions of the host between kernels. The tests replace the kernels and what they count, so they
need no GPU."""

from __future__ import annotations

import importlib
import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.backends.gpu import device
from btfperm.backends.gpu.budget import ABANDONED, Budget
from btfperm.backends.gpu.readback import Readback
from btfperm.errors import BackendUnavailableError
from btfperm.path import run
from btfperm.transversal.push_relabel import relabel_gpu

ON_GPU = [row for row in btfperm.algorithms(package="transversal") if row.backend == "gpu"]
A = sp.random_array((200, 200), density=0.01, rng=7, format="csc")


@pytest.mark.parametrize(
    ("options", "starts"),
    [
        ({"algorithm": "meeting-trees"}, []),
        ({"algorithm": "meeting-trees", "initializer": "karp-sipser"}, ["karp-sipser"]),
        ({"algorithm": "meeting-trees", "initial": np.full(200, -1)}, ["greedy"]),
        ({"algorithm": "ordered-trees"}, []),
        ({"algorithm": "g-pr-shr"}, ["greedy"]),
    ],
    ids=str,
)
def test_an_algorithm_with_its_own_start_gets_no_other(monkeypatch, options, starts):
    started = []

    class Run(run.Run):
        def start(self):
            if self.plan.initializer is not None:
                started.append(self.plan.initializer.name)

        def search(self):
            assert self.plan.algorithm.name == options["algorithm"]
            raise BackendUnavailableError("nothing is searched here")

    monkeypatch.setattr(device, "why_not", lambda _=None: None)
    monkeypatch.setattr(run, "Run", Run)
    with pytest.raises(BackendUnavailableError, match="nothing is searched here"):
        btfperm.maximum_transversal(A, **options)
    assert started == starts


@pytest.fixture
def loops(monkeypatch):
    """A function that returns the number of loops until the next relabelling, for an option and the
    paper's cLevel, twice the number of levels."""
    monkeypatch.setattr(Readback, "__init__", lambda *_: None)
    monkeypatch.setattr(Readback, "array", None, raising=False)
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(empty=lambda *_, **__: None))
    problem = types.SimpleNamespace(m=30, n=20, width=np.dtype(np.int32), size=0)
    problem.row_match = problem.col_match = problem.indptr = problem.indices = None
    problem.kernels = lambda _: types.SimpleNamespace(launch=None)
    return lambda relabel, c_level: relabel_gpu.PushRelabel(
        problem, None, {"relabel": relabel}, "g_pr_first.cu"
    )._loops_to_next(c_level)


@pytest.mark.parametrize("strategy", ["fixed", "adaptive"])
def test_a_relabelling_comes_within_as_many_loops_as_there_are_rows_and_columns(loops, strategy):
    assert loops(f"{strategy}:1e308", 4) == loops(f"{strategy}:1e9", 4) == 50
    assert loops(f"{strategy}:0", 4) == 1
    assert loops(f"{strategy}:3", 4) == (12 if strategy == "adaptive" else 3)


@pytest.mark.parametrize(
    ("relabel", "c_level", "passed"),
    [
        ("adaptive:0.7", 36, 26),
        ("adaptive:0.7", 40, 28),
        ("adaptive:0.1", 30, 3),
        ("fixed:2.5", 9, 3),
    ],
)
def test_the_number_of_loops_is_rounded_up(loops, relabel, c_level, passed):
    """The number of loops is rounded up. The product 0.1 x 30 is 3, so it is not rounded to 4."""
    assert loops(relabel, c_level) == passed


# -- drivers that find at their last permitted poll that the search has ended ----------------------


@pytest.mark.parametrize(
    ("driver", "named", "found", "n_polls"),
    [
        ("augmenting.apfb", "apfb_wr", [(4, 1, 9, 0, 0, 0), *[(7, 1, 20, 0, 0, 0)] * 3], 3),
        ("augmenting.apsb", "apsb_wr", [(0, 0, 9, 0, 0, 0)] * 2, 1),
        ("initial.greedy", "greedy", [(9, 3), (12, 0)], 2),
        ("initial.local_max", "local_max", [(9, 3, 3), (12, 0, 0)], 2),
        ("initial.karp_sipser", "karp_sipser", [(9, 0, 0, 0)] * 3, 2),
        ("push_relabel.g_pr_first", "g_pr_first", [(4, 0, 9, 0, 0), *[(5, 0, 9, 0, 0)] * 3], 3),
    ],
)
def test_a_search_that_ends_at_its_last_poll_is_not_abandoned(
    monkeypatch, driver, named, found, n_polls
):
    module = importlib.import_module(f"btfperm.transversal.{driver}_gpu")

    def begin(self, count, _=None):
        self.array = np.zeros(count)

    def read(self):
        words = next(reads)
        return [*words, *[0] * (self.array.size - len(words))]

    monkeypatch.setattr(Readback, "__init__", begin)
    monkeypatch.setattr(Readback, "read", read)
    monkeypatch.setitem(sys.modules, "cupy", np)
    for name in ("minus_ones", "columns_of"):  # they call CuPy's own functions
        monkeypatch.setattr(module, name, lambda *_: np.zeros(6), raising=False)
    lists, ends, matches = np.zeros(6, np.int32), np.zeros(5, np.int32), np.full(4, -1)
    problem = types.SimpleNamespace(
        m=4, n=4, nnz=6, indptr=ends, indices=lists, by_rows=(ends, lists)
    )
    problem.row_match, problem.col_match, problem.size = matches, matches, 0
    problem.width = np.dtype(np.int32)
    nothing = dict.fromkeys(("launch", "launch_together", "totals_of_blocks"), lambda *_: None)
    problem.kernels = lambda _: types.SimpleNamespace(**nothing)
    stops = []
    options = next(r.defaults for r in ON_GPU if r.stem == named)
    for max_polls in (n_polls, n_polls - 1):  # 0 is no limit
        reads, budget = iter(found), Budget(polls=max_polls)
        getattr(module, named)(problem, budget, 0, options)
        stops.append(budget.stop)
    assert stops == [0, ABANDONED if n_polls > 1 else 0]
