# SPDX-License-Identifier: BSD-3-Clause
"""MATCHINGS OF LARGE WEIGHT IN GRAPHS.

`match` finds a matching in a graph, which is a symmetric matrix whose values are the weights of
the edges:

1. The graph: the matrix is square and symmetric, its weights are positive and finite.
2. One of the algorithms in ``graph/``, in its own file.
3. The checks and the bound (``graph_certificate.py``), which share nothing with the algorithms.
"""

from __future__ import annotations

import functools
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from btfperm.arguments import one_of, text
from btfperm.backends import check_backend
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.path.plan import check_options
from btfperm.path.request import Request
from btfperm.pattern import SEARCH, Pattern, as_pattern, as_valued, memory_for
from btfperm.pattern.arrays import prefix
from btfperm.pattern.valued import ValuedPattern
from btfperm.registry import Algorithm, find
from btfperm.results.graph_matching import GraphMatching
from btfperm.weighted.graph_certificate import GUARANTEES, check_matching, find_bound

__all__ = ["Weights", "match", "read_graph"]

Weights = Literal["values", "moduli", "ones"]
Reals = npt.NDArray[np.float64]

_LARGEST_EXPONENT = 960  # of a weight; sums have fewer than 2^63 terms
_STOPS = {2: "time_limit", 3: "max_work"}
_FAULTS = {1: "no counterpart", 2: "other value", 3: "no weight"}


def match(
    G: Any,
    *,
    algorithm: str = "auto",
    backend: str = "auto",
    weights: Weights = "values",
    options: Mapping[str, float | str] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    max_work: int | None = None,
    shape: Sequence[int] | None = None,
) -> GraphMatching:
    """A matching of large weight in a graph, and a bound on the largest weight.

    Parameters
    ----------
    G : a symmetric matrix of any type that `as_valued` accepts, or the name of a file. Entry
        (u, v) and its counterpart (v, u) are the edge between the vertices u and v; the diagonal
        is ignored. Patterns and matrices of truth values have the weight 1 for each edge
    algorithm : "auto", which is "local-max", or a name from ``btfperm.algorithms("graph")``

        - "local-max", "greedy" and "gpa" find at least half of the largest weight; "gpa" usually
          finds the most
        - "hem", "random-greedy" and "red-blue" find a maximal matching
    backend : "auto" and "cpu": the CPU. "gpu": "local-max" and "red-blue" run on CuPy's current
        GPU. They use the same random numbers, so the matching is that of the CPU
    weights : where the weights come from

        - "values": the values, which must be positive
        - "moduli": the moduli of real or complex values; stored zeros are no edges
        - "ones": 1 for each edge, whatever the values
    options : numbers or words for the algorithm by name, as its row lists them, such as
        ``{"p": 0.5}``
    seed : of the algorithms that draw at random; the same seed gives the same matching
    threads : number of threads, at least 1; None: all cores that this process may use. The matching
        is the same for every number of threads
    time_limit, max_work : bounds on the algorithm in seconds and in visited edges. If one ends it,
        the result is a legal matching with `stopped_by`
    shape : (m, n), only with a (data, indices, indptr) triple

    Returns
    -------
    GraphMatching : the matching, checked, with its bound

    Raises
    ------
    InvalidMatrixError : the matrix is not square or not symmetric, or a weight is not positive or
        not finite; the message names the row and column
    InvalidArgumentError : there is no such algorithm or option
    DefectError : the matching failed its check; a defect of btfperm, please report it

    Notes
    -----
    O(n + m) for n vertices and m edges, expected for "local-max" and on most graphs for "red-blue".

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> G = np.array([[0, 4, 1], [4, 0, 5], [1, 5, 0]])
    >>> m = btfperm.match(G)
    >>> m.mate.tolist(), m.weight, m.maximal
    ([-1, 2, 1], 5.0, True)
    """
    name = "local-max" if text("algorithm", algorithm) == "auto" else algorithm
    check_backend(backend)
    wanted = "cpu" if backend == "auto" else backend
    row = find(name, initializer=False, backend=wanted, package="weighted", of_graphs=True)
    one_of("weights", weights, get_args(Weights))
    begin = time.perf_counter()
    with memory_for(SEARCH):
        pattern, weight = read_graph(G, weights, shape, threads)
        request = Request(
            pattern.nnz,
            threads=threads,
            seed=seed,
            options=options,
            time_limit=time_limit,
            max_work=max_work,
        )
        named = numbers_of(row, request)
        seconds = {"read": time.perf_counter() - begin}
        return _matched(pattern, weight, row, named, request, seconds)


def numbers_of(row: Algorithm, request: Request) -> dict[str, float]:
    """The options as the core takes them: a word is its place among the words of the option.

    Raises
    ------
    InvalidArgumentError : there is no such option, or its value is not possible
    """
    check_options(request.options, row)
    values = request.options_of(row)
    p = values.get("p", 0.5)
    assert isinstance(p, float)
    if not 2.0**-20 <= p <= 1 - 2.0**-20:
        raise InvalidArgumentError(f"the option p of {row.name} must be between 0 and 1, not {p}")
    words = {option.name: option.forms for option in row.options}
    return {
        name: float(words[name].index(value)) if isinstance(value, str) else float(value)
        for name, value in values.items()
    }


def read_graph(
    G: Any, weights: str, shape: Sequence[int] | None = None, threads: int | None = None
) -> tuple[Pattern, Reals]:
    """The pattern of the matrix and the weight of each entry, checked, on the host.

    Raises
    ------
    InvalidMatrixError : as for `match`
    """
    pattern, weight = _weighted_pattern(G, weights, shape, threads)
    m, n = pattern.shape
    name = prefix(pattern.name)
    if m != n:
        raise InvalidMatrixError(f"{name}a graph has a square matrix, not one of {m} x {n}")
    fault, i, j, value, other = _core_find_fault(pattern, weight)
    if not fault:
        return pattern, weight
    where = f"the entry in row {i}, column {j} (counted from 0)"
    if _FAULTS[fault] == "no weight":
        raise InvalidMatrixError(
            f"{name}{where} is {value:g}, and weights must be positive and finite: use "
            'weights="moduli" or "ones"'
        )
    if _FAULTS[fault] == "other value":
        raise InvalidMatrixError(
            f"{name}a graph has a symmetric matrix, but {where} is {value!r} and the one in row "
            f"{j}, column {i} is {other!r}"
        )
    raise InvalidMatrixError(
        f"{name}a graph has a symmetric matrix, but {where} has no counterpart in row {j}, column "
        f"{i}"
    )


def _core_find_fault(pattern: Pattern, weight: Reals) -> tuple[int, int, int, float, float]:
    from btfperm import _core

    found: tuple[int, int, int, float, float] = _core.weighted.find_fault(
        pattern.indptr, pattern.indices, weight
    )
    return found


def _weighted_pattern(
    G: Any, weights: str, shape: Sequence[int] | None, threads: int | None
) -> tuple[Pattern, Reals]:
    if isinstance(G, str | os.PathLike) and weights != "ones":
        from btfperm.io import values_or_ones

        G = values_or_ones(G, weights == "moduli")
    if weights == "ones" or _has_no_values(G):
        pattern = as_pattern(G, shape=shape, threads=threads).on_host()
        return pattern, np.ones(pattern.nnz)
    valued = as_valued(G, shape=shape, drop_zeros=weights == "moduli", threads=threads).on_host()
    return valued.pattern, _weight_of(valued, weights)


def _has_no_values(G: Any) -> bool:
    """Whether it is a pattern, or its values are truth values."""
    if isinstance(G, tuple):
        return len(G) == 3 and G[0] is None
    kind = getattr(getattr(G, "dtype", None), "kind", None)
    return isinstance(G, Pattern) or kind == "b"


def _weight_of(valued: ValuedPattern, weights: str) -> Reals:
    if weights == "moduli":
        with np.errstate(over="ignore"):
            # abs() of the smallest integer of a type is negative
            number = np.float64 if valued.field == "integer" else valued.values.dtype
            modulus: Reals = np.abs(valued.values.astype(number)).astype(np.float64, copy=False)
        return modulus
    if valued.field == "complex":
        raise InvalidMatrixError(
            f"{prefix(valued.pattern.name)}complex values are no weights: use "
            'weights="moduli" or "ones"'
        )
    weight: Reals = valued.values.astype(np.float64, copy=False)
    return weight


def _unit_of(weight: Reals) -> float:
    """A power of 2, which divides exactly: sums of large weights may overflow, and halves of the
    smallest numbers are not exact."""
    largest = float(weight.max(initial=0.0, where=np.isfinite(weight)))
    exponent = math.frexp(largest)[1]
    excess = max(exponent - _LARGEST_EXPONENT, 0) + min(exponent + _LARGEST_EXPONENT, 0)
    return 2.0**excess


def _function_of(row: Algorithm) -> Callable[..., tuple[int, int, int, int]]:
    """The algorithm with the signature of the core."""
    if row.backend == "cpu":
        return row.load()
    from btfperm.weighted.match_gpu import run_on_gpu

    return functools.partial(run_on_gpu, row)


def _matched(
    pattern: Pattern,
    weight: Reals,
    row: Algorithm,
    named: Mapping[str, float],
    request: Request,
    seconds: dict[str, float],
) -> GraphMatching:
    """The matching by one algorithm, its checks and its bound."""
    begin = time.perf_counter()
    unit = _unit_of(weight)
    if unit != 1.0:
        weight = np.maximum(weight / unit, np.nextafter(0, 1))
    n = pattern.n
    mate, round_of = (np.empty(n, pattern.indices.dtype) for _ in range(2))
    own_dual = np.empty(n)
    stop, rounds, visited, in_order = _function_of(row)(
        pattern.indptr,
        pattern.indices,
        weight,
        mate,
        round_of,
        own_dual,
        time_limit=request.seconds_left(),
        max_work=request.work or 0,
        threads=request.threads,
        seed=request.seed,
        options=dict(named),
    )
    seconds["match"] = time.perf_counter() - begin
    guarantee = None if stop else GUARANTEES.get(row.name)
    check = check_matching(pattern, weight, mate, round_of, rounds, guarantee)
    bound = find_bound(pattern, weight, mate, check, own_dual, guarantee)
    seconds["check"] = time.perf_counter() - begin - seconds["match"]
    with np.errstate(over="ignore"):
        dual = bound.dual * unit
    return GraphMatching(
        mate=mate,
        weight=check.weight * unit,
        size=check.size,
        edges=check.edges,
        rounds=rounds,
        edges_left=check.edges_left,
        matched_share=check.matched_share,
        maximal=check.maximal,
        locally_dominant=check.locally_dominant,
        upper_bound=bound.total * unit,
        dual=dual,
        algorithm=row.name,
        stopped_by=_STOPS.get(stop),
        counters={"edges": visited, **({"sorted": in_order} if in_order else {})},
        seconds=seconds,
    )
