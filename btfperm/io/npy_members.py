# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in a `.npz` archive, read and written one at a time.

`numpy.load` allocates the size that the header of an array declares, and parses the header as a
Python literal. Here the memory grows with the bytes that are read (`read_bytes`), and a regular
expression parses the header. Nothing is pickled or unpickled.
"""

from __future__ import annotations

import contextlib
import functools
import io
import math
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from btfperm.io.read_bytes import DAMAGE, array_of
from btfperm.printable import cause_text

__all__ = [
    "ArrayHead",
    "array_head",
    "array_writer",
    "keys",
    "open_archive",
    "read_array",
    "read_array_if",
    "read_npy",
    "read_shape",
    "write_array",
]

# `zipfile` unpacks these in pieces of bounded size; NumPy writes no other.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MOST_DIRECTORY = 1 << 20  # bytes; the objects of `zipfile` need up to twenty times as much
_MOST_HEAD = 10_000  # bytes, as in NumPy
_MOST_ITEM = 4 << 20  # bytes: a text of a million characters
_PIECE = 1 << 16  # entries converted and written at a time
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that equal results are equal files

_MAGIC = b"\x93NUMPY"
_SIZE_BYTES = {
    b"\x01\x00": 2,
    b"\x02\x00": 4,
    b"\x03\x00": 4,
}  # bytes of the length field, by version
_ITEM = rb"""\s*(?P<quote>['"])(?P<key>\w+)(?P=quote)\s*:\s*(?P<value>%s)\s*(?:,|(?=\}))"""
_SIZE = rb"(?:0|[1-9][0-9]{0,18})L?"  # Python's literals have no leading zero
# One size alone has a comma behind it: "(3)" is a number.
_SIZES = _SIZE + rb"\s*,\s*(?:" + _SIZE + rb"\s*,\s*)*(?:" + _SIZE + rb"\s*)?"
_SHAPE = rb"\(\s*(?:" + _SIZES + rb")?\)"
_END = re.compile(rb" *\} *\n?")  # NumPy pads a head with spaces before its line end
_VALUE = rb"""'[^'\\]*'|"[^"\\]*"|True|False|\[.*\]|""" + _SHAPE
_ENTRY = re.compile(_ITEM % _VALUE, re.DOTALL)
_DESCR = re.compile(r"[<>|=]?[a-zA-Z?][0-9]{0,10}(?:\[[0-9]{0,9}[a-zA-Z]{1,2}\])?")
_KEYS = {b"descr", b"fortran_order", b"shape"}
_BEYOND = 1 << 63


class ArrayHead(NamedTuple):
    """What the head of an array declares."""

    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """Bytes of all items."""
        return math.prod(self.shape) * self.dtype.itemsize


class _LimitedReads:
    """A file for `zipfile` that refuses to read more than `_MOST_DIRECTORY` bytes in one call:
    `zipfile` reads the list of members in one call, whatever size the archive declares."""

    def __init__(self, file: BinaryIO) -> None:
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable
        self._read = file.read

    def read(self, count: int = -1) -> bytes:
        if count > _MOST_DIRECTORY:
            raise ValueError(f"its list of members has {count} bytes, which is too long")
        return self._read(count)


def open_archive(file: BinaryIO) -> zipfile.ZipFile:
    """The archive in `file`. Raises ValueError when it is damaged."""
    try:
        return zipfile.ZipFile(cast(Any, _LimitedReads(file)))
    except DAMAGE as error:
        raise ValueError(cause_text(error)) from None


def keys(archive: zipfile.ZipFile) -> set[str]:
    """Names of the arrays."""
    return {name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")}


def array_head(archive: zipfile.ZipFile, key: str) -> ArrayHead:
    """Shape and type of an array. Raises KeyError when it is missing, ValueError when damaged."""
    with _opened(archive, key) as file:
        return _read_head(file, archive.getinfo(f"{key}.npy").file_size)


def read_shape(archive: zipfile.ZipFile) -> tuple[int, int] | None:
    """The two sizes in the array `shape`; None if it holds anything else."""
    sizes = read_array_if(
        archive, "shape", lambda head: head.dtype.kind in "iu" and head.shape == (2,)
    )
    if sizes is None or sizes.min() < 0:
        return None
    m, n = sizes.tolist()
    return m, n


def read_array(
    archive: zipfile.ZipFile, key: str, *, most_bytes: int | None = None
) -> npt.NDArray[Any]:
    """The array `key`.

    Raises
    ------
    KeyError : it is missing
    ValueError : it is damaged, or has more than `most_bytes`
    """
    with _opened(archive, key) as file:
        head = _read_head(file, archive.getinfo(f"{key}.npy").file_size)
        if most_bytes is not None and head.size > most_bytes:
            raise ValueError(f"it has {head.size} bytes, more than the {most_bytes} that are read")
        return _read_items(file, head)


def read_array_if(
    archive: zipfile.ZipFile, key: str, accepts: Callable[[ArrayHead], bool]
) -> npt.NDArray[Any] | None:
    """The array `key`, or None if `accepts` refuses its head. Raises as `read_array`."""
    with _opened(archive, key) as file:
        head = _read_head(file, archive.getinfo(f"{key}.npy").file_size)
        return _read_items(file, head) if accepts(head) else None


def _read_items(file: IO[bytes], head: ArrayHead) -> npt.NDArray[Any]:
    """The items behind the head of an array in an archive."""
    values = array_of(file.read, head.size, head.dtype)
    file.read(1)  # a read past the end compares the checksum
    return values.reshape(head.shape, order="F" if head.fortran_order else "C")


def read_npy(file: BinaryIO) -> npt.NDArray[Any]:
    """The array in a `.npy` file. Raises ValueError when it is damaged.

    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.array([1.5, 2.0]))
    >>> _ = file.seek(0)
    >>> read_npy(file)
    array([1.5, 2. ])
    """
    try:
        head = _read_head(file, None)
        values = array_of(file.read, head.size, head.dtype)
        if file.read(1):
            raise ValueError("more bytes follow than its head declares")
    except DAMAGE as error:
        raise ValueError(f"the array is damaged: {cause_text(error)}") from None
    return values.reshape(head.shape, order="F" if head.fortran_order else "C")


def write_array(
    archive: zipfile.ZipFile, key: str, array: npt.NDArray[Any], dtype: type | None = None
) -> None:
    """Appends an array in C order, as `numpy.savez` lays it out. It is converted to `dtype` piece
    by piece, so that the conversion needs no second array of this length."""
    kind = array.dtype if dtype is None else np.dtype(dtype)
    with array_writer(archive, key, array.shape, kind) as put:
        put(array.reshape(-1))


@contextlib.contextmanager
def array_writer(
    archive: zipfile.ZipFile, key: str, shape: tuple[int, ...], kind: np.dtype[Any]
) -> Iterator[Callable[[npt.NDArray[Any]], None]]:
    """Appends an array whose items arrive in pieces; yields a function that appends the next
    items."""
    # One buffer for all pieces, because a new allocation for each piece takes longer.
    buffer = np.empty(min(_PIECE, math.prod(shape)), kind)
    with archive.open(_member(key), "w", force_zip64=True) as file:
        _write_head(file, shape, kind)

        def put(items: npt.NDArray[Any]) -> None:
            for first in range(0, items.size, _PIECE):
                part = items[first : first + _PIECE]
                piece = buffer[: part.size]
                piece[:] = part
                file.write(cast(Any, piece).data)

        yield put


def _member(key: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(f"{key}.npy", date_time=_EARLIEST)


def _write_head(file: IO[bytes], shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
    descr = np.lib.format.dtype_to_descr(kind)
    header = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(cast(Any, file), header)


class Reserved(NamedTuple):
    """An array of an archive whose items are written by others.

    Attributes
    ----------
    info : the member
    head : the head of the array
    first : the place of the first item in the file
    """

    info: zipfile.ZipInfo
    head: bytes
    first: int


def reserve_array(
    archive: zipfile.ZipFile, key: str, shape: tuple[int, ...], kind: np.dtype[Any]
) -> Reserved:
    """Appends an array without its items to an archive that is being written. The caller writes the
    items at their places in the file, and then calls `complete_array`."""
    info, file = _member(key), io.BytesIO()
    _write_head(file, shape, kind)
    head, at = file.getvalue(), archive.start_dir
    info.header_offset, info.external_attr = at, 0o600 << 16
    info.CRC = 0  # not known yet
    info.file_size = info.compress_size = len(head) + math.prod(shape) * kind.itemsize
    first = at + len(info.FileHeader(zip64=True)) + len(head)
    archive.start_dir = first + info.file_size - len(head)
    archive.filelist.append(info)
    archive.NameToInfo[info.filename] = info
    return Reserved(info, head, first)


def complete_array(archive: zipfile.ZipFile, reserved: Reserved, checksum: int) -> None:
    """Writes the head of an array whose items are written. `checksum` is the CRC-32 of the
    items."""
    info, head = reserved.info, reserved.head
    info.CRC = joined_crc32(zlib.crc32(head), checksum, info.file_size - len(head))
    file = cast(Any, archive.fp)
    file.seek(info.header_offset)
    file.write(info.FileHeader(zip64=True) + head)


def joined_crc32(first: int, second: int, size: int) -> int:
    """The CRC-32 of two byte strings in a row, from the CRC-32 of each and the size of the second.

    >>> joined_crc32(zlib.crc32(b"ab"), zlib.crc32(b"cde"), 3) == zlib.crc32(b"abcde")
    True
    """
    return _product(_power(8 * size), first) ^ second


# CRC-32 is a polynomial over the field of two elements modulo `_CRC_MODULUS`. The bit 31 - k of a
# number is the coefficient of x^k.
_CRC_MODULUS = 0xEDB88320


def _product(a: int, b: int) -> int:
    """The product of two polynomials modulo `_CRC_MODULUS`."""
    found = 0
    for k in range(31, -1, -1):
        if a >> k & 1:
            found ^= b
        b = (b >> 1) ^ (_CRC_MODULUS if b & 1 else 0)  # b x
    return found


@functools.lru_cache(maxsize=64)  # the parts of an array have few sizes
def _power(exponent: int) -> int:
    """The polynomial x^exponent modulo `_CRC_MODULUS`."""
    found, square = 1 << 31, 1 << 30
    while exponent:
        if exponent & 1:
            found = _product(found, square)
        square, exponent = _product(square, square), exponent >> 1
    return found


@contextlib.contextmanager
def _opened(archive: zipfile.ZipFile, key: str) -> Iterator[IO[bytes]]:
    """The file of an array. Errors that damaged bytes raise become a ValueError that names the
    array."""
    info = archive.getinfo(f"{key}.npy")
    try:
        if info.compress_type not in _METHODS or info.flag_bits & 1:
            raise ValueError("it is encrypted, or compressed in a way that NumPy does not use")
        with archive.open(info) as file:
            yield file
    except DAMAGE as error:
        raise ValueError(f"the array {key!r} is damaged: {cause_text(error)}") from None


def _read_head(file: IO[bytes], file_size: int | None) -> ArrayHead:
    """Reads the head of an array. `file_size` is None if it is unknown, as for a packed file."""
    start = file.read(len(_MAGIC) + 2)
    width = _SIZE_BYTES.get(start[len(_MAGIC) :])
    if start[: len(_MAGIC)] != _MAGIC or width is None:
        raise ValueError("it does not begin like an array of NumPy")
    size = int.from_bytes(file.read(width), "little")
    if size > _MOST_HEAD:
        raise ValueError(f"its head has {size} bytes, more than the {_MOST_HEAD} that are read")
    text = file.read(size)
    if len(text) < size:
        raise ValueError("it ends in its head")
    head = _parsed_head(text.lstrip(b" "))
    if file_size is not None and head.size != file_size - file.tell():
        raise ValueError("its length differs from the length in its header")
    return head


@functools.lru_cache(maxsize=64)  # the heads of one archive are read twice, and are often the same
def _parsed_head(text: bytes) -> ArrayHead:
    """A dictionary with the keys descr, fortran_order and shape, in any order.

    >>> _parsed_head(b"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }")
    ArrayHead(shape=(2, 3), fortran_order=False, dtype=dtype('int32'))
    """
    fields, at = {}, 1
    while (entry := _ENTRY.match(text, at)) is not None:
        fields[entry["key"]] = entry["value"]
        at = entry.end()
    if text[:1] != b"{" or not _END.fullmatch(text, at) or fields.keys() != _KEYS:
        raise ValueError("its head is not the head of an array")
    shape, order = fields[b"shape"], fields[b"fortran_order"]
    if not shape.startswith(b"(") or order not in (b"True", b"False"):
        raise ValueError("its head has no shape or no order of the items")
    sizes = tuple(int(word) for word in re.findall(rb"[0-9]+", shape))
    dtype = _dtype(fields[b"descr"])
    head = ArrayHead(sizes, order == b"True", dtype)
    if math.prod(max(size, 1) for size in sizes) * dtype.itemsize >= _BEYOND:
        raise ValueError("its shape is larger than any array")
    return head


def _dtype(value: bytes) -> np.dtype[Any]:
    """The type of the items, which are numbers, texts or dates."""
    descr = value[1:-1].decode("latin-1")
    if value.startswith(b"[") or not _DESCR.fullmatch(descr):
        raise ValueError("its items are of a type that is not read")
    dtype = np.dtype(descr)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are not read")
    if not dtype.itemsize:
        raise ValueError(f"its items, of type {descr}, have no bytes")
    if dtype.itemsize > _MOST_ITEM:  # even an array without items needs the memory of one
        raise ValueError(f"its items have {dtype.itemsize} bytes each")
    return dtype
