# SPDX-License-Identifier: BSD-3-Clause
"""Any input gives at most one sentence, a documented exit code and no traceback."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os

import pytest
from btfperm_cli.json_keys import JSON_KEYS
from hypothesis import given
from hypothesis import strategies as st

from tests.loops import looped

HEAD = b"%%MatrixMarket matrix coordinate real general\n"
HOSTILE = {
    "empty": b"",
    "blank": b"\n\n\n",
    "noise": bytes(range(256)) * 8,
    "prose": b"To whom it may concern\n",
    "banner only": b"%%MatrixMarket",
    "no sizes": HEAD,
    "unknown kind": b"%%MatrixMarket tensor coordinate real general\n1 1 1\n1 1 1\n",
    "unknown field": b"%%MatrixMarket matrix coordinate quaternion general\n1 1 1\n1 1 1\n",
    "two sizes": HEAD + b"3 3\n1 1 1\n",
    "negative sizes": HEAD + b"-3 3 1\n1 1 1\n",
    "fewer entries": HEAD + b"3 3 2\n1 1 1\n",
    "more entries": HEAD + b"3 3 1\n1 1 1\n2 2 2\n",
    "row 0": HEAD + b"3 3 1\n0 1 1\n",
    "row beyond": HEAD + b"3 3 1\n4 1 1\n",
    "a word": HEAD + b"3 3 1\none 1 1\n",
    "half a line": HEAD + b"3 3 1\n1\n",
    "huge claim": HEAD + b"3 3 1000000000000000\n1 1 1\n",
    "huge sizes": HEAD + b"99999999999999999999 3 1\n1 1 1\n",
    "not square": b"%%MatrixMarket matrix coordinate real symmetric\n3 2 1\n1 1 1\n",
    "torn gzip": gzip.compress(HEAD + b"3 3 1\n1 1 1\n" * 99)[:-20],
    "torn bzip2": bz2.compress(HEAD + b"3 3 1\n1 1 1\n")[:-9],
    "torn xz": lzma.compress(HEAD + b"3 3 1\n1 1 1\n")[:-9],
    "packed noise": gzip.compress(b"noise"),
    "zip noise": b"PK\x03\x04" + bytes(60),
    "matlab noise": b"MATLAB 5.0 MAT-file, made by hand" + bytes(200),
    "hdf5": b"\x89HDF\r\n\x1a\n" + bytes(100),
    "npy": b"\x93NUMPY\x01\x00v\x00" + bytes(100),
    "numbers": b"1 2 3\n4 5 6\n",
}


@looped("suffix", ["mtx", "npz", "mat", "rua", "gz"])
@looped("name", HOSTILE)
def test_files(cli, tmp_path, name, suffix):
    path = tmp_path / f"A.{suffix}"
    path.write_bytes(HOSTILE[name])
    for words in (("rank",), ()):
        ended = cli(*words, path).failed(3)
        assert "A." in ended.err or "fault" not in ended.err
    found = cli(path, "--json").json
    assert set(found) == {"error", "exit_code", "warnings", *JSON_KEYS["order"]}
    assert found["exit_code"] == 3 and found["matrix"] is None


@pytest.mark.parametrize("name", ["noise", "row beyond", "torn gzip", "huge claim"])
def test_standard_input(cli, name):
    cli("rank", "-", stdin=HOSTILE[name]).failed(3)


@pytest.mark.parametrize("words", [("rank",), ("check",), ("convert",), ()])
def test_paths(cli, tmp_path, matrix, words):
    more = [tmp_path / "B.mtx"] if words in (("check",), ("convert",)) else []
    cli(*words, tmp_path, *more).failed(3)
    cli(*words, tmp_path / "no.mtx", *more).failed(3, "no.mtx" if words != ("check",) else "")
    cli(*words, matrix("blocks") / "x.mtx", *more).failed(3)
    cli(*words, tmp_path / ("x" * 3000 + ".mtx"), *more).failed(3)
    cli(*words, f"{tmp_path}/two\nlines.mtx", *more).failed(3)


def test_a_file_that_may_not_be_read(cli, matrix):
    path = matrix("blocks")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root reads everything")
    cli(path).failed(3, str(path))


def test_a_name_that_is_no_text(cli, shell, matrix, tmp_path):
    path = os.fsencode(matrix("blocks").parent) + b"/\xff.mtx"
    os.rename(matrix("blocks"), path)  # noqa: PTH104 - bytes
    ended = shell(os.fsdecode(path), "-o", tmp_path / "perm.npz", "-o", tmp_path / "perm.json")
    assert ended.code == 0 and "\\udcff.mtx: 4 x 4" in ended.out
    assert cli(os.fsdecode(path), "--json").json["structural_rank"] == 4
    assert cli("check", os.fsdecode(path), tmp_path / "perm.npz").code == 0
    os.rename(path, path + b"x")  # noqa: PTH104
    assert "\\udcff.mtx" in shell(os.fsdecode(path)).failed(3).err


def test_a_terminal_that_knows_ascii_only(shell):
    ended = shell("algorithms", env={"PYTHONIOENCODING": "ascii"})
    assert ended.code == 0 and "Bulu\\xe7" in ended.out


# Hypothesis also draws constants of these modules, and an error quotes the word.
SIGNS_OF_A_DEFECT = ("Traceback", "DefectWarning")
WORDS = st.text(st.characters(blacklist_characters="\0")).filter(
    lambda word: not any(sign in word for sign in SIGNS_OF_A_DEFECT)
)


@given(words=st.lists(WORDS, max_size=4))
def test_any_words(cli, tmp_path, monkeypatch, words):
    """A random command line is refused or does something documented."""
    monkeypatch.chdir(tmp_path)
    ended = cli(*words)
    assert ended.code in {0, 1, 2, 3, 4}, (words, ended)
    assert "Traceback" not in ended.err


OPTIONS = ("--json", "-q", "--threads", "2", "rank", "check", "-o", "perm.npz", "--", "-", "A.mtx")


@given(words=st.lists(st.sampled_from(OPTIONS), max_size=6))
def test_any_order_of_real_words(cli, matrix, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    matrix("blocks").rename("A.mtx")
    ended = cli(*words)
    assert ended.code in {0, 1, 2, 3, 4}, (words, ended)
    options = words[: words.index("--")] if "--" in words else words  # files follow a --
    if ended.code and "--json" in options:
        # The JSON is on stderr if stdout was to hold a file; `rank` prints a line for each matrix.
        objects = [json.loads(line) for line in (ended.out or ended.err).splitlines()]
        assert max(one["exit_code"] for one in objects) == ended.code
