# SPDX-License-Identifier: BSD-3-Clause
"""What the algorithms of the core work on: a pattern and the matching at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.pattern import Pattern
from btfperm.results import IndexArray

if TYPE_CHECKING:
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["Problem"]

# Rows and columns; smaller arrays are sooner had from NumPy than from the core.
_WORTH_PAGES = 10_000
_BYTE = np.dtype(np.uint8)


@dataclass
class Problem:
    """A pattern as the core takes it, the matching at hand, and what is proven about it."""

    m: int
    indptr: IndexArray
    indices: IndexArray
    row_match: IndexArray
    col_match: IndexArray
    row_in_cover: npt.NDArray[np.uint8]
    col_in_cover: npt.NDArray[np.uint8]  # written by the certificate
    threads: int = 1  # that go through its arrays
    proven: bool = False  # the last algorithm left the rows of a cover in row_in_cover
    dropped: int = 0  # pairs of a given matching that do not fit the pattern

    @classmethod
    def empty(cls, pattern: Pattern, threads: int = 1) -> Problem:
        """With no pair matched yet."""
        m, n = pattern.shape
        if m + n >= _WORTH_PAGES:
            arrays = _core.unmatched(m, pattern.indptr, threads=threads)
        else:
            width = pattern.indices.dtype
            arrays = np.empty(m, width), np.empty(n, width), np.zeros(m, _BYTE), np.empty(n, _BYTE)
            arrays[0].fill(-1)
            arrays[1].fill(-1)
        row_match, col_match, row_in_cover, col_in_cover = arrays
        return cls(
            m,
            pattern.indptr,
            pattern.indices,
            row_match,
            col_match,
            row_in_cover,
            col_in_cover,
            threads,
        )

    @property
    def matched(self) -> tuple[int, IndexArray, IndexArray, IndexArray, IndexArray]:
        """The first arguments of the core's functions."""
        return self.m, self.indptr, self.indices, self.row_match, self.col_match

    @property
    def n(self) -> int:
        """Number of columns."""
        return int(self.indptr.size) - 1

    @property
    def size(self) -> int:
        """Number of matched pairs."""
        return _core.count_matched(self.col_match, self.threads)  # type: ignore[no-any-return]

    def transposed(self) -> Problem:
        """The same problem seen from the rows; the matching arrays are shared."""
        indptr = np.empty(self.m + 1, dtype=self.indices.dtype)
        indices = np.empty(self.indices.size, dtype=self.indices.dtype)
        _core.transpose(self.m, self.indptr, self.indices, indptr, indices, threads=self.threads)
        covers = np.zeros(self.n, dtype=np.uint8), self.row_in_cover
        matches = self.col_match, self.row_match
        return Problem(self.n, indptr, indices, *matches, *covers, self.threads)

    def on_host(self) -> Problem:
        """Itself: a problem on a device has to come back for this."""
        return self

    def on_device(self, pattern: Pattern, device: int | None) -> DeviceProblem:
        """A copy on a device (default: that of the pattern, else the current one)."""
        from btfperm.transversal.device_problem import DeviceProblem

        return DeviceProblem.of(self, pattern, device)

    def take_back(self, *, keep_pairs: bool) -> None:
        """Back to nothing proven, and to nothing matched unless the pairs are to stay."""
        self.proven = False
        self.row_in_cover.fill(0)
        if not keep_pairs:
            self.row_match.fill(-1)
            self.col_match.fill(-1)
