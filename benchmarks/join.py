# SPDX-License-Identifier: BSD-3-Clause
"""``python -m benchmarks.join RESULT.json ... --out DIR`` writes one result from several results of
one section that measured different matrices, for example on several GPUs of one machine at once.

The results must have the same section, set, options, machine and versions. The command of the
result consists of the commands of all of them. ``--note`` adds a sentence about the machine, which
replaces the words "quiet" and "BUSY". The exit status is 2 if the results do not belong together.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import without_folders
from benchmarks.report import Options, Report, Section
from benchmarks.run import SECTIONS, load

_SAME = ("cpu", "cores", "memory_gib", "system", "threads")


def main(arguments: list[str] | None = None) -> int:
    """Reads the results, and writes the joined one with its figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.join", description=__doc__)
    parser.add_argument("results", type=Path, nargs="+", metavar="RESULT.json")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--note", help="a sentence about the state of the machine")
    words = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(words)
    parts = [json.loads(path.read_text(encoding="utf-8")) for path in asked.results]
    try:
        name, section = joined_section(parts, asked.note)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    without_note = words[: words.index("--note")] if "--note" in words else words
    command = shlex.join(["python", "-m", "benchmarks.join", *without_folders(without_note)])
    report = Report(joined_head(parts, command), _options(parts[0]["options"]))
    report.add(name, section)
    report.write(None, None, asked.out)
    return 1 if section.complaints else 0


def joined_section(parts: Sequence[Any], note: str | None) -> tuple[str, Section]:
    """The name of the section and the section; raises ValueError if the results do not belong
    together."""
    if len({tuple(part["sections"]) for part in parts}) > 1 or len(parts[0]["sections"]) > 1:
        raise ValueError("the results are not of one section")
    (name,) = parts[0]["sections"]
    for key in ("options", "versions"):
        if any(part[key] != parts[0][key] for part in parts):
            raise ValueError(f"the results differ in their {key}")
    if len({json.dumps([part["machine"].get(key) for key in _SAME]) for part in parts}) > 1:
        raise ValueError("the results are of different machines")
    joined = getattr(load(name), "joined", None) if name in SECTIONS else None
    if joined is None:
        raise ValueError(f"results of the section {name} cannot be joined")
    section = joined(parts[0]["options"]["set"], [part["sections"][name] for part in parts])
    if note:
        section.data["note"] = note
    return name, section


def joined_head(parts: Sequence[Any], command: str) -> dict[str, Any]:
    """The head: the first date, the largest load and all commands, `command` last."""
    machines = [part["machine"] for part in parts]
    first = min(parts, key=lambda part: part["date"])
    commands = dict.fromkeys([*(part["command"] for part in parts), command])
    return {
        "date": first["date"],
        "command": "; ".join(commands),
        "machine": {
            **first["machine"],
            "load_at_start": max(machine["load_at_start"] for machine in machines),
            "quiet": all(machine["quiet"] for machine in machines),
        },
        "versions": first["versions"],
    }


def _options(options: dict[str, Any]) -> Options:
    return Options(
        which=options["set"],
        matrices=Path(),
        repeats=options["repeats"],
        limit=options["limit_seconds"],
        algorithms=[],
        threads=None,
        say=lambda text: print(text, file=sys.stderr, flush=True),
    )


if __name__ == "__main__":
    sys.exit(main())
