# SPDX-License-Identifier: BSD-3-Clause
"""`perm.petsc`: two index sets in PETSc's binary format, of the rows and of the columns.

`ISLoad` reads them in this order from a binary viewer. Each index set is the number of its class,
its length and its indices, all big-endian and of the width of a `PetscInt`: 32 bits, or 64 bits if
PETSc was configured with ``--with-64-bit-indices``. The format has no place for the meta and for
scalings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

__all__ = ["write", "write_index_sets"]

_IS_CLASS = 1211218  # IS_FILE_CLASSID of petscis.h


def write(file: BinaryIO, fields: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """The index sets of the convention petsc, with 32 bits if these are enough. The format has no
    place for scalings, which other formats hold beside the arrays of each convention."""
    write_index_sets(file, [np.asarray(fields[name]) for name in ("rperm", "cperm")], None)


def write_index_sets(
    file: BinaryIO, index_sets: list[npt.NDArray[Any]], index_bits: int | None
) -> None:
    """One index set after the other. `index_bits`: 32, 64, or None for the smallest that holds
    all lengths and indices.

    Raises
    ------
    OverflowError : an index or a length does not fit; nothing was written
    """
    largest = max(
        (int(max(array.size, array.max(initial=0))) for array in index_sets),
        default=0,
    )
    if index_bits is None:
        index_bits = 32 if largest < 2**31 else 64
    if largest >= 2 ** (index_bits - 1):
        raise OverflowError(f"{largest:,} does not fit in {index_bits} bits")
    kind = np.dtype(f">i{index_bits // 8}")
    for array in index_sets:
        file.write(np.array([_IS_CLASS, array.size], dtype=kind).tobytes())
        file.write(array.astype(kind).tobytes())
