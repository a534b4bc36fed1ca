# SPDX-License-Identifier: BSD-3-Clause
r"""`perm.txt`: plain text for programs in C, Fortran and the like.

The first line has four words: ``btfperm-permutation``, the version of the format, the convention,
and the number of arrays. Each array is its name, its length, and its numbers, all between white
space, counted from 0 unless the convention counts from 1. After the last array comes ``meta``
and one line of JSON, which a reader may skip. The sizes come first, `shape` (rows,
columns), then `structural_rank`. In C::

    char name[64], convention[64];
    int version, arrays;
    long length, value;
    fscanf(f, "%63s %d %63s %d", name, &version, convention, &arrays);
    while (arrays-- > 0) {
        fscanf(f, "%63s %ld", name, &length);
        for (long k = 0; k < length; k++) fscanf(f, "%ld", &value);
    }
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.io.small_json import decoded
from btfperm.io.source import shown
from btfperm.io.whole_numbers import list_of_numbers, whole_numbers

__all__ = ["read", "recognises", "write"]

_MAGIC = "btfperm-permutation"
_IN_A_LINE = 16
_LONGEST_LINE = 1 << 12  # of those with names and lengths
_MOST_ARRAYS = 64
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{0,62}")


def write(file: BinaryIO, fields: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    words = (_MAGIC, str(meta["format_version"]), meta["convention"], str(len(fields)))
    file.write((" ".join(words) + "\n").encode())
    for name, array in fields.items():
        flat = np.asarray(array, dtype=np.int64).reshape(-1)
        file.write(f"{name} {flat.size}\n".encode())
        for start in range(0, flat.size, _IN_A_LINE):
            numbers = flat[start : start + _IN_A_LINE].tolist()
            file.write((" ".join(map(str, numbers)) + "\n").encode())
    file.write(f"meta {json.dumps(meta)}\n".encode())


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
    return fields, decoded(source, text[at:].strip().removeprefix(b"meta"), "the meta at the end")


def _words(text: bytes, at: int) -> tuple[list[bytes], int]:
    """The words of the line that begins at `at`, and the start of the next line."""
    end = text.find(b"\n", at) + 1 or len(text)
    return text[at : min(end, at + _LONGEST_LINE)].split(), end


def _array(source: Any, text: bytes, at: int) -> tuple[str, npt.NDArray[Any], int]:
    """One array with its name, and the start of the line after its last number."""

    def line(place: int) -> int:
        return 1 + text.count(b"\n", 0, place)

    words, first = _words(text, at)
    length = whole_numbers(words[1:])
    if len(words) != 2 or length[0] is None or length[0] < 0 or not _NAME.fullmatch(words[0]):
        found = shown(b" ".join(words))
        raise source.error(f"a name and a length are expected, not {found}", line(at))
    name = words[0].decode("ascii")
    array, end, fault = list_of_numbers(text, first, len(text), most=length[0])
    if fault:
        raise source.error(f"{name} holds something else than whole numbers", line(end))
    if array.size < length[0]:
        raise source.error(f"the file ends in {name}; it seems truncated", line(len(text) - 1))
    behind = text.find(b"\n", end) + 1 or len(text)
    if length[0] == 0:
        behind = first
    elif more := list_of_numbers(text, end, behind)[0].size:
        what = f"{name} has {array.size + more} numbers, not {length[0]}"
        raise source.error(what, line(end))
    return name, array, behind
