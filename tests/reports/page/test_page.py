# SPDX-License-Identifier: BSD-3-Clause
"""The page as text: what it holds, hostile names, its size, and the snippets."""

from __future__ import annotations

import base64
import importlib
import io
import json
import re
import shlex
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest
import scipy.sparse as sp
from btfperm_cli.main import main
from click.testing import CliRunner

import btfperm
from btfperm.reports.page import data, facts
from btfperm.reports.page.packed import json_for_html, packed, png
from btfperm.reports.page.snippets import snippets
from tests.reports.page.pages import HOSTILE


class Elements(HTMLParser):
    """The elements of a page, those that were not closed, and the text outside scripts and
    styles."""

    VOID = ("meta", "input", "img", "br", "link")

    def __init__(self, text):
        super().__init__()
        self.open, self.found, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data


def written(A, folder, **how):
    target = folder / "report.html"
    btfperm.report(A, target, **{"solvers_within": 0, **how})
    return target.read_text(encoding="utf-8")


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def unpacked(array):
    width = {"Uint8Array": "u1", "Uint16Array": "<u2", "Uint32Array": "<u4"}[array["type"]]
    return np.frombuffer(zlib.decompress(base64.b64decode(array["data"])), width)


@pytest.fixture
def singular():
    A = np.zeros((5, 6))
    A[0, :3] = A[1, 1] = A[2, 1] = A[3, 4] = 1
    return A


def test_each_part_is_described_even_without_rows_or_columns():
    A = np.zeros((5, 4))
    A[0, 0] = 1  # four empty rows, three empty columns
    wide, tall = np.array([[1, 1]]), np.array([[1], [1]])
    for matrix, over, under in (
        (A, "4 rows have entries only in 0 columns", "3 columns have entries only in 0 rows"),
        (tall, "2 rows have entries only in 1 column,", None),
        (wide, None, "2 columns have entries only in 1 row,"),
        (np.eye(2), None, None),
    ):
        d = btfperm.dulmage_mendelsohn(matrix)
        found = " ".join(facts.findings(d, d.pattern, d.block_graph()))
        for what, sentence in (("overdetermined", over), ("underdetermined", under)):
            assert found.count(f"A part is {what}: ") == (sentence is not None)
            assert sentence is None or f"A part is {what}: {sentence}" in found


def test_the_numbers_are_those_of_the_library(singular, tmp_path):
    page = written(singular, tmp_path)
    d, data = btfperm.dulmage_mendelsohn(singular), data_of(page)
    graph, blocks = d.block_graph(), data["blocks"]
    assert data["shape"] == list(d.shape) and data["entries"] == d.pattern.nnz
    assert unpacked(data["rowPerm"]).tolist() == d.row_perm.tolist()
    assert unpacked(data["colPerm"]).tolist() == d.col_perm.tolist()
    assert unpacked(blocks["heights"]).tolist() == np.diff(d.row_blocks).tolist()
    assert unpacked(blocks["widths"]).tolist() == np.diff(d.col_blocks).tolist()
    listed = unpacked(blocks["listed"])
    assert sorted(listed.tolist()) == list(range(d.n_blocks))
    assert unpacked(blocks["work"]).tolist() == graph.work[listed].tolist()
    assert unpacked(blocks["level"]).tolist() == graph.level[listed].tolist()
    assert unpacked(blocks["firstRows"]).tolist() == d.row_blocks[listed].tolist()
    excess = sum(group["excess"] for group in data["groups"]["listed"])
    assert excess == sum(d.shape) - 2 * d.structural_rank


def test_the_sections_are_complete_without_javascript(singular, tmp_path):
    parsed = Elements(written(singular, tmp_path))
    assert parsed.open == []
    for words in ("structural rank is 3", "overdetermined", "Blocks by size", "How to repeat"):
        assert words in parsed.text
    ids = [attributes["id"] for _, attributes in parsed.found if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_nothing_is_loaded_and_only_its_own_script_may_run(singular, tmp_path):
    page = written(singular, tmp_path)
    assert "default-src 'none'" in page and "script-src 'sha256-" in page
    assert not re.search(r"https?://|@import|url\(|<link|<iframe", page)


def test_hostile_names_are_text(singular, tmp_path):
    rows, cols = [f"{HOSTILE}{k}" for k in range(5)], [f"{k}{HOSTILE}" for k in range(6)]
    target = tmp_path / "</script><img src=x onerror=alert(1)>.mtx".replace("/", "_")
    btfperm.write_matrix(target, singular)
    page = written(target, tmp_path, row_names=rows, col_names=cols)
    parsed = Elements(page)
    assert parsed.open == [] and not any(tag == "img" for tag, _ in parsed.found)
    assert not any(name.startswith("on") for _, attributes in parsed.found for name in attributes)
    assert data_of(page)["rowNames"][0].startswith(HOSTILE[:40])
    assert target.name in parsed.text


def test_json_inside_html():
    for value in (HOSTILE, "<!--", "]]>", {"a&b": ["<", 1.5, None]}):
        text = json_for_html(value)
        assert json.loads(text) == value and not set("<>&") & set(text)


@pytest.mark.parametrize("largest", [0, 255, 256, 65_536, 2**32 - 1])
def test_arrays_are_the_same_after_they_are_packed(largest):
    array = np.array([0, largest, largest // 2])
    assert unpacked(packed(array)).tolist() == array.tolist()


@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (5, 7)])
def test_the_image_is_the_density(shape):
    """matplotlib's reader decodes it."""
    image = pytest.importorskip("matplotlib.image")
    counts = np.random.default_rng(2).integers(0, 3, shape)
    pixels = image.imread(io.BytesIO(png(counts)), format="png")
    assert pixels.shape == (*shape, 4) and ((pixels[..., 3] > 0) == (counts > 0)).all()
    assert (pixels[..., :3] == 0).all()


def test_the_chunks_of_the_image_are_in_their_order():
    """Transparency stands behind the palette and before the picture, and all sums are right."""
    image, at, names = png(np.arange(12).reshape(3, 4)), 8, []
    while at < len(image):
        size = int.from_bytes(image[at : at + 4], "big")
        name, content = image[at + 4 : at + 8], image[at + 8 : at + 8 + size]
        assert zlib.crc32(name + content) == int.from_bytes(
            image[at + 8 + size : at + 12 + size], "big"
        )
        names.append(name)
        at += 12 + size
    assert names == [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"] and at == len(image)
    assert image[16:24] == (4).to_bytes(4, "big") + (3).to_bytes(4, "big")  # width and height


def test_blocks_of_one_size_are_listed_in_their_order():
    blocks = [np.ones((1 + k % 3, 1 + k % 3)) for k in range(40)]
    d = btfperm.dulmage_mendelsohn(sp.block_diag(blocks))
    sizes = [sum(block.shape) for block in d]
    assert data._largest_blocks(d).tolist() == sorted(range(40), key=lambda k: -sizes[k])


def test_a_million_blocks_fit(tmp_path):
    """Blocks of one to three rows in a random order, which hardly compress."""
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 4, 1_000_000)
    starts = np.cumsum(sizes) - sizes
    n = int(sizes.sum())
    i = np.arange(n)
    block = np.repeat(np.arange(sizes.size), sizes)
    after = np.where(i + 1 < starts[block] + sizes[block], i + 1, starts[block])
    pattern = btfperm.Pattern.from_coo(np.r_[i, after], np.r_[i, i], (n, n))
    page = written(pattern, tmp_path)
    assert len(page) < 5_000_000
    blocks = data_of(page)["blocks"]
    assert blocks["count"] == 1_000_000
    assert sorted(unpacked(blocks["heights"])[:1000].tolist()) == sorted(
        np.diff(btfperm.dulmage_mendelsohn(pattern).row_blocks)[:1000].tolist()
    )


@pytest.mark.parametrize("A", [np.zeros((0, 0)), np.zeros((0, 3)), np.zeros((2, 2)), np.eye(1)])
def test_the_smallest_matrices(A, tmp_path):
    data = data_of(written(A, tmp_path, solvers_within=1))
    assert data["shape"] == list(A.shape)


def test_solvers_are_measured_or_the_reason_is_given(request, tmp_path):
    path = request.config.rootpath / "matrices/west0067.mtx.gz"
    page = Elements(written(path, tmp_path, solvers_within=5)).text
    assert "SuperLU, btfperm" in page and "L + U is expected to have" in page
    assert "0 s" not in page
    for A, why in (
        (np.ones((2, 3)), "square"),
        (np.zeros((2, 2)), "singular"),
        (btfperm.Pattern.from_coo([0], [0], (1, 1)), "no values"),
    ):
        assert why in Elements(written(A, tmp_path, solvers_within=5)).text
    assert "not asked for" in Elements(written(np.eye(2), tmp_path)).text


def test_no_solver_starts_that_would_take_too_long(monkeypatch, tmp_path):
    def fail(*_args, **_how):
        raise AssertionError("a solver was started")

    preorder = importlib.import_module("btfperm.preorder")  # the attribute is the function
    monkeypatch.setattr(preorder, "compare_solvers", fail)
    monkeypatch.setattr(facts, "_OPERATIONS_PER_SECOND", 1e-9)
    page = Elements(written(np.ones((9, 9)), tmp_path, solvers_within=1)).text
    assert "a factorization is not expected" in page
    monkeypatch.setattr(facts, "_ENTRIES_PER_SECOND", 1)
    assert (
        "an order of 81 entries is not"
        in Elements(written(np.ones((9, 9)), tmp_path, solvers_within=1)).text
    )


def test_an_older_page_is_kept(tmp_path):
    written(np.eye(2), tmp_path)
    with pytest.raises(btfperm.ResourceMissingError, match="exists already"):
        btfperm.report(np.eye(2), tmp_path / "report.html", replace=False)
    for wrong in (-1, True, "soon", float("nan")):
        with pytest.raises(btfperm.InvalidArgumentError, match="solvers_within"):
            btfperm.report(np.eye(2), tmp_path / "report.html", solvers_within=wrong)


@pytest.mark.filterwarnings("ignore::btfperm.SolverMissingWarning")
@pytest.mark.parametrize("snippet", snippets(), ids=lambda snippet: snippet.file)
@pytest.mark.parametrize("name", ["matrix.mtx", 'it\'s a "file".mtx'])
def test_each_snippet_runs(snippet, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    A = np.array([[4.0, 1, 0, 0], [1, 5, 2, 0], [0, 0, 3, 1], [0, 0, 1, 6]])
    btfperm.write_matrix(name, A)
    code = snippet.code_for(name)
    if snippet.file.endswith(".py"):
        names = {}
        exec(compile(code, snippet.file, "exec"), names)
        assert "x" not in names or np.allclose(names["x"], 1)
        return
    for line in code.splitlines():
        done = CliRunner().invoke(main, shlex.split(line)[1:])
        assert done.exit_code == 0, done.output
    assert list(tmp_path.glob("perm.*"))


def test_the_command_repeats_the_report(request, tmp_path, monkeypatch):
    path = request.config.rootpath / "matrices/west0067.mtx.gz"
    page = Elements(written(path, tmp_path, drop_zeros=True)).text
    words = shlex.split(re.search(r"btfperm report .*", page)[0])
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, [*words[1:], "--json"]).exit_code == 0
    assert "--drop-zeros" in words and (tmp_path / "report.html").exists()
