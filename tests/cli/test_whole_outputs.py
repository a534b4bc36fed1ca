# SPDX-License-Identifier: BSD-3-Clause
"""Whole reports, line by line, of the matrices of `tests/uneven.py`: a number on a wrong line, or
that of the other side, makes a difference."""

from __future__ import annotations

import dataclasses
import importlib
import re

import numpy as np
import pytest
import scipy.sparse as sp
from btfperm_cli import solve

import btfperm
from btfperm.preorder.backward_error import BackwardError
from btfperm.preorder.compare import SolverRun
from tests.loops import looped
from tests.uneven import cycle_with_tail, three_blocks, uneven

PREORDER = importlib.import_module("btfperm.preorder")  # a function has this name too


def masked(text: str, folder) -> str:
    """`text` without times and without the folder of the files."""
    text = re.sub(r"\b[\d.,]+ (ms|s)\b", "T", text.replace(f"{folder}/", ""))
    return re.sub(r"T \([^()]*T\)", lambda found: re.sub(r" T\b", "", found[0]), text)


@pytest.fixture
def parts(tmp_path):
    path = tmp_path / "A.mtx"
    btfperm.write_matrix(path, uneven())
    return path


@pytest.fixture
def square(tmp_path):
    path = tmp_path / "S.mtx"
    btfperm.write_matrix(path, three_blocks())
    return path


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "g.mtx"
    btfperm.write_matrix(path, cycle_with_tail())
    return path


ORDER = """\
A.mtx: 10 x 9, 22 entries
  structural rank   7 of 9: structurally deficient
  unmatched         3 rows, 2 columns
  coarse parts      horizontal 2 x 4, square 3 x 3, vertical 5 x 2
  fine blocks       4 (1 of them 1 x 1), the largest 5 x 2, 36.8% of all rows and columns
  for a solver      BTF does not help: the matrix is not square, and block triangular form is \
for square systems
  search            ss-bfs (cpu backend)
  proof             checked: a cover of 7 rows and columns touches every entry
  time              T (read, search, decompose, write)
  written           p.npz
                    q.json
"""


def test_the_report_of_an_order(cli, parts, tmp_path):
    words = (parts, "-o", tmp_path / "p.npz", "-o", tmp_path / "q.json")
    written = ORDER.replace(" " * 20 + "q.json", "  written           q.json")
    assert masked(cli(*words).out, tmp_path) == written
    written = re.sub("(p.npz|q.json)", r"\1 (replaced)", written)
    assert masked(cli(*words).out, tmp_path) == written
    nothing = "  written           nothing; -o perm.npz writes the permutations\n"
    expected = ORDER.partition("  written")[0].replace(", write)", ")") + nothing
    assert masked(cli(parts).out, tmp_path) == expected


def test_the_object_of_an_order(cli, parts, tmp_path):
    found = cli(parts, "-o", tmp_path / "p.npz", "--json").json
    assert {key: found[key] for key in ("entries", "rows", "cols", "structural_rank")} == {
        "entries": 22,
        "rows": 10,
        "cols": 9,
        "structural_rank": 7,
    }
    assert found["deficiency"] == {"rows": 3, "cols": 2}
    assert found["coarse"] == {"horizontal": [2, 4], "square": [3, 3], "vertical": [5, 2]}
    assert (found["fine_blocks"], found["singletons"]) == (4, 1)
    assert found["largest_block"] == {"rows": 5, "cols": 2, "share": pytest.approx(7 / 19)}
    assert (found["maximum"], found["verified"], found["stopped_by"]) == (True, True, None)
    assert found["rank_bounds"] == [7, 7]
    assert (found["written"], found["replaced"]) == ([str(tmp_path / "p.npz")], [])


def test_the_reports_of_matrices_without_entries(cli, matrix):
    empty, none = (cli(matrix(name)).out.splitlines() for name in ("empty", "no_entries"))
    assert "  coarse parts      none: the matrix is empty" in empty
    assert "  fine blocks       none" in empty
    assert "  structural rank   0 (full)" in empty
    assert "  unmatched         2 rows, 3 columns" in none
    assert "  search            ss-bfs (cpu backend)" in none


def test_full_rank_is_that_of_the_shorter_side(cli, matrix):
    for name in ("wide", "tall"):
        assert "  structural rank   2 (full)\n" in cli(matrix(name)).out
    short = "2 of 3: structurally deficient"
    assert f"  structural rank   {short}\n" in cli(matrix("singular")).out


def test_the_explanation_has_every_rule(cli, parts):
    """The lines of the text are those of the object, whose figures change with the rules."""
    explain = cli(parts, "--json").json["explain"]
    lines = [line.strip() for line in cli(parts, "--explain").out.splitlines()]
    at = lines.index(next(line for line in lines if line.startswith("threads: ")))
    seen = set()
    for what, decision in explain["decisions"].items():
        reason = f"({decision['rule']}: {decision['because']})"
        assert lines[at] == f"{what}: {decision['choice']} {reason}"
        at += 1
        if (measured := decision["measured"]) is not None:
            behind = f"{measured['behind']:.2f} times the best on {measured['matrices']} matrices"
            others = [f"{name} {value:.2f}" for name, value in measured["others"].items()]
            assert lines[at] == f"measured: {'; '.join([behind, ', '.join(others)])}"
            at += 1
            seen.add("measured")
        for rule in decision["passed_over"]:
            assert lines[at] == f"not {rule['choice']} ({rule['rule']}): {rule['fails']}"
            at += 1
            seen.add("passed over")
    assert seen == {"measured", "passed over"}
    assert lines[at].startswith("features: rows 10, cols 9, entries 22, wide 0.9, ")


DIAGNOSIS = """\
  overdetermined: 3 rows too many, in 1 independent group:
    rows 1, 3, 5, 6, 8 have entries only in columns 1, 5 (3 too many)
      of these, rows 1, 5 have entries only in column 5
  underdetermined: 2 columns too many, in 1 independent group:
    columns 0, 3, 4, 6 have entries only in rows 2, 4 (2 too many)
  repair: add 2 entries, such as (3, 4), (5, 6)
    or remove rows 3, 5, 8 and fix columns 4, 6: a square nonsingular matrix remains
  proof: 5 rows and 2 columns touch every entry, so nothing smaller suffices
  diagonal: 1 of 22 entries in every maximum transversal, 4 in none
  identical patterns: 2 sets of rows, the largest: rows 1, 5
"""


def test_the_report_of_a_deficiency(cli, parts, tmp_path):
    ended = cli("rank", parts, "--require-full")
    short = "structural rank 7 of 9"
    assert (ended.code, ended.out) == (1, "7\n")
    head = f"btfperm: A.mtx: {short}: 3 rows too many, 2 columns too many\n"
    assert masked(ended.err, tmp_path) == head + DIAGNOSIS
    ended = cli("diagnose", parts)
    head = f"A.mtx: 10 x 9, 22 entries, {short}: not of full structural rank\n"
    assert masked(ended.out, tmp_path) == head + DIAGNOSIS
    found = cli("rank", parts, "--require-full", "--json").json
    assert found["unmatched_rows"] == {"count": 3, "first": [3, 5, 8]}
    assert found["unmatched_columns"] == {"count": 2, "first": [4, 6]}
    assert (found["rows"], found["cols"], found["full"]) == (10, 9, False)
    (over,), (under,) = found["overdetermined"], found["underdetermined"]
    assert (over["rows"], over["columns"], over["excess"]) == ([1, 3, 5, 6, 8], [1, 5], 3)
    assert over["explanation"] == {"rows": [1, 5], "columns": [5]}
    assert (under["rows"], under["columns"], under["excess"]) == ([2, 4], [0, 3, 4, 6], 2)


def test_one_kind_of_deficiency(cli, matrix, tmp_path):
    """Too many columns alone are no finding about the rows."""
    path = tmp_path / "wide.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n3 4 2\n1 1\n2 2\n")
    ended = cli("rank", path, "--require-full")
    assert ": structural rank 2 of 3: 1 row too many, 2 columns too many\n" in ended.err
    words = ("rank", matrix("singular"), "--require-full", "--json")
    found = cli(*words).json
    assert (found["overdetermined"][0]["rows"], found["underdetermined"][0]["columns"]) == (
        [0, 2],
        [0, 2],
    )


def test_the_report_of_a_matching(cli, graph, tmp_path):
    m = btfperm.match(graph, algorithm="local-max")
    text = masked(cli("match", graph, "-o", tmp_path / "m.npz").out, tmp_path)
    left = ", ".join(f"{edges / 8:.2%}" for edges in m.edges_left)
    share = m.weight / m.upper_bound
    assert text.splitlines() == [
        "g.mtx: 9 vertices, 8 edges",
        "  algorithm         local-max",
        f"  weight            {m.weight:g}",
        f"  upper bound       {m.upper_bound:g}; the weight is {share:.1%} of it",
        f"  size              {m.size} edges, {2 * m.size / 9:.1%} of the vertices; maximal",
        f"  rounds            {m.rounds}; edges left: {left}",
        "  written           m.npz",
        "  time              T (read, match, check)",
    ]
    assert m.size == 3 or m.size == 4
    found = cli("match", graph, "--json").json
    facts = ("size", "rounds", "maximal", "locally_dominant", "stopped_by", "counters")
    assert {key: found[key] for key in facts} == {key: getattr(m, key) for key in facts}
    assert (found["vertices"], found["edges"], found["backend"]) == (9, 8, "cpu")
    assert list(found["seconds"]) == ["read", "match", "check"]
    assert all(round(taken, 6) == taken for taken in found["seconds"].values())


@pytest.mark.parametrize(("n", "rounds"), [(17, 8), (19, 9)])
def test_more_than_eight_rounds_are_cut(cli, tmp_path, n, rounds):
    """A path with falling weights takes one round for each second edge."""
    weights = np.arange(n - 1, 0.0, -1)
    path = tmp_path / "path.mtx"
    btfperm.write_matrix(path, sp.diags_array([weights, weights], offsets=[-1, 1], shape=(n, n)))
    m = btfperm.match(path)
    assert m.rounds == rounds
    left = ", ".join(f"{edges / m.edges:.2%}" for edges in m.edges_left[:8])
    more = ", ..." if rounds > 8 else ""
    lines = cli("match", path).out.splitlines()
    assert f"  rounds            {rounds}; edges left: {left}{more}" in lines


RUNS = [
    SolverRun(
        solver="klu",
        ordering="btfperm",
        library="nbklu 9.9",
        order_seconds=0.001,
        factor_seconds=0.0234,
        solve_seconds=0.25,
        refactor_seconds=0.00456,
        total_seconds=0.2744,
        runs=3,
        fill=1234,
        nnz=5678,
        off_diagonal_pivots=17,
        backward_error=BackwardError(1e-11, 2e-12),
        refined_error=BackwardError(np.inf, 4e-14),
        forward_error=5e-15,
    ),
    SolverRun(
        solver="superlu", ordering="own", library="", error="[bold]no[/bold] :warning:\nmore"
    ),
]
TABLE = [
    "S.mtx: 5 x 5, 11 entries",
    "solver, order order factor solve total refactor nnz(L+U) off-diagonal error refined",
    "KLU, btfperm 1 23.4 250 274 4.56 5,678 17 2.0e-12 4.0e-14",
    "SuperLU, alone failed",
    "SuperLU, alone: [bold]no[/bold] :warning:",
    "Times are in milliseconds: medians of 3 runs (--repeats 5; no run of a solver "
    "starts after T).",
]


def test_the_table_of_a_comparison(cli, square, tmp_path, monkeypatch):
    monkeypatch.setattr(PREORDER, "compare_solvers", lambda *_, **__: tuple(RUNS))
    out = cli("solve", square, "--compare").out
    lines = masked(out, tmp_path).splitlines()
    assert [" ".join(line.split()) for line in lines[: len(TABLE)]] == TABLE
    assert len({len(line) for line in lines[1:3]}) == 1  # the numbers are below their titles
    assert out.endswith("from a known solution.\nLibraries: nbklu 9.9.\n")
    done, failed = cli("solve", square, "--compare", "--json").json["comparison"]
    assert failed["error"] == RUNS[1].error and failed["backward_error"] is None
    assert done["backward_error"] == {"normwise": 1e-11, "componentwise": 2e-12}
    assert done["refined_error"] == {"normwise": None, "componentwise": 4e-14}  # infinity
    numbers = ("order_seconds", "factor_seconds", "nnz", "fill", "runs", "forward_error")
    assert [done[name] for name in numbers] == [0.001, 0.0234, 5678, 1234, 3, 5e-15]


def test_two_libraries_of_a_solver_have_their_names_in_the_table(cli, square, monkeypatch):
    other = dataclasses.replace(RUNS[0], library="libklu 1.3")
    failed = dataclasses.replace(RUNS[1], solver="klu", library="libklu 1.3")
    runs = (RUNS[0], other, failed, RUNS[1])
    monkeypatch.setattr(PREORDER, "compare_solvers", lambda *_, **__: runs)
    lines = cli("solve", square, "--compare").out.splitlines()
    assert lines[2].startswith("KLU, btfperm (nbklu 9.9) ")
    assert lines[3].startswith("KLU, btfperm (libklu 1.3) ")
    assert lines[6].startswith("KLU, alone (libklu 1.3): [bold]no")
    assert lines[7].startswith("SuperLU, alone: [bold]no")
    assert lines[-1] == "Libraries: nbklu 9.9, libklu 1.3."


def test_the_report_of_a_comparison_in_which_all_fail(cli, square, monkeypatch):
    monkeypatch.setattr(PREORDER, "compare_solvers", lambda *_, **__: (RUNS[1],))
    ended = cli("solve", square, "--compare")
    assert ended.code == 1 and ended.out.splitlines()[1:] == [
        "SuperLU, alone: [bold]no[/bold] :warning:"
    ]


SOLUTION = """\
A.mtx: 12 x 12, 1 entry, 2 right-hand sides
  solver            klu, transposed
  diagonal          largest product
  blocks            1,234, amd inside
  fill              300 entries in L + U, 45 above the blocks
  pivots            6 off the diagonal
  backward error    infinite normwise, 1.2e-14 componentwise
  rcond             0.25 (smallest / largest pivot)
  written           x.mtx (replaced)
  time              7.0 ms (factor 7.0 ms)
"""


def test_the_report_of_a_solution():
    facts = {"rows": 12, "cols": 12, "entries": 1, "right_hand_sides": 2, "solver": "klu"}
    facts |= {"transposed": True, "weights": "product", "blocks": 1234, "block_ordering": "amd"}
    facts |= {"fill": 300, "nnz": 345, "off_diagonal_pivots": 6, "rcond": 0.25}
    facts |= {"backward_error": {"normwise": None, "componentwise": 1.23e-14}}
    facts |= {"written": "x.mtx", "replaced": True, "seconds": {"factor": 0.007}}
    assert solve.report_lines(facts, "A.mtx") == SOLUTION.splitlines()
    facts |= {"transposed": False, "weights": "none", "rcond": None, "replaced": False}
    facts["backward_error"] = {"normwise": 3e-16, "componentwise": None}
    head, *lines = solve.report_lines(facts, "-")
    assert head == "standard input: 12 x 12, 1 entry, 2 right-hand sides"
    for text in (
        "  solver            klu",
        "  diagonal          transversal of the pattern",
        "  backward error    3e-16 normwise, infinite componentwise",
        "  rcond             unknown",
        "  written           x.mtx",
    ):
        assert text in lines
    facts["written"] = "-"
    assert not any("written" in text for text in solve.report_lines(facts, "-"))


WEIGHTS = """\
  weights           largest product: objective 6.57925, its logarithm, gap 0
  diagonal          as stored: smallest 2, median 4
                    permuted: smallest 2, median 4
                    permuted and scaled: smallest 1, median 1
  order             natural inside the blocks, for superlu
"""


def test_the_report_of_weights_and_of_an_order_for_a_solver(cli, square, tmp_path):
    words = (square, "-o", tmp_path / "p.npz", "--weights", "product", "--solver", "superlu")
    assert WEIGHTS in cli(*words).out


@looped("name", sorted({row.name for row in btfperm.algorithms()}))
def test_the_report_of_one_algorithm(cli, name):
    """The titles of the families, and the commands that run the rows."""
    rows = [row for row in btfperm.algorithms() if row.name == name]
    lines = cli("algorithms", name).out.splitlines()
    titles = [f"{row.package}: {row.family}".replace("_", " ") for row in rows]
    uses = [line for line in lines if line.startswith("Use it: ")]
    assert [line for line in lines if line[:1].strip()] == [*dict.fromkeys(titles), *uses]
    for row, line in zip(rows, (line for line in lines if row_starts(line)), strict=True):
        assert line == f"  {name}  {row.summary}"
    assert uses == list(dict.fromkeys(f"Use it: {command_of(row)}" for row in rows))


def command_of(row):
    if row.of_graphs:
        return f"btfperm match GRAPH --algorithm {row.name}"
    if row.package == "weighted":
        return f"btfperm MATRIX -o perm.npz --weights product --algorithm {row.name}"
    option = "--initializer" if row.family == "initial" else "--algorithm"
    return f"btfperm rank MATRIX {option} {row.name}"


def row_starts(line: str) -> bool:
    return line.startswith("  ") and line[2:3].strip() != ""


def test_explain_has_the_limits(cli, parts):
    words = (parts, "--time-limit", 30, "--max-work", 10**9)
    plan = cli(*words, "--json").json["explain"]["plan"]
    assert (plan["time_limit"], plan["max_work"]) == (30, 10**9)
    assert "; limits: 30 s, 1,000,000,000 entries\n" in cli(*words, "--explain").out
    assert "; no limit\n" in cli(parts, "--explain").out
    ranked = cli("rank", parts, "--json").json["explain"]
    assert "decomposition" not in ranked["decisions"], "nothing is decomposed"
