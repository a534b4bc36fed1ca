# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that a caller gives, checked at the door."""

from __future__ import annotations

import operator
from typing import Any

from btfperm.errors import InvalidArgumentError

__all__ = ["whole_number"]


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """`value` as Python's own number; raises InvalidArgumentError, which says its `name`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidArgumentError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise InvalidArgumentError(f"{name} must be a whole number from {least} to {most}")
    return number
