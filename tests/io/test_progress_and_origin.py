# SPDX-License-Identifier: BSD-3-Clause
"""What every reader reports while it reads, and the origin that a matrix stores."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import tarfile

import numpy as np
import scipy.sparse as sp

import btfperm
from btfperm.io import read, read_matrix
from tests.loops import looped

A = sp.csc_array(np.triu(np.ones((9, 9))) + np.tril(np.ones((9, 9))))
PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def content(suffix: str, folder) -> bytes:
    if suffix == "graph":  # METIS: the complete graph without its diagonal
        lines = (" ".join(str(k + 1) for k in range(9) if k != i) for i in range(9))
        return ("9 36\n" + "\n".join(lines) + "\n").encode()
    file = folder / f"plain.{suffix}"
    btfperm.write_matrix(file, A)
    return file.read_bytes()


def archive(name: str, data: bytes) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as target:
        for member, text in (("readme.txt", b"x" * 700), (name, data), ("z.txt", b"y")):
            info = tarfile.TarInfo(member)
            info.size = len(text)
            target.addfile(info, io.BytesIO(text))
    return held.getvalue()


@looped("packing", PACKERS)
@looped("suffix", ["mtx", "npz", "mat", "rb", "graph"])
@looped("kind", ["file", "a/a", "other"])
def test_every_byte_is_reported_and_hashed(tmp_path, suffix, packing, kind):
    data = content(suffix, tmp_path)
    file = tmp_path / f"a.{suffix}{packing}"
    if kind != "file":  # a member in a folder of its name is found at once, another one at the end
        member = f"{'a/a' if kind == 'a/a' else 'b/other'}.{suffix}"
        data, file = archive(member, data), tmp_path / f"a.tar{packing}"
    file.write_bytes(PACKERS[packing](data))
    size, steps = file.stat().st_size, []
    pattern = read(file, progress=lambda done, total=None: steps.append((done, total)))
    assert pattern.shape == (9, 9) and pattern.nnz == (72 if suffix == "graph" else 81)
    done = [step[0] for step in steps]
    assert done and done == sorted(done) and 0 < done[-1] <= size
    assert {total for _, total in steps} == {size}
    if kind == "file":
        assert done[-1] == size
    origin = {"file": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    if kind != "file":
        origin["member"] = member
    assert dict(pattern.source) == origin
    assert (read_matrix(file).tocsc() != 0).nnz == pattern.nnz
