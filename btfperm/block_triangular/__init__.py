# SPDX-License-Identifier: BSD-3-Clause
"""UPPER BLOCK TRIANGULAR FORM OF SQUARE MATRICES."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.arguments import refuse_unknown_keywords
from btfperm.block_triangular.completion import complete
from btfperm.dulmage_mendelsohn import decomposed
from btfperm.errors import InvalidArgumentError
from btfperm.path.decompose import Decomposed
from btfperm.pattern import DECOMPOSITION, as_pattern, memory_for
from btfperm.pattern.arrays import prefix
from btfperm.pattern.input import refuse_ranks
from btfperm.results import BlockTriangularForm, IndexArray, Transversal
from btfperm.results.decomposition import fields_of
from btfperm.results.read_only import new_result
from btfperm.transversal import SEARCH_KEYWORDS

if TYPE_CHECKING:
    from btfperm.results import WeightedTransversal

__all__ = ["block_triangular_form"]


def block_triangular_form(
    A: Any,
    *,
    transversal: Transversal | WeightedTransversal | None = None,
    threads: int | None = None,
    drop_zeros: bool | None = None,
    shape: Sequence[int] | None = None,
    **options: Any,
) -> BlockTriangularForm:
    """Block upper triangular form of a square matrix, in KLU's sense.

    Parameters
    ----------
    A : a square matrix of any type that `as_pattern` accepts, but not one over MPI ranks
    transversal : as for `dulmage_mendelsohn`
    threads : as for `maximum_transversal`; the blocks and their order do not depend on it, unless
        the matrix is structurally singular
    drop_zeros : as for `maximum_transversal`
    shape : (m, n), only with a (data, indices, indptr) triple
    options : as for `maximum_transversal`, without `comm` and `gather`; not permitted together with
        `transversal`

    Returns
    -------
    BlockTriangularForm : if the matrix has full structural rank, the blocks and their order are
        those of `dulmage_mendelsohn`. If it is structurally singular, unmatched rows are paired
        with unmatched columns as in KLU. Rows and columns ascend inside a block. With
        `matched_row_perm` as the row permutation, the transversal (and these pairs) are on the
        diagonal.

    Raises
    ------
    InvalidArgumentError : `A` is not square, `transversal` belongs to another matrix or is not
        maximum, or another argument is invalid
    LimitReachedError : a limit stopped the search
    DefectError : the result fails its certificate: a defect of btfperm, please report it

    Notes
    -----
    The cost, and the device that holds the result, are as for `dulmage_mendelsohn`.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[0, 2, 0], [1, 4, 5], [0, 1, 3]])
    >>> f = btfperm.block_triangular_form(A)
    >>> f
    <BlockTriangularForm of a 3 x 3 matrix: 3 blocks, the largest of 1 rows>
    >>> f.apply(A)
    array([[1, 5, 4],
           [0, 3, 1],
           [0, 0, 2]])
    """
    refuse_unknown_keywords("block_triangular_form", options, SEARCH_KEYWORDS)
    refuse_ranks("block_triangular_form", A, options)
    with memory_for(DECOMPOSITION):
        pattern = as_pattern(A, shape=shape, drop_zeros=drop_zeros, threads=threads)
        if pattern.m != pattern.n:
            raise InvalidArgumentError(
                f"{prefix(pattern.name)}the block triangular form needs a square matrix, this one "
                f"is {pattern.m} x {pattern.n}; dulmage_mendelsohn takes any shape"
            )
        options["drop_zeros"] = drop_zeros
        return decomposed(pattern, transversal, threads, options, _completed, _form)


def _completed(transversal: Transversal) -> tuple[IndexArray, IndexArray]:
    return complete(transversal.row_match, transversal.col_match)


def _form(done: Decomposed, meta: Callable[[str], Any]) -> BlockTriangularForm:
    pattern, transversal, form = done.session.pattern, done.transversal, done.form
    whole = np.array([0, 0, pattern.n, pattern.n, pattern.n], dtype=pattern.indices.dtype)
    fields = {
        "shape": pattern.shape,
        "row_perm": form.row_perm,
        "col_perm": form.col_perm,
        "row_blocks": form.row_blocks,
        "col_blocks": form.row_blocks,
        "coarse_rows": whole,
        "coarse_cols": np.array([0, 0, 0, pattern.n, pattern.n], dtype=whole.dtype),
        **fields_of(transversal),
        "pattern": pattern,
        "completed": pattern.n - transversal.structural_rank,
        "paired_row": done.col_match,
    }
    return new_result(BlockTriangularForm, fields, {"meta": meta("block_triangular_form")})
