# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a decomposition, behind ``d.plot()`` and ``btfperm plot``.

* ``view.py`` - what a picture shows, without a drawing library: density, outlines, sizes, levels
* ``spy.py``, ``sizes.py``, ``levels.py`` - each draws one kind of picture on matplotlib's axes
* ``picture.py`` - the figure: made, shown in Jupyter, written to a file
* ``terminal.py`` - a picture as text

matplotlib is imported by the functions that draw, so that `terminal.py` works without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from btfperm.arguments import one_of, whole_number
from btfperm.errors import InvalidArgumentError
from btfperm.reports.pictures.view import pattern_of

if TYPE_CHECKING:
    from btfperm.pattern import Pattern
    from btfperm.reports.pictures.picture import Picture
    from btfperm.results import Decomposition

__all__ = ["KINDS", "draw", "plot", "plot_pattern"]

KINDS = ("spy", "before", "after", "sizes", "levels")


def plot(
    result: Decomposition,
    kind: str = "spy",
    *,
    A: Any = None,
    block: int | None = None,
    ax: Any = None,
    threads: int | None = None,
) -> Picture:
    """The picture of a decomposition; see `Decomposition.plot`."""
    from btfperm.reports.pictures.picture import Picture, new_picture

    one_of("kind", kind, KINDS)
    if block is not None:
        block = whole_number("block", block, 0, result.n_blocks - 1)
        if kind not in ("spy", "after"):
            raise InvalidArgumentError(
                f"a block is shown by the pictures spy and after, not by {kind}"
            )
    pattern = None if kind == "sizes" else pattern_of(result, A)
    wanted = 2 if kind == "spy" else 1
    picture = (
        new_picture(wanted, _ratio(result.shape, kind)) if ax is None else Picture.on(ax, wanted)
    )
    draw(picture, result.on_host(), kind, pattern, block, threads)
    return picture


def plot_pattern(pattern: Pattern, *, ax: Any = None, threads: int | None = None) -> Picture:
    """The picture of a matrix as stored; see `Pattern.plot`."""
    from btfperm.reports.pictures import spy
    from btfperm.reports.pictures.picture import Picture, new_picture

    picture = new_picture(1, _ratio(pattern.shape, "before")) if ax is None else Picture.on(ax, 1)
    spy.draw_before(picture.axes[0], pattern.on_host(), threads)
    return picture


def _ratio(shape: tuple[int, int], kind: str) -> float:
    """The height of the axes, as a multiple of their width."""
    from btfperm.reports.pictures.spy import LONGEST_SIDE

    m, n = (max(size, 1) for size in shape)
    is_stretched = max(m, n) > LONGEST_SIDE * min(m, n)
    return 1.0 if kind in ("sizes", "levels") or is_stretched else m / n


def draw(
    picture: Picture,
    result: Decomposition,
    kind: str,
    pattern: Any,
    block: int | None,
    threads: int | None,
) -> None:
    """Draws one of `KINDS` on the axes of the picture."""
    from btfperm.reports.pictures import levels, sizes, spy

    axes = picture.axes
    if kind == "sizes":
        sizes.draw(axes[0], result)
    elif kind == "levels":
        levels.draw(axes[0], result.block_graph(pattern), result)
    elif kind == "before":
        spy.draw_before(axes[0], pattern, threads)
    elif kind == "after":
        spy.draw_after(axes[0], result, pattern, block, threads)
    elif block is None:
        spy.draw_before(axes[0], pattern, threads)
        spy.draw_after(axes[1], result, pattern, None, threads)
    else:
        spy.draw_after(axes[0], result, pattern, None, threads, mark=block)
        spy.draw_after(axes[1], result, pattern, block, threads)
