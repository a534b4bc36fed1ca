# SPDX-License-Identifier: BSD-3-Clause
"""Checks of integer arguments and of the names of keyword arguments."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable
from typing import Any

from btfperm.errors import InvalidArgumentError

__all__ = ["refuse_unknown_keywords", "whole_number"]


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """`value` as Python's own number; raises InvalidArgumentError, which says its `name`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidArgumentError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise InvalidArgumentError(f"{name} must be a whole number from {least} to {most}")
    return number


def refuse_unknown_keywords(function: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raises TypeError, as Python does, for the first keyword that `function` does not have.

    Functions that pass ``**options`` on call this first, so that the message names the function
    that the user called, and no work is lost.

    >>> refuse_unknown_keywords("rank", ["algoritm"], ["algorithm", "seed"])
    Traceback (most recent call last):
    ...
    TypeError: rank() got an unexpected keyword argument 'algoritm'; did you mean 'algorithm'?
    """
    for name in given:
        if name not in known:
            from difflib import get_close_matches

            close = get_close_matches(name, known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")
