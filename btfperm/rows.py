# SPDX-License-Identifier: BSD-3-Clause
"""Tables of rows. Each row describes a convention or a file format, which is one module.

A row holds the data for the command line, the messages and the documentation. It names its module,
which is imported at the first call of one of its functions.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from btfperm.arguments import text
from btfperm.errors import InvalidArgumentError

__all__ = ["Row", "Table"]

_NAME = re.compile(r"[a-z][a-z0-9-]{0,62}")  # a name is one word in files, commands and Python


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of a table.

    Attributes
    ----------
    name : the name that users type and that files hold: lower-case letters, digits and ``-``
    module : name of its module; by default `home` followed by `stem`
    home : the prefix of the modules of one kind of rows
    """

    home: ClassVar[str] = ""

    name: str
    module: str = ""

    @property
    def stem(self) -> str:
        """The name as it appears in the names of functions and modules: ``-`` becomes ``_``."""
        return self.name.replace("-", "_")

    def load(self) -> Any:
        """The module of this row."""
        return _imported(self.module or f"{self.home}{self.stem}")


@functools.cache
def _imported(name: str) -> Any:
    """The module of this name. It is cached, because a call of `importlib` takes longer, and the
    reader of a file asks for the modules of many rows."""
    return importlib.import_module(name)


_Row = TypeVar("_Row", bound=Row)


class Table(Mapping[str, _Row], Generic[_Row]):
    """Rows by name, in the order in which they were registered.

    >>> table = Table(Row, "tool", Row(name="a"))
    >>> table.register(Row(name="b"))
    >>> list(table)
    ['a', 'b']
    """

    def __init__(self, kind: type[_Row], what: str, *rows: _Row) -> None:
        self._kind, self._what = kind, what
        self._rows: dict[str, _Row] = {}
        for row in rows:
            self.register(row)

    def __getitem__(self, name: str) -> _Row:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    def find(self, name: str) -> _Row:
        """The row of this name.

        Raises
        ------
        InvalidArgumentError : there is no such row; the message lists all names
        """
        if text(self._what, name) not in self._rows:
            raise InvalidArgumentError(
                f"there is no {self._what} {name!r}: choose one of {', '.join(self._rows)}"
            )
        return self._rows[name]

    def register(self, row: _Row) -> None:
        """Adds a row for the rest of this process.

        Raises
        ------
        InvalidArgumentError : `row` is not a row of this kind, or its name is taken or not valid
        """
        if not isinstance(row, self._kind):
            raise InvalidArgumentError(
                f"a {self._what} is registered as a {self._kind.__name__}, not as {row!r}"
            )
        if not _NAME.fullmatch(row.name):
            raise InvalidArgumentError(
                f"{row.name!r} is not a valid name of a {self._what}: use lower-case letters, "
                "digits and '-'"
            )
        if row.name in self._rows:
            raise InvalidArgumentError(f"there is a {self._what} {row.name!r} already")
        self._rows[row.name] = row

    def unregister(self, name: str) -> None:
        """Removes the row of this name.

        Raises
        ------
        InvalidArgumentError : there is no such row
        """
        del self._rows[self.find(name).name]
