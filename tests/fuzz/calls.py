# SPDX-License-Identifier: BSD-3-Clause
"""The readers that the fuzzer calls: those of matrices, of permutations and of other files."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import btfperm.io
from btfperm.diagnosis.names import checked_names
from btfperm.errors import InvalidArgumentError
from btfperm.io import read_mpi
from btfperm.io.header import Header
from btfperm.io.vectors import read_vectors
from btfperm.pattern import Pattern
from btfperm.reports.perm_arrays import OURS, read_arrays
from btfperm.reports.verify import verify
from btfperm.reports.verify.scalings import SCALES
from tests.fuzz import names, oracles, vectors
from tests.fuzz.draw import Case

__all__ = ["ACCEPTING", "OtherRowsError", "of"]

Call = tuple[str, Callable[[str], Any]]
"""The name of a reader, and a function that calls it with a path."""


def of(case: Case) -> tuple[Call, ...]:
    """The calls of one input, in this order."""
    calls: tuple[Call, ...] = (
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
    return calls


class OtherRowsError(Exception):
    """The file holds vectors of another length, or another number of names."""


def _read_vectors(path: str) -> Any:
    try:
        array = read_vectors(path, rows=vectors.ROWS, of="the matrix")
    except InvalidArgumentError as error:
        raise OtherRowsError(str(error).removeprefix("the right-hand side ")) from None
    if array.ndim not in (1, 2) or array.shape[0] != vectors.ROWS or array.dtype.kind not in "iufc":
        raise AssertionError(f"{array.dtype} of shape {array.shape}")
    return array


def _read_names(path: str) -> Any:
    try:
        found = checked_names("-" if path == "-" else Path(path), names.COUNT, "row")
    except InvalidArgumentError as error:
        text = str(error)
        raise OtherRowsError(f"standard input{text[1:]}" if path == "-" else text) from None
    assert found is not None
    if len(found) != names.COUNT or not all(found):
        raise AssertionError(f"{len(found)} names, some of them empty")
    return found


def _read_arrays(path: str) -> Any:
    """The arrays that `btfperm check` reads. The verifier must not fail on them."""
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
        if len(rows) <= oracles.LARGEST:  # more are not compared
            rows.extend(some_rows[: oracles.LARGEST + 1].tolist())
            cols.extend(some_cols[: oracles.LARGEST + 1].tolist())
        if values is not None and len(values) != len(some_rows):
            raise AssertionError(f"{len(values)} values for {len(some_rows)} entries")

    header, _ = btfperm.io.stream_entries(path, take, _PART)
    return SimpleNamespace(row=np.array(rows), col=np.array(cols), header=header)


class _CountedError(Exception):
    """Ends `_read_range` with the numbers that a rank would send to all others."""


def _read_ranges(path: str) -> Any:
    """The entries of a file that `_RANKS` ranks of MPI read, one after the other in this process.
    None if the ranks would not divide this file into ranges."""
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
        return read_mpi._read_range(exchange, Path(path), header, *places, False)[0]

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

_OTHER_CALLS: dict[str, Call] = {
    "perm": ("load", lambda path: btfperm.io.load(path)),
    "vectors": ("read_vectors", _read_vectors),
    "names": ("read_names", _read_names),
    "arrays": ("read_arrays", _read_arrays),
}
"""The only call for an input, by the beginning of its file name."""

_IN_PARTS = ("matrix_market", "metis")
_PART = 64  # bytes, but at least one line

ACCEPTING = frozenset({"read", *(name for name, _ in _OTHER_CALLS.values())})
"""An input is accepted if one of these calls returns."""
