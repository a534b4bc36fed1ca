# SPDX-License-Identifier: BSD-3-Clause
"""Which matrices a run takes: the sets, and the real matrices of a folder with an index."""

from __future__ import annotations

import csv
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from benchmarks.generators import family_of, make, permuted_names
from benchmarks.generators.assemble import pattern, rcp

SETS: dict[str, str] = {
    # an instant: for the test-suite
    "tiny": """delaunay_n7 rgg_n_2_7_rcp kron_s7 er_300_de circuit_300 kkt_sing_300 chain_300_rcp
        rect_wide_300 ladder_18""",
    # seconds: for a look while working
    "quick": """delaunay_n14 delaunay_n14_rcp rgg_n_2_13 rgg_n_2_13_rcp grid3d_24 grid3d_24_rcp
        kron_s13 rmat_s14 er_3e4_d1.5 er_3e4_de er_3e4_d5.0 road_128 road_128_rcp circuit_2e4
        tri_2e4 bandtri_2e4 kkt_2e4 kkt_sing_2e4 chain_5e4 chain_5e4_rcp chains_hk_300
        deadtree_1e4 hessenberg_400 hessenberg_400_rcp arrow_3e4 rect_wide_2e4 rect_tall_2e4
        ladder_57 kshard_1000_k8""",
    # minutes: a million entries each, every family, natural and permuted
    "field": """delaunay_n18 delaunay_n18_rcp rgg_n_2_16 rgg_n_2_16_rcp grid3d_48 grid3d_48_rcp
        kron_s16 rmat_s17 er_3e5_d1.5 er_3e5_d2.0 er_3e5_d2.7 er_3e5_d3.5 er_3e5_d5.0 road_512
        road_512_rcp circuit_2e5 tri_2e5 bandtri_2e5 kkt_2e5 kkt_2e5_rcp kkt_sing_2e5 chain_5e5
        chain_5e5_rcp chains_hk_1000 chains_hk_1000_rcp chains_500x1000 deadtree_1e5
        hessenberg_1500 hessenberg_1500_rcp arrow_3e5 rect_wide_2e5 rect_tall_2e5 ladder_75
        kshard_2000_k8""",
    # up to 15 million entries: beyond the caches
    "large": """delaunay_n20 delaunay_n20_rcp rgg_n_2_20 rgg_n_2_20_rcp grid3d_128 grid3d_128_rcp
        kron_s18 rmat_s20 er_3e6_d2.7 er_3e6_d5.0 road_2048 road_2048_rcp circuit_3e6 tri_3e6""",
}


@dataclass(frozen=True)
class Case:
    """One matrix; `load` makes or reads it, `expected` is what an index says of it.

    `kind` groups the means: the family's, or for real matrices (where it is "") their size.
    """

    name: str
    kind: str
    load: Callable[[], sp.csc_array]
    expected: dict[str, int] = field(default_factory=dict)
    path: Path | None = None


def generated(names: list[str]) -> list[Case]:
    """Cases by name; raises ValueError for a name that no family has."""
    return [Case(name, family_of(name)[0].kind, _maker(name)) for name in names]


def real(folder: Path) -> list[Case]:
    """The matrices of ``index.csv`` in `folder`, with its ranks and blocks."""
    with (folder / "index.csv").open(newline="") as index:
        return [_real_case(folder, row) for row in csv.DictReader(index)]


def of_set(which: str, folder: Path) -> list[Case]:
    """All matrices of a set, or all of `folder` when it is ``"real"``."""
    return real(folder) if which == "real" else generated(SETS[which].split())


def only(names: list[str], cases: list[Case]) -> list[Case]:
    """Just these, of the cases or of the families."""
    known = {case.name: case for case in cases}
    return [known[name] if name in known else generated([name])[0] for name in names]


def with_permutations(cases: list[Case], count: int) -> list[Case]:
    """Each case, and behind it its first `count` random row and column permutations."""
    result: dict[str, Case] = {}
    for case in cases:
        result.setdefault(case.name, case)
        for name in permuted_names(case.name.partition("_rcp")[0], count):
            result.setdefault(name, _permuted(case, name))
    return list(result.values())


def _permuted(case: Case, name: str) -> Case:
    """A generated matrix is made by its name, so that the name always means the same."""
    load = _maker(name) if case.path is None else lambda: rcp(case.load(), name)
    return Case(name, case.kind, load, case.expected)


def kept(cases: list[Case], folder: Path) -> list[Case]:
    """The same cases, read from `folder`; what is not there yet is made first, on all cores."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {case.name for case in cases if _is_generated(case)}
    missing = [name for name in sorted(names) if not _file_of(name, folder).exists()]
    with ProcessPoolExecutor() as pool:
        for _ in pool.map(_keep, missing, [folder] * len(missing)):
            pass
    return [
        Case(c.name, c.kind, reader(_file_of(c.name, folder)), c.expected) if c.name in names else c
        for c in cases
    ]


def _is_generated(case: Case) -> bool:
    try:
        family_of(case.name)
    except ValueError:
        return False
    return case.path is None


def _file_of(name: str, folder: Path) -> Path:
    return folder / f"{name}.npz"


def _keep(name: str, folder: Path) -> None:
    A = make(name)
    np.savez(_file_of(name, folder), indptr=A.indptr, indices=A.indices, shape=A.shape)


def reader(path: Path) -> Callable[[], sp.csc_array]:
    """Of a matrix that `kept` has put there."""

    def read() -> sp.csc_array:
        with np.load(path, allow_pickle=False) as file:
            arrays = file["indices"], file["indptr"]
            return sp.csc_array((np.ones(len(arrays[0])), *arrays), shape=tuple(file["shape"]))

    return read


def read_pattern(path: Path) -> sp.csc_array:
    """Every stored entry counts, explicit zeros too."""
    C = scipy.io.mmread(path, spmatrix=False)
    C = C if sp.issparse(C) else sp.coo_array(C)
    return pattern(C.row, C.col, C.shape)


def size_class(nnz: int) -> str:
    """The group of a real matrix of so many entries."""
    for least in (200_000, 20_000, 5_000):
        if nnz >= least:
            return f"real, {least:,} entries and more"
    return "real, smaller"


def _maker(name: str) -> Callable[[], sp.csc_array]:
    return lambda: make(name)


def _real_case(folder: Path, row: dict[str, str]) -> Case:
    path = folder / row["file"]
    expected = {"rank": int(row["structural_rank"])}
    if row["btf_blocks"]:
        expected["blocks"] = int(row["btf_blocks"])
    return Case(row["name"], "", lambda: read_pattern(path), expected, path)
