# SPDX-License-Identifier: BSD-3-Clause
"""Whether the readers agree with each other, and with the plain readers of `oracles`."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from btfperm.errors import ResourceMissingError, UnreadableInputError
from btfperm.reports.perm_arrays import OURS
from tests.fuzz import oracles
from tests.fuzz.draw import Case
from tests.fuzz.outcome import WIDE, Outcome

__all__ = ["check_agreement", "check_names", "check_parts", "check_pattern", "check_places"]
__all__ += ["check_vectors"]

_BEYOND = (1 << 63) - 15  # more than the largest size of a pattern


def check_pattern(pattern: Any, outcome: Outcome) -> None:
    (m, n), indptr, indices = pattern.shape, pattern.indptr, pattern.indices
    legal = indptr.size == n + 1 and indptr[0] == 0 and indptr[-1] == indices.size
    legal = legal and (n > WIDE or bool((np.diff(indptr) >= 0).all()))
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


def check_agreement(
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


def check_vectors(case: Case, array: Any, outcome: Outcome) -> None:
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


def check_arrays(case: Case, file: Any, outcome: Outcome) -> None:
    """The lists of a file of btfperm or PETSc are those that a plain reader finds."""
    if len(case.data) > oracles.LARGEST:
        return
    if file.convention != OURS and not oracles.is_petsc(case.data):
        return
    try:
        expected = oracles.lists(case.data)
    except Exception as error:
        # btfperm reads a list that it cannot hold as numbers, such as one with a number beyond 64
        # bits, as an array of objects, and refuses it later.
        if all(array.dtype.kind != "O" for array in map(np.asarray, file.arrays.values())):
            outcome.failures.append(("place", f"the plain reader refuses it: {error}"))
        return
    for name, numbers in expected.items():
        array = file.arrays.get(name)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
            continue
        if array.ravel().tolist() != numbers:
            what = f"{name} is {array.ravel().tolist()[:6]}, the file has {numbers[:6]}"
            outcome.failures.append(("place", what))


def check_names(case: Case, found: tuple[str, ...], outcome: Outcome) -> None:
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


def check_parts(results: dict[str, Any], refused: dict[str, Exception], outcome: Outcome) -> None:
    """The readers in parts accept the files that `read` accepts and no others, and find the same
    entries. They may refuse arrays and integer files."""
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


def check_places(case: Case, results: dict[str, Any], outcome: Outcome) -> None:
    if "read_arrays" in results:
        check_arrays(case, results["read_arrays"], outcome)
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
