# SPDX-License-Identifier: BSD-3-Clause
"""The exception family of btfperm, and the exit code the command line gives each member.

====  =========================================================================
code  meaning
====  =========================================================================
0     done
1     the matrix, or the permutation, failed the check that was asked for; or a limit came first
2     wrong usage
3     unreadable input
4     a backend or a resource (memory, disk, device) is missing
70    a defect of btfperm
130   interrupted (Ctrl-C)
====  =========================================================================
"""

from __future__ import annotations

__all__ = [
    "BackendUnavailableError",
    "BackendWarning",
    "BlockTooLargeError",
    "BtfpermError",
    "CheckFailedError",
    "DefectError",
    "DefectWarning",
    "InvalidArgumentError",
    "InvalidMatrixError",
    "LargeMatrixWarning",
    "LimitReachedError",
    "NumericallySingularError",
    "ResourceMissingError",
    "StoredZerosWarning",
    "StructurallySingularError",
    "UnreadableInputError",
]


class BtfpermError(Exception):
    """Base of everything btfperm raises on purpose; its text is one sentence for people."""

    exit_code = 4


class InvalidArgumentError(BtfpermError, ValueError):
    """A parameter has a value that is not possible: an unknown algorithm, a negative limit."""

    exit_code = 2


class UnreadableInputError(BtfpermError, ValueError):
    """A file is no matrix (or no permutation file), truncated, or contradicts itself.

    The text names the file and, where there is one, the line.
    """

    exit_code = 3


class InvalidMatrixError(UnreadableInputError):
    """Arrays that were handed over do not describe a sparse matrix."""


class CheckFailedError(BtfpermError):
    """A result does not fit its matrix: what `btfperm check` reports."""

    exit_code = 1


class DefectError(BtfpermError, RuntimeError):
    """An answer of btfperm failed its own proof, and so did the second attempt: please report it
    with the matrix."""

    exit_code = 70


class DefectWarning(RuntimeWarning):
    """An answer of btfperm failed its own proof; another algorithm gave the one that was handed
    out. Please report it with the matrix."""


class StructurallySingularError(CheckFailedError, AssertionError):
    """Raised by :mod:`btfperm.testing` when a matrix has not the structural rank asked for."""


class BlockTooLargeError(CheckFailedError, AssertionError):
    """Raised by :mod:`btfperm.testing` when a fine block is larger than allowed."""


class LimitReachedError(BtfpermError):
    """A limit ended the search before what was asked for was known.

    ``rank_bounds`` is what is known: (lower, upper) bounds of the structural rank.
    """

    exit_code = 1

    def __init__(self, text: str, rank_bounds: tuple[int, int]) -> None:
        super().__init__(text, rank_bounds)
        self.rank_bounds = rank_bounds

    def __str__(self) -> str:
        return str(self.args[0])


class NumericallySingularError(CheckFailedError, ArithmeticError):
    """Raised when a factorization meets a zero pivot: the structure is nonsingular, the values
    are not."""


class BackendUnavailableError(BtfpermError, RuntimeError):
    """A backend was asked for, by its name or by that of an algorithm that only it has, and does
    not work on this machine, or has not the memory for this matrix."""


class BackendWarning(RuntimeWarning):
    """A backend that ``"auto"`` took did not work; another one gave the answer."""


class ResourceMissingError(BtfpermError, OSError):
    """The disk is full, the target is not writable, memory or a device ran out."""


class LargeMatrixWarning(UserWarning):
    """The rows and columns of a matrix need a large part of the free memory, whatever its number
    of entries; issued before the memory is allocated."""


class StoredZerosWarning(UserWarning):
    """Entries stored with the value zero: how many, and whether they change the rank.

    ``other_rank`` is the structural rank without them, or with them where they were dropped; None
    when a limit kept it unknown.
    """

    def __init__(self, text: str, other_rank: int | None = None) -> None:
        super().__init__(text)
        self.other_rank = other_rank
