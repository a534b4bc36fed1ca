# SPDX-License-Identifier: BSD-3-Clause
"""A measured command never loses its row: late alarms have no effect, and failures are reported."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from benchmarks import launch, versions
from benchmarks.cases import generated
from benchmarks.peers import memory, startup
from benchmarks.report import Options
from benchmarks.run import cases_of

PYTHON = [sys.executable, "-I", "-S", "-c"]


def options(limit=5.0):
    return Options("tiny", Path(), 2, limit, ["auto"], 1, lambda _: None)


@pytest.mark.parametrize("alarms", [1, 2])
def test_an_alarm_after_the_end_of_the_command_loses_nothing(monkeypatch, capsys, alarms):
    """The alarm fires between the end of the command and its report."""
    wait, handler = os.wait4, signal.getsignal(signal.SIGALRM)

    def late(pid, flags):
        found = wait(pid, flags)
        for _ in range(alarms):
            signal.raise_signal(signal.SIGALRM)
        return found

    monkeypatch.setattr(os, "wait4", late)
    monkeypatch.setattr(sys, "argv", ["launch.py", "60", *PYTHON, "pass"])
    try:
        launch._main()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    report = json.loads(capsys.readouterr().out)
    assert report["status"] == 0 and not report["timed_out"]
    assert report["seconds"] > 0 and report["peak_bytes"] > 0


def test_no_alarm_is_left_behind(monkeypatch, capsys):
    handler = signal.getsignal(signal.SIGALRM)
    monkeypatch.setattr(sys, "argv", ["launch.py", "60", *PYTHON, "pass"])
    try:
        launch._main()
        left, _ = signal.getitimer(signal.ITIMER_REAL)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert left == 0 and json.loads(capsys.readouterr().out)["status"] == 0


def test_a_command_beyond_its_limit_is_a_time_out():
    with pytest.raises(TimeoutError, match=r"ran for more than 0\.05 s"):
        launch.measure([*PYTHON, "import time; time.sleep(60)"], 0.05)


def test_a_command_that_something_else_killed_is_no_time_out():
    with pytest.raises(RuntimeError, match="status -9"):
        launch.measure([*PYTHON, "import os; os.kill(os.getpid(), 9)"], 60)


def test_a_failure_reports_the_last_line_of_its_error():
    with pytest.raises(RuntimeError, match="status 1: ValueError: no"):
        launch.measure([*PYTHON, "raise ValueError('no')"], 60)
    with pytest.raises(RuntimeError, match=r"was not measured: .*No such file"):
        launch.measure(["/no/such/command"], 60)


@pytest.fixture(scope="module")
def measured():
    """`launch.measure`, which starts a command only once."""
    once = functools.cache(lambda line, limit: launch.measure(list(line), limit))
    return lambda line, limit: dict(once(tuple(line), limit))


@pytest.mark.parametrize("section", [startup, versions])
def test_the_commands_of_a_section_work(section, measured, monkeypatch):
    """Runs the commands on a tiny matrix. The section `versions` compares this version with itself.
    The section `memory` runs the same commands as `start-up`, so it has no case of its own."""
    monkeypatch.setattr(section, "measure", measured)
    more = dataclasses.replace(options(60.0), repeats=1, other=Path(sys.executable))
    report = section.run(generated(["opf_300"]), more)
    assert report.complaints == [] and "|" in report.markdown
    if section is startup:
        assert report.data["reasons"] == {} and min(report.data["median"].values()) > 0
    if section is versions:
        names = {row["matrix"] for row in report.data["rows"]}
        assert names == {"opf_300", "tiny", versions.TINY}


def test_versions_needs_both_commands_before_it_measures(tmp_path, monkeypatch):
    other = tmp_path / "python"
    other.symlink_to(sys.executable)
    monkeypatch.setattr(versions, "_calls", lambda *_: pytest.fail("it measures first"))
    with pytest.raises(OSError, match="btfperm, the command of one version, is missing"):
        versions.run(generated(["opf_300"]), dataclasses.replace(options(60.0), other=other))


def test_a_time_out_leaves_a_row_with_its_reason(monkeypatch):
    def stop(line, limit):
        if "import numpy, click" in line:
            raise TimeoutError("python ran for more than 5 s")
        return {"seconds": 0.01, "peak_bytes": 1e6, "status": 0}

    monkeypatch.setattr(startup, "measure", stop)
    section = startup.run([], options())
    assert section.data["reasons"] == {startup.BARE: "python ran for more than 5 s"}
    assert f"| {startup.BARE} | >5000 | - |" in section.markdown
    assert section.complaints == [f"{startup.BARE}: python ran for more than 5 s"]


def test_a_time_out_after_the_warm_up_leaves_the_other_rows(monkeypatch):
    calls = []

    def stop(line, limit):
        calls.append(line)
        if line[-1] == "pass" and len(calls) > 8:
            raise TimeoutError("python ran for more than 5 s")
        return {"seconds": 0.01, "peak_bytes": 1e6, "status": 0}

    monkeypatch.setattr(startup, "measure", stop)
    section = startup.run([], options())
    assert "python: nothing" in section.data["reasons"]
    assert section.data["median"][startup.BARE] == 0.01


def test_memory_marks_runs_that_reached_the_limit(monkeypatch):
    def stop(line, limit):
        if "-c" in line:
            raise TimeoutError("python ran for more than 5 s")
        return {"seconds": 0.5, "peak_bytes": 1e6, "status": 0}

    monkeypatch.setattr(memory, "measure", stop)
    monkeypatch.setattr(memory, "command", lambda: "btfperm")
    section = memory.run(cases_of("memory", "tiny", Path()), options())
    (row,) = section.data["rows"]
    assert row["SciPy"] == {"reason": "python ran for more than 5 s", "overran": True}
    assert row["btfperm"]["seconds"] == 0.5
    assert section.markdown.rstrip().endswith("| 0.50 | 0.00 | >5 | - |")
