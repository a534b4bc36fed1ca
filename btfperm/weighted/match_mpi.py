# SPDX-License-Identifier: BSD-3-Clause
"""`match` over MPI ranks: the check of the graph, the search, the checks of the result, the bound.

Each rank owns consecutive vertices and their lists. The checks are those of
``graph_certificate.py``. The duals are half of the largest weight at each vertex or, if the
matching is locally dominant, the weights of the matched edges, whichever have the smaller sum. Then
each rank lowers duals of its vertices, except of those that have neighbours both on lower and on
higher ranks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.mpi.halo import Halo
from btfperm.backends.protocol import ValuedSession
from btfperm.errors import DefectError, InvalidArgumentError, InvalidMatrixError
from btfperm.path.request import Request
from btfperm.path.run import carry_out
from btfperm.pattern import as_pattern
from btfperm.pattern.arrays import index_type, prefix
from btfperm.pattern.distributed_values import as_distributed_values, lists_with_values
from btfperm.pattern.input import is_over_ranks
from btfperm.registry import find
from btfperm.results.distributed import DistributedGraphMatching
from btfperm.weighted.graph_call import PACKAGE, OfVertices, fields_of, scaled, unit_of
from btfperm.weighted.graph_certificate import (
    Bound,
    Facts,
    MatchingCheck,
    bounded,
    judge,
    judge_duals,
)
from btfperm.weighted.graph_faults import refuse_fault, refuse_rectangles
from btfperm.weighted.graph_input import has_no_values

if TYPE_CHECKING:
    from btfperm.pattern.distributed import DistributedPattern

__all__ = ["DistributedGraph", "certify", "match_over_ranks"]

_NO_COUNTERPART, _OTHER_VALUE, _NO_WEIGHT = 1, 2, 3  # the faults of graph_certificate.hpp

Reals = npt.NDArray[np.float64]


def match_over_ranks(
    G: Any,
    comm: Any,
    *,
    algorithm: str,
    backend: str,
    weights: str,
    bipartite: bool,
    shape: Sequence[int] | None,
    **how: Any,
) -> DistributedGraphMatching:
    """See `match`. Collective."""
    begin = time.perf_counter()
    if backend not in ("auto", "mpi"):
        raise InvalidArgumentError(
            f"a graph over MPI ranks is matched by the backend 'mpi' or 'auto', not {backend!r}"
        )
    if algorithm != "auto":  # refuses an unknown one before the graph is read
        find(algorithm, initializer=False, backend="mpi", package=PACKAGE)
    pattern = _weighted(G, comm, shape, weights)
    if bipartite:
        pattern = _between_sides(pattern)
    request = Request(algorithm, backend="mpi", **how)
    run = carry_out(ValuedSession(pattern, PACKAGE, pattern.values), request, PACKAGE)
    found = fields_of(run, run.begun - begin)
    found["counters"] |= pattern.exchange.transferred()
    slices = pattern.col_slices
    return DistributedGraphMatching(
        **found,
        n_vertices=pattern.n,
        vertices=range(slices.first, slices.last),
        exchange=pattern.exchange,
    )


class DistributedGraph(OfVertices):
    """The vertices of this rank, their lists and the current matching. Collective.

    Attributes
    ----------
    pattern : the matrix
    unit : see `unit_of`
    lists : `_core.weighted.OwnedGraph32` or ``64``, with the weights in this unit
    halo : the local numbers of the vertices of this rank and of their ghosts (neighbours on other
        ranks)
    numbers : ``numbers[k]`` is the number in the whole graph of the local vertex k
    mate, round_of, rounds : see `GraphProblem`; `mate` and `round_of` are of the vertices of this
        rank

    Raises
    ------
    InvalidMatrixError : the matrix is not square or not symmetric, or a weight is not positive and
        finite
    """

    is_distributed = True
    device = None

    def __init__(self, session: ValuedSession, threads: int) -> None:
        pattern: Any = session.pattern
        values = _checked_weights(pattern)
        self.pattern, self.exchange, slices = pattern, pattern.exchange, pattern.col_slices
        self.unit = unit_of(self.exchange.largest_real(_largest(pattern, values)))
        if self.unit != 1.0:
            values = scaled(values, self.unit)
        lists = pattern.columns
        self.halo = Halo(self.exchange, slices, lists.items.copy())
        self.numbers = self.halo.numbers()
        short = pattern.width is np.int32
        kind = _core.weighted.OwnedGraph32 if short else _core.weighted.OwnedGraph64
        self.lists: Any = kind(slices.size, lists.indptr, self.halo.items, values, self.numbers)
        self.mate = np.full(slices.size, -1, dtype=pattern.width)
        self.round_of = np.zeros(slices.size, dtype=pattern.width)
        self.rounds = 0


def certify(
    problem: DistributedGraph, view: DistributedGraph, stopped_by: str | None, *_: Any
) -> tuple[Any, Any, MatchingCheck, Bound]:
    """The same as `certify` of ``graph_certificate.py``, for local-max. Collective."""
    check = _checked(problem, dominant=stopped_by is None)
    bound = _bound(problem, check)
    return bound.dual, bound.dual, check, bound


def _weighted(G: Any, comm: Any, shape: Sequence[int] | None, weights: str) -> DistributedPattern:
    """The pattern of the graph with weights as its `values`, unchecked."""
    held_over_ranks = is_over_ranks(G, None)
    has_values = G.values is not None if held_over_ranks else not has_no_values(G)
    if weights == "ones" or not has_values:
        pattern: Any = as_pattern(G, shape=shape, comm=comm)
        return pattern._with(values=np.ones(pattern.indices.size))  # type: ignore[no-any-return]
    weighted = as_distributed_values(G, comm, shape, "")  # gives ones for a file without values
    values = weighted.values
    assert values is not None
    if weights == "moduli":
        with np.errstate(over="ignore", invalid="ignore"):
            moduli: Reals = np.abs(values)
        is_zero = moduli == 0
        weighted = weighted._with(values=moduli)
        has_zeros = weighted.exchange.sums(int(np.count_nonzero(is_zero)))[0]
        return weighted.selected(~is_zero) if has_zeros else weighted
    if values.dtype.kind == "c":
        raise InvalidMatrixError(
            f'{prefix(weighted.name)}complex values are no weights: use weights="moduli" or "ones"'
        )
    return weighted


def _between_sides(pattern: DistributedPattern) -> DistributedPattern:
    """The bipartite graph of a matrix, as by `between_sides` of ``bipartite.py``. Collective.

    Raises
    ------
    InvalidMatrixError : a weight is not positive and finite
    """
    values, (m, n) = pattern.values, pattern.shape
    assert values is not None
    width = index_type((m + n, m + n), 0)
    rows = pattern.indices.astype(width)
    cols = pattern.columns.list_of_each(width) + width(pattern.col_slices.first)
    wrong = ~((values > 0) & np.isfinite(values))
    _refuse_at(pattern, wrong, _NO_WEIGHT, rows, cols, values, values)
    ends = [rows, cols + width(m)]
    return pattern.of_parts(
        pattern.exchange, ends, (m + n, m + n), True, pattern.name, values=values
    )


def _largest(pattern: DistributedPattern, values: Reals) -> float:
    cols = pattern.columns.list_of_each(np.int64) + pattern.col_slices.first
    return float(values.max(initial=0.0, where=pattern.indices != cols))


def _checked_weights(pattern: DistributedPattern) -> Reals:
    """The weights. Collective.

    Raises
    ------
    InvalidMatrixError : the matrix is not square or not symmetric, or a weight is not positive and
        finite
    """
    refuse_rectangles(pattern)
    exchange, slices, values = pattern.exchange, pattern.col_slices, pattern.values
    assert values is not None
    cols = pattern.columns.list_of_each(np.int64) + slices.first
    rows = pattern.indices
    lists, turned = lists_with_values(
        exchange, slices, rows, cols.astype(pattern.width), values
    )  # the rows of the vertices of this rank
    is_same = np.array_equal(lists.indptr, pattern.indptr) and np.array_equal(lists.items, rows)
    fault = np.zeros(rows.size, dtype=np.int8)
    ours = theirs = np.empty(0, dtype=np.int64)
    if not is_same:
        row_numbers = lists.list_of_each(np.int64) + slices.first
        ours, theirs = cols * pattern.n + rows, row_numbers * pattern.n + lists.items
        found = np.append(theirs, -1)[np.searchsorted(theirs, ours)] == ours
        fault[~found] = _NO_COUNTERPART
        turned = np.append(turned, np.nan)[np.searchsorted(theirs, ours)]
    elsewhere = (fault == 0) & (rows != cols)
    fault[elsewhere & (values != turned)] = _OTHER_VALUE
    fault[elsewhere & ~((values > 0) & np.isfinite(values))] = _NO_WEIGHT
    if exchange.sums(int(fault.any()))[0]:
        _refuse_first(pattern, fault, cols, theirs, turned)
    return values


def _refuse_first(
    pattern: DistributedPattern,
    fault: npt.NDArray[np.int8],
    cols: npt.NDArray[np.int64],
    row_keys: npt.NDArray[np.int64],
    turned: Reals,
) -> None:
    """Raises the error about the faulty entry that `find_fault` of ``graph_certificate.hpp`` finds
    first. It visits the entries column by column. It notices an entry (r, i) above the diagonal
    without a counterpart when it visits the next entry (i, j), r < j < i, of row i, or otherwise
    (r, i) itself. `row_keys`: row * n + column of the entries in the rows of this rank, ascending;
    used only for entries without counterparts."""
    exchange, n = pattern.exchange, pattern.n
    assert pattern.values is not None
    places = np.flatnonzero(fault)
    i, j = pattern.indices[places].astype(np.int64), cols[places]
    visits = np.stack((j, i, np.ones_like(i), i), axis=1)
    above = np.flatnonzero((fault[places] == _NO_COUNTERPART) & (i < j))
    after = np.searchsorted(row_keys, j[above] * n + i[above], side="right")
    following = np.append(row_keys, n * n)[after]  # the next entry of the row
    early = following < j[above] * (n + 1)  # in the same row, left of the diagonal
    visits[above[early], :3] = np.stack((following % n, j[above], np.zeros_like(above)), axis=1)[
        early
    ]
    first = np.lexsort(visits.T[::-1])[:1]
    own = visits[first[0]].tolist() if first.size else [n, n, 1, n]
    of_ranks = exchange.from_all(*own).tolist()
    if of_ranks.index(min(of_ranks)) == exchange.rank:
        p = int(places[first[0]])
        value, other = float(pattern.values[p]), float(turned[p])
        refuse_fault(pattern, int(fault[p]), int(pattern.indices[p]), int(cols[p]), value, other)
    exchange.barrier()  # so that the failure reaches the other ranks before they continue


def _refuse_at(
    pattern: DistributedPattern,
    wrong: npt.NDArray[np.bool_],
    fault: int,
    rows: Any,
    cols: Any,
    values: Reals,
    others: Reals,
) -> None:
    """Raises the error about the first wrong entry, on the first rank that has one."""
    exchange = pattern.exchange
    has_wrong = exchange.from_all(int(wrong.any()))[:, 0]
    if not has_wrong.any():
        return
    if int(has_wrong.argmax()) == exchange.rank:
        p = int(wrong.argmax())
        refuse_fault(pattern, fault, int(rows[p]), int(cols[p]), float(values[p]), float(others[p]))
    exchange.barrier()  # so that the failure reaches the other ranks before they continue


def _checked(graph: DistributedGraph, *, dominant: bool) -> MatchingCheck:
    """The checks of ``graph_certificate.py``, with sums over the ranks. Collective."""
    exchange, halo, pattern = graph.exchange, graph.halo, graph.pattern
    mate, round_of, rounds = graph.mate, graph.round_of, graph.rounds
    slices = halo.slices
    matched = np.flatnonzero(mate >= 0)
    got = exchange.route(slices, mate[matched], matched + slices.first, kind=mate.dtype).items
    agreed = mate[got[:, 0] - slices.first] == got[:, 1]
    removed = np.zeros(rounds + 1, dtype=np.int64)
    wrong, weight, edges, free_at, heavy_at = graph.lists.check(
        mate, halo.extended(graph.lists.mate_weights(mate)), halo.extended(round_of), removed
    )
    has_wrong, size, edges, has_free, has_heavy = exchange.sums(
        int(wrong >= 0 or not agreed.all()),
        matched.size,
        edges,
        int(free_at >= 0),
        int(heavy_at >= 0),
    )
    if has_wrong:
        raise DefectError(
            "a vertex is matched to one that is no neighbour or has another mate; please report "
            "this"
        )
    if dominant and (has_free or has_heavy):
        what = "maximal" if has_free else "locally dominant"
        raise DefectError(f"the matching is not {what}; please report this")
    total = float(exchange.reals_from_all(weight)[:, 0].sum()) / 2
    counts = np.bincount(np.clip(round_of[matched], 1, max(rounds, 1)), minlength=rounds + 1)
    in_round = exchange.sum_arrays(counts[: rounds + 1].astype(np.int64))[1:]
    places = -1 if not has_free else 0, -1 if not has_heavy else 0
    facts = Facts(-1, size // 2, total, edges, *places, in_round, exchange.sum_arrays(removed)[1:])
    check = judge(pattern, mate, facts, None)
    return check._replace(matched_share=np.cumsum(in_round) / max(pattern.n, 1))


def _bound(graph: DistributedGraph, check: MatchingCheck) -> Bound:
    """The duals of the vertices of this rank, checked, and their sum over all ranks. Collective."""
    halo, exchange = graph.halo, graph.halo.exchange
    duals = [graph.lists.half_weights()]
    if check.locally_dominant:
        duals.append(graph.lists.mate_weights(graph.mate))
    sums = exchange.reals_from_all(*(float(dual.sum()) for dual in duals)).sum(axis=0)
    dual = halo.extended(duals[int(sums.argmin())])
    for upper in (True, False):
        graph.lists.lower_duals(upper, dual)
        dual[halo.own :] = halo.update(dual[: halo.own])
    own = dual[: halo.own].copy()
    parts = exchange.reals_from_all(
        graph.lists.largest_excess(dual),
        float(own.sum()),
        float(own.max(initial=0.0)),
        float((own < 0).any()),
        own.size,
    )
    excess, largest = float(parts[:, 0].max()), float(parts[:, 2].max())
    n, negative = int(parts[:, 4].sum()), bool(parts[:, 3].any())
    total = judge_duals(float(parts[:, 1].sum()), excess, n, largest, negative, "the bound")
    return bounded(own, total, check)
