# SPDX-License-Identifier: BSD-3-Clause
"""Whether standard output holds a file, from a command line that is not parsed yet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

__all__ = ["stdout_is_taken"]


def stdout_is_taken(words: Sequence[str]) -> bool:
    """Whether standard output holds a file (``-o -``, ``convert A.mtx -``), so that
    messages must go to stderr.

    >>> stdout_is_taken(["A.mtx", "-o", "-"]), stdout_is_taken(["convert", "-", "A.mtx"])
    (True, False)
    """
    pairs = list(pairwise(["", *words]))
    if "convert" in words:  # its last word is OUT
        valued = ("--permute", "--format")
        names = [
            word
            for before, word in pairs
            if before not in valued and (word == "-" or not word.startswith("-"))
        ]
        return names[-1:] == ["-"]
    spelt = {"-o-", "--output=-"} & set(words)
    return bool(spelt) or any(pair in (("-o", "-"), ("--output", "-")) for pair in pairs)
