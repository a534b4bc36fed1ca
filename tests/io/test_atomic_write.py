# SPDX-License-Identifier: BSD-3-Clause
"""A file is written completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import btfperm
from btfperm import _core
from btfperm.errors import ResourceMissingError
from btfperm.io import atomic_write as write_module
from btfperm.io import load, save, write_matrix
from btfperm.io.atomic_write import atomic_write, remove_unfinished

FORMATS = ["npz", "mat", "json", "txt"]
TEMPORARY = getattr(os, "O_TMPFILE", os.O_CREAT | os.O_EXCL)


@pytest.fixture(params=["unnamed", "named"])
def has_name(request, monkeypatch, tmp_path):
    """Whether the temporary file has a name: it has one where a file system has no other files."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return not can_be_unnamed(tmp_path)


def can_be_unnamed(folder: Path) -> bool:
    if not hasattr(os, "O_TMPFILE"):
        return False
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def result():
    return btfperm.dulmage_mendelsohn(np.eye(4) + np.eye(4, k=1))


def left_behind(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("format", FORMATS)
def test_full_disk(tmp_path, monkeypatch, result, format):
    target = tmp_path / f"perm.{format}"
    target.write_bytes(b"older")
    real = os.fsync

    def full(descriptor):
        real(descriptor)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ResourceMissingError, match=r"perm\.\w+ cannot be written: No space left"):
        save(result, target)
    assert target.read_bytes() == b"older"
    assert left_behind(tmp_path) == [target.name]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("format", FORMATS)
def test_full_device(result, format):
    with pytest.raises(ResourceMissingError, match="/dev/full cannot be written: No space left"):
        save(result, "/dev/full", format=format)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz", ".mtx.xz", ".npz"])
def test_full_disk_under_a_matrix(tmp_path, suffix, monkeypatch):
    """Neither SciPy nor a compressor may lose the error of the file that it writes to."""
    real = os.open
    opened = []

    def full(path, flags, *args, **kwargs):
        descriptor = real(path, flags, *args, **kwargs)
        if flags & TEMPORARY != TEMPORARY:
            return descriptor
        os.close(descriptor)
        opened.append(suffix)
        return real("/dev/full", os.O_WRONLY)

    monkeypatch.setattr(write_module, "_can_be_named", lambda *_: True)
    monkeypatch.setattr(os, "open", full)
    A = np.random.default_rng().random((100, 100))
    with pytest.raises(ResourceMissingError, match="cannot be written: No space left"):
        write_matrix(tmp_path / f"a{suffix}", A)
    assert opened
    assert left_behind(tmp_path) == []


def test_a_long_file_goes_to_the_disk_while_it_is_written(tmp_path, monkeypatch):
    real, length = _core.backends.start_write_back, []

    def counted(descriptor):
        length.append(os.fstat(descriptor).st_size)
        real(descriptor)

    monkeypatch.setattr(_core.backends, "start_write_back", counted)
    whole = np.random.default_rng(3).bytes((5 << 20) + 1)
    with atomic_write(tmp_path / "a.bin") as file:
        for first in range(0, len(whole), 1 << 19):
            file.write(whole[first : first + (1 << 19)])
        file.seek(5)
        file.write(b"head")  # an archive does this when it knows a length
    assert (tmp_path / "a.bin").read_bytes() == whole[:5] + b"head" + whole[9:]
    assert length == [2 << 20, 4 << 20]


def test_write_back_ignores_targets_that_are_not_on_a_disk():
    ends = os.pipe()
    for descriptor in (*ends, -1):
        _core.backends.start_write_back(descriptor)
    for descriptor in ends:
        os.close(descriptor)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
def test_interrupted(tmp_path, error, has_name):
    target = tmp_path / "a.txt"
    target.write_bytes(b"older")
    with pytest.raises(error), atomic_write(target) as file:
        file.write(b"half")
        file.flush()
        assert len(left_behind(tmp_path)) == 1 + has_name
        raise error
    assert target.read_bytes() == b"older"
    assert left_behind(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("links", [True, False])
def test_an_older_file_that_must_not_be_replaced(tmp_path, monkeypatch, links, has_name):
    """The file may exist at the start or appear while the new one is written. The file system may
    or may not have hard links."""
    if not links:

        def refused(*_, **__):
            raise OSError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(os, "link", refused)
    target = tmp_path / "a.txt"
    with atomic_write(target, replace=False) as file:
        file.write(b"first")
    assert target.read_bytes() == b"first" and left_behind(tmp_path) == ["a.txt"]
    exists = pytest.raises(ResourceMissingError, match=r"a\.txt exists already")
    with exists, atomic_write(target, replace=False) as file:
        pytest.fail("nothing is written")
    target.unlink()
    with exists, atomic_write(target, replace=False) as file:
        file.write(b"second")
        target.write_bytes(b"of another process")
    assert target.read_bytes() == b"of another process" and left_behind(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("format", FORMATS)
def test_results_and_matrices_that_must_not_be_replaced(tmp_path, result, format):
    for write in (
        lambda target: save(result, target, format=format, replace=False),
        lambda target: result.save(target, format=format, replace=False),
        lambda target: write_matrix(target, np.eye(2), format="mtx", replace=False),
    ):
        target = tmp_path / "a"
        write(target)
        before = target.read_bytes()
        with pytest.raises(ResourceMissingError, match="exists already"):
            write(target)
        assert target.read_bytes() == before
        target.unlink()


def test_unfinished_files_can_be_removed(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    with pytest.raises(ResourceMissingError), atomic_write(tmp_path / "a.txt") as file:
        file.write(b"half")
        assert len(left_behind(tmp_path)) == 1
        remove_unfinished()
        assert left_behind(tmp_path) == []
    with atomic_write(tmp_path / "a.txt") as file:
        file.write(b"whole")
    remove_unfinished()
    assert left_behind(tmp_path) == ["a.txt"]


def forbid_links(monkeypatch):
    def refused(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)


def test_a_file_has_a_name_from_the_start_if_links_are_forbidden(tmp_path, monkeypatch):
    """A copy under a name at the end would need space for two files."""
    forbid_links(monkeypatch)
    before, content = os.umask(0o027), os.urandom(1 << 20)
    try:
        with atomic_write(tmp_path / "a.bin") as file:
            file.write(content)
            assert len(left_behind(tmp_path)) == 1
    finally:
        os.umask(before)
    assert (tmp_path / "a.bin").read_bytes() == content
    assert stat.S_IMODE((tmp_path / "a.bin").stat().st_mode) == 0o640
    assert left_behind(tmp_path) == ["a.bin"]


def test_a_file_that_nobody_may_read_is_replaced(tmp_path, monkeypatch):
    forbid_links(monkeypatch)
    target = tmp_path / "a.txt"
    target.write_bytes(b"older")
    target.chmod(0o200)
    with atomic_write(target) as file:
        file.write(b"new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o200 and left_behind(tmp_path) == ["a.txt"]
    target.chmod(0o600)
    assert target.read_bytes() == b"new"


def test_whether_files_can_get_names_is_tested_once(tmp_path, monkeypatch):
    monkeypatch.setattr(write_module, "_named", {})
    for name in ("a", "b"):
        with atomic_write(tmp_path / name) as file:
            file.write(b"whole")
    assert left_behind(tmp_path) == ["a", "b"]
    assert list(write_module._named) == ([tmp_path] if can_be_unnamed(tmp_path) else [])


def test_a_file_without_a_name_needs_proc(tmp_path, monkeypatch):
    """Without /proc, such a file could not get a name: the temporary file then has one."""
    monkeypatch.setattr(write_module, "_path_of", lambda descriptor: str(tmp_path / "no" / "fd"))
    with atomic_write(tmp_path / "a.txt") as file:
        file.write(b"whole")
        assert len(left_behind(tmp_path)) == 1
    assert (tmp_path / "a.txt").read_bytes() == b"whole"


def test_killed_while_writing_leaves_the_older_file(tmp_path):
    target = tmp_path / "a.txt"
    target.write_bytes(b"older")
    program = (
        "import os, signal\n"
        "from btfperm.io.atomic_write import atomic_write\n"
        f"with atomic_write({str(target)!r}) as file:\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -9
    assert target.read_bytes() == b"older"
    if can_be_unnamed(tmp_path):
        assert left_behind(tmp_path) == ["a.txt"]


def test_directory_missing(tmp_path):
    with (
        pytest.raises(ResourceMissingError, match=r"no directory .*gone"),
        atomic_write(tmp_path / "gone" / "a.txt"),
    ):
        pass


def test_directory_as_target(tmp_path):
    with pytest.raises(ResourceMissingError, match="is a directory"), atomic_write(tmp_path):
        pass


def test_write_protected(tmp_path, monkeypatch):
    target = tmp_path / "a.txt"
    target.write_bytes(b"older")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write to every file
    with pytest.raises(ResourceMissingError, match="write-protected"), atomic_write(target):
        pass


def test_permissions(tmp_path):
    target = tmp_path / "a.txt"
    before = os.umask(0o027)
    try:
        with atomic_write(target) as file:
            file.write(b"new")
        assert stat.S_IMODE(target.stat().st_mode) == 0o640
        target.chmod(0o604)
        with atomic_write(target) as file:
            file.write(b"newer")
        assert stat.S_IMODE(target.stat().st_mode) == 0o604
    finally:
        os.umask(before)
    assert target.read_bytes() == b"newer"


def test_symbolic_link_stays(tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "a.txt"
    target.write_bytes(b"older")
    link = tmp_path / "link.txt"
    link.symlink_to(target)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_standard_output(tmp_path):
    """A pipe cannot be renamed, and its writer cannot seek."""
    end = b"<the end of one file>"
    program = (
        "import sys, numpy as np, btfperm\n"
        "d = btfperm.dulmage_mendelsohn(np.eye(3))\n"
        f"for format in {list(FORMATS)!r}:\n"
        "    for name in '-', '/dev/stdout':\n"
        "        d.save(name, format=format)\n"
        f"        sys.stdout.buffer.write({end!r})\n"
        "        sys.stdout.flush()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    *files, last = done.stdout.split(end)
    assert last == b"" and len(files) == 2 * len(FORMATS)
    for format, one, other in zip(FORMATS, files[::2], files[1::2], strict=True):
        assert len(one) == len(other) > 0, format
        file = tmp_path / f"perm.{format}"
        file.write_bytes(one)
        if format != "mat":
            assert load(file).row_perm.tolist() == [0, 1, 2]


def test_longest_name(tmp_path):
    target = tmp_path / ("é" * 120 + ".txt")
    with atomic_write(target) as file:
        file.write(b"new")
    assert left_behind(tmp_path) == [target.name]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux, for /proc")
def test_an_older_large_file_is_closed_after_it_was_replaced(tmp_path, monkeypatch):
    """A thread closes it, so that the caller need not wait until the system has freed it."""
    monkeypatch.setattr(write_module, "_LARGE", 3)
    target = tmp_path / "a.txt"
    closed = []
    close = os.close

    def noted(descriptor):
        name = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        closed.append((name, threading.current_thread().name))
        close(descriptor)

    monkeypatch.setattr(os, "close", noted)
    for text, is_large in ((b"one", False), (b"2", True), (b"three", False)):
        with atomic_write(target) as file:
            file.write(text)
        assert target.read_bytes() == text
        until = time.monotonic() + 20
        while is_large and not any("deleted" in name for name, _ in closed):
            assert time.monotonic() < until
            time.sleep(1e-3)
        later = [name for name, thread in closed if thread != "MainThread"]
        assert later == [f"{target} (deleted)"] * is_large
        closed.clear()
