# SPDX-License-Identifier: BSD-3-Clause
"""`match` on a GPU, on graphs small enough for an emulated device: the checks that share nothing
with btfperm, and the matching of the CPU, which draws the same random numbers.

These tests also run in the suite of machines without a GPU, see
`tests/backends/test_on_emulated_gpu.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.registry import find
from btfperm.weighted.device_graph import DeviceGraph
from tests import families
from tests.checks.check_graph_matching import (
    check_bound,
    check_dominant,
    check_graph_matching,
    check_maximal,
)
from tests.on_device import lives_there, matrix_there
from tests.transversal.test_starts import check_start, start
from tests.weighted.graph.graphs import graph, path, random_graph, star
from tests.weighted.graph.test_slow_rounds import graph as graph_in_order
from tests.weighted.graph.test_slow_rounds import (
    hub,
    increasing_path,
    path_of_pairs,
    sloping_grid,
)

pytestmark = pytest.mark.gpu

VARIANTS = [
    ("local-max", {}),
    ("local-max", {"ties": "fixed", "limit": 0}),
    ("local-max", {"limit": 0.5}),
    ("red-blue", {}),
    ("red-blue", {"select": "random"}),
    ("red-blue", {"p": 0.2}),
    ("red-blue", {"place": "first"}),
]
each_variant = pytest.mark.parametrize(("name", "options"), VARIANTS)

SMALL = {
    "few weights": random_graph(60, 150, 1, "few"),
    "ones": random_graph(80, 100, 2, "ones"),
    "dense": random_graph(25, 250, 3),
    "star": star(70, np.arange(70.0) % 7 + 1),
    "equal star": star(70, 1.0),
    "path": path(40, np.arange(1.0, 40.0)),
    "two stars": sp.block_diag([star(40, 1.0), star(65, 2.0)], format="csc"),
    "one edge": graph(3, [(0, 2)], 5.0),
    "no edge": sp.csc_array((4, 4)),
    "nothing": sp.csc_array((0, 0)),
    "extremes": graph(5, [(0, 1), (1, 2), (2, 3), (3, 4)], [5e-324, 1.7e308, 1.7e308, 1e-9]),
}


def check(G, m, name):
    check_graph_matching(G, m.mate)
    check_maximal(G, m.mate)
    if name == "local-max":
        check_dominant(G, m.mate)


@each_variant
def test_the_matching_of_the_cpu(name, options, run_seed):
    for which, G in SMALL.items():
        for seed in (0, run_seed % 1000):
            how = {"algorithm": name, "options": options, "seed": seed}
            there = btfperm.match(G, backend="gpu", **how)
            here = btfperm.match(G, backend="cpu", threads=1, **how)
            check(G, there, name)
            np.testing.assert_array_equal(there.mate, here.mate, err_msg=which)
            assert (there.rounds, there.upper_bound) == (here.rounds, here.upper_bound), which
            np.testing.assert_array_equal(there.edges_left, here.edges_left)
            if name == "local-max":  # each round visits the edges that are left
                n_edges = np.count_nonzero(sp.triu(G, 1).toarray())
                assert there.counters["edges"] == n_edges + sum(there.edges_left), which
                assert there.counters.keys() == here.counters.keys(), which


@each_variant
def test_a_graph_on_the_device_stays_there(name, options):
    for which, G in SMALL.items():
        if not G.shape[0]:
            continue  # CuPy has no sparse matrices without rows
        there = btfperm.match(matrix_there(G), algorithm=name, options=options)
        here = btfperm.match(G, algorithm=name, options=options)
        assert lives_there(there.mate) and lives_there(there.dual)
        np.testing.assert_array_equal(there.mate.get(), here.mate, err_msg=which)
        with np.errstate(over="ignore"):
            check_bound(G, there.dual.get(), there.upper_bound)
        assert there.weight == pytest.approx(here.weight, rel=1e-12) and there.size == here.size
        assert (there.edges, there.rounds) == (here.edges, here.rounds)
        assert (there.maximal, there.locally_dominant) == (here.maximal, here.locally_dominant)
        np.testing.assert_array_equal(there.edges_left, here.edges_left)
        np.testing.assert_allclose(there.matched_share, here.matched_share)
        assert there.weight <= there.upper_bound


def test_where_the_algorithm_runs():
    there = matrix_there(SMALL["dense"])
    assert lives_there(btfperm.match(there).mate)
    for how in ({"algorithm": "gpa"}, {"backend": "cpu"}):
        assert isinstance(btfperm.match(there, **how).mate, np.ndarray)
    ones = btfperm.match(there, weights="ones", algorithm="red-blue")
    expected = btfperm.match(SMALL["dense"], weights="ones", algorithm="red-blue")
    np.testing.assert_array_equal(ones.mate.get(), expected.mate)
    moduli = btfperm.match(matrix_there(-SMALL["dense"]), weights="moduli")
    assert moduli.mate.tolist() == btfperm.match(SMALL["dense"]).mate.tolist()


def test_a_bipartite_graph_is_made_on_the_device():
    A = sp.random_array((17, 30), density=0.2, rng=np.random.default_rng(7), format="csc")
    A.data = 1 - A.data  # from (0, 1]
    here = btfperm.match(A, bipartite=True)
    for weights, expected in (
        ("values", here),
        ("ones", btfperm.match(A, bipartite=True, weights="ones")),
    ):
        there = btfperm.match(matrix_there(A), bipartite=True, weights=weights)
        assert lives_there(there.mate) and there.backend == "gpu"
        np.testing.assert_array_equal(there.mate.get(), expected.mate)
        assert (there.edges, there.n) == (A.nnz, 47)
    other = btfperm.match(matrix_there(A), bipartite=True, backend="cpu")
    np.testing.assert_array_equal(other.mate, here.mate)
    A.data[3] = -1
    i, j = A.indices[3], int(np.searchsorted(A.indptr, 3, side="right")) - 1
    with pytest.raises(btfperm.InvalidMatrixError, match=f"row {i}, column {j} .* is -1, and"):
        btfperm.match(matrix_there(A), bipartite=True)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([(0, 1, 1.0), (1, 0, 1.0), (2, 1, 3.0)], "no counterpart"),
        ([(0, 1, 1.0), (1, 0, 2.0)], "and the one in row"),
        ([(0, 1, -1.0), (1, 0, -1.0)], "is -1, and weights must be positive"),
        ([(0, 1, np.inf), (1, 0, np.inf)], "is inf, and weights"),
        ([(0, 1, np.nan), (1, 0, np.nan)], "is nan, and weights"),
    ],
)
def test_what_is_no_graph(entries, message):
    rows, cols, values = zip(*entries, strict=True)
    A = sp.csc_array((np.array(values), (rows, cols)), shape=(3, 3))
    for G in (A, matrix_there(A)):
        with pytest.raises(btfperm.InvalidMatrixError, match=message):
            btfperm.match(G, backend="gpu")
    with pytest.raises(btfperm.InvalidMatrixError, match="square"):
        btfperm.match(matrix_there(sp.csc_array(np.ones((2, 3)))))


@pytest.mark.parametrize("ties", ["renewed", "fixed"])
@pytest.mark.parametrize("kind", [increasing_path, path_of_pairs, hub, sloping_grid])
def test_chains_of_edges_replace_rounds(kind, ties, run_seed, monkeypatch):
    """A path is one chain. The hub loses one edge in each pass, so the CPU sorts most edges."""
    from btfperm.weighted.graph import local_max_gpu

    left, sort = [], local_max_gpu._sort

    def sorted_here(there, rest, *arguments):
        left.append(rest[0].size)
        sort(there, rest, *arguments)

    monkeypatch.setattr(local_max_gpu, "_sort", sorted_here)
    n = 900
    for order in (np.arange(n), np.random.default_rng(run_seed).permutation(n)):
        G = graph_in_order(*kind(n), order)
        for limit in (1, 2.5):
            how = {"algorithm": "local-max", "options": {"ties": ties, "limit": limit}, "seed": 3}
            there = btfperm.match(G, backend="gpu", **how)
            check(G, there, "local-max")
            here = btfperm.match(G, backend="cpu", threads=1, **how)
            np.testing.assert_array_equal(there.mate, here.mate, err_msg=f"{limit}")
            assert there.rounds == here.rounds
            assert there.counters.get("sorted", 0) == here.counters.get("sorted", 0)
            np.testing.assert_array_equal(there.edges_left, here.edges_left)
    if kind is not sloping_grid:
        assert bool(left) == (kind is hub)


WRONG = {
    "has another mate": lambda mate: np.roll(mate, 1),
    "not maximal": lambda mate: np.full_like(mate, -1),
    "not locally dominant": lambda mate: np.array([1, 0, 3, 2, -1], mate.dtype),
}


@pytest.mark.parametrize("message", WRONG)
@pytest.mark.parametrize("where", ["host", "device"])
def test_a_wrong_matching_is_detected(message, where, monkeypatch):
    import cupy

    from btfperm.weighted.graph import local_max_gpu

    right = local_max_gpu.local_max

    def wrong(there, *arguments):
        counters = right(there, *arguments)
        there.mate = cupy.asarray(WRONG[message](there.mate.get()))
        return counters

    monkeypatch.setattr(local_max_gpu, "local_max", wrong)
    G = graph(5, [(0, 1), (1, 2), (2, 3)], [2.0, 3.0, 2.0])
    with pytest.raises(btfperm.DefectError, match=message):
        btfperm.match(G if where == "host" else matrix_there(G), backend="gpu")


def test_wrong_duals_are_detected():
    import cupy

    from btfperm.weighted.graph_certificate_gpu import DeviceChecks

    V = btfperm.as_valued(path(4, [2.0, 3.0, 2.0]))
    there = DeviceGraph.of_host(V.pattern.indptr, V.pattern.indices, V.values)
    checks = DeviceChecks(there)
    for dual, found in [
        ([0.0, 3, 0, 2], (0.0, 3.0, False)),
        ([0.0, 2, 0, 2], (1.0, 2.0, False)),
        ([5.0, -1, 4, 2], (0.0, 5.0, True)),
        ([5.0, np.nan, 4, 2], (0.0, 5.0, True)),
    ]:
        assert checks.find_excess(cupy.asarray(np.array(dual))) == found


def test_the_diagonal_is_ignored():
    G = random_graph(50, 120, 5).tolil()
    G.setdiag(9.0)
    for name in ("local-max", "red-blue"):
        there = btfperm.match(sp.csc_array(G), backend="gpu", algorithm=name)
        check(random_graph(50, 120, 5), there, name)
        assert there.edges == random_graph(50, 120, 5).nnz // 2


@pytest.mark.parametrize("options", [{}, {"select": "random"}])
def test_red_blue_shares_long_lists(options, run_seed):
    """Lists that are longer than one group of lanes visits; the longest has several parts."""
    from btfperm.weighted.graph import red_blue_gpu

    shared = 4 * red_blue_gpu._VISITS_OF_A_LANE + 1
    size = 2 * red_blue_gpu._PART + 200
    few = np.random.default_rng(run_seed).integers(1, 4, size)
    cases = {
        "none is shared": star(shared - 1, few[: shared - 1]),
        "one part": star(shared, few[:shared]),
        "parts": star(size, few),
        "equal weights": star(size, 1.0),
    }
    for which, G in cases.items():
        m = same_as_on_the_cpu(which, G, options, 0)
        if which == "parts" and not options:  # first all lists, then those of unmatched leaves
            assert m.counters["edges"] == 3 * size - 1


@pytest.mark.parametrize("options", [{}, {"select": "random"}, {"p": 0.2}, {"place": "first"}])
def test_red_blue_shares_any_list(options, run_seed, monkeypatch):
    """Lists of more than 4 to 32 entries are long, and have parts of 3 entries."""
    from btfperm.weighted.graph import red_blue_gpu

    monkeypatch.setattr(red_blue_gpu, "_VISITS_OF_A_LANE", 1)
    monkeypatch.setattr(red_blue_gpu, "_PART", 3)
    complete = [(u, 60 + v) for u in range(60) for v in range(40)]
    few = np.random.default_rng(run_seed).integers(1, 4, len(complete))
    for which, G in {**SMALL, "bipartite": graph(100, complete, few)}.items():
        m = same_as_on_the_cpu(which, G, options, run_seed % 1000)
        if which == "bipartite":  # vertices with long lists stay unmatched for several rounds
            assert m.rounds > 2


def same_as_on_the_cpu(which, G, options, seed):
    how = {"algorithm": "red-blue", "options": options, "seed": seed}
    there = btfperm.match(G, backend="gpu", **how)
    here = btfperm.match(G, backend="cpu", threads=1, **how)
    check(G, there, "red-blue")
    np.testing.assert_array_equal(there.mate, here.mate, err_msg=which)
    assert there.rounds == here.rounds, which
    np.testing.assert_array_equal(there.edges_left, here.edges_left, err_msg=which)
    return there


@pytest.mark.parametrize("name", ["local-max", "red-blue"])
def test_64_bit_indices(name):
    from btfperm.backends.gpu.budget import Budget

    row = find(name, initializer=False, backend="gpu", package="weighted.graph")
    options = {"limit": 8.0, "ties": "renewed", "select": "weighted", "p": 0.53406}
    options["place"] = "random"
    for G in (SMALL["few weights"], SMALL["star"], star(2500, np.arange(2500.0) % 7 + 1)):
        P = btfperm.as_valued(G)
        wide = (part.astype(np.int64) for part in (P.pattern.indptr, P.pattern.indices))
        there = DeviceGraph.of_host(*wide, P.values)
        row.load()(there, Budget(), 0, options)
        expected = btfperm.match(G, algorithm=name)
        np.testing.assert_array_equal(there.mate.get(), expected.mate)


@pytest.mark.parametrize("name", ["local-max", "red-blue"])
def test_a_limit_of_work_leaves_a_legal_matching(name):
    """A path of increasing weights needs many rounds."""
    G = path(60, np.arange(1.0, 60.0))
    how = {"algorithm": name, "backend": "gpu"}
    if name == "local-max":
        how["options"] = {"limit": 0}
    whole = btfperm.match(G, **how)
    m = btfperm.match(G, max_work=whole.counters["edges"] // 2, **how)
    check_graph_matching(G, m.mate)
    assert m.stopped_by == "max_work" and 0 < m.size < whole.size
    assert m.counters["edges"] < whole.counters["edges"]


def test_only_two_algorithms_run_there():
    with pytest.raises(btfperm.InvalidArgumentError, match="gpa runs on the cpu backend"):
        btfperm.match(SMALL["ones"], algorithm="gpa", backend="gpu")
    with pytest.raises(btfperm.InvalidArgumentError, match="unknown backend"):
        btfperm.match(SMALL["ones"], backend="tpu")
    with pytest.raises(btfperm.InvalidArgumentError, match="model"):
        btfperm.match(SMALL["ones"], backend="gpu", options={"model": "crew"})


# -- red-blue as an initializer of matrices --------------------------------------------------------


@pytest.mark.parametrize("width", [None, np.int64])
@pytest.mark.parametrize("given", [False, True])
def test_red_blue_as_an_initializer(given, width, run_seed, monkeypatch):
    """Given entries stay matched. The type of the indices of the graph may be that of the matrix,
    or wider."""
    from btfperm.weighted import bipartite_graph_gpu

    if width is not None:
        monkeypatch.setattr(bipartite_graph_gpu, "index_type", lambda *_: width)
    row = find("red-blue", initializer=True, backend="gpu")
    A = families.random_rectangle(70, 50, 3, run_seed).A
    first = np.full(50, -1)
    if given:
        first[:20] = btfperm.maximum_transversal(A).col_match[:20]
    for p in (0.2, 0.53406, 0.95):
        _, problem, counters, _ = start(A, row, {"p": p}, given=first, seed=run_seed % 1000)
        check_start(btfperm.as_pattern(A), problem)
        kept = first >= 0
        np.testing.assert_array_equal(problem.col_match[kept], first[kept])
        assert counters["phases"] > 0 and counters["edges"] > A.nnz


def test_few_red_vertices_take_many_rounds():
    row = find("red-blue", initializer=True, backend="gpu")
    A = families.random_rectangle(60, 60, 3, 1).A
    rounds = [start(A, row, {"p": p})[2]["phases"] for p in (0.5, 0.99)]
    assert rounds[1] > 3 * rounds[0]
