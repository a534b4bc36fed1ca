# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C, SIGTERM and SIGHUP give an exit code, one sentence and no unfinished file, from the first
line of the command on; Python's own start is not covered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from btfperm_cli import signals
from btfperm_cli.json_keys import JSON_KEYS
from btfperm_cli.main import main

import btfperm

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

CASES = {
    "SIGINT": (130, "interrupted"),
    "SIGTERM": (143, "ended by SIGTERM"),
    "SIGHUP": (129, "ended by SIGHUP"),
}

# A command that sends itself a signal when it imports the module named by its first argument.
SIGNAL_ON_IMPORT = """
import os, signal, sys
name, number, sys.argv = sys.argv[1], int(sys.argv[2]), ["btfperm", *sys.argv[3:]]
def on_event(event, args):
    if event == "import" and args[0] == name:
        os.kill(os.getpid(), number)
sys.addaudithook(on_event)
from btfperm_cli.__main__ import main
main()
"""

# A command that writes some bytes of its output file, which has a name, and then waits.
SLOW_WRITER = """
import os, sys, time
import btfperm.io.perm_npz
if hasattr(os, "O_TMPFILE"):
    del os.O_TMPFILE
seconds, sys.argv = float(sys.argv[1]), ["btfperm", *sys.argv[2:]]
def write(file, fields, meta):
    file.write(b"some bytes")
    file.flush()
    print("writing", file=sys.stderr, flush=True)
    time.sleep(seconds)
btfperm.io.perm_npz.write = write
from btfperm_cli.__main__ import main
main()
"""


def run(script, *words, folder):
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def imported(words, folder) -> list[str]:
    """Returns the modules that a run imports, starting with the first module of btfperm."""
    listing = SIGNAL_ON_IMPORT.replace("os.kill(os.getpid(), number)", "").replace(
        'if event == "import" and args[0] == name:',
        'if event == "import": print(args[0], file=sys.stderr)',
    )
    done = run(listing, "", 0, *words, folder=folder)
    names = done.stderr.split()
    return list(dict.fromkeys(names[names.index("btfperm_cli.signals") :]))


def test_an_interrupt_at_any_import(matrix, tmp_path, run_seed):
    """The signal comes at the import of the first two modules, of two C modules of NumPy, which
    convert exceptions during their import, and of every 60th other module, from one that `run_seed`
    chooses."""
    matrix("blocks").rename(tmp_path / "A.mtx")
    words = ("A.mtx", "-o", "p.npz")
    names = imported(words, tmp_path)
    assert {"click", "btfperm", "btfperm._core", "btfperm_cli.main"} <= set(names)
    numpy_core = [name for name in names if name.endswith(("_multiarray_umath", "mtrand"))]
    assert numpy_core
    (tmp_path / "p.npz").unlink()
    for name in [*names[:2], *names[2 + run_seed % 60 :: 60], *numpy_core]:
        done = run(SIGNAL_ON_IMPORT, name, signal.SIGINT, *words, folder=tmp_path)
        assert (done.returncode, done.stderr) == (130, "btfperm: interrupted\n"), (name, done)
        assert done.stdout == ""
        left = {entry.name for entry in tmp_path.iterdir()}
        if "p.npz" in left:  # the summary imports modules after the file is complete
            btfperm.load(tmp_path / "p.npz")
            (tmp_path / "p.npz").unlink()
        assert left <= {"A.mtx", "p.npz"}, name


@pytest.mark.parametrize("name", CASES)
def test_a_signal_at_start_up_with_json(name, tmp_path):
    code, sentence = CASES[name]
    number = getattr(signal, name)
    words = ("click", number, "rank", "A.mtx", "--json")
    done = run(SIGNAL_ON_IMPORT, *words, folder=tmp_path)
    assert done.returncode == code and done.stderr == ""
    answer = json.loads(done.stdout)
    assert set(answer) == {"exit_code", "error", "warnings", *JSON_KEYS["rank"]}
    assert (answer["exit_code"], answer["error"]) == (code, sentence)


def test_a_signal_at_start_up_with_json_if_stdout_holds_the_file(tmp_path):
    words = ("click", int(signal.SIGTERM), "A.mtx", "-o", "-", "--json")
    done = run(SIGNAL_ON_IMPORT, *words, folder=tmp_path)
    assert (done.returncode, done.stdout) == (143, "")
    assert json.loads(done.stderr)["error"] == "ended by SIGTERM"


def writing(folder, seconds, *words, **options):
    """Starts a process and returns while it writes its output file."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITER, str(seconds), *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
    assert process.stderr.readline() == "writing\n"
    parts = [entry for entry in folder.iterdir() if entry.suffix == ".part"]
    assert len(parts) == 1 and parts[0].read_bytes() == b"some bytes"
    return process


@pytest.mark.parametrize("name", CASES)
def test_a_signal_leaves_no_unfinished_file(name, matrix, tmp_path):
    matrix("blocks").rename(tmp_path / "A.mtx")
    (tmp_path / "p.npz").write_bytes(b"older")
    process = writing(tmp_path, 30, "A.mtx", "-o", "p.npz")
    process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=30)
    code, sentence = CASES[name]
    assert (process.returncode, out, err) == (code, "", f"btfperm: {sentence}\n")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["A.mtx", "p.npz"]
    assert (tmp_path / "p.npz").read_bytes() == b"older"


def test_a_signal_that_is_ignored_stays_so(matrix, tmp_path):
    """For example, SIGHUP is ignored under nohup, and SIGINT in the background of a script."""

    def ignore():
        for name in CASES:
            signal.signal(getattr(signal, name), signal.SIG_IGN)

    matrix("blocks").rename(tmp_path / "A.mtx")
    process = writing(tmp_path, 0.2, "A.mtx", "-o", "p.npz", preexec_fn=ignore)
    for name in CASES:
        process.send_signal(getattr(signal, name))
    process.communicate(timeout=30)
    assert process.returncode == 0
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["A.mtx", "p.npz"]


SECOND_SIGNAL = """
import os, signal, sys, time
import btfperm_cli.output
name = sys.argv.pop(1)
def first(*_, **__): os.kill(os.getpid(), signal.SIGINT)
def again(*args, **options):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(30)
import btfperm.io
btfperm.io.read = first
import btfperm_cli.main
setattr(btfperm_cli.main, name, again)
from btfperm_cli.__main__ import main
main()
"""


@pytest.mark.parametrize("name", ["complain", "flush"])
def test_a_second_signal_ends_the_process_at_once(name, tmp_path):
    done = run(SECOND_SIGNAL, name, "A.mtx", folder=tmp_path)
    assert done.returncode == 130 and "Traceback" not in done.stderr


AFTER_THE_ANSWER = """
import atexit, os, signal, sys
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
from btfperm_cli.__main__ import main
main()
"""


def test_an_interrupt_after_the_answer_adds_nothing(matrix):
    done = run(AFTER_THE_ANSWER, "rank", matrix("blocks"), folder=".")
    assert (done.returncode, done.stdout, done.stderr) == (130, "4\n", "")


def test_a_program_keeps_its_own_handlers(matrix):
    """A program that imports btfperm_cli, or calls its click group `main` as a function, keeps its
    own signal handlers."""
    before = [signal.getsignal(getattr(signal, name)) for name in CASES]
    assert main(["rank", str(matrix("blocks")), "-q"], standalone_mode=False) == 0
    assert [signal.getsignal(getattr(signal, name)) for name in CASES] == before
    assert signals.exit_code() == 130
