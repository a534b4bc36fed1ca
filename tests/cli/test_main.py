# SPDX-License-Identifier: BSD-3-Clause
"""The choice of the command; help, version and completion; errors and their exit codes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings

import pytest
from btfperm_cli import order
from btfperm_cli.main import all_commands

import btfperm
from btfperm.backends.threads import MOST_THREADS
from btfperm.conventions import CONVENTIONS
from btfperm.errors import BtfpermError, DefectError, DefectWarning
from tests.cli.conftest import PLANTED
from tests.loops import looped

COMMANDS = (
    *("algorithms", "check", "convert", "diagnose", "doctor"),
    *("match", "plot", "rank", "report", "solve"),
)


def test_a_file_needs_no_command(cli, matrix):
    assert cli(matrix("blocks")).out.startswith(str(matrix("blocks")))


def test_options_may_come_first(cli, matrix):
    path = matrix("blocks")
    assert cli("--quiet", path) == (0, "", "")
    assert cli("--json", "rank", path).json["structural_rank"] == 4
    assert cli("--algorithm", "auto", "-q", "rank", path).out == "4\n"


def test_a_file_named_like_a_command(cli, matrix, tmp_path, monkeypatch):
    matrix("blocks").rename(tmp_path / "rank")
    monkeypatch.chdir(tmp_path)
    assert "structural rank" in cli("./rank").out
    cli("rank").failed(2, "MATRIX")


def test_a_file_without_suffix(cli, matrix, tmp_path, monkeypatch):
    matrix("blocks").rename(tmp_path / "A")
    monkeypatch.chdir(tmp_path)
    assert cli("A").out.startswith("A: 4 x 4")


def test_double_dash_ends_the_options(cli, matrix, tmp_path, monkeypatch):
    matrix("blocks").rename(tmp_path / "-A.mtx")
    monkeypatch.chdir(tmp_path)
    assert "structural rank" in cli("-q", "--", "-A.mtx").out + cli("--", "-A.mtx").out


@pytest.mark.parametrize(("word", "near"), [("rnak", "rank"), ("docter", "doctor")])
def test_a_misspelt_command(cli, word, near):
    cli(word).failed(2, repr(word), f"did you mean {near}?")


def test_a_word_similar_to_no_command(cli):
    ended = cli("xyzzy").failed(2, "neither a command nor a file")
    assert ended.err.count("--help") == 1
    assert cli("xyzzy", "-h") == cli("xyzzy", "--help") == ended


@pytest.mark.parametrize(
    "words", [["--sovler", "klu", "a.mtx"], ["--drop-zeros", "--sovler", "klu"]]
)
def test_a_misspelt_option_in_front_is_named(cli, words):
    cli(*words).failed(2, "No such option '--sovler'")


@pytest.mark.parametrize("words", [("",), ("rank", ""), ("convert", "", "B.mtx")])
def test_an_empty_name(cli, words):
    cli(*words).failed(2, "the name of the matrix is empty")


def test_a_word_longer_than_any_name(cli):
    cli("x" * 3000).failed(3, "xxx")


def test_no_words_show_the_help(cli):
    ended = cli()
    assert ended.code == 2 and ended.out == "" and "Usage: btfperm MATRIX" in ended.err


@pytest.mark.parametrize("words", [("-h",), ("--help",), ("A.mtx", "--help"), ("A.mtx", "-h")])
def test_help(cli, words):
    ended = cli(*words)
    assert ended.code == 0 and ended.err == ""
    for name in (*COMMANDS, "--drop-zeros", "--output", "--json", "Exit codes"):
        assert name in ended.out
    assert ended.out.count("--help") == 1 and "  order " not in ended.out.split("Commands:")[1]


@pytest.mark.parametrize("words", [("--help",), ("rank", "--help")])
def test_help_has_every_registry_name(cli, words):
    text = " ".join(cli(*words).out.split())
    for row in btfperm.algorithms(package="transversal"):
        assert row.name in text


def test_help_has_every_convention(cli):
    words = set(re.findall(r"\w+", cli("--help").out))
    assert set(CONVENTIONS) <= words


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_commands(cli, command):
    ended = cli(command, "-h")
    assert ended.code == 0 and ended.out.startswith(f"Usage: btfperm {command} ")
    assert "--json" in ended.out and "--quiet" in ended.out


@looped(
    "words",
    [
        ("--bogus",),
        ("rank",),
        ("check", "A.mtx"),
        ("convert", "A.mtx"),
        ("check", "A.mtx", "B.npz", "C.npz"),
        ("A.mtx", "--threads", "0"),
        ("A.mtx", "--threads", "many"),
        ("A.mtx", "--threads", "100000"),
        ("A.mtx", "--threads", str(10**21)),
        ("A.mtx", "--seed", "-1"),
        ("A.mtx", "--seed", str(10**21)),
        ("A.mtx", "--time-limit", "0"),
        ("A.mtx", "--time-limit", "nan"),
        ("A.mtx", "--time-limit", "inf"),
        ("A.mtx", "--time-limit", "soon"),
        ("A.mtx", "--max-work", "-1"),
        ("A.mtx", "--max-work", "1.5"),
        ("A.mtx", "--max-work", str(10**21)),
        ("A.mtx", "--option", "alpha"),
        ("A.mtx", "--option", "=5"),
        ("A.mtx", "--option", "alpha=five"),
        ("A.mtx", "--option", "alpha=nan"),
        ("A.mtx", "--option", "alpha=-1"),
        ("A.mtx", "--option", "alpha=inf"),
        ("A.mtx", "--algorithm", "bogus"),
        ("A.mtx", "--initializer", "pothen-fan"),
        ("A.mtx", "--backend", "tpu"),
        ("A.mtx", "-o"),
        ("A.mtx", "-o", "perm.bin"),
        ("A.mtx", "-o", "perm.npz", "--convention", "bogus"),
        ("--show-completion", "tcsh"),
    ],
)
def test_wrong_usage(cli, matrix, tmp_path, monkeypatch, words):
    matrix("blocks").rename(tmp_path / "A.mtx")
    monkeypatch.chdir(tmp_path)
    ended = cli(*words).failed(2)
    assert "--help)" in ended.err
    if "--show-completion" not in words:
        assert cli(*words, "--json").json["exit_code"] == 2


def test_as_many_threads_as_the_library_takes(cli, matrix):
    assert cli(matrix("blocks"), "-q", "--threads", MOST_THREADS).code == 0
    cli(matrix("blocks"), "--threads", MOST_THREADS + 1).failed(2, f"between 1 and {MOST_THREADS}")


def test_a_backend_that_is_missing(cli, matrix, monkeypatch):
    monkeypatch.setattr("btfperm.backends.gpu.device.why_not", lambda _=None: "no such thing")
    cli(matrix("blocks"), "--backend", "gpu").failed(4, "gpu")
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)
    cli(matrix("blocks"), "--backend", "mpi").failed(4, "mpi", "install btfperm[mpi]")


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (MemoryError(), 4, "out of memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (BtfpermError("no device"), 4, "no device"),
        (DefectError("the matching is wrong; please report it"), 70, "please report it"),
        (OSError(28, "No space left on device"), 4, "No space left"),
        (RecursionError("deep"), 70, "a fault in btfperm (RecursionError: deep)"),
        (LookupError("two\nlines"), 70, "a fault in btfperm (LookupError: two; lines)"),
    ],
)
def test_every_exception_becomes_a_sentence(cli, matrix, monkeypatch, error, code, text):
    def broken(*_, **__):
        raise error

    monkeypatch.setattr(order, "check_targets", broken)
    ended = cli(matrix("blocks"))
    assert ended.code == code and text in ended.err and "Traceback" not in ended.err
    assert ended.err.strip().count("\n") == 0
    assert cli(matrix("blocks"), "--json").json["exit_code"] == code


@pytest.mark.filterwarnings(PLANTED)
def test_a_repaired_defect_is_a_warning(cli, matrix, monkeypatch):
    def doubtful(*_, **__):
        warnings.warn(DefectWarning("hopcroft-karp answered\ninstead"), stacklevel=1)

    monkeypatch.setattr(order, "check_targets", doubtful)
    for _ in range(2):
        ended = cli(matrix("blocks"))
        assert ended.code == 0 and ended.err == "warning: hopcroft-karp answered; instead\n"
    assert cli(matrix("blocks"), "--json").json["warnings"] == ["hopcroft-karp answered; instead"]


def test_debug_shows_the_traceback(cli, matrix, monkeypatch):
    monkeypatch.setattr(order, "check_targets", None)
    monkeypatch.setenv("BTFPERM_DEBUG", "1")
    ended = cli(matrix("blocks"))
    assert ended.code == 70 and "Traceback" in ended.err


def test_version(shell):
    assert shell("--version") == (0, f"btfperm {btfperm.__version__}\n", "")


def test_the_installed_script_is_the_same():
    script = shutil.which("btfperm", path=os.path.dirname(sys.executable))  # noqa: PTH120
    if script is None:
        pytest.skip("btfperm is not installed with its script")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"btfperm {btfperm.__version__}\n"


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_scripts(cli, name, tmp_path):
    ended = cli("--show-completion", name)
    assert ended.code == 0 and "_BTFPERM_COMPLETE" in ended.out
    if shutil.which(name):
        script = tmp_path / "script"
        script.write_text(ended.out)
        subprocess.run([name, "-n", script], check=True)


@pytest.mark.parametrize(
    ("line", "wanted", "unwanted"),
    [
        ("btfperm ", "file,", None),
        ("btfperm ra", "plain,rank", "plain,doctor"),
        ("btfperm --dr", "plain,--drop-zeros", "plain,rank"),
        ("btfperm --ver", "plain,--version", None),
        ("btfperm A.mtx --alg", "plain,--algorithm", None),
        ("btfperm A.mtx --algorithm ", "plain,pothen-fan", "plain,greedy"),
        ("btfperm A.mtx --initializer k", "plain,karp-sipser", "plain,greedy"),
        ("btfperm A.mtx --convention s", "plain,superlu", "plain,klu"),
        ("btfperm A.mtx --option s", "plain,sweeps=", "plain,alpha="),
        ("btfperm rank --req", "plain,--require-full", None),
        ("btfperm rank ", "file,", "plain,doctor"),
    ],
)
def test_completion(shell, line, wanted, unwanted):
    words = line.split(" ")
    env = {"_BTFPERM_COMPLETE": "bash_complete", "COMP_WORDS": line}
    ended = shell(env=env | {"COMP_CWORD": str(len(words) - 1)})
    assert ended.code == 0 and ended.err == ""
    lines = ended.out.splitlines()
    assert wanted in lines, lines
    assert unwanted not in lines


def test_every_command_is_a_module_with_a_test():
    names = [command.name for command in all_commands()]
    assert tuple(sorted(name for name in names if name != "order")) == COMMANDS
