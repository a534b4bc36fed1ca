# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in a `.npz` archive, read and written one at a time.

`numpy.load` believes the size an array claims; here it is compared with the archive first, so a
small file cannot ask for much memory. Nothing is pickled or unpickled.
"""

from __future__ import annotations

import zipfile
from typing import IO, Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

__all__ = ["array_head", "keys", "read_array", "write_array"]

# Deflate, the only compression NumPy uses, cannot do better than this.
_LARGEST_RATIO = 1032
_PIECE = 1 << 16  # entries converted and written at a time
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the same result gives the same bytes, whenever it is written


def keys(archive: zipfile.ZipFile) -> set[str]:
    """Names of the arrays."""
    return {name.removesuffix(".npy") for name in archive.namelist()}


def array_head(archive: zipfile.ZipFile, key: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of an array. Raises KeyError when it is missing, ValueError when damaged."""
    with archive.open(f"{key}.npy") as file:
        shape, _, dtype = _read_head(file)
    return shape, dtype


def read_array(archive: zipfile.ZipFile, key: str) -> npt.NDArray[Any]:
    """The array `key`. Raises KeyError when it is missing, ValueError when it is damaged."""
    info = archive.getinfo(f"{key}.npy")
    with archive.open(info) as file:
        shape, fortran_order, dtype = _read_head(file)
        count = int(np.prod(shape, dtype=object)) if shape else 1
        bytes_left = info.file_size - file.tell()
        if dtype.hasobject:
            raise ValueError(f"the array {key!r} holds Python objects, which are not read")
        if (
            count * dtype.itemsize != bytes_left
            or info.file_size > info.compress_size * _LARGEST_RATIO + 1024
        ):
            raise ValueError(f"the array {key!r} is not as long as its head says")
        values = np.empty(count, dtype=dtype)
        view = memoryview(cast(Any, values).view(np.uint8)) if bytes_left else memoryview(b"")
        filled = 0
        while filled < len(view):
            got = file.readinto(view[filled:])  # type: ignore[attr-defined]
            if not got:
                raise ValueError(f"the array {key!r} ends early")
            filled += got
        file.read(1)  # past the end: now the checksum has been compared
    return values.reshape(shape, order="F" if fortran_order else "C")


def write_array(
    archive: zipfile.ZipFile, key: str, array: npt.NDArray[Any], dtype: type | None = None
) -> None:
    """Appends an array, as `numpy.savez` lays it out; converted to `dtype` piece by piece, so that
    a large one never exists twice."""
    kind = array.dtype if dtype is None else np.dtype(dtype)
    descr = np.lib.format.dtype_to_descr(kind)
    header = {"descr": descr, "fortran_order": False, "shape": array.shape}
    flat = array.reshape(-1)
    info = zipfile.ZipInfo(f"{key}.npy", date_time=_EARLIEST)
    with archive.open(info, "w", force_zip64=True) as file:
        np.lib.format.write_array_header_1_0(cast(Any, file), header)
        buffer = np.empty(min(_PIECE, flat.size), kind)  # one for all: new memory costs more
        for first in range(0, flat.size, _PIECE):
            part = flat[first : first + _PIECE]
            piece = buffer[: part.size]
            piece[:] = part
            file.write(cast(Any, piece).data)


def _read_head(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    binary: BinaryIO = file  # type: ignore[assignment]
    try:
        version = np.lib.format.read_magic(binary)
        if version == (1, 0):
            return np.lib.format.read_array_header_1_0(binary)
        return np.lib.format.read_array_header_2_0(binary)
    except (TypeError, SyntaxError) as error:
        raise ValueError(str(error)) from None
