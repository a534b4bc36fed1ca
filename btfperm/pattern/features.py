# SPDX-License-Identifier: BSD-3-Clause
"""Cheap features of a pattern: what the rules of `auto` look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.pattern.device_pattern import DevicePattern
from btfperm.pattern.pattern import Pattern

__all__ = ["Features", "look", "look_at_degrees", "ratios", "size"]

_SAMPLED = 128  # columns looked at, or up to twice as many


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of a pattern at little cost; None where nobody looked.

    Attributes
    ----------
    rows, cols, entries : sizes
    wide : columns per row
    degree : entries per row or column, whichever are fewer: search goes from there
    density : share of the m n places that hold an entry
    longest : entries of the longest column looked at
    skew : standard deviation of the entries per column looked at, over their mean
    empty : share of the columns looked at that have no entry
    single : share of the columns looked at that have one entry
    hidden : share of the entries that are more than columns like those looked at would have: few
        long columns, which nobody met, have them
    diagonal : share of the columns looked at that hold their entry of the diagonal
    near : share of the entries looked at that are within m/64 rows of the diagonal
    missing : pairs that the start left short of full rank
    free : the same, as a share of full rank
    cores : that this process may use
    threads : that the search may use
    gpus : of this machine, for CuPy; whether they work, nobody has tried
    warm : 1 where this process has a GPU at work already, else 0: starting one takes long
    itself : 1 where the search to come has a start of its own, else 0
    """

    rows: float
    cols: float
    entries: float
    wide: float | None = None
    degree: float | None = None
    density: float | None = None
    longest: float | None = None
    skew: float | None = None
    empty: float | None = None
    single: float | None = None
    hidden: float | None = None
    diagonal: float | None = None
    near: float | None = None
    missing: float | None = None
    free: float | None = None
    cores: float | None = None
    threads: float | None = None
    gpus: float | None = None
    warm: float | None = None
    itself: float | None = None


def size(shape: tuple[int, int], nnz: int) -> dict[str, float]:
    """Rows, columns and entries."""
    m, n = shape
    return {"rows": m, "cols": n, "entries": nnz}


def ratios(m: float, n: float, nnz: float) -> dict[str, float]:
    """What follows from those."""
    return {"wide": n / (m or 1), "degree": nnz / (min(m, n) or 1), "density": nnz / (m * n or 1)}


def look(pattern: Pattern) -> dict[str, float]:
    """Those of a sample of some hundred columns: a few microseconds. Of a pattern on a device only
    what its column pointers tell."""
    if isinstance(pattern, DevicePattern):
        return look_at_degrees(pattern)
    longest, skew, empty, single, hidden, diagonal, near = _core.pattern.glance(
        pattern.m, pattern.indptr, pattern.indices
    )
    return {
        "longest": longest,
        "skew": skew,
        "empty": empty,
        "single": single,
        "hidden": hidden,
        "diagonal": diagonal,
        "near": near,
    }


def look_at_degrees(pattern: Pattern) -> dict[str, float]:
    """Those of them that column pointers tell: a microsecond."""
    if isinstance(pattern, DevicePattern):
        return _degrees(pattern.sampled_degrees(_SAMPLED), pattern.n / (pattern.nnz or 1))
    longest, skew, empty, single, hidden, _, _ = _core.pattern.glance(
        pattern.m, pattern.indptr, pattern.indices, False
    )
    of_degrees = {"longest": longest, "skew": skew, "empty": empty, "single": single}
    return {**of_degrees, "hidden": hidden}


def _degrees(degrees: npt.NDArray[np.int64], cols_per_entry: float) -> dict[str, float]:
    """What the numbers of entries of some columns tell."""
    if not degrees.size:
        return dict.fromkeys(("longest", "skew", "empty", "single", "hidden"), 0.0)
    mean = float(degrees.mean())
    return {
        "longest": float(degrees.max()),
        "skew": float(degrees.std()) / mean if mean else 0.0,
        "empty": float((degrees == 0).mean()),
        "single": float((degrees == 1).mean()),
        "hidden": max(0.0, 1 - mean * cols_per_entry),
    }
