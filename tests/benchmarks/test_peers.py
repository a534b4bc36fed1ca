# SPDX-License-Identifier: BSD-3-Clause
"""Each package is called as its manual describes. On small matrices its result is the oracle's."""

from __future__ import annotations

import pytest

from benchmarks.generators import make
from benchmarks.peers import ours, packages
from benchmarks.timing import NotApplicableError
from tests.oracles import plain_dulmage_mendelsohn, plain_matching

NAMES = (
    *(
        "delaunay_n6_rcp",
        "kron_s6",
        "er_60_d1.5",
        "er_60_d5",
        "circuit_60",
        "tri_60",
        "kkt_sing_60",
    ),
    *("chain_40_rcp", "rect_wide_60", "rect_tall_60", "deadtree_50", "ladder_18", "road:6"),
)


def methods(get):
    return [
        pytest.param(
            m,
            id=m.name,
            marks=[] if m.absent is None else pytest.mark.skip(reason=m.absent),
        )
        for m in get
    ]


def answer_of(method, A):
    """The result, or a skip if the method does not accept such a matrix."""
    try:
        return method.answer(method.prepare(A)())
    except NotApplicableError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "method", methods([*packages.matching_peers(), *ours.matching(["auto"], 1)])
)
def test_rank(method, name):
    A = make(name)
    assert answer_of(method, A) == {"rank": plain_matching.structural_rank(A)}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "method", methods([*packages.decomposition_peers(), *ours.decomposition(["auto"], 1)])
)
def test_rank_and_blocks(method, name):
    A = make(name)
    found = answer_of(method, A)
    assert found["rank"] == plain_matching.structural_rank(A)
    if "blocks" in found:
        assert found["blocks"] == square_blocks(A)


def square_blocks(A):
    d = plain_dulmage_mendelsohn.dulmage_mendelsohn(A)
    first, end = d.coarse_cols[2], d.coarse_cols[3]
    return sum(first <= start < end for start in d.col_blocks[:-1])


def test_a_second_call_gives_the_same():
    """A peer's workspace keeps no data between calls, and a call does not change the matrix."""
    A = make("kkt_sing_60")
    before = A.indptr.copy(), A.indices.copy()
    for method in [*packages.matching_peers(), *packages.decomposition_peers()]:
        if method.absent is None:
            try:
                call = method.prepare(A)
                assert method.answer(call()) == method.answer(call())
            except NotApplicableError:
                continue
    assert (A.indptr == before[0]).all() and (A.indices == before[1]).all()
