# SPDX-License-Identifier: BSD-3-Clause
"""The examples in docs/diagnose.md print what the page shows."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path

import pytest
from btfperm_cli.json_keys import JSON_KEYS

from btfperm import pytest_plugin

PAGE = (Path(__file__).parents[2] / "docs" / "diagnose.md").read_text(encoding="utf-8")
BLOCKS = re.findall(
    r"^```python(?: (\w+))?\n((?:(?!```).)*?)^```\n\n```text\n(.*?)^```", PAGE, re.S | re.M
)


@pytest.mark.parametrize(
    ("package", "code", "expected"),
    [pytest.param(*block, id=str(k)) for k, block in enumerate(BLOCKS)],
)
def test_an_example_prints_what_the_page_shows(package, code, expected):
    if package and importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(f"import btfperm\n{code}", "diagnose.md", "exec"), {})
    assert printed.getvalue() == expected


def test_the_page_shows_every_question():
    """Unbalanced model, isolated variable, duplicate equations (two), over-constrained subset,
    stored zeros; and both packages."""
    assert len(BLOCKS) == 8 and {block[0] for block in BLOCKS} == {"", "pyomo", "casadi"}


def test_the_keys_and_the_fixtures_on_the_page_exist():
    table = PAGE[PAGE.index("| key |") : PAGE.index("At most a million")]
    keys = {key for row in re.findall(r"^\| (`.*?) \|", table, re.M) for key in row.split(", ")}
    assert {key.strip("`") for key in keys} <= set(JSON_KEYS["diagnose"])
    assert all(f"`{name}`" in PAGE for name in pytest_plugin.__all__)
