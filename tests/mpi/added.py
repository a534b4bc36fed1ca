# SPDX-License-Identifier: BSD-3-Clause
"""A case about an algorithm over ranks that is not part of btfperm."""

from __future__ import annotations

from functools import partial

from mpi4py import MPI
from scipy.sparse.csgraph import structural_rank

import btfperm
from btfperm import registry
from btfperm.registry import Algorithm
from tests.mpi import inputs
from tests.mpi.damage import raised

COMM = MPI.COMM_WORLD
LAST_ROW = Algorithm(
    name="last-row",
    package="transversal",
    family="initial",
    backend="mpi",
    reference="-",
    summary="-",
    prefer="-",
    function="tests.transversal.added.last_row_mpi:last_row",
)


def last_row(A):
    """The matching of the columns by the definition of `last_row_mpi.py`, and the proposals."""
    P = btfperm.as_pattern(A)
    left = [P.indices[P.indptr[j] : P.indptr[j + 1]].tolist() for j in range(P.n)]
    matching, proposals = [-1] * P.n, 0
    while proposing := [j for j in range(P.n) if left[j] and matching[j] < 0]:
        chosen = [(left[j].pop(), j) for j in proposing]
        proposals += len(chosen)
        taken = set(matching)
        for i, j in chosen:
            if i not in taken:
                matching[j] = i
                taken.add(i)
    return matching, proposals


def case_an_added_algorithm():
    """An algorithm over ranks that is not part of btfperm: a driver and a row suffice."""
    how = {"comm": COMM, "backend": "mpi", "initializer": LAST_ROW.name}
    registry.add(LAST_ROW)
    try:
        for seed in range(90, 94):
            A = inputs.random_matrix(seed)
            matching, proposals = last_row(A)
            with inputs.no_search():
                t = btfperm.maximum_transversal(A, **how)
            assert t.initializer == "last-row" and t.col_match.tolist() == matching
            assert t.counters["start_edges"] == proposals
            limited = btfperm.maximum_transversal(A, max_work=1, **how)
            assert limited.verified and (limited.stopped_by == "max_work" or proposals <= 1)
            assert btfperm.maximum_transversal(A, **how).size == structural_rank(A)
        for shape in ((0, 3), (1, 1), (5, 2)):
            assert btfperm.maximum_transversal(inputs.full(*shape), **how).size == min(shape)
    finally:
        registry.remove(LAST_ROW)
    text = raised(btfperm.InvalidArgumentError, partial(btfperm.maximum_transversal, A, **how))
    assert "unknown initializer 'last-row'" in text
