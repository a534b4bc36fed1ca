# SPDX-License-Identifier: BSD-3-Clause
"""`DevicePattern`: a pattern whose arrays are on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidMatrixError
from btfperm.pattern.arrays import checked_columns, is_device_array, prefix
from btfperm.pattern.canonical import frozen
from btfperm.pattern.pattern import Pattern

__all__ = ["DevicePattern"]


@dataclass(frozen=True, eq=False, repr=False)
class DevicePattern(Pattern):
    """A `Pattern` with CuPy arrays `indptr` and `indices`.

    `as_pattern` makes one from a matrix on a device. `on_host` copies the entries to the host; so
    do `without`, `union`, `to_scipy` and ``==``, which call it. The constructor checks the arrays
    on the device and shares them. CuPy has no read-only arrays: after a write to them, the pattern
    must not be used on the device any more. `on_host` checks its copies.
    """

    backend: ClassVar[str] = "gpu"
    is_on_host: ClassVar[bool] = False
    is_on_device: ClassVar[bool] = True

    def _checked_arrays(self, shape: tuple[int, int]) -> Any:
        if not (is_device_array(self.indptr) and is_device_array(self.indices)):
            raise InvalidMatrixError("DevicePattern needs arrays on a GPU; a Pattern takes others")
        from btfperm.pattern.device_input import canonical_columns

        return canonical_columns(self.indptr, self.indices, shape)

    @property
    def device(self) -> int:
        """The number of the GPU that holds the pattern."""
        return int(self.indices.device.id)  # type: ignore[attr-defined]

    def on_host(self) -> Pattern:
        """The same pattern with NumPy arrays: a copy, checked."""
        zeros = self.stored_zeros
        starts, rows, canonical = checked_columns(
            self.indptr.get(),  # type: ignore[attr-defined]
            self.indices.get(),  # type: ignore[attr-defined]
            self.shape,
            self.name,
            owned=True,
        )
        if not canonical or rows.size != int(starts[-1]):
            raise InvalidMatrixError(
                f"{prefix(self.name)}the arrays of this DevicePattern were changed: make it anew"
            )
        return Pattern._unchecked(
            self.shape,
            frozen(starts),
            frozen(rows),
            self.name,
            self.source,
            None if zeros is None else zeros.on_host(),
            self.zeros_dropped,
        )

    def sampled_degrees(self, least: int) -> npt.NDArray[np.int64]:
        """The numbers of entries of every k-th column, on the host; k is chosen so that between
        `least` and twice as many columns are sampled (all, if there are fewer than `least`)."""
        from btfperm.backends.gpu.device import on

        stride = max(1, self.n // least)
        with on(self.device):
            ends = self.indptr[1:][::stride] - self.indptr[:-1][::stride]
            degrees: npt.NDArray[np.int64] = ends.get().astype(np.int64)  # type: ignore[attr-defined]
        return degrees

    def transpose(self) -> Pattern:
        """The pattern with rows and columns exchanged, on the device. O(m + n + nnz log nnz)."""
        from btfperm.backends.gpu.device import on
        from btfperm.pattern.canonical_gpu import from_positions

        with on(self.device):
            zeros = None if self.stored_zeros is None else self.stored_zeros.transpose()
            indptr, indices = from_positions(self.cols(), self.indices, (self.n, self.m))
        return DevicePattern._unchecked(
            (self.n, self.m), indptr, indices, self.name, self.source, zeros, self.zeros_dropped
        )

    def without(self, other: Pattern) -> Pattern:
        """See `Pattern.without`; the result is on the host."""
        return self.on_host().without(other.on_host())

    def union(self, other: Pattern) -> Pattern:
        """See `Pattern.union`; the result is on the host."""
        return self.on_host().union(other.on_host())

    def cols(self) -> Any:
        """(nnz,) column index of each entry, on the device."""
        from btfperm.backends.gpu.device import on
        from btfperm.pattern.canonical_gpu import columns_of

        with on(self.device):
            return columns_of(self.indptr, self.nnz)

    def to_scipy(self) -> Any:
        """A ``scipy.sparse.csc_array`` with ones (float64) at the entries, on the host."""
        return self.on_host().to_scipy()
