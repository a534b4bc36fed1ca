# SPDX-License-Identifier: BSD-3-Clause
"""Hostile archives and packed streams give an error with the file's name, in bounded time and
memory."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import struct
import tarfile
import tracemalloc
import zlib

import pytest

from btfperm.errors import UnreadableInputError
from btfperm.io import peek, read, tar_members
from btfperm.io.tar_members import members
from btfperm.io.xz_stream import XzStream
from tests.loops import looped

TEXT = b"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 2 1\n"
BOUND = 64 << 20  # bytes of memory
SIZE = b"%011o" % len(TEXT)


def header(name=b"name/name.mtx", size=SIZE, kind=b"0", magic=b"ustar\x0000"):
    """A tar header with a correct checksum and these fields."""
    block = bytearray(512)
    block[: len(name)] = name
    block[124 : 124 + len(size)] = size
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[257 : 257 + len(magic)] = magic
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def padded(content):
    return content + bytes(-len(content) % 512)


def extension(kind, content):
    """A header of GNU tar or pax for the member that follows it."""
    return header(b"././@LongLink", b"%011o" % len(content), kind) + padded(content)


def record(key, value):
    """A pax record, which begins with its own length."""
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest) + 1
    while len(b"%d" % length) + len(rest) != length:
        length += 1
    return b"%d" % length + rest


END = bytes(1024)
MATRIX = header() + padded(TEXT)
BASE_256 = bytes([128]) + bytes(3)
NAME = b"name/name.mtx"
HOSTILE = {
    "checksum": bytes([MATRIX[0] ^ 1]) + MATRIX[1:],
    "size of 2^40": header(size=BASE_256 + struct.pack(">q", 2**40)) + TEXT,
    "size beyond 62 bits": header(size=b"\xff" * 12) + TEXT,
    "size that is no number": header(size=b"0000000009x") + TEXT,
    "member cut": MATRIX[:540],
    "header cut": MATRIX[:500],
    "long name of 1 TB": header(size=BASE_256 + struct.pack(">q", 2**40), kind=b"L") + b"x" * 512,
    "pax records of 1 TB": header(size=BASE_256 + struct.pack(">q", 2**40), kind=b"x"),
    "sparse file": header(kind=b"S") + padded(TEXT),
    "sparse map": extension(b"x", record(b"GNU.sparse.map", b"0,x")) + MATRIX,
    "sparse size": extension(b"x", record(b"GNU.sparse.realsize", b"1" * 30)) + MATRIX,
    "pax size that is no number": extension(b"x", record(b"size", b"-5")) + MATRIX,
    "pax size beyond 62 bits": extension(b"x", record(b"size", b"9" * 20)) + MATRIX,
    "two names": extension(b"L", b"a") + extension(b"x", record(b"path", NAME)) + MATRIX,
    "two names, reversed": extension(b"x", record(b"path", b"a")) + extension(b"L", NAME) + MATRIX,
    "two sizes": extension(b"x", record(b"size", b"9"))
    + extension(b"x", record(b"size", b"%d" % len(TEXT)))
    + MATRIX,
    "pax record without length": extension(b"x", b"path=a\n") + MATRIX,
    "pax record too long": extension(b"x", b"99 path=a\n") + MATRIX,
    "pax record of length 0": extension(b"x", b"0 path=a\n") + MATRIX,
    "pax digits": extension(b"x", b"1" * 400_000) + MATRIX,
    "size of all files": extension(b"g", record(b"size", b"40")) + MATRIX,
    "link called like the matrix": header(kind=b"2", size=b"0" * 11) + END,
    "directory called like the matrix": header(kind=b"5", size=b"0" * 11) + END,
    "nothing": END,
}


@looped("packer", [bytes, gzip.compress], ids=["plain", "gzip"])
@looped("name", HOSTILE)
def test_hostile_archives(tmp_path, name, packer):
    file = tmp_path / "a.tar"
    file.write_bytes(packer(HOSTILE[name]))
    may_pass = pytest.raises(UnreadableInputError)
    if name == "size of 2^40":  # the start of the matrix is there
        may_pass = contextlib.nullcontext()
    for reader, outcome in ((read, pytest.raises(UnreadableInputError)), (peek, may_pass)):
        tracemalloc.start()
        try:
            with outcome as error:
                reader(file)
            assert tracemalloc.get_traced_memory()[1] < 4 * len(HOSTILE[name]) + BOUND // 16
        finally:
            tracemalloc.stop()
        if error is None:
            continue
        assert str(error.value).startswith(str(file)) and "\n" not in str(error.value)


@pytest.mark.parametrize("kind", [b"L", b"x", b"X", b"g"])
def test_a_chain_of_headers_takes_no_recursion(tmp_path, kind):
    content = {b"L": b"name/name.mtx\0", b"x": record(b"path", b"name/name.mtx")}.get(
        kind.lower() if kind == b"X" else kind
    )
    content = content or record(b"comment", b"of all files")
    file = tmp_path / "a.tar"
    file.write_bytes(extension(kind, content) * 5_000 + MATRIX + END)
    assert read(file).nnz == 2


class CountedBytes(bytes):
    """Counts in `work` the bytes that each operation searches or copies. The bytes objects that an
    operation returns count their own operations, too."""

    work = 0

    def __getitem__(self, key):
        part = super().__getitem__(key)
        CountedBytes.work += len(part) if isinstance(key, slice) else 1
        return CountedBytes(part) if isinstance(key, slice) else part


def _counted(name):
    """The method of `bytes`. A search may have bounds behind the bytes that it searches for."""

    def method(self, *args):
        bounds = (*args[1:], None)[:2] if name in _SEARCHES else (None, None)
        begin, end, _ = slice(*bounds).indices(len(self))
        CountedBytes.work += max(end - begin, 0)
        found = getattr(bytes, name)(self, *args)
        if isinstance(found, tuple | list):
            return type(found)(map(CountedBytes, found))
        return CountedBytes(found) if isinstance(found, bytes) else found

    return method


_SEARCHES = ("find", "rfind", "index", "rindex", "count")
_OTHERS = ("partition", "rpartition", "split", "rsplit", "splitlines", "replace", "decode", "strip")
for _name in (*_SEARCHES, *_OTHERS, "lstrip", "rstrip", "removeprefix", "removesuffix", "__add__"):
    setattr(CountedBytes, _name, _counted(_name))


def test_many_pax_records_take_linear_time(tmp_path, monkeypatch):
    """The work on a record depends on its own length: the reader never searches or copies the later
    records."""
    records = record(b"a", b"") * 20_000
    file = tmp_path / "a.tar"
    file.write_bytes(extension(b"x", records + record(b"path", b"name/name.mtx")) + MATRIX)
    real = tar_members._extension

    def counted(stream, length):
        text, padding = real(stream, length)
        return CountedBytes(text), padding

    monkeypatch.setattr(tar_members, "_extension", counted)
    monkeypatch.setattr(CountedBytes, "work", 0)
    assert read(file).source["member"] == "name/name.mtx"
    assert len(records) < CountedBytes.work < 10 * len(records)


@pytest.mark.parametrize(
    "headers",
    [
        lambda: extension(b"x", b"\0" * (1 << 20)) * 20,
        lambda: extension(b"g", b"\0" * (1 << 20)) * 20,
        lambda: header(b"x.txt", b"0") * 40_000,
    ],
    ids=["pax", "global", "files"],
)
def test_all_headers_together_are_bounded(tmp_path, headers):
    """Each header is legal; together, packed in a file of a megabyte, they would take a minute."""
    file = tmp_path / "a.tar.gz"
    file.write_bytes(gzip.compress(headers() + MATRIX + END, 1))
    with pytest.raises(UnreadableInputError, match="headers have more than the 16,777,216 bytes"):
        read(file)


@pytest.mark.parametrize("kind", [b"1", b"2", b"5"])
def test_links_and_directories_have_no_data(tmp_path, kind):
    """The reader ignores the size in their headers, as `tarfile` does."""
    file = tmp_path / "a.tar"
    file.write_bytes(header(b"other", b"%011o" % 700, kind) + MATRIX + END)
    with tarfile.open(file) as archive:
        assert archive.getnames() == ["other", "name/name.mtx"]
    assert read(file).nnz == 2


def test_an_old_directory_is_no_matrix(tmp_path):
    file = tmp_path / "a.tar"
    file.write_bytes(header(b"name/name.mtx/", b"0", b"\0") + MATRIX + END)
    assert read(file).nnz == 2


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("folder", ["x", "y" * 90 + "/" + "z" * 60])
def test_archives_of_tarfile(form, folder):
    contents = {f"{folder}/{k}": bytes([k]) * size for k, size in enumerate((0, 1, 512, 1300))}
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for name, content in contents.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
            link = tarfile.TarInfo(name + ".link")
            link.type, link.linkname = tarfile.SYMTYPE, "l" * 120
            if form != tarfile.USTAR_FORMAT:
                archive.addfile(link)
    stream = io.BytesIO(file.getvalue())
    assert {name: part.read() for name, part in members(stream)} == contents
    stream.seek(0)
    assert [name for name, _ in members(stream)] == list(contents)  # unread data is skipped


def test_a_name_that_is_no_text(tmp_path):
    file = tmp_path / "a.tar"
    file.write_bytes(header(name=b"\xff\xfe.mtx") + padded(TEXT) + END)
    assert read(file).nnz == 2


# -- xz --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("streams", [1, 2, 3_000])
@pytest.mark.parametrize("padding", [0, 4, 70_000])
def test_streams_behind_each_other(streams, padding):
    packed = (lzma.compress(b"abc") + bytes(padding if streams < 9 else 0)) * streams
    assert io.BufferedReader(XzStream(io.BytesIO(packed))).read() == b"abc" * streams


def test_a_large_dictionary_is_refused(tmp_path):
    """The test writes the size of the dictionary into the header, because compression with it would
    need 4 GB."""
    packed = bytearray(lzma.compress(TEXT))
    end = 12 + 4 * packed[12]  # end of the block header without its checksum
    assert packed[14:16] == b"\x21\x01"  # LZMA2, with one byte for the dictionary
    packed[16] = 34  # 2^29 bytes
    packed[end : end + 4] = struct.pack("<I", zlib.crc32(packed[12:end]))
    file = tmp_path / "a.mtx.xz"
    file.write_bytes(packed)
    with pytest.raises(UnreadableInputError, match=r"a\.mtx\.xz: .*[Mm]emory usage limit"):
        read(file)
    file.write_bytes(lzma.compress(TEXT, preset=9 | lzma.PRESET_EXTREME))
    assert read(file).nnz == 2


@pytest.mark.parametrize("cut", [7, 20, -1, -12])
def test_xz_cut_short(tmp_path, cut):
    file = tmp_path / "a.mtx.xz"
    file.write_bytes(lzma.compress(TEXT)[:cut])
    with pytest.raises(UnreadableInputError, match=r"ends early|damaged"):
        read(file)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_other_files_are_refused_after_their_first_bytes(tmp_path, pack):
    """The first bytes decide, so 32 MB of zeros are not unpacked."""
    file = tmp_path / "a.mtx.packed"
    file.write_bytes(pack(bytes(32 << 20)))
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableInputError, match="this is no matrix file"):
            read(file)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20  # xz has a dictionary of 8 MB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_a_matlab_file_is_unpacked_only_as_far_as_it_is_read(tmp_path, pack):
    """A header and 24 MB of zeros. The first element is not a variable."""
    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    file = tmp_path / "a.mat.packed"
    file.write_bytes(pack(head + bytes(24 << 20)))
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableInputError, match="is no variable"):
            read(file)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
