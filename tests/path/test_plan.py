# SPDX-License-Identifier: BSD-3-Clause
"""Plans by the rules of btfperm's own packages; test_toy.py has those of another package."""

from __future__ import annotations

import pytest

from btfperm.path.plan import Plan
from btfperm.path.request import Request
from btfperm.pattern import as_pattern
from btfperm.transversal.auto_table import DEFAULT


@pytest.mark.parametrize(
    ("backend", "among", "name"),
    [
        ("cpu", "algorithm", DEFAULT),
        ("gpu", "algorithm", "meeting-trees"),
        ("mpi", "algorithm", "ms-bfs"),
        ("cpu", "published", "ms-bfs"),
        ("gpu", "published", "apfb-wr"),
        ("mpi", "published", "ms-bfs"),
    ],
)
def test_the_default_is_a_row_of_its_backend(backend, among, name):
    """Its options are those that the caller may set: `alpha` belongs to ms-bfs over ranks only."""
    made = Plan("transversal", as_pattern([[1, 1], [0, 1]]), Request(3))
    made.backend, made.among = backend, among
    row = made.default()
    assert (row.name, row.backend) == (name, backend)
    assert row.has_option("alpha") == (backend == "mpi")
