# SPDX-License-Identifier: BSD-3-Clause
"""Every example of every page runs, and prints what the page shows."""

from __future__ import annotations

import shutil

import pytest

from tests.docs.pages import PAGES, ROOT, examples, run_page

# Contents of files that the pages name: a right-hand side, a matrix without values, and a graph.
RIGHT_HAND_SIDE = "%%MatrixMarket matrix array real general\n479 1\n" + "1\n" * 479
JACOBIAN = "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 1\n"
GRAPH = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 2 2.5\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the pages name."""
    matrix = ROOT / "matrices" / "west0479.mtx.gz"
    (tmp_path / "matrices").symlink_to(ROOT / "matrices", target_is_directory=True)
    shutil.copy(matrix, tmp_path / "west0479.mtx.gz")
    for name in ("matrix.mtx", "A.mtx", "matrix.rua"):  # the content decides, not the suffix
        shutil.copy(matrix, tmp_path / name)
    (tmp_path / "b.mtx").write_text(RIGHT_HAND_SIDE)
    (tmp_path / "graph.mtx").write_text(GRAPH)
    for name in ("jacobian.mtx", "model.mtx"):
        (tmp_path / name).write_text(JACOBIAN)
    (tmp_path / "equations.txt").write_text("mass\nenergy\n")
    (tmp_path / "variables.txt").write_text("T\np\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_run(page, folder):
    for package in run_page(page):
        pytest.skip(f"{package} is not installed")  # the other blocks have run


@pytest.mark.parametrize(
    "text",
    [
        "```python\nassert False\n```\n",
        "```sh\nbtfperm rank no_such.mtx\n```\n",
        "```python\nprint(1)\n```\n\n```text\n2\n```\n",
        "```sh\nbtfperm rank A.mtx\n```\n\n```text\n478\n```\n",
        "<!-- exit code 1 -->\n```sh\nbtfperm rank A.mtx\n```\n",
    ],
)
def test_a_wrong_example_is_detected(text, folder):
    page = folder / "page.md"
    page.write_text(text)
    with pytest.raises(AssertionError):
        run_page(page)


def test_a_block_that_needs_a_missing_package_is_left_out(folder):
    page = folder / "page.md"
    page.write_text("<!-- needs no_such_package -->\n```python\nassert False\n```\n")
    assert run_page(page) == ["no_such_package"]
    page.write_text("<!-- needs numpy -->\n```python\nassert False\n```\n")
    with pytest.raises(AssertionError):
        run_page(page)


def test_a_mark_concerns_one_block():
    text = "<!-- not run: X -->\n```python\na\n```\n\n```python\nb\n```\n"
    assert [example.code for example in examples(text)] == ["b\n"]
