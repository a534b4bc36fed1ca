# SPDX-License-Identifier: BSD-3-Clause
"""KLU's status numbers."""

from __future__ import annotations

__all__ = ["checked_status"]

_OUT_OF_MEMORY, _TOO_LARGE = -2, -4


def checked_status(status: int) -> int:
    """0 if a function of KLU succeeded, 1 if a pivot is zero.

    Raises
    ------
    MemoryError, OverflowError : not enough memory; more entries than the index type can count
    RuntimeError : KLU refuses its arguments, which is a defect of the caller
    """
    if status >= 0:
        return status
    if status == _OUT_OF_MEMORY:
        raise MemoryError
    if status == _TOO_LARGE:
        raise OverflowError
    raise RuntimeError(f"KLU refuses its arguments (status {status})")
