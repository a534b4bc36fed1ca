# SPDX-License-Identifier: BSD-3-Clause
"""Files that must be read, and files that must be refused, in four folders: `accepted`;
`permissive`, files that break a rule of their format and are read all the same; `rejected`; and
`overflow`, files of both kinds with numbers that some integer or float type cannot hold.

To add a case, add a file. The expected result is written after "expect:" in a comment or title line
of the file, or in a file beside it called `<file>.expect`. It is either "3 x 4, 5 entries, 2 zeros"
or a part of the error message. That part begins with the line number if the message has one. A file
whose name begins with ``perm`` is a file of permutations, for `load`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from btfperm.errors import UnreadableInputError
from btfperm.io import load, matrix_market_body, peek, read, read_matrix
from tests.loops import looped

HERE = Path(__file__).parent
FOLDERS = ("accepted", "permissive", "overflow", "rejected")
CASES = [
    file
    for folder in FOLDERS
    for file in sorted((HERE / folder).iterdir())
    if file.suffix != ".expect"
]
OUTCOME = re.compile(r"(\d+) x (\d+), (\d+) entries(?:, (\d+) zeros?)?$")


def expected(file: Path) -> str:
    expect_file = file.with_name(file.name + ".expect")
    if expect_file.exists():
        return expect_file.read_text().strip()
    match = re.search(rb"expect: ([^\r\n]*)", file.read_bytes()[:500])
    assert match, f"{file} does not state its expected result"
    text = match[1].decode()
    # The first line of a Harwell-Boeing file has 80 characters; the last 8 are the key.
    return text[:64].strip() if file.suffix != ".mtx" and len(text) == 72 else text.strip()


def holds_permutations(file: Path) -> bool:
    return file.name.startswith("perm")


@looped("file", CASES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_case(file, monkeypatch):
    """Matrix Market files are read in blocks, of which only very small ones divide these files."""
    for size in (None, 1, 64) if ".mtx" in file.name else (None,):
        monkeypatch.setattr(matrix_market_body, "BLOCK", size)
        check(file)


def check(file: Path) -> None:
    text = expected(file)
    outcome = OUTCOME.match(text)
    folder = file.parent.name
    assert folder == "overflow" or (outcome is None) == (folder == "rejected")
    if outcome is None:
        with pytest.raises(UnreadableInputError) as error:
            (load if holds_permutations(file) else read)(file)
        message = str(error.value)
        assert message.startswith(str(file))
        assert text in message
        assert message.isprintable() and len(message) <= len(str(file)) + 300
        return
    m, n, entries, zeros = (int(number or 0) for number in outcome.groups())
    pattern = read(file)
    assert pattern.shape == (m, n)
    assert pattern.nnz == entries
    assert (0 if pattern.stored_zeros is None else pattern.stored_zeros.nnz) == zeros
    assert read(file, drop_zeros=True).nnz == entries - zeros
    assert peek(file).shape == (m, n)


@looped(
    "file",
    [f for f in CASES if f.parent.name == "rejected" and not holds_permutations(f)],
    ids=lambda file: file.name,
)
def test_matrix_with_values_is_refused_alike(file):
    with pytest.raises(UnreadableInputError, match=re.escape(expected(file))):
        read_matrix(file)


def test_every_folder_has_cases():
    assert {file.parent.name for file in CASES} == set(FOLDERS)
