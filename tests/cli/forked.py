# SPDX-License-Identifier: BSD-3-Clause
"""Processes of the command line that start in milliseconds.

A helper process imports the command line once, and forks for each command. Its child takes the
given standard streams, runs ``python -m btfperm_cli`` as `runpy` does, and ends as that would. So a
test has a process of its own with pipes of its own, without the time to import NumPy. Tests of the
start itself, of the environment or of files as standard streams need a new interpreter instead.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

__all__ = ["Helper"]

LONGEST = 1 << 16  # bytes of a message
FORKS = sys.platform == "linux"  # elsewhere, each command starts an interpreter


class Helper:
    """The helper process; `run` is like `subprocess.run` with captured streams."""

    def __init__(self):
        self.environment = _environment()
        if not FORKS:
            return
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # with pipes, as the streams of the commands
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.cli.forked", str(theirs.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
            )

    def suits(self):
        """Whether the environment is still that in which the helper began."""
        return self.environment == _environment()

    def run(
        self, words, stdin=b"", timeout=60, *, folder=None, variables=None, stdout=None, stderr=None
    ):
        """`variables`: environment variables that no module reads when it is imported. `stdout` and
        `stderr`: descriptors in place of pipes."""
        if not FORKS:
            return subprocess.run(
                [sys.executable, "-m", "btfperm_cli", *map(str, words)],
                input=stdin,
                stdout=subprocess.PIPE if stdout is None else stdout,
                stderr=subprocess.PIPE if stderr is None else stderr,
                timeout=timeout,
                cwd=folder,
                env={**os.environ, **(variables or {})},
            )
        source, to_child = os.pipe()
        theirs, reads = [source], []
        for given in (stdout, stderr):
            one, other = (None, os.dup(given)) if given is not None else os.pipe()
            reads.append(one)
            theirs.append(other)
        coded = [os.fsencode(str(word)).hex() for word in words]
        where = {"folder": str(folder or Path.cwd()), "variables": variables or {}}
        request = json.dumps({"words": coded, **where})
        socket.send_fds(self.socket, [request.encode()], theirs)
        for fd in theirs:
            os.close(fd)
        pid = int(self.socket.recv(LONGEST))
        with ThreadPoolExecutor(3) as pool:
            pool.submit(_write_all, to_child, stdin)
            streams = [pool.submit(_read_all, fd) for fd in reads]
            self.socket.settimeout(timeout)
            try:
                status = int(self.socket.recv(LONGEST))
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self.socket.settimeout(None)
                self.socket.recv(LONGEST)
                raise subprocess.TimeoutExpired(words, timeout) from None
            self.socket.settimeout(None)
            out, err = (stream.result() for stream in streams)
        return subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(status), out, err)

    def close(self):
        if not FORKS:
            return
        self.socket.close()
        self.process.communicate(timeout=60)


def _environment():
    return {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}


def _write_all(fd, content):
    with os.fdopen(fd, "wb") as pipe:
        try:
            pipe.write(content)
            pipe.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), fd)  # the rest of the buffer goes there


def _read_all(fd):
    if fd is None:
        return None
    with os.fdopen(fd, "rb") as pipe:
        return pipe.read()


def serve(requests):
    """Forks for each request. Returns the words of its command in the child, and None in the
    helper after the last request."""
    while True:
        message, streams, _, _ = socket.recv_fds(requests, LONGEST, 3)
        if not message:
            return None
        pid = os.fork()
        if pid == 0:
            request = json.loads(message)
            for number, fd in enumerate(streams):
                os.dup2(fd, number)
                os.close(fd)
            requests.close()
            os.chdir(request["folder"])
            os.environ.update(request["variables"])
            return [os.fsdecode(bytes.fromhex(word)) for word in request["words"]]
        for fd in streams:
            os.close(fd)
        requests.send(b"%d" % pid)
        requests.send(b"%d" % os.waitpid(pid, 0)[1])


# What the commands import while they run.
LATER = ("btfperm.order", "btfperm.reports.verify", "btfperm.io.perm_npz", "btfperm.io.npz")
LATER += ("btfperm.conventions", "numpy.ma", "numpy.random", "scipy.sparse")


if __name__ == "__main__":
    from btfperm_cli.main import all_commands

    all_commands()
    for name in LATER:
        importlib.import_module(name)
    gc.freeze()  # a child that collects garbage would copy every page
    words = serve(socket.socket(fileno=int(sys.argv[1])))
    if words is not None:
        sys.argv[1:] = words
        runpy.run_module("btfperm_cli", run_name="__main__", alter_sys=True)
