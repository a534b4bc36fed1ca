# SPDX-License-Identifier: BSD-3-Clause
"""`perm.npz`: the exchange format. ``numpy.load(path, allow_pickle=False)`` opens it.

One int64 array for each field, then `convention` and `meta` (JSON) as strings. The same result
gives the same bytes.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.io.npy_members import keys, read_array, write_array
from btfperm.io.source import Source

__all__ = ["read", "recognises", "write"]


def write(file: BinaryIO, fields: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in fields.items():
            write_array(archive, name, np.asarray(array), np.int64)
        write_array(archive, "convention", np.array(meta["convention"]))
        write_array(archive, "meta", np.array(json.dumps(meta)))


def recognises(start: bytes) -> bool:
    return start[:4] == b"PK\x03\x04"


def read(source: Source) -> tuple[dict[str, npt.NDArray[Any]], Any]:
    with source.random_access() as file:
        try:
            with zipfile.ZipFile(file) as archive:
                found = keys(archive)
                if "meta" not in found:
                    raise source.error("it is an npz file, but holds no permutations of btfperm")
                meta = json.loads(str(read_array(archive, "meta")))
                fields = {name: read_array(archive, name) for name in sorted(found - {"meta"})}
        except (ValueError, KeyError, RuntimeError, NotImplementedError, RecursionError) as error:
            raise source.because(error, "its arrays are damaged") from None
    return fields, meta
