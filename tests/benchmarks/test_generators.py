# SPDX-License-Identifier: BSD-3-Clause
"""Generated matrices are canonical, reproducible, and equal to the definitions of their generators.

The tests build the counter-based graphs again edge by edge, with Python's integers.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse.csgraph import structural_rank

from benchmarks.generators import families, family_of, make, permuted_names
from benchmarks.generators.words import mix
from benchmarks.papers.stand_ins import CLASSES, PAPER, SIZES, stand_ins, stands_for
from tests.loops import looped

# A small member of each family in whose form 200 does not suit <n>.
SMALL = {
    "delaunay_n<n>": "delaunay_n6",
    "rgg_n_2_<n>": "rgg_n_2_6",
    "grid3d_<n>": "grid3d_4",
    "road_<n>": "road_8",
    "kron_s<n>": "kron_s6",
    "rmat_s<n>": "rmat_s6",
    "er_<n>_d<x>": "er_50_de",
    "kshard_<n>_k<n>": "kshard_40_k3",
    "digraph_<n>_d<x>": "digraph_50_d1.5",
    "ladder_<n>": "ladder_18",
    "chains_<n>x<n>": "chains_4x5",
    "er:<n>:<x>": "er:6:2.5",
    "rmat:<n>:<x>": "rmat:6:4",
    "kron:<n>": "kron:6",
    "rgg:<n>": "rgg:6",
    "del:<n>": "del:6",
    "road:<n>": "road:9",
    "hex:<n>": "hex:60",
    "trace_n<n>": "trace_n7",
    "hessenberg_<n>": "hessenberg_9",
}
NAMES = [SMALL.get(f.form, f.form.replace("<n>", "200")) for f in families()]
WORD = 2**64


def word(i):
    z = (i + 0x9E3779B97F4A7C15) % WORD
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def entries(A):
    C = A.tocoo()
    return set(zip(C.row.tolist(), C.col.tolist(), strict=True))


def both_ways(edges):
    return {pair for u, v in edges for pair in ((u, v), (v, u))}


@looped("name", NAMES)
def test_canonical_and_the_same_each_time(name):
    A, again = make(name), make(name)
    assert A.nnz > 0
    assert A.has_sorted_indices and A.has_canonical_format
    assert A.indices.dtype == A.indptr.dtype == np.int32
    assert (A.data == 1).all()
    assert (A.indptr == again.indptr).all() and (A.indices == again.indices).all()


@looped("name", NAMES)
@looped("suffix", ["_rcp", "_rcp2", "_rcp13", "+rcp"])
def test_permuted_keeps_degrees_and_rank(name, suffix):
    A, B = make(name), make(name + suffix)
    assert B.shape == A.shape and B.nnz == A.nnz
    for axis in (0, 1):
        assert sorted(A.sum(axis=axis)) == sorted(B.sum(axis=axis))
    if A.nnz > 100:
        assert entries(A) != entries(B)
    if max(A.shape) < 100:
        assert structural_rank(A.tocsr()) == structural_rank(B.tocsr())


def test_permutations_differ_from_each_other():
    assert permuted_names("kron_s6", 3) == ["kron_s6_rcp", "kron_s6_rcp2", "kron_s6_rcp3"]
    graphs = [frozenset(entries(make(name))) for name in permuted_names("kron_s6", 3)]
    assert len(set(graphs)) == 3


@pytest.mark.parametrize(
    "name", ["", "er_50", "kron_s", "er:6", "kron_s6_rcp1", "kron_s6_rcp0", "kron_s6_rcp_rcp", "x"]
)
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="the forms are"):
        family_of(name)


# -- the counter-based graphs, made again edge by edge ---------------------------------------------


def test_words_are_those_of_splitmix64():
    # The first outputs of the published generator with seed 0. It adds the constant in the last
    # line of this test to its state and then mixes; `mix` does both, but stores no state.
    state, published = 0, (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F)
    for expected in published:
        assert int(mix([state])[0]) == expected == word(state)
        state = (state + 0x9E3779B97F4A7C15) % WORD


def test_er_is_its_recipe():
    n = 2**7
    pairs = set()
    for i in range(round(2.5 * n)):
        s = word(999 + i)
        pairs.add(((word(s) >> 11) % n, (s >> 11) % n))
    assert entries(make("er:7:2.5")) == pairs


def test_road_is_its_recipe():
    w = 13
    edges = []
    for y in range(w):
        for x in range(w):
            i = y * w + x
            if x + 1 < w and word(31 + 2 * i) % 1000 < 600:
                edges.append((i, i + 1))
            if y + 1 < w and word(31 + 2 * i + 1) % 1000 < 600:
                edges.append((i, i + w))
    assert entries(make(f"road:{w}")) == both_ways(edges)


def test_hex_is_its_recipe():
    w = 120
    holes = []
    for t in range(60):
        s = word(777 + t)
        holes.append((s % w, (s >> 20) % w, 10 + (s >> 48) % (w // 40)))

    def solid(x, y):
        return all((x - a) ** 2 + (y - b) ** 2 > r * r for a, b, r in holes)

    edges = []
    for y in range(w):
        for x in range(w):
            if not solid(x, y):
                continue
            if x + 1 < w and solid(x + 1, y):
                edges.append((y * w + x, y * w + x + 1))
            if y + 1 < w and (x + y) % 2 == 0 and solid(x, y + 1):
                edges.append((y * w + x, (y + 1) * w + x))
    assert edges
    assert entries(make(f"hex:{w}")) == both_ways(edges)


def test_rgg_joins_near_points():
    n = 2**6
    radius = 0.55 * math.sqrt(math.log(n) / n)
    side = int(1 / radius)
    points = []
    for i in range(n):
        s = word(55 + i)
        points.append(((s % 2**32) / 2**32, (s >> 32) / 2**32))

    def cell(p):
        return min(int(p[1] * side), side - 1) * side + min(int(p[0] * side), side - 1)

    points.sort(key=cell)  # a stable sort keeps the order within a cell
    edges = [
        (u, v) for u in range(n) for v in range(u) if math.dist(points[u], points[v]) <= radius
    ]
    assert entries(make("rgg:6")) == both_ways(edges)


def test_scattered_is_its_recipe():
    A = make("road:8")
    n = A.shape[0]
    row_place, col_place = (
        sorted(range(n), key=lambda i: (word(start + i) % 2**32, i)) for start in (99, 77)
    )
    moved = {(row_place[i], col_place[j]) for i, j in entries(A)}
    assert entries(make("road:8+rcp")) == moved


def test_kron_and_del_are_symmetric_without_a_diagonal():
    for name in ("kron:7", "del:7"):
        pairs = entries(make(name))
        assert pairs == {(j, i) for i, j in pairs}
        assert all(i != j for i, j in pairs)


# -- stand-ins for the test problems of Azad, Buluç, Pothen (IPDPS 2015) --------------------------


def test_one_stand_in_for_each_graph_and_size():
    assert len(PAPER) == 12
    for size in SIZES:
        cases = stand_ins(size)
        assert [case.kind for case in cases] == [row.kind for row in PAPER]
        assert {case.kind for case in cases} == set(CLASSES)
    names = [name for row in PAPER for name in row.names]
    assert len(names) == len(set(names)) == 12 * len(SIZES)
    for name in names:
        assert family_of(name)
        assert name in stands_for(name).names
        assert stands_for(f"{name}_rcp3") is stands_for(name)
    assert stands_for("er_300_d2") is None


@pytest.mark.parametrize("row", PAPER, ids=lambda row: row.graph)
def test_stand_ins_resemble_the_graphs_of_the_paper(row):
    """The share of matched vertices differs from the paper's by less than ten percentage points,
    and the degree by less than a factor of four."""
    A = make(row.names[SIZES.index("quick")])
    m, n = A.shape
    assert row.degree / 4 < A.nnz / n < row.degree * 4
    covered = 200 * structural_rank(A.tocsr()) / (m + n)
    assert abs(covered - row.maximum) < 10


def test_triangles_have_three_neighbours():
    degrees = np.diff(make("trace_n9").indptr)
    assert degrees.max() == 3
    assert np.mean(degrees == 3) > 0.9


def test_power_flow_has_full_rank():
    A = make("opf_400")
    assert structural_rank(A.tocsr()) == A.shape[0]
