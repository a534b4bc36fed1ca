# SPDX-License-Identifier: BSD-3-Clause
"""The examples of the documentation run; each asserts its own result."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from btfperm_cli.main import main
from click.testing import CliRunner

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLES = DOCS / "examples"


@pytest.mark.filterwarnings("ignore::btfperm.SolverMissingWarning")
@pytest.mark.parametrize("name", ["circuit", "power_flow", "dae_jacobian"])
def test_an_example_runs(name, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](200)
    assert "block" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["circuit", "power_flow", "dae_jacobian"])
def test_an_example_is_short(name):
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) < 60


def test_every_picture_is_drawn_by_the_script(tmp_path):
    pytest.importorskip("matplotlib")
    script = runpy.run_path(str(DOCS / "figures" / "draw.py"))
    drawn = {path.name for path in (DOCS / "figures").iterdir() if path.suffix != ".py"}
    assert drawn == script["PICTURES"].keys()
    script["draw"]("west0479-sizes.svg", tmp_path)
    assert (tmp_path / "west0479-sizes.svg").stat().st_size > 1000


def test_the_page_on_pictures(tmp_path, monkeypatch, capsys):
    """The Python blocks of the page run, and the command prints the picture of the terminal that
    the page shows."""
    pytest.importorskip("matplotlib").use("Agg")
    page = (DOCS / "pictures.md").read_text(encoding="utf-8")
    (tmp_path / "matrices").symlink_to(DOCS.parent / "matrices", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    exec(compile("\n".join(blocks), "pictures.md", "exec"), {})
    assert (tmp_path / "fig.svg").exists()
    (text,) = re.findall(r"^```text\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert (
        CliRunner().invoke(main, ["plot", "matrices/west0067.mtx.gz", "--terminal"]).output == text
    )


def test_the_page_on_the_report(tmp_path, monkeypatch):
    page = (DOCS / "report.md").read_text(encoding="utf-8")
    (tmp_path / "matrices").symlink_to(DOCS.parent / "matrices", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    exec(compile(block, "report.md", "exec"), {})
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    for title in re.findall(r"^\| ([A-Z][\w ]+) \|", page, re.MULTILINE):
        assert f">{title}</h2>" in text, title
