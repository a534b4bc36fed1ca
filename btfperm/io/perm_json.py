# SPDX-License-Identifier: BSD-3-Clause
"""`perm.json`: one object with a list for each field (a number if the field is one number), the
string `convention`, and `meta` as an object.

Long lists of numbers are cut out of the text and parsed into arrays, those of whole numbers by the
core. The rest is small and is decoded to Python objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.io.real_numbers import has_reals, list_of_reals
from btfperm.io.small_json import decoded
from btfperm.io.source import Source
from btfperm.io.whole_numbers import TOO_LARGE, list_of_numbers

__all__ = ["read", "recognises", "write"]

# A member, of any object in the text, whose value is a list of numbers. Its name has at most 64
# letters, digits and underscores. Quotation marks inside a string are escaped, so this matches no
# text inside a string.
_LIST = re.compile(rb'"\w{1,64}"\s*+:\s*+\[([-+.0-9eE,\s]*+)\]')
_LONG = 1 << 10  # characters; shorter lists stay in the text
_MARK = "\0"  # begins the strings that replace lists


def write(file: BinaryIO, fields: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    file.write(b"{\n")
    for name, array in fields.items():
        values = np.asarray(array)
        numbers = values.astype(np.float64 if values.dtype.kind == "f" else np.int64).tolist()
        file.write(f'"{name}": {json.dumps(numbers)},\n'.encode())
    file.write(f'"convention": {json.dumps(meta["convention"])},\n'.encode())
    file.write(f'"meta": {json.dumps(meta)}\n}}\n'.encode())


def recognises(start: bytes) -> bool:
    return start.lstrip().startswith(b"{")


def read(source: Source) -> tuple[dict[str, npt.NDArray[Any]], Any]:
    content = members(source, source.stream.read())
    meta = content.pop("meta", None)
    content.pop("convention", None)
    return {name: _array(value) for name, value in content.items()}, meta


def members(source: Any, text: bytes) -> dict[str, Any]:
    """The members of the object in `text`. A member whose value is a long list of numbers is an
    array; all others, also lists of lists, are as `json` returns them. Errors are raised for
    `source`.

    Raises
    ------
    UnreadableInputError : it is no JSON object that can be read, or an object inside it has a
        member with a long list of numbers, or a later member has the name of one with such a list
    """
    if b"\\u0000" in text:  # such a string could be mistaken for the mark of a list
        raise source.error("it is no JSON that can be read: a text in it holds a NUL byte")
    long = [match.span(1) for match in _LIST.finditer(text) if len(match[1]) > _LONG]
    lists = {f"{_MARK}{number}": span for number, span in enumerate(long)}
    content = decoded(source, _without(text, lists), "the file")
    if not isinstance(content, dict):
        raise source.error("it is no JSON object")
    used = 0
    for name, value in content.items():
        if isinstance(value, str) and value in lists:
            content[name] = _parsed(source, text, *lists[value])
            used += 1
    if used < len(lists):
        raise source.error(
            "it holds a long list of numbers that belongs to no field, or two of one"
        )
    return content


def _without(text: bytes, lists: Mapping[str, tuple[int, int]]) -> bytes:
    """The text with a string in the place of each list."""
    pieces, at = [], 0
    for mark, (first, last) in lists.items():
        pieces += [text[at : first - 1], json.dumps(mark).encode()]
        at = last + 1  # without the brackets
    return b"".join((*pieces, text[at:]))


def _parsed(source: Any, text: bytes, first: int, last: int) -> npt.NDArray[Any]:
    if has_reals(text, first, last):
        numbers, end = list_of_reals(text, first, last, commas=True)
        fault = int(end >= 0)
    else:
        numbers, end, fault = list_of_numbers(text, first, last, commas=True)
    if fault == TOO_LARGE:
        return _array(None)
    if fault:
        line = 1 + text.count(b"\n", 0, end)
        raise source.error("it is no JSON that can be read: a list is damaged", line)
    return numbers


def _array(value: object) -> npt.NDArray[Any]:
    """A number or a list of numbers as an array, of integers if all are whole; an array of objects
    for everything else, which `perm_file` refuses."""
    if isinstance(value, np.ndarray):
        return value
    numbers = value if isinstance(value, list) else [value]
    try:
        if all(type(number) is int for number in numbers):
            return np.array(value, dtype=np.int64)
        if all(type(number) in (int, float) for number in numbers):
            return np.array(value, dtype=np.float64)
    except OverflowError:
        pass
    return np.empty(0, dtype=object)
