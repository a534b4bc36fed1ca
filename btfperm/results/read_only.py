# SPDX-License-Identifier: BSD-3-Clause
"""Read-only arrays of results, and results that compute some fields at their first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy.typing as npt
from numpy import ndarray

__all__ = ["OnDemand", "ReadOnlyArrays", "freeze", "frozen", "new_result"]

_Array = TypeVar("_Array", bound=npt.NDArray[Any])
_Kind = TypeVar("_Kind", bound="OnDemand")


def freeze(*arrays: npt.NDArray[Any] | None) -> None:
    """Makes NumPy arrays read-only. Arrays on a device and other objects do not change."""
    for array in arrays:
        if isinstance(array, ndarray):
            array.setflags(False)  # type: ignore[call-arg]  # positional: faster than write=False


def frozen(array: _Array) -> _Array:
    """The same array, after `freeze`."""
    freeze(array)
    return array


class ReadOnlyArrays:
    """A result whose arrays are also read-only after it was unpickled or copied."""

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        freeze(*state.values())


class OnDemand(ReadOnlyArrays):
    """A frozen dataclass that computes some fields at their first use, because for a small matrix
    the description of a search can take longer than the search.

    The class must not have a default value for such a field, because Python would find this value
    and never call `__getattr__`. ``field(default_factory=...)`` is possible: it sets no attribute
    of the class.
    """

    if not TYPE_CHECKING:  # mypy would accept any attribute name otherwise

        def __getattr__(self, name: str) -> Any:
            make = self.__dict__.get("_makers", {}).get(name)
            if make is None:
                raise AttributeError(
                    f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
                )
            field = self.__dict__[name] = make()
            return field

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *vars(self).get("_makers", ())})

    def __post_init__(self) -> None:
        """See `dataclasses`."""


def new_result(
    kind: type[_Kind], fields: dict[str, Any], makers: dict[str, Callable[[], Any]]
) -> _Kind:
    """An instance of `kind` with `fields`. `makers` maps the names of further fields to functions
    that compute them at their first use. This function calls ``object.__setattr__`` once; the
    constructor of a frozen dataclass would call it for each field, which takes longer."""
    instance = object.__new__(kind)
    fields["_makers"] = makers
    object.__setattr__(instance, "__dict__", fields)
    instance.__post_init__()
    return instance
