# SPDX-License-Identifier: BSD-3-Clause
"""Pictures as text: each dot is an entry, and no line is longer than the terminal."""

from __future__ import annotations

import re

import numpy as np
import pytest

import btfperm
from btfperm.reports.pictures.terminal import STYLES, terminal_lines
from tests.loops import looped

DOTS = {0x01: (0, 0), 0x02: (1, 0), 0x04: (2, 0), 0x40: (3, 0)}
DOTS |= {0x08: (0, 1), 0x10: (1, 1), 0x20: (2, 1), 0x80: (3, 1)}


def dots(lines):
    """The dots of lines of braille, by the table of the Unicode standard."""
    shown = np.zeros((4 * len(lines), 2 * len(lines[0])), dtype=bool)
    for y, line in enumerate(lines):
        for x, character in enumerate(line):
            for bit, (down, across) in DOTS.items():
                shown[4 * y + down, 2 * x + across] = bool((ord(character) - 0x2800) & bit)
    return shown


def inside(lines, corner="┌"):
    """The picture on the right without its frame."""
    right = [line[line.rindex("│", 0, -1) + 1 : -1] for line in lines if line.endswith("│")]
    assert any(corner in line for line in lines)
    return right


def test_each_dot_is_an_entry():
    A = np.random.default_rng(5).random((64, 64)) < 0.04
    d = btfperm.dulmage_mendelsohn(A)
    lines = terminal_lines(d, d.pattern, columns=70, rows=20)
    shown = dots(inside(lines))
    assert shown.shape == (64, 64)
    assert (shown == A[d.row_perm][:, d.col_perm]).all()


@looped("style", STYLES)
@looped("shape", [(1, 1), (0, 4), (500, 3), (3, 500), (90, 100)])
@looped("columns", [20, 40, 79, 160])
def test_lines_fit_the_terminal(style, shape, columns):
    A = np.random.default_rng(1).random(shape) < 0.3
    d = btfperm.dulmage_mendelsohn(A)
    for colour in (False, True):
        lines = terminal_lines(d, d.pattern, columns=columns, rows=24, style=style, colour=colour)
        plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
        assert max(map(len, plain)) <= columns and "\n" not in "".join(plain)
        frames = [line for line in plain if line.strip()[:1] in "┌+" and len(line) > 2]
        assert frames, "there is a frame"


def test_density_in_ascii_and_in_grey():
    A = np.zeros((400, 400))
    A[:200, :200] = 1
    A[range(400), range(400)] = 1
    d = btfperm.dulmage_mendelsohn(A)
    text = "".join(terminal_lines(d, d.pattern, style="ascii"))
    assert "#" in text and ":" in text
    grey = "".join(terminal_lines(d, d.pattern, style="blocks", colour=True))
    assert "38;5;255" in grey and "48;5;232" in grey


def test_a_block_instead_of_the_permuted_matrix():
    d = btfperm.dulmage_mendelsohn(np.kron(np.eye(2), np.ones((8, 8))))
    lines = terminal_lines(d, d.pattern, block=1)
    assert "block 1, square: 8 x 8" in lines[0]
    assert dots(inside(lines)).all()


def test_one_of_the_two():
    A = np.random.default_rng(5).random((64, 64)) < 0.04
    d = btfperm.dulmage_mendelsohn(A)
    before = terminal_lines(None, d.pattern, kind="before", columns=70, rows=20)
    after = terminal_lines(d, d.pattern, kind="after", columns=70, rows=20)
    assert before[0] == "as stored: 64 x 64" and after[0].startswith("permuted: ")
    assert (dots(inside(before)) == A).all()
    assert (dots(inside(after)) == A[d.row_perm][:, d.col_perm]).all()
    with pytest.raises(btfperm.InvalidArgumentError, match="kind must be one of"):
        terminal_lines(d, d.pattern, kind="sizes")


def test_an_unknown_style():
    d = btfperm.dulmage_mendelsohn(np.eye(2))
    with pytest.raises(btfperm.InvalidArgumentError, match="style must be one of"):
        terminal_lines(d, d.pattern, style="emoji")
