# SPDX-License-Identifier: BSD-3-Clause
"""The items that a rank received from the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Routed"]


class Routed(NamedTuple):
    """The items that `Exchange.route` received, and their origin, for `Exchange.reply`.

    Attributes
    ----------
    items : an array (items, fields), one row for each received item, sorted by the sending rank
    received, sent : number of items from and to each rank
    order : items are sent in the order of the receiving ranks; ``order[k]`` is the place of the
        k-th item sent in the arrays of the caller
    """

    items: npt.NDArray[Any]
    received: npt.NDArray[np.int64]
    sent: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]

    def field(self, k: int) -> npt.NDArray[Any]:
        """A contiguous copy of one field."""
        return np.ascontiguousarray(self.items[:, k])
