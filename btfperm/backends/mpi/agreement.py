# SPDX-License-Identifier: BSD-3-Clause
"""What a rank was given in a collective call, as a short text that the ranks compare.

All ranks must make the same call with the same arguments. If one rank gives a file and another one
a matrix, or if their options differ, they would exchange different messages, and wait for each
other forever or fail with an error that hides the cause. So each rank sends a hash of its text at
the start of the call. If the hashes differ, all ranks compare the texts and raise the same error.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any

__all__ = ["arguments_of", "call_text", "differences", "hash_of"]

# Arguments that may differ between the ranks: the communicator, which a DistributedPattern
# replaces; functions and objects that report to the user or write; the part of the matrix of a
# rank, and its name in messages.
_OWN = {"cls", "comm", "out", "progress", "watcher", "write"}
_OWN |= {"cols", "first", "indices", "indptr", "name", "rows", "source", "values"}
# Arguments of which only the kind must be the same: each rank may give the number of its GPU, or
# the time that is left on its clock.
_KIND_ONLY = {"device", "time_limit"}
_DEFAULTS = {"gather": True, "deterministic": False}  # like None and "auto", these are left out
_MATRICES = {"A", "G", "matrix", "path"}
_MOST_LISTED = 4  # a message lists at most this number of ranks, and of elements of a sequence


def arguments_of(frame: FrameType) -> tuple[str, dict[str, Any]]:
    """The name of a function that runs, and its arguments by name."""
    code, own = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    given = {name: own[name] for name in code.co_varnames[:count]}
    if code.co_flags & inspect.CO_VARKEYWORDS:
        given |= own[code.co_varnames[count + bool(code.co_flags & inspect.CO_VARARGS)]]
    return code.co_name, given


def call_text(call: str, given: Mapping[str, Any]) -> str:
    """The name of the function and its arguments, as JSON. Arguments with default values are left
    out, because a rank may give them explicitly."""
    arguments = {name: _shown(name, value) for name, value in given.items() if _counts(name, value)}
    return json.dumps([call, arguments], sort_keys=True)


def hash_of(text: str) -> int:
    """A hash of 63 bits, the same in each process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") >> 1


def _counts(name: str, value: Any) -> bool:
    return not (
        name in _OWN
        or value is None
        or (isinstance(value, str) and value == "auto")
        or (isinstance(value, bool) and _DEFAULTS.get(name) is value)
    )


def _shown(name: str, value: Any) -> str:
    """An argument as text. Of a matrix, the text has the file, or the kind and the shape; of a long
    sequence, the first elements and the number of the others; of other objects, the type."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if name in _MATRICES:
        return _matrix(value)
    if name in _KIND_ONLY and not isinstance(value, str):
        return "a number"
    return _value(value)


def _matrix(value: Any) -> str:
    if isinstance(value, str):
        return f"the file {value}"
    if isinstance(value, tuple):
        return "a (data, indices, indptr) triple"
    shape = getattr(value, "shape", None)
    kind = "DistributedPattern" if getattr(value, "is_distributed", False) else "whole matrix"
    if not isinstance(shape, tuple):
        return f"an object of the type {type(value).__name__}"
    return f"a {kind} of shape {_value(shape)}"


def _value(value: Any) -> str:
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()  # a NumPy scalar
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={_value(value[key])}" for key in sorted(value, key=str)) or "{}"
    if isinstance(value, Sequence) or getattr(value, "ndim", None) == 1:
        return f"({', '.join(_shortened(list(value)))})"
    return f"a {type(value).__name__}"


def _shortened(items: list[Any]) -> list[str]:
    if len(items) <= _MOST_LISTED:
        return [_value(item) for item in items]
    first = [_value(item) for item in items[: _MOST_LISTED - 1]]
    return [*first, f"{len(items) - len(first)} others"]


def differences(texts: Sequence[str]) -> str:
    """The end of a sentence: how the calls of the ranks differ. ``texts[p]`` is the text of rank
    p.

    >>> texts = [call_text("match", {"G": "a.mtx"}), call_text("match", {"G": "b.mtx"})] * 2
    >>> differences(texts)
    'G is the file a.mtx on ranks 0 and 2, and the file b.mtx on ranks 1 and 3'
    """
    calls = [json.loads(text) for text in texts]
    names = [call for call, _ in calls]
    if len(set(names)) > 1:
        return f"the function is {_by_rank(names)}"
    arguments = [given for _, given in calls]
    parts = []
    for name in sorted(set().union(*arguments)):
        values = [given.get(name, "the default") for given in arguments]
        if len(set(values)) > 1:
            parts.append(f"{name} is {_by_rank(values)}")
    return "; ".join(parts)


def _by_rank(values: Sequence[str]) -> str:
    """Each value with the ranks that have it, in the order of the ranks."""
    parts = []
    for value in dict.fromkeys(values):
        ranks = [str(rank) for rank, own in enumerate(values) if own == value]
        *most, last = _shortened(ranks)
        where = f"ranks {', '.join(most)} and {last}" if most else f"rank {last}"
        parts.append(f"{value or 'another one'} on {where}")
    return ", and ".join(parts)
