# SPDX-License-Identifier: BSD-3-Clause
"""CONTRIBUTING.md names files that exist, and rows of conventions and file formats import none of
their modules. The rows themselves are tested in tests/conventions and tests/io."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from btfperm.conventions.rows import conventions as rows
from btfperm.io.formats import matrix_formats
from tests.guide_rows import section

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("title", ["Add a convention", "Add a file format"])
def test_the_guide_names_files_that_exist(title):
    text, blocks = section(title)
    for block in blocks:
        text = text.replace(block, "")
    named = set(re.findall(r"`((?:btfperm|tests)/[\w/.]+)`", text))
    assert named
    for path in named:
        assert "toy" in path or (ROOT / path).exists(), path


@pytest.mark.parametrize(
    "code",
    [
        "import btfperm.conventions, btfperm.io.formats",
        "import btfperm; hasattr(btfperm, 'as_none')",
        "from btfperm.io.formats import writer_of; writer_of('a.rb')",
    ],
)
def test_rows_import_no_module_of_a_format_or_convention(code):
    listing = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", listing], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    modules = {f"btfperm.conventions.{row.stem}" for row in rows.values()}
    modules |= {f"btfperm.io.{row.stem}" for row in matrix_formats.values()}
    assert not loaded & (modules | {"numpy", "scipy"})
