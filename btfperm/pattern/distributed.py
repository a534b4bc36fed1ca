# SPDX-License-Identifier: BSD-3-Clause
"""`DistributedPattern`: a pattern over the ranks of an MPI communicator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.pattern.arrays import checked_shape, index_type, prefix
from btfperm.pattern.canonical import frozen
from btfperm.pattern.distributed_arrays import checked_numbers, expanded_lists
from btfperm.pattern.distributed_lists import routed
from btfperm.pattern.distributed_slices import balanced_slices, check_own_lines
from btfperm.pattern.input import over_ranks
from btfperm.pattern.owned_lists import OwnedLists
from btfperm.pattern.pattern import Pattern

if TYPE_CHECKING:
    from btfperm.backends.mpi.exchange import Exchange
    from btfperm.backends.mpi.halo import Halo
    from btfperm.backends.mpi.slices import Slices
    from btfperm.pattern.distributed_values import Mirror

__all__ = ["DistributedPattern"]


class DistributedPattern(Pattern):
    """Positions of the entries of an m x n matrix whose columns are distributed over the ranks of a
    communicator.

    Make one with `from_rows`, `from_columns` or `from_positions`, which are collective calls, or
    give ``comm=`` to a function that takes a matrix.

    Attributes
    ----------
    shape : (m, n) of the whole matrix
    indptr, indices : the columns of this rank, with row numbers of the whole matrix
    row_slices, col_slices : the ranges of rows and columns that each rank owns
    nnz : entries of the whole matrix
    exchange : sends the messages between the ranks
    width : the index type of numbers of the whole matrix
    note : a sentence for the user if the first rank read the file for all; else empty
    values : the values of the entries of this rank, in the order of `indices`: float64, or
        complex128 if the matrix is complex. None if only the positions are known
    without_zeros : whether the maker of the pattern left out stored zeros, also if there were none;
        then `zeros_dropped` is False, as in one process
    name, source : as of `Pattern`
    """

    backend: ClassVar[str] = "mpi"
    is_on_host: ClassVar[bool] = False
    is_distributed: ClassVar[bool] = True
    row_slices: Slices
    col_slices: Slices
    exchange: Exchange
    width: Any
    note: str
    values: npt.NDArray[Any] | None
    without_zeros: bool

    def __init__(self, *_: Any, **__: Any) -> None:
        raise InvalidArgumentError(
            "make a DistributedPattern with from_rows, from_columns or from_positions"
        )

    @classmethod
    def from_positions(
        cls,
        comm: Any,
        rows: npt.ArrayLike,
        cols: npt.ArrayLike,
        shape: Sequence[int],
        *,
        symmetric: bool = False,
        name: str | None = None,
        source: Mapping[str, Any] | None = None,
        values: npt.ArrayLike | None = None,
    ) -> DistributedPattern:
        """The pattern of the positions that the ranks hold, in any order and on any rank.

        Parameters
        ----------
        comm : an mpi4py communicator; all its ranks make this call
        rows, cols : integer arrays of the same length, numbers of the whole matrix
        shape : (m, n) of the whole matrix
        symmetric : True adds the transpose of each position off the diagonal. Default False
        name, source : see `Pattern`
        values : the values of the positions, which `weighted_transversal` needs; all ranks give
            them, or none does. Those of duplicates are added up. Default None: only the positions
        """
        from btfperm.backends.mpi.exchange import Exchange

        exchange = Exchange.of(comm)
        with exchange.guarded("from_positions", {"shape": shape, "symmetric": symmetric}):
            shape = checked_shape(shape)
            width = index_type(shape, 0)
            own = [
                checked_numbers(rows, shape[0], "row", name).astype(width),
                checked_numbers(cols, shape[1], "column", name).astype(width),
            ]
            if own[0].size != own[1].size:
                raise InvalidMatrixError(f"{prefix(name)}rows and cols must have the same length")
            if not exchange.largest(int(values is not None))[0]:
                return cls.of_parts(exchange, own, shape, symmetric, name, source)
            from btfperm.pattern.distributed_values import of_one_type

            if values is None:
                raise InvalidMatrixError(f"{prefix(name)}all ranks must give values, or none")
            numbers = of_one_type(exchange, values, own[0].size, name)
            return cls.of_parts(exchange, own, shape, symmetric, name, source, values=numbers)

    @classmethod
    def from_rows(
        cls,
        comm: Any,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        shape: Sequence[int],
        *,
        first: int,
        name: str | None = None,
        values: npt.ArrayLike | None = None,
    ) -> DistributedPattern:
        """The pattern of a matrix whose rows are distributed, as PETSc and SuperLU_DIST store it.

        Parameters
        ----------
        comm : an mpi4py communicator; all its ranks make this call
        indptr, indices : compressed rows of this rank, with column numbers of the whole matrix.
            SuperLU_DIST: ``rowptr`` and ``colind`` of ``NRformat_loc``
        shape : (m, n) of the whole matrix
        first : number of the first row of this rank. SuperLU_DIST: ``fst_row``; PETSc: the first
            number of ``MatGetOwnershipRange``
        values : the values of the entries, as for `from_positions`. SuperLU_DIST: ``nzval``
        """
        with over_ranks(None, comm):
            rows, cols = expanded_lists(indptr, indices, first, name)
            return cls.from_positions(comm, rows, cols, shape, name=name, values=values)

    @classmethod
    def from_columns(
        cls,
        comm: Any,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        shape: Sequence[int],
        *,
        first: int,
        name: str | None = None,
        values: npt.ArrayLike | None = None,
    ) -> DistributedPattern:
        """As `from_rows`, for compressed columns: `first` is the first column of this rank."""
        with over_ranks(None, comm):
            cols, rows = expanded_lists(indptr, indices, first, name)
            return cls.from_positions(comm, rows, cols, shape, name=name, values=values)

    @classmethod
    def of_parts(
        cls,
        exchange: Exchange,
        own: list[npt.NDArray[Any]],
        shape: tuple[int, int],
        symmetric: bool = False,
        name: str | None = None,
        source: Mapping[str, Any] | None = None,
        *,
        values: npt.NDArray[Any] | None = None,
        mirror: Mirror | None = None,
    ) -> DistributedPattern:
        """The pattern of checked positions. `own` holds rows and columns of this rank; it is
        emptied, so that their memory is released while the ranks exchange entries. `values` are of
        one type on all ranks; `mirror` computes those of the transposes, if these differ."""
        rows, cols = own
        row_slices, col_slices = balanced_slices(exchange, rows, cols, shape, symmetric)
        check_own_lines(exchange, row_slices, col_slices, name)
        if values is None:
            del rows, cols  # so that `routed` can release them
            lists = routed(exchange, col_slices, own, symmetric)
        else:
            from btfperm.pattern.distributed_values import lists_with_values

            turned = (mirror or _same) if symmetric else None
            lists, values = lists_with_values(exchange, col_slices, cols, rows, values, turned)
            own.clear()
            del rows, cols
        _core.backends.return_free_memory(True)
        return cls._made(
            shape=shape,
            indptr=lists.indptr,
            name=name,
            _source=dict(source or {}),
            row_slices=row_slices,
            col_slices=col_slices,
            exchange=exchange,
            width=index_type(shape, 0),
            _nnz=exchange.sums(lists.items.size)[0],
            _copies={"indices": lists.items},
            values=values,
        )

    @classmethod
    def of_whole(cls, exchange: Exchange, whole: Pattern, name: str | None) -> DistributedPattern:
        """The pattern of a communicator with one rank, which holds the whole pattern."""
        from btfperm.backends.mpi.slices import even_slices

        width = index_type(whole.shape, 0)
        kept = whole._with(stored_zeros=None, name=name), exchange.call
        return cls._made(
            shape=whole.shape,
            indptr=whole.indptr.astype(np.int64, copy=False),
            name=name,
            _source=dict(whole.source),
            row_slices=even_slices(whole.m, 1, 0),
            col_slices=even_slices(whole.n, 1, 0),
            exchange=exchange,
            width=width,
            _nnz=whole.nnz,
            _copies={"indices": whole.indices.astype(width, copy=False), "whole": kept},
            values=None,
        )

    @classmethod
    def _made(cls, **fields: Any) -> DistributedPattern:
        pattern = object.__new__(cls)
        vars(pattern).update(_hashing=None, note="", stored_zeros=None)
        vars(pattern).update(zeros_dropped=False, without_zeros=False)
        vars(pattern).update(fields)
        return pattern

    def selected(self, chosen: npt.NDArray[np.bool_]) -> DistributedPattern:
        """The pattern of some of the entries: of this rank, those for which `chosen` is true. The
        ranks own the same rows and columns. Collective."""
        with self.exchange.guarded("selected"):
            before = np.concatenate(([0], np.cumsum(chosen)))
            values, indices = self.values, self.indices[chosen]
            return self._with(
                indptr=before[self.indptr],
                _nnz=self.exchange.sums(indices.size)[0],
                _copies={"indices": indices},
                values=None if values is None else values[chosen],
            )

    def set_source(self, source: dict[str, Any], hashing: Any) -> None:
        """Sets where the matrix was read from. `hashing` is the `FileHash` that adds the hash to
        `source`, or None."""
        vars(self).update(_source=source, _hashing=hashing)

    def set_note(self, note: str) -> None:
        """Sets `note`."""
        vars(self)["note"] = note

    @property
    def source(self) -> Mapping[str, Any]:
        """The file; on the rank that hashes it, with its SHA-256. Raises what `FileHash.wait`
        raises."""
        if vars(self)["_hashing"] is not None:
            vars(self)["_hashing"].wait()
        return vars(self)["_source"]  # type: ignore[no-any-return]

    @property
    def is_hashing(self) -> bool:
        """Whether a thread of this rank computes the SHA-256 of the file."""
        hashing = vars(self)["_hashing"]
        return hashing is not None and hashing.is_alive()

    @property
    def nnz(self) -> int:
        """Number of entries of the whole matrix."""
        return int(vars(self)["_nnz"])

    @property
    def indices(self) -> npt.NDArray[Any]:
        """The row numbers of the entries of this rank. The first call of `halo`, which the first
        search makes, overwrites this array; after it, each access to `indices` returns a new
        array."""
        copies = vars(self)["_copies"]
        own: npt.NDArray[Any] | None = copies.get("indices")
        if own is not None and not copies.get("ghosts"):  # with ghosts, `halo` was interrupted
            return own
        halo = self.halo()
        found: npt.NDArray[Any] = halo.numbers()[halo.items]
        return found

    @property
    def columns(self) -> OwnedLists:
        """The row numbers of each column of this rank."""
        return OwnedLists(self.indptr, self.indices)

    @property
    def row_lists(self) -> OwnedLists:
        """The column numbers of each row of this rank; made at the first use. Collective."""
        return self._made_together("rows", self._reversed)  # type: ignore[no-any-return]

    def _reversed(self) -> OwnedLists:
        cols = self.columns.list_of_each(self.width) + self.width(self.col_slices.first)
        return routed(self.exchange, self.row_slices, [cols, self.indices.copy()], False)

    def _made_together(self, name: str, make: Callable[[], Any]) -> Any:
        """The copy of this name. All ranks make it together at its first use, and again if the call
        that made it failed on a rank."""
        copies = vars(self)["_copies"]
        made = copies.get(name)
        if made is None or not self.exchange.holds(made[1]):
            with self.exchange.guarded(name):
                made = copies[name] = make(), self.exchange.call
        return made[0]

    def halo(self, *, of_row_lists: bool = False) -> Halo:
        """The local numbers (``halo.py``) of the rows in the columns of this rank, or of the
        columns in its rows if `of_row_lists`; made at the first use. Collective for row lists. The
        halo of the columns replaces the array of `indices`; after it, each access to `indices`
        returns a new array."""
        from btfperm.backends.mpi.halo import Halo

        if of_row_lists:
            return self._made_together("row halo", self._row_halo)  # type: ignore[no-any-return]
        copies = vars(self)["_copies"]
        if "halo" not in copies:
            own, kept = copies["indices"], copies.setdefault("ghosts", [])
            if "whole" in copies and not kept:  # `whole` may hold the same array
                own, kept = own.copy(), []
            copies["halo"] = Halo(self.exchange, self.row_slices, own, kept)
            del copies["indices"], copies["ghosts"]
            kept.clear()
            _core.backends.return_free_memory(True)
        return copies["halo"]  # type: ignore[no-any-return]

    def _row_halo(self) -> Halo:
        from btfperm.backends.mpi.halo import Halo

        return Halo(self.exchange, self.col_slices, self.row_lists.items.copy())

    def on_host(self) -> Pattern:
        """The whole pattern on each rank. Collective. The rules of ``auto`` use it only for small
        matrices, or if there is one rank."""
        return self._made_together("whole", self._gathered)  # type: ignore[no-any-return]

    def on_first_rank(self) -> Pattern | None:
        """The whole pattern on the first rank, without `source`, because the hash of a large file
        may not be known yet; None on the others. Collective."""
        if self.exchange.size == 1 and "whole" in vars(self)["_copies"]:
            return self.on_host()
        exchange, width = self.exchange, index_type(self.shape, self.nnz)
        own = self.indices.copy() if exchange.size == 1 else self.indices
        before = int(exchange.from_all(int(self.indptr[-1]))[: exchange.rank].sum())
        starts = (self.indptr[int(exchange.rank > 0) :] + before).astype(width)
        whole = exchange.gather_to(0, starts), exchange.gather_to(0, own)
        if whole[0] is None or whole[1] is None:
            return None
        # The ranks have checked, sorted and divided the lists, so they need no check here.
        indptr, indices = frozen(whole[0]), frozen(whole[1].astype(width, copy=False))
        return Pattern._unchecked(self.shape, indptr, indices, self.name)

    def _gathered(self) -> Pattern:
        gather = self.exchange.gather_all
        return self._whole_of(gather(np.diff(self.indptr)), gather(self.indices), self.source)

    def _whole_of(
        self, lengths: npt.NDArray[Any], indices: npt.NDArray[Any], source: Mapping[str, Any]
    ) -> Pattern:
        width = index_type(self.shape, indices.size)
        indptr = np.zeros(lengths.size + 1, dtype=width)
        np.cumsum(lengths, dtype=width, out=indptr[1:])
        return Pattern.from_csc(
            indptr, indices, self.shape, name=self.name, source=source, owned=True
        )

    def __repr__(self) -> str:
        ranks = self.exchange.size
        return (
            f"<DistributedPattern {self.m:,} x {self.n:,}, {self.nnz:,} entries, on {ranks} "
            f"rank{'s' if ranks > 1 else ''}>"
        )


def _same(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values
