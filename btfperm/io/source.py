# SPDX-License-Identifier: BSD-3-Clause
"""From a path to a stream of unpacked bytes: files, standard input, `.gz`, `.bz2`, `.xz`, `.tar`.

The first bytes decide how a file is packed, not its suffix. The SHA-256 is that of the file on the
disk.

One rule holds for all readers: apart from the arrays of m or n places of the result, whose memory
is checked first, the memory is bounded by a small multiple of the bytes *read*, unpacked bytes
included, and some megabytes, not by what a header *declares*. A reader therefore allocates as bytes
arrive (see ``read_bytes.array_of``), limits the length of headers, and reads in pieces.
"""

from __future__ import annotations

import contextlib
import io
import os
import posixpath
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from btfperm.arguments import path_text
from btfperm.errors import (
    BtfpermError,
    InvalidMatrixError,
    ResourceMissingError,
    UnreadableInputError,
)
from btfperm.io.formats import matrix_formats
from btfperm.io.hashed_file import HashedFile, RawInput
from btfperm.io.tar_members import members
from btfperm.printable import cause_text, listed_names

__all__ = ["Progress", "Source", "open_source", "shown", "skip_line", "unreadable"]

Progress = Callable[[int, "int | None"], None]
"""Called with the bytes of the file read so far, and its size if that is known."""

PathLike = str | os.PathLike[str]

_BUFFER = 1 << 16
_PACKED = (".gz", ".bz2", ".xz")
_NAMED = 5  # files of an archive that a message names
# The largest number of bytes to which one packed byte of the text of a matrix unpacks. The number
# for gzip is a bound of the format; those for bzip2 and xz exceed what repeated lines of numbers
# reach.
_LARGEST_RATIO = {"": 1, "gzip": 1032, "bzip2": 1 << 16, "xz": 1 << 14}
_FIRST_CAPACITY = 1 << 16  # numbers for which memory is reserved before the length is known


def unreadable(name: str, line: int | None, what: str) -> UnreadableInputError:
    """The error whose sentence names the file, the line if it is known, and the defect.

    >>> print(unreadable("a.mtx", 7, "the row number is not between 1 and 5"))
    a.mtx, line 7: the row number is not between 1 and 5
    """
    place = name if line is None else f"{name}, line {line}"
    return UnreadableInputError(f"{place}: {what}")


def shown(text: bytes, limit: int = 40) -> str:
    """`text` from a file, fit for a message: one line, printable, short.

    >>> print(shown(b"1 1 \\x00x"))
    '1 1 \\x00x'
    """
    text = text.strip()
    cut = text if len(text) <= limit else text[: limit - 3] + b"..."
    return "'" + cut.decode("latin-1").encode("unicode_escape").decode() + "'"


def skip_line(source: Source) -> bool:
    """Reads to the end of a line that is too long to store. Returns whether it has a NUL byte."""
    piece, has_nul = b" ", False
    while piece and not piece.endswith(b"\n"):
        piece = source.stream.readline(_BUFFER)
        has_nul |= b"\0" in piece
    return has_nul


class Source:
    """An open input.

    Attributes
    ----------
    name : the path as the user wrote it, or "standard input", for messages
    stream : the unpacked bytes
    variable : the part after the colon of ``file.mat:NAME``, or None
    member : the file taken from an archive, or None
    packing : "gzip", "bzip2", "xz" or ""
    """

    def __init__(self, path: Path | None, name: str, raw: HashedFile, size: int | None) -> None:
        self.name = name
        self.variable: str | None = None
        self.member: str | None = None
        self.packing = ""
        self._path = path
        self._raw = raw
        self._size = size
        self._replaced_streams: list[
            BinaryIO
        ] = []  # kept, because deleting them would close the file
        self.stream = _buffered(raw)
        _unpack(self)

    @property
    def suffix(self) -> str:
        """Lower-case suffix of the file itself, without that of a packing."""
        name = self.member or (self._path.name if self._path else "")
        before, suffix = posixpath.splitext(name.rstrip("/").lower())
        return posixpath.splitext(before)[1] if suffix in _PACKED else suffix

    @property
    def largest_size(self) -> int | None:
        """An upper bound of the number of unpacked bytes of a text file; None if the size of the
        packed file is unknown."""
        return None if self._size is None else self._size * _LARGEST_RATIO[self.packing]

    def first_capacity(self, announced: int, least_bytes: int) -> int:
        """The number of the `announced` numbers for which memory is allocated before the first one
        is read. In the unpacked text, each number takes at least `least_bytes` bytes. A file that
        is packed or of unknown size may hold more; then the caller's arrays must grow."""
        if self._size is None:
            return min(announced, _FIRST_CAPACITY)
        if self.packing:
            return min(announced, max(self._size, _FIRST_CAPACITY))
        return min(announced, self._size // least_bytes + 1)

    def head(self, count: int = 512) -> bytes:
        """The first unpacked bytes; they stay in the stream."""
        return self.stream.peek(count)[:count]  # type: ignore[attr-defined,no-any-return]

    def restart(self) -> bool:
        """Seeks to the first byte of the file. Returns False if the file does not allow this, as a
        pipe does not."""
        if not self._raw.restart():
            return False
        self._replaced_streams.append(self.stream)
        self.packing = ""
        self.stream = _buffered(self._raw)
        return True

    def report(self, progress: Progress | None) -> None:
        if progress is not None:
            progress(self._raw.bytes_read, self._size)

    def random_access(self) -> BinaryIO:
        """The unpacked bytes as a file that can be read in any order; close it after use."""
        if self._path is not None and self._size is not None and not (self.packing or self.member):
            return self._path.open("rb")
        return _buffered(_Unpacked(self.stream))

    def origin(self) -> dict[str, Any]:
        """What `Pattern.source` holds; reads the file to its end, for the hash."""
        origin = {"file": self._path.name if self._path else "-", "sha256": self._raw.hexdigest()}
        if self.member or self.variable:
            origin["member"] = self.member or self.variable or ""
        return origin

    def because(self, cause: Exception, what: str) -> UnreadableInputError:
        """`cause` itself if it is an UnreadableInputError, else such an error that quotes it."""
        if isinstance(cause, UnreadableInputError):
            return cause
        return self.error(f"{what} ({cause_text(cause)})")

    def error(self, what: str, line: int | None = None) -> UnreadableInputError:
        return unreadable(self.name, line, what)


class _Unpacked(io.RawIOBase):
    """A stream as a file that can be read in any order. It stores all unpacked bytes up to the last
    one requested. It does not unpack more, so a file that is refused at its beginning costs
    little."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._data = bytearray()
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        if whence == os.SEEK_END:
            while self._reach(len(self._data) + _BUFFER):
                pass
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: len(self._data)}[whence]
        if start + offset < 0:
            raise ValueError("a position before the beginning of the file")
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        self._reach(self._at + len(view))
        count = max(0, min(len(view), len(self._data) - self._at))
        view[:count] = memoryview(self._data)[self._at : self._at + count]
        self._at += count
        return count

    def _reach(self, end: int) -> bool:
        """Unpacks up to position `end`. Returns whether the stream is at least as long."""
        while len(self._data) < end:
            piece = self._stream.read(_BUFFER)
            if not piece:
                return False
            self._data += piece
        return True


@contextlib.contextmanager
def open_source(path: PathLike) -> Iterator[Source]:
    """Opens `path` (``-`` is standard input). While the block runs, errors of the system and of the
    unpackers become an `UnreadableInputError` that names the file, and a lack of memory becomes a
    `ResourceMissingError`.

    >>> with open_source("no/such/file.mtx") as source:
    ...     pass
    Traceback (most recent call last):
    btfperm.errors.UnreadableInputError: no/such/file.mtx: there is no such file
    """
    from btfperm.pattern.memory import memory_for

    text = path_text(path)
    name = "standard input" if text == "-" else text
    try:
        # Several steps check the memory for the shape: `memory_for` reports it once.
        with contextlib.ExitStack() as stack, memory_for(0):
            yield _open(text, name, stack)
    except (BtfpermError, BrokenPipeError) as error:
        # `Pattern` checks arrays, and does not always know which file they come from.
        for kind in (InvalidMatrixError, ResourceMissingError):
            if isinstance(error, kind) and not str(error.args[0]).startswith(name):
                raise kind(f"{name}: {error}") from None
        raise
    except MemoryError:
        raise ResourceMissingError(f"{name}: there is not enough memory to read it") from None
    except EOFError:
        raise unreadable(name, None, "the packed data ends early: the file is truncated") from None
    except OSError as error:
        raise unreadable(name, None, why_unreadable(error)) from None
    except Exception as error:
        # The unpackers' own errors (lzma.LZMAError, zlib.error, ...), tested without importing
        # them.
        if type(error).__module__ not in {"_lzma", "lzma", "tarfile", "zipfile", "zlib"}:
            raise
        raise unreadable(name, None, f"the packed data is damaged ({cause_text(error)})") from None


def _buffered(stream: Any) -> BinaryIO:
    return io.BufferedReader(stream, _BUFFER)


def why_unreadable(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "it is a directory, not a matrix file"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if error.errno is None:  # gzip and bz2 report damage in this way
        return f"the packed data is damaged ({cause_text(error)})"
    return f"it cannot be read ({error.strerror})"


def _open(text: str, name: str, stack: contextlib.ExitStack) -> Source:
    if text == "-":
        if sys.stdin is None:
            raise unreadable(name, None, "it is closed")
        raw = HashedFile(cast("RawInput", sys.stdin.buffer), owned=False)
        return Source(None, name, stack.enter_context(raw), None)
    path, variable = Path(text), None
    if ":" in text and not path.exists():
        before, _, after = text.rpartition(":")
        rows = matrix_formats.values()
        named = tuple(suffix for row in rows if row.named_matrices for suffix in row.suffixes)
        if before.lower().endswith(named) and after:
            path, variable = Path(before), after
    # The stack closes the descriptor, even if a stream over it remains after an error.
    file = stack.enter_context(path.open("rb", buffering=0))
    status = os.fstat(file.fileno())
    size = status.st_size if stat.S_ISREG(status.st_mode) else None
    source = Source(path, name, stack.enter_context(HashedFile(file)), size)
    source.variable = variable
    return source


def _unpack(source: Source, wanted: str | None = None) -> None:
    """Replaces `source.stream` by what is inside it, down to the matrix file."""
    head = source.head()
    if head[:2] == b"\x1f\x8b":
        from btfperm.io.gzip_stream import GzipStream

        source.packing = "gzip"
        source.stream = GzipStream(source.stream)  # type: ignore[assignment]
    elif head[:3] == b"BZh" and head[4:10] == b"\x31\x41\x59\x26\x53\x59":
        import bz2

        source.packing = "bzip2"
        source.stream = bz2.BZ2File(source.stream)  # type: ignore[assignment]
    elif head[:6] == b"\xfd7zXZ\x00":
        from btfperm.io.xz_stream import XzStream

        source.packing = "xz"
        source.stream = XzStream(source.stream)  # type: ignore[assignment]
    elif head[:4] == b"\x28\xb5\x2f\xfd":
        raise source.error("it is packed with zstd, which is not read: unpack it with `unzstd`")
    if source.packing:  # the peek of the unpacking streams may return a single byte
        source.stream = _buffered(source.stream)
        head = source.head()
        if head[:2] == b"\x1f\x8b":
            raise source.error("it is packed twice: unpack it once with `gunzip`")
    if head[257:262] == b"ustar":
        _open_archive(source, wanted)


def _open_archive(source: Source, wanted: str | None) -> None:
    """Takes the file `wanted` of a tar archive. If that is None, takes name/name.mtx (any suffix of
    a matrix format will do), else the only matrix file, for which the archive is read twice.

    The archives of the SuiteSparse collection hold name/name.mtx beside name_b.mtx and others.
    """
    others: list[str] = []
    suffixes = {suffix for row in matrix_formats.values() for suffix in row.suffixes}
    try:
        for name, file in members(source.stream):
            inside = PurePosixPath(name)
            if inside.suffix.lower() not in suffixes:
                continue
            if name == wanted or (wanted is None and inside.stem == inside.parent.name):
                source.member = name
                source.stream = _buffered(file)
                return
            if len(others) <= _NAMED:
                others.append(name)
    except ValueError as error:
        raise source.because(error, "the archive is damaged") from None
    if len(others) == 1 and wanted is None and source.restart():
        _unpack(source, others[0])  # only the end of the archive shows that it is the only one
        return
    found = listed_names(others, _NAMED) or "no matrix file"
    raise source.error(
        f"the archive holds {found}, and none is called like its folder (name/name.mtx): "
        "unpack it and give the file that is meant"
    )
