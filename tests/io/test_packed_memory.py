# SPDX-License-Identifier: BSD-3-Clause
"""Peak memory while npz and MATLAB files are read: at most 4 bytes for each byte, plus a constant.
Hostile files, which are refused, count with their size on disk, whatever sizes they declare.
Accepted files count with the size of their unpacked content."""

from __future__ import annotations

import gzip
import io
import os
import struct
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from btfperm.errors import UnreadableInputError
from btfperm.io import load, read, read_matrix
from tests.io.hostile_binary import (
    compressed,
    element,
    mat,
    npy,
    npy_of,
    npy_with_head,
    npz,
    numbers,
    packed_zeros,
    sparse,
    variable,
    with_field,
)

MARGIN = 16 << 20
# Under a sanitizer, the files are read for what the core does with them, not to measure memory.
LARGE = 24 << 20 if "LD_PRELOAD" not in os.environ else 1 << 20
MANY = 2_000_000 if LARGE > MARGIN else 50_000
SOME = 65_000 if LARGE > MARGIN else 2_000
SMALL = 8 << 20


def deflated(members: dict[str, bytes]) -> bytes:
    return npz(members, zipfile.ZIP_DEFLATED)


def declared(key: str, size: int) -> bytes:
    """The array `key` has two numbers; its header and the directory declare `size` bytes more."""
    content = npy_of("'<f8'" if key == "data" else "'<i8'", f"({2 + size // 8},)", bytes(16))
    archive = deflated({key: content})
    length = len(content)
    return with_field(
        with_field(archive, key, "size", length + size), key, "packed", length + size // 1000
    )


def many_members(count: int, extra: int) -> bytes:
    """An archive whose directory repeats one entry."""
    archive = npz({})
    end = archive.rindex(b"PK\5\6")
    first = struct.unpack_from("<I", archive, end + 16)[0]
    entry = bytearray(archive[first : archive.index(b"PK\1\2", first + 4)])
    body = b"\xff\xff" + struct.pack("<H", extra - 4) + bytes(extra - 4) if extra else b""
    struct.pack_into("<H", entry, 30, extra)
    directory = b"".join(
        entry[:46] + b"%010d" % k + body if extra else entry[:46] + b"%010d" % k
        for k in range(count)
    )
    tail = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0, 0, len(directory), first, 0)
    return archive[:first] + directory + tail


def zeros_in(size: int) -> bytes:
    """A compressed sparse variable of one entry, whose list of rows holds `size` zeros."""
    head = numbers([5, 1], "<u4") + numbers([1, 1]) + element(1, b"A")
    start = struct.pack("<II", 14, len(head) + 8 + size) + head + struct.pack("<II", 5, size)
    return mat(packed_zeros(size, start))


META = npy(np.array('{"format_version": 1, "kind": "dulmage_mendelsohn"}'))
CASES: dict[str, Callable[[], bytes]] = {
    "declared data.npz": lambda: declared("data", LARGE),
    "declared indices.npz": lambda: declared("indices", LARGE),
    "declared meta.perm": lambda: declared("meta", LARGE),
    "zeros as values.npz": lambda: deflated({"data": npy(np.zeros(LARGE // 8))}),
    "zeros as the shape.npz": lambda: deflated({"shape": npy(np.zeros(LARGE // 8, np.int64))}),
    "zeros as the layout.npz": lambda: deflated({"format": npy(np.zeros(LARGE // 3, "S3"))}),
    "zeros as pointers.npz": lambda: deflated({"indptr": npy(np.zeros(LARGE // 8, np.int64))}),
    "spaces as a head.npz": lambda: deflated({"data": npy_with_head(b" " * LARGE, b"", b"\2\0")}),
    "zeros as a field.perm": lambda: deflated(
        {"meta": META, "row_perm": npy(np.zeros(LARGE // 8, int))}
    ),
    "zeros as another array.perm": lambda: deflated(
        {"meta": META, "x": npy(np.zeros(LARGE // 8, int))}
    ),
    "a long meta.perm": lambda: deflated({"meta": npy(np.array("[" + "[]," * MANY + "1]"))}),
    "many members.npz": lambda: many_members(60_000, 0),
    "many members.perm": lambda: many_members(60_000, 0),
    "large extra fields.npz": lambda: many_members(100, 60_000),
    "small extra fields.npz": lambda: many_members(5_000, 400),
    "items of no bytes.npz": lambda: npz({"data": npy_of("'|V0'", f"({2**62},)")}),
    "zeros.mat": lambda: mat(bytes(LARGE)),
    "zeros packed.mat": lambda: mat(packed_zeros(LARGE)),
    "zeros as a variable.mat": lambda: mat(packed_zeros(LARGE, struct.pack("<II", 14, LARGE))),
    "zeros as rows.mat": lambda: zeros_in(LARGE),
    "zeros as a name.mat": lambda: mat(
        packed_zeros(
            LARGE,
            struct.pack("<II", 14, LARGE + 40)
            + numbers([5, 1], "<u4")
            + numbers([1, 1])
            + struct.pack("<II", 1, LARGE),
        )
    ),
    "elements of no bytes.mat": lambda: mat(
        compressed(variable(element(1, b"") * MANY)), variable(sparse())
    ),
    "elements of no bytes in a matrix.mat": lambda: mat(
        compressed(variable(sparse(values=b"", more=element(1, b"") * MANY)))
    ),
    "variables of no bytes.mat": lambda: mat(variable(b"") * (MANY // 2)),
    "empty streams.mat": lambda: mat(struct.pack("<II", 15, 0) * (MANY // 2)),
    "many variables.mat": lambda: mat(variable(sparse()) * (SOME // 2)),
    "lengths declared.mat": lambda: mat(variable(sparse(rows=element(5, b"", 1 << 30)), 1 << 31)),
    "lengths declared and packed.mat": lambda: mat(
        compressed(variable(sparse(rows=element(5, b"", 1 << 30)), 1 << 31))
    ),
    "nested structs.mat": lambda: mat(
        variable(
            numbers([2, 0], "<u4")
            + numbers([1, 1])
            + element(1, b"s")
            + b"".join(struct.pack("<II", 14, 1 << 20) for _ in range(100_000))
        )
    ),
    "columns declared.mat": lambda: mat(variable(sparse(shape=numbers([2, 2**31 - 1])))),
    "fields of a struct.mat": lambda: mat(
        variable(
            numbers([2, 0], "<u4")
            + numbers([1, 1])
            + element(1, b"s")
            + numbers([1])
            + element(1, b"x" * SOME + b"A")
            + element(14, b"") * SOME
        )
    ),
}
"""Files that are refused. Those that end in .perm are given to `load`."""


def written(folder: Path, name: str) -> Path:
    """The file of this name, in the folder."""
    file = folder / name
    file.write_bytes(CASES[name]())
    return file


def peak_of(action) -> int:
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", CASES)
def test_refused(tmp_path, name):
    file = written(tmp_path, name)

    def refused():
        with pytest.raises(UnreadableInputError):
            (load if file.suffix == ".perm" else read)(file)

    assert peak_of(refused) <= 4 * file.stat().st_size + MARGIN


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer needs the whole address space")
def test_refused_in_a_small_address_space(tmp_path):
    """tracemalloc does not count allocations of zlib and of the system; a process limit does."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("this system does not report the address space of a process")
    contents = {tmp_path / name: make() for name, make in CASES.items()}
    small = {file: content for file, content in contents.items() if len(content) < SMALL}
    assert len(small) > 25
    for file, content in small.items():
        file.write_bytes(content)
    files = list(map(str, small))
    script = (
        "import resource, sys; from pathlib import Path; import btfperm.io, btfperm.pattern\n"
        "from btfperm.errors import UnreadableInputError\n"
        "space = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()\n"
        f"limit = space + {4 * SMALL + MARGIN}\n"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "for file in sys.argv[1:]:\n"
        "    try: (btfperm.io.load if file.endswith('.perm') else btfperm.io.read)(file)\n"
        "    except UnreadableInputError: print(file)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *files], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split("\n") == [*files, ""]


# -- accepted files: the bound counts the bytes after unpacking ------------------------------------


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("form", ["npz", "mat", "dense"])
def test_a_large_matrix(tmp_path, form, is_packed):
    n = 300_000
    if form == "npz":
        arrays = {"shape": np.array([n, n]), "indptr": np.arange(n + 1)}
        arrays |= {"indices": np.arange(n), "data": np.ones(n)}
        members = {key: npy(array) for key, array in arrays.items()}
        size = sum(map(len, members.values()))
        content = deflated(members) if is_packed else npz(members)
    else:
        file = io.BytesIO()
        A = np.ones((n, 3), np.uint8) if form == "dense" else scipy.sparse.eye_array(n).tocsc()
        scipy.io.savemat(file, {"A": A}, do_compression=False)
        size, content = len(file.getvalue()), file.getvalue()
        if is_packed:
            content = content[:128] + struct.pack("<II", 15, 0)
            packed = zlib.compress(file.getvalue()[128:], 1)
            content = content[:-4] + struct.pack("<I", len(packed)) + packed
    file = tmp_path / f"a.{form.replace('dense', 'mat')}"
    file.write_bytes(content)
    path = f"{file}:A" if form == "dense" else file
    assert read(path).nnz == (3 * n if form == "dense" else n)
    assert peak_of(lambda: read(path)) <= 4 * size + SMALL


def dia(m: int, n: int, first: int, data: np.ndarray) -> dict[str, np.ndarray]:
    """Neighbouring diagonals, from the offset `first` on."""
    shape, offsets = np.array([m, n]), first + np.arange(len(data))
    return {"format": np.array(b"dia"), "shape": shape, "offsets": offsets, "data": data}


def all_but_two_outside() -> dict[str, np.ndarray]:
    data = np.zeros((900_000, 1), np.int8)
    data[[450_000, 450_001]] = 1
    return dia(2, 2, -450_000, data)


def many_duplicates(values: np.ndarray) -> dict[str, np.ndarray]:
    rows = np.arange(values.size) * 37 % 101
    starts = np.linspace(0, values.size, 51).astype(np.int64)
    columns = {"indptr": starts, "indices": rows.astype(np.int8), "data": values}
    return {"format": np.array(b"csc"), "shape": np.array([101, 50]), **columns}


def dense_blocks(values: np.ndarray) -> dict[str, np.ndarray]:
    """Blocks in a band."""
    across = len(values) // 4
    starts = np.arange(0, len(values) + 1, 4, dtype=np.int16)
    lists = (np.arange(across)[:, None] + np.arange(4)) % across
    rows = {"indptr": starts, "indices": lists.astype(np.int16).reshape(-1), "data": values}
    shape = across * np.array(values.shape[1:])
    return {"format": np.array(b"bsr"), "shape": shape, **rows}


NARROW: dict[str, tuple[Callable[[], dict[str, np.ndarray]], int]] = {
    "band": (lambda: dia(2000, 2000, -500, np.ones((1000, 2000), np.int8)), 1_750_000),
    "long diagonal": (lambda: dia(3, 3_000_000, -1, np.ones((1, 3_000_000), np.int8)), 2),
    "diagonals outside": (all_but_two_outside, 1),
    "duplicates": (lambda: many_duplicates(np.ones(3_000_000, np.int8)), 5050),
    "duplicate zeros": (lambda: many_duplicates(np.arange(3_000_000, dtype=np.int8) % 2), 5050),
    "blocks": (lambda: dense_blocks(np.ones((9_000, 10, 10), bool)), 900_000),
}
"""Matrices with one or two bytes an entry, and the numbers of entries of their patterns."""


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer takes memory of its own")
@pytest.mark.parametrize("name", NARROW)
def test_few_bytes_an_entry(tmp_path, name):
    make, nnz = NARROW[name]
    file, arrays = tmp_path / "a.npz", make()
    np.savez(file, **arrays)
    size = file.stat().st_size
    del arrays
    assert read(file).nnz == nnz
    assert peak_of(lambda: read(file)) <= 4 * size + SMALL
    results = []
    peak = peak_of(lambda: results.append(read_matrix(file)))
    A = results[0]
    assert peak <= 4 * (size + A.row.nbytes + A.col.nbytes + A.data.nbytes) + SMALL


def test_zeros_in_gzip(tmp_path):
    """The reader stops at the first tag and does not parse the zeros one by one."""
    file = tmp_path / "a.mat.gz"
    file.write_bytes(gzip.compress(mat(bytes(8 << 20)), 1))
    calls = []
    monitored = struct.unpack
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(struct, "unpack", lambda *args: calls.append(1) or monitored(*args))
        with pytest.raises(UnreadableInputError, match="type 0 with 0 bytes is no variable"):
            read(file)
    assert len(calls) < 100
