# SPDX-License-Identifier: BSD-3-Clause
"""The header of a matrix file, without the entries."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Header"]


@dataclass(frozen=True)
class Header:
    """The head of a matrix file.

    Attributes
    ----------
    format : the name of the format in `btfperm.io.formats`: "matrix-market", "npz", ...
    shape : (m, n)
    entries : entries that the file lists (of one triangle, if `symmetry` is not "general"); for a
        dense Matrix Market file the values that it lists, for a dense MATLAB variable its nonzeros;
        None for the layout dia of npz files
    field : "real", "complex", "integer" or "pattern"
    symmetry : "general", "symmetric", "skew-symmetric" or "hermitian"
    layout : the format's own name for the order of the entries: "coordinate", "array", "csc", ...
    """

    format: str
    shape: tuple[int, int]
    entries: int | None
    field: str
    symmetry: str = "general"
    layout: str = "coordinate"
