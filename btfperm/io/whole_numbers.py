# SPDX-License-Identifier: BSD-3-Clause
"""Whole numbers in text files: a few in a header, or millions of them in a list.

Python's `int` also accepts ``1_000`` and the digits of other scripts, and takes quadratic time for
long numbers; lists of Python numbers may need many times the memory of their text. So the words of
headers are matched against one expression, and the core parses lists into arrays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core

__all__ = ["TOO_LARGE", "list_of_numbers", "whole_numbers"]

TOO_LARGE = 2
"""The fault that `list_of_numbers` returns for a number beyond 64 bits."""

_WHOLE = re.compile(rb"[+-]?[0-9]+")
_MOST_DIGITS = 19
_BEYOND = 1 << 63


def whole_numbers(words: Sequence[bytes]) -> list[int | None]:
    """The number in each word, None where it is not one whole number. 2^63 stands for all that are
    larger, -2^63 for all that are smaller.

    >>> whole_numbers([b"12", b"-3", b"++1", b"1_000", b"0x10", b"1e3"])
    [12, -3, None, None, None, None]
    """
    return [_whole_number(word) for word in words]


def _whole_number(word: bytes) -> int | None:
    if _WHOLE.fullmatch(word) is None:
        return None
    digits = word.lstrip(b"+-").lstrip(b"0")
    size = min(int(digits or b"0"), _BEYOND) if len(digits) <= _MOST_DIGITS else _BEYOND
    return -size if word.startswith(b"-") else size


def list_of_numbers(
    text: bytes, first: int, last: int, *, most: int | None = None, commas: bool = False
) -> tuple[npt.NDArray[Any], int, int]:
    """The whole numbers in ``text[first:last]``, at most `most` of them, as int32 or int64.

    They are separated by white space, or with `commas` by commas. Returns three results: the array,
    the position behind the last number, and a fault. The fault is 0, `TOO_LARGE`, or another number
    for a token that is no whole number. With a fault, the array is empty, and the second result is
    the position of the fault. O(bytes) time; the array has at most about four times the bytes of
    the text.
    """
    view = np.frombuffer(text, dtype=np.uint8)
    limit = last - first + 1  # more than the text can hold, and within 64 bits
    limit = limit if most is None else min(most, limit)
    fault, count, is_wide, end = _core.io.measure_whole_numbers(view, first, last, limit, commas)
    if fault:
        return np.empty(0, dtype=np.int64), end, fault
    numbers = np.empty(count, dtype=np.int64 if is_wide else np.int32)
    _core.io.read_whole_numbers(view, first, last, commas, numbers)
    return numbers, end, 0
