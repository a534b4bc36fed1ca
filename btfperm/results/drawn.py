# SPDX-License-Identifier: BSD-3-Clause
"""`Drawn`: the base class of results that can be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from btfperm.reports.pictures.picture import Picture
    from btfperm.results.decomposition import Decomposition

__all__ = ["Drawn"]


class Drawn:
    """Base class of a decomposition, with the method `plot`."""

    def plot(
        self,
        kind: str = "spy",
        *,
        A: Any = None,
        block: int | None = None,
        ax: Any = None,
        threads: int | None = None,
    ) -> Picture:
        """A picture of the matrix and its blocks, drawn with matplotlib.

        The picture consists of cells. A cell with more entries is darker. This density takes one
        pass over the entries.

        Parameters
        ----------
        kind : "spy": the given matrix beside the permuted one, with the coarse parts and the fine
            blocks outlined; "before" or "after": only the given or only the permuted matrix;
            "sizes": the histogram of the block sizes; "levels": the block graph by levels
        A : the matrix; needed only if `pattern` is None, and not for "sizes"
        block : the number of a fine block that is enlarged, for "spy" and "after". "spy" also shows
            the place of this block in the permuted matrix
        ax : axes of matplotlib to draw on; "spy" needs two
        threads : number of threads that count the entries

        Returns
        -------
        Picture : with ``figure``, ``axes`` and ``save(path)`` for PNG, SVG or PDF. Jupyter shows it
            if `ax` is None

        Raises
        ------
        InvalidArgumentError : there is no such kind or block, the kind shows no single block, `ax`
            is not the axes that the kind needs, or the matrix is missing or has another shape
        ResourceMissingError : matplotlib is not installed

        Examples
        --------
        >>> import btfperm
        >>> d = btfperm.dulmage_mendelsohn("matrices/west0479.mtx.gz")  # doctest: +SKIP
        >>> d.plot().save("west0479.svg")  # doctest: +SKIP
        >>> d.plot(block=int(d.row_block[0]))  # the block of row 0  # doctest: +SKIP
        """
        from btfperm.reports.pictures import plot

        return plot(cast("Decomposition", self), kind, A=A, block=block, ax=ax, threads=threads)
