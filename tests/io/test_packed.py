# SPDX-License-Identifier: BSD-3-Clause
"""Packed files and archives: the content determines the format, errors name the damage, and the
hash is that of the unpacked file."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import struct
import tarfile
import zlib

import numpy as np
import pytest

from btfperm.errors import UnreadableInputError
from btfperm.io import peek, read, read_matrix, write_matrix
from btfperm.io.formats import matrix_formats, writer_of
from btfperm.io.gzip_stream import GzipStream
from tests.loops import looped

TEXT = b"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 2 1\n"
OTHER = b"%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n"
PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def archive(mode: str, members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return file.getvalue()


@pytest.mark.parametrize("packer", PACKERS)
def test_the_suffix_does_not_matter(tmp_path, packer):
    file = tmp_path / "matrix"
    file.write_bytes(PACKERS[packer](TEXT))
    assert read(file).nnz == 2
    assert peek(file).entries == 2


@pytest.mark.parametrize("packer", PACKERS)
def test_the_suffix_before_that_of_the_packing_counts(tmp_path, packer):
    """Only the name of a file shows that its format is METIS: here, the suffix before that of the
    packing."""
    file = tmp_path / f"a.GRAPH.{packer}"
    file.write_bytes(PACKERS[packer](b"3 2\n2\n1 3\n2\n"))
    assert peek(file).format == "metis"
    assert read(file).nnz == 4


def test_packed_by_name_only(tmp_path):
    file = tmp_path / "a.mtx.gz"
    file.write_bytes(TEXT)
    assert read(file).nnz == 2


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("cut", [0.2, 0.6, 0.95])
def test_truncated(tmp_path, packer, cut):
    whole = PACKERS[packer](TEXT + b"%" + bytes(range(1, 256)).replace(b"\n", b"") * 40 + b"\n")
    file = tmp_path / f"a.mtx.{packer}"
    file.write_bytes(whole[: int(cut * len(whole))])
    with pytest.raises(UnreadableInputError, match=r"a\.mtx.*(ends early|damaged|truncated)"):
        read(file)


@pytest.mark.parametrize("packer", PACKERS)
def test_damaged(tmp_path, packer):
    whole = bytearray(PACKERS[packer](TEXT))
    whole[len(whole) // 2] ^= 0x55
    file = tmp_path / f"a.mtx.{packer}"
    file.write_bytes(whole)
    with pytest.raises(UnreadableInputError, match=r"damaged|line|truncated|ends early"):
        read(file)


def test_packed_twice(tmp_path):
    file = tmp_path / "a.mtx.gz"
    file.write_bytes(gzip.compress(gzip.compress(TEXT)))
    with pytest.raises(UnreadableInputError, match="packed twice"):
        read(file)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("order", [1, -1])
def test_archive_of_the_collection(tmp_path, mode, order):
    members = {"name/name_b.mtx": OTHER, "name/name.mtx": TEXT, "name/name_coord.mtx": OTHER}
    whole = archive(mode, dict(list(members.items())[::order]))
    file = tmp_path / "name.tar.gz"
    file.write_bytes(whole)
    pattern = read(file)
    assert (pattern.shape, pattern.nnz) == ((3, 3), 2)
    assert pattern.source == {
        "file": "name.tar.gz",
        "sha256": hashlib.sha256(whole).hexdigest(),
        "member": "name/name.mtx",
    }


@pytest.mark.parametrize("path", ["only.mtx", "folder/only.mtx"])
def test_archive_with_one_matrix(tmp_path, path):
    whole = archive("w:gz", {"README": b"x", path: TEXT, "x.txt": b"y" * 20_000})
    file = tmp_path / "a.tar.gz"
    file.write_bytes(whole)
    pattern = read(file)
    assert pattern.nnz == 2
    assert pattern.source["member"] == path
    assert pattern.source["sha256"] == hashlib.sha256(whole).hexdigest()


@pytest.mark.parametrize("mode", ["w", "w:gz"])
@pytest.mark.parametrize(
    "suffix",
    [
        suffix
        for row in matrix_formats.values()
        for suffix in row.writes
        if suffix.count(".") == 1  # not packed itself
    ],
)
def test_every_format_in_an_archive(tmp_path, suffix, mode):
    """An archive may hold a file of any format, also of one whose reader does not read from front
    to back."""
    inside, A = tmp_path / f"a{suffix}", np.array([[0.0, 2.5, 0.0], [1.0, 0.0, -3.0]])
    write_matrix(inside, A)
    file = tmp_path / "a.tar"
    file.write_bytes(archive(mode, {"README": b"x" * 700, f"a/a{suffix}": inside.read_bytes()}))
    has_values = "real" in writer_of(suffix).values
    assert np.array_equal(read_matrix(file).toarray(), A if has_values else A != 0)
    assert np.array_equal(read(file).to_scipy().toarray(), A != 0)
    assert peek(file).entries in (3, None)  # None: only a pass over the whole file counts them


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"a.mtx": TEXT, "b.mtx": TEXT}, r"holds a\.mtx, b\.mtx, and none is called like"),
        ({"README": b"x"}, "holds no matrix file"),
        ({"name/name.mtx": b"nonsense"}, "does not begin with"),
    ],
)
def test_archive_without_a_unique_matrix(tmp_path, members, message):
    file = tmp_path / "a.tar"
    file.write_bytes(archive("w", members))
    with pytest.raises(UnreadableInputError, match=message):
        read(file)


def test_archive_cut_short(tmp_path):
    file = tmp_path / "a.tar"
    file.write_bytes(archive("w", {"name/name.mtx": TEXT})[:540])
    with pytest.raises(UnreadableInputError):
        read(file)


def test_no_file(tmp_path):
    with pytest.raises(UnreadableInputError, match=r"gone\.mtx: there is no such file"):
        read(tmp_path / "gone.mtx")


def test_directory(tmp_path):
    with pytest.raises(UnreadableInputError, match="it is a directory, not a matrix file"):
        read(tmp_path)


def test_no_permission(tmp_path, monkeypatch):
    file = tmp_path / "a.mtx"
    file.write_bytes(TEXT)

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)  # root may read every file
    with pytest.raises(UnreadableInputError, match="no permission to read it"):
        read(file)


def test_too_little_memory(tmp_path, monkeypatch):
    from btfperm.errors import ResourceMissingError
    from btfperm.io import matrix_market_body

    def refuse(*args, **kwargs):
        raise MemoryError

    file = tmp_path / "a.mtx"
    file.write_bytes(TEXT)
    monkeypatch.setattr(matrix_market_body, "Body", refuse)
    with pytest.raises(ResourceMissingError, match=r"a\.mtx: there is not enough memory"):
        read(file)


def test_named_pipe(tmp_path):
    import os
    import threading

    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(TEXT,))
    writer.start()
    try:
        assert read(fifo).nnz == 2
    finally:
        writer.join()


def test_a_gnu_header_has_no_prefix(tmp_path):
    """Where ustar has a prefix of the name, GNU tar stores the times of a file."""
    text = b"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"
    info = tarfile.TarInfo("d/x.mtx")
    info.size = len(text)
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[345:357] = b"15301052147\0"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = tmp_path / "a.tar"
    path.write_bytes(bytes(header) + text.ljust(512, b"\0") + bytes(1024))
    assert read(path).source["member"] == "d/x.mtx"


@pytest.mark.parametrize(
    ("first", "headers"),
    [
        ("README", {"size": "700"}),
        ("README", {"path": "a/longer/name"}),
        ("x" * 120, {"size": "700"}),
        ("x" * 120, {}),
    ],
)
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_a_header_describes_the_next_member_only(tmp_path, first, headers, form):
    """A size or a name in an extended header ends with its member."""
    content = {first: b"z" * 700, "folder/": None, "only.mtx": TEXT, "last": b"y" * 900}
    with tarfile.open(tmp_path / "a.tar", "w", format=form) as tar:
        for name, data in content.items():
            info = tarfile.TarInfo(name)
            info.type = tarfile.DIRTYPE if data is None else tarfile.REGTYPE
            info.size = len(data or b"")
            info.pax_headers = headers if name == first else {}
            tar.addfile(info, io.BytesIO(data or b""))
    pattern = read(tmp_path / "a.tar")
    assert pattern.nnz == 2 and pattern.source["member"] == "only.mtx"


def member(data, *, flags=0, fields=b"", crc=None, size=None):
    """One gzip member with a header that `gzip.compress` does not write."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = packer.compress(data) + packer.flush()
    crc = zlib.crc32(data) if crc is None else crc
    size = len(data) if size is None else size
    head = struct.pack("<2sBBIBB", b"\x1f\x8b", 8, flags, 0, 0, 255) + fields
    return head + body + struct.pack("<II", crc, size)


LARGE = bytes(range(256)) * 4000


@looped(
    ("packed", "content"),
    [
        (member(TEXT, flags=8, fields=b"name\0"), TEXT),
        (member(TEXT, flags=16, fields=b"comment\0"), TEXT),
        (member(TEXT, flags=4, fields=b"\x03\0abc"), TEXT),
        (member(TEXT[:30]) + member(b"") + b"\0" * 7 + member(TEXT[30:]) + b"\0" * 200_000, TEXT),
        (b"".join(member(TEXT[k : k + 1]) for k in range(len(TEXT))), TEXT),
        (member(bytes(5_000_000)) + member(LARGE), bytes(5_000_000) + LARGE),
        (gzip.compress(LARGE, 0), LARGE),
    ],
    ids=["name", "comment", "extra", "several", "bytes", "zeros", "stored"],
)
@looped("step", [1, 100, 65_536, 10_000_000])
def test_members_of_gzip(packed, content, step):
    if step == 1 and len(content) > 10_000:
        content, packed = content[:3_000], gzip.compress(content[:3_000])
    stream = GzipStream(io.BytesIO(packed))
    pieces = iter(lambda: stream.read(step), b"")
    assert b"".join(pieces) == content
    assert stream.read(step) == b""


def test_every_cut_and_every_damage_of_gzip_is_found():
    packed = member(TEXT, flags=8, fields=b"name\0")
    for cut in range(1, len(packed)):
        with pytest.raises(EOFError):
            GzipStream(io.BytesIO(packed[:cut])).read()
    wrong = [
        member(TEXT, crc=5),
        member(TEXT, size=5),
        packed + b"xy",
        packed + b"\0\x1f\x8b" + b"\0" * 9,
    ]
    for damaged in wrong:
        with pytest.raises(zlib.error):
            GzipStream(io.BytesIO(damaged)).read()


def test_a_long_name_in_a_header_is_read_in_pieces(tmp_path):
    file = tmp_path / "a.mtx.gz"
    file.write_bytes(member(TEXT, flags=8, fields=b"x" * 10_000_000 + b"\0"))
    packed = CountedReads(file.read_bytes())
    assert GzipStream(packed).read() == TEXT
    assert packed.calls < 200
    assert read(file).nnz == 2


class CountedReads(io.BytesIO):
    calls = 0

    def read(self, *size):
        self.calls += 1
        return super().read(*size)
