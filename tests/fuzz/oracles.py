# SPDX-License-Identifier: BSD-3-Clause
"""Slow and simple readers: the positions of the entries of a matrix file, or the lists of a
permutation file.

They use nothing of btfperm. They judge only inputs that a reader of btfperm has accepted, so they
may fail in any way on others. They raise ValueError if the text of an entry is not a number.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import struct
import tarfile
import zlib
from typing import Any

import numpy as np

__all__ = ["LARGEST", "fields", "is_petsc", "lists", "places", "unpacked"]

LARGEST = 1 << 16
"""Longer inputs are not judged, because that would take most of the time."""

Places = set[tuple[int, int]]

_WHOLE = re.compile(rb"[+-]?\d+$")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?$|[+-]?(nan|inf(inity)?)$", re.I)
_FORMAT = re.compile(rb"\((?:-?\d+P,?)?\(*(\d*)[IDEFG](\d+)[^()]*\)*", re.I)


def unpacked(data: bytes, member: str | None) -> bytes | None:
    """The content of a file that may be packed, or of this member if it is a tar archive. None if
    the oracle cannot judge it: it is too large (LARGEST), or cannot be unpacked to its end."""
    for magic, unpack in ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7z", lzma.open)):
        if data.startswith(magic):
            try:
                with unpack(io.BytesIO(data)) as file:
                    data = file.read(LARGEST + 1)
            except (OSError, EOFError, lzma.LZMAError, zlib.error):
                return None  # damaged after the matrix
            except MemoryError:
                return None  # a second part that declares a large dictionary
            break
    if len(data) > LARGEST:
        return None
    if member and data[257:262] == b"ustar":
        try:
            with tarfile.open(fileobj=io.BytesIO(data), mode="r|") as archive:
                for entry in archive:
                    if entry.size > LARGEST or not entry.name:  # btfperm ignores empty long names
                        return None
                    # tarfile removes a slash behind some names
                    if entry.name.rstrip("/") == member.rstrip("/") and entry.isfile():
                        file = archive.extractfile(entry)
                        return file.read() if file else None
        except (tarfile.TarError, ValueError, OverflowError):  # tarfile rejects a header
            return None
        return None
    return data


def places(data: bytes, name: str = "") -> Places | None:
    """Positions of the entries of a matrix file; None for a MATLAB file whose matrix `_matlab`
    cannot choose. Only METIS files are recognized by `name`; all others by their content."""
    if data.startswith(b"PK"):
        return _npz(data)
    if data.startswith(b"MATLAB 5"):
        return _matlab(data)
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.lower().startswith((b"%%matrixmarket", b"%matrixmarket")):
        return _matrix_market(data)
    if name.partition(".")[2].startswith(("graph", "metis")):
        return _metis(data)
    return _harwell_boeing(data)


def _matrix_market(data: bytes) -> Places:
    lines = [line for line in data.split(b"\n")[1:] if line.strip() and line.lstrip()[:1] != b"%"]
    banner = data.split(b"\n", 1)[0].lower().split()
    layout, field, symmetry = banner[2], banner[3], banner[4]
    m, n = int(lines[0].split()[0]), int(lines[0].split()[1])
    count = 2 if field == b"complex" else 0 if field == b"pattern" else 1
    found: Places = set()
    if layout == b"coordinate":
        for line in lines[1:]:
            words = _words(line)
            _check_words(words, 2, count, line)
            i, j = int(words[0]) - 1, int(words[1]) - 1
            found.add((i, j))
            if symmetry != b"general":
                found.add((j, i))
        return found
    skew = symmetry == b"skew-symmetric"
    order = ((i, j) for j in range(n) for i in range(0 if symmetry == b"general" else j + skew, m))
    for (i, j), line in zip(order, lines[1:], strict=True):
        words = _words(line)
        _check_words(words, 0, count, line)
        if any(_float(word) != 0 for word in words[:count]):
            found |= {(i, j)} if symmetry == b"general" else {(i, j), (j, i)}
    return found


def _words(line: bytes) -> list[bytes]:
    """The words of a line, without a comment after the entry."""
    return line.partition(b"%")[0].split()


def _check_words(words: list[bytes], whole: int, count: int, line: bytes) -> None:
    if len(words) < whole + count or not all(map(_WHOLE.match, words[:whole])):
        raise ValueError(f"{line[:60]!r} is no entry")
    if not all(map(_NUMBER.match, words[whole : whole + count])):
        raise ValueError(f"{line[:60]!r} has no value")


def _float(word: bytes) -> float:
    return float(word.lower().replace(b"d", b"e") if b"n" not in word.lower() else word)


def _metis(data: bytes) -> Places:
    lines = [line for line in data.split(b"\n") if not line.startswith(b"%")]
    while not lines[0].strip() or lines[0].lstrip().startswith(b"%"):
        del lines[0]
    head = _whole(lines[0])
    n, fmt = head[0], f"{head[2] if len(head) > 2 else 0:03d}"
    ncon = head[3] if len(head) > 3 else 1
    first = int(fmt[0]) + int(fmt[1]) * ncon
    step = 1 + int(fmt[2])
    if any(map(_whole, lines[n + 1 :])):
        raise ValueError("there are numbers after the last vertex")
    found: Places = set()
    count = 0
    for j, line in enumerate(lines[1 : n + 1]):
        words = _whole(line)
        weights = words[first + 1 :: 2] if step == 2 else []
        if len(words) < first or (len(words) - first) % step or min(weights, default=1) < 1:
            raise ValueError(f"{line[:60]!r} is no vertex")
        count += len(words[first::step])
        found |= {(i - 1, j) for i in words[first::step]}
    if count != 2 * head[1] or len(lines) <= n or not all(0 <= i < n for i, _ in found):
        raise ValueError("the edges do not fit the first line")
    return found


def _whole(line: bytes) -> list[int]:
    words = line.split()
    if not all(map(_WHOLE.match, words)):
        raise ValueError(f"{line[:60]!r} has a word that is no number")
    return [int(word) for word in words]


def _harwell_boeing(data: bytes) -> Places:
    lines = data.split(b"\n")
    kind = lines[2][:3].upper()
    m, n, nnz = (int(word) for word in lines[2][3:].split()[:3])
    counts = lines[1].split()
    first = 5 if len(counts) > 4 and int(counts[4]) > 0 else 4
    forms = [
        (int(form[1] or 1), int(form[2])) for form in _FORMAT.finditer(b"".join(lines[3].split()))
    ]
    starts, first = _fields(lines, first, n + 1, *forms[0])
    rows, first = _fields(lines, first, nnz, *forms[1])
    found: Places = set()
    for j in range(n):
        for i in rows[starts[j] - 1 : starts[j + 1] - 1]:
            found.add((i - 1, j))
            if kind[1:2] in b"SHZ":
                found.add((j, i - 1))
    if not all(0 <= i < m and 0 <= j < n for i, j in found):
        raise ValueError("an entry lies outside")
    return found


def _fields(
    lines: list[bytes], first: int, total: int, count: int, width: int
) -> tuple[list[int], int]:
    found: list[int] = []
    while len(found) < total:
        line = lines[first].rstrip(b"\r").ljust(count * width)
        first += 1
        for at in range(0, min(count, total - len(found)) * width, width):
            word = line[at : at + width].strip()
            if not _WHOLE.match(word):
                raise ValueError(f"{word!r} is no number")
            found.append(int(word))
    return found, first


def _npz(data: bytes) -> Places:
    with np.load(io.BytesIO(data)) as arrays:
        kind = arrays["format"].reshape(-1)[0]
        layout = kind.decode() if isinstance(kind, bytes) else str(kind)
        m, n = (int(size) for size in arrays["shape"])
        values = arrays["data"]
        if layout == "coo":
            pairs = zip(arrays["row"].tolist(), arrays["col"].tolist(), strict=True)
            return {(int(i), int(j)) for i, j in pairs}
        if layout == "dia":
            values = np.atleast_2d(values)
            return {
                (j - int(k), j)
                for row, k in enumerate(np.ravel(arrays["offsets"]).tolist())
                for j in range(min(n, values.shape[1]))
                if 0 <= j - int(k) < m and values[row, j]
            }
        starts, inner = ([int(x) for x in arrays[key]] for key in ("indptr", "indices"))
    pairs = [
        (outer, inner[p])
        for outer in range(len(starts) - 1)
        for p in range(starts[outer], starts[outer + 1])
    ]
    if layout == "bsr":
        r, c = values.shape[1:]
        return {(i * r + a, j * c + b) for i, j in pairs for a in range(r) for b in range(c)}
    return {(j, i) for i, j in pairs} if layout == "csc" else set(pairs)


_CODES = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}


def _matlab(data: bytes) -> Places | None:
    """Positions of the only sparse variable, or of `A` in the only struct that has one."""
    order = "<" if data[126:128] == b"IM" else ">"
    found, damaged = [], False
    for kind, content in _elements(data[128:], order, top=True):
        inside = _elements(zlib.decompressobj().decompress(content), order) if kind == 15 else []
        kind, content = inside[0] if inside else (kind, content)
        if kind == 14 and content:
            try:
                found.append(_sparse(_elements(content, order), order))
            except (LookupError, ValueError, OverflowError):
                damaged = True
    if damaged:  # another variable than the matrix may be damaged, which this oracle cannot decide
        return None
    sparse = [entry for entry in found if entry is not None]
    return sparse[0] if len(sparse) == 1 else None


def _sparse(parts: list[tuple[int, bytes]], order: str) -> Places | None:
    array_class = int(_numbers(parts[0], order)[0]) & 0xFF
    if array_class == 2 and len(parts) > 4 and _numbers(parts[1], order) == [1, 1]:
        width = int(_numbers(parts[3], order)[0])
        text = parts[4][1]
        names = [text[at : at + width].rstrip(b"\0") for at in range(0, len(text), width)]
        if b"A" not in names or not parts[5 + names.index(b"A")][1]:
            return None
        return _sparse(_elements(parts[5 + names.index(b"A")][1], order), order)
    if array_class != 5:
        return None
    n = int(_numbers(parts[1], order)[1])
    rows, starts = _numbers(parts[3], order), _numbers(parts[4], order)
    return {(int(i), j) for j in range(n) for i in rows[starts[j] : starts[j + 1]]}


def _elements(data: bytes, order: str, *, top: bool = False) -> list[tuple[int, bytes]]:
    found, at = [], 0
    while at + 8 <= len(data):
        kind, length = struct.unpack_from(order + "II", data, at)
        if kind >> 16 and not top:
            found.append((kind & 0xFFFF, data[at + 4 : at + 4 + (kind >> 16)]))
            at += 8
            continue
        found.append((kind, data[at + 8 : at + 8 + length]))
        at += 8 + length + (0 if kind == 15 else -length % 8)
    return found


def _numbers(part: tuple[int, bytes], order: str) -> list[Any]:
    numbers: list[Any] = np.frombuffer(part[1], dtype=order + _CODES[part[0]]).tolist()
    return numbers


# The numeric fields of a result. `load` ignores other members.
FIELDS = {
    *("row_perm", "col_perm", "row_blocks", "col_blocks", "coarse_rows", "coarse_cols"),
    *("row_match", "col_match", "structural_rank", "shape"),
}


_PETSC_IS = (1211218).to_bytes(4, "big")
_MOST_DIGITS = 4_000  # Python refuses longer numbers unless a setting is changed


def _whole_number(digits: str) -> int:
    return int(digits[:_MOST_DIGITS])


def fields(data: bytes) -> dict[str, list[int]]:
    """The lists of a permutation file in any of its formats."""
    if data.startswith(b"PK"):
        with np.load(io.BytesIO(data)) as arrays:
            members = set(arrays.zip.namelist())
            there = [key for key in FIELDS if f"{key}.npy" in members]
            return {key: np.ravel(arrays[f"{key}.npy"]).tolist() for key in there}
    if data.lstrip().startswith(b"btfperm-permutation"):
        words = iter(data.split())
        count = [next(words) for _ in range(4)][3]
        found = {}
        for _ in range(int(count)):
            name, length = next(words).decode(), int(next(words))
            found[name] = [int(next(words)) for _ in range(length)]
        return found
    content = json.loads(data, parse_int=_whole_number)
    return {key: list(np.ravel(value)) for key, value in content.items() if key in FIELDS}


def is_petsc(data: bytes) -> bool:
    """Whether a file begins with an index set of PETSc, of 32 or 64 bits."""
    return data.startswith((_PETSC_IS, bytes(4) + _PETSC_IS))


def lists(data: bytes) -> dict[str, list[Any]]:
    """The lists of a permutation file that `btfperm check` reads; empty for a `.mat` file."""
    if data.startswith(b"MATLAB"):
        return {}
    if not is_petsc(data):
        return fields(data)
    width, code = (4, "i") if data.startswith(_PETSC_IS) else (8, "q")
    words = struct.unpack(f">{len(data) // width}{code}", data)
    first = words[1]
    names = ("row_perm", "col_perm")
    return dict(zip(names, (list(words[2 : 2 + first]), list(words[4 + first :])), strict=True))
