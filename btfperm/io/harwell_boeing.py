# SPDX-License-Identifier: BSD-3-Clause
"""Harwell-Boeing and Rutherford-Boeing files (`.rua`, `.psa`, `.rb`, ...).

Formats: I. S. Duff, R. G. Grimes, J. G. Lewis, *Users' Guide for the Harwell-Boeing Sparse Matrix
Collection*, 1992, and *The Rutherford-Boeing Sparse Matrix Collection*, RAL-TR-97-031, 1997.
Both hold compressed columns in fixed-width fields after a header of four lines; the header of
Harwell-Boeing has a fifth line if right-hand sides follow. The three letters of the type mean::

    R real   C complex   I integer   P pattern   Q pattern, values in a file of their own
    S symmetric   U unsymmetric   H hermitian   Z skew-symmetric   R rectangular
    A assembled   E elemental (refused)

SciPy's reader accepts fewer types and needs the values; this reader takes all assembled matrices.
The files that this module writes have no right-hand sides and are valid in both formats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.io.columns import compressed_columns
from btfperm.io.fortran_fields import Field, read_fields
from btfperm.io.header import Header
from btfperm.io.source import Progress, Source, shown
from btfperm.io.values import reflected, writable
from btfperm.io.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from btfperm.pattern import Pattern

__all__ = ["head", "read_matrix", "read_pattern", "recognises", "write_matrix"]

_FIELDS = {"R": "real", "C": "complex", "I": "integer", "P": "pattern", "Q": "pattern"}
_VALUE_TYPES = {"real": np.float64, "complex": np.complex128, "integer": np.int64, "pattern": bool}
_SYMMETRIES = {
    "S": "symmetric",
    "U": "general",
    "H": "hermitian",
    "Z": "skew-symmetric",
    "R": "general",
}
_LONGEST_LINE = 1 << 12
_WRITTEN_LINES = 1 << 12  # lines that are written at a time
_REAL_FIELD = Field(3, 25, False)  # 17 digits and a blank in front of each number


class _Cards(NamedTuple):
    """The part of the header that describes the numbers; `line` counts the lines of the header."""

    header: Header
    pointers: Field
    indices: Field
    values: Field | None
    line: int


def recognises(start: bytes, suffix: str) -> bool:
    """Whether the file is of this format. There is no magic number, so the type in line 3 and a
    Fortran format in line 4 decide."""
    lines = start.split(b"\n", 4)
    if len(lines) < 4:
        return False
    kind = lines[2][:3].decode("ascii", "replace").upper()
    return (
        len(kind) == 3
        and kind[0] in _FIELDS
        and kind[1] in _SYMMETRIES
        and kind[2] in "AE"
        and lines[3].lstrip().startswith(b"(")
    )


def head(source: Source) -> Header:
    return _read_cards(source).header


def read_pattern(
    source: Source, *, drop_zeros: bool, threads: int = 0, progress: Progress | None = None
) -> Pattern:
    """O(size of the file)."""
    from btfperm.pattern import Pattern

    cards = _read_cards(source)
    header = cards.header
    starts, rows, values = _read_columns(source, cards)
    source.report(progress)
    if header.symmetry == "general":
        return Pattern.from_csc(
            starts,
            rows,
            header.shape,
            values=values,
            drop_zeros=drop_zeros,
            name=source.name,
            source=source.origin(),
            owned=True,
        )
    return Pattern.from_coo(
        rows,
        _columns_of(starts),
        header.shape,
        values=values,
        drop_zeros=drop_zeros,
        name=source.name,
        source=source.origin(),
        symmetric=True,
        owned=True,
    )


def read_matrix(source: Source) -> Any:
    """The matrix with its values; those of a pattern file are True."""
    import scipy.sparse

    cards = _read_cards(source)
    starts, rows, values = _read_columns(source, cards)
    cols = _columns_of(starts)
    if cards.header.symmetry != "general":
        off = rows != cols
        rows, cols = np.concatenate((rows, cols[off])), np.concatenate((cols, rows[off]))
        if values is not None:
            values = np.concatenate((values, reflected(values[off], cards.header.symmetry)))
    if values is None:  # an empty matrix announces no values, whatever its field
        dtype = bool if rows.size else _VALUE_TYPES[cards.header.field]
        values = np.ones(rows.size, dtype=dtype)
    elif cards.header.field == "integer":
        values = _whole(source, values)
    return scipy.sparse.coo_array((values, (rows, cols)), shape=cards.header.shape)


def write_matrix(file: BinaryIO, A: Any) -> None:
    """Writes compressed columns with all entries, also of a symmetric matrix. For the field see
    `writable`.

    `scipy.io.hb_write` is not used: its fields of real values are a character narrower than it
    declares.
    """
    indptr, rows, data = compressed_columns(A)
    (m, n), nnz = A.shape, rows.size
    field, values = writable(data)
    if field == "complex":
        values = values.view(np.float64)
    pointers, indices = _integer_field(nnz + 1), _integer_field(m)
    value, conversion, letter = _REAL_FIELD, "%25.16E", f"{_REAL_FIELD.count}E25.16"
    if field == "integer":
        value = _integer_field(int(values.min(initial=0)), int(values.max(initial=0)))
        conversion, letter = f"%{value.width}d", f"{value.count}I{value.width}"
    lines = [
        -(-count // layout.count)
        for count, layout in ((n + 1, pointers), (nnz, indices), (values.size, value))
    ]
    if field == "pattern":
        lines[2] = 0
    kind = next(kind for kind, name in _FIELDS.items() if name == field)
    formats = [f"({layout.count}I{layout.width})" for layout in (pointers, indices)]
    cards = (
        f"{'written by btfperm':<72}{'btfperm':<8}",
        "".join(f"{count:14d}" for count in (sum(lines), *lines, 0)),
        f"{kind}UA{'':11}" + "".join(f"{count:14d}" for count in (m, n, nnz, 0)),
        f"{formats[0]:<16}{formats[1]:<16}" + (f"({letter})" if lines[2] else ""),
    )
    file.write(("\n".join(cards) + "\n").encode("ascii"))
    _write_fields(file, pointers, f"%{pointers.width}d", indptr, 1)
    _write_fields(file, indices, f"%{indices.width}d", rows, 1)
    if lines[2]:
        _write_fields(file, value, conversion, values, 0)


def _integer_field(*numbers: int) -> Field:
    """The layout of integers: as many fields as fit on a line of 80 characters, each after a
    blank."""
    width = 1 + max(len(str(number)) for number in numbers)
    return Field(80 // width, width, True)


def _write_fields(
    file: BinaryIO, field: Field, conversion: str, numbers: npt.NDArray[Any], add: int
) -> None:
    step = _WRITTEN_LINES * field.count
    for start in range(0, numbers.size, step):
        part = (numbers[start : start + step] + add).tolist()
        whole, rest = divmod(len(part), field.count)
        text = (conversion * field.count + "\n") * whole + (conversion * rest + "\n") * (rest > 0)
        file.write((text % tuple(part)).encode("ascii"))


def _read_cards(source: Source) -> _Cards:
    lines = [source.stream.readline(_LONGEST_LINE).decode("ascii", "replace") for _ in range(4)]
    kind = lines[2][:3].upper()
    if kind[2] == "E":
        raise source.error(
            "it holds an elemental (unassembled) matrix, which is not read: assemble it first", 3
        )
    sizes = whole_numbers(lines[2][3:].encode("ascii", "replace").split()[:3])
    counted = whole_numbers(lines[1].encode("ascii", "replace").split()[3:5])
    if len(sizes) != 3 or None in (*sizes, *counted):
        raise source.error(
            f"the header does not give rows, columns and entries: {shown(lines[2].encode())}", 3
        )
    m, n, nnz = (size or 0 for size in sizes)
    with_values = (counted[0] or 0) > 0 if counted and kind[0] not in "PQ" else False
    with_right_sides = len(counted) > 1 and (counted[1] or 0) > 0
    if min(m, n, nnz) < 0 or max(m, n, nnz) >= 1 << 63:
        raise source.error(f"a matrix cannot be {m} x {n} with {nnz} entries", 3)
    symmetry = _SYMMETRIES[kind[1]]
    if symmetry != "general" and m != n:
        raise source.error(f"a {symmetry} matrix must be square, not {m} x {n}", 3)
    formats = _formats(lines[3])
    if len(formats) < 2 + with_values or None in formats[: 2 + with_values]:
        what = shown(lines[3].encode(), 72)
        raise source.error(f"the Fortran formats cannot be understood: {what}", 4)
    if with_right_sides:
        source.stream.readline(_LONGEST_LINE)
    header = Header("harwell-boeing", (m, n), nnz, _FIELDS[kind[0]], symmetry, "csc")
    pointers, indices = formats[0], formats[1]
    assert pointers is not None and indices is not None  # checked above
    if not (pointers.is_integer and indices.is_integer):
        raise source.error(
            "the column pointers and row numbers need integer formats, as in (16I5), not "
            f"{shown(lines[3].encode(), 72)}",
            4,
        )
    values = formats[2] if with_values else None
    return _Cards(header, pointers, indices, values, 5 if with_right_sides else 4)


def _formats(text: str) -> list[Field | None]:
    """The formats in line 4. They start at fixed columns, but the parentheses separate them."""
    found, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        if letter == "(":
            start = place if depth == 0 else start
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth == 0:
                found.append(Field.parse(text[start : place + 1]))
    return found


def _read_columns(
    source: Source, cards: _Cards
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any] | None]:
    """Column pointers and row numbers, which count from 0, and the values."""
    header, line = cards.header, cards.line
    (m, n), nnz = header.shape, header.entries or 0
    # Each number has at least one character.
    if source.largest_size is not None and n + nnz > source.largest_size:
        raise source.error(f"the file is too short for {n} columns with {nnz} entries", 3)
    index = np.int32 if max(m, n, nnz) < np.iinfo(np.int32).max else np.int64
    starts, line = read_fields(source, cards.pointers, n + 1, index, line, "column pointers")
    if starts[0] != 1 or starts[-1] != nnz + 1 or (starts[1:] < starts[:-1]).any():
        raise source.error(
            f"the column pointers do not rise from 1 to {nnz + 1}, one more than the entries", line
        )
    first = line + 1
    rows, line = read_fields(source, cards.indices, nnz, index, line, "row numbers")
    if nnz and not (rows.min() >= 1 and rows.max() <= m):
        at = int(np.argmax((rows < 1) | (rows > m)))
        raise source.error(
            f"the row number {rows[at]} is not between 1 and {m}", first + at // cards.indices.count
        )
    starts -= 1
    rows -= 1
    return starts, rows, _read_values(source, cards, nnz, line)


def _columns_of(starts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.repeat(np.arange(starts.size - 1, dtype=starts.dtype), np.diff(starts))


def _read_values(source: Source, cards: _Cards, nnz: int, line: int) -> npt.NDArray[Any] | None:
    if cards.values is None:
        return None
    parts = 2 if cards.header.field == "complex" else 1
    exact = cards.header.field == "integer" and cards.values.is_integer
    dtype = np.int64 if exact else np.float64
    values, _ = read_fields(source, cards.values, nnz * parts, dtype, line, "values")
    return values.view(np.complex128) if parts == 2 else values


def _whole(source: Source, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The values of a file with the field integer as int64. The file may store them as real
    numbers."""
    if values.dtype.kind == "f":
        wrong = ~((values == np.floor(values)) & (np.abs(values) < 2.0**63))
        if wrong.any():
            raise source.error(
                f"the value {values[wrong][0]} is not a whole number of 64 bits, as the type in "
                "the header announces"
            )
    return values.astype(np.int64, copy=False)
