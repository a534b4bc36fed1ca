# SPDX-License-Identifier: BSD-3-Clause
"""The matrices of regret_gpu.py, in two halves.

`MATRICES`, and real ones as they are, were looked at while the rules of ``auto`` were made.
`UNSEEN` was written down before any of it was run, with the rules as they are: every family in a
size, or a size and a random order, that had not been measured beside a GPU by then. Two such lists
before it, `LOOKED_AT`, were measured once each, and belong to the other half since. The real
matrices come into the unseen half again, as matrices that nobody has timed, by `unseen_form`.
"""

from __future__ import annotations

import functools
import zlib
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.cases import Case, generated, real
from benchmarks.generators.assemble import pattern, rcp
from benchmarks.generators.on_device import made_on_device

HALVES = ("fit", "unseen")

MATRICES = """
    er_1e6_d2.7 er_1e6_d5.0 er_3e6_d2.7 er_3e6_d5.0 er_6e6_d3.5 er:20:3 er:22:3 er:20:8 er:22:8
    kron:16 kron:18 kron:20 rmat_s20 rmat_s21 rmat:18:30 rmat:20:30 rmat:22:30
    del:20 del:20+rcp del:22 del:22+rcp rgg:20 rgg:20+rcp rgg:22 rgg:22+rcp rgg_n_2_20_rcp
    road:2000 road:4000 road_2048 road_2048_rcp hex:1000 hex:1000+rcp er_2e7_d3.5 rmat_s23
    grid3d_64 grid3d_128 grid3d_128_rcp circuit_8e5 circuit_3e6 tri_6e5 tri_3e6 bandtri_2e6
    kkt_3e6 kkt_sing_2e6 chain_2e6 chain_2e6_rcp chains_500x10000 chains_500x10000_rcp
    deadtree_1e6 ladder_3e5 ladder_3e5_rcp arrow_3e6 hessenberg_3000 hessenberg_3000_rcp
    rect_wide_2e6 rect_tall_2e6 rect_wide_2e5 rect_tall_2e5 trace_n20 copapers_300000
    citations_1000000 crawl_1000000 kron:14 rmat:16:30 er:18:8 del:18 del:18+rcp rgg:18+rcp road_512
    road_512_rcp grid3d_48_rcp kkt_2e5 tri_2e5
"""
LOOKED_AT = """
    er_7e5_d2.3 er_2e6_d4.2 er_4e6_d3.1 er_5e5_d7.0 er:21:4 er:19:6 er:21:12 kron:15 kron:17 kron:19
    kron_s15 rmat_s18 rmat_s19_rcp4 rmat:17:12 rmat:19:20 rmat:21:16 del:19 del:19+rcp del:21
    del:21+rcp delaunay_n18_rcp4 rgg:19 rgg:19+rcp rgg:21 rgg:21+rcp rgg_n_2_17_rcp4 road:1500
    road:3000 road:3000+rcp road_1024_rcp4 hex:700 hex:500+rcp grid3d_40 grid3d_90 grid3d_80_rcp4
    circuit_4e5 circuit_1500000 tri_4e5 tri_1500000 bandtri_3e5 bandtri_5e5_rcp4 kkt_6e5
    kkt_1e6_rcp4 kkt_sing_6e5 chain_6e5 chain_4e5_rcp4 chains_1000x2000 chains_300x3000_rcp4
    deadtree_3e5 ladder_9e4 ladder_180000_rcp4 arrow_8e5 arrow_1e6_rcp4 hessenberg_1800
    hessenberg_2000_rcp4 rect_wide_7e5 rect_tall_7e5 rect_wide_4e5_rcp4 rect_tall_3e6 trace_n18
    trace_n19_rcp4 copapers_120000 citations_300000 crawl_400000 digraph_1e6_d2.5 wide_1e6_w300
    blocks_1e6_h1000 opf_300000 copurchase_500000 webgraph_500000 wiki_300000 chains_hk_1200
    chains_hk_1200_rcp4 kshard_2000_k8
    er_9e5_d2.5 er_25e5_d3.7 er_5e6_d2.9 er_4e5_d9.0 er:21:5 er:19:3 er:20:16 kron:13 kron_s14
    kron_s16_rcp5 rmat_s17 rmat_s20_rcp5 rmat:17:24 rmat:18:60 rmat:20:10 del:17 del:17+rcp del:16
    del:16+rcp delaunay_n19_rcp5 rgg:18 rgg:17+rcp rgg:16 rgg:16+rcp rgg_n_2_18_rcp5 road:1200
    road:2500 road:2500+rcp road_800_rcp5 hex:600 hex:400+rcp grid3d_50 grid3d_110 grid3d_70_rcp5
    circuit_3e5 circuit_2e6 tri_3e5 tri_2e6 bandtri_4e5 bandtri_2e5_rcp5 kkt_4e5 kkt_7e5_rcp5
    kkt_sing_9e5 chain_9e5 chain_3e5_rcp5 chains_2000x800 chains_200x6000_rcp5 deadtree_5e5
    ladder_120000 ladder_240000_rcp5 arrow_5e5 arrow_6e5_rcp5 hessenberg_1200 hessenberg_1500_rcp5
    rect_wide_1e6 rect_tall_1e6 rect_wide_5e5_rcp5 rect_tall_2e6_rcp5 trace_n17 trace_n18_rcp5
    copapers_80000 citations_500000 crawl_600000 digraph_7e5_d1.8 wide_6e5_w2000 blocks_3e5_h100
    opf_500000 copurchase_300000 webgraph_800000 wiki_200000 chains_hk_900 chains_hk_900_rcp5
    kshard_1600_k16
"""
UNSEEN = """
    er_11e5_d2.4 er_17e5_d3.3 er_45e4_d6.0 er:20:5 er:18:3 er:19:12 kron:12 kron_s17 kron_s15_rcp6
    rmat_s16 rmat_s18_rcp6 rmat:16:20 rmat:18:12 del:15 del:15+rcp delaunay_n16 delaunay_n17_rcp6
    rgg:15 rgg:17 rgg_n_2_16_rcp6 road:900 road:1700+rcp road_600_rcp6 hex:300 hex:450+rcp grid3d_60
    grid3d_75_rcp6 circuit_5e5 circuit_12e5 tri_9e5 bandtri_35e4 bandtri_15e4_rcp6 kkt_5e5
    kkt_3e5_rcp6 kkt_sing_4e5 chain_8e5 chain_25e4_rcp6 chains_1500x1200 chains_400x2500_rcp6
    deadtree_2e5 ladder_150000 ladder_210000_rcp6 arrow_7e5 arrow_4e5_rcp6 hessenberg_1000
    hessenberg_1300_rcp6 rect_wide_6e5 rect_tall_6e5 rect_wide_8e5_rcp6 rect_tall_4e5_rcp6 trace_n16
    trace_n17_rcp6 copapers_60000 citations_200000 crawl_300000 digraph_5e5_d2.2 wide_4e5_w1000
    blocks_2e5_h300 opf_200000 copurchase_200000 webgraph_400000 wiki_150000 chains_hk_700
    chains_hk_700_rcp6 kshard_1200_k12
"""


def half_of(name: str) -> str:
    """``fit`` or ``unseen``."""
    return HALVES["," in name or name in UNSEEN.split()]


def every_case(matrices: Path) -> list[Case]:
    """The real matrices of both halves, where the folder is there, and the generated ones. Those
    with a colon in their name are made on the GPU."""
    made = [
        Case(case.name, case.kind, functools.partial(made_on_device, case.name))
        if ":" in case.name
        else case
        for case in generated(f"{MATRICES} {LOOKED_AT} {UNSEEN}".split())
    ]
    kept = real(matrices) if (matrices / "index.csv").exists() else []
    return [*kept, *map(unseen_form, kept), *made]


def unseen_form(case: Case) -> Case:
    """A real matrix as nobody has timed it, with its rows and its columns in random orders: a
    rectangular one as it lies, a square one transposed, and where the CRC-32 of its name says so
    both in one order, by which a diagonal stays one."""
    name = f"{case.name}, in another form"
    return Case(name, case.kind, lambda: _changed(case.load(), case.name), path=case.path)


def _changed(A: sp.csc_array, name: str) -> sp.csc_array:
    m, n = A.shape
    drawn = f"{name}, a third time"
    if m != n:
        return rcp(A, drawn)
    number = zlib.crc32(drawn.encode())
    if number % 2:
        return rcp(sp.csc_array(A.T), drawn)
    C, p = A.tocoo(), np.random.default_rng(number).permutation(n)
    return pattern(p[C.col], p[C.row], A.shape)
