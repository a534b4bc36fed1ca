# SPDX-License-Identifier: BSD-3-Clause
"""`as_pattern`: converts a sparse matrix of any supported type to a `Pattern`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.arguments import truth
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.pattern.arrays import checked_shape, is_device_array, matrix_on_device
from btfperm.pattern.blocks_and_diagonals import pattern_of_blocks, pattern_of_diagonals
from btfperm.pattern.host_matrix import is_scipy, is_valued, positions_of, recognised
from btfperm.pattern.pattern import Pattern

if TYPE_CHECKING:
    from btfperm.backends.mpi.exchange import Exchange

__all__ = [
    "as_pattern",
    "home_of",
    "over_ranks",
    "parts_of_triple",
    "refuse_backend_without_ranks",
    "refuse_other_shape",
    "refuse_ranks",
]

_NOTHING: AbstractContextManager[None] = nullcontext()  # made once: calls may be short


def as_pattern(
    A: Any,
    *,
    shape: Sequence[int] | None = None,
    drop_zeros: bool | None = None,
    owned: bool = False,
    threads: int | None = None,
    comm: Any = None,
) -> Pattern:
    """Convert a sparse matrix of any supported type to a `Pattern`. Inputs are never modified.

    Parameters
    ----------
    A : a `Pattern` or `ValuedPattern`; any ``scipy.sparse`` matrix or array, or an object that
        becomes one by ``to_scipy_sparse()`` (PyData ``sparse``), ``tocsc()`` or ``tocoo()``; a
        CasADi ``Sparsity``, ``SX`` or ``MX``; a dense array (entries are the nonzeros);
        a ``(data, indices, indptr)`` triple of compressed columns with `shape`, where data may be
        None; a path of a matrix file. A matrix on a GPU becomes a `DevicePattern` there: every
        ``cupyx.scipy.sparse`` matrix, and triples and dense arrays of any kind that has
        ``__cuda_array_interface__`` or DLPack
    shape : (m, n), required with a triple; for other matrices it must equal their shape
    drop_zeros : True omits stored zeros, False keeps them. The default, None, keeps them, and
        returns a `Pattern` as it is, with or without its stored zeros
    owned : True if the caller does not change the index arrays of `A` while the pattern is in use:
        canonical compressed columns are then not copied. If the arrays do change, the core may read
        out of bounds. Default False
    threads : number of threads for the passes over compressed rows or columns. The default is all
        cores from a million entries on; below, one thread runs, whatever the number. With a `comm`
        of one rank, it is also the number of threads that parse a Matrix Market file
    comm : an mpi4py communicator: the result is a `DistributedPattern`, of a file (see
        ``io/read_mpi.py`` for which ranks read it) or of a matrix that is the same on each rank.
        Collective

    Returns
    -------
    Pattern, DevicePattern or DistributedPattern : canonical compressed columns. O(m + n + nnz) if
        the entries are in this order already; otherwise at most O(m + n + nnz log nnz)

    Raises
    ------
    BackendUnavailableError : `A` is on a GPU that CuPy cannot use, or that cannot convert it
    InvalidArgumentError : `A` has another shape than `shape`, or is a `DistributedPattern` that
        does not fit `comm` or cannot be changed as `drop_zeros` requests
    InvalidMatrixError : arrays do not describe a matrix
    ResourceMissingError : the free memory is too small for the rows and columns
    UnreadableInputError : a file is no matrix

    Examples
    --------
    >>> import numpy as np
    >>> from btfperm import as_pattern
    >>> as_pattern(np.array([[4.0, 0.0, 1.0], [0.0, 2.0, 0.0]]))
    <Pattern 2 x 3, 3 entries>
    >>> as_pattern((None, [0, 0, 1], [0, 1, 3]), shape=(2, 2))
    <Pattern 2 x 2, 3 entries>
    """
    if comm is not None or (isinstance(A, Pattern) and A.is_distributed):
        with over_ranks(A, comm):
            return _distributed(A, comm, shape, drop_zeros, threads)
    if is_valued(A):
        A = A.pattern
    if isinstance(A, Pattern) and shape is None and drop_zeros is None:
        return A
    if drop_zeros is not None:
        drop_zeros = truth("drop_zeros", drop_zeros)
    owned = truth("owned", owned)
    if isinstance(A, tuple):
        if any(map(is_device_array, A)):
            return _from_device_triple(A, shape, bool(drop_zeros))
        return _from_triple(A, shape, bool(drop_zeros), owned, threads)
    pattern = _with_own_shape(A, drop_zeros, owned, threads)
    refuse_other_shape(shape, pattern.shape)
    return pattern


def is_over_ranks(A: Any, comm: Any) -> bool:
    """Whether a call with these arguments is collective, that is, made by all ranks of a
    communicator."""
    return comm is not None or getattr(A, "is_distributed", False)


def home_of(comm: Any) -> str:
    """The backend that holds a matrix which is read from a file: over the ranks of a communicator,
    or in one process if it is None."""
    return "cpu" if comm is None else "mpi"


def over_ranks(A: Any, comm: Any) -> AbstractContextManager[None]:
    """A context in which an error on one rank of the communicator is raised on all of them, see
    `Ranks.guarded`; without a communicator, it does nothing. The function that calls `over_ranks`,
    and the arguments in its frame, must be the same on all ranks."""
    own: Exchange | None = None
    if isinstance(A, Pattern) and A.is_distributed:
        own = A.exchange  # type: ignore[attr-defined]
    if own is None and comm is None:
        return _NOTHING
    from btfperm.backends.mpi.agreement import arguments_of
    from btfperm.backends.mpi.exchange import Exchange

    call, given = arguments_of(sys._getframe(1))
    exchange = own if own is not None and comm is None else Exchange.of(comm)
    if own is None or own is exchange:
        return exchange.guarded(call, given)
    return _over_both(own, exchange, call, given)


@contextmanager
def _over_both(
    own: Exchange, exchange: Exchange, call: str, given: Mapping[str, Any]
) -> Iterator[None]:
    """`over_ranks` if `comm` is not the communicator of the matrix, but a duplicate of it."""
    is_like = own.is_like(exchange.comm)
    other = "a duplicate" if is_like else "one with other ranks"
    with exchange.guarded(call, {**given, "comm of the matrix": other}):
        if not is_like:
            raise InvalidArgumentError(
                "the DistributedPattern belongs to a communicator with other ranks than comm="
            )
        with own.guarded(call, given):
            yield


def refuse_ranks(function: str, A: Any, options: dict[str, Any]) -> None:
    """Removes ``comm`` and ``gather`` from the options of a function that needs one process.

    Raises
    ------
    InvalidArgumentError : one of them is given, or `A` is a DistributedPattern
    """
    comm, gather = options.pop("comm", None), options.pop("gather", True)
    if gather is not True or is_over_ranks(A, comm):
        raise InvalidArgumentError(
            f"{function} is not available over MPI ranks: leave out comm= and gather=, and give "
            "the whole matrix to one process"
        )


def refuse_backend_without_ranks(backend: str) -> None:
    """Raises InvalidArgumentError if the backend is "mpi". The matrix is not over MPI ranks."""
    if backend == "mpi":
        raise InvalidArgumentError(
            "backend='mpi' needs an mpi4py communicator (comm=) or a DistributedPattern"
        )


def _distributed(
    A: Any, comm: Any, shape: Sequence[int] | None, drop_zeros: bool | None, threads: int | None
) -> Pattern:
    """See `comm` of `as_pattern`."""
    from btfperm.backends.mpi.slices import even_slices
    from btfperm.pattern.distributed import DistributedPattern

    if isinstance(A, DistributedPattern):
        refuse_other_shape(shape, A.shape)
        if drop_zeros is None or truth("drop_zeros", drop_zeros) == A.without_zeros:
            return A
        if A.values is None or not drop_zeros:
            without = "without" if A.without_zeros else "with"
            raise InvalidArgumentError(
                f"drop_zeros={drop_zeros} came too late: the DistributedPattern was made {without} "
                "its stored zeros, and has not kept what it needs to change that"
            )
        found = A.selected(A.values != 0)
        return found._with(zeros_dropped=found.nnz < A.nnz, without_zeros=True)
    if isinstance(A, str | os.PathLike):
        from btfperm.io.read_mpi import read_distributed

        found = read_distributed(A, comm, drop_zeros=bool(drop_zeros), threads=threads)
        refuse_other_shape(shape, found.shape)
        return found
    whole = as_pattern(A, shape=shape, drop_zeros=drop_zeros).on_host()
    own = even_slices(whole.n, comm.size, comm.rank)
    starts = whole.indptr[own.first : own.last + 1]
    rows = whole.indices[int(starts[0]) : int(starts[-1])]
    found = DistributedPattern.from_columns(
        comm, starts - starts[0], rows, whole.shape, first=own.first, name=whole.name
    )
    dropped = whole.zeros_dropped
    return found._with(zeros_dropped=dropped, without_zeros=bool(drop_zeros) or dropped)


def _with_own_shape(A: Any, drop_zeros: bool | None, owned: bool, threads: int | None) -> Pattern:
    if isinstance(A, Pattern):
        if drop_zeros is None or A.stored_zeros is None or drop_zeros == A.zeros_dropped:
            return A
        other = A.without(A.stored_zeros) if drop_zeros else A.union(A.stored_zeros)
        return other._with(stored_zeros=A.stored_zeros.on_host(), zeros_dropped=drop_zeros)
    drop = bool(drop_zeros)
    if is_scipy(A):
        return _from_scipy(A, drop, owned, threads)
    if matrix_on_device(A):
        return _from_device(A, drop)
    if isinstance(A, str | os.PathLike):
        from btfperm.io import read

        return read(A, drop_zeros=drop)
    found = recognised(A, values=False)
    if isinstance(found, Pattern):
        return found
    if not isinstance(found, np.ndarray):
        return _from_scipy(found, drop, owned, threads)
    if found.ndim != 2 or found.dtype.kind not in "biufc":
        raise InvalidMatrixError(
            f"{type(A).__name__} is no matrix: it has {found.ndim} dimensions and holds "
            f"{found.dtype}; give a scipy.sparse matrix or array, a two-dimensional array of "
            "numbers, a (data, indices, indptr) triple with shape=, a path, or a Pattern"
        )
    cols, rows = np.nonzero(found.T)
    return Pattern.from_coo(rows, cols, found.shape, owned=True)


def refuse_other_shape(shape: Sequence[int] | None, own: tuple[int, int]) -> None:
    """Raise InvalidArgumentError for a given shape that differs from the shape of the matrix."""
    if shape is not None and checked_shape(shape) != own:
        raise InvalidArgumentError(
            f"shape={tuple(shape)} was given with a matrix of shape {own}; leave it out, it is "
            "only for (data, indices, indptr) triples"
        )


def parts_of_triple(
    A: tuple[Any, ...], shape: Sequence[int] | None
) -> tuple[Any, Any, Any, Sequence[int]]:
    """The data, indices and indptr of a triple, and its shape.

    Raises
    ------
    InvalidMatrixError : it has other parts, or no shape
    """
    if len(A) != 3 or shape is None:
        raise InvalidMatrixError(
            "a tuple must be (data, indices, indptr) of compressed columns, with shape=(m, n)"
        )
    return *A, shape


def _from_triple(
    A: tuple[Any, ...],
    shape: Sequence[int] | None,
    drop: bool,
    owned: bool,
    threads: int | None,
) -> Pattern:
    data, indices, indptr, shape = parts_of_triple(A, shape)
    how: dict[str, Any] = {"drop_zeros": drop, "owned": owned, "threads": threads}
    return Pattern.from_csc(indptr, indices, shape, values=data, **how)


def _from_scipy(A: Any, drop: bool, owned: bool, threads: int | None) -> Pattern:
    shape, form = A.shape, A.format
    if len(shape) != 2:
        raise InvalidMatrixError(f"a matrix has two dimensions, not {len(shape)}")
    if form in ("csc", "csr"):
        make = Pattern.from_csc if form == "csc" else Pattern.from_csr
        return make(
            A.indptr,
            A.indices,
            shape,
            values=A.data,
            drop_zeros=drop,
            owned=owned,
            threads=threads,
        )
    if form == "bsr":
        return pattern_of_blocks(
            A.data, A.indices, A.indptr, shape, drop_zeros=drop, threads=threads
        )
    if form == "dia":
        return pattern_of_diagonals(A.data, A.offsets, shape)
    rows, cols, values = positions_of(A)
    return Pattern.from_coo(rows, cols, shape, values=values, drop_zeros=drop, owned=form != "coo")


def _from_device_triple(A: tuple[Any, ...], shape: Sequence[int] | None, drop: bool) -> Pattern:
    from btfperm.backends.gpu.arrays import as_device_array, device_of
    from btfperm.backends.gpu.device import on
    from btfperm.pattern.device_input import from_columns

    data, indices, indptr, shape = parts_of_triple(A, shape)
    if not (is_device_array(indices) and is_device_array(indptr)):
        raise InvalidMatrixError(
            "indices and indptr must both be on the device, or both on the host"
        )
    with on(None), on(device_of(as_device_array(indices))):
        return from_columns(indptr, indices, shape, data, drop_zeros=drop)


def _from_device(A: Any, drop: bool) -> Pattern:
    """A CuPy sparse matrix, or a dense array on a device."""
    from btfperm.backends.gpu.arrays import as_device_array, device_of
    from btfperm.backends.gpu.device import on
    from btfperm.pattern import device_input

    form = getattr(A, "format", None)
    with on(None):
        if form is None:
            dense = as_device_array(A)
            if dense.ndim != 2 or dense.dtype.kind not in "biufc":
                raise InvalidMatrixError(
                    f"{type(A).__name__} is no matrix: it has {dense.ndim} dimensions and holds "
                    f"{dense.dtype}"
                )
            with on(device_of(dense)):
                return device_input.from_dense(dense)
        with on(device_of(as_device_array(A.data))):
            if form == "csr":
                return device_input.from_rows(A.indptr, A.indices, A.shape, A.data, drop_zeros=drop)
            if form == "coo":
                return device_input.from_coo(A.row, A.col, A.shape, A.data, drop_zeros=drop)
            columns = A if form == "csc" else A.tocsc()
            return device_input.from_columns(
                columns.indptr, columns.indices, A.shape, columns.data, drop_zeros=drop
            )
