# SPDX-License-Identifier: BSD-3-Clause
"""The structs and constants that drivers read from kernel sources, as C++ assertions."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from btfperm.backends.gpu.compile import PACKAGE
from btfperm.backends.gpu.layout import WORD, constant, layout

# NVRTC has no offsetof.
OFFSET_IN_GXX = "#define OFFSET(type, field) __builtin_offsetof(type, field)"
OFFSET_IN_NVRTC = "#define OFFSET(type, field) __INTADDR__(&((type*)0)->field)"

_CALLS = {"SharedStruct": "struct", "layout": "struct", "constant": "constant"}


@cache
def used():
    """(kind, file, name) of each struct and each constant that a module of the package requests."""
    found = {use for path in PACKAGE.rglob("*.py") for use in _uses(path)}
    return sorted(found)


def _uses(path: Path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    strings = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        name = getattr(getattr(node, "func", None), "id", None)
        if isinstance(node, ast.Call) and name in _CALLS and path.name not in _OWN:
            file, declared = node.args[:2]
            yield _CALLS[name], strings[file.id], ast.literal_eval(declared)


_OWN = ("layout.py", "readback.py")  # these only pass on the requests of drivers


def assertions(kind: str, file: str, name: str) -> list[str]:
    """Static assertions of the layout or the value, for a C++ file that includes `file`."""
    if kind == "constant":
        return [f"static_assert({name} == {constant(file, name)});"]
    found = layout(file, name)
    return [f"static_assert(sizeof({name}) == {WORD * found.size});"] + [
        f"static_assert(OFFSET({name}, {field}) == {WORD * place});"
        for field, place in found.words.items()
    ]


def all_assertions(source: str) -> list[str]:
    """The assertions for everything that drivers request of a kernel source and its headers. The
    compiler needs one of the macros OFFSET above."""
    files, waiting = {source}, [source]
    while waiting:
        text = (PACKAGE / waiting.pop()).read_text(encoding="utf-8")
        included = set(re.findall(r'^#include "(\S+)"', text, re.MULTILINE)) - files
        files |= included
        waiting.extend(included)
    return [line for use in used() if use[1] in files for line in assertions(*use)]
