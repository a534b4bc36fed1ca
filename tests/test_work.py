# SPDX-License-Identifier: BSD-3-Clause
"""The work of each algorithm on one thread stays near the numbers in ``work.json``.

A search that visits more entries than it must still gives a right answer, so no other test notices
that a rule, a bound or an order has lost its effect; and a counter can be wrong beside a right
answer. After a deliberate change, ``python -m tests.test_work`` writes the file again.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import registry
from btfperm.backends.cpu.problem import Problem
from btfperm.ordering import count_fill
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import as_pattern
from tests import families
from tests.ordering.test_order import METHODS, grid, one_block, order_of
from tests.transversal.methods import ROWS
from tests.weighted.graph.graphs import IDS, VARIANTS, path, random_graph

FILE = Path(__file__).with_name("work.json")
GREEDY = registry.find("greedy", initializer=True)
SHARE, MORE = 0.1, 5  # accepted: this share and this number more or less


@cache
def patterns():
    mixed = {
        "chain": families.chain(1500),
        "rivals": families.rivals(40, 15),
        "stars": families.stars(20, 60),
        "saddle point": families.Hard(families.saddle_point(1500, 500, 1), -1),
    }
    matrices = {
        "random": families.random_rectangle(3000, 3000, 3, 1).A,
        "deficient": families.random_rectangle(3000, 3000, 2, 1).A,
        "tall": families.random_rectangle(3000, 2000, 2, 1).A,
        "wide": families.random_rectangle(2000, 3000, 3, 1).A,
        "dead tree": families.deadtree(2000, 1).A,
        "chains": families.chains_hk(30).A,
        "strip": families.strip(300, 1).A,
        "band": families.local_and_deficient(4000, 1),
        "local saddle point": families.saddle_point(1500, 500, 2),
    } | {name: families.renumbered(hard, "mixed", 1).A for name, hard in mixed.items()}
    return {name: as_pattern(A) for name, A in matrices.items()}


@cache
def large_patterns():
    """Matrices on which guided-displacement pushes rows by labels and peels."""
    matrices = {
        "large, random": families.random_rectangle(40_000, 40_000, 3, 1).A,
        "large, deficient": families.random_rectangle(40_000, 40_000, 2, 1).A,
        "large, tall": families.random_rectangle(45_000, 35_000, 3, 1).A,
        "large, full rank": families.random_rectangle(40_000, 40_000, 6, 1).A,
    }
    return {name: as_pattern(A) for name, A in matrices.items()}


def work_of_search(row):
    found = {}
    large = large_patterns() if row.name == "guided-displacement" else {}
    for name, pattern in (patterns() | large).items():
        for start in [None] if row.is_initializer else [None, GREEDY]:
            problem = Problem.empty(pattern)
            request = Request(threads=1)
            if start:
                run_algorithm(start, problem, request)
            counters = run_algorithm(row, problem, request).counters
            numbers = [counters["edges"], counters.get("phases", 0), counters.get("pushes", 0)]
            found[f"{name}, {start.name}" if start else name] = numbers
    return found


def work_of_weighted(name, objective):
    found = {}
    for n, per_row, seed in ((300, 5, 1), (300, 30, 2), (80, 80, 3), (3000, 5, 4)):
        rng = np.random.default_rng(seed)
        A = families.random_rectangle(n, n, per_row, seed).A + sp.eye_array(n)
        A = sp.csc_array((rng.lognormal(0, 4, A.nnz), A.indices, A.indptr), shape=(n, n))
        how = {"algorithm": name, "objective": objective, "threads": 1}
        counters = btfperm.weighted_transversal(A, **how).counters
        found[f"{n} x {n}, {per_row}"] = [
            counters[word] for word in ("edges", "searches", "bids", "rounds")
        ]
    return found


def work_of_match(name, options):
    found = {}
    graphs = {
        "random": random_graph(1500, 6000, 1),
        "equal": random_graph(1000, 3000, 2, "ones"),
        "path": path(1000, np.random.default_rng(3).random(999) + 0.1),
    }
    for graph, G in graphs.items():
        m = btfperm.match(G, algorithm=name, options=options, threads=1)
        found[graph] = [m.counters["edges"], m.counters.get("sorted", 0), m.rounds]
    return found


def work_of_order(method):
    found = {}
    rng = np.random.default_rng(1)
    random = families.random_rectangle(150, 150, 3, 1).A + sp.eye_array(150)
    order = rng.permutation(400)
    mixed = sp.csc_array(grid(20).tocsr()[order, :].tocsc()[:, order])
    for name, A in {"grid": mixed, "random": sp.csc_array(random)}.items():
        form = one_block(A)
        fill = count_fill(*form, order_of(form, method), 10**7)
        found[name] = [fill.lower, fill.upper]
    return found


CASES = {
    **{f"{row.name}, {row.backend}": (work_of_search, row) for row in ROWS},
    **{
        f"{name}, {objective}": (work_of_weighted, name, objective)
        for name in ("mc64", "heavy-perfect")
        for objective in ("product", "sum")
    },
    **{
        f"match, {name}": (work_of_match, *variant)
        for name, variant in zip(IDS, VARIANTS, strict=True)
    },
    **{f"order, {method}": (work_of_order, method) for method in METHODS},
}


@cache
def recorded():
    return json.loads(FILE.read_text(encoding="utf-8"))


def test_every_algorithm_is_recorded():
    assert set(recorded()) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_work(name):
    function, *arguments = CASES[name]
    for matrix, numbers in function(*arguments).items():
        expected = recorded()[name][matrix]
        for found, number in zip(numbers, expected, strict=True):
            assert abs(found - number) <= SHARE * number + MORE, f"{matrix}: {numbers}, {expected}"


def main():
    work = {name: function(*arguments) for name, (function, *arguments) in CASES.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in work.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
