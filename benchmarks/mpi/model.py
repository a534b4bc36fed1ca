# SPDX-License-Identifier: BSD-3-Clause
"""A model of the messages and of the seconds of a call over ranks, fitted to measured counters.

For one matrix on P ranks:

    operations = a + b * log2(P)        exchanges and collectives
    bytes      = c * (1 - 1 / P)        what all ranks send together

A random item has another owner with the probability 1 - 1 / P, and paths change their owner more
often on more ranks. For all matrices together:

    seconds = work * entries / P + latency * operations * log2(P) + transfer * bytes / P

`work` is the time of one entry on one rank. All coefficients are those of least squares of the
relative errors, none below zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["fit", "fit_counts", "predict", "predict_counts", "terms"]

Row = Mapping[str, Any]
Counts = Mapping[str, list[float]]


def terms(row: Row, ranks: int) -> tuple[float, float, float]:
    """What the coefficients of the seconds are multiplied by.

    >>> terms({"entries": 8, "exchanges": 3, "collectives": 1, "bytes_sent": 6}, 2)
    (4.0, 4.0, 3.0)
    """
    operations = row["exchanges"] + row["collectives"]
    return row["entries"] / ranks, operations * math.log2(ranks), row["bytes_sent"] / ranks


def fit(rows: Sequence[Row]) -> npt.NDArray[np.float64]:
    """The coefficients of the seconds for rows with `ranks` and `seconds`."""
    return _least_squares(
        [terms(row, row["ranks"]) for row in rows], [row["seconds"] for row in rows]
    )


def predict(coefficients: npt.NDArray[np.float64], row: Row, ranks: int) -> float:
    """Seconds on a number of ranks, with the counters of `row`."""
    return float(np.dot(coefficients, terms(row, ranks)))


def fit_counts(rows: Sequence[Row]) -> dict[str, list[float]]:
    """The coefficients of the messages of one matrix, from two or more numbers of ranks."""
    logs = [(1.0, math.log2(row["ranks"])) for row in rows]
    operations = [row["exchanges"] + row["collectives"] for row in rows]
    shares = [(1.0 - 1.0 / row["ranks"],) for row in rows]
    volume = [row["bytes_sent"] for row in rows]
    return {
        "operations": _least_squares(logs, operations).tolist(),
        "bytes": _least_squares(shares, volume).tolist(),
    }


def predict_counts(fitted: Counts, entries: int, ranks: int) -> dict[str, float]:
    """The counters of a matrix on a number of ranks, for `predict`.

    >>> predict_counts({"operations": [10.0, 5.0], "bytes": [100.0]}, 7, 4)
    {'entries': 7, 'exchanges': 20.0, 'collectives': 0, 'bytes_sent': 75.0}
    """
    first, growth = fitted["operations"]
    return {
        "entries": entries,
        "exchanges": first + growth * math.log2(ranks),
        "collectives": 0,
        "bytes_sent": fitted["bytes"][0] * (1.0 - 1.0 / ranks),
    }


def _least_squares(
    factors: Sequence[Sequence[float]], values: Sequence[float]
) -> npt.NDArray[np.float64]:
    from scipy.optimize import nnls

    right = np.maximum(np.array(values, dtype=np.float64), 1e-300)
    matrix = np.array(factors, dtype=np.float64) / right[:, None]
    scale = np.maximum(np.abs(matrix).max(axis=0), 1e-300)
    found: npt.NDArray[np.float64] = nnls(matrix / scale, np.ones(right.size))[0] / scale
    return found
