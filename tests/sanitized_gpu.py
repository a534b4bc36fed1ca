# SPDX-License-Identifier: BSD-3-Clause
"""Every kernel on small matrices, for NVIDIA's checkers, under which kernels are far slower.

``compute-sanitizer --tool memcheck python -m tests.sanitized_gpu [NAME ...]``, and initcheck,
synccheck, racecheck; `.ci/run gpu` runs all four. NAME is an algorithm; the default is all.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import scipy.sparse as sp

import btfperm
from tests import families
from tests.on_device import EMULATED

CASES = [
    families.random_rectangle(700, 900, 3, 1).A,
    families.random_rectangle(900, 700, 2, 1).A,
    families.chain(40).A,
    families.stars(20, 30).A,
    families.deadtree(600, 1).A,
    families.chains_hk(8).A,
    families.dense(30, 40).A,
    families.dense(3, 200).A,
    families.triangular(60, 1).A,
    families.empty_lines(300, 1).A,
]
if EMULATED:  # only those whose size matters: test_gpu_small.py runs smaller ones of all families
    CASES = [CASES[k] for k in (0, 1, 7)]
NUMBERS = {"adaptive:k": "adaptive:0.7", "fixed:k": "fixed:3"}


def main(names: list[str]) -> int:
    """Runs each algorithm with each form of its options on each matrix, on host and device."""
    import cupy

    warnings.simplefilter("error", btfperm.DefectWarning)  # no second algorithm may hide a defect
    cupy.cuda.set_allocator(None)  # separate arrays, so that accesses beyond an end are detected
    calls = 0
    for row in btfperm.algorithms(package="transversal"):
        if row.backend != "gpu" or (names and row.name not in names):
            continue
        worded = [
            {option.name: NUMBERS.get(form, form)}
            for option in row.options
            for form in option.forms
        ]
        for options in worded or [{}]:
            for A in CASES:
                how = {"algorithm": row.name, "initializer": "none"}
                if row.is_initializer:
                    how = {"initializer": row.name, "algorithm": "apfb-wr"}
                t = btfperm.maximum_transversal(A, backend="gpu", options=options, **how)
                assert t.maximum and t.structural_rank == btfperm.structural_rank(A)
                calls += 1
    for A in [] if names else CASES:
        P = btfperm.as_pattern(A)
        for Q in (P, P.T):
            triple = (None, cupy.asarray(Q.indices), cupy.asarray(Q.indptr))
            there = btfperm.as_pattern(triple, shape=Q.shape)
            assert (there.T.T.on_host().indices == Q.indices).all()
            assert btfperm.maximum_transversal(there).maximum
            calls += 1
    if not names:
        calls += before_and_after_trees() + decompose() + weigh()
    calls += match_graphs(names)
    cupy.cuda.Device().synchronize()
    print(f"{calls} calls")
    return 0


def before_and_after_trees() -> int:
    """The parts of meeting-trees beside its search: removal of leaves, and
    `far_walks_gpu`."""
    from btfperm.transversal.augmenting import meeting_trees_gpu

    hubs = families.hubs_and_leaves(300, 1_200, 1).A
    t = btfperm.maximum_transversal(hubs, algorithm="meeting-trees", initializer="none")
    assert t.maximum and t.counters["peeled_turns"]
    far = {"_LAUNCH_ROUNDS": 2, "_PATIENCE": 1, "_MANY": 0}
    one_side = {"_SIDE_RATIO": 1, "_OPEN_RATIO": 0, "_THIN": 0.01}
    before = {name: getattr(meeting_trees_gpu, name) for name in {**far, **one_side}}
    three_cases = CASES[:3]  # there is a barrier in each round, which is slow on an emulated device
    for settings, cases in ((far, CASES), (one_side, three_cases)):
        vars(meeting_trees_gpu).update({**before, **settings})
        for A in cases:
            t = btfperm.maximum_transversal(A, algorithm="meeting-trees", initializer="greedy")
            assert t.structural_rank == btfperm.structural_rank(A)
    vars(meeting_trees_gpu).update(before)
    return 1 + len(CASES) + len(three_cases)


def weigh() -> int:
    """Auctions, with rounds by all blocks and by one block."""
    from btfperm.weighted.approximate import heavy_perfect_gpu

    heavy_perfect_gpu._LEAST_ENTRIES = 0
    rng = np.random.default_rng(1)
    square = [families.random_rectangle(300, 300, 3, 1).A, families.dense(40, 40).A]
    for one_block in (256, 8):
        heavy_perfect_gpu._ONE_BLOCK = one_block
        for A in (*square, *CASES[:3]):
            B = sp.csc_array(A, dtype=float)
            B.data = np.exp(rng.normal(size=B.nnz))
            how = {"algorithm": "heavy-perfect", "backend": "gpu"}
            w = btfperm.weighted_transversal(B, **how)
            assert w.structural_rank == btfperm.structural_rank(B)
    return 2 * (len(square) + 3)


def match_graphs(names: list[str]) -> int:
    """The algorithms for graphs with each of their options, on graphs of the host and the
    device."""
    import cupyx.scipy.sparse as cs

    star = sp.csc_array(
        (np.arange(1.0, 900.0), (np.zeros(899, int), np.arange(1, 900))), (900, 900)
    )
    lower = [sp.tril(sp.random(n, n, 8 / n, random_state=1), -1) for n in (50, 700)]
    calls = 0
    for row in btfperm.algorithms("graph"):
        if row.backend != "gpu" or (names and row.name not in names):
            continue
        worded = [{option.name: form} for option in row.options for form in option.forms]
        for options in [*worded, *([{"limit": 0.5}] if row.has_option("limit") else [])]:
            for half in (star, *lower):
                G = sp.csc_matrix(half + half.T)
                how = {"algorithm": row.name, "options": options}
                here = btfperm.match(G, backend="cpu", **how)
                for A in (G, cs.csc_matrix(G)):
                    m = btfperm.match(A, backend="gpu", **how)
                    mate = m.mate if A is G else m.mate.get()
                    assert (mate == here.mate).all()
                    calls += 1
    return calls


def decompose() -> int:
    """Runs the steps after the search on the device, for matrices of any size."""
    import cupy

    from btfperm.backends.gpu.counting_sort import places_in_order
    from btfperm.backends.gpu.grouping import members_by_group
    from btfperm.dulmage_mendelsohn.fine_square import find_square_gpu

    find_square_gpu._MAX_CPU_EDGES = 0
    square = [
        families.random_rectangle(900, 900, 3, 1).A,
        families.scipy_ladder(20).A,
        families.rivals(6, 5).A,
    ]
    for A in (*CASES, *square):
        P = btfperm.as_pattern(A)
        triple = (None, cupy.asarray(P.indices), cupy.asarray(P.indptr))
        there = btfperm.as_pattern(triple, shape=P.shape)
        ours, theirs = btfperm.dulmage_mendelsohn(A), btfperm.dulmage_mendelsohn(there)
        assert (theirs.on_host().row_perm == ours.row_perm).all()
        assert theirs.block_graph().n_blocks == ours.block_graph().n_blocks
        if P.m == P.n:
            assert btfperm.block_triangular_form(there).n_blocks >= 1
    keys = cupy.arange(5_000, dtype=np.int32) * 7 % 50
    assert (places_in_order(keys, 50) == cupy.argsort(keys)).all()
    for group in (keys, cupy.arange(9_000, dtype=np.int32) % 3):
        _, members = members_by_group(group, int(group.max()) + 1)
        assert (members == cupy.argsort(group)).all()
    return len(CASES) + len(square)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
