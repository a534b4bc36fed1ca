# SPDX-License-Identifier: BSD-3-Clause
"""SciPy: the results of `scipy.sparse.csgraph.maximum_bipartite_matching` and `structural_rank`.

The two values of ``perm_type`` select one of the two arrays of a matching. ``"row"`` gives the row
matched to each column, so ``A[row, :]`` has a zero-free diagonal if every column is matched.
``"column"`` gives the column matched to each row, so ``A[:, column]`` has a zero-free diagonal if
every row is matched. Base 0; -1 where a row or column is unmatched. These arrays contain no blocks
and no order for a solver; `as_superlu` has the permutations for `splu`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from btfperm.conventions.square import require_decomposition
from btfperm.results import Decomposition, IndexArray
from btfperm.results.equality import tuple_by_value

__all__ = ["SciPy", "as_scipy", "read_scipy"]


@tuple_by_value
class SciPy(NamedTuple):
    """row (n,): the result for ``perm_type="row"``; column (m,): the result for
    ``perm_type="column"``; structural_rank: the number of matched rows."""

    row: IndexArray
    column: IndexArray
    structural_rank: int


def as_scipy(result: Decomposition) -> SciPy:
    """Both results of `maximum_bipartite_matching`; any shape, any structural rank. O(m + n).

    A maximum matching is not unique: SciPy may return another one of the same size.

    Parameters
    ----------
    result : of `dulmage_mendelsohn` or `block_triangular_form`

    Returns
    -------
    SciPy : a named tuple of index arrays

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[0, 2, 0], [0, 3, 4], [5, 0, 6]])
    >>> order = btfperm.as_scipy(btfperm.dulmage_mendelsohn(A))
    >>> order.row, order.column, order.structural_rank
    (array([2, 0, 1], dtype=int32), array([1, 2, 0], dtype=int32), 3)
    >>> A[order.row, :].diagonal(), A[:, order.column].diagonal()
    (array([5, 2, 4]), array([2, 4, 5]))
    >>> btfperm.as_scipy(btfperm.dulmage_mendelsohn([[1, 1]]))  # column 1 is unmatched
    SciPy(row=array([ 0, -1], dtype=int32), column=array([0], dtype=int32), structural_rank=1)
    """
    require_decomposition(result)
    result = result.on_host()
    return SciPy(result.col_match, result.row_match, result.structural_rank)


def read_scipy(
    fields: Mapping[str, Any], *, completed: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file under the keys of `perm.npz`, for `btfperm check`. O(m + n).

    If the file has no structural rank, the number of matched rows is used.
    """
    names = {"row_match": "column", "col_match": "row", "structural_rank": "structural_rank"}
    here = {key: np.asarray(fields[name]) for key, name in names.items() if name in fields}
    arrays: dict[str, Any] = {key: array.ravel() for key, array in here.items()}
    if "structural_rank" in here:
        rank = here["structural_rank"]
        arrays["structural_rank"] = rank.reshape(()) if rank.size == 1 else rank
    elif "row_match" in here:
        arrays["structural_rank"] = np.asarray(int((here["row_match"] >= 0).sum()))
    return arrays, names
