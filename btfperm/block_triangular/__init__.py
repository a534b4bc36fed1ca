# SPDX-License-Identifier: BSD-3-Clause
"""UPPER BLOCK TRIANGULAR FORM, SQUARE MATRICES."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from btfperm.arguments import refuse_unknown_keywords
from btfperm.block_triangular.completion import complete
from btfperm.dulmage_mendelsohn import (
    beside_matches,
    decompose_matched,
    describe,
    where_the_matrix_is,
)
from btfperm.errors import InvalidArgumentError
from btfperm.pattern import DECOMPOSITION, KeptPattern, Pattern, as_pattern, memory_for
from btfperm.results import BlockTriangularForm, Transversal
from btfperm.results.read_only import made
from btfperm.transversal import SEARCH_KEYWORDS, proven_transversal
from btfperm.transversal.limits import Controls

__all__ = ["block_triangular_form"]


def block_triangular_form(
    A: Any,
    *,
    transversal: Transversal | None = None,
    threads: int | None = None,
    drop_zeros: bool | None = None,
    shape: Sequence[int] | None = None,
    **options: Any,
) -> BlockTriangularForm:
    """Block upper triangular form of a square matrix, in KLU's sense.

    Parameters
    ----------
    A : anything `as_pattern` takes, square
    transversal : a maximum transversal of `A`, when it is known already
    threads : as for `maximum_transversal`; the blocks and their order do not depend on it, unless
        the matrix is structurally singular
    drop_zeros : True leaves stored zeros out, False keeps them; the default keeps them and warns
    shape : (m, n), only with a (data, indices, indptr) triple
    options : as for `maximum_transversal`; none together with `transversal`

    Returns
    -------
    BlockTriangularForm : of a matrix with full structural rank, the same blocks in the same order
        as `dulmage_mendelsohn` gives. A structurally singular one is completed as KLU does.
        Rows and columns ascend inside a block; `matched_row_perm` has the transversal on the
        diagonal.

    Raises
    ------
    InvalidArgumentError : `A` is not square, or `transversal` belongs to another matrix
    LimitReachedError : a limit stopped the search
    DefectError : the answer does not stand its proof; a defect of btfperm, please report it

    Notes
    -----
    O(nnz) after the transversal. A matrix that lives on a GPU is decomposed there, unless
    ``backend="cpu"``: the result holds CuPy arrays; see `Decomposition`.

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
    with memory_for(DECOMPOSITION):
        pattern = as_pattern(A, shape=shape, drop_zeros=drop_zeros, threads=threads)
        if pattern.m != pattern.n:
            raise InvalidArgumentError(
                f"block triangular form needs a square matrix, this one is {pattern.m} x "
                f"{pattern.n}; dulmage_mendelsohn takes any shape"
            )
        team = Controls(pattern.nnz, threads=threads).threads
        if transversal is None:
            options |= {"threads": threads, "drop_zeros": drop_zeros}
        return where_the_matrix_is(_formed, pattern, transversal, options, team)


def _formed(
    pattern: Pattern, given: Transversal | None, options: dict[str, Any], team: int
) -> BlockTriangularForm:
    transversal = proven_transversal(pattern, given, options)
    begin = time.perf_counter()
    pattern = beside_matches(pattern, transversal)
    row_match, col_match = transversal.row_match, transversal.col_match
    paired_col, paired_row, completed = complete(row_match, col_match)
    form = decompose_matched(pattern, paired_col, paired_row, team)
    seconds = dict(transversal.seconds, decomposition=time.perf_counter() - begin)
    whole = np.array([0, 0, pattern.n, pattern.n, pattern.n], dtype=pattern.indices.dtype)
    fields = {
        "shape": pattern.shape,
        "row_perm": form.row_perm,
        "col_perm": form.col_perm,
        "row_blocks": form.row_blocks,
        "col_blocks": form.row_blocks,
        "coarse_rows": whole,
        "coarse_cols": np.array([0, 0, 0, pattern.n, pattern.n], dtype=whole.dtype),
        "row_match": row_match,
        "col_match": col_match,
        "structural_rank": transversal.structural_rank,
        "transversal": transversal,
        "pattern": pattern.on_host() if isinstance(pattern, KeptPattern) else pattern,
        "completed": completed,
        "paired_row": paired_row,
    }
    meta = partial(describe, "block_triangular_form", pattern, transversal, seconds)
    return made(BlockTriangularForm, fields, {"meta": meta})
