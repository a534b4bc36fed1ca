# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions and warnings of btfperm, and the exit code of the command line for each exception.

====  =========================================================================
code  meaning
====  =========================================================================
0     done
1     the matrix is singular, a check failed, or a limit ended the search
2     wrong usage
3     unreadable input
4     a backend, memory, disk space or a package is missing, or a file must not be replaced
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
    """Base class of the exceptions of btfperm.

    The text is written for people and may quote a file. ``str`` returns it with printable
    characters only and with bounded length (see `btfperm.printable`), on one line unless the error
    is a failed assertion. ``args`` holds the unchanged text.
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
    """A result does not fit its matrix. `btfperm check` reports this error."""

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

    ``rank_bounds`` holds (lower, upper) bounds on the structural rank.
    """

    exit_code = 1

    def __init__(self, text: str, rank_bounds: tuple[int, int]) -> None:
        super().__init__(text, rank_bounds)
        self.rank_bounds = rank_bounds

    def __str__(self) -> str:
        return one_line(str(self.args[0]))


class NumericallySingularError(CheckFailedError, ArithmeticError):
    """Raised when a factorization finds a zero pivot: the matrix is numerically singular.

    The message names rows and columns of the caller's matrix. With KLU, these are the column whose
    pivot is zero, and its matched row; the column is a linear combination of columns before it in
    its diagonal block. With SuperLU, these are linearly dependent columns of a diagonal block, and
    linearly dependent rows: some linear combination of them without zero coefficients is zero in
    the block, up to rounding errors. If there are many, the message names the rows and columns with
    the largest coefficients, where each row and column was first divided by its largest entry.
    """


class BackendUnavailableError(BtfpermError, RuntimeError):
    """A requested backend does not work on this machine, or cannot process this matrix, for example
    because it has too little memory; or the GPU that holds the matrix cannot be used. The caller
    requests a backend by its name or by an algorithm that only this backend has."""


class BackendWarning(RuntimeWarning):
    """A backend did not work, and the CPU computed the result or a part of it; or the system
    refused to start some of the threads."""


class ResourceMissingError(BtfpermError, OSError):
    """The disk is full, a target is not writable or must not be replaced, there is not enough
    memory, an optional package is missing, or another MPI rank failed without a report."""


class InitialMatchingWarning(UserWarning):
    """More than half of the pairs of a matching given as ``initial=`` do not fit the matrix. The
    search drops these pairs and starts from the others."""


class LargeMatrixWarning(UserWarning):
    """Arrays with a number for each row and column of a matrix need a large part of the free
    memory, whatever the number of entries. Issued before this memory is allocated."""


class IllConditionedWarning(UserWarning):
    """Few digits of a solution are correct, because the matrix is nearly singular."""


class SolverMissingWarning(UserWarning):
    """The solver that was requested is not installed, or the libklu that the environment variable
    ``BTFPERM_LIBKLU`` names does not work, and another solver or library is used."""


class UnorderedBlocksWarning(UserWarning):
    """The permutations for a solver have no fill-reducing order inside the diagonal blocks, because
    the decomposition does not hold its matrix, for example after it was read from a file. L and U
    may have many times as many entries as with a fill-reducing order."""


class StoredZerosWarning(UserWarning):
    """Reports the number of entries that are stored with the value zero, and whether they change
    the rank.

    ``other_rank`` is the structural rank without these entries, or with them if they were dropped;
    None if a limit ended the search before this rank was known.
    """

    def __init__(self, text: str, other_rank: int | None = None) -> None:
        super().__init__(text)
        self.other_rank = other_rank

    def __str__(self) -> str:
        return one_line(super().__str__())
