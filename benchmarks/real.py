# SPDX-License-Identifier: BSD-3-Clause
"""The whole set of real matrices, end to end: read the file, decompose, write the permutation.

Every rank, and the blocks of every nonsingular square matrix, is compared with the set's index.
SciPy's part is less: it reads the file and matches.
"""

from __future__ import annotations

import importlib
import math
import tempfile
from pathlib import Path
from typing import Any

import scipy.io
from scipy.sparse.csgraph import maximum_bipartite_matching

from benchmarks import ours, tables
from benchmarks.cases import Case, real
from benchmarks.contest import Options, Section
from benchmarks.timing import Call, Method, disagreements, race

SLOWEST = 10


def run(cases: list[Case], options: Options) -> Section:
    """Total seconds, and the slowest files; the whole index unless ``--only`` names matrices."""
    cases = [c for c in cases if c.path]
    cases = cases if options.named else cases or real(options.matrices)
    rows = []
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        methods = [
            Method(ours.NAME, _ours(Path(folder)), ours.decomposition_answer, ours.absent()),
            Method("SciPy", _scipy, lambda match: {"rank": int((match >= 0).sum())}),
        ]
        for case in cases:
            outcomes = race(methods, case.path, repeats=options.repeats, limit=options.limit)
            wrong = disagreements(outcomes, case.expected)
            wrong += [f"{name}: {o.reason}" for name, o in outcomes.items() if o.failed]
            rows.append(tables.row_of(case.name, "real", outcomes, wrong))
            complaints += [f"{case.name}: {what}" for what in wrong]
    names = [m.name for m in methods if m.absent is None]
    body = [[name, *_totals(rows, name, options.limit)] for name in names]
    slow = sorted(rows, key=lambda row: -row["median"].get(ours.NAME, 0.0))[:SLOWEST]
    slow_body = [
        [f"`{r['matrix']}`", *(tables.milliseconds(r["median"].get(n, math.nan)) for n in names)]
        for r in slow
    ]
    parts = [
        f"{len(rows)} files; answers compared with the index: {len(complaints)} problems.",
        tables.table(["", "finished", "total, s", "stopped at the limit", "failed"], body),
        tables.table(["slowest", *(f"{name}, ms" for name in names)], slow_body),
        *(f"Not run: {m.name} ({m.absent})." for m in methods if m.absent is not None),
    ]
    return Section("Whole set, end to end", "\n\n".join(parts), {"rows": rows}, complaints)


def _totals(rows: list[tables.Row], name: str, limit: float) -> list[str]:
    finished = [r["median"][name] for r in rows if name in r["median"]]
    stopped = sum(name in r["overran"] for r in rows)
    failed = sum(name in r["reasons"] for r in rows)
    return [str(len(finished)), f"{sum(finished):.2f}", str(stopped), str(failed)]


def _ours(folder: Path) -> Any:
    def prepare(path: Any) -> Call:
        btfperm = importlib.import_module("btfperm")

        def call() -> Any:
            result = btfperm.dulmage_mendelsohn(btfperm.read(path))
            result.save(folder / "perm.npz")
            return result

        return call

    return prepare


def _scipy(path: Any) -> Call:
    return lambda: maximum_bipartite_matching(scipy.io.mmread(path).tocsr(), perm_type="column")
