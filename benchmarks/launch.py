# SPDX-License-Identifier: BSD-3-Clause
"""Run one command and print its seconds, peak memory and exit status as JSON.

``python -I -S launch.py LIMIT COMMAND...``; the limit is in seconds. This is a script of its own
because a new process starts with the peak memory of its parent, so the launcher has to be small.
`measure` calls it.

On a busy machine, the alarm that ends a command can fire after the command has ended by itself. The
status and the result of the command then count as usual.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time


def measure(command: list[str], limit: float) -> dict[str, float]:
    """``seconds``, ``processor_seconds``, ``peak_bytes`` and ``status`` of a command in a fresh
    process.

    A command that ends by itself counts, even if it needed more than `limit` seconds because its
    alarm fired late. Raises TimeoutError if the alarm ended the command, and RuntimeError, with the
    last line of standard error, if the command failed or could not be started.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", __file__, str(limit), *command],
        capture_output=True,
        text=True,
        check=False,
    )
    program = command[0].rsplit("/", 1)[-1]
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    if done.returncode != 0:
        raise RuntimeError(f"{program} was not measured: {last}")
    report: dict[str, float] = json.loads(done.stdout)
    if report.pop("timed_out"):
        raise TimeoutError(f"{program} ran for more than {limit:g} s")
    if report["status"] != 0:
        raise RuntimeError(f"{program} ended with status {report['status']:g}: {last}")
    return report


def _main() -> None:
    limit, command = float(sys.argv[1]), sys.argv[2:]
    alarms = 0

    def end(*_: object) -> None:
        nonlocal alarms
        alarms += 1
        with contextlib.suppress(ProcessLookupError):  # the command has ended by itself
            os.kill(pid, signal.SIGKILL)

    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, limit)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - start
    signal.setitimer(signal.ITIMER_REAL, 0)  # before the report, so that no alarm interrupts it
    code = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    report = {
        "seconds": seconds,
        "processor_seconds": usage.ru_utime + usage.ru_stime,
        "peak_bytes": usage.ru_maxrss * unit,
        "status": code,
        "timed_out": alarms > 0 and code == -signal.SIGKILL,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    _main()
