# SPDX-License-Identifier: BSD-3-Clause
"""The alternating search of the verifier: the vertices reached over entries and matched entries.

It is written in plain NumPy and shares no code with the algorithms it verifies. Wide frontiers are
expanded as arrays, narrow ones vertex by vertex, so that a path of a million rows does not cost a
million array operations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["by_rows", "reach"]

Index = npt.NDArray[np.signedinteger[Any]]
Flags = npt.NDArray[np.bool_]

NARROW = 64  # frontiers with fewer vertices are expanded one vertex at a time,
WIDE = 1024  # until they have this number of vertices


def reach(
    indptr: Index, indices: Index, mate: Index, start: Index, n_far: int
) -> tuple[Flags, Flags]:
    """Vertices reached from `start`: x -> each y in its list -> ``mate[y]`` -> ...

    Parameters
    ----------
    indptr, indices : list of near vertex x is ``indices[indptr[x]:indptr[x+1]]``, far vertices
    mate : (n_far,) near vertex from which the search continues after far vertex y, or -1
    start : near vertices
    n_far : number of far vertices

    Returns
    -------
    near, far : flags, one per vertex

    O(vertices + entries) time, besides sorts of wide frontiers; O(vertices + entries of the widest
    frontier) space.

    >>> import numpy as np
    >>> near, far = reach(np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([1, -1]),
    ...                   np.array([0]), 2)
    >>> near.tolist(), far.tolist()
    ([True, True], [True, True])
    """
    near = np.zeros(indptr.size - 1, dtype=np.bool_)
    far = np.zeros(n_far, dtype=np.bool_)
    near[start] = True
    frontier: Index = np.asarray(start)
    while frontier.size:
        if frontier.size < NARROW:
            frontier = _reach_singly(indptr, indices, mate, frontier, near, far)
        else:
            reached = _lists_of(indptr, indices, frontier)
            reached = np.unique(reached[~far[reached]])
            far[reached] = True
            following = mate[reached]
            following = np.unique(following[following >= 0])
            frontier = following[~near[following]]
            near[frontier] = True
    return near, far


def _reach_singly(
    indptr: Index, indices: Index, mate: Index, frontier: Index, near: Flags, far: Flags
) -> Index:
    """The search of `reach` one vertex at a time. Returns the frontier as soon as it has `WIDE`
    vertices, or an empty one at the end."""
    pointer, mates = indptr.data, mate.data
    near_seen, far_seen = near.data, far.data
    open_vertices: list[int] = frontier.tolist()
    while open_vertices and len(open_vertices) < WIDE:
        x = open_vertices.pop()
        for y in indices[pointer[x] : pointer[x + 1]].tolist():
            if not far_seen[y]:
                far_seen[y] = True
                following = mates[y]
                if following >= 0 and not near_seen[following]:
                    near_seen[following] = True
                    open_vertices.append(following)
    return np.array(open_vertices, dtype=indptr.dtype)


def _lists_of(indptr: Index, indices: Index, vertices: Index) -> Index:
    """The lists of all `vertices`, one after the other."""
    first = indptr[vertices]
    length = indptr[vertices + 1] - first
    ends = length.cumsum()
    position = np.arange(ends[-1]) + np.repeat(first - (ends - length), length)
    listed: Index = indices[position]
    return listed


def by_rows(indices: Index, entry_col: Index, m: int) -> tuple[Index, Index]:
    """Row lists ``(indptr, columns)`` of entries given as rows `indices`, columns `entry_col`.

    >>> import numpy as np
    >>> [a.tolist() for a in by_rows(np.array([1, 0, 1]), np.array([0, 1, 1]), 2)]
    [[0, 1, 3], [1, 0, 1]]
    """
    indptr = np.zeros(m + 1, dtype=np.int64)
    np.cumsum(np.bincount(indices, minlength=m), out=indptr[1:])
    columns: Index = entry_col[np.argsort(indices, kind="stable")]
    return indptr, columns
