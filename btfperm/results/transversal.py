# SPDX-License-Identifier: BSD-3-Clause
"""`Transversal` and its certificate, a `Cover`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.errors import LimitReachedError
from btfperm.pattern.arrays import IndexArray, device_context
from btfperm.results.equality import fields_equal, tuple_by_value
from btfperm.results.html import html_table
from btfperm.results.read_only import OnDemand, freeze, new_result

__all__ = ["Counters", "Cover", "Transversal", "whole_transversal"]

#: numbers by name; a counter with one number for each phase is a list
Counters = Mapping[str, int | list[int]]

# The arrays that are on the device if the matrix is.
_ON_DEVICE = ("row_match", "col_match", "row_in_cover", "col_in_cover")


@tuple_by_value
class Cover(NamedTuple):
    """Rows and columns that together cover every entry (Kőnig's theorem); both ascending.

    Two covers are equal (``==``) when they hold the same rows and the same columns.
    """

    rows: IndexArray
    cols: IndexArray

    @property
    def size(self) -> int:
        """Number of rows and columns: equal to the size of a maximum transversal."""
        return int(self.rows.size + self.cols.size)

    def _repr_html_(self) -> str:
        return html_table("Cover", {"rows": int(self.rows.size), "columns": int(self.cols.size)})


@dataclass(frozen=True, eq=False, repr=False)
class Transversal(OnDemand):
    """A set of entries, no two in a row or column.

    A transversal has no file format of its own; to save one, decompose the matrix with it:
    ``dulmage_mendelsohn(A, transversal=t).save(path)`` writes `row_match` and `col_match`, too.

    Two transversals are equal (``==``) if `shape`, `row_match`, `col_match`, `maximum` and
    `rank_bounds` are equal, whatever algorithm computed them. O(m + n). Equal transversals have
    equal hashes.

    Attributes
    ----------
    shape : (m, n)
    row_match : (m,) column matched to each row, or -1
    col_match : (n,) row matched to each column, or -1. The arrays of the matching and of the cover
        are CuPy arrays if the matrix is on a device, unless the CPU was requested or used as a
        fallback
    maximum : True if a cover of the same size proved that no transversal is larger
    rank_bounds : (lower, upper) bounds on the structural rank; equal if ``maximum``
    verified : True if every matched pair was found among the entries, both arrays agree, and, if
        ``maximum``, the cover was checked against every entry
    algorithm, initializer : registry names of the search and the initializer that ran; ``"none"``
        if none had to run, or a limit ended the call before it
    backend : ``"cpu"``, ``"gpu"`` or ``"mpi"``: the backend that ran the search or, if no search
        ran, the initializer
    device : the name of the GPU; ``"cpu"`` on the CPU; over MPI the number of ranks, and the GPU of
        this rank if the ranks searched on GPUs
    choice : the reason why ``auto`` chose the algorithm; empty if the caller named one
    explain : a method that returns a dict: the plan; for each decision the rule that was applied
        and the rules before it, which did not apply; and the features
    stopped_by : ``"time_limit"`` or ``"max_work"`` if a limit ended the search, else None
    counters : counters of the search (``edges``, the visited entries; phases; ...). Counters of the
        initializer have the prefix ``start_``. A counter with one number for each phase is a list.
        With ``initial=``, ``initial_dropped`` is the number of given pairs that do not fit the
        matrix
    seconds : time of each stage
    row_in_cover, col_in_cover : (m,), (n,) bytes, 1 for members of `cover()`; None unless `maximum`
    log_row_scale, log_col_scale : (m,), (n,) the scalings of the `WeightedTransversal` to which the
        transversal belongs; None if there is none, or it has no scalings
    weights : ``objective`` (its kind), ``value``, ``gap`` and ``algorithm`` of the
        `WeightedTransversal` to which the transversal belongs, or None
    """

    #: whether each MPI rank holds only its part of the arrays
    is_distributed: ClassVar[bool] = False

    shape: tuple[int, int]
    row_match: IndexArray
    col_match: IndexArray
    maximum: bool
    rank_bounds: tuple[int, int]
    verified: bool
    algorithm: str
    initializer: str
    backend: str = "cpu"
    device: str = "cpu"
    choice: str = field(default_factory=str)  # without a default of the class: see OnDemand
    explain: Callable[[], Mapping[str, Any]] = dict
    stopped_by: str | None = None
    counters: Counters = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    row_in_cover: npt.NDArray[np.uint8] | None = None
    col_in_cover: npt.NDArray[np.uint8] | None = None
    log_row_scale: npt.NDArray[np.float64] | None = None
    log_col_scale: npt.NDArray[np.float64] | None = None
    weights: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        freeze(self.row_match, self.col_match, self.row_in_cover, self.col_in_cover)
        if self.log_row_scale is not None:
            freeze(self.log_row_scale, self.log_col_scale)

    @property
    def size(self) -> int:
        """Number of matched entries: the structural rank if `maximum`, else a lower bound."""
        return self.rank_bounds[0]

    def on_host(self) -> Transversal:
        """The same result with NumPy arrays; the object itself if its arrays are on the host."""
        from btfperm.results.host_copy import copied_to_host

        return copied_to_host(self, _ON_DEVICE)

    @property
    def structural_rank(self) -> int:
        """The structural rank. Raises LimitReachedError if a limit ended the search before the rank
        was known."""
        if not self.maximum:
            lower, upper = self.rank_bounds
            raise LimitReachedError(
                f"the search was stopped by {self.stopped_by}: the structural rank lies between "
                f"{lower} and {upper}; raise the limit, or use .rank_bounds",
                self.rank_bounds,
            )
        return self.size

    def cover(self) -> Cover:
        """The certificate: as many rows and columns as the matching has entries. Together they
        touch every entry of the matrix. Raises LimitReachedError if the transversal is not
        `maximum`."""
        if self.row_in_cover is None or self.col_in_cover is None:
            raise LimitReachedError(
                f"the search was stopped by {self.stopped_by}: only a maximum transversal has a "
                "cover of its own size; raise the limit",
                self.rank_bounds,
            )
        with device_context(self.row_in_cover):
            cover = Cover(self.row_in_cover.nonzero()[0], self.col_in_cover.nonzero()[0])
        freeze(*cover)
        return cover

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Transversal):
            return NotImplemented
        names = ("shape", "maximum", "rank_bounds", "row_match", "col_match")
        return fields_equal(self, other, names)

    def __hash__(self) -> int:
        return hash(("Transversal", self.shape, self.maximum, self.rank_bounds))

    def _repr_html_(self) -> str:
        m, n = self.shape
        lower, upper = self.rank_bounds
        rank = {"structural rank": lower} if self.maximum else {"matched": lower, "at most": upper}
        by = {"algorithm": self.algorithm, "initializer": self.initializer, "device": self.device}
        facts = {"maximum": self.maximum, "verified": self.verified, **by}
        return html_table("Transversal", {"shape": f"{m:,} x {n:,}", **rank, **facts})

    def __repr__(self) -> str:
        m, n = self.shape
        lower, upper = self.rank_bounds
        if self.maximum:
            what = f"structural rank {lower:,}, maximum"
        else:
            what = f"{lower:,} matched, rank at most {upper:,}, stopped by {self.stopped_by}"
        proof = "verified" if self.verified else "not verified"
        # If only the initializer ran, its name is given.
        last = self.initializer if self.algorithm == "none" else self.algorithm
        by = "" if last == "none" else f", by {last}"
        return f"<Transversal of a {m:,} x {n:,} matrix: {what}, {proof}{by}>"


def whole_transversal(
    pattern: object, fields: dict[str, Any], choice: Callable[[], str]
) -> Transversal:
    """The result of a search in one process."""
    return new_result(Transversal, fields, {"choice": choice})
