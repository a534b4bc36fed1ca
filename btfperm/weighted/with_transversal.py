# SPDX-License-Identifier: BSD-3-Clause
"""The `transversal` of a weighted result, in one process and over ranks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

from btfperm.results.weighted import WeightedTransversal

__all__ = ["with_transversal"]

_Result = TypeVar("_Result", bound=WeightedTransversal)


def with_transversal(found: _Result, plain: Any) -> _Result:
    """A weighted result with its `transversal`: the one of the pattern, `plain`, with the pairs and
    scalings of the result."""
    transversal = replace(
        plain,
        row_match=found.row_match,
        col_match=found.col_match,
        log_row_scale=found.log_row_scale,
        log_col_scale=found.log_col_scale,
        weights={
            "objective": found.kind,
            "value": _finite(found.objective),
            "gap": _finite(found.gap),
            "algorithm": found.algorithm,
        },
    )
    return replace(found, transversal=transversal)


def _finite(number: float) -> float | None:
    """The number, or None for infinity, which JSON does not have. The smallest modulus is infinite
    if no entry is matched, and a sum may overflow."""
    return number if math.isfinite(number) else None
