# SPDX-License-Identifier: BSD-3-Clause
"""Random words by counter: the same in every language, and in NumPy as in CuPy.

`mix` is the output function of splitmix64; word number i of a stream is ``mix(start + i)``. The
parameter `xp` of this package's functions is the module that makes the arrays: NumPy or CuPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

COLUMN_ORDER = 77  # first counters of the permutation that the suffix +rcp asks for
ROW_ORDER = 99


def mix(words: Any) -> Any:
    """The output function of splitmix64, word by word.

    >>> [hex(word) for word in mix([0, 1])]
    ['0xe220a8397b1dcdaf', '0x910a2dec89025cc1']
    """
    words = np.asarray(words) if isinstance(words, list) else words
    z = words.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def stream(xp: Any, start: int, count: int) -> Any:
    """The words mix(start), mix(start + 1), ..."""
    return mix(xp.arange(start, start + count, dtype=np.uint64))


def below(words: Any, bound: Any) -> Any:
    """Each word modulo `bound`, or modulo its own bound, as an index."""
    modulus = np.uint64(bound) if isinstance(bound, int) else bound.astype(np.uint64)
    return (words % modulus).astype(np.int64)


def shuffled(xp: Any, start: int, count: int) -> Any:
    """0 to count - 1 in the order of the low 32 bits of the words of a stream."""
    low = (stream(xp, start, count) & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    return xp.argsort(low, kind="stable")
