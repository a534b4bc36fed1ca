# SPDX-License-Identifier: BSD-3-Clause
"""Converts errors to plain data and back, so that all ranks can raise the error of one rank."""

from __future__ import annotations

from typing import Any

from btfperm import errors

__all__ = ["described", "rebuilt"]


def described(failure: BaseException) -> tuple[str, str, list[Any]]:
    """An error as plain data: its class, its text, and the other arguments of its constructor."""
    bounds = getattr(failure, "rank_bounds", None)
    return type(failure).__name__, str(failure), [list(bounds)] if bounds else []


def rebuilt(name: str, text: str, more: list[Any]) -> BaseException:
    """The error of another rank, from what `described` returned there."""
    if name == "KeyboardInterrupt":
        return KeyboardInterrupt()
    if name == "MemoryError":
        return MemoryError(text)
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, errors.BtfpermError):
        return kind(text, *map(tuple, more))
    return RuntimeError(f"another rank failed: {name}: {text}")
