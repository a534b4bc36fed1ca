# SPDX-License-Identifier: BSD-3-Clause
"""The fuzzed readers, and the input that a reader, a seed and an index determine."""

from __future__ import annotations

import struct
from collections.abc import Callable

from tests.fuzz import (
    arrays,
    harwell_boeing,
    matlab,
    matrix_market,
    metis,
    names,
    npz,
    packed,
    perm,
    tar,
    vectors,
)
from tests.fuzz.draw import Case, Draw

__all__ = ["READERS", "case_of"]

READERS: dict[str, Callable[[Draw], Case]] = {
    "matrix_market": matrix_market.make,
    "harwell_boeing": harwell_boeing.make,
    "matlab": matlab.make,
    "metis": metis.make,
    "npz": npz.make,
    "perm": perm.make,
    "arrays": arrays.make,
    "packed": packed.make,
    "tar": tar.make,
    "vectors": vectors.make,
    "names": names.make,
}


def case_of(reader: str, seed: int, index: int, skip: frozenset[int] = frozenset()) -> Case:
    """The input of this reader, seed and index, without the mutations numbered in `skip`."""
    draw = Draw(reader, seed, index, skip)
    try:
        case = READERS[reader](draw)
    except (struct.error, OverflowError, ValueError, MemoryError) as error:
        # The writers of the fuzzer cannot write the numbers of some combinations of mutations.
        case = Case("", b"", "a.mtx", log=[*draw.log, f"cannot be written: {error}"])
    case.reader = reader
    return case
