# SPDX-License-Identifier: BSD-3-Clause
"""Run one command and print its seconds, peak memory and exit status as JSON.

``python -I -S launch.py LIMIT COMMAND...``. A script of its own because a new process starts with
the peak memory of the one that made it: the launcher has to be small. `measure` calls it.
"""

import json
import os
import signal
import subprocess
import sys
import time


def measure(command: list[str], limit: float) -> dict[str, float]:
    """``seconds``, ``peak_bytes`` and ``status`` of a command in a fresh process.

    Raises TimeoutError past `limit` seconds and RuntimeError, with the last line of its standard
    error, when the command fails.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", __file__, str(limit), *command],
        capture_output=True,
        text=True,
        check=True,
    )
    report: dict[str, float] = json.loads(done.stdout)
    if report["status"] == -signal.SIGKILL:
        program = command[0].rsplit("/", 1)[-1]
        raise TimeoutError(f"{program} ran for more than {limit:g} s")
    if report["status"] != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{command[0]} ended with status {report['status']:g}: {last}")
    return report


def _main() -> None:
    limit, command = float(sys.argv[1]), sys.argv[2:]
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, limit)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1024
    report = {
        "seconds": seconds,
        "peak_bytes": usage.ru_maxrss * unit,
        "status": os.waitstatus_to_exitcode(status),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    _main()
