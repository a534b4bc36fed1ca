# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the types and values of arguments, and of the names of keyword arguments.

The checks raise `InvalidArgumentError` if a value has a wrong type or is not possible, so that no
inner code fails with its own TypeError. An unknown keyword raises TypeError, as in Python.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Collection, Iterable
from typing import Any

from btfperm.errors import InvalidArgumentError

__all__ = [
    "function",
    "one_of",
    "path_text",
    "refuse_unknown_keywords",
    "text",
    "truth",
    "whole_number",
]


def whole_number(name: str, value: Any, minimum: int, maximum: int) -> int:
    """`value` as a Python int from `minimum` to `maximum`; an error message calls it `name`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidArgumentError(f"{name} must be a whole number, not {_short(value)}") from None
    if not minimum <= number <= maximum:
        raise InvalidArgumentError(f"{name} must be a whole number from {minimum} to {maximum}")
    return number


def text(name: str, value: Any) -> str:
    """`value`, which must be a string.

    >>> text("algorithm", [])
    Traceback (most recent call last):
    ...
    btfperm.errors.InvalidArgumentError: algorithm must be a string, not []
    """
    if not isinstance(value, str):
        raise InvalidArgumentError(f"{name} must be a string, not {_short(value)}")
    return value


def one_of(name: str, value: Any, known: Collection[str]) -> str:
    """`value`, which must be one of the strings in `known`."""
    if not isinstance(value, str) or value not in known:
        raise InvalidArgumentError(f"{name} must be one of {', '.join(known)}, not {_short(value)}")
    return value


def truth(name: str, value: Any) -> bool:
    """`value` as a Python bool. It must be True or False, also of NumPy, or 1 or 0."""
    if value is True or value is False:
        return value
    import numpy as np  # imported here, because the command line starts without it

    if isinstance(value, np.bool_) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise InvalidArgumentError(f"{name} must be True or False, not {_short(value)}")


def function(name: str, value: Any) -> Any:
    """`value`, which can be called."""
    if not callable(value):
        raise InvalidArgumentError(f"{name} must be a function, not {_short(value)}")
    return value


def path_text(path: Any) -> str:
    """The path as text. A path with a null character, or with characters that the encoding of file
    names does not have, is refused.

    >>> path_text("a\\0b.mtx")
    Traceback (most recent call last):
    ...
    btfperm.errors.InvalidArgumentError: 'a\\x00b.mtx' is no file name
    """
    try:
        name = os.fsdecode(path)
        encoded = os.fsencode(name)
    except TypeError:
        raise InvalidArgumentError(f"a path must be a string, not {_short(path)}") from None
    except UnicodeError:
        raise InvalidArgumentError(f"{_short(path)} is no file name") from None
    if b"\0" in encoded:
        raise InvalidArgumentError(f"{_short(name)} is no file name")
    return name


def _short(value: Any) -> str:
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def refuse_unknown_keywords(function: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raises TypeError, as Python does, for the first keyword that `function` does not have.

    Functions that pass ``**options`` to other functions call this function first. So the message
    names the function that the user called, and comes before any work.

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
