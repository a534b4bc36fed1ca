# SPDX-License-Identifier: BSD-3-Clause
r"""`perm.txt`: plain text for programs in C, Fortran and the like.

The first line has four words: ``btfperm-permutation``, the version of the format, the convention,
and the number of arrays. Each array is its name, its length, and its numbers, separated by white
space; indices count from 0 unless the convention counts from 1. After the last array comes ``meta``
and one line of JSON, which a reader may skip. In the convention ``btfperm``, the first array is
`shape` (rows, columns) and the second one `structural_rank`. In C::

    char name[64], convention[64];
    int version, arrays;
    long length, value;
    fscanf(f, "%63s %d %63s %d", name, &version, convention, &arrays);
    while (arrays-- > 0) {
        fscanf(f, "%63s %ld", name, &length);
        for (long k = 0; k < length; k++) fscanf(f, "%ld", &value);
    }

Scalings are real numbers and follow the line of JSON: the word ``reals``, the number of arrays, and
each array as its name, its length and its numbers. A reader of whole numbers does not reach them.
In C, after the lines above::

    double real;
    fscanf(f, "%63s", name);   /* meta */
    fscanf(f, "%*[^\n]");      /* its line of JSON */
    if (fscanf(f, "%63s %d", name, &arrays) == 2)
        while (arrays-- > 0) {
            fscanf(f, "%63s %ld", name, &length);
            for (long k = 0; k < length; k++) fscanf(f, "%lf", &real);
        }
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.io.real_numbers import list_of_reals
from btfperm.io.small_json import decoded
from btfperm.io.source import shown
from btfperm.io.whole_numbers import list_of_numbers, whole_numbers

__all__ = ["read", "recognises", "write"]

_MAGIC = "btfperm-permutation"
_IN_A_LINE = 16
# Bytes that are read of the first line, of a line with a name and a length, and of the line
# `reals`. The rest of a longer line is ignored.
_LONGEST_LINE = 1 << 12
_MOST_ARRAYS = 64
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{0,62}")
_HEAD = re.compile(rb"^[A-Za-z_][A-Za-z0-9_]{0,62}[ \t]+[0-9]+[ \t\r]*$", re.MULTILINE)


def write(file: BinaryIO, fields: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    reals = {name: array for name, array in fields.items() if np.asarray(array).dtype.kind == "f"}
    whole = {name: array for name, array in fields.items() if name not in reals}
    words = (_MAGIC, str(meta["format_version"]), meta["convention"], str(len(whole)))
    file.write((" ".join(words) + "\n").encode())
    _write_arrays(file, whole, np.int64)
    file.write(f"meta {json.dumps(meta)}\n".encode())
    if reals:
        file.write(f"reals {len(reals)}\n".encode())
        _write_arrays(file, reals, np.float64)


def _write_arrays(file: BinaryIO, fields: Mapping[str, Any], dtype: npt.DTypeLike) -> None:
    for name, array in fields.items():
        flat: npt.NDArray[Any] = np.asarray(array, dtype=dtype).reshape(-1)
        file.write(f"{name} {flat.size}\n".encode())
        for start in range(0, flat.size, _IN_A_LINE):
            numbers = flat[start : start + _IN_A_LINE].tolist()
            file.write((" ".join(map(repr, numbers)) + "\n").encode())


def recognises(start: bytes) -> bool:
    return start.split(None, 1)[:1] == [_MAGIC.encode()]


def read(source: Any) -> tuple[dict[str, npt.NDArray[Any]], Any]:
    text = source.stream.read()
    words, at = _words(text, 0)
    count = whole_numbers(words[3:4])
    if len(words) != 4 or count[0] is None or not 0 <= count[0] <= _MOST_ARRAYS:
        raise source.error("the first line has not the four words it should", 1)
    fields: dict[str, npt.NDArray[Any]] = {}
    for _ in range(count[0]):
        name, array, at = _array(source, text, at)
        fields[name] = array
    end = text.find(b"\nreals ", at)  # a line break inside a string of JSON is escaped
    end = len(text) if end < 0 else end
    about = text[at:end].strip().removeprefix(b"meta")
    meta = decoded(source, about, "the meta at the end")
    if end < len(text):
        fields |= _reals(source, text, end + 1)
    return fields, meta


def _reals(source: Any, text: bytes, at: int) -> dict[str, npt.NDArray[Any]]:
    """The arrays of real numbers from the line ``reals`` on."""
    fields: dict[str, npt.NDArray[Any]] = {}

    def line(place: int) -> int:
        return 1 + text.count(b"\n", 0, place)

    words, behind = _words(text, at)
    count = whole_numbers(words[1:])
    if len(words) != 2 or count[0] is None or not 0 <= count[0] <= _MOST_ARRAYS:
        raise source.error("a number of arrays is expected behind reals", line(at))
    for _ in range(count[0]):
        name, length, first = _name_and_length(source, text, behind)
        next_head = _HEAD.search(text, first)
        behind = len(text) if next_head is None else next_head.start()
        array, fault = list_of_reals(text, first, behind)
        if fault >= 0:
            raise source.error(f"{name} holds something else than real numbers", line(fault))
        if array.size != length:
            what = f"{name} has {array.size} numbers, not {length}"
            raise source.error(what, line(behind - 1))
        fields[name] = array
    if text[behind:].strip():
        raise source.error("more arrays follow than the line of reals announces", line(behind))
    return fields


def _words(text: bytes, at: int) -> tuple[list[bytes], int]:
    """The words of the line that begins at `at`, and the start of the next line."""
    end = text.find(b"\n", at) + 1 or len(text)
    return text[at : min(end, at + _LONGEST_LINE)].split(), end


def _array(source: Any, text: bytes, at: int) -> tuple[str, npt.NDArray[Any], int]:
    """One array with its name, and the start of the line after its last number."""

    def line(place: int) -> int:
        return 1 + text.count(b"\n", 0, place)

    name, length, first = _name_and_length(source, text, at)
    array, end, fault = list_of_numbers(text, first, len(text), most=length)
    if fault:
        raise source.error(f"{name} holds something else than whole numbers", line(end))
    if array.size < length:
        raise source.error(f"the file ends in {name}; it seems truncated", line(len(text) - 1))
    behind = text.find(b"\n", end) + 1 or len(text)
    if length == 0:
        behind = first
    else:
        more, end, fault = list_of_numbers(text, end, behind)
        if fault:
            raise source.error(f"{name} holds something else than whole numbers", line(end))
        if more.size:
            what = f"{name} has {array.size + more.size} numbers, not {length}"
            raise source.error(what, line(end))
    return name, array, behind


def _name_and_length(source: Any, text: bytes, at: int) -> tuple[str, int, int]:
    """Both words of the line that begins at `at`, and the start of the next line."""
    words, first = _words(text, at)
    length = whole_numbers(words[1:])
    if len(words) != 2 or length[0] is None or length[0] < 0 or not _NAME.fullmatch(words[0]):
        found = shown(b" ".join(words))
        line = 1 + text.count(b"\n", 0, at)
        raise source.error(f"a name and a length are expected, not {found}", line)
    return words[0].decode("ascii"), length[0], first
