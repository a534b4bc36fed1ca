# SPDX-License-Identifier: BSD-3-Clause
"""The properties that every input is checked for.

==============  =================================================================================
kind            failure
==============  =================================================================================
crash           a signal ended the process (the campaign observes it)
hang            one input took more than 10 seconds of CPU time, or much more wall-clock time (the
                campaign observes it)
exception       an exception outside the documented family
message         the sentence does not begin with the name of the file, has more than one line,
                contains control characters, or is too long
memory          the peak was above 4 times the bytes of the input and the results, plus 64 MB
resource        memory was refused although the declared sizes are small
leak            the memory of the process grows with each input
pattern         an accepted pattern is not canonical
peek            `peek` and `read` disagree
values          `read_matrix` and `read` disagree
parts           `stream_entries` or the reader over MPI ranks disagrees with `read`
vectors         the numbers of a `.npy` file differ from those that NumPy reads
names           the names differ from the lines of the file
place           the entries or the lists of a file differ from those of the plain reader
==============  =================================================================================
"""

from __future__ import annotations

import io
import os
import re
import resource
import sys
import traceback
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from btfperm import _core
from btfperm.errors import ResourceMissingError, UnreadableInputError
from btfperm.io import matrix_market_body, metis, perm_json
from btfperm.reports.perm_arrays import PermArrays
from tests.fuzz import calls, comparisons
from tests.fuzz.draw import Case
from tests.fuzz.outcome import WIDE, Outcome

__all__ = ["HARD_LIMIT", "MARGIN", "Outcome", "base_of_peak", "check", "peak_memory"]
__all__ += ["reset_peak"]

MARGIN = 64 << 20
HARD_LIMIT = 512 << 20
"""The address space that a worker may use in addition to that at its start."""

_FACTOR = 4
_LONGEST_MESSAGE = 300
_SHAPE = re.compile(r"a matrix of shape (\d+) x (\d+) needs")
_METIS_PIECE = metis._PIECE


class _Pipe(io.RawIOBase):
    """Delivers bytes in small pieces and cannot seek, like a pipe."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._rest = memoryview(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        count = min(len(view), len(self._rest), 1 << 15)
        view[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


class _Input:
    """The input as a file, or as standard input for one call at a time."""

    def __init__(self, case: Case, folder: str) -> None:
        self.case = case
        self.path = "-" if case.pipe else f"{folder}/{case.name}"
        self.shown = "standard input" if case.pipe else self.path
        if not case.pipe:
            # A buffered file and a Path cost 20 us.
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            try:
                os.write(file, case.data)
            finally:
                os.close(file)

    @contextmanager
    def opened(self) -> Iterator[str]:
        before = sys.stdin
        if self.case.pipe:
            buffer = io.BufferedReader(_Pipe(self.case.data))
            sys.stdin = SimpleNamespace(buffer=buffer)  # type: ignore[assignment]
        try:
            yield self.path
        finally:
            sys.stdin = before


def reset_peak() -> bool:
    """Resets the peak of resident memory. Returns False if the system cannot."""
    try:
        with open("/proc/self/clear_refs", "wb", buffering=0) as file:  # noqa: PTH123
            file.write(b"5")
    except OSError:
        return False
    return True


def peak_memory() -> int:
    """The peak of resident memory in bytes since `reset_peak`."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def base_of_peak(before: int) -> int:
    """The peak above which the memory of the next input is measured; `before` is the last result, 0
    at first. The peak is reset only if it rose since, because a reset takes long beside the reader
    of a small input. Memory that was freed but that the allocator keeps is returned first: a reader
    that uses it again does not raise the peak."""
    peak = peak_memory()
    if peak > before:
        _core.backends.return_free_memory()
        reset_peak()
        peak = peak_memory()
    return peak


def check(case: Case, folder: str, *, measured: bool = True, base: int = 0) -> Outcome:
    """Runs the readers of one input (`calls.of`) and checks their results.

    With `measured`, the peak of memory is compared with its bound; `base` is the peak before the
    readers run.
    """
    outcome = Outcome()
    source = _Input(case, folder)
    matrix_market_body.BLOCK = case.block
    metis._PIECE = case.block or _METIS_PIECE
    perm_json._LONG = 1 << 10 if case.block is None else 0
    results: dict[str, Any] = {}
    refused: dict[str, Exception] = {}
    for name, call in calls.of(case):
        if name == "read_matrix" and _is_redundant(case, refused):
            continue
        try:
            with source.opened() as path:
                results[name] = call(path)
        except (UnreadableInputError, ResourceMissingError, calls.OtherRowsError) as error:
            _check_message(name, str(error), source.shown, outcome)
            refused[name] = _without_frames(error)
        except Exception as error:
            outcome.failures.append(("exception", _located(name, error)))
            refused[name] = _without_frames(error)
    outcome.accepted = not calls.ACCEPTING.isdisjoint(results)
    if measured:
        _check_memory(case, results, refused, outcome, base)
    _check_refusals(results, refused, outcome)
    if "read" in results:
        comparisons.check_pattern(results["read"], outcome)
        comparisons.check_agreement(results, refused, outcome)
    comparisons.check_parts(results, refused, outcome)
    if "read_vectors" in results:
        comparisons.check_vectors(case, results["read_vectors"], outcome)
    elif "read_names" in results:
        comparisons.check_names(case, results["read_names"], outcome)
    elif outcome.accepted and not outcome.failures:
        comparisons.check_places(case, results, outcome)
    return outcome


def _without_frames(error: Exception) -> Exception:
    """The error, from which its traceback, cause and context are deleted. A traceback holds the
    arrays of the reader, and the frame of `check`, which holds the error: a cycle that only the
    garbage collector would free."""
    error.__traceback__ = error.__context__ = error.__cause__ = None
    return error


def _is_redundant(case: Case, refused: dict[str, Exception]) -> bool:
    """Whether `read_matrix` is left out: `peek` and `read` refused the input with the same message,
    so probably in code that all three share. For one of eight such inputs `read_matrix` is called
    anyway."""
    sentences = {str(error) for error in refused.values()}
    return len(refused) == 2 and len(sentences) == 1 and zlib.crc32(case.data) % 8 > 0


def _located(name: str, error: Exception) -> str:
    """The exception, and the file and function of the last frame of btfperm in its traceback."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if f"{os.sep}btfperm{os.sep}" in frame.filename
    ]
    place = f"{os.path.basename(frames[-1].filename)} {frames[-1].name}" if frames else "?"  # noqa: PTH119
    return f"{name}: {type(error).__name__} in {place} ({str(error)[:100]!r})"


def _check_message(name: str, text: str, shown: str, outcome: Outcome) -> None:
    what = ""
    if not text.startswith(shown):
        what = "does not begin with the name of the file"
    elif not text.isprintable():
        what = "is not printable"
    elif len(text) > len(shown) + _LONGEST_MESSAGE:
        what = f"has more than {_LONGEST_MESSAGE} characters"
    if what:
        outcome.failures.append(("message", f"{name}: the message {what}: {text[:200]!r}"))


def _bytes_of(result: Any) -> int:
    arrays = [getattr(result, name, None) for name in ("indptr", "indices", "row", "col", "data")]
    arrays += [getattr(result, name, None) for name in ("row_perm", "col_perm")]
    if isinstance(result, np.ndarray):
        arrays.append(result)
    if isinstance(result, tuple):
        return sum(map(sys.getsizeof, result))
    if isinstance(result, PermArrays):
        arrays += result.arrays.values()
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


def _check_memory(
    case: Case,
    results: dict[str, Any],
    refused: dict[str, Exception],
    outcome: Outcome,
    base: int,
) -> None:
    used = peak_memory() - base
    bound = MARGIN + _FACTOR * (len(case.data) + sum(map(_bytes_of, results.values())))
    if isinstance(refused.get("read"), ResourceMissingError) and "peek" in results:
        # A pattern needs a pointer for each column; the call may fail after they are allocated.
        bound += _FACTOR * sum(results["peek"].shape)
    outcome.ratio = used / bound
    if used > bound:
        outcome.failures.append(
            ("memory", f"{used >> 20} MB for {len(case.data):,} bytes; {', '.join(results)} accept")
        )


def _check_refusals(
    results: dict[str, Any], refused: dict[str, Exception], outcome: Outcome
) -> None:
    for name, error in refused.items():
        if not isinstance(error, ResourceMissingError):
            continue
        named = _SHAPE.search(str(error))  # `peek` may have refused other parts of the file
        shape = results["peek"].shape if "peek" in results else named.groups() if named else (0, 0)
        if max(map(int, shape)) < WIDE:
            outcome.failures.append(("resource", f"{name}: {str(error)[-120:]}"))
