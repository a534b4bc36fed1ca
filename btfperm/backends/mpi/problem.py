# SPDX-License-Identifier: BSD-3-Clause
"""What the algorithms over ranks work on: a distributed pattern and the current matching."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm import _core, registry

if TYPE_CHECKING:
    from btfperm.backends.cpu.problem import Problem as HostProblem
    from btfperm.backends.mpi.device_exchange import DeviceExchange
    from btfperm.backends.mpi.exchange import Exchange
    from btfperm.backends.mpi.halo import Halo
    from btfperm.backends.mpi.slices import Slices
    from btfperm.pattern.distributed import DistributedPattern
    from btfperm.pattern.owned_lists import OwnedLists

__all__ = ["DistributedProblem"]


class DistributedProblem:
    """The rows and columns of this rank, and their mates.

    Attributes
    ----------
    pattern : the matrix
    turned : whether rows and columns of the pattern are exchanged in this problem
    row_match, col_match : the mates of the rows and columns of this rank, as numbers in the whole
        matrix, or -1
    row_in_cover, col_in_cover : one byte for each row and column of this rank: once the minimum
        cover is known, 1 if it contains this row or column, else 0
    proven : whether the last search marked a minimum cover in `row_in_cover` and `col_in_cover`
    is_checked : whether the first rank has checked the matching and the cover for the whole matrix
    device : the GPU on which this rank searches, or None
    copies : those of the session, see `Session.copies`
    """

    is_distributed = True
    device: int | None = None
    _device_link: DeviceExchange | None = None

    def __init__(self, pattern: DistributedPattern, *, turned: bool = False) -> None:
        self.pattern = pattern
        self.turned = turned
        self.copies: dict[Any, Any] = {}
        self.proven = self.is_checked = False
        self.row_in_cover = np.zeros(self.rows.size, dtype=np.uint8)
        self.col_in_cover = np.zeros(self.cols.size, dtype=np.uint8)

    @cached_property
    def row_match(self) -> npt.NDArray[Any]:
        return np.full(self.rows.size, -1, dtype=self.width)

    @cached_property
    def col_match(self) -> npt.NDArray[Any]:
        return np.full(self.cols.size, -1, dtype=self.width)

    def expect_matching(self) -> None:
        """Called by an algorithm before it overwrites the whole matching: arrays that nothing has
        used yet need no initial values. The first write to a page costs time."""
        if not vars(self).keys() & {"row_match", "col_match"}:
            self.row_match = np.empty(self.rows.size, dtype=self.width)
            self.col_match = np.empty(self.cols.size, dtype=self.width)

    @property
    def exchange(self) -> Exchange:
        return self.pattern.exchange

    @property
    def link(self) -> DeviceExchange | Exchange:
        """The object whose method `step` sends lines between the ranks: the lines are on the GPU
        if this rank searches there, else on the host. Collective at the first use on GPUs, because
        it may start NCCL, which takes a second; the GPU is CuPy's current device then."""
        if self.device is None:
            return self.exchange
        if self._device_link is None:
            from btfperm.backends.mpi.device_exchange import DeviceExchange

            self._device_link = DeviceExchange.of(self.exchange, self.device)
        return self._device_link

    @property
    def uses_nccl(self) -> bool:
        """Whether the GPUs exchange long lists by NCCL."""
        link = None if self.device is None else self.exchange.links.get(self.device)
        return link is not None and link.uses_nccl

    def own_step(self, name: str) -> Callable[..., Any]:
        """The function of a step (``registry/steps.py``) that processes the rows and columns of
        this rank: on its GPU if it searches there, else on its CPU."""
        return registry.step("transversal", name, "cpu" if self.device is None else "gpu")

    @property
    def rows(self) -> Slices:
        """The range of rows of each rank."""
        return self.pattern.col_slices if self.turned else self.pattern.row_slices

    @property
    def cols(self) -> Slices:
        """The range of columns of each rank."""
        return self.pattern.row_slices if self.turned else self.pattern.col_slices

    @property
    def lists(self) -> OwnedLists:
        """The rows of each column of this rank. Collective in a transposed problem."""
        return self.pattern.row_lists if self.turned else self.pattern.columns

    @property
    def indptr(self) -> Any:
        """The start of each column of this rank in ``halo.items``, as in `lists`."""
        return self.pattern.row_lists.indptr if self.turned else self.pattern.indptr

    @property
    def row_lists(self) -> OwnedLists:
        """The columns of each row of this rank. Collective unless the problem is transposed."""
        return self.pattern.columns if self.turned else self.pattern.row_lists

    @property
    def halo(self) -> Halo:
        """The local numbers of the rows in `lists`. Collective in a transposed problem."""
        return self.pattern.halo(of_row_lists=self.turned)

    @cached_property
    def by_row(self) -> Any:
        """For each row, the columns of this rank in which it has an entry (``owned_rows.hpp``). The
        object is empty until an algorithm makes these lists. Later algorithms use them again,
        unless `forget_by_row` is called."""
        core = _core.transversal
        return core.OwnedRows32() if self.width is np.int32 else core.OwnedRows64()

    def forget_by_row(self) -> None:
        """Releases the memory of `by_row`."""
        vars(self).pop("by_row", None)

    def bipartite(self) -> tuple[Any, ...]:
        """The arguments of the functions of `_core.transversal` that take the columns of a rank and
        the matching."""
        halo = self.halo
        return (
            self.indptr,
            halo.items,
            halo.ghosts,
            self.rows.bounds,
            self.cols.bounds,
            self.exchange.rank,
            self.row_match,
            self.col_match,
        )

    @property
    def width(self) -> Any:
        """The integer type of rows and columns."""
        return self.pattern.width

    @property
    def size(self) -> int:
        """Number of matched entries of the whole matrix. Collective."""
        return self.exchange.sums(int(np.count_nonzero(self.col_match >= 0)))[0]

    def match_own(self, row_match: Any, col_match: Any) -> None:
        """Sets the matching to one that matches rows of this rank to columns of this rank only; the
        mates in the arguments are positions on this rank."""
        for mates, found, others in (
            (self.row_match, row_match, self.cols),
            (self.col_match, col_match, self.rows),
        ):
            mates[:] = found
            mates[found >= 0] += self.width(others.first)

    def transposed(self) -> DistributedProblem:
        """The same problem with rows and columns exchanged; the matching arrays are shared."""
        other = DistributedProblem(self.pattern, turned=not self.turned)
        other.row_match, other.col_match = self.col_match, self.row_match
        other.row_in_cover, other.col_in_cover = self.col_in_cover, self.row_in_cover
        other.device, other._device_link = self.device, self._device_link
        other.copies = self.copies
        return other

    @cached_property
    def on_device(self) -> tuple[Any, Any]:
        """The columns of this rank on its GPU, (indptr, items), with the local numbers of
        `halo`."""
        from btfperm.backends.gpu.arrays import upload

        return upload(self.indptr), upload(self.halo.items)

    def on_host(self) -> HostProblem:
        """The whole problem on each rank. Collective."""
        from btfperm.backends.cpu.problem import Problem

        whole = Problem.empty(self.pattern.on_host())
        gather = self.exchange.gather_all
        whole.row_match[:], whole.col_match[:] = gather(self.row_match), gather(self.col_match)
        return whole

    def reset(self, *, keep_matching: bool) -> None:
        """Discards the proof, and the matching unless `keep_matching`."""
        self.proven = self.is_checked = False
        self.row_in_cover.fill(0)
        if not keep_matching:
            self.row_match.fill(-1)
            self.col_match.fill(-1)
