# SPDX-License-Identifier: BSD-3-Clause
"""One command for all measurements: ``python -m benchmarks.run --section NAME --out DIR``.

``--list`` prints the sections, and README.md describes them. The exit status is 1 if a section
reports a problem, such as different answers of two methods, and 2 if a section cannot run;
``--all`` leaves such sections out.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
from pathlib import Path
from typing import Any, NamedTuple

import btfperm
from benchmarks import machine
from benchmarks.cases import ALL, SETS, Case, kept, of_set, only, part, real, with_permutations
from benchmarks.report import Options, Report


class Entry(NamedTuple):
    """A section: its module, which has a function `run(cases, options)`, what it measures, and the
    newest result in ``results/``, which a new one supersedes; "" if there is none.

    A module with a function `cases(which, folder)` lists its matrices itself; the other sections
    take those of their set in ``sets.toml``.
    """

    module: str
    measures: str
    result: str


SECTIONS = {
    "matching": Entry(
        "peers.matching",
        "maximum_transversal beside SciPy, SuiteSparse, scikit-sparse and igraph",
        "2026-11-26-matching-field",
    ),
    "decomposition": Entry(
        "peers.decomposition",
        "dulmage_mendelsohn and block_triangular_form beside SuiteSparse and SciPy",
        "2026-11-26-decomposition-field",
    ),
    "start-up": Entry("peers.startup", "the command on a small file", "2026-11-26-start-up-field"),
    "hostile": Entry(
        "hostile",
        "the time for each entry on forty hostile patterns with up to a million rows",
        "2026-11-26-hostile-all",
    ),
    "memory": Entry(
        "peers.memory",
        "peak memory and time of the command on a file, beside SciPy",
        "2026-11-26-memory-field",
    ),
    "published": Entry(
        "papers.grafting",
        "the CPU algorithms of the registry, as in Azad, Buluç and Pothen (IPDPS 2015)",
        "2026-11-26-published-large",
    ),
    "paper-000": Entry(
        "papers.paper_000",
        "APsB and APFB on a GPU beside searches on the CPU, as in Deveci et al. (Euro-Par 2013)",
        "2026-11-27-paper-000-large",
    ),
    "paper-001": Entry(
        "papers.paper_001",
        "tree grafting: scaling, variation and the effect of its parts, as in Azad et al. (2015)",
        "2026-11-26-paper-001-large",
    ),
    "paper-002": Entry(
        "papers.paper_002",
        "red-blue matching over random orders, as in Fagginger Auer and Bisseling (2012)",
        "2026-11-27-paper-002-large",
    ),
    "paper-003": Entry(
        "papers.paper_003",
        "G-PR on a GPU beside searches on the CPU, as in Deveci et al. (ICPP 2013)",
        "2026-11-27-paper-003-large",
    ),
    "paper-004": Entry(
        "papers.paper_004",
        "local max beside GPA, greedy, HEM and red-blue, as in Birn et al. (Euro-Par 2013)",
        "2026-11-27-paper-004-large",
    ),
    "paper-choices": Entry(
        "papers.choices",
        "parameters that three papers chose, and the share of transfers to a GPU",
        "2026-11-27-paper-choices-large",
    ),
    "serial-codes": Entry(
        "papers.serial_codes",
        "entries, phases and path lengths of five serial searches, as in Azad et al. (2015)",
        "2026-11-26-serial-codes-large",
    ),
    "grafting-parts": Entry(
        "papers.grafting_parts",
        "what direction optimisation and grafting save, with entries by direction",
        "2026-11-26-grafting-parts-large",
    ),
    "scaling": Entry("scaling", "one call on 1, 2, 4, ... threads", "2026-11-26-scaling-large"),
    "regret": Entry(
        "regret.cpu",
        "`auto` beside every pair of initial matching and search, on CPU cores",
        "2026-11-26-regret-all",
    ),
    "regret-gpu": Entry(
        "regret.gpu",
        "`auto` beside the CPU and the searches of a GPU",
        "2026-11-26-regret-gpu-all",
    ),
    "rule-support": Entry(
        "regret.support",
        "on how many matrices of the results on file each rule was timed beside the other choice",
        "2026-11-27-rule-support-all",
    ),
    "published-choice": Entry(
        "regret.published",
        "`published` on a GPU beside apfb-wr and g-pr-shr, on graphs not used to set its rules",
        "2026-11-26-published-choice-large",
    ),
    "engine": Entry(
        "device.engine",
        "meeting-trees from an empty matching to its certificate, on a GPU",
        "2026-11-26-engine-large",
    ),
    "gpu-answers": Entry(
        "device.answers",
        "whether every algorithm on a GPU finds the rank, in repeated runs",
        "2026-11-26-gpu-answers-quick",
    ),
    "gpu-decomposition": Entry(
        "device.decomposition",
        "the decomposition after the matching on a GPU, by stage, beside the CPU",
        "2026-11-26-gpu-decomposition-large",
    ),
    "gpu-totals": Entry(
        "device.totals",
        "the whole decomposition on a GPU, from host memory and from a file",
        "2026-11-26-gpu-totals-large",
    ),
    "graphs": Entry(
        "device.graphs",
        "matchings in graphs on a GPU beside one core: time for each edge, weight relative to GPA",
        "2026-11-27-graphs-large",
    ),
    "external": Entry(
        "external",
        "matchings in graphs of eight times the memory, beside the bandwidth of the disk",
        "2026-11-27-external-large",
    ),
    "diagnose": Entry(
        "diagnosis",
        "diagnose beside the decomposition that it contains",
        "2026-11-25-diagnose-large",
    ),
    "solver-layouts": Entry(
        "solvers.layouts",
        "power flow with rows swapped and shuffled: splu, KLU and btfperm",
        "2026-11-27-solver-layouts-real",
    ),
    "solver-newton": Entry(
        "solvers.newton",
        "Newton loops, in which the values change a little: splu, KLU by hand and btfperm",
        "2026-11-27-solver-newton-real",
    ),
    "solver-ratios": Entry(
        "solvers.ratios",
        "KLU and SuperLU called through btfperm over direct calls, and predicted fill, by class",
        "2026-11-27-solver-ratios-real",
    ),
    "solver-orders": Entry(
        "solvers.orders",
        "fill-reducing orders, with and without blocks, compared with SuiteSparse's AMD and COLAMD",
        "2026-11-26-solver-orders-real",
    ),
    "solver-overhead": Entry(
        "solvers.overhead",
        "order, factor and solve from 50 unknowns to a million 1x1 blocks",
        "2026-11-27-solver-overhead-field",
    ),
    "weights": Entry(
        "solvers.weights",
        "weighted_transversal compared with MC64, and fill-reducing orders with those of SuperLU",
        "2026-11-27-weights-real",
    ),
    "weights-base": Entry(
        "solvers.weights_base",
        "weighted_transversal compared with the unweighted search, and on values of wide ranges",
        "2026-11-27-weights-base-real",
    ),
    "auctions": Entry(
        "solvers.auctions",
        "mc64 and heavy-perfect on the CPU and on a GPU, if weighted searches take long",
        "2026-11-26-auctions-large",
    ),
    "mpi-scaling": Entry(
        "mpi.scaling",
        "from a file to the permutations over MPI ranks; --counts names the ranks",
        "2026-11-27-mpi-scaling-field",
    ),
    "mpi-rules": Entry(
        "mpi.rules",
        "each choice of a rule over MPI ranks beside the other choice",
        "2026-11-26-mpi-rules-field",
    ),
    "mpi-one-rank": Entry(
        "mpi.one_rank",
        "the whole command on one MPI rank beside one process, in turns",
        "2026-11-27-mpi-one-rank-real",
    ),
    "mpi-local-max": Entry(
        "mpi.local_max",
        "local max over MPI ranks on random geometric graphs; --counts names the ranks",
        "2026-11-26-mpi-local-max-large",
    ),
    "mpi-phases": Entry(
        "mpi.phases",
        "seconds, waits and peak memory of each phase over MPI ranks; --counts names the ranks",
        "",
    ),
    "mpi-gpu": Entry(
        "mpi.gpu_ranks",
        "the search over MPI ranks with a GPU each, beside one GPU, and under a limit of memory",
        "2026-11-27-mpi-gpu-large",
    ),
    "mpi-gpu-scaling": Entry(
        "mpi.gpu_scaling", "two GPUs beside one", "2026-11-27-mpi-gpu-scaling-large"
    ),
    "mpi-model": Entry(
        "mpi.prediction",
        "a model of the time over MPI ranks and its prediction for 1,024; --counts names the ranks",
        "2026-11-27-mpi-model-field",
    ),
    "pictures": Entry(
        "pictures",
        "the density picture of a random matrix: seconds, and memory beyond the matrix",
        "2026-11-25-pictures-large",
    ),
    "pages": Entry(
        "pages",
        "the page of `btfperm report`: its size, and the time until a browser can use it",
        "2026-11-25-pages-real",
    ),
    "serial-shared": Entry(
        "serial_shared",
        "the serial version of each method and its version for several threads, on one thread",
        "2026-11-26-serial-shared-field",
    ),
    "versions": Entry("versions", "this version beside another one", "2026-11-26-versions-field"),
}

# Sections that measure each matrix in a random order, too, by default: with `--all`, and
# `published` in every run.
PERMUTED = ("matching", "decomposition", "published")
DEFAULT = ["auto"]  # the sections of the papers run all algorithms then
QUICK = {"set": "quick", "repeats": 3, "limit": 0.5}
# Default sets if a section is alone.
WHOLE = {"scaling": "large", "regret": ALL, "regret-gpu": ALL, "rule-support": ALL, "hostile": ALL}


def main(arguments: list[str] | None = None) -> int:
    """Run the sections one after the other, and write the files after each."""
    asked = _parser().parse_args(arguments)
    if asked.list:
        for name, entry in SECTIONS.items():
            print(f"{name:18}{entry.measures}")
        return 0
    if asked.quick:
        vars(asked).update(QUICK)
    sections = asked.section or (list(SECTIONS) if asked.all else ["matching"])
    if asked.set is None:
        asked.set = WHOLE.get(sections[0], "quick") if len(sections) == 1 else "quick"
    options = _options(asked)
    head = machine.describe(arguments)
    for warning in machine.warnings(head):
        options.say(f"warning: {warning}")
    report = Report(head, options)
    for name in sections:
        options.say(f"== {name}")
        try:
            own = options if len(sections) == 1 else options.of_section(name)
            section = load(name).run(_cases(name, asked), own)
            report.add(name, section)
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


def load(section: str) -> Any:
    """The module of a section."""
    return importlib.import_module(f"benchmarks.{SECTIONS[section].module}")


def cases_of(section: str, which: str, folder: Path) -> list[Case]:
    """The matrices of a section in a set; `folder` holds the real ones."""
    own = getattr(load(section), "cases", None)
    if own is not None and which != "real":
        found: list[Case] = own(which, folder)
        return found
    return of_set(which, folder, section)


def _cases(section: str, asked: argparse.Namespace) -> list[Case]:
    if asked.only:
        cases = only(asked.only, real(asked.matrices) if asked.set == "real" else [])
    else:
        cases = cases_of(section, asked.set, asked.matrices)
    count = asked.permutations
    if count is None:
        count = int(section == "published" or (asked.all is not None and section in PERMUTED))
    cases = with_permutations(cases, count)
    if asked.part:
        number, parts = asked.part
        cases = cases[number - 1 :: parts]
    return kept(cases, asked.keep) if asked.keep else cases


def _options(asked: argparse.Namespace) -> Options:
    same = ("matrices", "repeats", "limit", "threads", "runs", "within", "store", "busy", "rules")
    return Options(
        which=asked.set,
        other=asked.other,
        algorithms=asked.algorithm or DEFAULT,
        say=lambda text: print(text, file=sys.stderr, flush=True),
        counts=tuple(asked.counts or ()),
        relabel=tuple(asked.relabel),
        half=asked.half,
        **{name: getattr(asked, name) for name in same},
    )


def _relabelling(word: str) -> str:
    g_pr = btfperm.registry.find("g-pr-shr", initializer=False)
    try:
        return str(g_pr.checked({"relabel": word})["relabel"])
    except btfperm.InvalidArgumentError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    add = parser.add_argument_group("what to measure").add_argument
    add("--list", action="store_true", help="print the sections and end")
    add("--section", action="append", choices=list(SECTIONS), help="repeatable; default matching")
    add("--all", type=Path, metavar="DIR", help="all sections, as with --out DIR")
    words = (
        "set of matrices (quick; scaling alone: large; regret, regret-gpu or hostile alone: all)"
    )
    add("--set", choices=[*SETS, ALL, "fit", "seen", "real"], help=words)
    add("--only", action="append", metavar="NAME", help="only this matrix; repeatable")
    add("--permutations", type=int, metavar="K", help="also K random orders of each matrix")
    words = "every N-th matrix, from the K-th on; so N processes can share a section"
    add("--part", type=part, metavar="K/N", help=words)
    add("--algorithm", action="append", metavar="NAME", help="one of btfperm; repeatable (auto)")
    add("--matrices", type=Path, default=Path("../shared/matrices"), help="folder of --set real")
    add("--keep", type=Path, metavar="DIR", help="store generated matrices, made on all cores")
    add = parser.add_argument_group("how to measure").add_argument
    add("--quick", action="store_true", help=" ".join(f"--{k} {v}" for k, v in QUICK.items()))
    add("--repeats", type=int, default=5, help="timed rounds after the warm-up (5)")
    add("--limit", type=float, default=60.0, help="seconds of a method on one matrix (60)")
    add("--threads", type=int, help="for btfperm; default: its own choice")
    add("--within", type=float, default=math.inf, metavar="S", help="start nothing after S seconds")
    words = (
        "one line of JSON for each matrix; matrices in it are not measured again (regret, papers)"
    )
    add("--store", type=Path, metavar="FILE", help=words)
    add = parser.add_argument_group("where results go").add_argument
    add("--out", type=Path, metavar="DIR", help="a dated file for each section, and its figures")
    add("--json", type=Path, metavar="FILE", help="every sample, machine, versions")
    add("--markdown", type=Path, metavar="FILE", help="the tables that are printed")
    add = parser.add_argument_group("scaling").add_argument
    add("--counts", type=int, nargs="+", metavar="K", help="numbers of threads or ranks to compare")
    add("--runs", type=int, default=3, help="runs of the whole set, in new processes (3)")
    add = parser.add_argument_group("versions").add_argument
    add("--other", type=Path, metavar="PYTHON", help="the interpreter of the other version")
    add = parser.add_argument_group("paper-003").add_argument
    words = "strategies of g-pr in addition to its own two: adaptive:0.3 fixed:50"
    add("--relabel", type=_relabelling, nargs="+", default=(), metavar="WORD", help=words)
    add = parser.add_argument_group("regret, regret-gpu").add_argument
    add("--busy", action="store_true", help="processor time on one thread (regret, versions)")
    add("--half", help="measure only this half of the matrices (regret-gpu)")
    add("--rules", action="store_true", help="write the worth of each rule to auto_measured.json")
    return parser


if __name__ == "__main__":
    sys.exit(main())
