# SPDX-License-Identifier: BSD-3-Clause
"""The `transversal` of a weighted result, in one process and over ranks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from btfperm.path.plan import Plan
from btfperm.results.weighted import WeightedTransversal

__all__ = ["with_transversal"]

_Result = TypeVar("_Result", bound=WeightedTransversal)


def with_transversal(
    result: type[_Result], plain: Any, plan: Plan | None = None, **found: Any
) -> _Result:
    """A result of this class with its fields, `found`, and a `transversal`.

    `plain` is the transversal that the search without weights found. The `transversal` of the
    result is a copy of `plain` with the matched entries and the scalings in `found`. Its `explain`
    adds the decisions of `plan`, which is the plan of the weighted search."""
    is_product = found["kind"] == "product"
    transversal = replace(
        plain,
        explain=plain.explain if plan is None else partial(_explained, plain.explain, plan),
        row_match=found["row_match"],
        col_match=found["col_match"],
        log_row_scale=found["row_dual"] if is_product else None,
        log_col_scale=found["col_dual"] if is_product else None,
        weights={
            "objective": found["kind"],
            "value": _finite(found["objective"]),
            "gap": _finite(found["gap"]),
            "algorithm": found["algorithm"],
        },
    )
    return result(transversal=transversal, **found)


def _explained(explain: Callable[[], Any], plan: Plan) -> dict[str, Any]:
    """The dictionary that `explain` returns, with the decisions of the plan added."""
    explained, added = dict(explain()), plan.explain()["decisions"]
    named = {f"weighted {what}": decision for what, decision in added.items()}
    explained["decisions"] = {**explained["decisions"], **named}
    explained["weighted_plan"] = plan.parts()
    return explained


def _finite(number: float) -> float | None:
    """The number, or None for infinity, which JSON does not have. The smallest modulus is infinite
    if no entry is matched, and a sum may overflow."""
    return number if math.isfinite(number) else None
