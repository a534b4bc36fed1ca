# SPDX-License-Identifier: BSD-3-Clause
"""Every algorithm of the registry that runs on a GPU: the rank of an oracle or of the CPU, the
certificate, any shape, any numbering, any start, limits; and matrices that live on a device."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import btfperm
from btfperm.pattern import DevicePattern, as_pattern
from tests import families, strategies
from tests.checks.check_transversal import check_transversal
from tests.known_answers import known_answers, parametrized
from tests.oracles import plain_matching
from tests.transversal.methods import in_64_bits, on_device

pytestmark = pytest.mark.gpu

ON_GPU = [row for row in btfperm.algorithms() if row.backend == "gpu"]
# Each row with each of its words, and a number for k where a word needs one.
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
LIMIT = 20.0  # seconds: far above what is needed, far below a hang


def run(A, row, options=None, **more):
    how = {"algorithm": row.name}
    if row.is_initializer:
        how = {"initializer": row.name, "algorithm": "apfb-wr"}
    return btfperm.maximum_transversal(A, **how, backend=place(row), options=options, **more)


def place(row):
    """A start of the same name may be on the CPU, too."""
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
    "cycle": families.cycle(3_000),
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
    """Races fall out differently each time: always a proof, never a second algorithm."""
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
    if row.family == "augmenting" and A.shape[1] <= A.shape[0]:  # else the rows are searched from
        assert (t.col_match[col_match >= 0] >= 0).all(), "a matched column was given up"


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
def test_a_long_search_ends_in_time(row, options):
    A = families.chain(3_000_000).A  # a path through every column: a level each
    begin = time.perf_counter()
    t = run(A, row, options, initializer="greedy", time_limit=2.0)
    assert time.perf_counter() - begin < 30, "the limit was not looked at"
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
        assert often["loops"] <= often["relabels"] <= often["loops"] + 1, "each loop has one"


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


def test_a_kernel_that_fails_is_said_in_one_sentence(monkeypatch):
    from btfperm.transversal.augmenting import apfb_gpu

    def fails(problem, *_):
        problem.kernels("transversal/augmenting/apfb.cu").launch("no_such_kernel", 1, 32)

    monkeypatch.setattr(apfb_gpu, "apfb_wr", fails)
    A = families.random_rectangle(300, 300, 3, 9).A
    with pytest.raises(btfperm.BackendUnavailableError, match="device 0 failed"):
        btfperm.maximum_transversal(A, algorithm="apfb-wr", initializer="none")


# -- matrices that live on a device ----------------------------------------------------------------


@pytest.mark.parametrize("how", ["csc", "csr", "coo", "dense", "triple"])
@settings(max_examples=15, deadline=None)
@given(A=strategies.any_matrix())
def test_a_pattern_stays_on_its_device(how, A):
    if how == "triple":
        A = as_pattern(A).to_scipy()
    elif not (A.shape[0] and A.shape[1]):
        return  # CuPy has no matrices without rows or columns
    theirs, shape = on_device(A, how)
    P = btfperm.as_pattern(theirs, **shape)
    assert isinstance(P, DevicePattern) and P.device == 0
    ours = btfperm.as_pattern(A.toarray() if how == "dense" else A)
    for mine, other in ((P, ours), (P.T, ours.T)):
        there = mine.on_host()
        np.testing.assert_array_equal(there.indptr, other.indptr)
        np.testing.assert_array_equal(there.indices, other.indices)
        assert there.indices.dtype == other.indices.dtype
    t = btfperm.maximum_transversal(theirs, **shape)
    assert type(t.row_match).__module__.startswith("cupy") or not min(A.shape)
    entries = ours.to_scipy()  # a dense array knows no stored zeros
    check_transversal(entries, t.on_host(), rank=plain_matching.structural_rank(entries))
    assert t.cover().size == t.structural_rank


@pytest.mark.parametrize("algorithm", ["auto", "pothen-fan"])
def test_the_cpu_takes_what_lives_on_a_device(algorithm):
    A = families.random_rectangle(3_000, 3_000, 3, 1).A
    theirs, _ = on_device(A, "csc")
    t = btfperm.maximum_transversal(theirs, backend="cpu", algorithm=algorithm)
    assert isinstance(t.row_match, np.ndarray) and t.backend == "cpu"
    check_transversal(A, t, rank=btfperm.structural_rank(A))


def test_a_search_on_the_cpu_that_was_named_answers_beside_the_matrix():
    A = families.random_rectangle(3_000, 3_000, 3, 1).A
    theirs, _ = on_device(A, "csc")
    t = btfperm.maximum_transversal(theirs, algorithm="pothen-fan", initializer="none")
    assert not isinstance(t.row_match, np.ndarray) and t.backend == "cpu"
    check_transversal(A, t.on_host(), rank=btfperm.structural_rank(A))


def test_canonical_columns_are_not_copied():
    theirs, shape = on_device(families.random_rectangle(500, 400, 3, 1).A, "triple")
    P = btfperm.as_pattern(theirs, **shape)
    assert P.indices.data.ptr == theirs[1].data.ptr
    assert P.indptr.data.ptr == theirs[2].data.ptr


def test_arrays_of_others_come_by_their_protocols():
    torch = pytest.importorskip("torch")
    A = families.random_rectangle(500, 400, 3, 1).A
    ours = btfperm.as_pattern(A)
    parts = [torch.from_numpy(part.copy()).cuda() for part in (ours.indices, ours.indptr)]
    P = btfperm.as_pattern((None, *parts), shape=A.shape)
    assert P.indices.data.ptr == parts[0].data_ptr()
    assert btfperm.structural_rank(P) == btfperm.structural_rank(A)


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [([0, 5], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 2, 1]), ([0, 1], [1, 1, 2])],
)
def test_what_is_no_matrix_is_refused(indices, indptr):
    import cupy

    triple = (None, cupy.asarray(indices), cupy.asarray(indptr))
    with pytest.raises(btfperm.InvalidMatrixError):
        btfperm.as_pattern(triple, shape=(3, 2))


def test_stored_zeros_on_a_device():
    import cupyx.scipy.sparse as cs

    A = sp.csc_matrix((np.array([1.0, 0.0, 2.0]), ([0, 1, 2], [0, 1, 2])), shape=(3, 3))
    with pytest.warns(btfperm.StoredZerosWarning, match="2 without them"):
        assert btfperm.structural_rank(cs.csc_matrix(A)) == 3
    assert btfperm.structural_rank(cs.csc_matrix(A), drop_zeros=True) == 2


def test_the_rest_takes_device_matrices_too():
    theirs, _ = on_device(families.triangular(50, 1).A, "csc")
    d = btfperm.dulmage_mendelsohn(theirs)
    assert d.n_blocks == 50 and not isinstance(d.row_perm, np.ndarray)
    assert (
        btfperm.dulmage_mendelsohn(theirs, transversal=btfperm.maximum_transversal(theirs)).n_blocks
        == 50
    )
    assert btfperm.block_triangular_form(theirs, backend="gpu").n_blocks == 50


def test_rows_beside_columns():
    from btfperm.transversal.problem import Problem

    for seed in range(5):
        P = as_pattern(families.random_rectangle(3_000, 700, 4, seed).A)
        view = Problem.empty(P).on_device(P, None)
        indptr, indices = (part.get() for part in view.by_rows)
        T = P.T
        np.testing.assert_array_equal(indptr, T.indptr)
        for i in range(T.n):
            part = slice(T.indptr[i], T.indptr[i + 1])
            np.testing.assert_array_equal(np.sort(indices[part]), T.indices[part])


@pytest.mark.parametrize("size", [0, 1, 1000, 1 << 22, 5_000_001, 12_345_678])
def test_host_arrays_arrive_as_they_are(size):
    from btfperm.backends.gpu.arrays import upload

    array = np.random.default_rng(size).integers(0, 2**62, size)
    for _ in range(2):
        np.testing.assert_array_equal(upload(array).get(), array)


def test_the_callers_stream_is_used():
    import cupy

    A = families.random_rectangle(5_000, 5_000, 3, 1).A
    wait = cupy.RawKernel(
        'extern "C" __global__ void wait(long long cycles) {'
        "const long long begin = clock64(); while (clock64() - begin < cycles) {} }",
        "wait",
    )
    btfperm.structural_rank(on_device(A, "csc")[0], backend="gpu")  # all is compiled
    with cupy.cuda.Stream(non_blocking=True) as stream:
        theirs, _ = on_device(A, "csc")
        wait((1,), (1,), (np.int64(0),))
        entries = theirs.indices.copy()
        theirs.indices.fill(0)
        stream.synchronize()
        wait((1,), (1,), (np.int64(2 * 10**8),))  # a tenth of a second
        theirs.indices[:] = entries  # who does not queue up behind this finds rank 1
        assert btfperm.structural_rank(theirs, backend="gpu") == btfperm.structural_rank(A)


def test_a_device_that_is_not_there():
    with pytest.raises(btfperm.BackendUnavailableError, match="no GPU 99"):
        btfperm.maximum_transversal(sp.eye_array(3), backend="gpu", device=99)


def test_each_device(run_seed):
    import cupy

    A = families.random_rectangle(3_000, 3_000, 3, run_seed).A
    for number in range(cupy.cuda.runtime.getDeviceCount()):
        t = btfperm.maximum_transversal(A, algorithm="apfb-wr", device=number)
        assert f"(device {number})" in t.device
        check_transversal(A, t)


def test_doctor_shows_it(capfd):
    from btfperm.backends.select import backends

    (found,) = (b for b in backends() if b.name == "gpu")
    assert found.works and "compute capability" in found.reason and "NVRTC" in found.reason
