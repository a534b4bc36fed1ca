# SPDX-License-Identifier: BSD-3-Clause
"""``.npz`` files of matchings in graphs: `mate`, `dual`, `weight` and `upper_bound`."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

import numpy as np

from btfperm.io.atomic_write import atomic_write

if TYPE_CHECKING:
    from btfperm.results import GraphMatching

__all__ = ["save_matching"]


def save_matching(
    result: GraphMatching, path: str | os.PathLike[str], *, replace: bool = True
) -> None:
    """Writes a matching of one process; ``save_mpi.py`` writes one over ranks."""
    held = io.BytesIO()  # `savez` needs a seekable file
    np.savez(
        held,
        mate=result.mate,
        dual=result.dual,
        weight=result.weight,
        upper_bound=result.upper_bound,
    )
    with atomic_write(path, replace=replace) as file:
        file.write(held.getvalue())
