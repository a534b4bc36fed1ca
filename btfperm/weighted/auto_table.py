# SPDX-License-Identifier: BSD-3-Clause
"""The rules of ``auto`` for weighted searches. There is no rule for an initial matching, because
each search starts from an empty one."""

from __future__ import annotations

from btfperm.path.rules import Rule, Table
from btfperm.transversal.auto_table import TABLE as OF_RANK

__all__ = ["SECOND", "TABLE"]

SECOND = None  # no algorithm repairs a matching that fails its certificate

TABLE = Table(
    {
        "place": (Rule("always", (), "cpu", "the search for the largest entries runs on the CPU"),),
        "threads": OF_RANK["threads"],
        "algorithm": (Rule("always", (), "mc64", "the largest product or sum"),),
        "algorithm on mpi": (
            Rule("always", (), "heavy-perfect", "mc64 needs the whole matrix in one process"),
        ),
    }
)
