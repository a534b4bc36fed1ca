# SPDX-License-Identifier: BSD-3-Clause
"""Registry, files, bindings, README and help agree, and lower layers import no upper ones."""

from __future__ import annotations

import ast
import importlib
import json
import re
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from btfperm_cli.main import main
from click.testing import CliRunner

import btfperm
from btfperm import _core
from tests import readme_table
from tests.loops import looped

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "btfperm"
FOLDERS = ("btfperm", "cli", "tests", "benchmarks", "docs")
PYTHON = sorted(chain(*((ROOT / folder).rglob("*.py") for folder in FOLDERS)))
CPP = sorted(chain(*(PACKAGE.rglob(f"*.{suffix}") for suffix in ("hpp", "cpp", "cu", "cuh"))))
BUILD = [ROOT / "pyproject.toml", *PACKAGE.rglob("CMakeLists.txt"), *(ROOT / ".ci").glob("*")]
ROWS = btfperm.algorithms()

# Layers from the lowest to the highest. At its head, a file may import from its own layer and from
# lower ones.
LAYERS = (
    ("arguments", "errors", "fields", "rows", "warn", "_core"),
    ("registry", "backends"),
    ("pattern",),
    ("results",),
    ("path",),
    ("transversal",),
    ("dulmage_mendelsohn",),
    ("block_triangular", "ordering", "weighted"),
    ("conventions",),
    ("io",),
    ("diagnosis",),
    ("order", "preorder", "reports", "testing"),
)
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}


def name_of(path):
    return str(path.relative_to(ROOT))


def each_file(files):
    """Runs a check on every file, as one test that reports all files that fail. One test for each
    file would take longer to schedule than to run."""

    def of_one(check):
        def on_all_files():
            failures = []
            for path in files:
                try:
                    check(path)
                except AssertionError as error:
                    failures.append(f"{name_of(path)}: {error}")
            assert not failures, "\n".join(failures)

        on_all_files.__name__, on_all_files.__doc__ = check.__name__, check.__doc__
        return on_all_files

    return of_one


@cache
def text_of(path):
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path):
    return ast.parse(text_of(path))


# -- the registry and the files that depend on it --------------------------------------------------


def folder_of(row):
    return PACKAGE / row.package / row.family


@looped("row", ROWS, ids=lambda row: row.name)
def test_each_row_has_its_file_and_its_function(row):
    path = PACKAGE / row.path
    assert path.is_file(), f"{row.name} has no file {name_of(path)}"
    if row.backend == "cpu":
        assert path.stem == row.name.replace("-", "_")
        assert callable(getattr(getattr(_core, row.package), row.stem, None)), (
            f"the core does not bind {row.stem}"
        )
    else:
        assert row.name.replace("-", "_").startswith(path.stem.removesuffix("_mpi"))
        driver = path if row.backend == "mpi" else path.with_name(f"{path.stem}_gpu.py")
        assert driver.is_file(), f"{row.name} has no driver"
    assert callable(row.load())
    assert row.name == row.name.lower() and "_" not in row.name
    assert all((row.summary, row.prefer, row.reference)), f"{row.name} leaves a field empty"


def opening_of(file):
    """The opening comment, or the docstring of a module in the form of one."""
    if file.suffix != ".py":
        return re.split("#pragma|#include", file.read_text(encoding="utf-8"))[0]
    return "\n".join(f"// {line}" for line in ast.get_docstring(tree_of(file)).splitlines())


@looped("row", ROWS, ids=lambda row: row.name)
def test_each_algorithm_opens_with_its_idea(row):
    file = PACKAGE / row.path
    assert file.is_file(), f"the row of {row.name} needs the file {row.path}"
    opening = opening_of(file)
    for heading in ("Idea", "Paper", "Cost", "Prefer it"):
        assert re.search(rf"^// {heading}\s+\S", opening, re.MULTILINE), f"no {heading!r}"
    named = opening.split("\n// Idea")[0]
    assert re.search(rf"^// (.+, )?{row.name}(, .+)?: ", named, re.MULTILINE), (
        "the first line does not name the algorithm"
    )


def test_names_are_unique():
    names = [(row.package, row.name, row.backend) for row in ROWS]
    assert len(names) == len(set(names))


def test_each_family_has_its_file_of_rows():
    for family in {row.family for row in ROWS}:
        rows = importlib.import_module(f"btfperm.registry.{family}").ROWS
        assert btfperm.algorithms(family) == rows


def test_each_file_of_a_family_is_a_row_or_serves_one():
    """A file that no row names must be included by one that is named, or be launched by a driver in
    its folder."""
    named = {PACKAGE / row.path for row in ROWS}
    for folder in {folder_of(row) for row in ROWS}:
        files = {path for path in folder.iterdir() if path.suffix in (".hpp", ".cu", ".cuh")}
        included = set()
        for path in files:
            for name in re.findall(r'#include "(\S+)"', path.read_text("utf-8")):
                included.add(PACKAGE / name)
        for driver in folder.glob("*_gpu.py"):
            for name in re.findall(r'"(\S+\.cu)"', driver.read_text("utf-8")):
                included.add(PACKAGE / name)
        orphans = {path.name for path in files - named - included}
        assert not orphans, f"{name_of(folder)}: nothing uses {orphans}"


def test_algorithms_selects_a_family():
    for family in {row.family for row in ROWS}:
        assert btfperm.algorithms(family) == tuple(row for row in ROWS if row.family == family)
    assert btfperm.algorithms("no-such-family") == ()


@pytest.mark.parametrize("name", readme_table.TABLES)
def test_the_pages_show_the_rows(name):
    assert readme_table.shown(name) == readme_table.TABLES[name](), (
        "run python -m tests.readme_table"
    )


def test_the_command_lists_the_registry():
    done = CliRunner().invoke(main, ["algorithms", "--json"])
    assert done.exit_code == 0, done.output
    listed = json.loads(done.stdout)["algorithms"]
    assert [row["name"] for row in listed] == [row.name for row in ROWS]


def test_the_help_names_each_algorithm():
    done = CliRunner().invoke(main, ["--help"])
    words = set(re.findall(r"[\w-]+", done.output))
    missing = {row.name for row in ROWS if row.package == "transversal"} - words
    assert not missing, f"--help does not name {missing}"


# -- layers ----------------------------------------------------------------------------------------


def imports_at_the_head(path):
    """The modules that are imported together with the file: not in functions, and not only for type
    checkers."""
    yield from imports_of(tree_of(path).body, path)


def imports_of(statements, path):
    """The modules that these statements import, not those in functions that they define."""
    waiting = list(statements)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}: relative import"
            if node.module == "btfperm":
                yield from (f"btfperm.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.If):
            if "TYPE_CHECKING" not in ast.dump(node.test):
                waiting += node.body
            waiting += node.orelse
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += [
                child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)
            ]


def package_of(module):
    return module.split(".")[1] if module.startswith("btfperm.") else None


@each_file([path for path in PYTHON if PACKAGE in path.parents and path.parent != PACKAGE])
def test_lower_layers_import_no_upper_ones(path):
    package = path.relative_to(PACKAGE).parts[0]
    assert package in LEVEL, f"{package} has no layer: add it to LAYERS"
    for module in imports_at_the_head(path):
        assert not module.startswith("btfperm_cli"), f"{module} is above btfperm"
        other = package_of(module)
        if other in LEVEL:  # not so for names of btfperm itself, such as __version__
            assert LEVEL[other] <= LEVEL[package], f"{package} is below {other}"


@each_file([path for path in PYTHON if PACKAGE / "backends" in path.parents])
def test_backends_call_packages_through_the_registry(path):
    """Inside their functions, too, they import nothing above the patterns."""
    for function in ast.walk(tree_of(path)):
        if isinstance(function, ast.FunctionDef):
            for module in imports_of(function.body, path):
                assert LEVEL.get(package_of(module), 0) <= LEVEL["pattern"], f"it imports {module}"


@each_file([path for path in PYTHON if path.parent == PACKAGE and path.name != "__init__.py"])
def test_modules_at_the_top_keep_to_their_layer(path):
    for module in imports_at_the_head(path):
        other = package_of(module)
        assert not module.startswith("btfperm_cli")
        assert other not in LEVEL or LEVEL[other] <= LEVEL[path.stem], (
            f"{path.stem} imports {other}"
        )


@each_file([path for path in PYTHON if PACKAGE in path.parents])
def test_no_large_package_is_imported_at_the_head(path):
    large = {"scipy", "cupy", "mpi4py", "matplotlib", "rich", "click", "sksparse"}
    found = {module.split(".")[0] for module in imports_at_the_head(path)} & large
    assert not found, f"{found} must not be imported at the head"


@each_file(CPP)
def test_headers_include_no_upper_layer(path):
    package = path.relative_to(PACKAGE).parts[0]
    glue = path.name in ("module.cpp", "bind.hpp")  # defines the submodules for Python
    for included in re.findall(r'#include "(\S+)"', text_of(path)):
        other = included.split("/")[0]
        assert (PACKAGE / included).is_file(), f"{included} is not relative to the package"
        assert glue or LEVEL[other] <= LEVEL[package], f"{package} is below {included}"


@each_file([path for path in PYTHON if "oracles" in path.parts or "checks" in path.parts])
def test_oracles_and_checks_share_nothing_with_btfperm(path):
    """The oracles must not share a fault of the library that they judge."""
    tree = ast.walk(tree_of(path))
    for node in tree:
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not any(module.split(".")[0].startswith("btfperm") for module in modules)


# -- every file ------------------------------------------------------------------------------------


@each_file([*PYTHON, *CPP, *BUILD])
def test_one_spdx_line_at_the_head(path):
    lines = text_of(path).splitlines()
    spdx = [k for k, line in enumerate(lines[:5]) if re.match(r"(#|//) SPDX-License-", line)]
    assert spdx == [1 if lines[0].startswith("#!") else 0]
    assert lines[spdx[0]].endswith("SPDX-License-Identifier: BSD-3-Clause")


@each_file([*PYTHON, *CPP])
def test_no_file_is_too_long(path):
    count = len(text_of(path).splitlines())
    assert count <= 400, f"{count} lines: split the file"


def longest_by_indentation(text):
    """A bound of the lines of all functions: each ends before a definition indented no further."""
    longest, begun = 0, []
    for k, line in enumerate([*text.splitlines(), "def "]):
        if match := re.match(r"(\s*)(async def |def |class |@)", line):
            while begun and begun[-1][1] >= len(match[1]):
                longest = max(longest, k - begun.pop()[0])
            begun.append((k, len(match[1])))
    return longest


@each_file(PYTHON)
def test_functions_are_short(path):
    """Functions have at most 100 lines without the docstring."""
    if longest_by_indentation(text_of(path)) <= 100:  # most files need not be parsed
        return
    statements = list(tree_of(path).body)
    for node in statements:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            count = node.end_lineno - body[0].lineno + 1 if body else 0
            assert count <= 100, f"{node.name} has {count} lines"
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):  # the list grows
            inner = getattr(node, name, ())
            statements += inner if isinstance(inner, list) else ()


@each_file(CPP)
def test_functions_of_the_core_are_short(path):
    """Functions have at most 100 lines, unless the comment above them states why they are long.

    A function ends at a line with nothing but its brace; it begins at the last line before that
    which is indented like the brace."""
    lines = text_of(path).splitlines()
    for indent in ("", "  "):  # at namespace scope, and in a class
        first = 0
        for k, line in enumerate(lines):
            if line == f"{indent}}}" and k - first >= 100:
                above = " ".join(part.removeprefix("// ") for part in lines[first - 6 : first])
                assert "function is long because" in above, (
                    f"{lines[first]} has {k - first + 1} lines"
                )
            elif re.match(rf"{indent}[A-Za-z_~]", line):
                first = k


# In a file's opening comment: a line that starts neither a part nor at the margin of the text.
PART = r"[A-Z][a-z]+(?: [a-z]+)? {2,}"
CUT = re.compile(
    rf"^// (?:{PART}| {{12}})\S.*\n// (?! {{12}}|{PART}|[A-Z][a-z]+, )\S.*$", re.MULTILINE
)


@each_file(CPP)
def test_no_opening_is_cut_by_a_formatter(path):
    """clang-format breaks a line that is too long and leaves a short line behind."""
    cut = CUT.search(text_of(path))
    assert not cut, f"clang-format broke this line; reflow the part to 100 columns: {cut[0]}"


@pytest.mark.parametrize(
    ("opening", "cut"),
    [
        ("// Races       by one that\n// made\n//             it\n", True),
        ("// Races       by one that\n// made it\n// Cost        none\n", True),
        ("// Options     k (m +\n// n)\n//             pushes\n", True),
        ("// name: one line\n//\n// Idea        two\n//             lines\n#pragma once", False),
        ("// A comment of two lines, about a\n// function\nint f();\n", False),
    ],
)
def test_a_cut_opening_is_detected(opening, cut):
    assert bool(CUT.search(opening)) == cut


@each_file([path for path in PYTHON if path != Path(__file__)])
def test_no_pickle_and_no_shell(path):
    """Tests may pickle, because users may pickle results."""
    text = text_of(path)
    for banned in (
        *([] if path.is_relative_to(ROOT / "tests") else [r"\bimport pickle"]),
        r"allow_pickle\s*=\s*True",
        r"shell\s*=\s*True",
        r"os\.system",
    ):
        assert not re.search(banned, text), f"{banned} in {name_of(path)}"


@each_file([*PYTHON, *CPP])
def test_nothing_is_left_open(path):
    marks = "|".join(
        ("TO" + "DO", "FIX" + "ME", "X" * 3 + r"\b", r"raise Not" + "ImplementedError")
    )
    found = re.search(marks, text_of(path))
    assert not found, f"{found[0]} in {name_of(path)}"


def test_type_checkers_see_the_same_public_names_as_python():
    tree = ast.parse((ROOT / "btfperm" / "__init__.py").read_text())
    typed = {
        alias.name: node.module.removeprefix("btfperm.")
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == btfperm._MODULE_OF
