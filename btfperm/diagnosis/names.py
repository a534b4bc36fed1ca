# SPDX-License-Identifier: BSD-3-Clause
"""Names of rows and columns: from lists, arrays, a pandas Index, and files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Set
from typing import Any

from btfperm.errors import InvalidArgumentError, UnreadableInputError
from btfperm.results.counted import counted

__all__ = ["Names", "checked_names", "name_of"]

Names = tuple[str, ...]


def checked_names(names: Any, count: int, noun: str) -> Names | None:
    """One name for each of `count` rows (`noun` "row") or columns, or None if there are no names.

    `names` is a path of a file with one name a line, packed or not, or any ordered collection:
    a list, an array, a pandas Index or Series. Names that are no text are converted to text.
    O(count).

    Raises
    ------
    InvalidArgumentError : another number of names, or a collection without an order
    UnreadableInputError : the file is no text, or a line is empty

    Examples
    --------
    >>> checked_names(["mass", "energy"], 2, "row")
    ('mass', 'energy')
    >>> checked_names(["mass"], 2, "row")
    Traceback (most recent call last):
    ...
    btfperm.errors.InvalidArgumentError: row_names has 1 name, but the matrix has 2 rows
    """
    if names is None:
        return None
    argument = f"{noun.replace('column', 'col')}_names"
    if isinstance(names, str | os.PathLike):
        argument = os.fsdecode(names)
        found = _read_names(names)
    elif isinstance(names, bytes | Mapping | Set) or not isinstance(names, Iterable):
        raise InvalidArgumentError(
            f"{argument} must be a list of names or the path of a file with one name a line, not "
            f"{type(names).__name__}"
        )
    else:
        found = tuple(map(str, names.tolist() if hasattr(names, "tolist") else names))
    if len(found) != count:
        raise InvalidArgumentError(
            f"{argument} has {counted(len(found), 'name')}, but the matrix has "
            f"{counted(count, noun)}"
        )
    return found


def _read_names(path: str | os.PathLike[str]) -> Names:
    """The lines of a file."""
    from btfperm.io.source import open_source, unreadable

    with open_source(path) as source:
        text = source.stream.read()
        try:
            lines = text.decode("utf-8-sig").split("\n")
        except UnicodeDecodeError as error:
            line = text.count(b"\n", 0, error.start) + 1
            raise unreadable(source.name, line, "it is no UTF-8 text") from None
        if not lines[-1]:
            lines.pop()
        names = tuple(line.strip() for line in lines)
        if "" in names:
            raise _empty_line(source.name, names.index("") + 1)
    return names


def _empty_line(name: str, line: int) -> UnreadableInputError:
    from btfperm.io.source import unreadable

    return unreadable(name, line, "the line is empty; one name a line is expected")


def name_of(names: Names | None, k: int) -> str:
    """The name of row or column k; its number if there are no names."""
    return str(k) if names is None else names[k]
