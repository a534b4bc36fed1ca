# SPDX-License-Identifier: BSD-3-Clause
"""One call of an algorithm for matchings in graphs: its arguments, its times and its result."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from btfperm.backends.protocol import STOPPED_BY
from btfperm.path.request import Request, check_options
from btfperm.registry import Algorithm
from btfperm.results.graph_matching import GraphMatching
from btfperm.weighted.graph_certificate import Bound, MatchingCheck

__all__ = ["Call", "Clock", "Run", "numbers_of", "result_of", "unit_of"]

_LARGEST_EXPONENT = 960  # fewer than 2^63 weights below 2^960 have a finite sum


class Call(NamedTuple):
    """One call of an algorithm: its row, its options as numbers, and the other arguments."""

    row: Algorithm
    options: Mapping[str, float]
    request: Request


def numbers_of(row: Algorithm, request: Request) -> dict[str, float]:
    """The options as the core takes them: a word is its place among the words of the option.

    Raises
    ------
    InvalidArgumentError : there is no such option, or its value is not possible
    """
    check_options(request.options, row)
    values = row.in_numbers(request.options_of(row))
    return {name: float(value) for name, value in values.items()}


def unit_of(largest: float) -> float:
    """A power of 2 by which the weights are divided. A quotient is rounded only if it is too small
    for a normal number. Without the division, sums of large weights may overflow, and half of a
    very small weight is not exact."""
    exponent = math.frexp(largest)[1]
    excess = max(exponent - _LARGEST_EXPONENT, 0) + min(exponent + _LARGEST_EXPONENT, 0)
    return 2.0**excess


class Run(NamedTuple):
    """What an algorithm returned, and the unit of its weights."""

    mate: Any
    stop: int
    rounds: int
    edges: int
    sorted: int
    unit: float


class Clock:
    """The seconds of each stage, which may have several parts."""

    def __init__(self, begin: float, first: str) -> None:
        self._begin = begin
        self.seconds: dict[str, float] = {}
        self.stop(first)

    def stop(self, stage: str) -> None:
        """Ends a part of a stage; the next one begins."""
        now = time.perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._begin
        self._begin = now


def result_of(
    row: Algorithm, run: Run, check: MatchingCheck, bound: Bound, seconds: dict[str, float]
) -> GraphMatching:
    """The result, in the unit of the caller."""
    dual = bound.dual
    if run.unit != 1.0:
        with np.errstate(over="ignore"):
            dual = dual * run.unit
    return GraphMatching(
        mate=run.mate,
        weight=check.weight * run.unit,
        size=check.size,
        edges=check.edges,
        rounds=run.rounds,
        edges_left=check.edges_left,
        matched_share=check.matched_share,
        maximal=check.maximal,
        locally_dominant=check.locally_dominant,
        upper_bound=bound.total * run.unit,
        dual=dual,
        algorithm=row.name,
        backend=row.backend,
        stopped_by=STOPPED_BY[run.stop],
        counters={"edges": run.edges, **({"sorted": run.sorted} if run.sorted else {})},
        seconds=seconds,
    )
