# SPDX-License-Identifier: BSD-3-Clause
"""What the host decides around the kernels of a GPU; kernels are planted, so none is needed."""

from __future__ import annotations

import importlib
import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.backends.gpu import device
from btfperm.backends.gpu.budget import LOOKED, Budget
from btfperm.errors import BackendUnavailableError
from btfperm.transversal.push_relabel.relabel_gpu import PushRelabel

A = sp.random_array((200, 200), density=0.01, rng=7, format="csc")


@pytest.mark.parametrize(
    ("options", "starts"),
    [
        ({"algorithm": "meeting-trees"}, []),
        ({"algorithm": "meeting-trees", "initializer": "karp-sipser"}, ["karp-sipser"]),
        ({"algorithm": "meeting-trees", "initial": np.full(200, -1)}, ["greedy"]),
        ({"algorithm": "g-pr-shr"}, ["greedy"]),
    ],
    ids=str,
)
def test_what_starts_itself_is_given_no_start(monkeypatch, options, starts):
    started = []

    class Run:
        def __init__(self, *_, **__):
            pass

        def start(self, row, *_, **__):
            started.append(row.name)

        def search(self, named):
            assert named.name == options["algorithm"]
            raise BackendUnavailableError("nothing is searched here")

    monkeypatch.setattr(device, "why_not", lambda _=None: None)
    monkeypatch.setattr(importlib.import_module("btfperm.transversal.search"), "_Run", Run)
    with pytest.raises(BackendUnavailableError, match="nothing is searched here"):
        btfperm.maximum_transversal(A, **options)
    assert started == starts


@pytest.mark.parametrize("strategy", ["fixed", "adaptive"])
def test_a_relabelling_comes_within_as_many_loops_as_there_are_rows_and_columns(strategy):
    def loops(k):
        run = object.__new__(PushRelabel)
        run._adaptive, run._k = strategy == "adaptive", k
        run._problem = types.SimpleNamespace(m=30, n=20)
        return run._loops_to_next(4)

    assert loops(1e308) == loops(1e9) == 50 and loops(0) == 1
    assert loops(3) == (12 if strategy == "adaptive" else 3)


# -- drivers whose last look, the last they have, finds that all is done ---------------------------


@pytest.mark.parametrize(
    ("driver", "named", "found", "looks"),
    [
        ("augmenting.apfb", "apfb_wr", [(4, 1, 9, 0, 0, 0), *[(7, 1, 20, 0, 0, 0)] * 3], 3),
        ("augmenting.apsb", "apsb_wr", [(0, 0, 9, 0, 0, 0)] * 2, 1),
        ("initial.greedy", "greedy", [(9, 3), (12, 0)], 2),
        ("initial.local_max", "local_max", [(9, 3, 3), (12, 0, 0)], 2),
        ("initial.red_blue", "red_blue", [(9, 1), (12, 1)], 2),
        ("initial.karp_sipser", "karp_sipser", [(9, 0, 0, 0)] * 3, 2),
        ("push_relabel.g_pr_first", "g_pr_first", [(4, 0, 9, 0, 0), *[(5, 0, 9, 0, 0)] * 3], 3),
    ],
)
def test_what_is_done_at_its_last_look_is_not_given_up(monkeypatch, driver, named, found, looks):
    module = importlib.import_module(f"btfperm.transversal.{driver}_gpu")

    class Readback:
        def __init__(self, count):
            self.array = np.zeros(count)

        def read(self):
            return list(next(reads))

    for shared in ("augmenting.gpubfs", "push_relabel.relabel", driver):
        theirs = importlib.import_module(f"btfperm.transversal.{shared}_gpu")
        monkeypatch.setattr(theirs, "Readback", Readback, raising=False)
    monkeypatch.setitem(sys.modules, "cupy", np)
    lists, ends, matches = np.zeros(6, np.int32), np.zeros(5, np.int32), np.full(4, -1)
    problem = types.SimpleNamespace(m=4, n=4, indptr=ends, indices=lists, by_rows=(ends, lists))
    problem.row_match, problem.col_match, problem.size = matches, matches, 0
    problem.width = np.dtype(np.int32)
    problem.kernels = lambda _: types.SimpleNamespace(launch=lambda *_: None)
    stops = []
    for most in (looks, looks - 1):  # 0 is no limit
        reads, budget = iter(found), Budget(looks=most)
        getattr(module, named)(problem, budget, 0, {})
        stops.append(budget.stop)
    assert stops == [0, LOOKED if looks > 1 else 0]
