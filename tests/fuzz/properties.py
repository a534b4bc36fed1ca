# SPDX-License-Identifier: BSD-3-Clause
"""The properties that every input is checked for.

==============  =================================================================================
kind            failure
==============  =================================================================================
crash           a signal ended the process (the campaign observes it)
hang            one input took more than 10 seconds (the campaign observes it)
exception       an exception outside the documented family
message         the sentence does not begin with the name of the file, has more than one line,
                contains control characters, or is too long
memory          the peak was above 4 times the bytes read and of the result, plus 64 MB
resource        memory was refused although the declared sizes are small
leak            the memory of the process grows with each input
pattern         an accepted pattern is not canonical
peek            `peek` and `read` disagree
values          `read_matrix` and `read` disagree
parts           `stream_entries` and `read` disagree
names           the names differ from the lines of the file
place           the positions of the entries differ from those of the plain reader
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import btfperm.io
from btfperm.diagnosis.names import checked_names
from btfperm.errors import InvalidArgumentError, ResourceMissingError, UnreadableInputError
from btfperm.io import matrix_market_body, metis, perm_json, read_mpi
from btfperm.io.header import Header
from btfperm.io.vectors import read_vectors
from btfperm.pattern import Pattern
from btfperm.reports.perm_arrays import OURS, PermArrays, read_arrays
from btfperm.reports.verify import verify
from btfperm.reports.verify.scalings import SCALES
from tests.fuzz import names, oracles, vectors
from tests.fuzz.draw import Case

__all__ = ["HARD_LIMIT", "MARGIN", "Outcome", "base_of_peak", "check", "peak_memory"]
__all__ += ["reset_peak"]

MARGIN = 64 << 20
HARD_LIMIT = 512 << 20
"""The address space that a worker may use in addition to that at its start."""

_FACTOR = 4
_LONGEST_MESSAGE = 400
_WIDE = 1 << 20  # with at least this number of rows or columns, memory may be refused
_SHAPE = re.compile(r"a matrix of shape (\d+) x (\d+) needs")
_METIS_PIECE = metis._PIECE
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Outcome:
    """The failures of an input; `ratio` is the peak memory divided by its bound."""

    accepted: bool = False
    failures: list[tuple[str, str]] = field(default_factory=list)
    ratio: float = 0.0


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
    """The peak above which the memory of the next input is measured; `before` is the last result,
    0 at first. The peak is reset only if it rose since, because a reset costs as much as a third of
    a small reader."""
    peak = peak_memory()
    if peak > before:
        reset_peak()
        peak = peak_memory()
    return peak


def check(case: Case, folder: str, *, measured: bool = True, base: int = 0) -> Outcome:
    """Runs all entry points on one input.

    With `measured`, the peak of memory is compared with its bound; `base` is the peak before.
    """
    outcome = Outcome()
    source = _Input(case, folder)
    matrix_market_body.BLOCK = case.block
    metis._PIECE = case.block or _METIS_PIECE
    perm_json._LONG = 1 << 10 if case.block is None else 0
    results: dict[str, Any] = {}
    calls: tuple[tuple[str, Callable[[str], Any]], ...] = (
        ("peek", btfperm.io.peek),
        ("read", btfperm.io.read),
        ("read_matrix", btfperm.io.read_matrix),
    )
    for start, only in _OTHER_CALLS.items():
        if case.name.startswith(start):
            calls = (only,)
    if case.reader in _IN_PARTS and zlib.crc32(case.data) % 4 == 0:
        calls += (("stream_entries", _read_in_parts),)
    if case.reader == "matrix_market" and not case.pipe and zlib.crc32(case.data) % 4 == 1:
        calls += (("read_ranges", _read_ranges),)
    refused: dict[str, Exception] = {}
    for name, call in calls:
        if name == "read_matrix" and _is_redundant(case, refused):
            continue
        try:
            with source.opened() as path:
                results[name] = call(path)
        except (UnreadableInputError, ResourceMissingError, _OtherRowsError) as error:
            refused[name] = error
            _check_message(name, str(error), source.shown, outcome)
        except Exception as error:
            refused[name] = error
            outcome.failures.append(("exception", _located(name, error)))
    outcome.accepted = not {"read", *(name for name, _ in _OTHER_CALLS.values())}.isdisjoint(
        results
    )
    if measured:
        _check_memory(case, results, refused, outcome, base)
    _check_refusals(results, refused, outcome)
    if "read" in results:
        _check_pattern(results["read"], outcome)
        _check_agreement(results, refused, outcome)
    _check_parts(results, refused, outcome)
    if "read_vectors" in results:
        _check_vectors(case, results["read_vectors"], outcome)
    elif "read_names" in results:
        _check_names(case, results["read_names"], outcome)
    elif outcome.accepted and not outcome.failures:
        _check_places(case, results, outcome)
    # A traceback holds the frame of this function: an error in a variable would be a cycle, which
    # only the garbage collector frees.
    refused.clear()
    return outcome


def _is_redundant(case: Case, refused: dict[str, Exception]) -> bool:
    """Whether `read_matrix` is left out: `peek` and `read` refused the input at the same place, in
    the parts that all three share. One such input of eight is read in any case."""
    sentences = {str(error) for error in refused.values()}
    return len(refused) == 2 and len(sentences) == 1 and zlib.crc32(case.data) % 8 > 0


class _OtherRowsError(Exception):
    """The file holds vectors of another length, or another number of names."""


def _read_vectors(path: str) -> Any:
    try:
        array = read_vectors(path, rows=vectors.ROWS, of="the matrix")
    except InvalidArgumentError as error:
        raise _OtherRowsError(str(error).removeprefix("the right-hand side ")) from None
    if array.ndim not in (1, 2) or array.shape[0] != vectors.ROWS or array.dtype.kind not in "iufc":
        raise AssertionError(f"{array.dtype} of shape {array.shape}")
    return array


def _read_names(path: str) -> Any:
    try:
        found = checked_names("-" if path == "-" else Path(path), names.COUNT, "row")
    except InvalidArgumentError as error:
        text = str(error)
        raise _OtherRowsError(f"standard input{text[1:]}" if path == "-" else text) from None
    assert found is not None
    if len(found) != names.COUNT or not all(found):
        raise AssertionError(f"{len(found)} names, some of them empty")
    return found


def _read_arrays(path: str) -> Any:
    """What `btfperm check` reads; the verifier must survive it."""
    file = read_arrays(path)
    pattern = _SUBJECTS[len(file.arrays) % 2]
    weighted = "weights" in file.meta or not {*SCALES}.isdisjoint(file.arrays)
    values = np.ones(pattern.nnz) if weighted else None
    options = {"kind": file.kind, "canonical": file.convention == OURS, "names": file.names}
    verdict = verify(pattern, file.arrays, **options, missing=file.missing, values=values)
    if verdict.ok == bool(verdict.violations):
        raise AssertionError("the verdict does not agree with its violations")
    return file


def _read_in_parts(path: str) -> Any:
    """The entries that `stream_entries` hands out, in parts of some lines."""
    rows: list[int] = []
    cols: list[int] = []

    def take(some_rows: Any, some_cols: Any, values: Any) -> None:
        rows.extend(some_rows.tolist())
        cols.extend(some_cols.tolist())
        if values is not None and len(values) != len(some_rows):
            raise AssertionError(f"{len(values)} values for {len(some_rows)} entries")

    header, _ = btfperm.io.stream_entries(path, take, _PART)
    return SimpleNamespace(row=np.array(rows), col=np.array(cols), header=header)


class _CountedError(Exception):
    """The numbers that a rank sends to all others."""


def _read_ranges(path: str) -> Any:
    """The entries of a file that `_RANKS` ranks of MPI read, one after the other in this process.
    None if they do not read their own ranges."""
    found = read_mpi._opened(path, True)
    if found["how"] != "ranges":
        return None
    header = Header(**{**found["header"], "shape": tuple(found["header"]["shape"])})
    table: list[tuple[int, ...]] = []

    def from_all(*numbers: int) -> Any:
        if len(table) < _RANKS:
            raise _CountedError(numbers)
        return np.array(table)

    def entries(rank: int) -> list[Any]:
        exchange: Any = SimpleNamespace(rank=rank, size=_RANKS, from_all=from_all)
        places = found["line"], found["at"]
        return read_mpi._read_range(exchange, Path(path), header, *places, False)

    for rank in range(_RANKS):
        try:
            entries(rank)
        except _CountedError as counted:
            table.append(counted.args[0])
    rows, cols = (np.concatenate(part) for part in zip(*map(entries, range(_RANKS)), strict=True))
    return SimpleNamespace(row=rows, col=cols, header=header)


_RANKS = 3

_SUBJECTS = (
    Pattern.from_coo([0, 1, 2, 2, 4, 3], [1, 2, 0, 2, 0, 3], (5, 4)),
    Pattern.from_coo([0, 1, 2, 2], [0, 1, 2, 0], (3, 3)),
)
"""The matrices that permutations are verified against, whatever their shape."""

_OTHER_CALLS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "perm": ("load", lambda path: btfperm.io.load(path)),
    "vectors": ("read_vectors", _read_vectors),
    "names": ("read_names", _read_names),
    "arrays": ("read_arrays", _read_arrays),
}
"""The reader of the inputs whose file name begins in this way."""

_BEYOND = (1 << 63) - 1
_IN_PARTS = ("matrix_market", "metis")
_PART = 64  # bytes


def _located(name: str, error: Exception) -> str:
    """The exception, and the last line of btfperm in its traceback."""
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
        # A pattern needs a place for each column; the limit may end the call after they are made.
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
        if max(map(int, shape)) < _WIDE:
            outcome.failures.append(("resource", f"{name}: {str(error)[-120:]}"))


def _check_pattern(pattern: Any, outcome: Outcome) -> None:
    (m, n), indptr, indices = pattern.shape, pattern.indptr, pattern.indices
    legal = indptr.size == n + 1 and indptr[0] == 0 and indptr[-1] == indices.size
    legal = legal and (n > _WIDE or bool((np.diff(indptr) >= 0).all()))
    if legal and indices.size:
        legal = bool(indices.min() >= 0 and indices.max() < m)
        falls = np.flatnonzero(np.diff(indices) <= 0) + 1  # allowed at the start of a column
        at = np.searchsorted(indptr, falls.astype(indptr.dtype))  # a cast of indptr takes memory
        legal = legal and bool((indptr[at] == falls).all())
    if not legal:
        outcome.failures.append(("pattern", f"{m} x {n} is not canonical"))


def _places(pattern: Any) -> set[tuple[int, int]]:
    indptr, indices = pattern.indptr, pattern.indices
    # `pattern.cols()` would need memory for each column, and there may be many with few entries.
    cols = np.searchsorted(indptr, np.arange(indices.size, dtype=indptr.dtype), side="right") - 1
    return set(zip(indices.tolist(), cols.tolist(), strict=True))


def _check_agreement(
    results: dict[str, Any], refused: dict[str, Exception], outcome: Outcome
) -> None:
    pattern, header, matrix = results["read"], results.get("peek"), results.get("read_matrix")
    if header is None:
        outcome.failures.append(("peek", f"read accepts, peek does not: {refused['peek']}"))
    elif tuple(header.shape) != pattern.shape:
        outcome.failures.append(("peek", f"{header.shape}, but read has {pattern.shape}"))
    if matrix is None:
        error = refused["read_matrix"]
        # Values of an integer file must be 64-bit integers; positions need no values.
        excused = header is not None and header.field == "integer"
        if not (isinstance(error, ResourceMissingError) or excused):
            outcome.failures.append(("values", f"read accepts, read_matrix does not: {error}"))
        return
    if matrix.shape != pattern.shape:
        outcome.failures.append(("values", f"{matrix.shape}, but read has {pattern.shape}"))
    elif matrix.nnz <= oracles.LARGEST:
        there = set(zip(matrix.row.tolist(), matrix.col.tolist(), strict=True))
        if there != _places(pattern):
            outcome.failures.append(("values", f"{len(there)} positions, read has {pattern.nnz}"))
        if header is not None and header.layout not in ("array", "dia"):
            min_entries = header.entries or 0
            max_entries = min_entries if header.symmetry == "general" else 2 * min_entries
            if not min_entries <= matrix.nnz <= max_entries:
                what = f"{header.entries} entries, but {matrix.nnz} are read"
                outcome.failures.append(("peek", what))


def _check_vectors(case: Case, array: Any, outcome: Outcome) -> None:
    """The numbers of a `.npy` file are those that NumPy reads."""
    if not case.data.startswith(b"\x93NUMPY"):
        return
    try:
        expected = np.load(io.BytesIO(case.data), allow_pickle=False)
    except Exception as error:
        outcome.failures.append(("vectors", f"NumPy refuses them: {error}"))
        return
    if not (array.dtype == expected.dtype and np.array_equal(array, expected, equal_nan=True)):
        outcome.failures.append(("vectors", f"{array!r:.80} instead of {expected!r:.80}"))


def _check_arrays(case: Case, file: Any, outcome: Outcome) -> None:
    """The lists of a file of btfperm or PETSc are those that a plain reader finds."""
    if len(case.data) > oracles.LARGEST:
        return
    if file.convention != OURS and not oracles.is_petsc(case.data):
        return
    try:
        expected = oracles.lists(case.data)
    except Exception as error:
        outcome.failures.append(("place", f"the plain reader refuses it: {error}"))
        return
    for name, numbers in expected.items():
        array = file.arrays.get(name)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
            continue
        if array.ravel().tolist() != numbers:
            what = f"{name} is {array.ravel().tolist()[:6]}, the file has {numbers[:6]}"
            outcome.failures.append(("place", what))


def _check_names(case: Case, found: tuple[str, ...], outcome: Outcome) -> None:
    """The names are the lines of the text, without white space at their ends."""
    data = oracles.unpacked(case.data, None)
    if data is None:
        return
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        outcome.failures.append(("names", f"the text is refused: {error}"))
        return
    expected = [line.strip() for line in text.removesuffix("\n").split("\n")]
    if list(found) != expected:
        outcome.failures.append(("names", f"{found!r:.80} instead of {expected!r:.80}"))


def _check_parts(results: dict[str, Any], refused: dict[str, Exception], outcome: Outcome) -> None:
    """The readers in parts accept what `read` accepts, with the same entries, and nothing else."""
    for name in ("stream_entries", "read_ranges"):
        entries, error = results.get(name), refused.get(name)
        # A pattern has a pointer behind its last column, which the readers in parts do not need.
        has_pattern = entries is not None and max(entries.header.shape) < _BEYOND
        if has_pattern and isinstance(refused.get("read"), UnreadableInputError):
            what = f"{name} accepts, read does not: {refused['read']}"
            outcome.failures.append(("parts", what))
        if "read" not in results:
            continue
        header = results.get("peek")
        if error is not None and header is not None:
            has_no_parts = header.layout == "array" or header.field == "integer"
            if not (has_no_parts or isinstance(error, ResourceMissingError)):
                outcome.failures.append(("parts", f"read accepts, {name} does not: {error}"))
        pattern = results["read"]
        if entries is None or pattern.nnz > oracles.LARGEST:
            continue
        found = set(zip(entries.row.tolist(), entries.col.tolist(), strict=True))
        if entries.header.symmetry != "general":
            found |= {(j, i) for i, j in found}
        if found != _places(pattern):
            what = f"{name} has {len(found)} positions, read has {pattern.nnz}"
            outcome.failures.append(("parts", what))


def _check_places(case: Case, results: dict[str, Any], outcome: Outcome) -> None:
    if "read_arrays" in results:
        _check_arrays(case, results["read_arrays"], outcome)
        return
    result = results["read"] if "read" in results else results["load"]
    member = result.source.get("member") if "read" in results else None
    data = oracles.unpacked(case.data, member if ".tar" in case.name else None)
    if data is None:
        return
    try:
        if "load" in results:
            expected = oracles.fields(data)
            wrong = [
                name
                for name, numbers in expected.items()
                if isinstance(getattr(result, name, None), np.ndarray)
                and np.ravel(getattr(result, name)).tolist() != list(map(int, numbers))
            ]
            what = f"{', '.join(wrong)} differ from the file" if wrong else ""
        else:
            there, here = oracles.places(data, case.name), _places(result)
            what = ""
            if there is not None and there != here:
                what = f"read has {sorted(here)[:6]}, the file has {sorted(there)[:6]}"
    except Exception as error:  # a reader should refuse every input that a plain reader cannot read
        what = f"the plain reader refuses it: {type(error).__name__}: {error}"
    if what:
        outcome.failures.append(("place", what))
