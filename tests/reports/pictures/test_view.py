# SPDX-License-Identifier: BSD-3-Clause
"""What pictures show: outlines, shades, sizes and levels agree with the decomposition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import btfperm
from btfperm.reports.pictures.view import (
    coarse_outlines,
    level_classes,
    outlines,
    pattern_of,
    shades,
    size_classes,
    view_of,
)


@pytest.fixture(params=[(40, 40, 0.03), (30, 50, 0.05), (50, 30, 0.05), (3, 3, 0.0), (0, 0, 0.0)])
def d(request):
    m, n, density = request.param
    A = np.random.default_rng(m).random((m, n)) < density
    return btfperm.dulmage_mendelsohn(A)


def test_all_blocks_are_outlined_where_cells_are_lines(d):
    view = view_of(d.pattern, d, cells=1000)
    found = outlines(d, view, least=1)
    table = [(b.row_slice, b.col_slice, b.part) for b in d if all(b.shape)]
    rows = map(slice, found.row.tolist(), found.row_end.tolist())
    cols = map(slice, found.col.tolist(), found.col_end.tolist())
    assert list(zip(rows, cols, found.part, strict=True)) == table


def test_small_blocks_have_no_outline():
    d = btfperm.dulmage_mendelsohn(np.diag([1] * 8) + np.eye(8, k=-1) * ([[1]] * 4 + [[0]] * 4))
    view = view_of(d.pattern, d, cells=4)
    sizes = {b.shape[0] for b in d}
    assert outlines(d, view, least=2).row.size == sum(b.shape[0] >= 4 for b in d) <= len(sizes)


def test_only_blocks_in_the_window_are_outlined():
    d = btfperm.dulmage_mendelsohn(np.kron(np.eye(3), np.ones((4, 4))))
    view = view_of(d.pattern, d, rows=(4, 8), cols=(4, 8), cells=100)
    assert outlines(d, view).row.tolist() == [4] and view.counts.sum() == 16


def test_the_coarse_parts(d):
    found = coarse_outlines(d)
    parts = [part for part in (d.horizontal, d.square, d.vertical) if any(part.shape)]
    assert found.part == [part.name for part in parts]
    assert found.row.tolist() == [part.row_slice.start for part in parts]
    assert found.col_end.tolist() == [part.col_slice.stop for part in parts]


def test_entries_are_never_white_and_never_invented():
    counts = np.array([[0, 1, 2], [1_000_000, 0, 1]])
    dark = shades(counts)
    assert ((dark > 0) == (counts > 0)).all() and dark.max() == 1 and dark[dark > 0].min() >= 0.35
    assert shades(np.zeros((0, 3), dtype=np.int64)).shape == (0, 3)


def test_the_sizes(d):
    sizes = Counter(max(b.shape) for b in d)
    classes = size_classes(d)
    for c in classes:
        assert c.blocks == sum(k for size, k in sizes.items() if c.smallest <= size <= c.largest)
    assert sum(c.blocks for c in classes) == d.n_blocks
    assert sum(c.lines for c in classes) == sum(d.shape)


@pytest.mark.parametrize("most", [1, 2, 7, 100])
def test_the_levels(d, most):
    graph = d.block_graph()
    classes = level_classes(graph, most)
    assert len(classes) <= most
    covered = [level for first, last, _, _ in classes for level in range(first, last + 1)]
    assert covered == list(range(graph.n_levels))
    for first, last, blocks, work in classes:
        inside = (graph.level >= first) & (graph.level <= last)
        assert blocks == inside.sum() and work == graph.work[inside].sum()


def test_a_loaded_result_needs_its_matrix(tmp_path):
    d = btfperm.dulmage_mendelsohn(np.eye(3))
    d.save(tmp_path / "perm.npz")
    loaded = btfperm.load(tmp_path / "perm.npz")
    with pytest.raises(btfperm.InvalidArgumentError, match="give its matrix as A"):
        pattern_of(loaded, None)
    assert pattern_of(loaded, np.eye(3)) == d.pattern
    with pytest.raises(btfperm.InvalidArgumentError, match="shape"):
        pattern_of(loaded, np.eye(4))
