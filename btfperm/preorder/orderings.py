# SPDX-License-Identifier: BSD-3-Clause
"""The order inside the diagonal blocks: amd, colamd, natural.

Idea        SuperLU orders columns by COLAMD or by multiple minimum degree on B + B', but SciPy
            shows the order only together with factors. An incomplete factorization of the pattern,
            with ones on the diagonal and very small numbers elsewhere, drops all fill, so nearly
            all of its cost is the ordering. Large blocks are ordered alone, runs of smaller ones in
            one call, without the entries between them, and a stable sort by block separates the
            orders. The orders are the same: only COLAMD's bound for a dense row, 10 sqrt(rows),
            depends on the other blocks, and below `_LARGE` rows no row can be dense.
Papers      Davis, Gilbert, Larimore, Ng: A column approximate minimum degree ordering algorithm,
            TOMS 30 (2004). Liu: Modification of the minimum-degree algorithm by multiple
            elimination, TOMS 11 (1985).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from btfperm.errors import InvalidArgumentError, ResourceMissingError
from btfperm.pattern import Pattern, inverse
from btfperm.preorder.segments import diagonal_squares, segment_bounds
from btfperm.results import BlockTriangularForm, IndexArray

__all__ = ["BlockOrdering", "order_inside_blocks"]

BlockOrdering = Literal["auto", "colamd", "amd", "natural"]

_LARGE = 101
_PERMC_SPEC = {"colamd": "COLAMD", "amd": "MMD_AT_PLUS_A"}
# Least share of symmetric entries inside the blocks for amd, by solver. With KLU (tol
# .001) amd leaves fewer numbers in L + U than colamd on ibmpg1_mna (.31) and on most matrices that
# are more symmetric, but more on bayer10 (.18). SuperLU (diag_pivot_thresh 1) pivots off the
# diagonal: amd leaves many more on bayer10, ibmpg1_mna, cavity14 (.41) and lns_3937 (.51), and
# fewer on ScaleMicrogrid (.58), bips98_606 (.97) and pfjac 13659pegase (1).
_SYMMETRIC_ENOUGH = {"klu": 0.25, "superlu": 0.75}


def order_inside_blocks(
    pattern: Pattern, form: BlockTriangularForm, ordering: BlockOrdering, solver: str
) -> tuple[IndexArray, IndexArray, BlockOrdering]:
    """(row_perm, col_perm, name of the chosen ordering): gather permutations with the
    transversal on the diagonal; the blocks of `form` stay where they are."""
    row_perm, col_perm = form.matched_row_perm, form.col_perm
    sizes = np.diff(form.blocks)
    if ordering == "auto" and not (sizes > 2).any():
        ordering = "natural"
    if ordering == "natural":
        return row_perm, col_perm, ordering
    block = np.repeat(np.arange(sizes.size), sizes)
    inside = _inside_blocks(pattern, form, block)
    if ordering == "auto":
        ordering = "amd" if _symmetry(inside) >= _SYMMETRIC_ENOUGH[solver] else "colamd"
    order = np.arange(pattern.n)
    for begin, end, square in diagonal_squares(inside, segment_bounds(form.blocks, _LARGE)):
        if np.bincount(block[begin:end] - block[begin]).max() > 2:  # else nothing to gain
            first = begin + _first_to_last(square, _PERMC_SPEC[ordering])
            order[begin:end] = first[np.argsort(block[first], kind="stable")]
    return row_perm[order], col_perm[order], ordering


def _inside_blocks(pattern: Pattern, form: BlockTriangularForm, block: IndexArray) -> Any:
    """Entries inside the diagonal blocks of the permuted matrix, transversal on the diagonal, as a
    csc_array of ones; `block` is the block of each place."""
    from scipy.sparse import coo_array

    if pattern.nnz >= 2**31:
        raise InvalidArgumentError(
            f"SciPy's orderings take fewer than 2**31 entries, there are {pattern.nnz:,}; give "
            "block_ordering='natural'"
        )
    rows = inverse(form.matched_row_perm)[pattern.indices]
    cols = inverse(form.col_perm)[pattern.cols()]
    stays = block[rows] == block[cols]
    rows, cols = rows[stays].astype(np.int32), cols[stays].astype(np.int32)
    return coo_array((np.ones(rows.size), (rows, cols)), shape=pattern.shape).tocsc()


def _symmetry(inside: Any) -> float:
    """Share of the entries off the diagonal whose mirror image is an entry, too."""
    n: int = inside.shape[0]
    mirrored: int = inside.multiply(inside.T).nnz
    entries: int = inside.nnz
    return (mirrored - n) / max(entries - n, 1)


def _first_to_last(inside: Any, permc_spec: str) -> Any:
    """Columns in the order SuperLU would take them; `inside` is overwritten."""
    from scipy.sparse.linalg import spilu

    columns = np.repeat(np.arange(inside.shape[1]), np.diff(inside.indptr))
    inside.data[:] = np.where(inside.indices == columns, 1.0, 1e-30)
    drop_all = {"drop_tol": 0.9, "drop_rule": "basic", "fill_factor": 1, "diag_pivot_thresh": 0.0}
    # SuperLU sorts its order along an elimination tree: by default that of B'B, which ruins
    # an order made for B + B' (four times the fill on a grid).
    symmetric = {"SymmetricMode": permc_spec == "MMD_AT_PLUS_A"}
    try:
        factors = spilu(
            inside, permc_spec=permc_spec, relax=1, panel_size=1, options=symmetric, **drop_all
        )
    except MemoryError:
        raise ResourceMissingError(
            f"not enough memory to order {inside.nnz:,} entries; give block_ordering='natural'"
        ) from None
    return np.argsort(factors.perm_c)
