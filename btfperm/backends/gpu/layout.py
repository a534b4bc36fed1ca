# SPDX-License-Identifier: BSD-3-Clause
"""Positions of counters in CUDA structs, and values of constants, from the sources of the kernels.

Kernels and their drivers share structs of 64-bit counters (`Count`). A driver refers to a counter
by its name, and this module finds the position of the counter in the declaration of the struct. So
no position is written in Python, too. The module needs no compiler, but it accepts only a part of
C++; it raises an error for any other struct.

A struct may have fields of type `Count`, `int`, `bool`, enums with the base `int`, other such
structs, and arrays of these. Drivers can name only the counters, including those of inner structs;
the other fields count only for the positions. A struct without a counter is an error. Static
constants and `__device__` functions are ignored. The size of an array is a number or a constant. A
constant is a decimal number, another constant, or a product of these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from btfperm.backends.gpu import compile as compiled
from btfperm.errors import DefectError

__all__ = ["WORD", "Layout", "constant", "layout"]

WORD = 8  #: bytes of a `Count`

_SCALARS = {"Count": WORD, "int": 4, "bool": 1}
_INCLUDE = re.compile(r'^#include "(\S+)"$', re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MEMBER_FUNCTION = re.compile(r"(?:template\s*<[^<>]*>\s*)?__device__[^;{}]*(?=\{)")
_STATIC = re.compile(r"static\s+constexpr\b[^;]*;")
_DECLARATOR = r"\w+(?:\s*\[\w+\])*"
_FIELD = re.compile(rf"(\w+)\s+({_DECLARATOR}(?:\s*,\s*{_DECLARATOR})*)")
_CONSTANTS = re.compile(r"\bconstexpr\s+[\w ]+?\s(\w+\s*=[^;{}()]*);")


@dataclass(frozen=True)
class Layout:
    """The fields of a struct, as an array of 64-bit words.

    Attributes
    ----------
    size : number of words of the struct
    words : the position of each `Count`, by its name as in C++: ``edges``, ``plan.next[1]``
    """

    size: int
    words: Mapping[str, int]

    def span(self, name: str) -> slice:
        """The positions of a `Count`, or of an array of them."""
        if name in self.words:
            return slice(self.words[name], self.words[name] + 1)
        element = re.compile(re.escape(name) + r"\[\d+\]")
        found = [word for key, word in self.words.items() if element.fullmatch(key)]
        if not found:
            raise KeyError(name)
        return slice(found[0], found[-1] + 1)


@cache
def layout(file: str, struct: str) -> Layout:
    """The layout of a struct that a file or one of its headers declares.

    Parameters
    ----------
    file : path of the source in the package

    Raises
    ------
    DefectError : there is no such struct, this module does not understand it, or it has no counter
    """
    size, alignment, words = _measured(file, struct)
    if alignment != WORD:
        raise DefectError(f"struct {struct} of {file} has no field of type Count")
    return Layout(size // WORD, MappingProxyType(words))


@cache
def constant(file: str, name: str) -> int:
    """The value of a constant that a file or one of its headers declares.

    Raises
    ------
    DefectError : there is no such constant, it has several values, or it is not a product of
        numbers and constants
    """
    found = set()
    for declaration in _CONSTANTS.findall(_text(file)):
        for part in declaration.split(","):
            declared, _, value = (word.strip() for word in part.partition("="))
            if declared == name:
                found.add(value)
    if len(found) != 1:
        raise DefectError(f"{file}: constant {name} has {len(found)} declarations, not one")
    product = 1
    for factor in found.pop().split("*"):
        product *= _number(file, factor.strip())
    return product


def _number(file: str, word: str) -> int:
    """The value of a number, or of a constant of this name."""
    if re.fullmatch(r"\d+", word):
        return int(word)
    if not re.fullmatch(r"[A-Za-z_]\w*", word):
        raise DefectError(f"{file}: {word!r} is neither a number nor a constant")
    return constant(file, word)


@cache
def _text(file: str) -> str:
    """The source with all headers that it includes, each once, without comments."""
    texts, waiting, known = [], [file], {file}
    while waiting:
        text = (compiled.PACKAGE / waiting.pop()).read_text(encoding="utf-8")
        included = [name for name in _INCLUDE.findall(text) if name not in known]
        known.update(included)
        waiting.extend(included)
        texts.append(_COMMENT.sub("", text))
    return "\n".join(texts)


def _measured(file: str, struct: str) -> tuple[int, int, dict[str, int]]:
    """Bytes and alignment of a struct, and the positions of its counters."""
    size, alignment = 0, 1
    words: dict[str, int] = {}
    for statement in _statements(file, struct):
        field = _FIELD.fullmatch(statement)
        if field is None:
            raise DefectError(f"struct {struct} of {file}: {statement!r} is not understood")
        of_type, align, inner = _type(file, struct, field[1])
        alignment = max(alignment, align)
        for declarator in field[2].split(","):
            name, *extents = re.findall(r"\w+", declarator)
            names = [name]
            for extent in extents:
                names = [f"{name}[{k}]" for name in names for k in range(_number(file, extent))]
            size = -(-size // align) * align
            for name in names:
                for key, word in inner.items():
                    words[name + key] = size // WORD + word
                size += of_type
    return -(-size // alignment) * alignment, alignment, words


def _type(file: str, struct: str, name: str) -> tuple[int, int, dict[str, int]]:
    """Bytes and alignment of a type, and the positions of its counters. The key of a counter is
    what follows the name of the field, such as ``".edges"``; empty if the type is `Count`."""
    if name in _SCALARS:
        return _SCALARS[name], _SCALARS[name], {"": 0} if name == "Count" else {}
    if re.search(rf"\benum\s+{name}\s*:\s*int\b", _text(file)):
        return 4, 4, {}
    if not re.search(rf"\bstruct\s+{name}\s*\{{", _text(file)):
        raise DefectError(f"struct {struct} of {file}: type {name} is not understood")
    size, alignment, words = _measured(file, name)
    return size, alignment, {f".{key}": word for key, word in words.items()}


def _statements(file: str, struct: str) -> list[str]:
    """The declarations of fields in the body of a struct."""
    text = _text(file)
    found = list(re.finditer(rf"\bstruct\s+{struct}\s*\{{", text))
    if len(found) != 1:
        raise DefectError(f"{file}: struct {struct} has {len(found)} declarations, not one")
    body = text[found[0].end() : _end_of_braces(text, found[0].end() - 1) - 1]
    while function := _MEMBER_FUNCTION.search(body):
        body = body[: function.start()] + body[_end_of_braces(body, function.end()) :]
    *statements, rest = (part.strip() for part in _STATIC.sub("", body).split(";"))
    if rest:
        raise DefectError(f"struct {struct} of {file}: {rest!r} is not understood")
    return statements


def _end_of_braces(text: str, start: int) -> int:
    """The position after the brace that closes the brace at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place + 1
    raise DefectError("a struct of the kernels has no closing brace")
