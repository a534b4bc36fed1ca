# SPDX-License-Identifier: BSD-3-Clause
"""Random words by counter: the same in every language, on every device.

`mix` is the output function of splitmix64; word number i of a stream is ``mix(start + i)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.generators.assemble import Index, pattern

Words = npt.NDArray[np.uint64]

COLUMN_ORDER = 77  # where the streams of the permutation of `scattered` start
ROW_ORDER = 99


def mix(words: npt.ArrayLike) -> Words:
    """splitmix64's output function, word by word.

    >>> [hex(word) for word in mix([0, 1])]
    ['0xe220a8397b1dcdaf', '0x910a2dec89025cc1']
    """
    z = np.asarray(words, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def stream(start: int, count: int) -> Words:
    """The words mix(start), mix(start + 1), ..."""
    return mix(np.arange(start, start + count, dtype=np.uint64))


def remainders(words: Words, modulus: int) -> npt.NDArray[np.int64]:
    """Each word modulo `modulus`, as an index."""
    return (words % np.uint64(modulus)).astype(np.int64)


def shuffled(start: int, count: int) -> Index:
    """0 to count - 1 in the order of the low 32 bits of the stream's words."""
    low = (stream(start, count) & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    return np.argsort(low, kind="stable")


def scattered(A: sp.csc_array) -> sp.csc_array:
    """The permutation that the suffix ``+rcp`` asks for: line j becomes line ``shuffled[j]``."""
    C: Any = A.tocoo()
    rows = shuffled(ROW_ORDER, A.shape[0])
    cols = shuffled(COLUMN_ORDER, A.shape[1])
    return pattern(rows[C.row], cols[C.col], A.shape)
