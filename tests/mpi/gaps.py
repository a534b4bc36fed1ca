# SPDX-License-Identifier: BSD-3-Clause
"""Cases about the gap of weighted transversals with rounded duals."""

from __future__ import annotations

from btfperm.weighted import certificate_mpi
from tests.mpi.weights import random_square, solved, with_values


def case_the_gap_counts_the_excess_of_each_pair():
    """Duals that exceed an entry by less than the tolerance are accepted, but they prove less: the
    gap grows by the largest excess for each pair, as much as the objective of the duals shrank."""
    found = solved(with_values(random_square(40, 3, 2), 0))
    before = certificate_mpi.prove(found).gap
    found.row_dual += 1e-11
    assert certificate_mpi.prove(found).gap >= before - 1e-12
