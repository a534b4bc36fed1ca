# SPDX-License-Identifier: BSD-3-Clause
"""`Picture`: a figure of matplotlib that Jupyter shows and that is written to a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from btfperm.arguments import one_of, path_text
from btfperm.errors import InvalidArgumentError, ResourceMissingError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "FORMATS", "INK", "Picture", "new_picture", "require_matplotlib"]

FORMATS = ("png", "svg", "pdf")
INK = "#1b2733"
# Okabe and Ito's colours, with a darker green. Colour-blind readers can tell them apart. In grey
# print they are similar: their lightness (CIE L*) is 46, 49 and 54.
COLOURS = {"horizontal": "#0072b2", "square": "#00845f", "vertical": "#d55e00"}

_DPI = 200
_COMPRESSION = 3  # level of zlib; for a density picture, faster and smaller than level 6
# No date and no random numbers, so that the same picture gives the same file.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}


@dataclass(frozen=True, eq=False)
class Picture:
    """What `Decomposition.plot` returns.

    Attributes
    ----------
    figure : matplotlib's figure
    axes : its axes, from left to right
    is_own : whether btfperm made the figure; Jupyter shows it only then, because matplotlib shows
        the figures of the caller
    """

    figure: Figure
    axes: tuple[Axes, ...]
    is_own: bool = True

    @classmethod
    def on(cls, ax: Any, count: int) -> Picture:
        """A picture on the caller's axes, of which it needs `count`."""
        try:
            axes = tuple(ax.flat if hasattr(ax, "flat") else ax)
        except TypeError:
            axes = (ax,)
        if len(axes) != count or not all(hasattr(one, "imshow") for one in axes):
            wanted = "one axes of matplotlib" if count == 1 else f"{count} axes of matplotlib"
            raise InvalidArgumentError(f"ax must be {wanted} for this kind of picture")
        return cls(axes[0].figure, axes, is_own=False)

    def save(
        self, path: str | os.PathLike[str], *, format: str | None = None, replace: bool = True
    ) -> None:
        """Writes the figure as PNG, SVG or PDF, by the suffix unless `format` is given.

        The file is written under a temporary name and renamed. With ``replace=False``, an older
        file is an error.

        Raises
        ------
        InvalidArgumentError : no such format
        ResourceMissingError : the file cannot be written, or exists and may not be replaced
        """
        from btfperm.io.atomic_write import atomic_write

        kind = format or Path(path_text(path)).suffix.lower().removeprefix(".")
        if kind not in FORMATS and format is None:
            raise InvalidArgumentError(
                f"{path_text(path)}: end the name in .png, .svg or .pdf, or give a format"
            )
        one_of("format", kind, FORMATS)
        data = self._bytes(kind)
        with atomic_write(path, replace=replace) as file:
            file.write(data)

    def _bytes(self, kind: str) -> bytes:
        import io

        import matplotlib as mpl

        held = io.BytesIO()
        if kind == "png" and self.is_own:
            from matplotlib.backends.backend_agg import FigureCanvasAgg

            before = self.figure.dpi
            self.figure.dpi = _DPI
            try:  # draws once; savefig would draw twice, first for the layout
                FigureCanvasAgg(self.figure).print_png(  # type: ignore[no-untyped-call]
                    held, metadata=_METADATA[kind], pil_kwargs={"compress_level": _COMPRESSION}
                )
            finally:
                self.figure.dpi = before
            return held.getvalue()
        with mpl.rc_context({"svg.hashsalt": "btfperm", "svg.fonttype": "none"}):
            self.figure.savefig(held, format=kind, dpi=_DPI, metadata=_METADATA[kind])
        return held.getvalue()

    def _repr_png_(self) -> bytes | None:
        return self._bytes("png") if self.is_own else None


def require_matplotlib() -> None:
    """Raises `ResourceMissingError` if matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise ResourceMissingError(
            "pictures need matplotlib: pip install 'btfperm[plot]' (--terminal draws without it)"
        ) from None


def new_picture(count: int, ratio: float = 1.0) -> Picture:
    """A figure with `count` axes side by side. Their height is about `ratio` times their width, for
    ratios from 0.4 to 1.2. The figure is not registered with pyplot: nothing must be closed, and no
    window opens."""
    require_matplotlib()
    from matplotlib.figure import Figure

    height = 0.7 + 4.4 * min(max(ratio, 0.4), 1.2)
    figure = Figure(figsize=(9.6 if count == 2 else 5.6, height), layout="constrained")
    axes = figure.subplots(1, count, squeeze=False)[0]
    return Picture(figure, tuple(axes))
