# SPDX-License-Identifier: BSD-3-Clause
"""AN ORDER AGAINST FILL inside each diagonal block, and the fill that an order causes.

In this package, *fill* is the number of entries of L + U inside the diagonal blocks, with the
diagonal counted once.

``minimum_degree.hpp`` is the elimination that "amd" and "colamd" share. ``minimum_fill.hpp``
eliminates in the pattern of an unsymmetric block itself. ``reverse_cuthill_mckee.hpp`` makes a
small bandwidth. ``order_blocks.hpp`` calls them for each block, and ``symbolic.hpp`` counts the
entries of L and U.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from btfperm import _core
from btfperm.pattern import Pattern, inverse

if TYPE_CHECKING:
    from btfperm.results import IndexArray

__all__ = ["Fill", "Method", "count_fill", "count_symmetric", "order_and_symmetry"]
__all__ += ["order_by_fill", "order_places"]

Method = Literal["amd", "amd-ascending", "colamd", "rcm"]

_METHODS = {"amd": 0, "colamd": 1, "rcm": 2, "amd-ascending": 4}
_MINIMUM_FILL = 3


class Fill(NamedTuple):
    """The size of LU factors whose pivots are on the diagonal.

    Attributes
    ----------
    lower : entries of L below the diagonal
    upper : entries of U with the diagonal
    operations : multiplications and divisions
    """

    lower: int
    upper: int
    operations: float

    @property
    def total(self) -> int:
        """Entries of L + U, the diagonal once."""
        return self.lower + self.upper


def order_places(
    pattern: Pattern,
    row_perm: IndexArray,
    col_perm: IndexArray,
    blocks: IndexArray,
    method: Method,
    threads: int = 1,
) -> IndexArray:
    """An order of the rows and columns inside each block of a block triangular matrix.

    Parameters
    ----------
    pattern : a square matrix on the host
    row_perm, col_perm : (n,) the row and column at each place of the block triangular form
    blocks : (k + 1,) the places where the blocks begin, and n
    method : for a block B, "amd" uses the pattern of B + B', and "colamd" that of B'B; "rcm" makes
        a small bandwidth. "amd-ascending" is "amd" for KLU. The two differ in unsymmetric blocks:
        variables that are eliminated together are in the order of their numbers with
        "amd-ascending", and in that of their Markowitz counts with "amd" (see
        ``elimination_order.hpp``)
    threads : number of threads; the result does not depend on it

    Returns
    -------
    (n,) for each place of the new order, the place of the block triangular form that moves there

    Notes
    -----
    "amd" and "colamd" take O(n nnz) in the worst case, and far less in practice; see
    ``minimum_degree.hpp``. "rcm" is nearly linear; see ``reverse_cuthill_mckee.hpp``.
    """
    order = np.empty_like(col_perm)
    _core.ordering.order_blocks(
        *_form(pattern, row_perm, col_perm, blocks), _METHODS[method], 0, 0, threads, order
    )
    return order


def order_and_symmetry(
    pattern: Pattern,
    row_perm: IndexArray,
    col_perm: IndexArray,
    blocks: IndexArray,
    threads: int = 1,
) -> tuple[IndexArray, tuple[int, int]]:
    """The results of `order_places` with "amd-ascending" and of `count_symmetric`, in less time
    than both."""
    order = np.empty_like(col_perm)
    _, *counted = _core.ordering.order_blocks(
        *_form(pattern, row_perm, col_perm, blocks), _METHODS["amd-ascending"], 0, 0, threads, order
    )
    return order, (counted[0], counted[1])


def order_by_fill(
    pattern: Pattern,
    row_perm: IndexArray,
    col_perm: IndexArray,
    blocks: IndexArray,
    most: int,
    most_work: int,
    threads: int = 1,
) -> IndexArray | None:
    """The order inside each block by minimum local fill, or None if a block exceeds a limit.

    `most` bounds the entries of L + U in one block, where those of dense rows and columns do not
    count. `most_work` bounds the entries visited in one block. The other parameters and the result
    are those of `order_places`. Each thread allocates about 2 `most` indices, but touches only the
    part that holds entries.
    """
    order = np.empty_like(col_perm)
    form = _form(pattern, row_perm, col_perm, blocks)
    limits = most, most_work
    complete, *_ = _core.ordering.order_blocks(*form, _MINIMUM_FILL, *limits, threads, order)
    return order if complete else None


def count_fill(
    pattern: Pattern,
    row_perm: IndexArray,
    col_perm: IndexArray,
    blocks: IndexArray,
    order: IndexArray,
    most: int,
    threads: int = 1,
) -> Fill | None:
    """The entries of L and U inside the diagonal blocks if all pivots stay on the diagonal; None if
    L has more than `most` entries in one block.

    `order` is the result of `order_places`, and the other parameters are those of `order_places`.
    Each thread allocates at most `most` indices, but touches only the part that holds entries.
    """
    has_room, *numbers = _core.ordering.count_fill(
        *_form(pattern, row_perm, col_perm, blocks), order, most, threads
    )
    return Fill(*numbers) if has_room else None


def count_symmetric(
    pattern: Pattern,
    row_perm: IndexArray,
    col_perm: IndexArray,
    blocks: IndexArray,
    threads: int = 1,
) -> tuple[int, int]:
    """(number of entries off the diagonal in blocks of at least three rows, number of those among
    them whose mirror image is an entry). The parameters are those of `order_places`. O(nnz)."""
    form = _form(pattern, row_perm, col_perm, blocks)
    entries, mirrored = _core.ordering.count_symmetric(*form, threads)
    return entries, mirrored


def _form(pattern: Pattern, row_perm: IndexArray, col_perm: IndexArray, blocks: IndexArray) -> Any:
    width = pattern.indices.dtype
    place = inverse(row_perm).astype(width, copy=False)
    return pattern.indptr, pattern.indices, place, col_perm, blocks
