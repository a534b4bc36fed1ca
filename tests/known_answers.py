# SPDX-License-Identifier: BSD-3-Clause
"""Matrices with known answers: the small ones of `matrices/`, and a larger set in
``../shared/matrices`` if that folder exists.

The answers come from oracles that are not btfperm (matrices/README.md), and those of the larger set
from its own index. SciPy reads the files, so that a fault of btfperm's reader cannot hide another
one.
"""

from __future__ import annotations

import csv
import gzip
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
import scipy.io

ROOT = Path(__file__).parents[1]
MATRICES = ROOT / "matrices"
SHARED = ROOT.parent / "shared" / "matrices"


class KnownAnswer(NamedTuple):
    name: str
    path: Path
    shape: tuple[int, int]
    entries: int  # stored zeros are entries
    structural_rank: int
    rank_without_zeros: int  # the rank after stored zeros are dropped
    fine_blocks: int | None  # None if the source does not state it
    coarse_rows: tuple[int, ...] | None
    coarse_cols: tuple[int, ...] | None


def known_answers() -> list[KnownAnswer]:
    """The matrices of this project, with one row for each."""
    return [
        KnownAnswer(
            row["name"],
            MATRICES / row["file"],
            tuple(row["shape"]),
            row["entries"],
            row["structural_rank"],
            row["structural_rank_without_stored_zeros"],
            row["fine_blocks"],
            tuple(row["coarse_rows"]),
            tuple(row["coarse_cols"]),
        )
        for row in json.loads((MATRICES / "index.json").read_text())
    ]


def shared_answers() -> list[KnownAnswer]:
    """The matrices of the larger set; none if its folder does not exist."""
    index = SHARED / "index.csv"
    if not index.exists():
        return []
    with index.open(newline="") as file:
        return [
            KnownAnswer(
                row["name"],
                SHARED / row["file"],
                (int(row["rows"]), int(row["cols"])),
                int(row["nnz"]),
                int(row["structural_rank"]),
                int(row["structural_rank_without_explicit_zeros"] or row["structural_rank"]),
                int(row["btf_blocks"]) if row["btf_blocks"] else None,
                None,
                None,
            )
            for row in csv.DictReader(file)
        ]


def parametrized(answers: list[KnownAnswer], reason: str = "none found"):
    """`@parametrized(known_answers())`: the test runs once for each `known`."""
    if not answers:
        missing = pytest.param(None, marks=pytest.mark.skip(reason=reason))
        return pytest.mark.parametrize("known", [missing], ids=["absent"])
    return pytest.mark.parametrize("known", answers, ids=[known.name for known in answers])


@cache
def read(name: str):
    """The matrix of the known answer `name` of this project, as SciPy reads it."""
    with gzip.open(MATRICES / f"{name}.mtx.gz", "rb") as file:
        return scipy.io.mmread(file)
