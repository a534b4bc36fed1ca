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
    entries : entries stored in the file (one triangle only, when `symmetry` is not "general");
        all values of a dense file; None if only a pass over the whole file gives it
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
