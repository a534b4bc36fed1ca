# SPDX-License-Identifier: BSD-3-Clause
"""Closed pipes, full disks, Ctrl-C and terminals, each in a process of its own."""

from __future__ import annotations

import array
import importlib
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.conftest import command

fcntl, termios = (
    importlib.import_module(name) if os.name == "posix" else None for name in ("fcntl", "termios")
)
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and devices")


@posix
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_reader_that_closes_the_pipe(matrix, helper, words):
    """If no process reads the pipe, there is no message, and the exit code is that of the work."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = helper.run([matrix("blocks"), *words], stdout=write_end)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")


@posix
def test_a_closed_pipe_does_not_hide_a_failed_check(matrix, helper):
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = helper.run(["rank", matrix("singular"), "--require-full"], stdout=write_end)
    os.close(write_end)
    assert done.returncode == 1 and b"structural rank 2 of 3" in done.stderr


@posix
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_standard_output_on_a_full_disk(matrix, helper, words):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = helper.run([matrix("blocks"), *words], stdout=full.fileno())
    assert done.returncode == 4
    assert b"Traceback" not in done.stderr and b"Exception" not in done.stderr


@posix
def test_the_sentence_about_a_full_disk_names_standard_output(matrix, helper):
    for words in ((), ("-o", "-", "--format", "npz")):
        with open("/dev/full", "wb") as full:  # noqa: PTH123
            done = helper.run([matrix("blocks"), *words], stdout=full.fileno())
        assert done.returncode == 4 and b"standard output cannot be written" in done.stderr


@posix
@pytest.mark.parametrize(
    "words",
    [
        ("-h",),
        ("--version",),
        ("rank", "A.mtx"),
        ("convert", "A.mtx", "-"),
        ("A.mtx", "-o", "-", "--format", "npz"),
    ],
)
def test_a_closed_pipe_is_no_failure(matrix, helper, tmp_path, words):
    matrix("blocks").rename(tmp_path / "A.mtx")
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = helper.run(words, stdout=write_end, folder=tmp_path)
    os.close(write_end)
    assert done.returncode == 0 and b"btfperm: " not in done.stderr, done.stderr


@posix
def test_a_closed_pipe_for_messages_loses_no_result(matrix, helper):
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = helper.run(["rank", matrix("zeros")], stderr=write_end)
    os.close(write_end)
    assert (done.returncode, done.stdout) == (0, b"2\n")


@posix
@pytest.mark.parametrize(
    ("closed", "name", "code"),
    [
        *(((1,), "blocks", 0), ((2,), "blocks", 0), ((1, 2), "blocks", 0)),
        *(((0, 1, 2), "blocks", 0), ((2,), "no", 3), ((0, 1, 2), "no", 3)),
    ],
)
def test_streams_that_are_closed(matrix, tmp_path, closed, name, code):
    """Like ``>&-``: no process reads, and no other file gets the number of the stream."""
    perm = tmp_path / "perm.npz"
    path = matrix("blocks").with_name(f"{name}.mtx")
    done = subprocess.run(
        command(path, "-o", perm),
        capture_output=True,
        preexec_fn=lambda: [os.close(descriptor) for descriptor in closed],
        check=False,
    )
    assert done.returncode == code and b"Traceback" not in done.stderr, done.stderr
    assert perm.exists() == (code == 0)
    if perm.exists():
        assert perm.read_bytes().startswith(b"PK")


@posix
@pytest.mark.parametrize("words", [("A.mtx", "-"), ("-", "perm.npz")])
def test_standard_input_that_is_closed(matrix, tmp_path, words):
    matrix("blocks").rename(tmp_path / "A.mtx")
    done = subprocess.run(
        command("check", *words),
        capture_output=True,
        cwd=tmp_path,
        preexec_fn=lambda: os.close(0),
        check=False,
    )
    assert done.returncode == 3, done.stderr


def unread(pipe) -> int:
    """The number of bytes that were written to a pipe and not yet read."""
    n_bytes = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, n_bytes)
    return n_bytes[0]


@posix
def test_ctrl_c_while_waiting_for_input():
    """Standard input stays open, so that only the signal can end the process."""
    process = subprocess.Popen(
        command("-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        process.stdin.write(b"%%MatrixMarket matrix")
        process.stdin.flush()
        while unread(process.stdin):  # the process reads, and then waits for the rest
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr.read() == b"btfperm: interrupted\n"
    finally:
        process.kill()
        process.communicate()


# A command whose reader prints a line to stderr and then waits.
SLOW_READER = """
import sys, time, btfperm.io
def read(*args, **options):
    print("reading", file=sys.stderr, flush=True)
    time.sleep(600)
btfperm.io.read = read
from btfperm_cli.main import main
main(["A.mtx", "-o", "perm.npz", *sys.argv[1:]])
"""


@posix
@pytest.mark.parametrize("words", [[], ["--json"]])
def test_ctrl_c_in_the_middle_of_the_work(tmp_path, words):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_READER, *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stderr.readline() == b"reading\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130 and b"Traceback" not in err
    assert (b'"exit_code": 130' in out) if words else (out == b"")
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.parametrize("quiet", [False, True])
def test_progress_on_a_terminal_only(tmp_path, quiet):
    """Progress appears after `DELAY` if stderr is a terminal, and disappears when the work ends."""
    script = f"""
import sys, time
from btfperm_cli import progress
progress.DELAY = 0.05
with progress.stage("counting", quiet={quiet!r}) as stage:
    for k in range(10):
        stage.advance(k, 10)
        time.sleep(0.02)
"""
    main, terminal = os.openpty()
    done = subprocess.run(
        [sys.executable, "-c", script],
        stderr=terminal,
        stdout=subprocess.PIPE,
        env={**os.environ, "TERM": "xterm"},
        check=True,
    )
    os.close(terminal)
    shown = b""
    try:
        while piece := os.read(main, 65536):
            shown += piece
    except OSError:  # the other side is closed
        pass
    os.close(main)
    assert done.stdout == b""
    assert (b"counting" in shown) == (not quiet)


def test_no_progress_without_a_terminal(shell, matrix):
    assert shell(matrix("blocks")).err == ""
