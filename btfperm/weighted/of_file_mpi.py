# SPDX-License-Identifier: BSD-3-Clause
"""What `order_file` needs before a weighted search over MPI ranks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from btfperm.weighted.of_file import REMEDY
from btfperm.weighted.weigh_mpi import (
    backend_over_ranks,
    check_arguments,
    moduli_over_ranks,
    refuse_large,
)

if TYPE_CHECKING:
    from btfperm.pattern.distributed import DistributedPattern

__all__ = ["options_before", "read_moduli"]


def options_before(weights: str, weigher: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options of the search for the structural rank.

    Raises
    ------
    InvalidArgumentError : no number of ranks can do this
    """
    check_arguments(weights, weigher, options.get("backend", "auto"))
    return {"backend": "auto", **options}


def read_moduli(
    path: str | os.PathLike[str], comm: Any, weights: str, weigher: str, options: dict[str, Any]
) -> tuple[DistributedPattern, None, dict[str, Any]]:
    """The pattern of the entries of a file that are not zero, with their moduli as its `values`;
    None; and the options of the search for the structural rank. A request that needs the whole
    matrix in one process is refused, if possible before the file is read. Collective."""
    asked = (comm, weights, weigher, options["backend"])
    refuse_large(path, *asked)
    pattern = moduli_over_ranks(path, comm, remedy=REMEDY)
    refuse_large(pattern, *asked)
    backend = backend_over_ranks(pattern, options["backend"])
    return pattern, None, {**options, "backend": backend}
