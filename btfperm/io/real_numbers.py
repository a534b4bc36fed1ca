# SPDX-License-Identifier: BSD-3-Clause
"""Lists of real numbers in text files.

The text is converted in pieces, so that the words of a piece need little memory, and each word is
matched against one expression: `float` also accepts ``nan``, ``1_000`` and digits of other scripts.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

__all__ = ["has_reals", "list_of_reals"]

_REAL = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_IN_JSON = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SEPARATOR = {True: re.compile(rb","), False: re.compile(rb"\s")}
_NOT_WHOLE = re.compile(rb"[.eE]")
_LONGEST = 40  # characters of a number; the shortest text that gives each double has at most 24
_PIECE = 1 << 16  # bytes


def has_reals(text: bytes, first: int, last: int) -> bool:
    """Whether a number in ``text[first:last]`` has a decimal point or an exponent. O(bytes)."""
    return _NOT_WHOLE.search(text, first, last) is not None


def list_of_reals(
    text: bytes, first: int, last: int, *, commas: bool = False
) -> tuple[npt.NDArray[np.float64], int]:
    """The numbers in ``text[first:last]``, separated by white space, or with `commas` by commas as
    in JSON; and -1, or where the first piece begins that holds anything else, or a number of more
    than 40 characters. A number that exceeds the largest double is infinite. O(bytes).

    >>> list_of_reals(b"1 -2.5e3 .5", 0, 11)
    (array([ 1.0e+00, -2.5e+03,  5.0e-01]), -1)
    >>> list_of_reals(b"1 nan", 0, 5)
    (array([], dtype=float64), 0)
    """
    number = _IN_JSON if commas else _REAL
    pieces: list[npt.NDArray[np.float64]] = []
    begin = first
    while begin < last:
        separator = _SEPARATOR[commas].search(text, min(begin + _PIECE, last), last)
        end = last if separator is None else separator.start()
        piece = text[begin:end]
        words = [word.strip() for word in piece.split(b",")] if commas else piece.split()
        if words == [b""] and begin == first and end == last:  # an empty list
            break
        if not all(len(word) <= _LONGEST and number.fullmatch(word) for word in words):
            return np.empty(0), begin
        if words:
            pieces.append(np.array(words).astype(np.float64))
        if commas and end == last - 1:  # nothing follows the last comma
            return np.empty(0), begin
        begin = end + 1
    return (np.concatenate(pieces) if pieces else np.empty(0)), -1
