# SPDX-License-Identifier: BSD-3-Clause
"""Messages: one printable line, with the name of the file, and advice that works in a shell."""

from __future__ import annotations

import ast
import io
import re
import tarfile
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from btfperm_cli import advice, order
from btfperm_cli.advice import for_the_shell
from btfperm_cli.json_keys import JSON_KEYS

import btfperm
from btfperm.errors import BackendUnavailableError, BackendWarning
from btfperm.printable import LONGEST_SENTENCE, one_line

ROOT = Path(__file__).parents[2]
BANNER = "%%MatrixMarket matrix coordinate "
ESCAPE = "\x1b[2J\n\x9b31mx\u202e"
LONG = "y" * 10_000


def tar_of(*names):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name))
    return buffer.getvalue()


def mat_of(name):
    """A MATLAB file with two matrices; `name` is the first one's name."""
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, {"A" * len(name): np.eye(2), "B": np.eye(3)})
    return buffer.getvalue().replace(b"A" * len(name), name.encode("latin-1"))


def npz_of(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


FILES = {
    "field.mtx": f"{BANNER}{LONG}\x1b[2J general\n1 1 1\n".encode(),
    "kind.mtx": f"%%MatrixMarket \x1b[2J{LONG} coordinate real general\n".encode(),
    "size.mtx": f"{BANNER}real general\n\x1b[2J{LONG}\n".encode(),
    "entry.mtx": f"{BANNER}real general\n1 1 1\n\x1b[2J{LONG}\n".encode(),
    "variable.mat": mat_of("a\x1b[2J\n\x07b"),
    "layout.npz": npz_of(format=np.bytes_(f"\x1b[2J{LONG}".encode()), shape=[1, 1], data=[1]),
    "two.tar": tar_of(f"{ESCAPE}.mtx", f"{LONG}.mtx"),
}


@pytest.mark.parametrize("name", FILES)
def test_text_from_a_file_is_escaped_and_short(cli, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(FILES[name])
    for words in (("rank", path), ("convert", path, tmp_path / "out.mtx")):
        sentence = cli(*words).failed(3, name).err.rstrip("\n")
        assert sentence.isprintable() and len(sentence) < LONGEST_SENTENCE + 20, sentence
        assert cli(*words, "--json").json["error"] == sentence.removeprefix("btfperm: ")


def test_names_in_reports_are_escaped(cli, matrix, tmp_path):
    path, perm = tmp_path / f"{ESCAPE}.mtx", tmp_path / f"p{ESCAPE}.npz"
    matrix("zeros").rename(path)
    for words in (
        (path, "-o", perm),
        ("rank", path),
        ("rank", path, "--require-full"),
        ("check", path, perm),
        ("check", matrix("singular"), perm),
        ("convert", path, tmp_path / f"{ESCAPE}.npz"),
        (tmp_path / f"no{ESCAPE}.mtx",),
    ):
        ended = cli(*words)
        text = ended.out + ended.err
        assert text.replace("\n", "").isprintable(), (words, text)
        if words[0] != "rank" or "warning" in ended.err:
            assert r"\x1b[2J\n\x9b31mx\u202e" in text


# A singular matrix, as the columns of its entries in each row.
SINGULAR = {
    "empty": [[]] * 40,
    "one column": [[0]] * 300 + [[]] * 2,
    "one row": [list(range(300)), *[[]] * 299],
    "many groups": [[k // 3] for k in range(90)],
    "dense": [list(range(20))] * 60,
}


@pytest.mark.parametrize("words", [("--solver", "klu", "-o"), ("solve",)])
@pytest.mark.parametrize("length", [8, 158, 164, 240])
@pytest.mark.parametrize("kind", SINGULAR)
def test_the_sentence_about_a_singular_matrix_is_whole(
    cli, tmp_path, monkeypatch, kind, length, words
):
    """It names rows and columns that are too many, and ends with its last words, whatever the
    length of the lists and of the name of the file."""
    rows = SINGULAR[kind]
    lines = [f"{i + 1} {j + 1} 1\n" for i, cols in enumerate(rows) for j in cols]
    n = len(rows)
    name = "x" * (length - 4) + ".mtx"
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(f"{BANNER}real general\n{n} {n} {len(lines)}\n{''.join(lines)}")
    Path("b.mtx").write_text(f"{BANNER}real general\n{n} 1 0\n")
    ended = cli("solve", name, "b.mtx") if words[0] == "solve" else cli(name, *words, "p.npz")
    sentence = ended.failed(1, f"rank {btfperm.structural_rank(name)} of {n} x {n}; ").err
    assert sentence.endswith(f"; {advice._WHOLE}\n"), sentence
    assert len(sentence) <= LONGEST_SENTENCE + len("btfperm: \n")
    assert sentence.count("is structurally") == 1
    if length == 8:
        assert sentence.count(" too many, in ") == 2
    else:
        assert re.search("row.*(are empty|have entries only in|and fix).*column", sentence)


def test_the_longest_sentence_about_a_singular_matrix_is_whole():
    """A name of 160 characters, and numbers of 13 digits."""
    A = np.eye(9)[:, [0] * 9] * (np.arange(9) < 3)
    names = [f"{10**12 + k}" for k in range(9)]
    found = btfperm.diagnose(A, row_names=names, col_names=names)
    name, number = "x" * 160, 10**13 - 1
    head = f"{name} is structurally singular: rank {number} of {number} x {number}"
    sentence = advice.singular_sentence(f"{head}\n  more", found)
    shown = ", ".join(names[1:6])
    lists = f"remove 8 rows ({shown}, ...) and fix 8 columns ({shown}, ...)"
    assert sentence == f"{head}; {lists}; {advice._WHOLE}" == one_line(sentence)


@pytest.mark.parametrize("convention", ["klu", "btf", "superlu"])
def test_a_convention_that_does_not_fit(cli, matrix, tmp_path, convention):
    words = (matrix("wide"), "-o", tmp_path / "p.txt", "--convention", convention)
    cli(*words).failed(2, "wide.mtx: ", "2 x 3", "--convention csparse or matlab")


def test_the_advice_after_a_device_failure_is_an_option(cli, matrix, monkeypatch):
    def fails(*_, **__):
        raise BackendUnavailableError("device 0 failed (x); use backend='cpu'")

    monkeypatch.setattr("btfperm.order.matched", fails)
    cli(matrix("blocks")).failed(4, "blocks.mtx: device 0 failed (x); use --backend cpu")


def test_warnings_advise_the_shell_too(cli, matrix, monkeypatch):
    def warns(*_, **__):
        text = "device 0 failed; use backend='cpu'; continued on the cpu"
        warnings.warn(BackendWarning(text), stacklevel=1)

    monkeypatch.setattr(order, "check_targets", warns)
    assert "use --backend cpu; continued" in cli(matrix("blocks")).err


# Only a Python program can cause these messages: the modules check its arguments and arrays.
NOT_FROM_THE_SHELL = re.compile(
    r"btfperm/(__init__|testing|preorder/.*|results/.*|pattern/(input|device_input|arrays|host_matrix|permute\w*|scale|value\w*)"
    r"|block_triangular/.*|dulmage_mendelsohn/block_graph|transversal/(__init__|certificate|given|problem)"
    r"|arguments|backends/gpu/arrays|registry/(?!__init__|algorithm).*)\.py"
)
# A MATLAB command, which looks like Python.
NOT_PYTHON = ("save('file.mat', 'A', '-v7')",)
# Parts of messages that only a call from Python can cause.
ONLY_IN_PYTHON = (
    "a tool's order is made from",
    "has the Dulmage-Mendelsohn blocks, which",
    "options must map names to numbers",
)
PYTHON = re.compile(r"\b[a-z_]+=|\b[a-z_]+\([A-Za-z_]*\)|\bas_[a-z]+|\.[a-z_]+\(")


def sentences():
    """Every text of the library that may be part of an error or a warning."""
    for file in sorted((ROOT / "btfperm").rglob("*.py")):
        where = file.relative_to(ROOT).as_posix()
        if NOT_FROM_THE_SHELL.fullmatch(where):
            continue
        tree = ast.parse(file.read_text())
        docs = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        parts = {
            id(part)
            for node in ast.walk(tree)
            if isinstance(node, ast.JoinedStr)
            for part in ast.walk(node)
            if part is not node
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                pieces = [p.value if isinstance(p, ast.Constant) else "{}" for p in node.values]
                text = "".join(map(str, pieces))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value if id(node) not in docs | parts else ""
            else:
                continue
            if text.count(" ") >= 3 and "\n" not in text and not text.startswith("<"):  # HTML
                yield where, text


def test_no_message_gives_advice_for_python_at_the_shell():
    n_changed = 0
    for where, text in sentences():
        if any(part in text for part in ONLY_IN_PYTHON):
            continue
        shown = for_the_shell(text)
        for other in NOT_PYTHON:
            shown = shown.replace(other, "")
        n_changed += shown != text
        assert not PYTHON.search(shown), f"{where}: {shown}"
    assert n_changed >= 5, "the table of advice is not used"


def test_a_matrix_in_the_place_of_a_permutation(cli, matrix, tmp_path):
    path = matrix("blocks")
    files = [path]
    for suffix in ("mtx.gz", "npz", "rb", "mat"):
        files.append(tmp_path / f"A.{suffix}")
        assert cli("convert", path, files[-1]).code == 0
    for file in files:
        sentence = cli("check", path, file).failed(3, file.name).err
        assert re.search("it is a matrix|it is packed|sparse matrix", sentence), sentence
        assert "codec" not in sentence and "reshape" not in sentence
        assert cli("check", file, file, "--json").json["exit_code"] == 3
    (tmp_path / "p.txt").write_bytes(b"btfperm-permutation 1 btfperm 1\n\xff\nmeta {}")
    assert (
        "line 2: a name and a length are expected, not '\\xff'"
        in cli("check", path, tmp_path / "p.txt").failed(3).err
    )


def words_of(tmp_path):
    """Command lines that succeed and fail, by command."""
    a, no, perm = tmp_path / "A.mtx", tmp_path / "no.mtx", tmp_path / "p.npz"
    return {
        "order": [(a, "-o", perm), (no,), (a, "--seed", "x"), (a, "--max-work", "1"), ("rnk",)],
        "rank": [("rank", a), ("rank", no), ("rank",), ("--json", "rank", no)],
        "diagnose": [("diagnose", a), ("diagnose", no), ("diagnose", a, "--row-names", a)],
        "check": [("check", a, perm), ("check", a, no), ("check", "-", "-")],
        "convert": [("convert", a, tmp_path / "B.npz"), ("convert", no, no), ("convert", a)],
        "solve": [("solve", a, a), ("solve", no, a), ("solve", a), ("solve", a, "--compare")],
        "match": [("match", a, "--weights", "ones"), ("match", no), ("match",)],
        "report": [
            ("report", a, "-o", tmp_path / "r.html"),
            ("report", no, "-o", tmp_path / "r.html"),
            ("report", a),
        ],
        "plot": [("plot", a, "--terminal"), ("plot", no, "--terminal"), ("plot", a)],
        "algorithms": [("algorithms",), ("algorithms", "--bogus")],
        "doctor": [("doctor",), ("doctor", "--bogus")],
    }


@pytest.mark.parametrize("command", JSON_KEYS)
def test_the_keys_of_a_command_are_always_the_same(cli, matrix, tmp_path, command):
    matrix("zeros").rename(tmp_path / "A.mtx")
    assert cli(tmp_path / "A.mtx", "-o", tmp_path / "p.npz").code == 0
    codes = set()
    for words in words_of(tmp_path)[command]:
        found = cli(*words, "--json").json
        assert set(found) == {"exit_code", "error", "warnings", *JSON_KEYS[command]}, words
        assert isinstance(found["warnings"], list)
        assert (found["error"] is None) == (found["exit_code"] == 0)
        codes.add(found["exit_code"])
    assert len(codes) > 1


def test_the_warnings_before_an_error_are_in_its_json(cli, matrix, monkeypatch):
    def fails(*_, **__):
        raise btfperm.errors.DefectError("wrong")

    monkeypatch.setattr("btfperm.order.decompose_session", fails)

    def warns(*_, **__):
        warnings.warn(BackendWarning("the gpu failed"), stacklevel=1)

    monkeypatch.setattr(order, "check_targets", warns)
    found = cli(matrix("blocks"), "--json").json
    assert found["warnings"] == ["the gpu failed"] and found["exit_code"] == 70
    assert "blocks.mtx: wrong" in found["error"]
    assert cli("bogus", "--json").json["warnings"] == []


def test_the_lines_of_a_message_are_joined_by_semicolons(cli, tmp_path):
    singular = tmp_path / "s.mtx"
    singular.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n1 2 1\n")
    ended = cli(singular, "-o", tmp_path / "k.txt", "--solver", "superlu")
    assert ended.code == 1
    assert (
        "rank 1 of 2 x 2; overdetermined: 1 row too many" in ended.err
        and "\n" not in ended.err.strip()
    )


def test_a_rectangular_matrix_for_a_solver(cli, tmp_path):
    wide = tmp_path / "wide.mtx"
    wide.write_text("%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n")
    ended = cli(wide, "-o", tmp_path / "k.txt", "--solver", "klu")
    assert ended.code == 2
    assert ended.err.startswith(f"btfperm: {wide}: the block triangular form needs a square matrix")
    assert "dulmage" not in ended.err and "--convention csparse" in ended.err


def test_a_number_with_very_many_digits(cli, tmp_path):
    path = tmp_path / "p.json"
    path.write_text('{"meta": {"kind": ' + "9" * 900_000 + "}}")
    matrix = tmp_path / "a.mtx"
    matrix.write_text("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n")
    ended = cli("check", matrix, path)
    assert ended.code == 3
    assert "a number has 900,000 digits" in ended.err and "sys." not in ended.err
