# SPDX-License-Identifier: BSD-3-Clause
"""Every algorithm of the registry that runs on a GPU: its rank against an oracle or the CPU, and
its certificate, for any shape, numbering and initial matching, and with limits."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import btfperm
from btfperm.backends.gpu import budget
from tests import families, strategies
from tests.checks.check_transversal import check_transversal
from tests.known_answers import known_answers, parametrized
from tests.on_device import EMULATED
from tests.oracles import plain_matching
from tests.transversal.methods import in_64_bits

pytestmark = pytest.mark.gpu

ON_GPU = [row for row in btfperm.algorithms(package="transversal") if row.backend == "gpu"]
# Each row with each form of its options, and a number for k where a form needs one.
NUMBERS = {"adaptive:k": "adaptive:0.7", "fixed:k": "fixed:50"}
VARIANTS = [
    pytest.param(row, {option.name: NUMBERS.get(form, form)}, id=f"{row.name}-{form}")
    for row in ON_GPU
    for option in row.options
    for form in option.forms
] + [
    pytest.param(row, {}, id=row.name)
    for row in ON_GPU
    if not any(option.forms for option in row.options)
]
each_variant = pytest.mark.parametrize(("row", "options"), VARIANTS)
LIMIT = 600.0 if EMULATED else 20.0  # seconds: far above what is needed, far below a hang


def run(A, row, options=None, **more):
    how = {"algorithm": row.name}
    if row.is_initializer:
        how = {"initializer": row.name, "algorithm": "apfb-wr"}
    return btfperm.maximum_transversal(A, **how, backend=place(row), options=options, **more)


def place(row):
    """The backend for a row of the registry. The CPU has initializers with the same names, so an
    initializer needs backend="gpu"."""
    return "auto" if not row.is_initializer else "gpu"


@each_variant
@settings(max_examples=30, deadline=None)
@given(A=strategies.any_matrix(), initializer=st.sampled_from(["none", "greedy", "karp-sipser"]))
def test_any_matrix(row, options, A, initializer):
    more = {} if row.is_initializer else {"initializer": initializer}
    t = run(A, row, options, **more)
    assert t.maximum
    check_transversal(A, t, rank=plain_matching.structural_rank(A))
    assert t.backend == "gpu" or t.algorithm == "none"


HARD = {
    "chain": families.chain(300),
    "cycle": families.cycle(1_000),
    "surplus, wide": families.surplus_path(300, wide=True),
    "surplus, tall": families.surplus_path(300, wide=False),
    "ladder": families.scipy_ladder(60),
    "chains": families.chains_hk(30),
    "rivals": families.rivals(12, 6),
    "dead tree": families.deadtree(20_000, 1),
    "stars": families.stars(60, 70),
    "empty lines": families.empty_lines(5_000, 1),
    "dense, wide": families.dense(60, 90),
    "dense, tall": families.dense(90, 60),
    "hessenberg": families.hessenberg(150),
    "triangular": families.triangular(400, 1),
    "strip": families.strip(300, 1),
    "karp-sipser hard": families.karp_sipser_hard(200, 4),
    "random, wide": families.random_rectangle(3_000, 5_000, 3, 1),
    "random, tall": families.random_rectangle(5_000, 3_000, 2, 1),
    "random, large": families.random_rectangle(150_000, 150_000, 3, 1),
}


@each_variant
@pytest.mark.parametrize("numbering", ["forward", "backward", "mixed"])
@pytest.mark.parametrize("family", HARD)
def test_families(row, options, family, numbering, run_seed):
    hard = families.renumbered(HARD[family], numbering, run_seed)
    rank = hard.rank if hard.rank >= 0 else btfperm.structural_rank(hard.A)
    for initializer in ["none", "greedy"]:
        more = {} if row.is_initializer else {"initializer": initializer}
        t = run(hard.A, row, options, time_limit=LIMIT, **more)
        assert t.maximum, f"stopped at {t.rank_bounds}"
        check_transversal(hard.A, t, rank=rank)


@each_variant
@parametrized(known_answers())
def test_real_matrices(known, row, options):
    P = btfperm.read(known.path)
    shuffled = btfperm.Pattern.from_coo(
        np.random.default_rng(1).permutation(P.m)[P.indices],
        np.random.default_rng(2).permutation(P.n)[P.cols()],
        P.shape,
    )
    for A in (P, P.T, shuffled):
        t = run(A, row, options, time_limit=LIMIT)
        assert t.maximum and t.structural_rank == known.structural_rank
        check_transversal(A.to_scipy(), t)


@each_variant
def test_twenty_times_the_same(row, options):
    """Races may change the matching from run to run, but its proof always holds, so that no second
    algorithm runs."""
    A = families.random_rectangle(4_000, 4_000, 3, 5).A
    ranks = {run(A, row, options, seed=k, time_limit=LIMIT).structural_rank for k in range(20)}
    assert ranks == {btfperm.structural_rank(A)}


@each_variant
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_legal_matching_is_a_start(row, options, data):
    A = data.draw(strategies.any_matrix())
    _, col_match = data.draw(strategies.legal_matching(A))
    before = col_match.copy()
    more = {} if row.is_initializer else {"initializer": "none"}
    t = run(A, row, options, initial=col_match, **more)
    check_transversal(A, t, rank=plain_matching.structural_rank(A))
    np.testing.assert_array_equal(col_match, before)
    # wide matrices are searched from the rows, which may leave a matched column unmatched
    if row.family == "augmenting" and A.shape[1] <= A.shape[0]:
        assert (t.col_match[col_match >= 0] >= 0).all(), "a matched column became unmatched"


@each_variant
def test_64_bit_indices(row, options):
    A = families.random_rectangle(2_000, 3_000, 3, 7).A
    t = run(in_64_bits(A), row, options)
    assert t.row_match.dtype == np.int64
    check_transversal(A, t, rank=btfperm.structural_rank(A))


SEARCHES = [p for p in VARIANTS if not p.values[0].is_initializer]


@pytest.mark.parametrize(("row", "options"), SEARCHES)
@pytest.mark.parametrize("limit", [{"max_work": 1000}, {"time_limit": 1e-6}], ids=str)
def test_a_limit_leaves_a_legal_matching(row, options, limit):
    A = families.random_rectangle(20_000, 20_000, 3, 3).A
    t = run(A, row, options, initializer="none", **limit)
    assert not t.maximum and t.stopped_by == next(iter(limit))
    check_transversal(A, t)
    done = run(A, row, options, initial=t, initializer="none")
    assert done.maximum and done.structural_rank == btfperm.structural_rank(A)


@pytest.mark.parametrize(("row", "options"), SEARCHES)
def test_a_long_search_ends_in_time(monkeypatch, row, options):
    """The clock advances by one second with each poll of the limit, so that the load of the machine
    has no effect."""
    A = families.chain(3_000_000).A  # the only path goes through every column, one in each level
    polls = itertools.count()
    monkeypatch.setattr(budget, "time", SimpleNamespace(perf_counter=lambda: float(next(polls))))
    t = run(A, row, options, initializer="greedy", time_limit=2.0)
    assert next(polls) < 20, "the search continued after the limit"
    assert t.maximum or t.stopped_by == "time_limit"
    check_transversal(A, t)


def test_the_counters_of_push_relabel():
    A = families.random_rectangle(20_000, 20_000, 4, 2).A
    for row in ON_GPU:
        if not row.name.startswith("g-pr"):
            continue
        t = run(A, row, {"relabel": "adaptive:0.7"}, initializer="none")
        c = t.counters
        assert c["relabels"] == len(c["levels_by_relabel"]) > 1
        assert c["levels"] == sum(c["levels_by_relabel"])
        assert c["augmentations"] == t.structural_rank <= c["pushes"]
        lists = 0 if row.name == "g-pr-first" else 1
        assert c["kernels"] >= c["relabels"] + c["levels"] + (1 + lists) * c["loops"]
        assert c["edges"] >= A.nnz
        often = run(A, row, {"relabel": "fixed:1"}, initializer="none").counters
        assert often["loops"] <= often["relabels"] <= often["loops"] + 1, (
            "each loop has one relabelling"
        )


def test_the_counters_of_the_paper():
    A = families.random_rectangle(20_000, 20_000, 4, 2).A
    for row in ON_GPU:
        if not row.name.startswith(("apfb", "apsb")):
            continue
        t = run(A, row, initializer="none")
        c = t.counters
        assert c["levels"] == sum(c["levels_by_phase"])
        assert c["phases"] == len(c["levels_by_phase"]) > 1
        assert c["augmentations"] == t.structural_rank <= c["paths_walked"]
        assert c["path_edges"] >= c["longest_path"] >= 1 and c["longest_path"] % 2 == 1
        assert c["longest_path"] <= 2 * max(c["levels_by_phase"]) - 1
        assert c["edges"] >= A.nnz
        assert (t.backend, t.device.startswith("NVIDIA")) == ("gpu", True)
        assert set(t.seconds) == {"start", "search", "certificate", "transfer"}


def test_a_wrong_kernel_is_answered_by_another_algorithm(monkeypatch):
    from btfperm.transversal.augmenting import apfb_gpu

    honest = apfb_gpu.apfb_wr

    def forgets(problem, *rest):
        counters = honest(problem, *rest)
        problem.row_match[: problem.m // 2] = -1
        return counters

    monkeypatch.setattr(apfb_gpu, "apfb_wr", forgets)
    A = families.random_rectangle(3_000, 3_000, 3, 9).A
    with pytest.warns(btfperm.DefectWarning, match="apfb-wr went wrong"):
        t = btfperm.maximum_transversal(A, algorithm="apfb-wr", initializer="none")
    assert t.algorithm == "hopcroft-karp"
    check_transversal(A, t, rank=btfperm.structural_rank(A))


def test_a_failing_kernel_is_reported_in_one_sentence(monkeypatch):
    from btfperm.transversal.augmenting import apfb_gpu

    def fails(problem, *_):
        problem.kernels("transversal/augmenting/apfb.cu").launch("no_such_kernel", 1, 32)

    monkeypatch.setattr(apfb_gpu, "apfb_wr", fails)
    A = families.random_rectangle(300, 300, 3, 9).A
    with pytest.raises(btfperm.BackendUnavailableError, match="device 0 failed"):
        btfperm.maximum_transversal(A, algorithm="apfb-wr", initializer="none")
