# SPDX-License-Identifier: BSD-3-Clause
"""The record of a campaign: what has been run so far, so that a later run continues there.

A record is a JSON file, which is written after each slice of inputs; beside it is a Markdown file
with the counts. A run that is ended in any way loses at most one slice. The sentences of the list
`notes`, which a person adds to the JSON file, end the Markdown file.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections import Counter
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.report import describe, table
from tests.fuzz.campaign import Report

__all__ = ["Record"]

_MOST_FINDINGS = 40  # of each reader
_FOLDER = re.compile(r"\S*/job\d+/")  # in which a worker writes its input
_NAMES = [field.name for field in fields(Report)]


class Record:
    """The counts of all runs of a campaign.

    Attributes
    ----------
    seed : the seed of all its inputs
    reports : the sums by reader. The next input of a reader is the number `tried` of its report,
        because slices are complete, and inputs are numbered from 0 without gaps
    """

    def __init__(self, file: Path, seed: int | None) -> None:
        """Reads the file if it exists. Raises ValueError if its seed is another one."""
        self._file = file
        self._content: dict[str, Any] = {"runs": []}
        if file.exists():
            self._content = json.loads(file.read_text(encoding="utf-8"))
        self.seed: int = self._content.setdefault("seed", 1 if seed is None else seed)
        if seed not in (None, self.seed):
            raise ValueError(f"{file} is the record of a campaign with the seed {self.seed}")
        self.reports = {
            name: _report(name, row) for name, row in self._content.get("readers", {}).items()
        }
        head = machine.describe([])
        words = ["python", "-m", "tests.fuzz", *machine.without_folders(sys.argv[1:])]
        self._content |= {**head, "command": shlex.join(words)}
        self._run: dict[str, Any] = {
            "date": head["date"],
            "commit": head["versions"]["commit"],
            "cpu": head["machine"]["cpu"],
            "cores": head["machine"]["cores"],
            "seconds": 0.0,
            "inputs": {},
        }
        self._content["runs"].append(self._run)

    def tried(self, reader: str) -> int:
        """How many inputs of a reader have been run: the number of the next one."""
        return self.reports[reader].tried if reader in self.reports else 0

    def add(self, slice_: Report) -> None:
        """Adds a complete slice, and writes both files."""
        whole = self.reports.setdefault(slice_.reader, Report(slice_.reader))
        whole.tried += slice_.tried
        whole.accepted += slice_.accepted
        whole.seconds += slice_.seconds
        whole.cpu_seconds += slice_.cpu_seconds
        for value, index in (("worst_seconds", "worst_index"), ("worst_ratio", "ratio_index")):
            if getattr(slice_, value) > getattr(whole, value):
                setattr(whole, value, getattr(slice_, value))
                setattr(whole, index, getattr(slice_, index))
        whole.failures += slice_.failures
        whole.findings += slice_.findings[: _MOST_FINDINGS - len(whole.findings)]
        inputs = self._run["inputs"]
        inputs[slice_.reader] = inputs.get(slice_.reader, 0) + slice_.tried
        self._run["seconds"] = round(self._run["seconds"] + slice_.seconds, 1)
        rows = {name: _row(report) for name, report in self.reports.items()}
        text = json.dumps(self._content | {"readers": rows}, indent=1)
        _replace(self._file, text + "\n")
        _replace(self._file.with_suffix(".md"), self.markdown())

    def markdown(self) -> str:
        """Machine, versions, command, runs and counts."""
        head = self._content
        counts = [
            [
                f"`{report.reader}`",
                f"{report.tried:,}",
                f"{report.accepted:,}",
                f"{1e3 * report.cpu_seconds / max(1, report.tried):.2f}",
                f"{report.worst_seconds:.2f}",
                f"{report.worst_ratio:.2f}",
                ", ".join(f"{n} {kind}" for kind, n in sorted(report.failures.items())) or "none",
            ]
            for report in self.reports.values()
        ]
        runs = [
            [
                run["date"],
                run["commit"],
                f"{run['cpu']}, {run['cores']} cores",
                f"{run['seconds']:.0f}",
                f"{sum(run['inputs'].values()):,}",
            ]
            for run in head["runs"]
            if run["inputs"]
        ]
        titles = ["reader", "inputs", "accepted", "ms of CPU", "slowest, s", "memory", "failures"]
        found = [
            f"* `{name}`, input {finding['index']}: {finding['kind']}: {finding['what']}"
            for name, report in self.reports.items()
            for finding in _row(report)["findings"]
        ]
        parts = [
            f"# Fuzzing, {head['date']}",
            f"`{head['command']}`",
            describe(head),
            f"Inputs of the seed {self.seed}, numbered from 0 for each reader. `memory` is the "
            "largest peak, divided by its bound: 4 times the bytes of input and results, plus "
            "64 MB. The last run has the head above; an input depends on the commit.",
            table(titles, counts),
            table(["run", "commit", "machine", "seconds", "inputs"], runs),
            "\n".join(found),
            *self._content.get("notes", []),
        ]
        return "\n\n".join(filter(None, parts)) + "\n"


def _row(report: Report) -> dict[str, Any]:
    # `asdict` would make a Counter of the (key, count) pairs of a Counter.
    found = [finding | {"what": _FOLDER.sub("", finding["what"])} for finding in report.findings]
    return asdict(report) | {"failures": dict(report.failures), "findings": found}


def _report(name: str, row: dict[str, Any]) -> Report:
    known = {key: value for key, value in row.items() if key in _NAMES}
    return Report(**known | {"reader": name, "failures": Counter(row["failures"])})


def _replace(file: Path, text: str) -> None:
    """Writes the file so that it is complete at any time, even if this process is killed."""
    part = file.with_name(f"{file.name}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, file)  # noqa: PTH105 - Path.replace is the same
