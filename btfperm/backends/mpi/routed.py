# SPDX-License-Identifier: BSD-3-Clause
"""What an exchange between ranks received."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Routed"]


class Routed(NamedTuple):
    """The items that `Exchange.route` received, and their origin, for `Exchange.reply`.

    Attributes
    ----------
    items : (received, fields) one row for each item, in the order of the sending ranks
    received, sent : number of items from and to each rank
    order : order[k] is the place, in the caller's arrays, of the k-th item sent
    """

    items: npt.NDArray[Any]
    received: npt.NDArray[np.int64]
    sent: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]

    def field(self, k: int) -> npt.NDArray[Any]:
        """A contiguous copy of one field."""
        return np.ascontiguousarray(self.items[:, k])
