# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of a result: nobody writes to them any more."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["freeze", "frozen"]

_Array = TypeVar("_Array", bound=npt.NDArray[Any])


def freeze(*arrays: npt.NDArray[Any] | None) -> None:
    """Makes the arrays read-only; what is none, or lives on a device, stays as it is."""
    for array in arrays:
        if isinstance(array, np.ndarray):
            array.setflags(write=False)


def frozen(array: _Array) -> _Array:
    """The array, read-only from now on unless it lives on a device."""
    freeze(array)
    return array
