# SPDX-License-Identifier: BSD-3-Clause
"""The SHA-256 of a file that other code reads at the same time."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from pathlib import Path
from typing import Any

from btfperm.io.source import unreadable, why_unreadable

__all__ = ["FileHash"]

# Bytes that are hashed at a time. The blocks of the thread are large, because it waits for the
# interpreter's lock before each of them. If they did not fit into memory, those of `wait` do.
_BLOCK, _SMALL_BLOCK = 1 << 22, 1 << 16


class FileHash(threading.Thread):
    """A thread that sets ``source["sha256"]``. Without room for the thread or for its block, `wait`
    hashes the file."""

    def __init__(self, path: Path, source: dict[str, Any]) -> None:
        super().__init__(daemon=True)
        self._path, self._source = path, source
        with contextlib.suppress(RuntimeError):  # no room for a thread
            self.start()

    def run(self) -> None:
        try:
            self._hash(_BLOCK)
        except (MemoryError, OSError):  # `wait` tries again, and its caller handles the error
            return

    def wait(self) -> None:
        """Returns when the hash is set.

        Raises
        ------
        UnreadableInputError : the file cannot be read any more
        """
        if self.ident is not None:
            self.join()
        if "sha256" in self._source:
            return
        try:
            self._hash(_SMALL_BLOCK)
        except OSError as error:
            raise unreadable(str(self._path), None, why_unreadable(error)) from error

    def _hash(self, most: int) -> None:
        hashing, block = hashlib.sha256(), bytearray(min(most, self._path.stat().st_size + 1))
        with self._path.open("rb", buffering=0) as file, memoryview(block) as view:
            while size := file.readinto(block):
                hashing.update(view[:size])
        self._source["sha256"] = hashing.hexdigest()
