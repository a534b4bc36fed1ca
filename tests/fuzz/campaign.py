# SPDX-License-Identifier: BSD-3-Clause
"""Runs inputs on several workers, observes crashes and hangs, and saves the failing inputs."""

from __future__ import annotations

import json
import mmap
import os
import re
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz import properties, worker
from tests.fuzz.readers import case_of
from tests.fuzz.reduce import reduced
from tests.fuzz.worker import FIELDS, Check, Task

__all__ = ["Report", "run"]

HANG_SECONDS = 10.0
_CHUNK = 5000  # inputs of a child before another child replaces it
_POLL_SECONDS = 0.02
MOST_FINDINGS = 40  # findings that are saved and reduced, one of each signature
REDUCE_SECONDS = 4.0
_START_SECONDS = 20.0
_AT = {name: k for k, name in enumerate(FIELDS)}


@dataclass
class Report:
    """The counts of one reader.

    Attributes
    ----------
    seconds : wall-clock time
    cpu_seconds : time of the processors for all workers
    worst_seconds : processor time of the readers and of the checks for the slowest input
    worst_ratio : the largest peak of memory, divided by its bound
    failures : number of failures by kind
    findings : the first failure of each signature (`_signature`), at most MOST_FINDINGS
    """

    reader: str
    tried: int = 0
    accepted: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    worst_seconds: float = 0.0
    worst_index: int = -1
    worst_ratio: float = 0.0
    ratio_index: int = -1
    failures: Counter[str] = field(default_factory=Counter)
    findings: list[dict[str, Any]] = field(default_factory=list)

    def line(self) -> str:
        """A summary for the terminal."""
        mean = 1e3 * self.cpu_seconds / max(1, self.tried)
        failed = ", ".join(f"{n} {kind}" for kind, n in sorted(self.failures.items())) or "none"
        return (
            f"{self.reader:<15} {self.tried:>9,} tried, {self.accepted:,} accepted, "
            f"{self.tried - self.accepted:,} rejected in {self.seconds:.1f} s "
            f"({mean:.2f} ms of CPU each); worst {self.worst_seconds:.2f} s "
            f"(index {self.worst_index}), "
            f"memory {self.worst_ratio:.2f} of the bound (index {self.ratio_index}); "
            f"failures: {failed}"
        )


class _Job:
    """A sequence of children, with its row of the shared table, its folder and its log."""

    def __init__(self, number: int, row: Any, folder: Path) -> None:
        self.number, self.row = number, row
        self.folder = folder / f"job{number}"
        self.folder.mkdir()
        self.log = folder / f"job{number}.jsonl"
        self.pid = 0
        self.task: Task | None = None

    def start(self, task: Task, check: Check) -> None:
        self.task = task
        self.row[:] = 0
        self.row[_AT["index"]] = task.first
        self.row[_AT["started"]] = time.monotonic() + _START_SECONDS  # time for the imports
        self.pid = worker.fork(
            lambda: worker.run(task, self.row, str(self.folder), self.number, self.log, check)
        )

    def ended(self) -> tuple[str, str] | None:
        """None while the child runs; then the kind and sentence of its failure, or two empty
        strings."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if not pid:
            started, cpu_started = self.row[_AT["started"]], self.row[_AT["cpu_started"]]
            if not worker.is_stuck(self.pid, started, cpu_started, HANG_SECONDS):
                return None
            self.stop()
            return "hang", f"more than {HANG_SECONDS:.0f} s"
        self.pid = 0
        if os.WIFSIGNALED(status):
            return "crash", f"signal {os.WTERMSIG(status)}"
        return ("crash", f"exit status {os.WEXITSTATUS(status)}") if status else ("", "")

    def stop(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0


def run(
    reader: str,
    seed: int,
    count: int,
    *,
    first: int = 0,
    seconds: float = float("inf"),
    jobs: int = 1,
    keep: Path | None = None,
    check: Check = properties.check,
    say: Callable[[str], None] = lambda text: None,
) -> Report:
    """Runs `count` inputs of a reader, or as many as fit in `seconds`.

    The first input of each signature (`_signature`), at most MOST_FINDINGS in all, is saved in the
    folder `keep`, with a reduced copy that still fails. Inputs that hang or leak memory are saved
    twice without a reduction.
    """
    report = Report(reader)
    began = time.monotonic()
    deadline = began + seconds
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    table = np.frombuffer(mmap.mmap(-1, jobs * len(FIELDS) * 8), dtype=np.float64)
    rows = table.reshape(jobs, len(FIELDS))
    workers = [_Job(k, rows[k], folder) for k in range(jobs)]
    found: list[tuple[int, str, str]] = []
    waiting = [(at, min(at + _CHUNK, first + count)) for at in range(first, first + count, _CHUNK)][
        ::-1
    ]
    if jobs > 1 and count <= _CHUNK * jobs:  # equal shares
        step = -(-count // jobs)
        waiting = [(at, min(at + step, first + count)) for at in range(first, first + count, step)][
            ::-1
        ]
    try:
        while True:
            for job in workers:
                if job.task is not None:
                    what = job.ended()
                    if what is None:
                        continue
                    _take(job, what, report, found, waiting)
                if waiting and time.monotonic() < deadline:
                    begin, end = waiting.pop()
                    job.start(Task(reader, seed, begin, end, deadline), check)
            if not any(job.task for job in workers):
                break
            time.sleep(_POLL_SECONDS)
        report.seconds = time.monotonic() - began
        _save_findings(report, seed, found, keep, folder, check, say)
    finally:
        for job in workers:
            job.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _take(
    job: _Job,
    what: tuple[str, str],
    report: Report,
    found: list[tuple[int, str, str]],
    waiting: list[tuple[int, int]],
) -> None:
    """Adds up the results of a child. After a crash or a hang, the rest of its task is queued
    again."""
    assert job.task is not None
    row = dict(zip(FIELDS, job.row.tolist(), strict=True))
    report.tried += int(row["tried"])
    report.accepted += int(row["accepted"])
    report.cpu_seconds += row["cpu_seconds"]
    if row["worst_seconds"] > report.worst_seconds:
        report.worst_seconds, report.worst_index = row["worst_seconds"], int(row["worst_index"])
    if row["worst_ratio"] > report.worst_ratio:
        report.worst_ratio, report.ratio_index = row["worst_ratio"], int(row["ratio_index"])
    if what[0]:
        index = int(row["index"])
        report.tried += 1
        if what[0] == "hang":
            report.cpu_seconds += HANG_SECONDS
            report.worst_seconds, report.worst_index = HANG_SECONDS, index
        found.append((index, *what))
        if index + 1 < job.task.last:
            waiting.append((index + 1, job.task.last))
    if job.log.exists():
        for line in job.log.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            found.append((record["index"], record["kind"], record["what"]))
        job.log.unlink()
    job.task = None


def _signature(kind: str, what: str, case_log: list[str]) -> str:
    """Failures with the same signature probably have the same cause."""
    if kind in ("crash", "hang", "leak", "memory"):
        names = sorted({line.split(":")[0].strip("0123456789 ") for line in case_log})
        return " ".join([kind, *names])
    text = re.sub(r"b?'[^']*'|b?\"[^\"]*\"|[/\d]\S*", "", what)
    return f"{kind} {text.removeprefix('peek').removeprefix('read').removeprefix('_matrix')[:50]}"


def _save_findings(
    report: Report,
    seed: int,
    found: list[tuple[int, str, str]],
    keep: Path | None,
    folder: Path,
    check: Check,
    say: Callable[[str], None],
) -> None:
    seen: Counter[str] = Counter()
    for index, kind, what in sorted(found):
        report.failures[kind] += 1
        case = case_of(report.reader, seed, index)
        signature = _signature(kind, what, case.log)
        seen[signature] += 1
        if seen[signature] > 1 or len(seen) > MOST_FINDINGS:
            continue
        finding: dict[str, Any] = {
            "reader": report.reader,
            "seed": seed,
            "index": index,
            "kind": kind,
            "what": what,
            "mutations": case.log,
            "name": case.name,
            "pipe": case.pipe,
            "block": case.block,
        }
        report.findings.append(finding)
        say(f"  {kind} at index {index}: {what}\n    {case.log}")
        if keep is None:
            continue
        limit = HANG_SECONDS if kind == "hang" else 2 * HANG_SECONDS

        def fails(
            smaller: Any, kind: str = kind, limit: float = limit, signature: str = signature
        ) -> bool:
            failures = worker.run_apart(smaller, str(folder), limit, check)
            exact = kind in ("exception", "message", "place")
            return any(
                k == kind and (not exact or _signature(k, w, []) == signature) for k, w in failures
            )

        small = (
            case if kind in ("hang", "leak") else reduced(case, seed, index, fails, REDUCE_SECONDS)
        )
        keep.mkdir(parents=True, exist_ok=True)
        stem = f"{report.reader}-{seed}-{index}-{kind}"
        (keep / f"{stem}-{case.name}").write_bytes(case.data)
        (keep / f"{stem}-min-{case.name}").write_bytes(small.data)
        finding |= {"mutations_min": small.log, "bytes_min": len(small.data)}
        (keep / f"{stem}.json").write_text(json.dumps(finding, indent=1) + "\n", encoding="utf-8")
