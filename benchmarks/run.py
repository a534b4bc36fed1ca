# SPDX-License-Identifier: BSD-3-Clause
"""One command for all measurements: ``python -m benchmarks.run --set field --json OUT``.

README.md says what is compared and how; ``--help`` lists the options. Exit status 1 when two
methods gave different answers, or btfperm gave none.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import decomposition, machine, memory, real, startup, transversal
from benchmarks.cases import SETS, Case, choose
from benchmarks.contest import Options, Section

SECTIONS: dict[str, Callable[[list[Case], Options], Section]] = {
    "matching": transversal.run,
    "decomposition": decomposition.run,
    "start-up": startup.run,
    "memory": memory.run,
    "whole-set": real.run,
}


def main() -> int:
    """Run the sections asked for, one after the other; write after each."""
    arguments = _parser().parse_args()
    options = Options(
        which=arguments.set,
        matrices=arguments.matrices,
        repeats=arguments.repeats,
        limit=arguments.limit,
        algorithms=arguments.algorithm or ["auto"],
        threads=arguments.threads,
        say=lambda text: print(text, file=sys.stderr, flush=True),
    )
    head = machine.describe()
    if not head["machine"]["quiet"]:
        options.say("warning: this machine is busy; use ratios, not times")
    sections: dict[str, Section] = {}
    for name in arguments.section or ["matching"]:
        options.say(f"== {name}")
        try:
            cases = choose(options.which, options.matrices, arguments.only or [])
        except (ValueError, OSError) as error:
            options.say(f"error: {error}")
            return 2
        sections[name] = SECTIONS[name](cases, options)
        _write(arguments, head, sections)
    print(_markdown(head, sections))
    complaints = [c for section in sections.values() for c in section.complaints]
    if complaints:
        options.say(f"error: {len(complaints)} problems, listed in the report")
    return 1 if complaints else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    add = parser.add_argument
    add("--section", action="append", choices=list(SECTIONS), help="repeatable; default matching")
    add("--set", choices=[*SETS, "real"], default="quick", help="which matrices (quick)")
    add("--only", action="append", metavar="NAME", help="just this matrix; repeatable")
    add("--repeats", type=int, default=5, help="timed rounds after the warm-up (5)")
    add("--limit", type=float, default=60.0, help="seconds a method may use on one matrix (60)")
    add("--algorithm", action="append", metavar="NAME", help="btfperm's; repeatable; default auto")
    add("--threads", type=int, default=None, help="btfperm's; default its own choice")
    add("--matrices", type=Path, default=Path("../shared/matrices"), help="folder of --set real")
    add("--json", type=Path, metavar="OUT", help="every sample, machine, versions")
    add("--markdown", type=Path, metavar="OUT", help="the tables that are printed")
    return parser


def _write(arguments: argparse.Namespace, head: dict[str, Any], done: dict[str, Section]) -> None:
    if arguments.json:
        data = {name: section.data for name, section in done.items()}
        options = {"repeats": arguments.repeats, "limit_seconds": arguments.limit}
        text = json.dumps({**head, "options": options, "sections": data}, indent=1)
        arguments.json.write_text(text + "\n")
    if arguments.markdown:
        arguments.markdown.write_text(_markdown(head, done))


def _markdown(head: dict[str, Any], sections: dict[str, Section]) -> str:
    on = head["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in head["versions"].items())
    state = "quiet" if on["quiet"] else "BUSY: use ratios, not times"
    lines = [
        f"# Benchmarks, {head['date']}",
        f"`{head['command']}`",
        f"{on['cpu']}, {on['cores']} cores, {on['memory_gib']} GiB, {on['system']}, load "
        f"{on['load_at_start']} at the start ({state}). {versions}.",
    ]
    for section in sections.values():
        lines += [f"## {section.title}", section.markdown]
        if section.complaints:
            lines.append("### Problems")
            lines.append("\n".join(f"- {complaint}" for complaint in section.complaints))
    return "\n\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
