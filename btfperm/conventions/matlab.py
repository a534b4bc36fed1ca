# SPDX-License-Identifier: BSD-3-Clause
"""MATLAB (and GNU Octave): ``[p, q, r, s, cc, rr] = dmperm(A)``.

MATLAB's dmperm is CSparse's `cs_dmperm` with rows and columns counted from 1. The docstring of
:mod:`btfperm.conventions.csparse` shows the blocks. ``A(p, q)`` is block upper triangular; fine
block k is ``A(p(r(k):r(k+1)-1), q(s(k):s(k+1)-1))``.

MATLAB's call with one output, ``p = dmperm(A)``, returns the matching: ``p(j)`` is the row matched
to column j, or 0. This array is ``result.col_match + 1``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from btfperm.conventions.csparse import as_csparse, read_dmperm
from btfperm.results import Decomposition, IndexArray
from btfperm.results.equality import tuple_by_value

__all__ = ["Matlab", "as_matlab", "read_matlab"]


@tuple_by_value
class Matlab(NamedTuple):
    """The outputs of dmperm, in its order: gather permutations, all numbers from 1.

    p (m,) rows and q (n,) columns; r, s (nb + 1,) boundaries of the nb fine blocks; cc, rr (5,)
    boundaries of the coarse parts. Unmatched columns are ``q(cc(1):cc(2)-1)``, unmatched rows
    ``p(rr(4):rr(5)-1)``.
    """

    p: IndexArray
    q: IndexArray
    r: IndexArray
    s: IndexArray
    cc: IndexArray
    rr: IndexArray


def as_matlab(result: Decomposition) -> Matlab:
    """The decomposition in the arrays of MATLAB's dmperm; any shape, any structural rank.

    Raises InvalidArgumentError in the same cases as :func:`as_csparse`. O(m + n), in addition to
    the sort of the horizontal and the vertical part.

    Parameters
    ----------
    result : of `dulmage_mendelsohn`; or of `block_triangular_form` for a nonsingular matrix

    Returns
    -------
    Matlab : a named tuple of index arrays

    Examples
    --------
    >>> import btfperm
    >>> from btfperm.conventions import as_matlab
    >>> order = as_matlab(btfperm.dulmage_mendelsohn([[0, 2, 0], [0, 3, 4], [5, 0, 6]]))
    >>> order.p, order.q, order.r
    (array([3, 2, 1], dtype=int32), array([1, 3, 2], dtype=int32), array([1, 2, 3, 4], dtype=int32))
    """
    d = as_csparse(result)
    return Matlab(d.p + 1, d.q + 1, d.r + 1, d.s + 1, d.cc + 1, d.rr + 1)


def read_matlab(
    fields: Mapping[str, Any], *, completed: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file under the keys of `perm.npz`, for `btfperm check`. O(m + n)."""
    return read_dmperm(fields, first=1)
