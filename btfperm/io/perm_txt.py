# SPDX-License-Identifier: BSD-3-Clause
r"""`perm.txt`: plain text for programs in C, Fortran and the like.

The first line has four words: ``btfperm-permutation``, the version of the format, the convention,
and the number of arrays. Each array is its name, its length, and its numbers, all between white
space, counted from 0 unless the convention says otherwise. After the last array comes ``meta``
and one line of JSON, which a reader may leave alone. The sizes come first, `shape` (rows,
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
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.io.source import Source, shown

__all__ = ["read", "recognises", "write"]

_MAGIC = "btfperm-permutation"
_IN_A_LINE = 16
_LONGEST_LINE = 1 << 20
_MOST_ARRAYS = 64
_NOTHING = np.empty(0, dtype=np.int64)


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


def read(source: Source) -> tuple[dict[str, npt.NDArray[Any]], Any]:
    stream = source.stream
    first = stream.readline(_LONGEST_LINE).split()
    if len(first) != 4 or not first[3].isdigit() or int(first[3]) > _MOST_ARRAYS:
        raise source.error("the first line has not the four words it should", 1)
    line, fields = 1, {}
    for _ in range(int(first[3])):
        words = stream.readline(_LONGEST_LINE).split()
        line += 1
        if len(words) != 2 or not words[1].isdigit():
            found = shown(b" ".join(words))
            raise source.error(f"a name and a length are expected, not {found}", line)
        name, length = words[0].decode("ascii", "replace"), int(words[1][:18])
        numbers: list[bytes] = []
        while len(numbers) < length:
            text = stream.readline(_LONGEST_LINE)
            if not text:
                raise source.error(f"the file ends in {name}; it seems truncated", line)
            line += 1
            numbers += text.split()
        try:
            array = np.array(numbers, dtype=bytes).astype(np.int64) if numbers else _NOTHING
        except (ValueError, OverflowError):
            raise source.error(f"{name} holds something else than whole numbers", line) from None
        if array.size != length:
            raise source.error(f"{name} has {array.size} numbers, not {length}", line)
        fields[name] = array
    meta = stream.read().strip()
    try:
        return fields, json.loads(meta.removeprefix(b"meta"))
    except (ValueError, RecursionError) as error:
        raise source.because(error, "the meta at the end is no JSON") from None
