# SPDX-License-Identifier: BSD-3-Clause
"""Files that are packed while they are written; `source` unpacks them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, BinaryIO

__all__ = ["packed"]


@contextlib.contextmanager
def packed(file: BinaryIO, name: str) -> Iterator[Any]:
    """A stream into `file`, packed according to the suffix of `name`.

    >>> import io
    >>> file = io.BytesIO()
    >>> with packed(file, "A.mtx.gz") as stream:
    ...     _ = stream.write(b"text")
    >>> file.getvalue()[:2].hex()
    '1f8b'
    """
    if name.endswith(".gz"):
        import gzip

        # No name and no date: the same matrix gives the same bytes.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as stream:
            yield stream
    elif name.endswith(".bz2"):
        import bz2

        with bz2.BZ2File(file, "wb") as stream:
            yield stream
    elif name.endswith(".xz"):
        import lzma

        with lzma.LZMAFile(file, "wb") as stream:
            yield stream
    else:
        yield file
