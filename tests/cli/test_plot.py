# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm plot``: the file, the terminal, the JSON object, and refused lines."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import btfperm
from btfperm.backends.protocol import Session

MATRIX = "matrices/west0067.mtx.gz"


@pytest.fixture
def file(request):
    return request.config.rootpath / MATRIX


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_file(cli, file, tmp_path, suffix):
    target = tmp_path / f"fig.{suffix}"
    ended = cli("plot", file, "-o", target, "--kind", "after")
    assert ended.code == 0 and target.stat().st_size > 1000
    btfperm.dulmage_mendelsohn(file).plot("after").save(tmp_path / f"own.{suffix}")
    assert target.read_bytes() == (tmp_path / f"own.{suffix}").read_bytes()
    assert "(replaced)" in cli("plot", file, "-o", target, "--kind", "sizes").out
    cli("plot", file, "-o", target, "--no-clobber").failed(4, "exists already")


def test_the_terminal_needs_no_matplotlib(cli, file, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ended = cli("plot", file, "--terminal")
    assert ended.code == 0 and "as stored: 67 x 67" in ended.out and "⠀" in ended.out
    for style, character in (("blocks", "▀"), ("ascii", "#")):
        assert character in cli("plot", file, "--terminal", "--characters", style).out
    cli("plot", file, "-o", "fig.svg").failed(4, "btfperm[plot]")


def test_a_block(cli, file):
    b = btfperm.dulmage_mendelsohn(file).block(1)
    out = cli("plot", file, "--terminal", "--block", "1").out
    assert f"block 1, square: {b.shape[0]} x {b.shape[1]}" in out
    cli("plot", file, "--terminal", "--block", "4000").failed(2, "block must be")


def test_the_object(cli, file, tmp_path):
    target = tmp_path / "fig.png"
    found = cli("plot", file, "-o", target, "--json", "--kind", "levels").json
    d = btfperm.dulmage_mendelsohn(file)
    assert found["written"] == str(target) and found["replaced"] is False
    assert (found["entries"], found["fine_blocks"]) == (d.pattern.nnz, d.n_blocks)
    assert found["kind"] == "levels" and "draw" in found["seconds"]


@pytest.mark.parametrize("output", [("--terminal",), ("-o", "fig.png")])
def test_the_picture_before_needs_no_search(cli, file, tmp_path, output, monkeypatch):
    def refuse(*args, **options):
        raise AssertionError("a search begins")

    monkeypatch.setattr(Session, "__init__", refuse)
    output = [tmp_path / word if word == "fig.png" else word for word in output]
    assert cli("plot", file, *output, "--kind", "before").code == 0
    found = cli("plot", file, *output, "--kind", "before", "--json").json
    assert (found["entries"], found["rows"], found["kind"]) == (294, 67, "before")
    assert found["structural_rank"] is None and found["fine_blocks"] is None
    assert set(found["seconds"]) == {"read", "draw"}
    assert "a search begins" in cli("plot", file, *output, "--kind", "after").err


def test_before_alone_is_the_matrix_as_stored(cli, file, tmp_path):
    before = cli("plot", file, "--terminal", "--characters", "ascii", "--kind", "before").out
    after = cli("plot", file, "--terminal", "--characters", "ascii", "--kind", "after").out
    assert before.startswith("as stored: 67 x 67\n+--") and "permuted" not in before
    assert after.startswith("permuted: 2 fine blocks\n+--") and "as stored" not in after
    target = tmp_path / "fig.png"
    assert cli("plot", file, "-o", target, "--kind", "before").out == f"{target}: 294 entries\n"
    btfperm.dulmage_mendelsohn(file).plot("before").save(tmp_path / "own.png")
    assert target.read_bytes() == (tmp_path / "own.png").read_bytes()


def test_standard_output(cli, file):
    ended = cli("plot", file, "-o", "-", "--format", "svg", "--kind", "sizes")
    assert ended.code == 0 and ended.out.startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "-o"),
        (("-o", "fig.gif"), "end the name in"),
        (("--terminal", "--kind", "sizes"), "--kind sizes goes with -o"),
        (("--terminal", "--kind", "levels"), "--kind levels goes with -o"),
        (("--terminal", "--kind", "before", "--block", "0"), "a block is shown by"),
        (("-o", "fig.png", "--characters", "ascii"), "--characters goes with --terminal"),
        (("-o", "fig.png", "--block", "0", "--kind", "sizes"), "a block is shown by"),
        (("--terminal", "--no-clobber"), "--no-clobber goes with -o"),
    ],
)
def test_refused_lines(cli, file, words, message):
    cli("plot", file, *words).failed(2, message)


def test_a_format_makes_the_name_free(cli, file, tmp_path):
    for name in ("fig", "fig.dat", "fig.PNG"):
        words = () if name.endswith("PNG") else ("--format", "png")
        assert cli("plot", file, "-o", tmp_path / name, *words).code == 0
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_the_drawing_fits_the_terminal_and_is_coloured_only_there(cli, file, monkeypatch):
    """A drawing has at least 20 columns and 10 lines, and at most 160 columns."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    from btfperm.reports.pictures import terminal

    asked, drawn = [], terminal.terminal_lines
    monkeypatch.setattr(
        terminal, "terminal_lines", lambda *a, **how: asked.append(how) or drawn(*a, **how)
    )
    for columns, lines, wanted in (
        (100, 30, (99, 29)),
        (10, 5, (20, 10)),
        (161, 12, (160, 11)),
        (400, 11, (160, 10)),
        (21, 200, (20, 199)),
    ):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("LINES", str(lines))
        ended = cli("plot", file, "--terminal")
        assert ended.code == 0 and "\x1b" not in ended.out
        assert (asked[-1]["columns"], asked[-1]["rows"]) == wanted
        assert asked[-1]["colour"] is False


def test_a_hostile_name_is_escaped(cli, tmp_path):
    target = tmp_path / "a\x1b[31mb.mtx"
    btfperm.write_matrix(target, np.eye(3))
    ended = cli("plot", target, "--terminal")
    assert ended.code == 0 and "\x1b" not in ended.out
