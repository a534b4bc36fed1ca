# SPDX-License-Identifier: BSD-3-Clause
"""Plans by the rules of btfperm's own packages; test_toy.py has those of another package."""

from __future__ import annotations

import pytest

from btfperm.backends.protocol import ValuedSession
from btfperm.errors import InvalidArgumentError
from btfperm.path.plan import Plan, make_plan
from btfperm.path.request import Request
from btfperm.pattern import as_pattern
from btfperm.transversal.auto_table import DEFAULT

GRAPH = "weighted.graph"


@pytest.mark.parametrize(
    ("backend", "among", "name"),
    [
        ("cpu", "algorithm", DEFAULT),
        ("gpu", "algorithm", "meeting-trees"),
        ("mpi", "algorithm", "ms-bfs"),
        ("cpu", "published", "ms-bfs"),
        ("gpu", "published", "apfb-wr"),
        ("mpi", "published", "ms-bfs"),
    ],
)
def test_the_default_is_a_row_of_its_backend(backend, among, name):
    """Its options are those that the caller may set: `alpha` belongs to ms-bfs over ranks only."""
    made = Plan("transversal", as_pattern([[1, 1], [0, 1]]), Request(3))
    made.backend, made.among = backend, among
    row = made.default()
    assert (row.name, row.backend) == (name, backend)
    assert row.has_option("alpha") == (backend == "mpi")


@pytest.mark.parametrize(
    ("package", "asked", "steps", "why"),
    [
        ("weighted", {}, "mc64, on cpu", "always: the largest product or sum"),
        ("weighted", {"algorithm": "heavy-perfect"}, "heavy-perfect, on cpu", ""),
        ("weighted", {"algorithm": "heavy-perfect", "backend": "gpu"}, "heavy-perfect, on gpu", ""),
        (
            "weighted.graph",
            {},
            "local-max, on cpu",
            "always: nearly the weight of greedy in less time",
        ),
        (GRAPH, {"algorithm": "gpa"}, "gpa, on cpu", ""),
        (
            "weighted.graph",
            {"backend": "gpu"},
            "local-max, on gpu",
            "always: nearly the weight of greedy",
        ),
        (GRAPH, {"algorithm": "local-max-external"}, "local-max-external, on cpu", ""),
    ],
)
def test_plans_of_weighted_searches(package, asked, steps, why):
    """They have no initial matching, and a requested backend must not be replaced."""
    request = Request(3, package=package, **asked)
    made = make_plan(ValuedSession(as_pattern([[1, 1], [0, 1]]), package, None), request, package)
    assert repr(made) == f"<Plan: {steps}, 1 thread>" and made.why().startswith(why)
    assert made.named == ("algorithm" in asked) and bool(why) == (not made.named)
    assert made.requested == (made.backend == "gpu") and made.within is None
    taken = {what: rule["choice"] for what, rule in made.explain()["decisions"].items()}
    assert taken.get("algorithm") == (None if made.named else made.algorithm.name)
    assert taken.get("place") == ("cpu" if not asked else None)


@pytest.mark.parametrize(
    ("package", "asked", "message"),
    [
        ("weighted", {"backend": "gpu"}, "mc64 runs on the cpu backend, not on gpu"),
        ("weighted", {"algorithm": "local-max"}, "there are auto, mc64, heavy-perfect"),
        (GRAPH, {"algorithm": "mc64"}, "there are auto, local-max"),
        (
            "weighted.graph",
            {"options": {"p": 0.5}},
            "there are ties of local-max, limit of local-max",
        ),
    ],
)
def test_no_plan(package, asked, message):
    session = ValuedSession(as_pattern([[1, 1], [0, 1]]), package, None)
    with pytest.raises(InvalidArgumentError, match=message):
        make_plan(session, Request(3, package=package, **asked), package)
