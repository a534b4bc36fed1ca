# SPDX-License-Identifier: BSD-3-Clause
"""The section for total times with a GPU: inputs, tables and the timed commands; and a run, if
there is a GPU."""

from __future__ import annotations

import os
import subprocess
import sys

import btfperm
from benchmarks.device import totals as section
from benchmarks.generators import make

DATA = {
    "gpu": "some GPU (device 0)",
    "rows": [
        {
            "matrix": "er:22:3",
            "nnz": 12_582_906,
            "memory": {"copy": 0.001, "device": 0.02, "gpu": 0.04, "auto": 0.06, "cpu": 0.3},
            "file": {"read": 2.0, "auto": 2.5, "gpu": 2.2, "cpu": 3.0},
        }
    ],
}


def test_the_tables_have_the_required_rows():
    text = section.markdown(DATA)
    assert "| `er:22:3` | 12,582,906 | 1.00 | 20.0 | 31.0 | 40.0 | 60.0 | 300 |" in text
    assert "| 25 % | 10 % | 50 % |" in text


def test_the_commands_work(monkeypatch):
    """The commands run with the bytecode that exists. The next test checks where new bytecode is
    stored."""
    monkeypatch.setattr(section, "storing_bytecode", lambda _: dict(os.environ))
    monkeypatch.setattr(section, "WAYS", {"cpu": section.WAYS["cpu"]})
    found = section.from_file(btfperm.as_pattern(make("er:7:3")), 1)
    assert set(found) == {"read", "cpu"} and min(found.values()) > 0


def test_timed_processes_keep_bytecode(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    found = section.storing_bytecode(str(tmp_path))
    subprocess.run([sys.executable, "-c", "import this"], check=True, env=found)
    assert list(tmp_path.rglob("this.*.pyc"))
