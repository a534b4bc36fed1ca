# SPDX-License-Identifier: BSD-3-Clause
"""JSON of limited size: Python's objects may need many times the memory of their text."""

from __future__ import annotations

import json
import sys
from typing import Any

__all__ = ["decoded"]

_MOST_BYTES = 1 << 20


# Less than Python's own limit, 4,300 by default, whose message advises to change Python's settings.
_MOST_DIGITS = 4_000


def _whole(digits: str) -> int:
    most = sys.get_int_max_str_digits() or _MOST_DIGITS
    if len(digits) > min(most, _MOST_DIGITS):
        raise ValueError(f"a number has {len(digits):,} digits")
    return int(digits)


def decoded(source: Any, text: bytes, what: str) -> Any:
    """The value that `text` holds; `what` names the text in messages. `source` makes the errors: a
    `Source`, or an object with its methods `error` and `because`."""
    if len(text) > _MOST_BYTES:
        raise source.error(
            f"{what} is no JSON that can be read: apart from lists of numbers, more than "
            f"{_MOST_BYTES >> 20} MB are refused"
        )
    try:
        return json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise source.because(error, f"{what} is no JSON that can be read") from None
