# SPDX-License-Identifier: BSD-3-Clause
"""Atomic writes: a temporary file beside the target is written, then renamed.

After a failure (a full disk, Ctrl-C) the temporary file is removed, and an older target is
unchanged. On Linux, most file systems can create a file without a name (``O_TMPFILE``). The
temporary file then gets a name only when it is complete, just before it is renamed, and a process
that is killed while it writes leaves no file. On other systems such a process leaves its temporary
file. Code that ends a process without an exception must call `remove_unfinished` first.
"""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from btfperm import _core
from btfperm.arguments import path_text, truth
from btfperm.errors import BtfpermError, ResourceMissingError

__all__ = ["atomic_write", "remove_unfinished"]

_BUFFERED = 1 << 17  # bytes of the write buffer
_WRITTEN_BACK = 1 << 21  # bytes after which a write to the disk is started
_LARGE = 1 << 26  # bytes of an older file that a thread frees

_unfinished: set[Path] = set()  # temporary files of this process
_named: dict[Path, bool] = {}  # folders, and whether files without a name can get one there


def remove_unfinished() -> None:
    """Remove the temporary files of this process, for a signal handler that ends it."""
    for temporary in tuple(_unfinished):
        with contextlib.suppress(OSError):
            temporary.unlink()


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], *, replace: bool = True) -> Iterator[BinaryIO]:
    """A binary file that becomes `path` when the block ends without an error.

    Pipes, devices, files under ``/dev`` and ``/proc``, and ``-`` (standard output) are written
    directly. The new file has the permissions of an older one; a symbolic link stays one, its
    target is replaced. With ``replace=False`` an older regular file stays as it is, also one that
    another process has written in the meantime. Raises `ResourceMissingError`.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with atomic_write(target) as file:
    ...     target.exists(), file.write(b"whole")
    (False, 5)
    >>> target.read_bytes()
    b'whole'
    """
    text = path_text(path)
    replace = truth("replace", replace)
    try:
        if text == "-":
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
            return
        status = Path(text).stat() if Path(text).exists() else None
        if status is not None and stat.S_ISDIR(status.st_mode):
            raise ResourceMissingError(f"{text} cannot be written: it is a directory")
        # /dev/stdout may be a regular file, in which the shell has a write position.
        is_device = status is not None and not stat.S_ISREG(status.st_mode)
        if is_device or (status is not None and text.startswith(("/dev/", "/proc/"))):
            with Path(text).open("wb") as file:
                yield file
            return
        if status is not None and not replace:
            raise _exists(text)
        target = Path(os.path.realpath(text))
        if not target.parent.is_dir():
            raise ResourceMissingError(
                f"{text} cannot be written: there is no directory {target.parent}"
            )
        if status is not None and not os.access(target, os.W_OK):
            raise ResourceMissingError(f"{text} cannot be written: it is write-protected")
        with _renamed(target, status, None if replace else text) as file:
            yield file
    except (BtfpermError, BrokenPipeError):
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        name = "standard output" if text == "-" else text
        raise ResourceMissingError(f"{name} cannot be written: {reason}") from error


@contextlib.contextmanager
def _renamed(
    target: Path, status: os.stat_result | None, unless_taken: str | None
) -> Iterator[BinaryIO]:
    # The name is shortened, because the target's name may already have the greatest length.
    temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    _unfinished.add(temporary)
    try:
        descriptor = unnamed = _unnamed_file(target.parent)
        if descriptor is None:
            descriptor = os.open(temporary, flags | getattr(os, "O_BINARY", 0), 0o666)
        with io.BufferedWriter(_EarlyFile(descriptor, "wb"), _BUFFERED) as file:
            if status is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
            if unnamed is not None:
                _give_name(unnamed, temporary)
        if unless_taken is None:
            with _freed_later(target, status):
                temporary.replace(target)
        else:
            _name_unless_taken(temporary, target, unless_taken)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    finally:
        _unfinished.discard(temporary)


@contextlib.contextmanager
def _freed_later(target: Path, status: os.stat_result | None) -> Iterator[None]:
    """While a large file is replaced, it stays open; then a thread closes it, so that the system
    frees its memory and its blocks while the caller continues."""
    older: int | None = None
    if os.name == "posix" and status is not None and status.st_size >= _LARGE:
        with contextlib.suppress(OSError):
            older = os.open(target, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield
    finally:
        if older is not None:
            threading.Thread(target=os.close, args=(older,), daemon=True).start()


def _unnamed_file(folder: Path) -> int | None:
    """A new file without a name, which the system removes when the process ends; None where there
    are no such files, or where they cannot get a name."""
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or not _can_be_named(folder, flag):
        return None
    try:
        return os.open(folder, flag | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError:
        return None


def _can_be_named(folder: Path, flag: int) -> bool:
    """Whether a file that was created without a name can get one in this folder. It cannot if /proc
    is missing or a sandbox forbids links. The first write into a folder tests this with an empty
    file, which is removed at once."""
    if folder not in _named:
        try:
            descriptor = os.open(folder, flag | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError:  # no files without a name; other errors of the folder recur later
            return False
        name = folder / f".{secrets.token_hex(6)}.part"
        try:
            _give_name(descriptor, name)
            name.unlink()
            _named[folder] = True
        except OSError:
            _named[folder] = False
        finally:
            os.close(descriptor)
    return _named[folder]


def _path_of(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}"


def _give_name(descriptor: int, name: Path) -> None:
    """Names a file without a name."""
    # The argument src_dir_fd, which an absolute path ignores, makes Python call linkat, which
    # follows the symbolic link in /proc.
    os.link(_path_of(descriptor), name, src_dir_fd=descriptor, follow_symlinks=True)


def _name_unless_taken(temporary: Path, target: Path, name: str) -> None:
    """Renames `temporary` to `target`, or raises if `target` exists; `name` is for the message. Of
    several processes that do this at once, only one succeeds.

    Where the file system has no hard links, an empty file `target` is created first. Another
    process may see this empty file for a moment.
    """
    try:
        try:
            os.link(temporary, target)
            temporary.unlink()
        except FileExistsError:
            raise
        except OSError:
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            temporary.replace(target)
    except FileExistsError:
        raise _exists(name) from None


def _exists(name: str) -> ResourceMissingError:
    return ResourceMissingError(
        f"{name} exists already and must not be replaced: remove it, or name another file"
    )


def is_new_file(file: Any) -> bool:
    """Whether a file of `atomic_write` is a new file, not a pipe, a device or standard output."""
    return isinstance(getattr(file, "raw", None), _EarlyFile)


class _EarlyFile(io.FileIO):
    """A file whose pages are written to the disk early, so that the final `fsync` is short."""

    _waiting = 0

    def write(self, data: Any) -> int:
        written = super().write(data)
        self._waiting += written
        if self._waiting >= _WRITTEN_BACK:
            self._waiting = 0
            _core.backends.start_write_back(self.fileno())
        return written
