# SPDX-License-Identifier: BSD-3-Clause
"""Equality and hash of patterns, their picture, and their table for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from btfperm.pattern.pattern import Pattern
    from btfperm.reports.pictures.picture import Picture

__all__ = ["ComparedByEntries"]


class ComparedByEntries:
    """The methods of `Pattern` that compare and show it."""

    def __eq__(self: Any, other: object) -> bool:
        """Whether both have the same shape and the same entries, on the host or on a device. O(n +
        nnz)."""
        if not isinstance(other, ComparedByEntries):
            return NotImplemented
        return self is other or _equal(self, other)  # type: ignore[arg-type]

    def __hash__(self: Any) -> int:
        return hash(("Pattern", self.shape, self.nnz))

    def plot(self: Any, *, ax: Any = None, threads: int | None = None) -> Picture:
        """A picture of the matrix as stored, drawn with matplotlib. No search runs.

        `Decomposition.plot` also draws the permuted matrix and its blocks.

        Parameters
        ----------
        ax : axes of matplotlib to draw on
        threads : number of threads that count the entries

        Returns
        -------
        Picture : with ``figure``, ``axes`` and ``save(path)`` for PNG, SVG or PDF. Jupyter shows it
            if `ax` is None

        Raises
        ------
        InvalidArgumentError : `ax` is not one axes
        ResourceMissingError : matplotlib is not installed

        Examples
        --------
        >>> import btfperm
        >>> A = btfperm.read("matrices/west0479.mtx.gz")  # doctest: +SKIP
        >>> A.plot().save("west0479.svg")  # doctest: +SKIP
        """
        from btfperm.reports.pictures import plot_pattern

        return plot_pattern(self, ax=ax, threads=threads)

    def _repr_html_(self: Any) -> str:
        from btfperm.results.html import html_table

        facts = {"shape": f"{self.m:,} x {self.n:,}", "entries": self.nnz}
        return html_table(f"Pattern {self.name or ''}".rstrip(), facts)


def _equal(one: Pattern, other: Pattern) -> bool:
    if (one.shape, one.nnz) != (other.shape, other.nnz):
        return False
    one, other = one.on_host(), other.on_host()
    same_columns = np.array_equal(one.indptr, other.indptr)
    return same_columns and np.array_equal(one.indices, other.indices)
