# SPDX-License-Identifier: BSD-3-Clause
"""Results that are distributed over the ranks of an MPI communicator (``gather=False``).

Each rank holds the mates of its own rows and columns, an even share of each permutation, and an
even share of the boundaries. The method `gather` returns the whole result on each rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from btfperm.fields import FORM
from btfperm.pattern.arrays import IndexArray
from btfperm.results.decomposition import DulmageMendelsohn
from btfperm.results.graph_matching import GraphMatching
from btfperm.results.parts import CoarseShapes
from btfperm.results.read_only import OnDemand, freeze, new_result
from btfperm.results.transversal import Cover, Transversal
from btfperm.results.weighted import WeightedTransversal

if TYPE_CHECKING:
    import os

__all__ = [
    "DistributedDecomposition",
    "DistributedGraphMatching",
    "DistributedTransversal",
    "DistributedWeightedTransversal",
    "distributed_decomposition",
    "distributed_transversal",
]

Collect = Callable[[IndexArray], IndexArray | None]
"""A function that returns, on some of the ranks, the parts of all ranks as one array; None on the
other ranks."""

_MATES = ("row_match", "col_match", "row_in_cover", "col_in_cover")
_SCALES = ("log_row_scale", "log_col_scale")


@dataclass(frozen=True, eq=False, repr=False)
class DistributedTransversal(Transversal):
    """A `Transversal` whose arrays hold the rows and columns of this rank.

    Attributes
    ----------
    rows, cols : the ranges of rows and columns of this rank; ``row_match[k]`` is the column matched
        to row ``rows[k]``
    exchange : the object that exchanges messages between the ranks
    """

    is_distributed: ClassVar[bool] = True

    rows: range = field(default_factory=lambda: range(0))
    cols: range = field(default_factory=lambda: range(0))
    exchange: Any = None

    def gather(self) -> Transversal:
        """The whole transversal on each rank. Collective; O(m + n) memory on each rank."""
        with self.exchange.guarded("gather"):
            found: Transversal = self._whole(self.exchange.gather_all)
            return found

    def _whole(self, collect: Collect) -> Any:
        """The whole transversal on the ranks on which `collect` returns whole arrays; None on the
        others. Collective."""
        fields = {name: value for name, value in vars(self).items() if name not in _OWN}
        makers = fields.pop("_makers", {})
        for name in (*_MATES, *_SCALES):
            if fields.get(name) is not None:
                fields[name] = collect(fields[name])
        is_whole = fields["row_match"] is not None
        return new_result(Transversal, fields, dict(makers)) if is_whole else None

    def cover(self) -> Cover:
        """The rows and columns of this rank that are in the cover."""
        own = super().cover()
        return Cover(own.rows + self.rows.start, own.cols + self.cols.start)


@dataclass(frozen=True, eq=False, repr=False)
class DistributedGraphMatching(GraphMatching):
    """A `GraphMatching` whose arrays `mate` and `dual` hold the vertices of this rank.

    Attributes
    ----------
    n_vertices : number of vertices of the whole graph
    vertices : the range of the vertices of this rank; ``mate[k]`` is the mate of ``vertices[k]``
    exchange : the object that exchanges messages between the ranks
    """

    is_distributed: ClassVar[bool] = True

    n_vertices: int = 0
    vertices: range = field(default_factory=lambda: range(0))
    exchange: Any = None

    def gather(self) -> GraphMatching:
        """The whole matching on each rank. Collective; O(n) memory on each rank."""
        own = ("n_vertices", "vertices", "exchange")
        fields = {name: value for name, value in vars(self).items() if name not in own}
        with self.exchange.guarded("gather"):
            for name in ("mate", "dual"):
                fields[name] = self.exchange.gather_all(fields[name])
        return GraphMatching(**fields)

    @property
    def n(self) -> int:
        """Number of vertices of the whole graph."""
        return self.n_vertices

    def save(self, path: str | os.PathLike[str], *, replace: bool = True) -> None:
        """Writes the whole matching to one file, as `GraphMatching.save` does. The first rank
        writes the pieces that the other ranks send. Collective."""
        from btfperm.io.save_mpi import save_matching

        save_matching(self, path, replace=replace)

    def pairs(self) -> IndexArray:
        """(pairs, 2) the matched edges whose smaller vertex this rank owns."""
        numbers = np.arange(self.vertices.start, self.vertices.stop)
        first = np.flatnonzero(self.mate > numbers)
        smaller = numbers[first].astype(self.mate.dtype)
        return np.column_stack([smaller, self.mate[first]])


_OWN = ("rows", "cols", "exchange")


@dataclass(frozen=True, eq=False, repr=False)
class DistributedWeightedTransversal(WeightedTransversal):
    """A `WeightedTransversal` whose arrays hold the rows and columns of this rank.

    Attributes
    ----------
    rows, cols : the ranges of rows and columns of this rank; ``row_dual[k]`` is the dual of row
        ``rows[k]``
    exchange : the object that exchanges messages between the ranks
    """

    is_distributed: ClassVar[bool] = True

    rows: range = field(default_factory=lambda: range(0))
    cols: range = field(default_factory=lambda: range(0))
    exchange: Any = None

    def scales(self) -> tuple[Any, Any]:
        """(r, c): the scalings of the rows and columns of this rank. They are parts of the arrays
        that `WeightedTransversal.scales` returns for the whole matrix. Collective.

        Raises
        ------
        InvalidArgumentError : the kind is not "product", or a scaling exceeds double precision
        """
        with self.exchange.guarded("scales"):
            rows, cols = self._scale_logs()
            upper = max((float(a.max()) for a in (rows, -cols) if a.size), default=-np.inf)
            lower = min((float(a.min()) for a in (rows, -cols) if a.size), default=np.inf)
            upper, lower = self.exchange.largest_real(upper), -self.exchange.largest_real(-lower)
            return self._scaled(rows, cols, upper, lower)

    def gather(self) -> WeightedTransversal:
        """The whole result on each rank. Collective; O(m + n) memory on each rank."""
        fields = {name: value for name, value in vars(self).items() if name not in _OWN}
        with self.exchange.guarded("gather"):
            for name in ("row_match", "col_match", "row_dual", "col_dual"):
                if fields[name] is not None:
                    fields[name] = self.exchange.gather_all(fields[name])
            if fields["transversal"] is not None:
                fields["transversal"] = fields["transversal"].gather()
        return WeightedTransversal(**fields)


@dataclass(frozen=True, eq=False, repr=False)
class DistributedDecomposition(OnDemand, CoarseShapes):
    """A `DulmageMendelsohn` decomposition whose arrays are distributed.

    Attributes
    ----------
    shape, structural_rank, coarse_rows, coarse_cols, meta : see `Decomposition`
    row_perm, col_perm : the original rows and columns at the positions of this rank. These are an
        even share of all positions, see ``btfperm.backends.mpi.slices.even_slices``
    row_blocks, col_blocks : an even share of the boundaries
    n_blocks : number of fine blocks of the whole matrix
    transversal : the `DistributedTransversal` with its certificate
    pattern : the `DistributedPattern`
    """

    is_distributed: ClassVar[bool] = True

    shape: tuple[int, int]
    row_perm: IndexArray
    col_perm: IndexArray
    row_blocks: IndexArray
    col_blocks: IndexArray
    coarse_rows: IndexArray
    coarse_cols: IndexArray
    structural_rank: int
    n_blocks: int
    transversal: Any
    pattern: Any
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze(self.row_perm, self.col_perm, self.row_blocks, self.col_blocks)
        freeze(self.coarse_rows, self.coarse_cols)

    def gather(self) -> DulmageMendelsohn:
        """The whole decomposition on each rank. Collective; O(m + n) memory on each rank."""
        with self.pattern.exchange.guarded("gather"):
            found: DulmageMendelsohn = self._whole(self.pattern.exchange.gather_all)
            return found

    def gather_to_first(self) -> DulmageMendelsohn | None:
        """The whole decomposition on the first rank; None on the other ranks. Collective; O(m + n)
        memory on the first rank."""
        exchange = self.pattern.exchange
        with exchange.guarded("gather_to_first"):
            return self._whole(partial(exchange.gather_to, 0))  # type: ignore[no-any-return]

    def _whole(self, collect: Collect) -> Any:
        """The whole decomposition on the ranks on which `collect` returns whole arrays; None on the
        others. Collective."""
        transversal = self.transversal._whole(collect)
        form = {field.name: getattr(self, field.name) for field in FORM}
        form |= {field.name: collect(form[field.name]) for field in FORM if field.on_device}
        if transversal is None:
            return None
        fields = {
            "shape": self.shape,
            **form,
            "row_match": transversal.row_match,
            "col_match": transversal.col_match,
            "structural_rank": self.structural_rank,
            "transversal": transversal,
            "log_row_scale": transversal.log_row_scale,
            "log_col_scale": transversal.log_col_scale,
            "pattern": None,
        }
        return new_result(DulmageMendelsohn, fields, {"meta": lambda: self.meta})

    def _with_transversal(
        self, transversal: Any, meta: Mapping[str, Any]
    ) -> DistributedDecomposition:
        """The same blocks with another matching."""
        return replace(self, transversal=transversal, meta=meta)

    def block_sizes(self) -> tuple[int, int, int]:
        """(number of blocks with one row and one column, number of rows and number of columns of
        the largest block). The largest block is the first one with the largest sum of both numbers.
        Collective."""
        with self.pattern.exchange.guarded("block_sizes"):
            return self._block_sizes(self.pattern.exchange)

    def _block_sizes(self, exchange: Any) -> tuple[int, int, int]:
        rows, cols = self.row_blocks, self.col_blocks
        first = (int(rows[0]), int(cols[0])) if rows.size else (-1, -1)
        behind = exchange.from_all(*first)[exchange.rank + 1 :]
        behind = behind[behind[:, 0] >= 0][:1]  # the boundary that follows those of this rank
        heights = np.diff(np.append(rows, behind[:, 0]))
        widths = np.diff(np.append(cols, behind[:, 1]))
        own = (0, 0, 0)
        if heights.size:
            k = int((heights + widths).argmax())
            singles = int(((heights == 1) & (widths == 1)).sum())
            own = (singles, int(heights[k]), int(widths[k]))
        found = exchange.from_all(*own)
        k = int(found[:, 1:].sum(axis=1).argmax())
        return int(found[:, 0].sum()), int(found[k, 1]), int(found[k, 2])

    def save(
        self,
        path: Any,
        *,
        format: str | None = None,
        convention: str | None = None,
        replace: bool = True,
    ) -> None:
        """Writes the result to one file. For ``perm.npz``, the first rank writes the pieces that
        the other ranks send; for other formats and conventions, it gathers the whole result.
        Collective."""
        from btfperm.io.save_mpi import save_distributed

        save_distributed(self, path, format=format, convention=convention, replace=replace)

    def __repr__(self) -> str:
        m, n = self.shape
        return (
            f"<DistributedDecomposition of a {m:,} x {n:,} matrix on "
            f"{self.transversal.device}: structural rank {self.structural_rank:,}, "
            f"{self.n_blocks:,} fine blocks>"
        )


def distributed_transversal(
    pattern: Any, fields: dict[str, Any], choice: Callable[[], str]
) -> DistributedTransversal:
    """The result of a search over ranks. Its counters include the data that the ranks have sent
    since the start of the caller's call. Collective."""
    rows, cols, exchange = pattern.row_slices, pattern.col_slices, pattern.exchange
    ranks = f"{exchange.size} rank{'s' if exchange.size > 1 else ''}"
    on_gpus = fields["device"] if fields["backend"] == pattern.backend else ""
    own = {
        "rows": range(rows.first, rows.last),
        "cols": range(cols.first, cols.last),
        "exchange": exchange,
        "backend": "mpi",
        "device": f"{ranks}, {on_gpus}" if on_gpus else ranks,
        "counters": {**fields["counters"], **exchange.transferred()},
    }
    return new_result(DistributedTransversal, fields | own, {"choice": choice})


def distributed_decomposition(
    pattern: Any, form: Any, transversal: Any, meta: Callable[[], Any]
) -> DistributedDecomposition:
    """The decomposition over ranks. Its transversal, which the same call has found, then also has
    the counters of the decomposition. Collective."""
    n_blocks = pattern.exchange.sums(form.row_blocks.size)[0] - 1
    transversal.counters.update(pattern.exchange.transferred())
    fields = {
        "shape": pattern.shape,
        **form._asdict(),
        "structural_rank": transversal.structural_rank,
        "n_blocks": n_blocks,
        "transversal": transversal,
        "pattern": pattern,
    }
    return new_result(DistributedDecomposition, fields, {"meta": meta})
