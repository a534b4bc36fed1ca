# SPDX-License-Identifier: BSD-3-Clause
"""The programs and names in docs/graph-matching.md are true."""

from __future__ import annotations

import re
from pathlib import Path

from btfperm_cli.main import main
from click.testing import CliRunner

from tests.weighted.graph.graphs import NAMES, ROWS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "graph-matching.md").read_text(encoding="utf-8")


def test_the_python_blocks_run(monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        exec(compile(block, "graph-matching.md", "exec"), names)
    assert names["r"].weight == 10


def test_the_command_runs(tmp_path, monkeypatch):
    (tmp_path / "matrices").symlink_to(ROOT / "matrices", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    first, *_ = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    for text in first.splitlines():
        assert CliRunner().invoke(main, text.split()[1:]).exit_code == 0
    assert (tmp_path / "mate.npz").exists()


def test_the_table_has_every_algorithm_and_default():
    assert re.findall(r"^\| `([\w-]+)`", PAGE, re.MULTILINE) == NAMES
    (limit,) = {o.default for row in ROWS for o in row.options if o.name == "limit"}
    (p,) = {o.default for row in ROWS for o in row.options if o.name == "p"}
    assert f"`limit` ({limit})" in PAGE and f"p={p}" in PAGE
