# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the form of the arrays: types, lengths, bijections, boundaries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from btfperm.reports.verify.subject import Subject, Violation, named, wrong


def check_arrays(s: Subject) -> Iterator[Violation]:
    """The file is for a matrix of this shape. Every array that its kind requires is there, holds
    integers of at most 2**62 in modulus, and has one dimension (`structural_rank`: none) and the
    length that follows from the shape; that of `row_blocks` and `col_blocks` is free. The arrays
    without a fault become `s.good`."""
    for name in s.missing:
        yield wrong("arrays", f"{name} is missing")
    sizes = {"row_perm": s.m, "col_perm": s.n}
    held = [np.size(s.arrays[key]) if key in s.arrays else size for key, size in sizes.items()]
    shape = np.asarray(s.arrays.get("shape", held))
    if shape.tolist() != [s.m, s.n]:
        is_legal = shape.size == 2 and shape.dtype.kind in "iuf"
        theirs = shape.tolist() if is_legal else "that is not two numbers"
        yield wrong("arrays", f"the file is for a matrix of shape {theirs}, not {[s.m, s.n]}")
        if held != [s.m, s.n]:
            return  # further checks would compare arrays of other lengths
    length = sizes | {"coarse_rows": 5, "coarse_cols": 5, "row_match": s.m, "col_match": s.n}
    for key in s.expected:
        name = s.called(key)
        if key not in s.arrays:
            yield wrong("arrays", f"{name} is missing")
            continue
        array = np.asarray(s.arrays[key])
        wanted = 0 if key == "structural_rank" else 1
        if array.dtype.kind not in "iu":
            yield wrong("arrays", f"{name} holds {array.dtype}, not integers")
        elif array.ndim != wanted:
            yield wrong("arrays", f"{name} has {array.ndim} dimensions instead of {wanted}")
        elif key in length and array.size != length[key]:
            yield wrong("arrays", f"{name} has {array.size} elements instead of {length[key]}")
        elif array.size and (array.max() > 2**62 or array.min() < -(2**62)):
            yield wrong("arrays", f"{name} holds numbers beyond any row or column")
        else:
            s.good[key] = array.astype(np.int64)


def check_permutations(s: Subject) -> Iterator[Violation]:
    """Both permutations are bijections."""
    for key, size, noun in (("row_perm", s.m, "rows"), ("col_perm", s.n, "cols")):
        perm, name = s[key], s.called(key)
        out = np.flatnonzero((perm < 0) | (perm >= size))
        if out.size:
            places = named("place", out)
            yield wrong(
                "permutations",
                f"{name} leaves the range 0..{size - 1} at {places} ({perm[out[0]]} at {out[0]})",
            )
        times = np.bincount(perm[(perm >= 0) & (perm < size)], minlength=size)
        for text, where in (("more than once", times > 1), ("not at all", times == 0)):
            if where.any():
                hit = np.flatnonzero(where)
                yield wrong("permutations", f"{name} holds {{{noun}}} {text}", **{noun: hit})


def check_boundaries(s: Subject) -> Iterator[Violation]:
    """Fine and coarse boundaries start at 0, never fall, and end at the last row or column. There
    are as many fine blocks of rows as of columns, each has a row or a column, and the square and
    the vertical part begin where fine blocks begin. Other coarse boundaries, which separate the
    unmatched rows and columns, need not be fine ones. `nblocks` is the number of blocks if the file
    has it."""
    monotone = True
    for key, size in (
        ("row_blocks", s.m),
        ("col_blocks", s.n),
        ("coarse_rows", s.m),
        ("coarse_cols", s.n),
    ):
        array, name = s[key], s.called(key)
        if array.size == 0 or array[0] != 0 or array[-1] != size:
            monotone = False
            yield wrong("boundaries", f"{name} does not run from 0 to {size}")
        falls = np.flatnonzero(np.diff(array) < 0)
        if falls.size:
            monotone = False
            yield wrong("boundaries", f"{name} falls after {named('place', falls)}")
    if s["row_blocks"].size != s["col_blocks"].size:
        yield wrong(
            "boundaries",
            f"{s.called('row_blocks')} has the boundaries of {s['row_blocks'].size - 1} blocks, "
            f"but {s.called('col_blocks')} those of {s['col_blocks'].size - 1}",
        )
    elif monotone:
        void = np.flatnonzero((np.diff(s["row_blocks"]) == 0) & (np.diff(s["col_blocks"]) == 0))
        if void.size:
            yield wrong("boundaries", f"without rows and columns: {named('block', void)}")
        if -1 in s.square_blocks:
            yield wrong("boundaries", "a coarse boundary lies inside a fine block")
    blocks, claimed = s["row_blocks"].size - 1, s.arrays.get("nblocks")
    if claimed is not None and claimed != [blocks]:
        shown = claimed[0] if len(claimed) == 1 else claimed
        yield wrong(
            "boundaries", f"{s.called('nblocks')} is {shown}, but there are {blocks} blocks"
        )
