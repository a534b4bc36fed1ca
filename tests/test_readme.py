# SPDX-License-Identifier: BSD-3-Clause
"""What the README shows can be pasted."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np

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


def test_each_exit_code_is_named():
    codes = re.search(r"Exit codes:(.*?)\n\n", README, re.DOTALL)
    assert codes
    for code in (0, 1, 2, 3, 4, 70, 130):
        assert re.search(rf"\b{code} \w", codes[1]), code
