# SPDX-License-Identifier: BSD-3-Clause
"""Writes matrices/index.json with the oracles: `python -m tests.oracles.make_index`.

The test suite takes its known answers from this file, so nothing here may import btfperm.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import scipy.io

from tests.oracles.plain_dulmage_mendelsohn import dulmage_mendelsohn
from tests.oracles.plain_matching import structural_rank
from tests.oracles.plain_pattern import pattern

MATRICES = Path(__file__).parents[2] / "matrices"


def describe(path: Path) -> dict[str, object]:
    """One row of the index."""
    with gzip.open(path, "rt") as file:
        _, _, _, field, symmetry = file.readline().split()
    with gzip.open(path, "rb") as file:
        A = scipy.io.mmread(file)
    entries = pattern(A)
    without_zeros = pattern(A, drop_zeros=True)
    d = dulmage_mendelsohn(entries)
    return {
        "name": path.name.removesuffix(".mtx.gz"),
        "file": path.name,
        "shape": list(entries.shape),
        "field": field,
        "symmetry": symmetry,
        "entries": entries.nnz,
        "stored_zeros": entries.nnz - without_zeros.nnz,
        "empty_rows": int((np.diff(entries.tocsr().indptr) == 0).sum()),
        "empty_cols": int((np.diff(entries.indptr) == 0).sum()),
        "structural_rank": d.structural_rank,
        "structural_rank_without_stored_zeros": structural_rank(without_zeros),
        "coarse_rows": d.coarse_rows.tolist(),
        "coarse_cols": d.coarse_cols.tolist(),
        "fine_blocks": len(d.row_blocks) - 1,
    }


def main() -> None:
    rows = [describe(path) for path in sorted(MATRICES.glob("*.mtx.gz"))]
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    (MATRICES / "index.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
