# SPDX-License-Identifier: BSD-3-Clause
"""The arrays of a permutation file, unchecked, for `verify`.

`btfperm.io.load` refuses what is wrong; a verifier has to examine it. This module
shares no code with the writers, so that verification finds their errors.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.conventions.rows import conventions
from btfperm.errors import UnreadableInputError
from btfperm.io.source import shown, unreadable
from btfperm.io.whole_numbers import whole_numbers
from btfperm.printable import cause_text, quoted

__all__ = ["PermArrays", "interpreted", "read_arrays", "read_fields"]

VERSION = 1  # newest format_version known here
OURS = "btfperm"
_KINDS = ("dulmage_mendelsohn", "block_triangular_form")
_SCALES = ("log_row_scale", "log_col_scale")
_CHARACTERS, _SPARSE = 4, 5  # classes of MATLAB arrays
_MOST_ARRAYS = 1 << 10
_PETSC_IS = (1211218).to_bytes(4, "big")  # the class of an index set begins a file of PETSc
_A_MATRIX = "it is a matrix: give the matrix first, then the permutation file"


@dataclass(frozen=True)
class PermArrays:
    """What a permutation file holds.

    Attributes
    ----------
    arrays : the arrays under the keys of `perm.npz`, with the scalings if the file has them
    meta : the meta of the file, empty if it has none
    convention : a name in `btfperm.conventions.CONVENTIONS`; only ``"btfperm"`` promises the
        canonical order, and connected blocks in the rectangular parts
    names : the names of the arrays in the file, if they differ from the keys
    missing : other fields that a file of btfperm must have and that are missing in this file
    """

    arrays: Mapping[str, Any]
    meta: Mapping[str, Any] = field(default_factory=dict)
    convention: str = OURS
    names: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The argument `kind` of `verify` for these arrays."""
        row = conventions[self.convention]
        if row.pairs_diagonal:
            return "solver"
        if row.matching_only:
            return "matching"
        return str(self.meta.get("kind", _KINDS[0]))


def read_arrays(path: str | os.PathLike[str]) -> PermArrays:
    """The arrays of a permutation file: `.npz`, `.json`, `.txt` or `.mat` in any convention, or
    `.petsc`; ``-`` is standard input.

    The content decides, not the suffix. Raises `UnreadableInputError` when `read_fields` does, or
    if the file has an unknown convention or arrays of another one, or was written by a newer
    btfperm. O(size of the file).

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "perm.json"
    >>> _ = file.write_text('{"row_perm": [1, 0], "meta": {"format_version": 1}}')
    >>> read_arrays(file).arrays["row_perm"].tolist()
    [1, 0]
    """
    return interpreted(*read_fields(path))


def read_fields(path: str | os.PathLike[str]) -> tuple[str, dict[str, Any]]:
    """The name of a permutation file for messages, and its fields, whatever they mean. Raises
    `UnreadableInputError` when the file cannot be read or has none of the formats. O(size of the
    file)."""
    name = os.fsdecode(path)
    try:
        if name == "-" and sys.stdin is None:
            raise UnreadableInputError("standard input: it is closed")
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except UnreadableInputError:
        raise
    except OSError as error:
        raise UnreadableInputError(f"{name}: {(error.strerror or str(error)).lower()}") from None
    name = "standard input" if name == "-" else name
    if not data:
        raise UnreadableInputError(f"{name}: the file is empty")
    try:
        fields = _reader(data)(data, name)
    except (MemoryError, UnreadableInputError):
        raise
    except Exception as error:  # for arbitrary bytes, the parsers raise errors of many kinds
        raise UnreadableInputError(
            f"{name}: this is no permutation file that can be read ({cause_text(error)})"
        ) from None
    return name, fields


def _reader(data: bytes) -> Callable[[bytes, str], dict[str, Any]]:
    if data.startswith((b"PK\3\4", b"PK\5\6")):  # the second is an archive without members
        return _from_npz
    if data.startswith(b"MATLAB"):
        return _from_mat
    if data.startswith((_PETSC_IS, bytes(4) + _PETSC_IS)):
        return _from_petsc
    if data.lstrip().startswith(b"{"):
        return _from_json
    return _from_txt


def _from_npz(data: bytes, _: str) -> dict[str, Any]:
    from btfperm.io.npy_members import keys, open_archive, read_array

    with open_archive(BytesIO(data)) as archive:
        found = keys(archive)
        if {"format", "shape", "data"} <= found:  # written by scipy.sparse.save_npz
            raise ValueError(_A_MATRIX)
        if len(found) > _MOST_ARRAYS:
            raise ValueError(f"it holds {len(found)} arrays")
        return {key: read_array(archive, key) for key in sorted(found)}


def _from_json(data: bytes, name: str) -> dict[str, Any]:
    from btfperm.io.perm_json import members

    found = members(_Named(name), data).items()
    return {key: _array(value) if isinstance(value, list) else value for key, value in found}


def _array(items: list[Any]) -> npt.NDArray[Any]:
    """A list of numbers in a JSON file, or a list of equally long lists of numbers, as an array of
    numbers. Every other list becomes an array of objects, because NumPy's array of texts needs the
    memory of the longest text for each item."""
    are_lists = bool(items) and all(isinstance(item, list) for item in items)
    rows = items if are_lists else [items]
    if all(len(row) == len(rows[0]) for row in rows) and all(
        isinstance(item, int | float) for row in rows for item in row
    ):
        return np.asarray(items, dtype=None if items else np.int64)
    return np.fromiter(items, dtype=object, count=len(items))


def _from_txt(data: bytes, name: str) -> dict[str, Any]:
    """The words of the first line, the arrays, and ``meta``."""
    from btfperm.io import perm_txt

    if not perm_txt.recognises(data[:512]):
        raise ValueError(_what_else(data))
    arrays, meta = perm_txt.read(_Named(name, data))
    _, version, convention = data[:512].split(None, 3)[:3]
    number = whole_numbers([version])[0]
    if number is None:
        raise ValueError(f"its version {shown(version)} is no whole number")
    known = meta if isinstance(meta, Mapping) else {}
    about = {"convention": convention.decode("ascii", "backslashreplace")}
    return {**arrays, **about, "meta": {**known, "format_version": number}}


class _Named:
    """What readers of `btfperm.io` need of a `Source`: bytes, and errors with the file's name."""

    def __init__(self, name: str, data: bytes = b"") -> None:
        self.name = name
        self.stream = BytesIO(data)

    def error(self, what: str, line: int | None = None) -> UnreadableInputError:
        return unreadable(self.name, line, what)

    def because(self, cause: Exception, what: str) -> UnreadableInputError:
        return self.error(f"{what} ({cause_text(cause)})")


def _what_else(data: bytes) -> str:
    """A description of a file that has none of the formats of permutations."""
    from btfperm.io.formats import module_of

    if data.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")):
        return "it is packed: unpack it, unless it is the matrix"
    if module_of(data[:512], ""):
        return _A_MATRIX
    return "it is neither .npz nor .json nor .txt of btfperm nor .mat nor .petsc"


def _from_mat(data: bytes, _: str) -> dict[str, Any]:
    """The arrays of a MATLAB file, which stores lists as rows of doubles and text as arrays of
    characters."""
    from btfperm.io.mat5_elements import variables

    fields: dict[str, Any] = {}
    file = BytesIO(data)
    for held in variables(file):
        elements = held.elements(file)
        if not elements.left:
            raise ValueError(f"{held.name} has no contents")
        content = elements.next()
        if held.array_class == _CHARACTERS:
            wide = "utf-16-le" if content.order == "<" else "utf-16-be"
            encoding = {4: wide, 17: wide, 16: "utf-8"}.get(content.kind, "latin-1")
            fields[held.name] = content.text().decode(encoding)
            continue
        if held.array_class == _SPARSE:
            raise ValueError(f"{held.name} in it is a sparse matrix, not a list")
        values = content.numbers()
        if values.dtype.kind == "f" and _are_whole(values):
            values = values.astype(np.int64)
        is_list = len(held.shape) == 2 and min(held.shape) <= 1
        fields[held.name] = values if is_list else values.reshape(held.shape, order="F")
    return fields


def _from_petsc(data: bytes, _: str) -> dict[str, Any]:
    """Index sets of the rows and the columns: class, length and indices of 32 or 64 bits."""
    width = 4 if data.startswith(_PETSC_IS) else 8
    words = np.frombuffer(data[: len(data) // width * width], dtype=f">i{width}").astype(np.int64)
    sets, at = [], 0
    while at < words.size:
        if words[at] != int.from_bytes(_PETSC_IS, "big"):
            raise ValueError("it holds something else than index sets")
        length = int(words[at + 1]) if at + 1 < words.size else 0
        if length < 0:
            raise ValueError(f"an index set in it has {length} indices")
        sets.append(words[at + 2 : at + 2 + length])
        at += 2 + length
    if at * width != len(data):
        raise ValueError("it seems truncated")
    if len(sets) != 2:
        raise ValueError(f"it holds {len(sets)} index sets, not one of rows and one of columns")
    return {"rperm": sets[0], "cperm": sets[1], "convention": "petsc"}


def _are_whole(values: npt.NDArray[Any]) -> bool:
    return bool(((values == np.rint(values)) & (np.abs(values) < 2**53)).all())


def interpreted(name: str, fields: dict[str, Any]) -> PermArrays:
    """Meta and convention of what was read; the arrays of other tools under our names."""
    has_meta = "meta" in fields
    meta = fields.pop("meta", {})
    if not isinstance(meta, Mapping):
        try:
            meta = json.loads(str(meta))
        except ValueError:
            meta = None  # reported below
    if not isinstance(meta, Mapping):
        raise UnreadableInputError(f"{name}: meta is no JSON object; write the file again")
    version = meta.get("format_version", VERSION)
    if not isinstance(version, int):
        raise UnreadableInputError(
            f"{name}: the format_version {quoted(version)} is no whole number"
        )
    if version > VERSION:
        raise UnreadableInputError(
            f"{name}: format version {version} was written by a newer btfperm; upgrade btfperm"
        )
    if meta.get("kind", _KINDS[0]) not in _KINDS:
        raise UnreadableInputError(
            f"{name}: meta has the unknown kind {quoted(meta['kind'])}; there are "
            f"{', '.join(_KINDS)}"
        )
    named = fields.pop("convention", None)
    named = np.asarray("" if named is None else named)
    if named.size > 1 or named.dtype.kind not in "US":
        raise UnreadableInputError(f"{name}: its convention is no text")
    convention = "".join(map(str, named.ravel())) or str(meta.get("convention", "")) or OURS
    if convention == OURS and "row_perm" not in fields:  # other tools do not name their convention
        known = (row for row in conventions.values() if row.recognised_by)
        held = (row.name for row in known if fields.keys() >= {*row.recognised_by})
        convention = next(held, OURS)
    if convention not in conventions:
        text = shown(convention.encode("latin-1", "replace"))
        raise UnreadableInputError(
            f"{name}: the convention {text} is unknown; there are {', '.join(conventions)}"
        )
    completed = meta.get("kind") == _KINDS[1]
    try:
        arrays, names = conventions[convention].read(fields, completed=completed)
    except ValueError as error:
        raise UnreadableInputError(f"{name}: {error}") from None
    except (LookupError, TypeError) as error:  # what NumPy raises for text or nested lists
        raise UnreadableInputError(
            f"{name}: its arrays are not those of the convention {convention} ({cause_text(error)})"
        ) from None
    arrays |= {key: fields[key] for key in _SCALES if key in fields}
    if convention != OURS:
        return PermArrays(arrays, meta, convention, names)
    present = {"shape": "shape" in fields, "meta": has_meta}
    if has_meta:
        present |= {f"{key} in meta": key in meta for key in ("format_version", "kind")}
    return PermArrays(arrays, meta, missing=tuple(key for key, here in present.items() if not here))
