# SPDX-License-Identifier: BSD-3-Clause
"""Copies of results on the host, and whole copies of distributed results on each MPI rank."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from btfperm.backends import host_array

__all__ = ["copied_to_host", "gathered"]

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Result = TypeVar("_Result", bound="DataclassInstance")


class _Part(Protocol):
    """A field whose value has arrays of its own, such as the pattern."""

    def on_host(self) -> Any: ...


def copied_to_host(
    result: _Result, arrays: Collection[str], parts: Collection[str] = ()
) -> _Result:
    """A copy of the result whose fields `arrays` and `parts` are on the host; the result itself if
    none of the fields `arrays` is on a device."""
    fields = vars(result)
    here = {name: host_array(value) for name, value in fields.items() if name in arrays}
    if all(fields[name] is array for name, array in here.items()):
        return result
    for name in parts:
        part: _Part | None = fields[name]
        here[name] = None if part is None else part.on_host()
    return replace(result, **here)


def gathered(result: Any) -> Any:
    """The whole result on each rank for a distributed transversal, weighted transversal or
    decomposition; this is collective. A result of one process is returned unchanged."""
    return result.gather() if result.is_distributed else result
