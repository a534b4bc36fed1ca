# SPDX-License-Identifier: BSD-3-Clause
"""The peers of `weighted_transversal`: two copies of MC64, and SPRAL. Each finds a matching with
the largest product and its scalings, on arrays in its own format, without a decomposition or a
certificate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import scipy.sparse as sp

from benchmarks.report import Row
from benchmarks.solvers import mc64, spral

__all__ = [
    "FASTEST",
    "MUMPS",
    "NAMES",
    "NOTE",
    "PEERS",
    "SPRAL",
    "SUPERLU",
    "Peer",
    "Search",
    "absent",
    "seconds_of",
]

MUMPS, SUPERLU, SPRAL = "MC64 of MUMPS", "MC64 of SuperLU", "SPRAL"
FASTEST = "the fastest peer"
NOTE = (
    "The peers are the search of MC64 for the largest product, in the copies of MUMPS 5.5 and "
    "of SuperLU 6, and the Hungarian scaling of SPRAL, each on arrays in its own format, without a "
    "decomposition or certificate. Their times include the logarithms, which NumPy computes for "
    "the copy of MUMPS, and SPRAL's also the exponentials of the scalings."
)


class Search(Protocol):
    """A peer's search on one matrix."""

    def __init__(self, A: sp.csc_array) -> None: ...
    def __call__(self) -> None: ...
    def objective(self) -> float:
        """The logarithm of the product that the last call found."""


class Peer(NamedTuple):
    """`library` returns None if the peer is not installed; `source` provides it. A matrix is left
    out if its rows times its entries exceed `largest`."""

    name: str
    search: type[Search]
    library: Callable[[], Any]
    source: str
    largest: float

    @property
    def missing(self) -> str | None:
        """The reason why the peer cannot run, or None."""
        return None if self.library() else f"{self.source} not installed"

    def takes(self, A: sp.csc_array) -> bool:
        """Whether the peer is installed and the search ends in a few minutes."""
        return self.library() is not None and A.shape[0] * A.nnz <= self.largest


# Rows times entries: with more, a search takes many minutes. The copy of MUMPS is the slower one.
_LARGE, _VERY_LARGE = 4e11, 3.5e12
PEERS = (
    Peer(MUMPS, mc64.Mumps, mc64.mumps, "libmumps 5.5 is", _LARGE),
    Peer(SUPERLU, mc64.SuperLu, mc64.superlu, "the wheel with libsuperlu.a is", _VERY_LARGE),
    Peer(SPRAL, spral.Spral, spral.library, "the wheels of SPRAL are", _VERY_LARGE),
)
NAMES = tuple(peer.name for peer in PEERS)


def absent() -> str:
    """A sentence for each peer that is not installed."""
    return " ".join(f"{p.name} was not run: {p.missing}." for p in PEERS if p.missing)


def seconds_of(row: Row, name: str) -> float | None:
    """The time of a peer. `FASTEST` is the fastest peer; it has a time only if SPRAL and a copy of
    MC64 have one."""
    if name != FASTEST:
        seconds: float | None = row.get(name, {}).get("seconds")
        return seconds
    copies = [one for copy in (MUMPS, SUPERLU) if (one := seconds_of(row, copy)) is not None]
    other = seconds_of(row, SPRAL)
    return min(*copies, other) if copies and other is not None else None
