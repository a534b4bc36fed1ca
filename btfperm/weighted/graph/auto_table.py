# SPDX-License-Identifier: BSD-3-Clause
"""The rules of ``auto`` for matchings in graphs. As for weighted searches
(``weighted/auto_table.py``), there is no initial matching."""

from __future__ import annotations

from btfperm.path.rules import Rule, Table
from btfperm.weighted.auto_table import SECOND
from btfperm.weighted.auto_table import TABLE as OF_MATRICES

__all__ = ["SECOND", "TABLE"]

TABLE = Table(
    {
        "place": (Rule("always", (), "cpu", "the graph is on the host"),),
        "threads": OF_MATRICES["threads"],
        "algorithm": (Rule("always", (), "local-max", "nearly the weight of greedy in less time"),),
    }
)
