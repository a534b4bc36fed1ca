# SPDX-License-Identifier: BSD-3-Clause
"""`perm.npz`: the exchange format. ``numpy.load(path, allow_pickle=False)`` opens it.

One int64 array for each field, float64 arrays for the scalings, then `convention` and `meta` (JSON)
as strings. The same result gives the same bytes.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Mapping
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.errors import BtfpermError
from btfperm.fields import FIELDS, SCALINGS
from btfperm.io.npy_members import (
    ArrayHead,
    keys,
    open_archive,
    read_array,
    read_array_if,
    read_shape,
    write_array,
)
from btfperm.io.read_bytes import DAMAGE
from btfperm.io.small_json import decoded
from btfperm.io.source import Source

__all__ = ["read", "recognises", "write", "write_text"]

_MOST_CONVENTION = 1 << 10  # bytes of the name of a convention
_MOST_META = 4 << 20  # bytes: 1 MB of characters, of 4 bytes each
_MOST_BOUNDARIES = 5  # numbers in the boundaries of the coarse parts


def write(file: BinaryIO, fields: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in fields.items():
            numbers = np.asarray(array)
            write_array(
                archive, name, numbers, np.float64 if numbers.dtype.kind == "f" else np.int64
            )
        write_text(archive, meta)


def write_text(archive: zipfile.ZipFile, meta: Mapping[str, Any]) -> None:
    """Writes the members that follow the arrays."""
    write_array(archive, "convention", np.array(meta["convention"]))
    write_array(archive, "meta", np.array(json.dumps(meta)))


def recognises(start: bytes) -> bool:
    return start[:4] == b"PK\x03\x04"


def read(source: Source) -> tuple[dict[str, npt.NDArray[Any]], Any]:
    with source.random_access() as file:
        try:
            with open_archive(file) as archive:
                found = keys(archive)
                if {"mate", "dual"} <= set(found):
                    raise source.error("it is a matching of a graph: open it with numpy.load")
                if "meta" not in found:
                    raise source.error("it is an npz file, but holds no permutations of btfperm")
                text = str(read_array(archive, "meta", most_bytes=_MOST_META))
                meta = decoded(source, text.encode(), "meta")
                return _fields(source, archive, found), meta
        except BtfpermError:
            raise
        except DAMAGE as error:
            raise source.because(error, "its arrays are damaged") from None


def _fields(
    source: Source, archive: zipfile.ZipFile, found: set[str]
) -> dict[str, npt.NDArray[Any]]:
    """The arrays of `FIELDS` and `SCALINGS` that are there. An array with more than m + n + 5
    numbers is refused. Other arrays are not read, apart from `convention`, which must not be
    damaged."""
    if "convention" in found:
        read_array(archive, "convention", most_bytes=_MOST_CONVENTION)
    if "shape" not in found:  # the caller reports another convention, or what is missing
        return {}
    shape = read_shape(archive)
    if shape is None:
        raise source.error("the shape in it is not two numbers")
    most, fields = sum(shape) + _MOST_BOUNDARIES, {}
    for rows, kinds, numbers in ((FIELDS, "iu", "whole"), (SCALINGS, "fiu", "real")):
        for name in (field.name for field in rows if field.name in found):
            values = read_array_if(archive, name, partial(_is_list, kinds, most))
            if values is None:
                raise source.error(f"{name} is not a list of at most {most} {numbers} numbers")
            fields[name] = values
    return fields


def _is_list(kinds: str, most: int, head: ArrayHead) -> bool:
    """Whether the array has numbers of one of the kinds, at most `most` of them."""
    return head.dtype.kind in kinds and math.prod(head.shape) <= most
