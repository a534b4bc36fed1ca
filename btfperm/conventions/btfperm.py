# SPDX-License-Identifier: BSD-3-Clause
"""btfperm's own convention, as a named tuple like the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from btfperm.conventions.square import require_decomposition
from btfperm.results import Decomposition, IndexArray
from btfperm.results.equality import tuple_by_value

__all__ = ["Btfperm", "as_btfperm", "read_btfperm", "write_btfperm"]


@tuple_by_value
class Btfperm(NamedTuple):
    """The arrays of a `perm.npz`, under the same names. Gather, base 0, unmatched -1."""

    row_perm: IndexArray
    col_perm: IndexArray
    row_blocks: IndexArray
    col_blocks: IndexArray
    coarse_rows: IndexArray
    coarse_cols: IndexArray
    row_match: IndexArray
    col_match: IndexArray


def as_btfperm(result: Decomposition) -> Btfperm:
    """The arrays of `result`, unchanged. O(1); for a result on a GPU, in addition to a copy.

    >>> import btfperm
    >>> from btfperm.conventions import as_btfperm
    >>> order = as_btfperm(btfperm.dulmage_mendelsohn([[0, 2, 0], [0, 3, 4], [5, 0, 6]]))
    >>> order.row_perm, order.col_perm, order.row_blocks
    (array([2, 1, 0], dtype=int32), array([0, 2, 1], dtype=int32), array([0, 1, 2, 3], dtype=int32))
    """
    require_decomposition(result)
    result = result.on_host()
    return Btfperm(*(getattr(result, name) for name in Btfperm._fields))


def write_btfperm(result: Decomposition) -> Mapping[str, Any]:
    """The arrays of a `perm.npz`: first the sizes, then the arrays of the named tuple."""
    sizes = {"shape": result.shape, "structural_rank": result.structural_rank}
    return sizes | as_btfperm(result)._asdict()


def read_btfperm(
    fields: Mapping[str, Any], *, completed: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file, for `btfperm check`. Only the shape of the rank may change."""
    arrays = dict(fields)
    if "structural_rank" in fields:  # text and MATLAB files hold a list of one number
        rank = np.asarray(fields["structural_rank"])
        arrays["structural_rank"] = (
            rank.reshape(()) if rank.size == 1 else fields["structural_rank"]
        )
    return arrays, {}
