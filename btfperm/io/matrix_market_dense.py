# SPDX-License-Identifier: BSD-3-Clause
"""The positions of the values of a Matrix Market file in array format, which lists a dense matrix
column by column; of a symmetric matrix, only the lower triangle, and of a skew-symmetric one, only
what is below the diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.io.header import Header
from btfperm.io.values import reflected

if TYPE_CHECKING:
    from btfperm.io.matrix_market_body import Body

__all__ = ["ArrayPosition"]


class ArrayPosition:
    """The position in a dense file: column by column, only one triangle when symmetric."""

    def __init__(self, header: Header) -> None:
        self._m, self._n = header.shape
        self._symmetry = header.symmetry
        self._col = 0
        self._row = self._first_row()

    def append(self, body: Body, found: npt.NDArray[Any]) -> None:
        """Appends the nonzeros among the values that follow in the file, and their transposes if
        the file holds one triangle. `found` holds these values, or, if values are not kept, a flag
        for each of them that is true for a zero."""
        if self._symmetry == "general":
            self._append_general(body, found)
            return
        at = 0
        while at < found.size:
            part = found[at : at + self._m - self._row]
            rows, values = _nonzeros(part)
            rows += self._row
            body.reserve(2 * rows.size)
            self._put(body, rows, self._col, values)
            off = rows != self._col
            other = None if values is None else reflected(values[off], self._symmetry)
            self._put(body, self._col, rows[off], other)
            at += part.size
            self._row += part.size
            while self._row >= self._m and self._col < self._n:
                self._col += 1
                self._row = self._first_row()

    def _append_general(self, body: Body, found: npt.NDArray[Any]) -> None:
        places, values = _nonzeros(found)
        places += self._row
        body.reserve(places.size)
        if self._row + found.size <= self._m:  # all in this column, which needs no division
            self._put(body, places, self._col, values)
        else:
            cols, rows = np.divmod(places, self._m)
            self._put(body, rows, cols + self._col, values)
        cols_done, self._row = divmod(self._row + found.size, self._m)
        self._col += cols_done

    def _first_row(self) -> int:
        if self._symmetry == "general":
            return 0
        return self._col + (self._symmetry == "skew-symmetric")

    @staticmethod
    def _put(body: Body, rows: Any, cols: Any, values: npt.NDArray[Any] | None) -> None:
        count = np.broadcast(rows, cols).size
        here = slice(body.used, body.used + count)
        body.rows[here], body.cols[here] = rows, cols
        if body.values is not None:
            body.values[here] = values
        body.used += count


def _nonzeros(found: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
    """Returns places and values of the nonzeros; None for the values if `found` holds flags."""
    if found.dtype == bool:
        return np.flatnonzero(~found), None
    places = np.flatnonzero(found)
    return places, found[places]
