# SPDX-License-Identifier: BSD-3-Clause
"""The record of adapters beside the real tools: `python -m tests.conventions.record FILE.json`.

CI does not install CasADi, PETSc and Octave, which are too large for each of its runs, so their
tests are skipped there. This program runs the tests of all adapters that are compared with another
program, and counts them by tool. The exit status is 1 if a test fails, or is skipped because a tool
is missing. Beside the JSON file is one in Markdown.

The tools on Debian: ``apt-get install --no-install-recommends octave python3-petsc4py
libsuitesparse-dev``, and CasADi by ``pip install casadi``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks import machine
from benchmarks.report import describe, table
from tests.conventions.test_petsc import petsc_python

HERE = Path(__file__).parent
# The tests of each tool, below `tests`.
TOOLS = {
    "Octave": ["conventions/test_octave.py"],
    "CasADi": ["conventions/test_casadi.py", "diagnosis/test_systems.py"],
    "PETSc": ["conventions/test_petsc.py"],
    "SciPy": ["conventions/test_scipy.py", "conventions/test_superlu.py"],
    "SuiteSparse": [
        f"conventions/test_{name}.py"
        for name in ("btf", "klu", "csparse", "umfpack", "diagonal", "c_program")
    ],
}


class Outcomes:
    """A plugin of pytest that counts the tests by file and outcome."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.reasons: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome != "passed":
            file = report.nodeid.partition("::")[0].removeprefix("tests/")
            self.counts.setdefault(file, Counter())[report.outcome] += 1
        if report.skipped:
            self.reasons[str(report.longrepr[2])] += 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conventions.record")
    parser.add_argument("file", type=Path, help="the JSON file to write")
    options = parser.parse_args()
    head = machine.describe(module="tests.conventions.record")
    found = Outcomes()
    files = [HERE.parent / file for names in TOOLS.values() for file in names]
    words = ["-q", "-n", "0", "-p", "no:cacheprovider", f"--rootdir={HERE.parents[1]}"]
    pytest.main([*words, *map(str, files)], plugins=[found])
    rows = []
    for tool, names in TOOLS.items():
        counts: Counter[str] = sum((found.counts.get(name, Counter()) for name in names), Counter())
        outcomes = {kind: counts[kind] for kind in ("passed", "failed", "skipped")}
        row = {"tool": tool, "version": version_of(tool, head), **outcomes, "files": names}
        rows.append(row)
    content = head | {"tools": rows, "skipped": found.reasons}
    options.file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    text = markdown(head, rows, found.reasons)
    options.file.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)
    return int(any(row["failed"] or row["skipped"] or not row["passed"] for row in rows))


def version_of(tool: str, head: dict[str, Any]) -> str:
    if tool == "SciPy":
        return head["versions"]["scipy"]
    if tool == "SuiteSparse":
        return head["versions"]["SuiteSparse_config"]
    if tool == "CasADi":
        return said_by([sys.executable, "-c", "import casadi; print(casadi.__version__)"])
    if tool == "Octave":
        octave = shutil.which("octave-cli")
        return said_by([octave, "--eval", "disp(version())"]) if octave else machine.ABSENT
    try:
        python, environment = petsc_python()
    except pytest.skip.Exception:
        return machine.ABSENT
    code = "from petsc4py import PETSc; print(*PETSc.Sys.getVersion(), sep='.')"
    return said_by([python, "-c", code], environment)


def said_by(command: list[str], environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return machine.ABSENT if done.returncode else done.stdout.split()[-1]


def markdown(head: dict[str, Any], rows: list[dict[str, Any]], reasons: Counter[str]) -> str:
    titles = ["tool", "version", "passed", "failed", "skipped", "files below tests"]
    lines = [
        [*(str(value) for key, value in row.items() if key != "files"), listed(row["files"])]
        for row in rows
    ]
    skips = [f"Skipped, {count}: {reason}" for reason, count in reasons.items()]
    parts = [
        f"# Adapters beside the real tools, {head['date']}",
        f"`{head['command']}`",
        describe(head),
        "Numbers of tests in the files. Most of them compare many matrices with the tool; others "
        "test the adapter without it.",
        table(titles, lines),
        *skips,
    ]
    return "\n\n".join(parts) + "\n"


def listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    sys.exit(main())
