# SPDX-License-Identifier: BSD-3-Clause
"""Makes a failing input smaller: first fewer mutations, then fewer bytes."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

from tests.fuzz.draw import Case
from tests.fuzz.readers import case_of

__all__ = ["reduced"]


def reduced(
    case: Case, seed: int, index: int, fails: Callable[[Case], bool], seconds: float
) -> Case:
    """A smaller input for which `fails` still holds, found within about `seconds`.

    Bytes are removed in pieces of half the input, then of a quarter, and so on. A packed input
    with a checksum hardly shrinks in this way, but its list of mutations does.
    """
    deadline = time.monotonic() + seconds
    case = _fewer_mutations(case, seed, index, fails, deadline)
    size = len(case.data) // 2
    while size >= 1 and time.monotonic() < deadline:
        at = 0
        while at < len(case.data) and time.monotonic() < deadline:
            shorter = dataclasses.replace(case, data=case.data[:at] + case.data[at + size :])
            if fails(shorter):
                case = shorter
            else:
                at += size
        size //= 2
    return case


def _fewer_mutations(
    case: Case, seed: int, index: int, fails: Callable[[Case], bool], deadline: float
) -> Case:
    skip: frozenset[int] = frozenset()
    numbers = [int(line.split()[0]) for line in case.log if line.split()[0].isdecimal()]
    for number in numbers:
        if time.monotonic() > deadline:
            break
        fewer = case_of(case.reader, seed, index, skip | {number})
        if fails(fewer):
            case, skip = fewer, skip | {number}
    return case
