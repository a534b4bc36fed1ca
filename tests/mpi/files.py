# SPDX-License-Identifier: BSD-3-Clause
"""Cases about files: reading by ranges, error messages with line numbers, and writing."""

from __future__ import annotations

import gzip
import hashlib
import os
import zipfile
from unittest import mock

import numpy as np
import pytest
from btfperm_cli.summary import source_of
from mpi4py import MPI

import btfperm
from btfperm.backends.mpi.exchange import Exchange
from btfperm.conventions.rows import conventions
from btfperm.io import file_hash, save_mpi
from btfperm.io.file_hash import FileHash
from btfperm.io.read_mpi import read_distributed
from tests.known_answers import MATRICES
from tests.mpi import inputs

COMM = MPI.COMM_WORLD
HEAD = b"%%MatrixMarket matrix coordinate "
GOOD = {
    "general": HEAD
    + b"real general\n% a comment\n4 3 5\n1 1 1\n2 2 0\n\n% x\n4 3 2\n1 3 1\n2 2 1\n",
    "symmetric": HEAD + b"integer symmetric\n5 5 4\r\n1 1 3\r\n5 1 2\r\n3 2 1\r\n5 5 7",
    "pattern": HEAD + b"pattern general\n2 2 0\n",
    "long": HEAD
    + b"pattern general\n900 800 1500\n"
    + b"".join(b"%d %d\n" % (1 + k * 7 % 900, 1 + k * 11 % 800) for k in range(1500)),
    "array": b"%%MatrixMarket matrix array real general\n2 3\n1\n0\n0\n2\n3\n4\n",
}
BAD = {
    "row": (HEAD + b"pattern general\n3 3 4\n1 1\n2 2\n4 1\n3 3\n", "line 5"),
    "word": (HEAD + b"real general\n3 3 4\n1 1 1\n2 2 x\n1 3 1\n3 3 1\n", "line 4"),
    "short": (HEAD + b"pattern general\n3 3 4\n1 1\n2 2\n3 1\n", "ends after 3 of the 4"),
    "surplus": (
        HEAD + b"pattern general\n3 3 2\n1 1\n2 2\n% x\n3 1\n3 2\n",
        "line 6: there are more",
    ),
    "head": (b"%%MatrixMarket matrix coordinate real\n", "line 1"),
    "nothing": (b"", ""),
}


def _write(path, content):
    if COMM.rank == 0:
        path.write_bytes(content)
    COMM.Barrier()
    return path


def case_reading(folder):
    for name, content in GOOD.items():
        for path, packed in ((f"{name}.mtx", content), (f"{name}.mtx.gz", gzip.compress(content))):
            file = _write(folder / path, packed)
            for drop in (False, True):
                P = btfperm.as_pattern(str(file), comm=COMM, drop_zeros=drop)
                assert P.on_host() == btfperm.read(file, drop_zeros=drop), path
                alone = btfperm.read(file, drop_zeros=drop)
                # Read in parts, "general" counts a zero whose position has another value, too.
                is_beside = drop and name == "general"
                assert P.zeros_dropped == (alone.zeros_dropped or (is_beside and COMM.size > 1))
                is_in_parts = COMM.size == 1 or (packed is content and name != "array")
                assert bool(P.note) == (not is_in_parts), P.note
                assert COMM.rank or P.source["sha256"] == btfperm.read(file).source["sha256"]
            d = btfperm.dulmage_mendelsohn(str(file), comm=COMM, backend="mpi")
            serial = btfperm.dulmage_mendelsohn(file)
            assert np.array_equal(d.col_perm, serial.col_perm), path
            assert np.array_equal(d.row_perm, serial.row_perm), path


def case_no_room_for_the_thread_that_hashes(folder):
    """There may be no room for the thread, or for its block: the hash is computed nevertheless. If
    the file disappears before that, all ranks raise the error of the first one."""
    file = _write(folder / "hashed.mtx", GOOD["long"])
    digest = hashlib.sha256(GOOD["long"]).hexdigest()

    def no_thread(self):
        raise RuntimeError("can't start new thread")

    def no_block(self, most):
        if most == file_hash._BLOCK:
            raise MemoryError
        add_hash(self, most)

    add_hash = FileHash._hash
    for name, fails in (("start", no_thread), ("_hash", no_block)):
        with mock.patch.object(FileHash, name, fails):
            P = read_distributed(str(file), COMM, values_or="")
            Q = read_distributed(str(file), COMM, values_or="")
            assert source_of(P).get("sha256") == (digest if COMM.rank == 0 else None)
            d = btfperm.dulmage_mendelsohn(P, gather=False)
            d.save(folder / "hashed.npz")
            COMM.Barrier()
            assert btfperm.load(folder / "hashed.npz").meta["matrix"]["sha256"] == digest
            if COMM.rank == 0:
                file.unlink()
            COMM.Barrier()
            with pytest.raises(btfperm.UnreadableInputError, match="there is no such file"):
                source_of(Q)
        file = _write(file, GOOD["long"])


def case_messages_of_bad_files(folder):
    """All ranks raise the same sentence, which is that of one process."""
    for name, (content, part) in BAD.items():
        file = _write(folder / f"bad_{name}.mtx", content)
        texts = []
        for how in ({}, {"comm": COMM}):
            try:
                btfperm.structural_rank(str(file), **how)
            except btfperm.UnreadableInputError as error:
                texts.append(str(error))
        assert len(texts) == 2 and texts[0] == texts[1] and part in texts[0], texts


def case_more_rows_and_columns_than_the_memory_holds(folder):
    """A file of a few bytes may declare any number of them: all ranks refuse it, as one process
    does, before they allocate an array of this length."""
    count = 10**13
    file = _write(folder / "large.mtx", HEAD + b"pattern general\n%d %d 0\n" % (count, count))
    none = np.empty(0, dtype=np.int64)
    make = btfperm.DistributedPattern.from_positions
    for call in (
        lambda: btfperm.structural_rank(str(file), comm=COMM, backend="mpi"),
        lambda: btfperm.dulmage_mendelsohn(str(file), comm=COMM),
        lambda: make(COMM, none, none, (count, count)),
    ):
        try:
            call()
        except btfperm.ResourceMissingError as error:
            assert f"a matrix of shape {count} x {count} needs at least" in str(error)
            continue
        raise AssertionError("not refused")


def case_writing(folder):
    """The file is that of one process, except for the matching and the meta data."""
    file = folder / "perm.npz"
    d = btfperm.dulmage_mendelsohn(
        str(MATRICES / "west0479.mtx.gz"), comm=COMM, backend="mpi", gather=False
    )
    assert repr(d).startswith("<DistributedDecomposition of a 479 x 479 matrix")
    with mock.patch.object(Exchange, "gather_all", None):  # only the first rank needs whole arrays
        d.save(file)
        btfperm.save(d, folder / "perm.json")
        d.save(folder / "matlab.npz", convention="matlab")
        assert (d.gather_to_first() is None) == (COMM.rank > 0)
    COMM.Barrier()
    whole, serial = (
        d.gather(),
        btfperm.dulmage_mendelsohn(MATRICES / "west0479.mtx.gz", drop_zeros=False),
    )
    assert btfperm.load(file) == whole == btfperm.load(folder / "perm.json")
    assert btfperm.load(file).meta["backend"] == "mpi"
    alone = folder / f"alone{COMM.rank}.npz"
    whole.save(alone, convention="matlab")
    with np.load(folder / "matlab.npz") as ours, np.load(alone) as theirs:
        assert all(np.array_equal(ours[name], theirs[name]) for name in ("p", "q", "r", "s"))
    for name in ("row_perm", "col_perm", "row_blocks", "col_blocks"):
        assert np.array_equal(getattr(whole, name), getattr(serial, name)), name
    try:
        d.save(folder / "missing" / "perm.npz")
    except btfperm.ResourceMissingError:
        return
    raise AssertionError("all ranks must raise the error of the first rank")


def case_writing_a_singular_matrix_for_a_solver(folder):
    """Only one process completes the permutation. All ranks raise the same error, before they
    gather arrays and before there is a file."""
    A = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0]])
    d = btfperm.dulmage_mendelsohn(A, comm=COMM, backend="mpi", gather=False)
    singular = [row.name for row in conventions.values() if row.pairs_diagonal]
    assert {"btf", "klu", "petsc", "superlu", "umfpack"} <= set(singular)
    for name in singular:
        with pytest.raises(btfperm.InvalidArgumentError, match="only one process completes"):
            d.save(folder / "singular.npz", convention=name)
    assert not (folder / "singular.npz").exists()
    d.save(folder / "singular.npz", convention="csparse")
    wide = btfperm.dulmage_mendelsohn(A[:3], comm=COMM, backend="mpi", gather=False)
    with pytest.raises(btfperm.InvalidArgumentError, match="takes square matrices"):
        wide.save(folder / "wide.npz", convention="klu")


def case_writing_together(folder):
    """Each rank writes its parts of the file. If a rank cannot open the file, the first rank writes
    all, and the file has the same bytes."""
    last, opened, written = COMM.size - 1, os.open, []
    pwrite = os.pwrite

    def refuses(name, *rest, **more):
        if str(name).startswith("/proc/") and COMM.rank == last:
            raise PermissionError(13, "refused")
        return opened(name, *rest, **more)

    def writes(*given):
        written.append(given)
        return pwrite(given[0], given[1][:1001], given[2])  # a part of what is given

    for seed in inputs.drawn(range(6)):
        A = inputs.random_matrix(seed)
        d = btfperm.dulmage_mendelsohn(A, comm=COMM, backend="mpi", gather=False)
        with mock.patch.object(os, "pwrite", writes), mock.patch.object(save_mpi, "_CONVERTED", 7):
            d.save(folder / "parts.npz")
        has_part = len(d.row_perm) + len(d.col_perm) > 0
        assert bool(written) == (COMM.size > 1 and inputs.on_one_machine() and has_part), seed
        with mock.patch.object(os, "open", refuses):
            written.clear()
            d.save(folder / "sent.npz")
        assert not written
        COMM.Barrier()
        assert (folder / "parts.npz").read_bytes() == (folder / "sent.npz").read_bytes(), seed
        assert zipfile.ZipFile(folder / "parts.npz").testzip() is None
        COMM.Barrier()


def case_writing_together_on_a_full_disk(folder):
    """If one rank cannot write its part, all ranks raise one error, and there is no file."""
    if not inputs.on_one_machine():
        return
    d = btfperm.dulmage_mendelsohn(inputs.full(40, 40), comm=COMM, backend="mpi", gather=False)

    def fails(*_):
        raise OSError(28, "No space left on device")

    name = "pwrite" if COMM.rank == COMM.size - 1 else "pread"
    with mock.patch.object(os, name, fails):
        if COMM.size == 1:
            d.save(folder / "full.npz")
            (folder / "full.npz").unlink()
        else:
            with pytest.raises(btfperm.ResourceMissingError, match="No space left"):
                d.save(folder / "full.npz")
    COMM.Barrier()
    assert not (folder / "full.npz").exists()
