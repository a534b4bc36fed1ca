# SPDX-License-Identifier: BSD-3-Clause
"""`Drawn`: the pictures of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from btfperm.reports.pictures.picture import Picture
    from btfperm.results.decomposition import Decomposition

__all__ = ["Drawn"]


class Drawn:
    """A decomposition that can be drawn."""

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

        Entries are drawn as a density: a cell is darker where it has more entries. A density takes
        one pass over the entries.

        Parameters
        ----------
        kind : "spy": the matrix as stored and permuted, side by side, with the coarse parts and
            the fine blocks outlined; "before" and "after": one of the two; "sizes": the histogram
            of the block sizes; "levels": the block graph by levels
        A : the matrix; needed only if `pattern` is None, and not for "sizes"
        block : the number of a fine block to zoom into, for "spy" and "after". Beside it, "spy"
            shows where the block is in the permuted matrix
        ax : axes of matplotlib to draw on; "spy" needs two
        threads : number of threads that count the entries

        Returns
        -------
        Picture : with ``figure``, ``axes`` and ``save(path)`` for PNG, SVG or PDF. Jupyter shows it
            if `ax` is None

        Raises
        ------
        InvalidArgumentError : there is no such kind or block, a block is given to a kind that shows
            none, `ax` is not the axes that the kind needs, or the matrix is missing or has another
            shape
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
