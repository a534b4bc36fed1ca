# SPDX-License-Identifier: BSD-3-Clause
"""The positions of fields that drivers compute from kernel sources are those of the compiler.

`test_kernels.py` compiles the same assertions with NVRTC.
"""

from __future__ import annotations

import os
import re

import pytest

from btfperm.backends.gpu import layout as module
from btfperm.backends.gpu.compile import PACKAGE, options
from btfperm.backends.gpu.layout import constant, layout
from btfperm.errors import DefectError
from tests.backends.layouts import OFFSET_IN_GXX, all_assertions, used
from tests.emulated_gpu import beside
from tests.emulated_gpu.modules import RefusedError, checked

REASON = None if "BTFPERM_EMULATED" in os.environ else beside.why_not()


def test_every_driver_names_what_its_kernels_declare():
    structs = {(file, name) for kind, file, name in used() if kind == "struct"}
    assert ("backends/gpu/by_levels.cuh", "Levels") in structs and len(structs) >= 16


def programs(lines_of):
    """Each source that drivers use, and its assertions."""
    return [
        ((PACKAGE / file).read_text(encoding="utf-8"), "\n".join([OFFSET_IN_GXX, *lines_of(file)]))
        for file in sorted({file for _, file, _ in used()})
    ]


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_the_compiler_agrees():
    """Compiles all sources in one run of g++, because its start takes most of the time."""
    checked(programs(all_assertions), options("int32"))


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_the_compiler_refuses_another_position():
    file = "transversal/push_relabel/relabel.cuh"
    wrong = [line for line in all_assertions(file) if "edges" in line]
    assert len(wrong) == 1
    text = (PACKAGE / file).read_text(encoding="utf-8")
    other = re.sub(r"== \d+", "== 8", wrong[0])
    with pytest.raises(RefusedError, match="static assertion failed"):
        checked([(text, f"{OFFSET_IN_GXX}\n{other}")], options("int32"))


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Writes a CUDA source and returns its name."""
    monkeypatch.setattr(module.compiled, "PACKAGE", tmp_path)
    caches = (module.layout, module.constant, module._text)

    def write(text, name="a.cu"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        for cached in caches:
            cached.cache_clear()
        return name

    yield write
    for cached in caches:
        cached.cache_clear()


def test_fields_of_all_kinds(source):
    source("constexpr int many = 2, more = 3 * many;\nenum Kind : int { a, b };\n", "b.cuh")
    file = source(
        '#include "b.cuh"\n'
        "struct Part {\n  Count x, y[many];  // Count z;\n  static constexpr int at = 4;\n};\n"
        "struct All {\n  bool first;\n  Part parts[many];\n"
        "  __device__ Count sum() const {\n    if (first) { return 1; }\n    return 0;\n  }\n"
        "  Kind kind;\n  bool more[3];\n  Count last;\n  int rest;\n};\n"
    )
    found = layout(file, "All")
    assert dict(found.words) == {
        "parts[0].x": 1,
        "parts[0].y[0]": 2,
        "parts[0].y[1]": 3,
        "parts[1].x": 4,
        "parts[1].y[0]": 5,
        "parts[1].y[1]": 6,
        "last": 8,
    }
    assert found.size == 10 and constant(file, "more") == 6
    assert found.span("last") == slice(8, 9) and found.span("parts[1].y") == slice(5, 7)
    with pytest.raises(KeyError):
        found.span("kind")


@pytest.mark.parametrize(
    ("body", "fragment"),
    [
        ("Index* list;", "not understood"),
        ("Index item;", "type Index is not understood"),
        ("unsigned word; Count edges;", "type unsigned is not understood"),
        ("Count edges = 0;", "not understood"),
        ("Count edges : 3;", "not understood"),
        ("Count edges; Count", "'Count' is not understood"),
        ("Count words[many];", "constant many has 0 declarations"),
        ("Count words[2 * 3];", "not understood"),
        ("union { Count a, b; };", "not understood"),
        ("alignas(16) Count edges;", "not understood"),
        ("Count of() const { return 1; }", "not understood"),
        ("#if X\nCount edges;\n#endif", "not understood"),
        ("int a;", "no field of type Count"),
        ("", "no field of type Count"),
        ("Count edges; };\nstruct State { Count paths;", "has 2 declarations"),
    ],
)
def test_other_structs_are_refused(source, body, fragment):
    file = source(f"struct State {{ {body} }};\n")
    with pytest.raises(DefectError, match=fragment):
        layout(file, "State")


@pytest.mark.parametrize(
    "text", ["", "struct alignas(16) State { Count edges; };", "struct State : Base { Count a; };"]
)
def test_a_struct_that_is_not_found_is_an_error(source, text):
    file = source(text)
    with pytest.raises(DefectError, match="State has 0 declarations"):
        layout(file, "State")


def test_a_struct_without_an_end_is_an_error(source):
    file = source("struct State { Count edges;")
    with pytest.raises(DefectError, match="no closing brace"):
        layout(file, "State")


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("constexpr int many = 1;\nconstexpr int many = 2;", "has 2 declarations"),
        ("constexpr int many = 1 << 4;", "neither a number nor a constant"),
        ("constexpr int many = sizeof(Index) == 4 ? 16 : 8;", "declarations|neither"),
    ],
)
def test_constants_that_are_not_plain_are_refused(source, text, fragment):
    file = source(text)
    with pytest.raises(DefectError, match=fragment):
        constant(file, "many")
