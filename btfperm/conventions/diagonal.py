# SPDX-License-Identifier: BSD-3-Clause
"""Reads the permutations of BTF, KLU, SuperLU, PETSc and UMFPACK, for `btfperm check`.

All of them describe a square matrix and put the matching on the diagonal: the row and the column at
place k are matched, or not if the permutation was completed. The arrays may be wrong in any way.
This module translates them without any correction, so that `btfperm check` finds each error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["gather_of", "read_diagonal"]


def read_diagonal(
    fields: Mapping[str, Any],
    perms: tuple[str, str],
    *,
    scatter: bool = False,
    flipped: bool = False,
    has_matching: bool = True,
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays under the keys of `perm.npz`, and their names in the file. O(n).

    Parameters
    ----------
    fields : the arrays of the file; besides `perms` there may be ``R``, ``nblocks``, ``Match`` and
        ``nmatch``
    perms : names of the row and the column permutation
    scatter : whether the permutations scatter
    flipped : whether column j is stored as ``-j - 2`` where the diagonal is structurally zero
    has_matching : whether the diagonal is the matching, except for the marked places if `flipped`

    >>> arrays, names = read_diagonal(
    ...     {"perm_r": [2, 0, 1], "perm_c": [0, 1, 2]}, ("perm_r", "perm_c"), scatter=True
    ... )
    >>> arrays["row_perm"].tolist(), names["row_perm"]
    ([1, 2, 0], 'the inverse of perm_r')
    """
    keys = ("row_perm", "col_perm")
    given = {
        key: np.asarray(fields[name]).ravel()
        for key, name in zip(keys, perms, strict=True)
        if name in fields
    }
    names = dict(zip(keys, perms, strict=True))
    names |= {"row_match": "the diagonal", "col_match": "the diagonal"}
    arrays: dict[str, Any] = dict(given)
    if not all(perm.dtype.kind in "iu" for perm in given.values()) or len(given) < 2:
        return arrays, names
    P, Q = given["row_perm"].astype(np.int64), given["col_perm"].astype(np.int64)
    if scatter:
        P, Q = gather_of(P), gather_of(Q)
        names |= {key: f"the inverse of {name}" for key, name in zip(keys, perms, strict=True)}
    unmatched = np.zeros(Q.size, dtype=bool)
    if flipped:
        unmatched = Q < -1
        Q = np.where(unmatched, -Q - 2, Q)
    arrays |= {"row_perm": P, "col_perm": Q}
    if "R" in fields:
        arrays |= _blocks(fields, P.size)
        names |= {"row_blocks": "R", "col_blocks": "R"}
    if not has_matching:
        return arrays, names
    pairs = slice(min(P.size, Q.size))
    rows, cols = P[pairs][~unmatched[pairs]], Q[pairs][~unmatched[pairs]]
    legal = (rows >= 0) & (rows < P.size) & (cols >= 0) & (cols < Q.size)
    arrays["row_match"], arrays["col_match"] = np.full(P.size, -1), np.full(Q.size, -1)
    arrays["row_match"][rows[legal]] = cols[legal]
    arrays["col_match"][cols[legal]] = rows[legal]
    arrays["structural_rank"] = np.asarray(int((~unmatched).sum()))
    if "Match" in fields:
        arrays["row_match"], names["row_match"] = np.asarray(fields["Match"]).ravel(), "Match"
    if "nmatch" in fields:
        rank = np.asarray(fields["nmatch"])
        arrays["structural_rank"] = rank.reshape(()) if rank.size == 1 else rank
        names["structural_rank"] = "nmatch"
    return arrays, names


def _blocks(fields: Mapping[str, Any], n: int) -> dict[str, Any]:
    """The blocks of a file, whose boundaries R hold for rows and for columns. `btf_order` fills
    only nblocks + 1 of the n + 1 places of R."""
    R, nblocks = np.asarray(fields["R"]).ravel(), np.ravel(fields.get("nblocks", ())).tolist()
    if R.size == n + 1 and nblocks and isinstance(nblocks[0], int) and 0 <= nblocks[0] <= n:
        R = R[: nblocks[0] + 1]
    arrays = {
        "row_blocks": R,
        "col_blocks": R,
        "coarse_rows": np.array([0, 0, n, n, n]),
        "coarse_cols": np.array([0, 0, 0, n, n]),
    }
    return arrays | ({"nblocks": nblocks} if nblocks else {})


def gather_of(perm: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The gather permutation of a scatter permutation with base 0, which may be wrong. If no row
    goes to a place, the place holds -1, so that `btfperm check` reports it. O(n).

    >>> gather_of(np.array([2, 0, 1])), gather_of(np.array([2, 2, 7]))
    (array([1, 2, 0]), array([-1, -1,  1]))
    """
    places = np.full(perm.size, -1)
    legal = (perm >= 0) & (perm < perm.size)
    places[perm[legal]] = np.flatnonzero(legal)
    return places
