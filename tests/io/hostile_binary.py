# SPDX-License-Identifier: BSD-3-Clause
"""Small writers of npz archives and MATLAB files in which the caller chooses every byte."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import numpy as np

COLUMNS = {
    "format": np.array(b"csc"),
    "shape": np.array([2, 2]),
    "data": np.array([1.0, 2.0]),
    "indices": np.array([0, 1]),
    "indptr": np.array([0, 1, 2]),
}
"""The arrays of the diagonal matrix with the entries 1 and 2."""


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npy_with_head(text: str | bytes, data: bytes = b"", version: bytes = b"\1\0") -> bytes:
    """An array whose header is `text`."""
    text = text.encode() if isinstance(text, str) else text
    width = 2 if version == b"\1\0" else 4
    return b"\x93NUMPY" + version + len(text).to_bytes(width, "little") + text + data


def npy_of(descr: str, shape: str, data: bytes = b"") -> bytes:
    """An array of the declared type and shape."""
    return npy_with_head(f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}", data)


def npz(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of the arrays in COLUMNS, some of which are replaced by `members`."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method, compresslevel=1) as archive:
        for key, content in ({key: npy(array) for key, array in COLUMNS.items()} | members).items():
            archive.writestr(f"{key}.npy", content)
    return file.getvalue()


def with_field(archive: bytes, key: str, field: str, value: int) -> bytes:
    """`archive` with another number in the directory entry of an array."""
    offset, code = {"flags": (8, "H"), "method": (10, "H"), "packed": (20, "I"), "size": (24, "I")}[
        field
    ]
    changed, entry = bytearray(archive), archive.rindex(f"{key}.npy".encode()) - 46
    assert archive[entry : entry + 4] == b"PK\1\2"
    struct.pack_into("<" + code, changed, entry + offset, value)
    return bytes(changed)


def element(kind: int, data: bytes, length: int | None = None) -> bytes:
    """An element of a MATLAB file, padded; `length` is what its tag declares."""
    tag = struct.pack("<II", kind, len(data) if length is None else length)
    return tag + data + b"\0" * (-len(data) % 8)


def numbers(values: object, dtype: str = "<i4") -> bytes:
    kinds = {"i1": 1, "u1": 2, "i2": 3, "u2": 4, "i4": 5, "u4": 6, "f4": 7, "f8": 9, "i8": 12}
    return element((kinds | {"u8": 13})[dtype[1:]], np.array(values, dtype).tobytes())


def sparse(
    shape: bytes | None = None,
    rows: bytes | None = None,
    starts: bytes | None = None,
    values: bytes | None = None,
    *,
    flags: bytes | None = None,
    name: bytes = b"A",
    more: bytes = b"",
) -> bytes:
    """The data of a sparse variable: the diagonal matrix with the entries 1 and 2, except for the
    given parts. `more` follows the parts."""
    parts = (
        flags or numbers([5, 2], "<u4"),
        shape or numbers([2, 2]),
        element(1, name),
        rows or numbers([0, 1]),
        starts or numbers([0, 1, 2]),
        numbers([1.0, 2.0], "<f8") if values is None else values,
    )
    return b"".join(parts) + more


def mat(*variables: bytes) -> bytes:
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + b"".join(variables)


def variable(data: bytes, length: int | None = None) -> bytes:
    return element(14, data, length)


def compressed(data: bytes, *, cut: int = 0) -> bytes:
    """A compressed element, without the last `cut` bytes of its stream."""
    packed = zlib.compress(data)
    packed = packed[: len(packed) - cut]
    return struct.pack("<II", 15, len(packed)) + packed


def packed_zeros(size: int, start: bytes = b"") -> bytes:
    """A compressed element of `start` and `size` zeros, made without storing them."""
    packer, zeros = zlib.compressobj(1), bytes(1 << 20)
    packed = packer.compress(start)
    packed += b"".join(packer.compress(zeros) for _ in range(size >> 20)) + packer.flush()
    return struct.pack("<II", 15, len(packed)) + packed
