# SPDX-License-Identifier: BSD-3-Clause
"""``d.plot()``: what is drawn, on whose axes, and the files."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import btfperm
from btfperm.reports.pictures import KINDS
from btfperm.reports.pictures.picture import COLOURS

pytest.importorskip("matplotlib")
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

MATRIX = "matrices/lp_e226.mtx.gz"
STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture(scope="module")
def d(request):
    return btfperm.dulmage_mendelsohn(request.config.rootpath / MATRIX)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_every_shape(kind, d):
    for result in (d, btfperm.dulmage_mendelsohn(np.zeros((0, 3)))):
        picture = result.plot(kind)
        assert len(picture.axes) == (2 if kind == "spy" else 1)
        assert picture.axes[0].get_title()
    picture.figure.draw_without_rendering()


def test_the_image_holds_the_counts(d):
    before, after = d.plot().axes
    for ax in (before, after):
        (image,) = ax.get_images()
        assert image.get_array().shape == d.shape
    dark = np.asarray(after.get_images()[0].get_array()) > 0
    assert dark.sum() == d.pattern.nnz
    assert (dark == d.apply(d.pattern.to_scipy()).toarray()).all()


def test_zoom_by_block(d):
    k = max(range(d.n_blocks), key=lambda k: d.block(k).shape)
    whole, zoom = d.plot(block=k).axes
    b = d.block(k)
    assert zoom.get_xlim() == (b.col_slice.start - 0.5, b.col_slice.stop - 0.5)
    assert zoom.get_ylim() == (b.row_slice.stop - 0.5, b.row_slice.start - 0.5)
    assert f"block {k}" in zoom.get_title() and whole.get_xlim() == (-0.5, d.shape[1] - 0.5)


def test_outlines_are_the_blocks():
    d = btfperm.dulmage_mendelsohn(np.kron(np.triu(np.ones((3, 3))), np.ones((4, 4))))
    ax = d.plot("after").axes[0]
    (boxes,) = ax.collections
    corners = [path.vertices[[0, 2]].tolist() for path in boxes.get_paths()]
    assert corners == [[[x - 0.5] * 2, [x + 3.5] * 2] for x in (0, 4, 8)]


def test_levels_have_a_point_for_each_block_in_the_colour_of_its_part():
    """One horizontal, two square and one vertical block."""
    A = np.zeros((5, 5))
    A[0, :2] = A[1, 2] = A[2, 3] = A[3:, 4] = 1
    d = btfperm.dulmage_mendelsohn(A)
    ax = d.plot("levels").axes[0]
    points = {each.get_label(): each for each in ax.collections[1:]}
    numbers = {name: len(each.get_offsets()) for name, each in points.items()}
    assert numbers == {"horizontal": 1, "square": 2, "vertical": 1}
    for name, each in points.items():
        assert to_hex(each.get_facecolor()[0]) == COLOURS[name]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(numbers)
    assert btfperm.dulmage_mendelsohn(np.eye(3)).plot("levels").axes[0].get_legend() is None


def test_the_bars_of_levels_begin_below_one_block():
    """Two blocks on level 0, on which all others depend."""
    A = np.eye(300)
    A[:-2, -2:] = 1
    ax = btfperm.dulmage_mendelsohn(A).plot("levels").axes[0]
    assert sorted({bar.get_height() for bar in ax.patches}) == [2, 298]
    assert 0 < ax.get_ylim()[0] < 1


def test_the_axes_of_the_caller(d):
    figure = Figure()
    left, right = figure.subplots(1, 2)
    picture = d.plot("after", ax=right)
    assert picture.figure is figure and right.get_images() and not left.get_images()
    assert picture._repr_png_() is None  # matplotlib shows the figures of the caller
    assert d.plot(ax=figure.subplots(1, 2)).axes[1].get_images()
    for wrong in (left, [left], "left", [1, 2]):
        with pytest.raises(btfperm.InvalidArgumentError, match="2 axes of matplotlib"):
            d.plot(ax=wrong)


def test_a_pattern_is_drawn_as_stored(d):
    picture = d.pattern.plot()
    own, other = picture.axes[0], d.plot("before").axes[0]
    assert own.get_title() == other.get_title() and own.get_xlim() == other.get_xlim()
    dark = np.asarray(own.get_images()[0].get_array()) > 0
    assert (dark == (d.pattern.to_scipy().toarray() > 0)).all()
    axes = Figure().subplots(1, 2)
    assert d.pattern.plot(ax=axes[1]).is_own is False and axes[1].get_images()
    with pytest.raises(btfperm.InvalidArgumentError, match="one axes of matplotlib"):
        d.pattern.plot(ax=axes)


def test_jupyter_shows_it(d):
    assert d.plot("sizes")._repr_png_().startswith(STARTS["png"])


@pytest.mark.parametrize("suffix", STARTS)
def test_the_files(suffix, d, tmp_path):
    target = tmp_path / f"fig.{suffix}"
    picture = d.plot("sizes")
    picture.save(target)
    first = target.read_bytes()
    assert first.startswith(STARTS[suffix])
    with pytest.raises(btfperm.ResourceMissingError, match="exists already"):
        picture.save(target, replace=False)
    d.plot("sizes").save(target)
    assert target.read_bytes() == first, "the same picture gives the same file"
    assert list(tmp_path.iterdir()) == [target]


def test_wrong_arguments(d, tmp_path):
    with pytest.raises(btfperm.InvalidArgumentError, match="kind must be one of"):
        d.plot("spectrum")
    with pytest.raises(btfperm.InvalidArgumentError, match="block must be"):
        d.plot(block=d.n_blocks)
    with pytest.raises(btfperm.InvalidArgumentError, match="is shown by"):
        d.plot("before", block=0)
    with pytest.raises(btfperm.InvalidArgumentError, match=r"end the name in"):
        d.plot("sizes").save(tmp_path / "fig.gif")
    with pytest.raises(btfperm.InvalidArgumentError, match="format must be one of"):
        d.plot("sizes").save(tmp_path / "fig", format="gif")


def test_a_form_of_klu_is_drawn_too():
    form = btfperm.block_triangular_form(np.array([[1, 1, 0], [0, 0, 0], [0, 1, 1]]))
    assert form.plot().axes[1].get_images()


def test_without_matplotlib_one_sentence_says_what_to_install():
    code = (
        "import sys, btfperm; assert 'matplotlib' not in sys.modules\n"
        "sys.modules['matplotlib'] = None\n"
        "try: btfperm.dulmage_mendelsohn([[1]]).plot()\n"
        "except btfperm.ResourceMissingError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "btfperm[plot]" in done.stdout and done.stdout.count("\n") == 1
