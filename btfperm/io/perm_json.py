# SPDX-License-Identifier: BSD-3-Clause
"""`perm.json`: one object with a list for each field, `convention`, and `meta` as an object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.io.source import Source

__all__ = ["read", "recognises", "write"]


def write(file: BinaryIO, fields: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    file.write(b"{\n")
    for name, array in fields.items():
        numbers = np.asarray(array, dtype=np.int64).tolist()
        file.write(f'"{name}": {json.dumps(numbers)},\n'.encode())
    file.write(f'"convention": {json.dumps(meta["convention"])},\n'.encode())
    file.write(f'"meta": {json.dumps(meta)}\n}}\n'.encode())


def recognises(start: bytes) -> bool:
    return start.lstrip().startswith(b"{")


def read(source: Source) -> tuple[dict[str, npt.NDArray[Any]], Any]:
    try:
        content = json.load(source.stream)
        meta = content.pop("meta", None)
        content.pop("convention", None)
        fields = {
            name: np.asarray(value, dtype=np.int64 if value == [] else None)
            for name, value in content.items()
        }
    except (ValueError, OverflowError, RecursionError) as error:
        raise source.because(error, "it is no JSON that can be read") from None
    return fields, meta
