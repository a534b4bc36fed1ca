# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms report only counters that are declared, and the sources name every declared one."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import btfperm
from btfperm import _core, registry
from btfperm.backends.cpu.problem import Problem
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import as_pattern
from btfperm.registry.counters import COUNTERS, OF_WEIGHTED_SEARCHES, PREFIXES
from tests import families
from tests.loops import looped
from tests.transversal.methods import ROWS
from tests.weighted.graph.graphs import path as graph_path
from tests.weighted.graph.graphs import random_graph

DECLARED = {counter.name for counter in COUNTERS}
NOT_DECLARED = (
    "each counter needs a line in btfperm/transversal/counters.hpp or a row in "
    "btfperm/registry/counters.py"
)
SOURCES = Path(btfperm.__file__).parent
OF_HOST = [row for row in btfperm.algorithms(package="weighted") if row.backend == "cpu"]
WEIGHTED = [row.name for row in OF_HOST if not row.of_graphs]
OF_GRAPHS = [row.name for row in OF_HOST if row.of_graphs]


def undeclared(counters):
    return {name.removeprefix(next(filter(name.startswith, PREFIXES), "")) for name in counters} - (
        DECLARED
    )


def test_an_unknown_counter_is_detected():
    assert undeclared({"edges": 1, "start_edges": 1, "second_phases": 1}) == set()
    assert undeclared({"edgse": 1, "start_visits": 2}) == {"edgse", "visits"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_reported_counters_are_declared(row):
    role = {"initializer" if row.is_initializer else "algorithm": row.name}
    for family in (families.chain(200), families.random_rectangle(300, 400, 3, 1)):
        t = btfperm.maximum_transversal(
            family.A, **({"initializer": "none"} | role), backend="cpu", threads=2
        )
        assert not undeclared(t.counters), NOT_DECLARED
        assert t.counters, "nothing was counted"


def random_values(seed):
    """A square matrix with a full diagonal, so that it has a complete transversal."""
    rng = np.random.default_rng(seed)
    return rng.random((40, 40)) * (rng.random((40, 40)) < 0.1) + np.eye(40)


@pytest.mark.parametrize("algorithm", WEIGHTED)
@pytest.mark.parametrize("objective", ["product", "sum"])
def test_a_weighted_search_reports_its_counters_in_order(algorithm, objective):
    for A in (random_values(1), np.ones((3, 5)), np.zeros((2, 2))):
        w = btfperm.weighted_transversal(A, algorithm=algorithm, objective=objective, backend="cpu")
        assert tuple(w.counters) == OF_WEIGHTED_SEARCHES and not undeclared(w.counters)


def test_the_bisection_reports_its_thresholds():
    w = btfperm.weighted_transversal(random_values(2), objective="bottleneck")
    assert list(w.counters) == ["thresholds"] and not undeclared(w.counters)


@pytest.mark.parametrize("algorithm", OF_GRAPHS)
def test_reported_counters_of_graphs_are_declared(algorithm):
    """The second graph is a path, on which local-max stops its rounds early and sorts the remaining
    edges. The counters of both methods must be declared."""
    for G in (random_graph(60, 200, 1), graph_path(500, np.arange(1, 500.0))):
        m = btfperm.match(G, algorithm=algorithm, backend="cpu")
        assert not undeclared(m.counters), NOT_DECLARED
        assert m.counters["edges"] > 0


def text_of(*suffixes):
    """The sources with these suffixes, without the declarations of counters."""
    declarations = SOURCES / "registry/counters.py", SOURCES / "transversal/counters.hpp"
    files = (path for path in SOURCES.rglob("*") if path.suffix in suffixes)
    return "\n".join(path.read_text(encoding="utf-8") for path in files if path not in declarations)


def test_declared_counters_exist():
    """A counter that no source mentions is obsolete."""
    in_core = {name for name, _ in _core.transversal.counters()}
    members = set(re.findall(r"\w+", text_of(".hpp", ".cpp")))
    assert not in_core - members
    named = set(re.findall(r'"(\w+)"', text_of(".py", ".hpp", ".cpp")))
    assert not DECLARED - in_core - named - set(OF_WEIGHTED_SEARCHES)  # see the test of their order


def test_each_counter_is_declared_once():
    """The table of Python begins with the counters of the core. Their only declaration is the list
    in ``counters.hpp``, so the struct `Counters` has no member that is not in it."""
    in_core = _core.transversal.counters()
    assert in_core[0] == ("edges", "visited entries") and in_core[-1][0] == "frontier_sizes"
    assert list(COUNTERS[: len(in_core)]) == in_core
    assert len(DECLARED) == len(COUNTERS) > len(in_core)
    declared = (SOURCES / "transversal/counters.hpp").read_text(encoding="utf-8")
    assert re.findall(r"(?:SUM|LARGEST|LIST)\((\w+),\s", declared)[1:] == [
        name for name, _ in in_core
    ]
    struct = (SOURCES / "transversal/interface.hpp").read_text(encoding="utf-8")
    struct = struct[struct.index("struct Counters {") :]
    assert re.findall(r"std::(?:int64_t|vector<\S+>) (\w+)(?: = 0)?;", struct) == ["name", "name"]


def edges(A, algorithm, **options):
    """The counter of a search from an empty matching, without a transposition of `A`."""
    pattern = as_pattern(A)
    request = Request(threads=1, options=options)
    outcome = run_algorithm(
        registry.find(algorithm, initializer=False), Problem.empty(pattern), request
    )
    return outcome.counters["edges"]


def test_a_search_counts_the_entries_that_it_visits():
    """The numbers are counted by hand, on lists whose visit ends before the last entry or finds
    nothing."""
    column, row = np.ones((3, 1)), np.ones((1, 2))
    # Column 0 takes row 0. Column 1 finds row 0 visited and takes row 1, which ends the visit.
    two_trees = np.array([[1, 1], [0, 1], [0, 1], [0, 1]])

    # The first entry is in an unmatched row.
    assert edges(column, "ms-bfs") == 1
    assert edges(two_trees, "ms-bfs") == 1 + 2
    assert edges(column, "ms-bfs-graft", direction=0) == 1
    assert edges(two_trees, "ms-bfs-graft", direction=0) == 1 + 2
    assert edges(column, "p-dbfs") == 1
    assert edges(column, "hopcroft-karp") == 3 + 1, "all entries for the levels, one for the path"

    # Bottom-up, row 0 takes the column; each other row visits its entry and finds no active tree.
    assert edges(column, "ms-bfs-graft") == 3

    # The relabelling visits both entries. Column 0 takes the row; column 1 takes it from column 0.
    # Column 0 visits its entry again, and finds that it cannot be matched.
    assert edges(row, "push-relabel", relabel=0) == 2 + 3

    # Column 0: one entry by lookahead. Column 1: one entry by lookahead, the same entry again as a
    # step to column 0, and there again one entry by lookahead and one as a step.
    assert edges(row, "ss-dfs") == 1 + 2 + 2


@pytest.mark.parametrize(
    ("initializer", "pairs", "visited"),
    [
        # Column 1 finds no row, and the end of its list counts as one more.
        ("greedy", 2, 1 + 2 + 2),
        # Column 1, then the other two columns, whose first row is taken.
        ("singles-first", 3, 1 + 2 + 2),
        # Each of the rows 1, 2 and 0 and its column, with both lists.
        ("karp-sipser", 3, (2 + 1) + (2 + 1) + (1 + 3)),
        # Column 1 chooses among one row, the columns 2 and 0 pass row 0; then come both lists.
        ("min-degree", 3, (1 + 1 + 3) + (1 + 2 + 1) + (1 + 2 + 1)),
    ],
)
def test_an_initializer_counts_the_entries_that_it_visits(initializer, pairs, visited):
    """Counted by hand. Only greedy starts with column 0, which takes the only row of column 1."""
    pattern = as_pattern(np.array([[1, 1, 1], [1, 0, 0], [0, 0, 1]]))
    problem = Problem.empty(pattern)
    row = registry.find(initializer, initializer=True)
    outcome = run_algorithm(row, problem, Request(threads=1))
    assert problem.size == pairs and outcome.counters["edges"] == visited


@pytest.fixture(params=[1, 3])
def threads(request):
    """The number of threads. If there are several, all loops are shared, however short."""
    before = _core.backends.share_always(request.param > 1)
    yield request.param
    _core.backends.share_always(before)


@looped("row", ROWS, ids=lambda row: row.name)
def test_counters_agree_with_the_result(row, threads):
    """A search from an empty matching augments once for each column that it matches, except by the
    pushes of guided-displacement, along paths of an odd number of edges, and visits an entry for
    each. All threads count."""
    matrices = [
        families.renumbered(families.chain(60), "mixed", 1).A,
        families.random_rectangle(200, 300, 3, 2).A,
        families.random_rectangle(300, 200, 2, 3).A,
        families.deadtree(200, 1).A,
        families.renumbered(families.stars(20, 30), "mixed", 1).A,
    ]
    for A in matrices:
        pattern = as_pattern(A)
        problem = Problem.empty(pattern)
        request = Request(threads=threads)
        counters = run_algorithm(row, problem, request).counters
        assert counters["edges"] >= problem.size
        assert all(np.min(number, initial=0) >= 0 for number in counters.values())
        if row.is_initializer:
            continue
        paths = counters.get("augmentations", 0)
        if threads > 1 and row.name == "guided-displacement":  # its pushes match columns, too
            assert paths <= problem.size <= paths + counters.get("pushes", 0)
        else:
            assert paths == problem.size
            # The others count the pushes that take a row from another column, which the schedule of
            # several threads decides.
            if threads == 1 or "push-relabel" not in row.name:
                assert counters.get("pushes", paths) >= paths
        assert counters.get("phases", 1) >= 1
        length = counters.get("path_edges", paths)
        assert length >= paths and (length - paths) % 2 == 0
        if longest := counters.get("longest_path"):
            assert longest % 2 == 1 and longest <= length <= longest * paths
