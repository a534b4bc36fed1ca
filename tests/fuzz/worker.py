# SPDX-License-Identifier: BSD-3-Clause
"""A worker process: runs a range of inputs and records its progress in shared memory.

A forked child runs the inputs, so that the parent survives a crash, can end a hang, and starts the
next child without importing modules again.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from btfperm import _core
from tests.fuzz import properties
from tests.fuzz.draw import Case
from tests.fuzz.properties import HARD_LIMIT, MARGIN, Outcome
from tests.fuzz.readers import case_of

__all__ = ["FIELDS", "Task", "can_measure", "fork", "is_stuck", "run_apart"]

FIELDS = (
    *("index", "started", "cpu_started", "tried", "accepted", "cpu_seconds"),
    *("worst_seconds", "worst_index", "worst_ratio", "ratio_index"),
)
"""The fields of a worker's row of the shared table, as 64-bit numbers."""

Check = Callable[..., Outcome]

_LEAK_EVERY = 250  # inputs between two measurements of the memory in use
_PATIENCE = 6  # wall-clock time that a child may take, divided by its CPU time
_SANITIZED = 1 << 40  # bytes of address space; AddressSanitizer needs more than other programs


class Task(NamedTuple):
    """The inputs of a reader from `first` to `last` - 1. The worker stops earlier at `deadline`."""

    reader: str
    seed: int
    first: int
    last: int
    deadline: float


def fork(body: Callable[[], None]) -> int:
    """Runs `body` in a forked child. Returns the child's process number."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the children
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        faulthandler.disable()  # the parent reports crashes
        body()
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def prepare(core: int) -> bool:
    """Limits this process to one core and some memory. Returns whether memory can be measured."""
    warnings.simplefilter("ignore")
    gc.disable()  # a collection would add to the time and memory of some input
    gc.freeze()  # explicit collections skip the objects of the parent, which may be millions
    available = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {available[core % len(available)]})  # so readers start no threads
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not can_measure():
        return False
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + HARD_LIMIT, hard))
    return True


def can_measure() -> bool:
    """Whether the memory of an input can be measured: Linux, without AddressSanitizer."""
    return _address_space() < _SANITIZED and properties.reset_peak()


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def run(
    task: Task, row: Any, folder: str, core: int, log: Path, check: Check = properties.check
) -> None:
    """Runs the inputs of a task; failures are appended to `log` as lines of JSON."""
    measured = prepare(core)
    at = {name: k for k, name in enumerate(FIELDS)}
    warm_up(task, folder)
    gc.collect()
    gc.freeze()  # the modules that the readers have imported
    resident, base = None, 0
    for index in range(task.first, task.last):
        started = time.monotonic()
        if started >= task.deadline:
            break
        began = time.process_time()
        row[at["index"]], row[at["started"]], row[at["cpu_started"]] = index, started, began
        case = case_of(task.reader, task.seed, index)
        made = time.process_time()
        if measured:
            base = properties.base_of_peak(base)
        outcome = check(case, folder, measured=measured, base=base)
        ended = time.process_time()
        if outcome.failures:  # exceptions keep their frames alive
            gc.collect()
            base = 0
        if measured and (index + 1) % _LEAK_EVERY == 0:
            resident, base = resident or _resident(), 0  # freed memory may lower the peak
            grown = _resident() - resident
            if grown > MARGIN:
                what = f"{grown >> 20} MB more than after the first {_LEAK_EVERY} inputs"
                outcome.failures.append(("leak", what))
                resident += grown
        if outcome.failures:
            with log.open("a", encoding="utf-8") as file:
                for kind, what in outcome.failures:
                    record = {"index": index, "kind": kind, "what": what}
                    file.write(json.dumps(record) + "\n")
        row[at["tried"]] += 1
        row[at["accepted"]] += outcome.accepted
        row[at["cpu_seconds"]] += ended - began
        spent = ended - made  # of the readers, without what the fuzzer takes to make the input
        if spent > row[at["worst_seconds"]]:
            row[at["worst_seconds"]], row[at["worst_index"]] = spent, index
        if outcome.ratio > row[at["worst_ratio"]]:
            row[at["worst_ratio"]], row[at["ratio_index"]] = outcome.ratio, index
    row[at["index"]] = -1


def warm_up(task: Task, folder: str) -> None:
    """Runs some inputs without mutations, so that imports and permanent memory of a reader do not
    count as memory of an input."""
    for index in range(10):
        case = case_of(task.reader, 0, index, frozenset(range(64)))
        properties.check(case, folder, measured=False)


def _resident() -> int:
    gc.collect()
    _core.backends.return_free_memory()  # freed memory that the allocator keeps is not a leak
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def is_stuck(pid: int, started: float, cpu_started: float, seconds: float) -> bool:
    """Whether a child has used `seconds` of CPU time for an input, or much more wall-clock time.

    CPU time counts, because other processes may load the machine.
    """
    elapsed = time.monotonic() - started
    if elapsed < seconds:
        return False
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    spent = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return spent - cpu_started > seconds or elapsed > _PATIENCE * seconds


def run_apart(
    case: Case, folder: str, seconds: float, check: Check = properties.check
) -> list[Any]:
    """The failures of one input in a child of its own: pairs of a kind and a sentence."""
    reading, writing = os.pipe()

    def body() -> None:
        measured = prepare(0)
        base = properties.base_of_peak(0)
        outcome = check(case, folder, measured=measured, base=base)
        with os.fdopen(writing, "w") as file:
            json.dump(outcome.failures[:50], file)

    pid = fork(body)
    os.close(writing)
    started = time.monotonic()
    status = None
    while not is_stuck(pid, started, 0.0, seconds):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        status = None
        time.sleep(0.002)
    if status is None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    with os.fdopen(reading) as file:
        text = file.read()
    if status is None:
        return [["hang", f"more than {seconds:.0f} s"]]
    if os.WIFSIGNALED(status):
        return [["crash", f"signal {os.WTERMSIG(status)}"]]
    return list(json.loads(text)) if text else [["crash", f"exit status {status}"]]
