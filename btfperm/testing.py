# SPDX-License-Identifier: BSD-3-Clause
"""Assertions for the test suites of projects that build matrices.

pytest leaves the frames of this module out of its tracebacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.arguments import refuse_unknown_keywords, truth, whole_number
from btfperm.diagnosis import diagnose
from btfperm.diagnosis.names import checked_names
from btfperm.diagnosis.systems import with_names
from btfperm.diagnosis.text import GROUPS, finding_lines, listed
from btfperm.dulmage_mendelsohn import dulmage_mendelsohn
from btfperm.errors import BlockTooLargeError, StructurallySingularError
from btfperm.pattern import SEARCH, as_pattern, memory_for
from btfperm.pattern.input import refuse_ranks
from btfperm.results import Block
from btfperm.results.counted import counted
from btfperm.transversal import SEARCH_KEYWORDS, maximum_transversal

__all__ = ["assert_blocks_at_most", "assert_structurally_nonsingular"]


def assert_structurally_nonsingular(
    A: Any,
    *,
    square: bool = True,
    row_names: Any = None,
    col_names: Any = None,
    **options: Any,
) -> None:
    """Raises unless `A` is square and has full structural rank.

    The message is the diagnosis of `btfperm.diagnose`: the independent groups of rows (columns)
    that have entries in fewer columns (rows) than there are rows (columns), smallest first, and
    changes that would repair the matrix. No choice of values makes the rows (columns) of such a
    group linearly independent. Long lists are cut, and their lengths are given.

    Parameters
    ----------
    A : a matrix of any type that `as_pattern` accepts, or a model that `diagnose` accepts
    square : False accepts a rectangular matrix with full structural rank, which is the smaller of
        its two dimensions
    row_names, col_names : names for the message, as for `diagnose`
    options : as for `maximum_transversal`

    Raises
    ------
    StructurallySingularError : an `AssertionError`; its `diagnosis` is a `Diagnosis`
    LimitReachedError : a limit ended the search; not an `AssertionError`

    Notes
    -----
    The cost is that of `maximum_transversal`, and that of `diagnose` if the assertion fails.

    Examples
    --------
    >>> import numpy as np
    >>> from btfperm.testing import assert_structurally_nonsingular
    >>> assert_structurally_nonsingular(np.eye(3))
    >>> assert_structurally_nonsingular(np.eye(2, 3), square=False)
    >>> assert_structurally_nonsingular(np.array([[1, 1, 1], [0, 0, 1], [0, 0, 1]]))
    Traceback (most recent call last):
    ...
    btfperm.errors.StructurallySingularError: structurally singular: rank 2 of 3 x 3
      overdetermined: 1 row too many, in 1 independent group:
        rows 1, 2 have entries only in column 2
      underdetermined: 1 column too many, in 1 independent group:
        columns 0, 1 have entries only in row 0
      repair: add 1 entry, such as (1, 0)
        or remove row 1 and fix column 0: a square nonsingular matrix remains
      proof: 1 row and 1 column touch every entry, so nothing smaller suffices
      diagonal: 0 of 5 entries in every maximum transversal, 1 in none
      identical patterns: rows 1, 2
    >>> assert_structurally_nonsingular(np.eye(2, 3), col_names=["T", "p", "x"])
    Traceback (most recent call last):
    ...
    btfperm.errors.StructurallySingularError: not square: rank 2 of 2 x 3 (square=False tests for
    full rank only)
      underdetermined: 1 column too many, in 1 independent group:
        column x is empty
      repair: fix column x: a square nonsingular matrix remains
      proof: 2 rows and 0 columns touch every entry, so nothing smaller suffices
      diagonal: 2 of 2 entries in every maximum transversal, 0 in none
    """
    __tracebackhide__ = True
    refuse_unknown_keywords("assert_structurally_nonsingular", options, SEARCH_KEYWORDS)
    refuse_ranks("assert_structurally_nonsingular", A, options)
    square = truth("square", square)
    A, row_names, col_names = with_names(A, row_names, col_names)
    with memory_for(SEARCH):
        pattern = as_pattern(
            A, shape=options.pop("shape", None), drop_zeros=options.get("drop_zeros")
        ).on_host()
        row_names = checked_names(row_names, pattern.m, "row")
        col_names = checked_names(col_names, pattern.n, "column")
        t = maximum_transversal(pattern, **options)
    (m, n), rank = pattern.shape, t.structural_rank
    if rank == min(m, n) and (m == n or not square):
        return
    found = diagnose(
        dulmage_mendelsohn(pattern, transversal=t), row_names=row_names, col_names=col_names
    )
    name = f"{pattern.name}: " if pattern.name else ""
    what, hint = "structurally singular", ""
    if m != n and square:
        what, hint = "not square", " (square=False tests for full rank only)"
    elif m != n:
        what = "not of full structural rank"
    head = f"{name}{what}: rank {rank} of {m} x {n}{hint}"
    raise StructurallySingularError("\n".join([head, *finding_lines(found)]), found)


def assert_blocks_at_most(A: Any, size: int, **options: Any) -> None:
    """Raises if a fine block of `A` has more than `size` rows or columns.

    The message gives the number of these blocks and describes at most ten of them, the largest
    first.

    Parameters
    ----------
    A : a matrix of any type that `as_pattern` accepts
    size : the largest number of rows and of columns that is allowed
    options : as for `dulmage_mendelsohn`

    Raises
    ------
    BlockTooLargeError : a `CheckFailedError` and an `AssertionError`

    Notes
    -----
    The cost is that of `dulmage_mendelsohn`.

    Examples
    --------
    >>> import numpy as np
    >>> from btfperm.testing import assert_blocks_at_most
    >>> assert_blocks_at_most(np.triu(np.ones((4, 4))), 1)
    >>> assert_blocks_at_most(np.ones((2, 2)), 1)
    Traceback (most recent call last):
    ...
    btfperm.errors.BlockTooLargeError: 1 fine block has more than 1 row or column:
      block 0, 2 x 2, square: rows 0, 1, columns 0, 1
    """
    __tracebackhide__ = True
    refuse_unknown_keywords("assert_blocks_at_most", options, SEARCH_KEYWORDS | {"transversal"})
    refuse_ranks("assert_blocks_at_most", A, options)
    size = whole_number("size", size, 0, 2**63 - 1)
    d = dulmage_mendelsohn(A, **options).on_host()
    sizes = np.maximum(np.diff(d.row_blocks), np.diff(d.col_blocks))
    large = np.flatnonzero(sizes > size)
    if not large.size:
        return
    first = large[np.argsort(-sizes[large], kind="stable")[:GROUPS]]
    lines = [f"  {_described(d.block(k))}" for k in first]
    more = large.size - first.size
    if more:
        lines.append(f"  and {counted(more, 'block')} more")
    has = "has" if large.size == 1 else "have"
    limit = "1 row or column" if size == 1 else f"{size} rows or columns"
    blocks = counted(large.size, "fine block")
    raise BlockTooLargeError("\n".join([f"{blocks} {has} more than {limit}:", *lines]), d)


def _described(block: Block) -> str:
    members = [
        listed(noun, lines)
        for noun, lines in (("row", block.rows), ("column", block.cols))
        if lines.size
    ]
    height, width = block.shape
    return f"block {block.number}, {height:,} x {width:,}, {block.part}: {', '.join(members)}"
