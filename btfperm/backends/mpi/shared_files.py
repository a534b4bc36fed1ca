# SPDX-License-Identifier: BSD-3-Clause
"""Files of the first rank that the other ranks of its machine open, too.

Such a file may have no name yet. Its number in ``/proc`` names it for processes of the same user,
unless a sandbox hides the processes from each other.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from btfperm.backends.mpi.exchange import Exchange

__all__ = ["opened_together"]


@contextlib.contextmanager
def opened_together(exchange: Exchange, own: int | None, flags: int) -> Iterator[int | None]:
    """Yields a descriptor of the file `own` of the first rank on each rank. Yields None on all
    ranks if one of them cannot open the file, if there is one rank, or if the ranks are on several
    machines. `own` is None on the other ranks, and on the first one if there is no such file.
    Collective."""
    found: int | None = None
    try:
        if exchange.ranks_here == exchange.size > 1:
            name = exchange.broadcast("" if own is None else f"/proc/{os.getpid()}/fd/{own}")
            if name:
                with contextlib.suppress(OSError):
                    found = os.open(name, flags | getattr(os, "O_CLOEXEC", 0))
            is_missing = exchange.largest(int(found is None))[0]
            yield None if is_missing else found
        else:
            yield None
    finally:
        if found is not None:
            os.close(found)
