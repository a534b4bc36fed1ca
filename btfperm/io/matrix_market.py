# SPDX-License-Identifier: BSD-3-Clause
"""Matrix Market files: the header, and conversion to a `Pattern` or a SciPy matrix.

Format: R. F. Boisvert, R. Pozo, K. A. Remington, *The Matrix Market Exchange Formats: Initial
Design*, NISTIR 5935, 1996. The header is read here, the entries in `matrix_market_body`;
fast_matrix_market writes them.

Accepted beyond the letter of the format: a byte order mark, one percent sign before MatrixMarket,
the fields double and unsigned-integer, any case in the header, Windows line ends, blank lines and
comments between entries, text after an entry (in a coordinate file a surplus number, too), values
in a pattern file, entries above the diagonal of a symmetric file, an entry given more than once
(`read_pattern` merges the duplicates, `read_matrix` returns all of them), the letter D of a Fortran
exponent. Each number must end where its token ends, at white space or at a comment. A zero in a
dense `array` file is no entry.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm.io.comments import line_behind_comments
from btfperm.io.header import Header
from btfperm.io.matrix_market_core import core
from btfperm.io.source import Progress, Source, shown
from btfperm.io.values import writable
from btfperm.io.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from btfperm.io.matrix_market_body import Take
    from btfperm.pattern import Pattern

__all__ = [
    "head",
    "read_matrix",
    "read_pattern",
    "recognises",
    "stream_entries",
    "write_matrix",
]

_BANNERS = (b"%%matrixmarket", b"%matrixmarket")
_FORMATS = ("coordinate", "array")
_FIELDS = {
    "real": "real",
    "double": "real",
    "integer": "integer",
    "unsigned-integer": "integer",
    "complex": "complex",
    "pattern": "pattern",
}
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_LONGEST_LINE = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # the byte order mark that some editors write first
_BLOCK_ENTRIES = 1 << 17  # entries written at a time


def recognises(start: bytes, suffix: str) -> bool:
    return start.removeprefix(_BYTE_ORDER_MARK)[:14].lower().startswith(_BANNERS)


def head(source: Source) -> Header:
    return read_header(source)[0]


def read_pattern(
    source: Source, *, drop_zeros: bool, threads: int = 0, progress: Progress | None = None
) -> Pattern:
    """O(m + n + size of the text), and a sort unless the entries are in canonical order. Beside the
    result, about 8 bytes per entry if indices have 32 bits, and the blocks of text."""
    from btfperm.io.matrix_market_body import read_body
    from btfperm.pattern import Pattern

    header, line = read_header(source)
    body = read_body(source, header, line, expand=False, threads=threads, progress=progress)
    origin = source.origin()
    return Pattern.from_coo(
        body.rows,
        body.cols,
        header.shape,
        zero_mask=body.zeros,
        drop_zeros=drop_zeros,
        name=source.name,
        source=origin,
        symmetric=header.layout == "coordinate" and header.symmetry != "general",
        owned=True,
    )


def read_matrix(source: Source) -> Any:
    """The matrix with its values; those of a pattern file are True."""
    import scipy.sparse

    from btfperm.io.matrix_market_body import read_body

    header, line = read_header(source)
    body = read_body(source, header, line, keep_values=True)
    values = np.ones(body.rows.size, dtype=bool) if body.values is None else body.values
    return scipy.sparse.coo_array((values, (body.rows, body.cols)), shape=header.shape)


def stream_entries(source: Source, take: Take, block: int) -> Header:
    """Calls `take` with the entries of one block of text after the other, as the file lists them,
    in bounded memory. Of a symmetric matrix, files list one triangle."""
    from btfperm.io.matrix_market_body import stream_body

    header, line = read_header(source)
    if header.layout != "coordinate":
        raise source.error("an array cannot be read in parts: only coordinate files can", 1)
    stream_body(source, header, line, take, block)
    return header


def write_matrix(file: BinaryIO, A: Any) -> None:
    """Writes all entries, also of a symmetric matrix. For the field see `writable`."""
    field, values = writable(A.data)
    m, n = A.shape
    head = f"%%MatrixMarket matrix coordinate {field} general\n{m} {n} {A.row.size}\n"
    file.write(head.encode())
    for start in range(0, A.row.size, _BLOCK_ENTRIES):
        part = slice(start, start + _BLOCK_ENTRIES)
        data = np.zeros(0) if field == "pattern" else values[part]
        file.write(_lines((m, n), A.row[part], A.col[part], data))


def _lines(
    shape: tuple[int, int],
    rows: npt.NDArray[Any],
    cols: npt.NDArray[Any],
    values: npt.NDArray[Any],
) -> memoryview:
    """The text of some entries. The entries are written in parts, because a long call of
    fast_matrix_market would not respond to Ctrl-C."""
    index = np.int32 if max(shape) <= np.iinfo(np.int32).max else np.int64
    fmm, text = core(), io.BytesIO()
    cursor = fmm.open_write_stream(text, fmm.header(), 0, -1)
    fmm.write_body_coo(
        cursor, shape, rows.astype(index, copy=False), cols.astype(index, copy=False), values
    )
    # The last line of the header that the core writes.
    sizes = f"\n{shape[0]} {shape[1]} {rows.size}\n".encode()
    whole = text.getvalue()
    return memoryview(whole)[whole.index(sizes) + len(sizes) :]


def read_header(source: Source) -> tuple[Header, int]:
    """The header, and the number of lines it takes."""
    banner = source.stream.readline(_LONGEST_LINE).removeprefix(_BYTE_ORDER_MARK).split()
    if not banner or banner[0].lower() not in _BANNERS:
        raise source.error("the first line does not begin with %%MatrixMarket", 1)
    words = [word.lower().decode("latin-1") for word in banner[1:5]] + [""] * (5 - len(banner))
    kind, layout, field, symmetry = words
    if kind != "matrix":
        what = shown((kind or "nothing").encode("latin-1"))
        raise source.error(f"the header announces a {what}, not a 'matrix'", 1)
    for word, known in ((layout, _FORMATS), (field, tuple(_FIELDS)), (symmetry, _SYMMETRIES)):
        if word not in known:
            what = shown(word.encode("latin-1"))
            raise source.error(f"the header has {what} where one of {', '.join(known)} belongs", 1)
    if layout == "array" and field == "pattern":
        raise source.error("an array cannot be of the field pattern", 1)

    text, line = line_behind_comments(source, 1, _LONGEST_LINE)
    if not text:
        raise source.error("the file ends before the line with the size of the matrix", line)
    sizes = _sizes(source, text, line, 3 if layout == "coordinate" else 2)
    m, n = sizes[:2]
    if symmetry != "general" and m != n:
        raise source.error(f"a {symmetry} matrix must be square, not {m} x {n}", line)
    entries = sizes[2] if layout == "coordinate" else _stored_values(n, m * n, symmetry)
    return Header("matrix-market", (m, n), entries, _FIELDS[field], symmetry, layout), line


def _sizes(source: Source, text: bytes, line: int, count: int) -> list[int]:
    what = "rows, columns and entries" if count == 3 else "rows and columns"
    sizes = whole_numbers(text.split())
    if len(sizes) != count or None in sizes:
        raise source.error(f"the numbers of {what} are expected, not {shown(text)}", line)
    checked = [size for size in sizes if size is not None]
    if max(checked) >= 1 << 63:
        raise source.error(f"the sizes {shown(text)} are too large", line)
    if min(checked) < 0:
        raise source.error(f"the numbers of {what} cannot be negative, as in {shown(text)}", line)
    return checked


def _stored_values(n: int, everything: int, symmetry: str) -> int:
    if symmetry == "general":
        return everything
    return n * (n - 1) // 2 if symmetry == "skew-symmetric" else n * (n + 1) // 2
