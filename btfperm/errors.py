# SPDX-License-Identifier: BSD-3-Clause
"""The exception family of btfperm, and the exit code the command line gives each member.

====  =========================================================================
code  meaning
====  =========================================================================
0     done
1     the matrix is singular, a check failed, or a limit ended the search
2     wrong usage
3     unreadable input
4     a backend, memory, disk space or an optional package is missing, or an older file must stay
70    a defect of btfperm
129   ended by SIGHUP
130   interrupted (Ctrl-C)
143   ended by SIGTERM
====  =========================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from btfperm.printable import one_line

if TYPE_CHECKING:
    from btfperm.diagnosis import Diagnosis
    from btfperm.results import DulmageMendelsohn

__all__ = [
    "BackendUnavailableError",
    "BackendWarning",
    "BlockTooLargeError",
    "BtfpermError",
    "CheckFailedError",
    "DefectError",
    "DefectWarning",
    "IllConditionedWarning",
    "InitialMatchingWarning",
    "InvalidArgumentError",
    "InvalidMatrixError",
    "LargeMatrixWarning",
    "LimitReachedError",
    "NumericallySingularError",
    "ResourceMissingError",
    "SolverMissingWarning",
    "StoredZerosWarning",
    "StructurallySingularError",
    "UnorderedBlocksWarning",
    "UnreadableInputError",
]


class BtfpermError(Exception):
    """Base class of the exceptions of btfperm; the text is written for people.

    The text may quote a file. ``str`` gives it printable and of bounded length (see
    `btfperm.printable`), on one line unless the error is a failed assertion; ``args`` holds the
    text as it was raised.
    """

    exit_code = 4

    def __str__(self) -> str:
        return one_line(super().__str__())


class InvalidArgumentError(BtfpermError, ValueError):
    """A parameter has a value that is not possible: an unknown algorithm, a negative limit."""

    exit_code = 2


class UnreadableInputError(BtfpermError, ValueError):
    """A file cannot be opened, is not a matrix file (or not a permutation file), is truncated, or
    contradicts itself.

    The message names the file and, if one line is at fault, the number of this line.
    """

    exit_code = 3


class InvalidMatrixError(UnreadableInputError):
    """The matrix is not valid, or not of the kind that the function needs: for example, it
    has no values, or a graph is not symmetric. The message names a file only if there is one."""


class CheckFailedError(BtfpermError):
    """A result does not fit its matrix: what `btfperm check` reports."""

    exit_code = 1


class DefectError(BtfpermError, RuntimeError):
    """A result of btfperm failed its check, and no other attempt succeeded or was possible. Please
    report it with the matrix."""

    exit_code = 70


class DefectWarning(RuntimeWarning):
    """A matching failed its certificate, and the result comes from a second search. Please report
    it with the matrix."""


class _ReportError(CheckFailedError, AssertionError):
    """A failed assertion, whose text may have several lines; the first argument is the text."""

    def __str__(self) -> str:
        return "\n".join(map(one_line, str(self.args[0]).splitlines()))


class StructurallySingularError(_ReportError):
    """Raised by :mod:`btfperm.testing` when a matrix is not square or not of full structural rank,
    and by `preorder` for a square matrix that is structurally singular. The attribute `diagnosis`
    holds the result of `btfperm.diagnose`, which the message describes; it is None if the matrix is
    singular only without its stored zeros."""

    def __init__(self, text: str, diagnosis: Diagnosis | None = None) -> None:
        super().__init__(text, diagnosis)
        self.diagnosis = diagnosis


class BlockTooLargeError(_ReportError):
    """Raised by :mod:`btfperm.testing` when fine blocks are larger than allowed. The message
    has one line for each of the largest blocks. The attribute `decomposition` holds the
    `DulmageMendelsohn` with these blocks."""

    def __init__(self, text: str, decomposition: DulmageMendelsohn | None = None) -> None:
        super().__init__(text, decomposition)
        self.decomposition = decomposition


class LimitReachedError(BtfpermError):
    """A limit ended the search before the requested result was known.

    ``rank_bounds`` holds (lower, upper) bounds of the structural rank.
    """

    exit_code = 1

    def __init__(self, text: str, rank_bounds: tuple[int, int]) -> None:
        super().__init__(text, rank_bounds)
        self.rank_bounds = rank_bounds

    def __str__(self) -> str:
        return one_line(str(self.args[0]))


class NumericallySingularError(CheckFailedError, ArithmeticError):
    """Raised when a factorization meets a zero pivot: the matrix is numerically singular.

    The message names rows and columns of the caller's matrix. KLU reports the column whose pivot
    is zero, which is a linear combination of columns before it in its diagonal block; the row is
    the one matched to it. For SuperLU, btfperm names the columns of a diagonal block that are
    linearly dependent, and the rows: some linear combination of them, in which none has the
    coefficient zero, is zero in that block up to rounding errors. If there are many, those with the
    largest coefficients are named, each divided by its largest entry.
    """


class BackendUnavailableError(BtfpermError, RuntimeError):
    """A backend that the caller requested, by its name or by an algorithm that only it has, does
    not work on this machine or cannot process this matrix, for example for lack of memory; or the
    GPU that holds the matrix cannot be used."""


class BackendWarning(RuntimeWarning):
    """A backend did not work, and the CPU computed the result, or a part of it; or the system
    refused some of the threads."""


class ResourceMissingError(BtfpermError, OSError):
    """The disk is full, a target is not writable or must not be replaced, there is not enough
    memory, an optional package is missing, or another MPI rank failed without a report."""


class InitialMatchingWarning(UserWarning):
    """More than half of the pairs of a matching given as ``initial=`` do not fit the matrix. The
    search drops these pairs and starts from the others."""


class LargeMatrixWarning(UserWarning):
    """The rows and columns of a matrix need a large part of the free memory, whatever its number
    of entries; issued before the memory is allocated."""


class IllConditionedWarning(UserWarning):
    """Few digits of a solution are right, because the matrix is nearly singular."""


class SolverMissingWarning(UserWarning):
    """The solver that was requested is not installed, and another one is used."""


class UnorderedBlocksWarning(UserWarning):
    """The permutations for a solver have no order against fill inside the diagonal blocks, because
    the decomposition does not hold its matrix, as one that was read from a file. L and U may have
    many times the entries that an order inside the blocks would give."""


class StoredZerosWarning(UserWarning):
    """Entries stored with the value zero: how many, and whether they change the rank.

    ``other_rank`` is the structural rank without them, or with them if they were dropped; None if
    a limit ended the search before it was known.
    """

    def __init__(self, text: str, other_rank: int | None = None) -> None:
        super().__init__(text)
        self.other_rank = other_rank

    def __str__(self) -> str:
        return one_line(super().__str__())
