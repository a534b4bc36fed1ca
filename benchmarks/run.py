# SPDX-License-Identifier: BSD-3-Clause
"""One command for all measurements: ``python -m benchmarks.run --all OUT_DIR``.

README.md says what is compared and how; ``--help`` lists the options. Exit status 1 when two
methods gave different answers, or btfperm gave none.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path

import btfperm
from benchmarks import (
    decomposition,
    engine,
    gpu,
    gpu_answers,
    gpu_decomposition,
    gpu_totals,
    machine,
    memory,
    published,
    real,
    regret,
    scaling,
    startup,
    transversal,
)
from benchmarks.cases import SETS, Case, kept, of_set, only, with_permutations
from benchmarks.contest import Options, Section
from benchmarks.report import Report
from benchmarks.stand_ins import stand_ins

SECTIONS: dict[str, Callable[[list[Case], Options], Section]] = {
    "matching": transversal.run,
    "decomposition": decomposition.run,
    "published": published.run,
    "regret": regret.run,
    "gpu": gpu.run,
    "engine": engine.run,
    "gpu-answers": gpu_answers.run,
    "gpu-decomposition": gpu_decomposition.run,
    "gpu-totals": gpu_totals.run,
    "scaling": scaling.run,
    "start-up": startup.run,
    "memory": memory.run,
    "whole-set": real.run,
}

# Sections with matrices of their own for each set; the others take those of the set.
OWN_CASES: dict[str, Callable[[str], list[Case]]] = {
    "published": stand_ins,
    "gpu": gpu.cases,
    "engine": engine.cases,
    "gpu-answers": gpu_answers.cases,
    "gpu-decomposition": gpu_decomposition.cases,
    "gpu-totals": gpu_totals.cases,
    "scaling": scaling.cases,
}

# Those whose matrices are families or stand-ins, each in one order unless it is permuted, too.
PERMUTED = ("matching", "decomposition", "published")

DEFAULT = ["auto"]  # the section `published` runs all algorithms then
QUICK = {"set": "quick", "repeats": 3, "limit": 0.5}


def main(arguments: list[str] | None = None) -> int:
    """Run the sections asked for, one after the other; write after each."""
    asked = _parser().parse_args(arguments)
    if asked.quick:
        vars(asked).update(QUICK)
    if asked.set is None:
        asked.set = "large" if asked.section == ["scaling"] else "quick"
    options = Options(
        which=asked.set,
        matrices=asked.matrices,
        repeats=asked.repeats,
        limit=asked.limit,
        algorithms=asked.algorithm or DEFAULT,
        threads=asked.threads,
        say=lambda text: print(text, file=sys.stderr, flush=True),
        named=bool(asked.only),
        counts=tuple(asked.counts or ()),
        relabel=tuple(asked.relabel),
        runs=asked.runs,
        within=asked.within,
    )
    head = machine.describe(arguments)
    for warning in machine.warnings(head):
        options.say(f"warning: {warning}")
    report = Report(head, options)
    for name in asked.section or (SECTIONS if asked.all else ["matching"]):
        options.say(f"== {name}")
        try:
            report.add(name, SECTIONS[name](_cases(name, asked), options))
        except (ValueError, OSError) as error:
            if not asked.all:
                options.say(f"error: {error}")
                return 2
            options.say(f"left out: {error}")
            continue
        report.write(asked.json, asked.markdown, asked.all or asked.out)
    print(report.markdown())
    if report.complaints:
        options.say(f"error: {len(report.complaints)} problems, listed in the report")
    return 1 if report.complaints else 0


def _cases(section: str, asked: argparse.Namespace) -> list[Case]:
    if section in OWN_CASES and asked.set in SETS and not asked.only:
        cases = OWN_CASES[section](asked.set)
    else:
        cases = of_set(asked.set, asked.matrices)
        cases = only(asked.only, cases) if asked.only else cases
    count = asked.permutations
    if count is None:
        count = int(section == "published" or (asked.all is not None and section in PERMUTED))
    cases = with_permutations(cases, count)
    return kept(cases, asked.keep) if asked.keep else cases


_PERMUTATIONS = "and K random orders of each (1 for published, and with --all; 0 else)"


_WITHIN = "scaling starts no further run that would end after S seconds"


_RELABEL = "for gpu, strategies of g-pr beside its own two: adaptive:0.3 fixed:50"


def _relabelling(word: str) -> str:
    g_pr = btfperm.registry.find("g-pr-shr", initializer=False)
    try:
        return str(g_pr.checked({"relabel": word})["relabel"])
    except btfperm.InvalidArgumentError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    add = parser.add_argument
    add("--all", type=Path, metavar="OUT_DIR", help="every section, as with --out OUT_DIR")
    add("--section", action="append", choices=list(SECTIONS), help="repeatable; default matching")
    add("--set", choices=[*SETS, "real"], help="which matrices (quick; for scaling alone: large)")
    add("--only", action="append", metavar="NAME", help="just this matrix; repeatable")
    add("--permutations", type=int, metavar="K", help=_PERMUTATIONS)
    add("--keep", type=Path, metavar="DIR", help="keep generated matrices, made on all cores, here")
    add("--repeats", type=int, default=5, help="timed rounds after the warm-up (5)")
    add("--limit", type=float, default=60.0, help="seconds a method may use on one matrix (60)")
    add("--quick", action="store_true", help=" ".join(f"--{k} {v}" for k, v in QUICK.items()))
    add("--algorithm", action="append", metavar="NAME", help="btfperm's; repeatable; default auto")
    add("--threads", type=int, default=None, help="btfperm's; default its own choice")
    add("--counts", type=int, nargs="+", metavar="K", help="threads that scaling compares")
    add("--runs", type=int, default=3, help="of the whole set, with new processes, for scaling (3)")
    add("--within", type=float, default=math.inf, metavar="S", help=_WITHIN)
    add("--relabel", type=_relabelling, nargs="+", default=(), metavar="WORD", help=_RELABEL)
    add("--matrices", type=Path, default=Path("../shared/matrices"), help="folder of --set real")
    add("--json", type=Path, metavar="FILE", help="every sample, machine, versions")
    add("--markdown", type=Path, metavar="FILE", help="the tables that are printed")
    add("--out", type=Path, metavar="DIR", help="both, dated, for each section, and its figures")
    return parser


if __name__ == "__main__":
    sys.exit(main())
