# SPDX-License-Identifier: BSD-3-Clause
"""Names of rows and columns, from lists, arrays, a pandas Index, or files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any, BinaryIO

from btfperm.errors import InvalidArgumentError
from btfperm.results.counted import counted

if TYPE_CHECKING:
    from btfperm.io.source import Source

__all__ = ["Names", "checked_names", "name_of"]

Names = tuple[str, ...]

_LONGEST_NAME = 1 << 16  # bytes
_PIECE = 1 << 16  # bytes that are read at a time; their names take some megabytes of memory


def checked_names(names: Any, count: int, noun: str) -> Names | None:
    """One name for each of `count` rows or columns, or None if there are no names. `noun` is "row"
    or "column".

    `names` is the path of a file with one name a line, compressed or not, or any ordered
    collection: a list, an array, a pandas Index or Series. Names that are no text are converted to
    text.

    Raises
    ------
    InvalidArgumentError : the number of names is not `count`, or the collection has no order
    UnreadableInputError : the file is no text, a line is empty, or a name has more than 64 KB

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
        found, number = _read_names(names, count)
    elif isinstance(names, bytes | Mapping | Set) or not isinstance(names, Iterable):
        raise InvalidArgumentError(
            f"{argument} must be a list of names or the path of a file with one name a line, not "
            f"{type(names).__name__}"
        )
    else:
        found = tuple(map(str, names.tolist() if hasattr(names, "tolist") else names))
        number = len(found)
    if number != count:
        raise InvalidArgumentError(
            f"{argument} has {counted(number, 'name')}, but the matrix has {counted(count, noun)}"
        )
    return found


def _read_names(path: str | os.PathLike[str], count: int) -> tuple[Names, int]:
    """(the first `count` lines of a file, the number of all its lines)."""
    from btfperm.io.source import open_source

    names: list[str] = []
    number = 0
    with open_source(path) as source:
        for block in _blocks_of_lines(source.stream):
            found = _names_in(source, block, number)
            names += found[: max(count - number, 0)]  # further lines are only counted
            number += len(found)
    return tuple(names), number


def _blocks_of_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yields blocks of whole lines. If a line is too long for a name, the last block is the
    beginning of this line, and nothing more is read."""
    rest = b""
    while piece := stream.read(_PIECE):
        text = rest + piece
        end = text.rfind(b"\n") + 1
        if end:
            yield text[:end]
        rest = text[end:]
        if len(rest) > _LONGEST_NAME:
            break
    if rest:
        yield rest


def _names_in(source: Source, block: bytes, before: int) -> list[str]:
    """The names in a block of lines; `before` is the number of lines before the block."""
    text = block.removesuffix(b"\n")
    coding = "utf-8" if before else "utf-8-sig"
    try:
        names = [line.strip() for line in text.decode(coding).split("\n")]
    except UnicodeDecodeError:
        names = [""]
    if "" not in names and max(map(len, text.split(b"\n"))) <= _LONGEST_NAME:
        return names
    from btfperm.io.source import shown

    what = ""
    for line, name in enumerate(text.split(b"\n"), before + 1):
        if len(name) > _LONGEST_NAME:
            what = f"the name {shown(name)} has more than {_LONGEST_NAME} bytes"
        elif not name.decode("utf-8-sig" if line == 1 else "utf-8", "replace").strip():
            what = "the line is empty; one name a line is expected"
        else:
            try:
                name.decode()
            except UnicodeDecodeError:
                what = "it is no UTF-8 text"
        if what:
            break
    raise source.error(what, line)


def name_of(names: Names | None, k: int) -> str:
    """The name of row or column k; its number if there are no names."""
    return str(k) if names is None else names[k]
