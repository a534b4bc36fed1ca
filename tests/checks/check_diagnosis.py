# SPDX-License-Identifier: BSD-3-Clause
"""Checks a diagnosis: the groups, the minimality of each explanation, the repair, the diagonal and
the identical rows.

`found` is the JSON object of `btfperm diagnose`. The matchings that prove minimality are SciPy's.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from tests.checks.check_matching import reached_columns
from tests.checks.entries import are_entries, canonical, entries

SIDES = ("overdetermined", "underdetermined")


def check_diagnosis(A, found, rank):
    """Checks `found` about `A`, whose structural rank is `rank`: rank, groups, empty rows and
    columns, repair and identical rows."""
    A = canonical(A)
    m, n = A.shape
    assert found["structural_rank"] == rank and not found["truncated"]
    assert found["full"] == (rank == min(m, n))
    check_groups(A, found["overdetermined"], ("rows", "columns"), m - rank)
    check_groups(A.T.tocsc(), found["underdetermined"], ("columns", "rows"), n - rank)
    by_row, by_column = np.diff(A.tocsr().indptr), np.diff(A.indptr)
    assert found["empty_rows"] == np.flatnonzero(by_row == 0).tolist()
    assert found["empty_columns"] == np.flatnonzero(by_column == 0).tolist()
    check_repair(A, found["repair"], rank)
    check_diagonal(A, found["diagonal"])
    check_identical_rows(A, found["identical_rows"])


def check_groups(A, groups, names, excess):
    """The groups with too many rows of `A`, and one explanation for each. `names` are the keys of
    the rows and columns of `A` in a group."""
    sizes = [len(group["rows"]) + len(group["columns"]) for group in groups]
    assert sizes == sorted(sizes), "the groups are not in the order of their sizes"
    surplus = [len(group[names[0]]) - len(group[names[1]]) for group in groups]
    assert [group["excess"] for group in groups] == surplus and min(surplus, default=1) > 0
    assert sum(surplus) == excess, f"{excess} rows are too many, not {sum(surplus)}"
    whole = [[group[name] for group in groups] for name in names]
    check_closed(A, *whole, "group")
    check_connected(A, *whole)
    check_reached(A, *whole, excess)
    parts = [[group["explanation"][name] for group in groups] for name in names]
    for members, inside in zip(whole, parts, strict=True):
        assert all(set(few) <= set(all_) for few, all_ in zip(inside, members, strict=True)), (
            "an explanation is not in its group"
        )
    counts = [len(rows) - len(cols) for rows, cols in zip(*parts, strict=True)]
    assert counts == [1] * len(groups), "an explanation has another excess than 1"
    check_closed(A, *parts, "explanation")
    check_reached(A, *parts, len(groups))


def labels(size, sets, what):
    """The number of the set that holds each index, or -1; the sets ascend and are disjoint."""
    label = np.full(size, -1)
    for k, members in enumerate(sets):
        assert members == sorted(set(members)), f"{what} {k} is not ascending"
        assert (label[members] == -1).all(), f"{what} {k} shares a member with another one"
        label[members] = k
    return label


def check_closed(A, rows, cols, what):
    """The rows of each set have entries in its columns only, and in each of them."""
    of_row, of_col = labels(A.shape[0], rows, what), labels(A.shape[1], cols, what)
    coo = A.tocoo()
    inside = of_row[coo.row] >= 0
    i, j = coo.row[inside], coo.col[inside]
    assert (of_row[i] == of_col[j]).all(), f"a row of a {what} has an entry outside it"
    assert np.unique(j).size == sum(map(len, cols)), f"a column of a {what} has no entry in it"


def check_connected(A, rows, cols):
    """Each group is connected: it does not consist of parts that have no row and no column in
    common."""
    of_row = labels(A.shape[0], rows, "group")
    listed = np.flatnonzero(of_row >= 0)
    part = A.tocsr()[listed]
    both = sp.block_array([[None, part], [part.T, None]])
    label = connected_components(both, directed=False)[1][: listed.size] if listed.size else []
    assert np.unique(label).size == len(rows), "a group is not connected"


def check_reached(A, rows, cols, n_unmatched):
    """All columns of the sets can be matched, which leaves `n_unmatched` rows unmatched; and each
    row can be one of these. So no part of a set has the same excess as the set. If a set has one
    row too many and any one of its rows is left out, all others can be matched."""
    rows, cols = (np.array([k for each in sets for k in each], dtype=int) for sets in (rows, cols))
    part = A.tocsr()[rows][:, cols]
    row_of = maximum_bipartite_matching(part, perm_type="row")
    assert (row_of >= 0).all(), "a column of a group cannot be matched"
    col_of = np.full(rows.size, -1)
    col_of[row_of] = np.arange(cols.size)
    unmatched = np.flatnonzero(col_of < 0)
    assert unmatched.size == n_unmatched
    assert reached_columns(part.T, row_of, unmatched).all(), "a row of a set cannot be unmatched"


def check_repair(A, repair, rank):
    """Without the rows to remove and the columns to fix, the matrix is square and nonsingular. The
    entries to add join these rows and columns. Each list has the least possible length."""
    m, n = A.shape
    rows, cols = repair["remove_rows"], repair["fix_columns"]
    assert (len(rows), len(cols)) == (m - rank, n - rank)
    left = np.delete(np.arange(m), rows), np.delete(np.arange(n), cols)
    square = A.tocsr()[left[0]][:, left[1]]
    assert square.shape == (rank, rank)
    assert (maximum_bipartite_matching(square, perm_type="row") >= 0).all()
    added = np.array(repair["add_entries"], dtype=int).reshape(-1, 2)
    assert len(added) == min(m, n) - rank
    assert not are_entries(A, added[:, 0], added[:, 1]).any(), "an added entry is there already"
    assert len(set(added[:, 0])) == len(set(added[:, 1])) == len(added)
    assert set(added[:, 0]) <= set(rows) and set(added[:, 1]) <= set(cols)
    size = repair["cover"]
    assert size["rows"] + size["columns"] == rank
    cover = SimpleNamespace(rows=repair["cover_rows"], cols=repair["cover_columns"])
    assert (cover.rows is None) == (cover.cols is None)
    if cover.rows is not None:
        assert size == {"rows": len(cover.rows), "columns": len(cover.cols)}
        check_cover_of(A, cover, rank)


def check_diagonal(A, diagonal):
    """The numbers of entries in every and in no maximum transversal, and the entries if they are
    listed."""
    expected = entries_by_role(A)
    for name in ("always", "never"):
        assert diagonal[name] == len(expected[name]), f"{name} is miscounted"
        pairs = diagonal[f"{name}_entries"]
        if pairs is not None:
            assert sorted(map(tuple, pairs)) == expected[name], f"{name} lists other entries"


def entries_by_role(A):
    """The sorted entries in every and in no maximum transversal.

    The symmetric difference of two maximum transversals consists of alternating cycles and of
    alternating paths of even length from an unmatched row or column. So an entry can be exchanged
    if it is on such a path, or on a cycle, which joins two columns of one strongly connected
    component.
    """
    m, n = A.shape
    row_of = maximum_bipartite_matching(A.tocsr(), perm_type="row")  # the row of each column
    col_of = np.full(m, -1)
    col_of[row_of[row_of >= 0]] = np.flatnonzero(row_of >= 0)
    from_cols = reached_columns(A, col_of, np.flatnonzero(row_of < 0))
    from_rows = reached_columns(A.T.tocsc(), row_of, np.flatnonzero(col_of < 0))
    i, j = entries(A)
    to = col_of[i]
    inner = to >= 0
    arcs = sp.csr_array((np.ones(inner.sum()), (j[inner], to[inner])), shape=(n, n))
    part = connected_components(arcs, connection="strong")[1] if n else np.zeros(0, dtype=int)
    is_matched = to == j
    can_be = is_matched | from_cols[j] | from_rows[i]
    can_be[inner] |= part[j[inner]] == part[to[inner]]
    size = np.bincount(part, minlength=1)
    must_be = is_matched & ~from_cols[j] & ~from_rows[i]
    must_be &= size[part[j]] == 1
    pairs = {"always": must_be, "never": ~can_be}
    return {
        name: sorted(zip(i[k].tolist(), j[k].tolist(), strict=True)) for name, k in pairs.items()
    }


def check_cover_of(A, cover, rank):
    """`cover` has as many rows and columns as the rank, and touches every entry."""
    coo = canonical(A).tocoo()
    touched = np.isin(coo.row, cover.rows) | np.isin(coo.col, cover.cols)
    assert touched.all() and len(cover.rows) + len(cover.cols) == rank


def check_identical_rows(A, sets):
    """The sets of at least two rows with the same columns; the largest first, ties by first row."""
    csr = A.tocsr()
    csr.sort_indices()
    by_columns = {}
    for i in range(csr.shape[0]):
        begin, end = csr.indptr[i], csr.indptr[i + 1]
        if begin < end:
            by_columns.setdefault(csr.indices[begin:end].tobytes(), []).append(i)
    expected = [rows for rows in by_columns.values() if len(rows) > 1]
    assert sets == sorted(expected, key=lambda rows: (-len(rows), rows[0]))
