# SPDX-License-Identifier: BSD-3-Clause
"""What `order_file` needs before a weighted search in one process."""

from __future__ import annotations

import os
from typing import Any

from btfperm import registry
from btfperm.backends import of_one_process
from btfperm.errors import InvalidArgumentError
from btfperm.pattern import Pattern
from btfperm.weighted import moduli

__all__ = ["REMEDY", "options_before", "read_moduli"]

REMEDY = "give a file with values, or leave out weights="


def options_before(weights: str, weigher: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options of the search for the structural rank, which runs on the backend of the weighted
    search.

    Raises
    ------
    InvalidArgumentError : the caller requests a GPU for a weighted search that runs on the CPU, or
        names a device
    """
    backend = options.get("backend", "auto")
    if backend not in of_one_process():
        backend = "cpu"
    rows = [row for row in registry.algorithms(package="weighted") if not row.of_graphs]
    here = weights != "bottleneck" and any((r.name, r.backend) == (weigher, backend) for r in rows)
    if (backend in of_one_process() and not here) or options.get("device") is not None:
        raise InvalidArgumentError(
            "this search for large entries runs on the CPU: use backend='cpu' or 'auto', and name "
            "no device"
        )
    return {**options, "backend": backend}


def read_moduli(
    path: str | os.PathLike[str], comm: None, weights: str, weigher: str, options: dict[str, Any]
) -> tuple[Pattern, Any, dict[str, Any]]:
    """The pattern of the entries of a file that are not zero, their moduli, and the options of the
    search for the structural rank."""
    from btfperm.io import values_of

    return *moduli(values_of(path, True, REMEDY)), options
