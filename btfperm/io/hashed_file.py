# SPDX-License-Identifier: BSD-3-Clause
"""A binary file that is hashed while it is read, so that the digest costs no second pass."""

from __future__ import annotations

import hashlib
import io
import threading
from typing import Any, Protocol

__all__ = ["HashedFile", "RawInput"]

# Blocks of this many bytes and more take several times longer to hash than a thread to start.
_WORTH_A_THREAD = 1 << 20


class RawInput(Protocol):
    """The interface of an input: an open file, standard input, an `io.BytesIO`."""

    def readinto(self, buffer: Any, /) -> int | None: ...
    def close(self) -> None: ...


class HashedFile(io.RawIOBase):
    """Reads `raw` and updates the SHA-256 with every byte.

    Large blocks are hashed by a second thread (hashlib releases the interpreter lock) while the
    caller parses them; at most one block is being hashed at any time.

    Examples
    --------
    >>> file = HashedFile(io.BytesIO(b"abc"))
    >>> file.read(1), file.hexdigest()[:8]
    (b'a', 'ba7816bf')
    """

    def __init__(self, raw: RawInput, *, owned: bool = True) -> None:
        super().__init__()
        self.bytes_read = 0
        self._raw = raw
        self._owned = owned
        self._hash = hashlib.sha256()
        self._worker: threading.Thread | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fills `buffer` unless the file ends. A pipe may deliver a few bytes at a time, and the
        code that inspects the first bytes needs all of them."""
        view = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(view):
            count = self._raw.readinto(view[filled:])
            if not count:
                break
            filled += count
        self.bytes_read += filled
        self._update(view[:filled])
        return filled

    def hexdigest(self) -> str:
        """SHA-256 of the whole file; reads what has not been read yet."""
        # Usually the whole file has been read already. Reading one byte tests this without
        # allocating a block.
        if self.readinto(bytearray(1)):
            rest = bytearray(_WORTH_A_THREAD // 4)
            while self.readinto(rest):
                pass
        self._wait()
        return self._hash.hexdigest()

    def restart(self) -> bool:
        """Seeks to the first byte if the file allows it."""
        seek = getattr(self._raw, "seek", None)
        try:
            if seek is None:
                return False
            seek(0)
        except OSError:  # a pipe cannot seek
            return False
        self._wait()
        self._hash = hashlib.sha256()
        self.bytes_read = 0
        return True

    def close(self) -> None:
        if not self.closed:
            self._wait()
            if self._owned:
                self._raw.close()
        super().close()

    def _update(self, block: memoryview) -> None:
        self._wait()
        if len(block) < _WORTH_A_THREAD:
            self._hash.update(block)
        else:  # a copy, because the caller may use its buffer again
            self._worker = threading.Thread(target=self._hash.update, args=(bytes(block),))
            self._worker.start()

    def _wait(self) -> None:
        if self._worker is not None:
            self._worker.join()
            self._worker = None
