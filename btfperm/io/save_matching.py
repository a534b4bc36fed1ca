# SPDX-License-Identifier: BSD-3-Clause
"""``.npz`` files of matchings in graphs: `mate`, `dual`, `weight` and `upper_bound`."""

from __future__ import annotations

import io
import os
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from btfperm.errors import InvalidArgumentError
from btfperm.io.atomic_write import atomic_write

if TYPE_CHECKING:
    from btfperm.results import GraphMatching

__all__ = ["check_name", "save_matching"]


def check_name(path: str | os.PathLike[str]) -> None:
    """Raises InvalidArgumentError if the name ends like that of a file of another format."""
    suffix = PurePath(path).suffix
    if suffix.lower() not in (".npz", ""):
        raise InvalidArgumentError(
            f"{path}: a matching of a graph is written as .npz, not as {suffix}"
        )


def save_matching(
    result: GraphMatching, path: str | os.PathLike[str], *, replace: bool = True
) -> None:
    """Writes a matching of one process; ``save_mpi.py`` writes one over ranks."""
    check_name(path)
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
