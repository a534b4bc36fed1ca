# SPDX-License-Identifier: BSD-3-Clause
"""Cheap features of a pattern, the input of the rules of `auto`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.pattern.device_pattern import DevicePattern
from btfperm.pattern.pattern import Pattern

__all__ = ["Features", "measured_for", "ratios", "sample", "sample_degrees", "size"]

_SAMPLED = 128  # columns in the sample, or up to twice as many
# Features that cost one sample of the column pointers, without the row indices.
_OF_DEGREES = frozenset(("longest", "skew", "empty", "single", "hidden"))


class Features(NamedTuple):
    """Features of a pattern and of the call; None if unknown. "Sampled" refers to the columns and
    entries that `sample` reads.

    Attributes
    ----------
    rows, cols, entries : sizes
    wide : columns divided by rows
    degree : entries divided by min(rows, columns)
    density : share of the m n places that hold an entry
    longest : entries of the longest sampled column
    skew : standard deviation of the entries per sampled column, divided by their mean
    empty : share of the sampled columns that have no entry
    single : share of the sampled columns that have one entry
    hidden : estimated share of the entries that are in long columns outside the sample: 1 minus n
        times the mean length of the sampled columns over nnz, at least 0
    diagonal : share of the sampled columns that have an entry on the diagonal
    near : share of the sampled entries that are within m/64 rows of the diagonal
    missing : min(unmatched rows, unmatched columns) after the initial matching
    free : `missing` as a share of min(m, n)
    cores : cores that this process may use
    threads : threads that the search may use
    gpus : GPUs that the driver lists, whether they work or not; 0 without CuPy
    warm : 1 if CuPy is loaded and this process uses a GPU already, else 0: the start takes long
    depth : levels of the first global relabelling after the initial matching, on a GPU; up to 1,000
    itself : 1 if the search computes its own initial matching, else 0
    ranks : MPI ranks that hold the matrix
    first_cores : cores that the first rank may use, at most the caller's threads, if all ranks are
        on one machine and the caller named neither backend, algorithm nor initializer; else 0
    first_memory : memory that the first rank can still take, divided by an upper bound on what it
        needs to analyse the whole matrix; 1 if the system does not report it
    first_gpu : free memory of the GPU of the first rank, divided by what a search of the whole
        matrix needs there, if all ranks are on one machine and the caller gave them GPUs and named
        neither backend, algorithm nor initializer; else 0
    alone : 1 if one rank holds the matrix, and the caller named the backend ``"mpi"``, but neither
        GPUs, an algorithm nor an initializer; else 0
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
    depth: float | None = None
    itself: float | None = None
    ranks: float | None = None
    first_cores: float | None = None
    first_memory: float | None = None
    first_gpu: float | None = None
    alone: float | None = None


def size(shape: tuple[int, int], nnz: int) -> dict[str, float]:
    """Rows, columns and entries."""
    m, n = shape
    return {"rows": m, "cols": n, "entries": nnz}


def ratios(m: float, n: float, nnz: float) -> dict[str, float]:
    """Features that follow from the sizes."""
    return {"wide": n / (m or 1), "degree": nnz / (min(m, n) or 1), "density": nnz / (m * n or 1)}


def measured_for(feature: str, pattern: Pattern) -> dict[str, float]:
    """A feature that is measured by a sample, and all other features of the same sample."""
    return sample_degrees(pattern) if feature in _OF_DEGREES else sample(pattern)


def sample(pattern: Pattern) -> dict[str, float]:
    """Features of a sample of 128 to 255 columns (all, if there are fewer). For a pattern on a
    device, only those that follow from the column pointers; for a pattern over ranks, only
    `diagonal`, from at most 128 columns of each rank."""
    if isinstance(pattern, DevicePattern):
        return sample_degrees(pattern)
    if pattern.is_distributed:
        return {"diagonal": _diagonal_over_ranks(pattern)}
    longest, skew, empty, single, hidden, diagonal, near = _core.pattern.sample(
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


def _diagonal_over_ranks(pattern: Any) -> float:
    """The feature `diagonal` of a pattern over ranks. Collective."""
    size, first = pattern.col_slices.size, pattern.col_slices.first
    halo = pattern.halo()
    columns = np.unique(np.linspace(0, size - 1, min(_SAMPLED, size)).astype(np.int64))
    hits = 0
    for c in columns.tolist():
        rows = halo.items[pattern.indptr[c] : pattern.indptr[c + 1]]
        hits += bool((rows == halo.local_number(first + c)).any())
    found, tested = pattern.exchange.sums(hits, columns.size)
    return float(found / max(tested, 1))


def sample_degrees(pattern: Pattern) -> dict[str, float]:
    """Features that follow from the column pointers of the sample."""
    if isinstance(pattern, DevicePattern):
        return _degrees(pattern.sampled_degrees(_SAMPLED), pattern.n / (pattern.nnz or 1))
    longest, skew, empty, single, hidden, _, _ = _core.pattern.sample(
        pattern.m, pattern.indptr, pattern.indices, False
    )
    of_degrees = {"longest": longest, "skew": skew, "empty": empty, "single": single}
    return {**of_degrees, "hidden": hidden}


def _degrees(degrees: npt.NDArray[np.int64], cols_per_entry: float) -> dict[str, float]:
    """Features that follow from the lengths of some columns."""
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
