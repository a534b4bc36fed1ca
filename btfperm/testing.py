# SPDX-License-Identifier: BSD-3-Clause
"""Assertions for the test-suites of those who build matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.arguments import whole_number
from btfperm.dulmage_mendelsohn import dulmage_mendelsohn
from btfperm.errors import BlockTooLargeError, StructurallySingularError
from btfperm.pattern import as_pattern
from btfperm.transversal import maximum_transversal

__all__ = ["assert_blocks_at_most", "assert_structurally_nonsingular"]

_SHOWN = 5  # rows and columns named in a message


def assert_structurally_nonsingular(A: Any, **options: Any) -> None:
    """Raises unless the structural rank of `A` is the smaller of its two dimensions.

    The message names rows and columns to blame: a set of rows (columns) that touches too few
    columns (rows).

    Parameters
    ----------
    A, options : as for `maximum_transversal`

    Raises
    ------
    StructurallySingularError : an `AssertionError`

    Examples
    --------
    >>> import numpy as np
    >>> from btfperm.testing import assert_structurally_nonsingular
    >>> assert_structurally_nonsingular(np.eye(3))
    >>> assert_structurally_nonsingular(np.array([[1, 1, 1], [0, 0, 1], [0, 0, 1]]))
    Traceback (most recent call last):
    ...
    btfperm.errors.StructurallySingularError: structurally singular: rank 2 of 3 x 3; rows 1, 2
    touch only column 2
    """
    pattern = as_pattern(
        A, shape=options.pop("shape", None), drop_zeros=options.pop("drop_zeros", None)
    ).on_host()
    t = maximum_transversal(pattern, **options)
    full = min(pattern.shape)
    if t.structural_rank == full:
        return
    d = dulmage_mendelsohn(pattern, transversal=t)
    # On the side that should be matched completely, the block of an unmatched line is a witness.
    if pattern.m <= pattern.n:
        block = int(d.row_block[np.flatnonzero(t.row_match < 0)[0]])
    else:
        block = int(d.col_block[np.flatnonzero(t.col_match < 0)[0]])
    rows = d.row_perm[d.row_blocks[block] : d.row_blocks[block + 1]]
    cols = d.col_perm[d.col_blocks[block] : d.col_blocks[block + 1]]
    if pattern.m <= pattern.n:
        blame = _blamed("row", rows, "column", cols)
    else:
        blame = _blamed("column", cols, "row", rows)
    name = f"{pattern.name}: " if pattern.name else ""
    raise StructurallySingularError(
        f"{name}structurally singular: rank {t.structural_rank} of "
        f"{pattern.m} x {pattern.n}; {blame}"
    )


def assert_blocks_at_most(A: Any, size: int, **options: Any) -> None:
    """Raises when a fine block of `A` has more than `size` rows or columns.

    Raises
    ------
    BlockTooLargeError : a `CheckFailedError` and an `AssertionError`

    Examples
    --------
    >>> import numpy as np
    >>> from btfperm.testing import assert_blocks_at_most
    >>> assert_blocks_at_most(np.triu(np.ones((4, 4))), 1)
    """
    size = whole_number("size", size, 0, 2**63 - 1)
    d = dulmage_mendelsohn(A, **options)
    if d.n_blocks == 0:
        return
    sizes = np.maximum(np.diff(d.row_blocks), np.diff(d.col_blocks))
    largest = int(sizes.argmax())
    if sizes[largest] > size:
        raise BlockTooLargeError(
            f"fine block {largest} has {int(np.diff(d.row_blocks)[largest])} rows and "
            f"{int(np.diff(d.col_blocks)[largest])} columns, more than {size}"
        )


def _blamed(noun: str, many: Any, other: str, few: Any) -> str:
    one = len(many) == 1
    if len(few) == 0:
        return f"{_listed(noun, many)} {'is' if one else 'are'} empty"
    return f"{_listed(noun, many)} {'touches' if one else 'touch'} only {_listed(other, few)}"


def _listed(noun: str, members: Any) -> str:
    shown = ", ".join(str(k) for k in members[:_SHOWN])
    more = f" and {len(members) - _SHOWN} more" if len(members) > _SHOWN else ""
    return f"{noun}{'s' if len(members) > 1 else ''} {shown}{more}"
