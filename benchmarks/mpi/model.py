# SPDX-License-Identifier: BSD-3-Clause
"""A model of the messages and of the seconds of a call over ranks, fitted to measured counters.

The layout of a matrix on P ranks is computed, for any P: the number of entries of the rank that has
the most, and the number of ghosts of all ranks (``btfperm/backends/mpi/halo.py``). The operations
are the exchanges and the collectives. The counters of one matrix are:

    operations = a + b * log2(P)
    bytes      = c * ghosts + d * (m + n) * (1 - 1 / P)
    messages   = e * exchanges * P * (P - 1)        at most one for each 8 bytes

A search sends the ghosts that change, and a permutation sends each row and column to a random rank.
Part of the operations are all-to-alls, in which each pair of ranks exchanges a small message:

    all-to-alls    = f * operations
    bytes of these = all-to-alls * P * (P - 1) * (8 + g * lines)

Here `lines` is the number of lines of the exchanged lists that fit into such a message, and g is
between 0 and 24. The seconds have the same coefficients for all matrices:

    seconds = share * (work * entries of the largest rank + search * visited entries / P
              + latency * operations * log2(P) + overhead * all messages / P
              + transfer * all bytes / P)

*All* messages and bytes include those with lists and those of the all-to-alls. An MPI library may
combine messages of an all-to-all into fewer and longer messages, so the number is an upper bound.

`share` is the number of ranks that share a core, at least 1. The coefficients are nonnegative and
minimize the sum of the squares of the relative errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.mpi.exchange import _INLINE
from btfperm.backends.mpi.slices import Slices, bucket_width, weighted_slices

__all__ = [
    "TERMS",
    "all_bytes",
    "all_messages",
    "fit",
    "fit_counts",
    "layout",
    "predict_counts",
    "seconds_of_terms",
]

Row = Mapping[str, Any]
Counts = Mapping[str, list[float]]

TERMS = ("work", "search", "latency", "overhead", "transfer")


def layout(A: Any, ranks: int) -> dict[str, int]:
    """The layout of a sparse matrix in compressed columns: the number of entries of the rank that
    has the most, and the number of ghosts of all ranks.

    >>> import scipy.sparse
    >>> layout(scipy.sparse.csc_array([[1, 1], [0, 1]]), 2)
    {'largest': 2, 'ghosts': 1}
    """
    m, n = A.shape
    lengths = np.diff(A.indptr)
    rows = _ranges(np.bincount(A.indices, minlength=m), ranks)
    cols = _ranges(lengths, ranks)
    owner = np.repeat(cols.owners(np.arange(n)), lengths).astype(np.int64)
    is_foreign = rows.owners(A.indices) != owner
    ghosts = np.unique(owner[is_foreign] * m + A.indices[is_foreign])
    largest = int(np.bincount(owner, minlength=1).max(initial=0))
    return {"largest": largest, "ghosts": int(ghosts.size)}


def _ranges(lengths: npt.NDArray[Any], ranks: int) -> Slices:
    """The ranges of columns or rows of the ranks, as `DistributedPattern` chooses them."""
    width = bucket_width(lengths.size, ranks)
    sums = np.add.reduceat(lengths, np.arange(0, lengths.size, width)) if lengths.size else lengths
    return weighted_slices(lengths.size, sums.astype(np.int64), ranks, 0)


def fit_counts(rows: Sequence[Row]) -> dict[str, list[float]]:
    """The coefficients of the counters of one matrix, from its results on several numbers of
    ranks."""
    operations = [row["operations"] for row in rows]
    pairs = [(row["exchanges"] * row["ranks"] * (row["ranks"] - 1.0),) for row in rows]
    return {
        "operations": _least_squares([(1.0, math.log2(r["ranks"])) for r in rows], operations),
        "bytes": _least_squares([_volumes(row) for row in rows], [r["bytes_sent"] for r in rows]),
        "messages": _least_squares(pairs, [row["messages"] for row in rows]),
        "exchanges": [sum(row["exchanges"] for row in rows) / max(sum(operations), 1)],
        "all_to_alls": [sum(row["all_to_alls"] for row in rows) / max(sum(operations), 1)],
        "all_to_all_bytes": _least_squares(
            [(_pairs(row) * _lines(row),) for row in rows],
            [row["all_to_all_bytes"] - 8 * _pairs(row) for row in rows],
        ),
        "visited": [float(max(rows, key=lambda row: int(row["ranks"]))["visited"])],
    }


def predict_counts(fitted: Counts, row: Row) -> dict[str, Any]:
    """`row` with predicted counters added. It has the layout of a matrix on a number of ranks.

    >>> fitted = {"operations": [8.0, 5.0], "bytes": [2.0, 0.0], "messages": [0.5],
    ...           "exchanges": [0.5], "visited": [3.0], "all_to_alls": [0.5],
    ...           "all_to_all_bytes": [0.25]}
    >>> found = predict_counts(fitted, {"ranks": 4, "ghosts": 30, "rows": 9, "cols": 9})
    >>> found["operations"], found["bytes_sent"], found["messages"]
    (18.0, 60.0, 7.5)
    >>> found["all_to_alls"], found["all_to_all_bytes"], all_messages(found)
    (9.0, 2592.0, 115.5)
    """
    ranks = row["ranks"]
    operations = float(np.dot(fitted["operations"], (1.0, math.log2(ranks))))
    volume = float(np.dot(fitted["bytes"], _volumes(row)))
    pairs = operations * fitted["exchanges"][0] * ranks * (ranks - 1)
    found = dict(row) | {
        "operations": operations,
        "bytes_sent": volume,
        "messages": min(fitted["messages"][0] * pairs, volume / 8),
        "visited": fitted["visited"][0],
        "all_to_alls": operations * fitted["all_to_alls"][0],
    }
    size = 8 + fitted["all_to_all_bytes"][0] * _lines(row)
    return found | {"all_to_all_bytes": _pairs(found) * size}


def all_messages(row: Row) -> float:
    """The number of messages with lists and in all-to-alls."""
    return float(row["messages"] + _pairs(row))


def all_bytes(row: Row) -> float:
    """The bytes of all messages, see `all_messages`."""
    return float(row["bytes_sent"] + row["all_to_all_bytes"])


def _pairs(row: Row) -> float:
    """The number of messages in the all-to-alls of all ranks."""
    return float(row["all_to_alls"] * row["ranks"] * (row["ranks"] - 1))


def _lines(row: Row) -> int:
    return max(_INLINE // int(row["ranks"]), 1)


def _volumes(row: Row) -> tuple[float, float]:
    return float(row["ghosts"]), (row["rows"] + row["cols"]) * (1.0 - 1.0 / row["ranks"])


def seconds_of_terms(coefficients: Sequence[float], row: Row, cores: float) -> dict[str, float]:
    """The predicted seconds of each of `TERMS`. `row` has the layout and the counters."""
    parts = zip(TERMS, coefficients, _factors(row, cores), strict=True)
    return {name: float(coefficient * factor) for name, coefficient, factor in parts}


def fit(rows: Sequence[Row], cores: int) -> list[float]:
    """The coefficients of the seconds, for rows with `seconds`, the layout and the counters."""
    return _least_squares([_factors(row, cores) for row in rows], [row["seconds"] for row in rows])


def _factors(row: Row, cores: float) -> tuple[float, ...]:
    ranks = row["ranks"]
    share = max(ranks / cores, 1.0)
    return (
        share * row["largest"],
        share * row["visited"] / ranks,
        share * row["operations"] * math.log2(ranks),
        share * all_messages(row) / ranks,
        share * all_bytes(row) / ranks,
    )


def _least_squares(factors: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    from scipy.optimize import nnls

    right = np.maximum(np.array(values, dtype=np.float64), 1e-300)
    is_known = np.array(values, dtype=np.float64) > 0
    matrix = (np.array(factors, dtype=np.float64) / right[:, None])[is_known]
    if not matrix.size:
        return [0.0] * len(factors[0])
    scale = np.maximum(np.abs(matrix).max(axis=0), 1e-300)
    found: list[float] = (nnls(matrix / scale, np.ones(matrix.shape[0]))[0] / scale).tolist()
    return found
