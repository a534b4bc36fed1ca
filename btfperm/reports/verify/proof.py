# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the matching, of the proof that it is maximum, and of the coarse parts, which follow
from the matching."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from btfperm.reports.verify.reach import reach
from btfperm.reports.verify.subject import Subject, Violation, wrong


def check_matching(s: Subject) -> Iterator[Violation]:
    """`row_match` and `col_match` agree, and each matched pair is an entry of the matrix."""
    in_range = True
    for key, size, noun in (("row_match", s.n, "rows"), ("col_match", s.m, "cols")):
        out = np.flatnonzero((s[key] < -1) | (s[key] >= size))
        if out.size:
            in_range = False
            text = f"{s.called(key)} leaves the range -1..{size - 1} at {{{noun}}}"
            yield wrong("matching", text, **{noun: out})
    if not in_range:
        return
    row_match, col_match = s["row_match"], s["col_match"]
    by_row, by_col = s.called("row_match"), s.called("col_match")
    rows, cols = np.flatnonzero(row_match >= 0), np.flatnonzero(col_match >= 0)
    alone = rows[col_match[row_match[rows]] != rows]
    if alone.size:
        text = f"{by_row} pairs {{entries}}, and {by_col} does not"
        yield wrong("matching", text, alone, row_match[alone])
    alone = cols[row_match[col_match[cols]] != cols]
    if alone.size:
        text = f"{by_col} pairs {{entries}}, and {by_row} does not"
        yield wrong("matching", text, col_match[alone], alone)
    exists = np.zeros(s.m, dtype=np.bool_)
    exists[s.indices[row_match[s.indices] == s.entry_col]] = True
    missing = rows[~exists[rows]]
    if missing.size:
        text = "the matching holds {entries}, where the matrix has no entry"
        yield wrong("matching", text, missing, row_match[missing])


def check_rank(s: Subject) -> Iterator[Violation]:
    """The matching has as many entries as `structural_rank` states. It is maximum, which a cover
    from a separate search proves."""
    row_match, col_match = s["row_match"], s["col_match"]
    free_rows, free_cols = np.flatnonzero(row_match < 0), np.flatnonzero(col_match < 0)
    size, claimed = s.m - free_rows.size, int(s["structural_rank"])
    if claimed != size:
        name = s.called("structural_rank")
        yield wrong("rank", f"{name} is {claimed}, but {size} rows are matched")
    row_ptr, row_cols = s.row_lists
    h_cols, h_rows = reach(s.indptr, s.indices, row_match, free_cols, s.m)
    v_rows, v_cols = reach(row_ptr, row_cols, col_match, free_rows, s.n)
    s.found = h_rows, h_cols, v_rows, v_cols
    ends = free_rows[h_rows[free_rows]]
    if ends.size:
        yield wrong(
            "rank",
            "the matching is not maximum, and the structural rank is larger: an alternating path "
            "leads from an unmatched column to unmatched {rows}",
            ends,
        )
        return
    cover_size = int(h_rows.sum() + (~h_cols).sum())
    bare = np.flatnonzero(~h_rows[s.indices] & h_cols[s.entry_col])
    if bare.size or cover_size != size:
        text = f"the cover of {cover_size} lines does not prove the rank {size}: {{entries}}"
        yield wrong("rank", text, s.indices[bare], s.entry_col[bare])


def check_coarse(s: Subject) -> Iterator[Violation]:
    """Horizontal, square and vertical part are the ones of Dulmage and Mendelsohn, and
    `coarse_rows` and `coarse_cols` hold the numbers of unmatched rows and columns. In a block
    triangular form, all is square."""
    rr, cc = s["coarse_rows"], s["coarse_cols"]
    if s.kind == "block_triangular_form":
        if rr.tolist() != [0, 0, s.n, s.n, s.n] or cc.tolist() != [0, 0, 0, s.n, s.n]:
            text = "a block triangular form is all square, but its coarse parts are not"
            yield wrong("coarse", text)
        return
    assert s.found is not None
    h_rows, h_cols, v_rows, v_cols = s.found
    parts = ("horizontal", "square", "vertical")
    for noun, key, ends, low, high in (
        ("rows", "row_perm", (0, rr[1], rr[2], rr[4]), h_rows, v_rows),
        ("cols", "col_perm", (0, cc[2], cc[3], cc[4]), h_cols, v_cols),
    ):
        true_part = np.where(low, 0, np.where(high, 2, 1))
        file_part = np.empty(true_part.size, dtype=np.int64)
        file_part[s[key]] = np.repeat(np.arange(3), np.diff(ends))
        for k in range(3):
            for other in range(3):
                hit = np.flatnonzero((file_part == k) & (true_part == other))
                if k != other and hit.size:
                    text = f"in the {parts[k]} part, but of the {parts[other]} one: {{{noun}}}"
                    yield wrong("coarse", text, **{noun: hit})
    for text, counted, claimed in (
        ("columns, but coarse_cols[1]", (s["col_match"] < 0).sum(), cc[1]),
        ("rows, but coarse_rows[4] - coarse_rows[3]", (s["row_match"] < 0).sum(), rr[4] - rr[3]),
    ):
        if counted != claimed:
            yield wrong("coarse", f"there are {counted} unmatched {text} is {claimed}")
