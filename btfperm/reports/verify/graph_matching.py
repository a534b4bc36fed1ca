# SPDX-License-Identifier: BSD-3-Clause
"""Is this file right for this graph? It holds a matching, and duals that prove a bound on the
weight of every matching. Plain NumPy, sharing nothing with the algorithms.

The weight of every matching is at most the sum of numbers dual[v] >= 0 with dual[u] + dual[v] at
least the weight of each edge {u, v}, because a matching has at most one edge at each vertex.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.pattern import Pattern
from btfperm.reports.verify.subject import Violation, named, wrong

__all__ = ["GraphVerdict", "verify_graph_matching"]

_ROUNDING = 1e-9  # relative error that rounding may cause


@dataclass(frozen=True)
class GraphVerdict:
    """What `verify_graph_matching` found.

    Attributes
    ----------
    violations : empty if the file is right
    passed, skipped : names of the checks that held, and of those that were not made, because the
        file has not what they need, or a check before failed
    weight, size : of the matching; None if it is none
    maximal : whether no edge joins two unmatched vertices
    locally_dominant : whether each edge shares an end with a matched edge that is at least as heavy
    """

    violations: tuple[Violation, ...]
    passed: tuple[str, ...]
    skipped: tuple[str, ...]
    weight: float | None = None
    size: int | None = None
    maximal: bool | None = None
    locally_dominant: bool | None = None

    @property
    def ok(self) -> bool:
        return not self.violations


def verify_graph_matching(
    pattern: Pattern, weight: npt.NDArray[np.float64], fields: Mapping[str, Any]
) -> GraphVerdict:
    """Verifies the arrays of a file against a graph.

    Parameters
    ----------
    pattern, weight : the symmetric matrix of the graph, and the weight of each entry; the diagonal
        is ignored
    fields : `mate`, and `weight`, `dual` and `upper_bound` if the file has them; may be wrong in
        any way

    O(n + nnz).

    >>> import numpy as np
    >>> from btfperm.pattern import as_pattern
    >>> path = as_pattern(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> found = verify_graph_matching(path, np.ones(4), {"mate": np.array([1, 0, -1])})
    >>> found.ok, found.weight, found.maximal
    (True, 1.0, True)
    >>> found = verify_graph_matching(path, np.ones(4), {"mate": np.array([2, -1, 0])})
    >>> found.violations[0].text
    'vertex 0 is matched to vertex 2, but no edge joins them'
    """
    v = np.repeat(np.arange(pattern.n), np.diff(pattern.indptr))
    upper = pattern.indices < v
    u, v, weight = np.asarray(pattern.indices, np.int64)[upper], v[upper], weight[upper]
    violations = list(_check_arrays(pattern.n, fields))
    if violations:
        return GraphVerdict(tuple(violations), (), ("matching", "weight", "bound"))
    mate = np.asarray(fields["mate"]).astype(np.int64)
    violations = list(_check_matching(mate, u, v))
    if violations:
        return GraphVerdict(tuple(violations), ("arrays",), ("weight", "bound"))
    inside = mate[u] == v
    with np.errstate(over="ignore"):
        total = float(weight[inside].sum())
    found = {
        "weight": list(_check_weight(total, fields)) if "weight" in fields else None,
        "bound": list(_check_bound(total, u, v, weight, fields))
        if fields.keys() >= {"dual", "upper_bound"}
        else None,
    }
    at = np.zeros(pattern.n)
    at[u[inside]] = at[v[inside]] = weight[inside]
    return GraphVerdict(
        tuple(violation for each in found.values() for violation in each or ()),
        ("arrays", "matching", *(name for name, each in found.items() if each == [])),
        tuple(name for name, each in found.items() if each is None),
        total,
        int(inside.sum()),
        bool(((mate[u] >= 0) | (mate[v] >= 0)).all()),
        bool((weight <= np.maximum(at[u], at[v])).all()),
    )


def _check_arrays(n: int, fields: Mapping[str, Any]) -> Iterator[Violation]:
    """`mate` holds n integers, `dual` n real numbers, and the others are real numbers."""
    for key, kinds, shape in (
        ("mate", "iu", (n,)),
        ("dual", "f", (n,)),
        ("weight", "f", ()),
        ("upper_bound", "f", ()),
    ):
        if key not in fields:
            continue
        array = np.asarray(fields[key])
        if array.dtype.kind not in kinds:
            what = "integers" if kinds == "iu" else "real numbers"
            yield wrong("arrays", f"{key} holds {array.dtype}, not {what}")
        elif array.shape != shape:
            yield wrong("arrays", f"{key} has the shape {array.shape} instead of {shape}")


def _check_matching(
    mate: npt.NDArray[np.int64], u: npt.NDArray[np.int64], v: npt.NDArray[np.int64]
) -> Iterator[Violation]:
    """Each vertex is the mate of its mate, and an edge joins them."""
    n = mate.size
    outside = np.flatnonzero((mate < -1) | (mate >= n))
    if outside.size:
        text = f"mate leaves the range -1..{n - 1} at {named('place', outside)}"
        yield wrong("matching", text)
        return
    matched = np.flatnonzero(mate >= 0)
    for x in matched[mate[mate[matched]] != matched][:1]:
        y = mate[x]
        yield wrong("matching", f"the mate of {x} is {y}, but the mate of {y} is {mate[y]}")
        return
    joined = np.zeros(n, bool)
    inside = mate[u] == v
    joined[u[inside]] = joined[v[inside]] = True
    for x in matched[~joined[matched]][:1]:
        text = f"vertex {x} is matched to vertex {mate[x]}, but no edge joins them"
        yield wrong("matching", text)


def _check_weight(total: float, fields: Mapping[str, Any]) -> Iterator[Violation]:
    stated = float(fields["weight"])
    if not abs(stated - total) <= _ROUNDING * total:
        yield wrong("weight", f"weight is {stated:.12g}, but the matched edges have {total:.12g}")


def _check_bound(
    total: float,
    u: npt.NDArray[np.int64],
    v: npt.NDArray[np.int64],
    weight: npt.NDArray[np.float64],
    fields: Mapping[str, Any],
) -> Iterator[Violation]:
    """The duals are feasible, and no more in sum than the bound. An infinite bound states
    nothing."""
    dual, bound = np.asarray(fields["dual"], float), float(fields["upper_bound"])
    if not bound >= total * (1 - _ROUNDING):
        yield wrong("bound", f"upper_bound is {bound:.12g}, less than the weight {total:.12g}")
    if bound == np.inf:
        return
    if not (dual >= 0).all():
        where = named("place", np.flatnonzero(~(dual >= 0)))
        yield wrong("bound", f"dual is negative or no number at {where}")
    rounding = _ROUNDING * weight.max(initial=0.0)
    light = np.flatnonzero(~(dual[u] + dual[v] >= weight - rounding))
    for k in light[:1]:
        yield wrong(
            "bound",
            f"the duals of the vertices {u[k]} and {v[k]} are less than the weight of their edge",
        )
    if not float(dual.sum()) <= bound * (1 + _ROUNDING):
        text = f"upper_bound is {bound:.12g}, less than the sum of the duals"
        yield wrong("bound", text)
