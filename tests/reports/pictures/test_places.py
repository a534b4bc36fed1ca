# SPDX-License-Identifier: BSD-3-Clause
"""The positions of everything that pictures draw, in units of rows and columns, for the matrices of
`tests/uneven.py`."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from btfperm.reports.pictures import levels
from tests.uneven import three_blocks, uneven

pytest.importorskip("matplotlib")

D = btfperm.dulmage_mendelsohn(uneven())
# each part: left, right, top, bottom
PARTS = [(0, 4, 0, 2), (4, 7, 2, 5), (7, 9, 5, 10)]
BLOCKS = [(0, 4, 0, 2), (4, 6, 2, 4), (6, 7, 4, 5), (7, 9, 5, 10)]


def boxes(collection):
    """Each box as it is in `PARTS`."""
    found = []
    for path in collection.get_paths():
        corners = path.vertices[:4] + 0.5
        assert len({tuple(corner) for corner in corners.tolist()}) == 4
        # neighbours share a side: the box is no bow tie
        assert all((a == b).any() for a, b in zip(corners, np.roll(corners, 1, 0), strict=True))
        (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
        found.append((int(left), int(right), int(top), int(bottom)))
    return found


def test_entries_outlines_and_names_of_the_parts():
    before, after = D.plot().axes
    for ax in (before, after):
        assert ax.get_xlim() == (-0.5, 8.5) and ax.get_ylim() == (9.5, -0.5)
        (image,) = ax.get_images()
        assert image.get_extent() == [-0.5, 8.5, 9.5, -0.5] and image.get_clim() == (0, 1)
    assert not before.collections
    fine, coarse = after.collections
    assert boxes(fine) == [BLOCKS[0], BLOCKS[3]]  # the others are too small
    assert boxes(coarse) == PARTS
    assert coarse.get_linewidths()[0] > fine.get_linewidths()[0]
    texts = [text.get_text() for text in after.get_legend().get_texts()]
    assert texts == ["horizontal 2 x 4", "square 3 x 3", "vertical 5 x 2"]
    colours = [patch.get_edgecolor() for patch in after.get_legend().get_patches()]
    assert colours == [tuple(colour) for colour in coarse.get_edgecolors()]
    assert len(set(colours)) == 3


def test_the_block_that_is_shown_beside_is_marked():
    for k, (left, right, top, bottom) in enumerate(BLOCKS):
        whole, zoom = D.plot(block=k).axes
        (patch,) = whole.patches
        assert (patch.get_x(), patch.get_y()) == (left - 0.5, top - 0.5)
        assert (patch.get_width(), patch.get_height()) == (right - left, bottom - top)
        (note,) = (text for text in whole.texts if text.get_text() == f"block {k}")
        assert note.xy == ((left + right - 1) / 2, (top + bottom - 1) / 2)
        assert note.get_ha() == ("left" if note.xy[0] < 4.5 else "right")
        assert not whole.lines  # no circle: the block is large enough
        assert zoom.get_images()[0].get_extent() == [
            left - 0.5,
            right - 0.5,
            bottom - 0.5,
            top - 0.5,
        ]


def test_a_small_block_has_a_circle():
    d = btfperm.dulmage_mendelsohn(np.eye(60))
    whole, _ = d.plot(block=33).axes
    (circle,) = whole.lines
    assert circle.get_xydata().tolist() == [[33, 33]] and circle.get_marker() == "o"


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_matrices_without_entries(shape):
    ax = btfperm.dulmage_mendelsohn(np.zeros(shape)).plot("after").axes[0]
    assert not ax.get_images()
    assert [text.get_text() for text in ax.texts] == ["no entries"]
    assert ax.get_xlim() == (-0.5, max(shape[1], 1) - 0.5)
    assert ax.get_ylim() == (max(shape[0], 1) - 0.5, -0.5)


def test_the_graph_by_levels():
    """Points of a level below each other around 0; lines from each block to its successors."""
    form = btfperm.block_triangular_form(three_blocks())
    graph = form.block_graph()
    ax = form.plot("levels").axes[0]
    lines, points = ax.collections
    places = points.get_offsets().tolist()
    assert [x for x, _ in places] == graph.level.tolist()
    for level in graph.levels():
        heights = [places[block][1] for block in level]
        assert sum(heights) == 0 and np.diff(heights).tolist() == [1] * (len(level) - 1)
    tails = np.repeat(np.arange(graph.n_blocks), np.diff(graph.indptr))
    wanted = [[places[i], places[j]] for i, j in zip(tails, graph.indices, strict=True)]
    assert [path.vertices.tolist() for path in lines.get_paths()] == wanted
    named = {text.get_text(): list(text.get_position()) for text in ax.texts}
    assert named == {str(k): place for k, place in enumerate(places)}


def test_many_levels_are_bars(monkeypatch):
    monkeypatch.setattr(levels, "_MOST_BLOCKS", 0)
    d = btfperm.dulmage_mendelsohn(np.triu(np.ones((7, 7))) + np.diag([5.0] * 7))
    graph = d.block_graph()
    ax = d.plot("levels").axes[0]
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == [*graph.level_blocks.tolist(), *graph.level_work.tolist()]
    middles = [bar.get_x() + bar.get_width() / 2 for bar in ax.patches]
    assert np.allclose((np.array(middles[:7]) + middles[7:]) / 2, np.arange(7))  # side by side
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "blocks",
        "entries inside them",
    ]
    assert ax.get_yscale() == "log" and ax.get_ylabel() == "per level"


def test_the_bars_of_the_sizes():
    ax = D.plot("sizes").axes[0]
    assert [bar.get_width() for bar in ax.patches] == [1, 1, 1, 1]
    texts = [text.get_text() for text in ax.texts]
    shares = [2, 4, 6, 7]
    assert texts == [f"1 · {lines / 19:.1%} of the matrix" for lines in shares]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["1", "2", "3-4", "5-8"]
    assert ax.get_xlim()[1] >= 30
    gap = btfperm.dulmage_mendelsohn(np.kron(np.eye(3), np.ones((5, 5)))).plot("sizes").axes[0]
    assert [text.get_text() for text in gap.texts] == ["", "", "", "3 · 100.0% of the matrix"]
    none = btfperm.dulmage_mendelsohn(np.zeros((0, 0))).plot("sizes").axes[0]
    assert [text.get_text() for text in none.texts] == ["no blocks"] and not none.patches
