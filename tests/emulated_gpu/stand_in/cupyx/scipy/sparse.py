# SPDX-License-Identifier: BSD-3-Clause
"""Replaces `cupyx.scipy.sparse`: the matrices that btfperm and its tests accept and return."""

from __future__ import annotations

import cupy
import scipy.sparse as sp

__all__ = ["coo_matrix", "csc_matrix", "csr_matrix"]


class _Matrix:
    """A matrix whose arrays are on the device. SciPy does the work, on a copy."""

    format = ""
    has_sorted_indices = True

    def __init__(self, given, shape=None):
        there = given
        if sp.issparse(given):
            there = getattr(given, f"to{self.format}")()
        elif isinstance(given, tuple):
            host = cupy._host(given)
            there = getattr(sp, f"{self.format}_matrix")(host, shape=shape)
        self._take(there, given)

    def _take(self, host, given):
        if host.dtype.char not in "?fdFD":
            raise ValueError("CuPy's sparse matrices hold no other type")
        self.shape, self.dtype, self.nnz = host.shape, host.dtype, host.nnz
        for name in self.parts:
            setattr(self, name, cupy.asarray(getattr(host, name)))
        if isinstance(given, tuple) and self.format != "coo":
            self.data, self.indices, self.indptr = given  # the arrays as given, on their device

    @property
    def ndim(self):
        return 2

    def get(self):
        if self.format == "coo":
            host = (self.data.get(), (self.row.get(), self.col.get()))
        else:
            host = (self.data.get(), self.indices.get(), self.indptr.get())
        return getattr(sp, f"{self.format}_matrix")(host, shape=self.shape)

    def sort_indices(self):
        host = self.get()
        host.has_sorted_indices = False
        host.sort_indices()
        self._take(host, None)
        self.has_sorted_indices = True

    def toarray(self):
        return cupy.asarray(self.get().toarray())

    def _as(self, kind):
        return globals()[f"{kind}_matrix"](self.get())

    def tocsc(self):
        return self if self.format == "csc" else self._as("csc")

    def tocsr(self):
        return self if self.format == "csr" else self._as("csr")

    def tocoo(self):
        return self if self.format == "coo" else self._as("coo")

    @property
    def T(self):
        host = self.get().T
        return globals()[f"{host.format}_matrix"](host)


class csc_matrix(_Matrix):  # noqa: N801
    format, parts = "csc", ("data", "indices", "indptr")


class csr_matrix(_Matrix):  # noqa: N801
    format, parts = "csr", ("data", "indices", "indptr")


class coo_matrix(_Matrix):  # noqa: N801
    format, parts = "coo", ("data", "row", "col")
