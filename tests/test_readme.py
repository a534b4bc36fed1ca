# SPDX-License-Identifier: BSD-3-Clause
"""The commands, programs and output in the README are true."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
from btfperm_cli.main import main
from click.testing import CliRunner

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_block_runs(tmp_path, monkeypatch):
    (tmp_path / "matrices").symlink_to(ROOT / "matrices", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the matrix has stored zeros
        exec(compile(block, "README.md", "exec"), names)
    assert np.allclose(names["x"], 1, atol=1e-4)
    assert (tmp_path / "perm.npz").exists()


def test_the_output_is_what_the_command_prints(tmp_path, monkeypatch):
    """The comparison leaves out the times."""
    (tmp_path / "matrices").symlink_to(ROOT / "matrices", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(main, ["matrices/west0479.mtx.gz", "-o", "perm.npz"]).output
    lines = [line for line in printed.splitlines() if not line.startswith("  time ")]
    (block,) = re.findall(r"^```text\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert block.splitlines() == lines


def test_each_exit_code_is_named():
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    codes = re.search(r"Exit codes:(.*?)\.\n", page, re.DOTALL)
    assert codes
    for code in (0, 1, 2, 3, 4, 70, 129, 130, 143):
        assert re.search(rf"\b{code} \w", codes[1]), code
