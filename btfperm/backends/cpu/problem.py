# SPDX-License-Identifier: BSD-3-Clause
"""The problem on the host: a pattern and the current matching, for the algorithms of the core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from btfperm import _core

if TYPE_CHECKING:
    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.backends.protocol import Session
    from btfperm.pattern import Pattern
    from btfperm.pattern.arrays import IndexArray

__all__ = ["Problem"]

# The number of rows and columns from which on the core allocates the arrays; NumPy allocates
# smaller arrays faster.
_WORTH_PAGES = 10_000
# Several threads fill the arrays if there are at least this number of rows and columns, and count
# the matched columns if there are at least half this number of columns. For fewer, threads that
# sleep may take longer to wake than one thread takes for all of it.
_WORTH_WAKING = 2_000_000
_BYTE = np.dtype(np.uint8)


@dataclass
class Problem:
    """A pattern as the core takes it, the current matching, and what is proven about it.

    Attributes
    ----------
    m : number of rows; indptr, indices: compressed columns
    row_match, col_match : the current matching, improved in place by the algorithms
    row_in_cover, col_in_cover : one byte for each row and column: once the minimum cover is known,
        1 if it contains this row or column, else 0
    threads : number of threads for passes over these arrays
    proven : whether `row_in_cover` holds the rows of a minimum cover. The last search sets it, or
        the test of the caller's matching
    dropped : number of entries of the caller's matching that the pattern does not contain
    """

    is_distributed: ClassVar[bool] = False

    m: int
    indptr: IndexArray
    indices: IndexArray
    row_match: IndexArray
    col_match: IndexArray
    row_in_cover: npt.NDArray[np.uint8]
    col_in_cover: npt.NDArray[np.uint8]
    threads: int = 1
    proven: bool = False
    dropped: int = 0

    @classmethod
    def empty(cls, pattern: Pattern, threads: int = 1) -> Problem:
        """The problem of this pattern with an empty matching."""
        m, n = pattern.shape
        if m + n >= _WORTH_PAGES:
            team = threads if m + n >= _WORTH_WAKING else 1
            arrays = _core.transversal.unmatched(m, pattern.indptr, threads=team)
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

    def run(
        self, function: Callable[..., Any], *limits: Any
    ) -> tuple[int, dict[str, int | list[int]]]:
        """Calls the function of an algorithm of the core; `limits` are seconds, entries, threads,
        seed and options. Returns the code of the limit that ended the algorithm (see `STOPPED_BY`),
        and its counters."""
        stop, self.proven, counters = function(
            self.m,
            self.indptr,
            self.indices,
            self.row_match,
            self.col_match,
            self.row_in_cover,
            *limits,
        )
        return stop, counters

    @property
    def n(self) -> int:
        """Number of columns."""
        return int(self.indptr.size) - 1

    @property
    def size(self) -> int:
        """Number of matched entries."""
        team = self.threads if 2 * self.n >= _WORTH_WAKING else 1
        return _core.transversal.count_matched(self.col_match, team)  # type: ignore[no-any-return]

    def transposed(self) -> Problem:
        """The same problem with rows and columns exchanged; the matching arrays are shared."""
        indptr = np.empty(self.m + 1, dtype=self.indices.dtype)
        indices = np.empty(self.indices.size, dtype=self.indices.dtype)
        _core.pattern.transpose(
            self.m, self.indptr, self.indices, indptr, indices, threads=self.threads
        )
        covers = np.zeros(self.n, dtype=np.uint8), self.row_in_cover
        matches = self.col_match, self.row_match
        return Problem(self.n, indptr, indices, *matches, *covers, self.threads)

    def on_host(self) -> Problem:
        """Itself."""
        return self

    def on_device(self, session: Session, device: int | None) -> DeviceProblem:
        """A copy on a GPU, see `DeviceProblem.of`."""
        from btfperm.backends.gpu.problem import DeviceProblem

        return DeviceProblem.of(self, session, device)

    def reset(self, *, keep_matching: bool) -> None:
        """Discards what is proven, and the matching unless `keep_matching`."""
        self.proven = False
        self.row_in_cover.fill(0)
        if not keep_matching:
            self.row_match.fill(-1)
            self.col_match.fill(-1)
