# SPDX-License-Identifier: BSD-3-Clause
"""Planted defects of the readers, to show that the fuzzer finds them.

Each defect replaces `properties.check` by a function that calls it with a changed reader.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

import btfperm.io
from btfperm.errors import ResourceMissingError, UnreadableInputError
from btfperm.pattern import Pattern
from tests.fuzz import calls, properties
from tests.fuzz.draw import Case
from tests.fuzz.properties import Outcome

__all__ = ["DEFECTS", "OTHER_DEFECTS"]

_RIGHT = btfperm.io.read
_leaked: list[Any] = []


@contextmanager
def _reader(defective: Callable[[Any], Any]) -> Iterator[None]:
    btfperm.io.read = defective
    try:
        yield
    finally:
        btfperm.io.read = _RIGHT


def _crash(path: Any) -> Any:
    pattern = _RIGHT(path)
    if pattern.nnz == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    return pattern


def _hang(path: Any) -> Any:
    pattern = _RIGHT(path)
    while pattern.nnz == 3:
        time.process_time()
    return pattern


def _memory(path: Any) -> Any:
    np.ones(12 << 20)  # 96 MB
    return _RIGHT(path)


def _leak(path: Any) -> Any:
    _leaked.append(np.ones(1 << 16))  # 512 KB
    return _RIGHT(path)


def _exception(path: Any) -> Any:
    try:
        return _RIGHT(path)
    except UnreadableInputError as error:
        raise KeyError("data") from error


def _message(path: Any) -> Any:
    try:
        return _RIGHT(path)
    except UnreadableInputError as error:
        raise UnreadableInputError(str(error).rpartition(": ")[2]) from error


def _resource(path: Any) -> Any:
    pattern = _RIGHT(path)
    if pattern.nnz:
        raise ResourceMissingError(f"{'standard input' if path == '-' else path}: no memory")
    return pattern


def _place(path: Any) -> Any:
    """`read` moves the last entry of the pattern to the next row; `read_matrix` does not."""
    right = _RIGHT(path)
    if right.nnz and right.indices[-1] + 1 < right.shape[0]:
        rows = right.indices.copy()
        rows[-1] += 1
        return Pattern(right.shape, right.indptr, rows, right.name, right.source)
    return right


def _canonical(path: Any) -> Any:
    right = _RIGHT(path)
    rows = right.indices[::-1]
    parts = {"shape": right.shape, "indptr": right.indptr, "indices": rows}
    return SimpleNamespace(**parts, nnz=right.nnz, cols=right.cols, source=right.source)


def _planted(defective: Callable[[Any], Any]) -> Callable[..., Outcome]:
    def check(case: Case, folder: str, **options: Any) -> Outcome:
        with _reader(defective):
            return properties.check(case, folder, **options)

    return check


def _planted_in(name: str, defective: Callable[[Any], Any]) -> Callable[..., Outcome]:
    """The check after the function `name` of `calls` was replaced: `defective` gets its right
    result and returns a wrong one."""

    def check(case: Case, folder: str, **options: Any) -> Outcome:
        right = getattr(calls, name)
        setattr(calls, name, lambda *args, **words: defective(right(*args, **words)))
        try:
            return properties.check(case, folder, **options)
        finally:
            setattr(calls, name, right)

    return check


def _names_without_case(found: Any) -> Any:
    return None if found is None else tuple(map(str.upper, found))


def _names_in_a_list(found: Any) -> Any:
    raise ValueError("no names")


def _names_with_much_memory(found: Any) -> Any:
    np.ones(12 << 20)  # 96 MB
    return found


def _names_with_a_crash(found: Any) -> Any:
    os.kill(os.getpid(), signal.SIGSEGV)


def _arrays_reversed(file: Any) -> Any:
    arrays = {name: np.asarray(array)[::-1] for name, array in file.arrays.items()}
    return dataclasses.replace(file, arrays=arrays)


def _arrays_without_list(file: Any) -> Any:
    return {}["row_perm"]


def _parts_without_the_last(found: Any) -> Any:
    if found is not None:
        found.row, found.col = found.row[:-1], found.col[:-1]
    return found


OTHER_DEFECTS: tuple[tuple[str, str, Callable[..., Outcome]], ...] = (
    ("names", "names", _planted_in("checked_names", _names_without_case)),
    ("names", "exception", _planted_in("checked_names", _names_in_a_list)),
    ("names", "memory", _planted_in("checked_names", _names_with_much_memory)),
    ("names", "crash", _planted_in("checked_names", _names_with_a_crash)),
    ("arrays", "place", _planted_in("read_arrays", _arrays_reversed)),
    ("arrays", "exception", _planted_in("read_arrays", _arrays_without_list)),
    ("metis", "parts", _planted_in("_read_in_parts", _parts_without_the_last)),
    ("matrix_market", "parts", _planted_in("_read_in_parts", _parts_without_the_last)),
    ("matrix_market", "parts", _planted_in("_read_ranges", _parts_without_the_last)),
)
"""The reader, the kind that the fuzzer must report, and the check with a planted defect."""

DEFECTS: dict[str, Callable[..., Outcome]] = {
    "crash": _planted(_crash),
    "hang": _planted(_hang),
    "memory": _planted(_memory),
    "leak": _planted(_leak),
    "exception": _planted(_exception),
    "message": _planted(_message),
    "resource": _planted(_resource),
    "values": _planted(_place),
    "pattern": _planted(_canonical),
}
"""The kind that the fuzzer must report, and the check with a planted defect."""
