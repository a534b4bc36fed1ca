# SPDX-License-Identifier: BSD-3-Clause
"""Equality of results: the values of their arrays are compared, on whatever device they are."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from btfperm.backends import host_array

__all__ = ["equal_values", "fields_equal", "tuple_by_value"]

_Tuple = TypeVar("_Tuple", bound=type[tuple[Any, ...]])


def fields_equal(one: object, other: object, names: tuple[str, ...]) -> bool:
    """Whether both objects have equal values in all these attributes. O(total size)."""
    return one is other or all(equal_values(getattr(one, k), getattr(other, k)) for k in names)


def equal_values(one: Any, other: Any) -> bool:
    """Whether two fields are equal: arrays by shape and elements, whatever their integer type and
    device; everything else by ``==``."""
    if one is other:
        return True
    one, other = host_array(one), host_array(other)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return one is not None and other is not None and bool(np.array_equal(one, other))
    return bool(one == other)


def tuple_by_value(cls: _Tuple) -> _Tuple:
    """Class decorator for a named tuple of arrays: ``==`` compares the values of the arrays.

    The ``==`` of a plain tuple uses ``==`` of two arrays as a truth value. NumPy raises an error
    for this if the arrays have two or more elements.
    """

    def equal(self: tuple[Any, ...], other: object) -> Any:
        if not isinstance(other, tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(equal_values, self, other))

    def unequal(self: tuple[Any, ...], other: object) -> Any:
        same = equal(self, other)
        return same if same is NotImplemented else not same

    def hashed(self: tuple[Any, ...]) -> int:
        return hash((type(self).__name__, *(getattr(field, "size", field) for field in self)))

    for name, method in (("__eq__", equal), ("__ne__", unequal), ("__hash__", hashed)):
        setattr(cls, name, method)
    return cls
