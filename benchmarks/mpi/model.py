# SPDX-License-Identifier: BSD-3-Clause
"""A model of the seconds of a call over ranks, fitted to measured counters.

seconds = work * entries / P + latency * operations * log2(P) + transfer * bytes / P

`work` is the time of one entry on one rank, `operations` the exchanges and collectives, and `bytes`
what all ranks send together. The three coefficients are those of least squares of the relative
errors, none below zero. The prediction for other numbers of ranks takes the operations and bytes of
the largest number of ranks that was measured: both hardly depend on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["fit", "predict", "terms"]

Row = Mapping[str, Any]


def terms(row: Row, ranks: int) -> tuple[float, float, float]:
    """What the coefficients are multiplied by.

    >>> terms({"entries": 8, "exchanges": 3, "collectives": 1, "bytes_sent": 6}, 2)
    (4.0, 4.0, 3.0)
    """
    operations = row["exchanges"] + row["collectives"]
    return row["entries"] / ranks, operations * math.log2(ranks), row["bytes_sent"] / ranks


def fit(rows: Sequence[Row]) -> npt.NDArray[np.float64]:
    """The coefficients for rows with `ranks` and `seconds`."""
    from scipy.optimize import nnls

    seconds = np.array([row["seconds"] for row in rows])
    matrix = np.array([terms(row, row["ranks"]) for row in rows]) / seconds[:, None]
    scale = np.maximum(np.abs(matrix).max(axis=0), 1e-300)
    found: npt.NDArray[np.float64] = nnls(matrix / scale, np.ones(len(rows)))[0] / scale
    return found


def predict(coefficients: npt.NDArray[np.float64], row: Row, ranks: int) -> float:
    """Seconds on a number of ranks, with the counters of `row`."""
    return float(np.dot(coefficients, terms(row, ranks)))
