# SPDX-License-Identifier: BSD-3-Clause
"""How the ranks exit with an error at about the same time.

Otherwise, a launcher might end all processes as soon as one has ended, before the first rank prints
the message, and report that it ended them.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

__all__ = ["LEAVE", "leave_together"]

LEAVE = 1
"""The tag of the message of rank 0."""

_PATIENCE = 5.0  # seconds for which a rank waits for the message
_MESSAGE_TIME = 0.05  # seconds from the message to the return


def leave_together(comm: Any, rank: int, size: int) -> None:
    """Returns on all ranks shortly after rank 0 has called it, or after `_PATIENCE` seconds. Rank 0
    first prints the message of the error. `comm` is a communicator for such messages."""
    leave_at = np.array([time.time() + _MESSAGE_TIME])
    until = time.monotonic() + _PATIENCE
    if rank == 0:
        sends = [comm.Isend(leave_at, other, tag=LEAVE) for other in range(1, size)]
        while sends and time.monotonic() < until:  # MPI may send only while it is called
            sends = [request for request in sends if not request.Test()]
            time.sleep(1e-3)
    else:
        while time.monotonic() < until and not comm.Iprobe(source=0, tag=LEAVE):
            time.sleep(1e-3)
        if comm.Iprobe(source=0, tag=LEAVE):
            comm.Recv(leave_at, 0, tag=LEAVE)
    left = leave_at.item() - time.time()
    time.sleep(min(max(0.0, left), _PATIENCE))  # clocks of machines may differ
