# SPDX-License-Identifier: BSD-3-Clause
"""What users rely on, written down once more: the options of each command, the algorithms and what
they promise, and the arrays of each convention. A change of one is a change for users: see
CHANGELOG.md."""

from __future__ import annotations

import click
import pytest
from btfperm_cli.help import groups_of
from btfperm_cli.main import all_commands

import btfperm
from btfperm.conventions.rows import conventions
from tests.cli.conftest import cli

__all__ = ["cli"]

SEARCH = {
    "--algorithm": "algorithm; default auto",
    "--initializer": "initializer; default auto",
    "--backend": "auto cpu gpu mpi; default auto",
    "--device": "gpu, or 0 to 2**31 - 1",
    "--option": "text; repeated",
    "--threads": "threads",
    "--seed": "0 to 2**63 - 1",
    "--deterministic": "flag",
    "--time-limit": "seconds",
    "--max-work": "1 to 2**63 - 1",
}
COMMANDS = {
    "order matrix": {
        **SEARCH,
        "--convention": "btfperm matlab csparse btf klu superlu casadi petsc umfpack scipy",
        "--drop-zeros": "flag",
        "--explain": "flag",
        "--format": "npz mat json txt petsc",
        "--no-clobber": "flag",
        "--solver": "klu superlu",
        "--weights": "product sum bottleneck none",
        "-o/--output": "file; repeated",
        "-v/--verbose": "flag",
    },
    "rank matrices...": {
        **SEARCH,
        "--drop-zeros": "flag",
        "--explain": "flag",
        "--require-full": "flag",
        "-v/--verbose": "flag",
    },
    "diagnose matrix": {
        **SEARCH,
        "--col-names": "path",
        "--drop-zeros": "flag",
        "--explain": "flag",
        "--full": "flag",
        "--row-names": "path",
        "-v/--verbose": "flag",
    },
    "check matrix perm": {
        "--bipartite": "flag",
        "--drop-zeros": "flag",
        "--weights": "values moduli ones",
    },
    "convert source target": {
        "--diagonal": "flag",
        "--drop-zeros": "flag",
        "--format": "mtx npz mat rb",
        "--no-clobber": "flag",
        "--permute": "path",
    },
    "solve matrix rhs?": {
        "--block-ordering": "auto amd colamd minimum-fill rcm natural",
        "--budget": "seconds",
        "--compare": "flag",
        "--drop-zeros": "flag",
        "--format": "mtx npy",
        "--no-clobber": "flag",
        "--repeats": "1 to 1000000",
        "--solver": "auto klu superlu",
        "--transpose": "flag",
        "--weights": "auto product none",
        "-o/--output": "file",
    },
    "match matrix": {
        "--algorithm": "graph algorithm; default auto",
        "--backend": "auto cpu gpu mpi; default auto",
        "--bipartite": "flag",
        "--max-work": "1 to 2**63 - 1",
        "--memory": "text",
        "--no-clobber": "flag",
        "--explain": "flag",
        "--option": "text; repeated",
        "--seed": "0 to 2**63 - 1",
        "--temporary": "directory",
        "--threads": "threads",
        "--time-limit": "seconds",
        "--weights": "values moduli ones; default values",
        "-o/--output": "file",
    },
    "plot matrix": {
        "--block": "0 to 2**63 - 1",
        "--characters": "braille blocks ascii",
        "--drop-zeros": "flag",
        "--format": "png svg pdf",
        "--kind": "spy before after sizes levels",
        "--no-clobber": "flag",
        "--terminal": "flag",
        "--threads": "threads",
        "-o/--output": "file",
    },
    "report matrix": {
        "--col-names": "path",
        "--drop-zeros": "flag",
        "--no-clobber": "flag",
        "--row-names": "path",
        "--solvers-within": "0 to 100000000.0; default 10.0",
        "--threads": "threads",
        "-o/--output": "file; required",
    },
    "algorithms name?": {},
    "doctor": {},
}


def described(option: click.Option) -> str:
    kind, name = option.type, type(option.type).__name__
    if option.is_flag:
        return "flag"
    if hasattr(kind, "choices") and name != "RegistryName":
        text = " ".join(kind.choices)
    elif name in ("WholeNumber", "Device", "FloatRange"):
        least, most = getattr(kind, "least", None), getattr(kind, "most", None)
        text = f"{kind.min} to {kind.max}" if name == "FloatRange" else f"{least} to {most}"
        text = f"gpu, or {text}" if name == "Device" else text
    elif name == "RegistryName":
        text = "graph algorithm" if kind.of_graphs else "algorithm"
        text = "initializer" if kind.initial else text
    else:
        names = {"StringParamType": "text", "ThreadCount": "threads", "Seconds": "seconds"}
        text = names.get(name) or kind.name
    if option.default is not None and "UNSET" not in repr(option.default):
        text += f"; default {option.default}"
    text += "; repeated" * option.multiple + "; required" * option.required
    for number, power in ((2**63 - 1, "2**63 - 1"), (2**31 - 1, "2**31 - 1")):
        text = text.replace(str(number), power)
    return text


def test_the_options_of_each_command():
    found = {}
    for command in all_commands():
        words = [command.name]
        for param in command.params:
            if isinstance(param, click.Argument):
                many, free = "..." * (param.nargs < 0), "?" * (not param.required)
                words.append(f"{param.name}{many}{free}")
        options = (param for param in command.params if isinstance(param, click.Option))
        found[" ".join(words)] = {"/".join(each.opts): described(each) for each in options}
    for options in found.values():
        assert options.pop("--json") == options.pop("-q/--quiet") == "flag"
    assert found == COMMANDS


GROUPS = {
    "Files": {"--output", "--format", "--convention", "--no-clobber", "--drop-zeros"},
    "Order for a solver": {"--solver", "--weights", "--block-ordering"},
    "Search": {*SEARCH},
    "Messages": {"--json", "--quiet", "--verbose", "--explain"},
    "Information": {"--help"},
}


@pytest.mark.parametrize("command", all_commands(), ids=lambda command: command.name)
def test_each_option_is_in_its_group_and_has_a_help_text(command):
    with command.make_context("btfperm", [], resilient_parsing=True) as context:
        for title, options in groups_of(command.get_params(context)):
            for option in options:
                name = option.opts[-1]
                groups = [group for group, names in GROUPS.items() if name in names]
                if name == "--weights" and command.name in ("match", "check"):  # of edges
                    groups = []
                assert groups == ([title] if title != "Options" else []), name
                assert len(option.help.split()) >= 2
                shown = option.get_help_record(context)[0]
                assert shown.endswith(name) == option.is_flag and "TEXT" not in shown
                assert "FLOAT" not in shown and "INTEGER" not in shown


def test_the_manual_has_the_text_of_each_command(cli):
    page = cli("--show-manual").out.replace("\\-", "-").replace("\\e", "\\")
    words = " ".join(page.split())
    for command in all_commands():
        first = command.help.partition(".")[0]
        assert " ".join(first.split()) in words
        for example in command.examples:
            assert example in page
        with command.make_context("btfperm", [], resilient_parsing=True) as context:
            for title, options in groups_of(command.get_params(context)):
                assert f".SS {title}\n.TP" in page
                for option in options:
                    shown, text = option.get_help_record(context)
                    assert (
                        f".B {shown}\n" in page
                        and " ".join(text.replace("\b", "").split()) in words
                    )


# the flags of each algorithm
ALGORITHMS = {
    "transversal initial greedy cpu": "parallel",
    "transversal initial singles-first cpu": "parallel",
    "transversal initial karp-sipser cpu": "parallel",
    "transversal initial min-degree cpu": "",
    "transversal initial two-sided cpu": "parallel",
    "transversal initial red-blue cpu": "parallel, deterministic",
    "transversal initial local-max cpu": "",
    "transversal initial random-greedy cpu": "",
    "transversal initial hem cpu": "",
    "transversal initial gpa cpu": "",
    "transversal initial greedy gpu": "parallel",
    "transversal initial karp-sipser gpu": "parallel",
    "transversal initial red-blue gpu": "parallel",
    "transversal initial local-max gpu": "parallel",
    "transversal augmenting pothen-fan cpu": "parallel",
    "transversal augmenting hopcroft-karp cpu": "",
    "transversal augmenting hkdw cpu": "",
    "transversal augmenting ss-dfs cpu": "",
    "transversal augmenting ss-bfs cpu": "",
    "transversal augmenting ms-bfs cpu": "",
    "transversal augmenting p-dbfs cpu": "parallel",
    "transversal augmenting ms-bfs-graft cpu": "parallel",
    "transversal augmenting apfb gpu": "parallel",
    "transversal augmenting apfb-wr gpu": "parallel",
    "transversal augmenting apsb gpu": "parallel",
    "transversal augmenting apsb-wr gpu": "parallel",
    "transversal augmenting meeting-trees gpu": "parallel, starts itself",
    "transversal augmenting ordered-trees gpu": "parallel, starts itself, deterministic",
    "transversal push_relabel push-relabel cpu": "",
    "transversal push_relabel push-relabel-mt cpu": "parallel",
    "transversal push_relabel g-pr-first gpu": "parallel",
    "transversal push_relabel g-pr-noshr gpu": "parallel",
    "transversal push_relabel g-pr-shr gpu": "parallel",
    "transversal displacement guided-displacement cpu": "parallel",
    "weighted exact mc64 cpu": "parallel, deterministic",
    "weighted approximate heavy-perfect cpu": "parallel, deterministic",
    "weighted approximate heavy-perfect gpu": "parallel, deterministic",
    "weighted graph local-max cpu": "parallel, deterministic",
    "weighted graph local-max-external cpu": "deterministic",
    "weighted graph greedy cpu": "deterministic",
    "weighted graph gpa cpu": "deterministic",
    "weighted graph hem cpu": "deterministic",
    "weighted graph random-greedy cpu": "deterministic",
    "weighted graph red-blue cpu": "parallel, deterministic",
    "weighted graph local-max gpu": "parallel, deterministic",
    "weighted graph red-blue gpu": "parallel, deterministic",
}


def test_the_algorithms():
    flags = {"parallel": "parallel", "starts_itself": "starts itself"}
    flags["deterministic"] = "deterministic"
    found = {}
    for row in btfperm.algorithms():
        if row.backend != "mpi":
            words = [text for name, text in flags.items() if getattr(row, name)]
            found[f"{row.package} {row.family} {row.name} {row.backend}"] = ", ".join(words)
    assert list(found.items()) == list(ALGORITHMS.items())  # users see them in this order
    assert {name for row in btfperm.algorithms() for o in row.options for name in o.forms} == {
        *("first", "random", "ct", "mt", "any", "adaptive:k", "fixed:k", "renewed", "fixed"),
        *("auto", "sequential", "crew", "natural", "weighted", "sorted", "candidates"),
    }


# direction, base, triangle and arrays; how a file is recognised that does not name its convention
CONVENTIONS = {
    "btfperm": ("gather 0 upper", "", ""),
    "matlab": ("gather 1 upper", "p q r s cc rr", "p q r s cc rr"),
    "csparse": ("gather 0 upper", "p q r s nb rr cc", ""),
    "btf": ("gather 0 upper", "P Q R nblocks nmatch Match", "P Q"),
    "klu": ("gather 0 upper", "P Q R", ""),
    "superlu": ("scatter 0 upper", "perm_r perm_c", "perm_r perm_c"),
    "casadi": (
        "gather 0 lower",
        "rowperm colperm rowblock colblock coarse_rowblock coarse_colblock",
        "rowperm colperm rowblock colblock coarse_rowblock coarse_colblock",
    ),
    "petsc": ("gather 0 upper", "rperm cperm", "rperm cperm"),
    "umfpack": ("gather 0 none", "P Qinit", "P Qinit"),
    "scipy": ("gather 0 none", "row column structural_rank", "row column"),
}


def test_the_conventions():
    assert list(conventions) == list(CONVENTIONS)
    for name, (facts, arrays, recognised_by) in CONVENTIONS.items():
        row = conventions[name]
        assert f"{row.direction} {row.base} {row.triangle}" == facts, name
        assert " ".join(row.recognised_by) == recognised_by, name
        assert " ".join(row.arrays) == arrays or name == "btfperm", name
    pairs = {name for name, row in conventions.items() if row.pairs_diagonal}
    assert pairs == {"btf", "klu", "superlu", "petsc", "umfpack"}
    orders = {name for name, row in conventions.items() if row.takes_solver_orders}
    assert orders == {"btf", "klu", "superlu", "casadi", "petsc", "umfpack"}
    assert [name for name, row in conventions.items() if row.matching_only] == ["scipy"]
