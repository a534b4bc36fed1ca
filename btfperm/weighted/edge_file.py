# SPDX-License-Identifier: BSD-3-Clause
"""The edges of a graph in a temporary file, which is written in bounded memory."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidMatrixError, ResourceMissingError
from btfperm.pattern.arrays import prefix
from btfperm.weighted.graph_faults import no_weight

__all__ = ["EdgeFile", "disk_errors"]

_EDGE = np.dtype([("larger", "<u4"), ("smaller", "<u4"), ("weight", "<f8")])
_MOST_VERTICES = 1 << 32
_PART = 1 << 20  # entries of a matrix in memory that are written at a time

Reals = npt.NDArray[np.float64]


class EdgeFile:
    """A record for each edge of the input, in the order of the input: the larger end, the smaller
    one, and the weight. An edge that the input holds twice has two records.

    The file has no name, so the system removes it even if the process fails.

    Attributes
    ----------
    file : the open file
    edges : number of edges
    n : number of vertices
    folder : the folder that contains the file
    memory : bytes that an algorithm may use
    name : name of the input, for messages
    backend, is_on_host, is_distributed : the same as for a `Pattern` on the host
    """

    backend = "cpu"
    is_on_host = True
    is_distributed = False

    def __init__(self, folder: str, weights: str, memory: int) -> None:
        self.edges = self.n = 0
        self.folder = folder
        self.memory = memory
        self._weights = weights
        self.name = ""
        self._is_symmetric = False
        self._sums = [0, 0]  # of the fingerprints above and below the diagonal
        with disk_errors(folder):
            # With a buffer, closing the file after an error would try to write the rest again.
            self.file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix of the graph."""
        return self.n, self.n

    @property
    def nnz(self) -> int:
        """Number of edges."""
        return self.edges

    def read(self, path: Any, block: int) -> dict[str, Any]:
        """Appends the edges of a file, which is read in parts of about `block` bytes. Returns the
        origin of the file, in the form of ``Pattern.source``.

        Raises
        ------
        InvalidMatrixError : the matrix is no graph, or a weight is not positive and finite
        """
        from btfperm.io import peek, stream_entries

        header = peek(path)
        self.name = os.fsdecode(path)
        self._start(header.shape, header.symmetry != "general")
        if header.symmetry in ("skew-symmetric", "hermitian") and self._weights == "values":
            self._refuse(f'a {header.symmetry} matrix has no weights: use "moduli" or "ones"')
        _, origin = stream_entries(path, self.add, block)
        self.finish()
        return origin

    def add_matrix(self, pattern: Any, weight: Reals) -> None:
        """Appends the edges of a symmetric matrix in memory."""
        self._start(pattern.shape, True)
        indptr, indices = pattern.indptr, pattern.indices
        for first in range(0, pattern.nnz, _PART):
            part = slice(first, min(first + _PART, pattern.nnz))
            places = np.arange(part.start, part.stop)
            cols = np.searchsorted(indptr, places, side="right") - 1
            below = indices[part] > cols
            self._write(indices[part][below], cols[below], weight[part][below])
        self.finish()

    def _start(self, shape: tuple[int, int], is_symmetric: bool) -> None:
        m, self.n = shape
        if m != self.n:
            self._refuse(f"a graph has a square matrix, not one of {m} x {self.n}")
        if self.n > _MOST_VERTICES:
            self._refuse(f"at most {_MOST_VERTICES:,} vertices are possible, not {self.n:,}")
        self._is_symmetric = is_symmetric

    def add(self, rows: Any, cols: Any, values: npt.NDArray[Any] | None) -> None:
        """Appends the edges of some entries; entries on the diagonal are no edges. If the file does
        not declare its matrix symmetric, each edge has two entries. Then only the entry below the
        diagonal is appended, and `finish` compares fingerprints of both halves."""
        weight = self._weight_of(values, rows.size)
        kept = rows != cols
        if self._weights == "moduli":
            kept &= weight != 0
        rows, cols, weight = rows[kept], cols[kept], weight[kept]
        wrong = ~((weight > 0) & (weight < np.inf))
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            self._refuse(
                f"the entry in row {rows[at]}, column {cols[at]} (counted from 0) "
                f"{no_weight(float(weight[at]))}"
            )
        larger, smaller = np.maximum(rows, cols), np.minimum(rows, cols)
        if not self._is_symmetric:
            below = rows > cols
            for side in (0, 1):
                here = below == side
                prints = _fingerprints(larger[here], smaller[here], weight[here])
                self._sums[side] = (self._sums[side] + int(prints.sum(dtype=np.uint64))) % 2**64
            larger, smaller, weight = larger[below], smaller[below], weight[below]
        self._write(larger, smaller, weight)

    def _weight_of(self, values: npt.NDArray[Any] | None, count: int) -> Reals:
        if values is None or self._weights == "ones":
            return np.ones(count)
        if self._weights == "moduli":
            is_complex = values.dtype.kind == "c"
            moduli: Reals = np.abs(values.astype(np.complex128 if is_complex else np.float64))
            return moduli
        if values.dtype.kind == "c":
            self._refuse('complex values are no weights: use weights="moduli" or "ones"')
        return values.astype(np.float64)

    def _write(self, larger: Any, smaller: Any, weight: Reals) -> None:
        part = np.empty(len(weight), _EDGE)
        part["larger"], part["smaller"], part["weight"] = larger, smaller, weight
        with disk_errors(self.folder):
            rest = part.view(np.uint8).data
            while rest:
                rest = rest[self.file.write(rest) :]
        self.edges += len(part)

    def finish(self) -> None:
        """Checks that the entries below and above the diagonal are the same edges."""
        if self._sums[0] != self._sums[1]:
            self._refuse(
                "a graph has a symmetric matrix, but the entries below and above the diagonal "
                "differ: the other algorithms name an entry"
            )

    def _refuse(self, what: str) -> None:
        raise InvalidMatrixError(prefix(self.name) + what)


def _fingerprints(larger: Any, smaller: Any, weight: Reals) -> npt.NDArray[np.uint64]:
    """A pseudo-random number for each edge with its weight. If two lists hold different edges or
    weights, their sums of these numbers are equal with a probability of about 2^-64."""
    x = (larger.astype(np.uint64) << np.uint64(32)) | smaller.astype(np.uint64)
    return _mixed(_mixed(x) ^ weight.view(np.uint64))


def _mixed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The hash function splitmix64."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@contextmanager
def disk_errors(folder: str) -> Iterator[None]:
    """Turns errors of the system about temporary files into one sentence with a remedy.

    Raises
    ------
    ResourceMissingError : for every OSError inside: the disk is full, or the folder cannot hold
        temporary files
    """
    try:
        yield
    except ResourceMissingError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            what = f"the disk of {folder} is full"
        else:
            what = f"{folder} cannot hold temporary files ({error.strerror or error})"
        raise ResourceMissingError(
            f"{what}: name another folder with temporary=, for about 120 bytes for each edge"
        ) from None
