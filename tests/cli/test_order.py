# SPDX-License-Identifier: BSD-3-Clause
"""`btfperm MATRIX`: the written files, the report and the refusals."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from btfperm_cli import order

import btfperm
from btfperm.backends.gpu.device import why_not
from btfperm.conventions import CONVENTIONS
from tests.cli.conftest import command
from tests.loops import looped

SCHEMA = {
    "matrix": dict,
    "entries": int,
    "rows": int,
    "cols": int,
    "structural_rank": int,
    "deficiency": dict,
    "coarse": dict,
    "fine_blocks": int,
    "singletons": int,
    "largest_block": dict,
    "advice": dict,
    "stored_zeros": (dict, type(None)),
    "maximum": bool,
    "stopped_by": type(None),
    "rank_bounds": list,
    "verified": bool,
    "algorithm": str,
    "initializer": str,
    "backend": str,
    "choice": str,
    "explain": dict,
    "counters": dict,
    "seconds": dict,
    "weights": type(None),
    "solver": type(None),
    "block_ordering": type(None),
    "written": list,
    "replaced": list,
    "warnings": list,
    "exit_code": int,
    "error": type(None),
}


def test_the_report(cli, matrix):
    ended = cli(matrix("blocks"))
    assert ended.code == 0 and ended.err == ""
    for text in (
        "blocks.mtx: 4 x 4, 7 entries",
        "structural rank   4 (full)",
        "0 rows, 0 columns",
        "square 4 x 4",
        "3 (2 of them 1 x 1), the largest 2 x 2, 50.0%",
        "BTF helps: ",
        "a cover of 4 rows and columns touches every entry",
        "read ",
        "-o perm.npz",
    ):
        assert text in ended.out, ended.out
    assert "stored zeros" not in ended.out


def test_the_report_of_a_deficient_matrix(cli, matrix):
    out = cli(matrix("singular")).out
    assert "2 of 3: structurally deficient" in out
    assert "1 row, 1 column" in out
    assert "horizontal 1 x 2, vertical 2 x 1" in out
    assert "BTF does not help: the matrix is structurally singular" in out


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("wide", {"rows": 2, "cols": 3, "structural_rank": 2}),
        ("tall", {"rows": 3, "cols": 2, "structural_rank": 2}),
        ("empty", {"rows": 0, "cols": 0, "structural_rank": 0, "fine_blocks": 0}),
        ("no_entries", {"rows": 2, "cols": 3, "structural_rank": 0, "fine_blocks": 5}),
    ],
)
def test_any_shape(cli, matrix, name, facts):
    path = matrix(name)
    assert cli(path).code == 0
    found = cli(path, "--json").json
    assert {key: found[key] for key in facts} == facts


@pytest.mark.parametrize("name", ["blocks", "singular", "zeros", "empty"])
def test_json(cli, matrix, tmp_path, name):
    ended = cli(matrix(name), "--json", "-o", tmp_path / "perm.npz")
    assert ended.code == 0 and ended.err == ""
    assert set(ended.json) == set(SCHEMA)
    for key, kind in SCHEMA.items():
        assert isinstance(ended.json[key], kind), key
    assert ended.json["verified"] is True
    assert ended.json["matrix"]["sha256"]
    assert ended.json["written"] == [str(tmp_path / "perm.npz")]


def test_every_output_is_written(cli, matrix, tmp_path):
    targets = [tmp_path / f"perm.{suffix}" for suffix in ("npz", "mat", "json", "txt")]
    ended = cli(matrix("singular"), *(word for path in targets for word in ("-o", path)))
    assert ended.code == 0
    for path in targets:
        assert path.stat().st_size and str(path) in ended.out
        assert cli("check", matrix("singular"), path).code == 0


def test_perm_npz_is_as_documented(cli, matrix, tmp_path):
    path = tmp_path / "perm.npz"
    cli(matrix("singular"), "-q", "-o", path)
    A = btfperm.read(matrix("singular")).to_scipy().toarray()
    with np.load(path, allow_pickle=False) as file:
        assert file["row_perm"].dtype == np.int64
        B = A[file["row_perm"], :][:, file["col_perm"]]
        assert B.tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 1]]
        assert int(file["structural_rank"]) == 2
        meta = json.loads(str(file["meta"]))
    assert meta["verified"] is True and meta["format_version"] == 1
    assert meta["matrix"]["file"] == "singular.mtx"


@pytest.mark.parametrize("name", CONVENTIONS)
def test_conventions(cli, matrix, tmp_path, name):
    path = tmp_path / "perm.npz"
    assert cli(matrix("blocks"), "-q", "-o", path, "--convention", name).code == 0
    with np.load(path) as file:
        assert json.loads(str(file["meta"]))["convention"] == name


def test_quiet_prints_nothing(cli, matrix, tmp_path):
    assert cli(matrix("zeros"), "-q", "-o", tmp_path / "perm.npz") == (0, "", "")
    assert (tmp_path / "perm.npz").exists()


def test_standard_input_and_output(shell, matrix):
    """stdout holds only the file, stderr the report. The input may be packed."""
    text = gzip.compress(matrix("blocks").read_bytes())
    ended = shell("-", "-o", "-", "--format", "json", stdin=text)
    assert ended.code == 0 and "structural rank" in ended.err
    assert json.loads(ended.out)["structural_rank"] == 4


def test_npz_on_standard_output(matrix):
    done = subprocess.run(
        command(matrix("blocks"), "-q", "-o", "-", "--format", "npz"),
        capture_output=True,
        check=True,
    )
    assert "row_perm" in np.load(io.BytesIO(done.stdout)).files and done.stderr == b""


def test_stored_zeros(cli, matrix):
    path = matrix("zeros")
    with_zeros, without_zeros = cli(path).out, cli(path, "--drop-zeros").out
    assert (
        "1 stored entry is zero, kept as an entry" in with_zeros and "1 without them" in with_zeros
    )
    assert "left out" in without_zeros and "2 when they are kept" in without_zeros
    zeros = cli(path, "--json").json["stored_zeros"]
    assert (zeros["count"], zeros["dropped"], zeros["other_rank"]) == (1, False, 1)
    zeros = cli(path, "--drop-zeros", "--json").json["stored_zeros"]
    assert (zeros["dropped"], zeros["other_rank"]) == (True, 2)


def test_explain(cli, matrix, hard):
    started = cli(matrix("blocks"), "--explain", "--initializer", "greedy")
    assert "the start left nothing to do" in started.out
    assert "short of full rank" in cli(hard, "--explain").out
    assert "nothing was chosen" not in cli(hard, "--explain").out
    assert "asked for by name" in cli(hard, "--explain", "--algorithm", "hopcroft-karp").out
    stopped = cli(hard, "--explain", "--initializer", "none", "--max-work", 5)
    assert stopped.code == 1 and "no start" in stopped.out


def test_explain_names_the_rules(cli, hard):
    """The output shows each decision with its rule, its measurements, the rules before it that
    fail, and the features."""
    found = cli(hard, "--json").json["explain"]
    out = cli(hard, "--explain").out
    chosen = {"place", "start", "algorithm", "threads", "decomposition"}
    assert found["decisions"].keys() == chosen
    assert found["decisions"]["decomposition"]["choice"] == "cpu"
    plan = found["plan"]
    assert f"{plan['initializer']}, then {plan['algorithm']}, on cpu, 1 thread" in out
    for what, decision in found["decisions"].items():
        assert f"{what}: {decision['choice']} ({decision['rule']}: " in out
        for rule in decision["passed_over"]:
            assert f"not {rule['choice']} ({rule['rule']}): {rule['fails']}" in out
    assert f"rows {found['features']['rows']:,}, " in out
    measured = found["decisions"]["start"]["measured"]
    assert f"{measured['behind']:.2f} times the best on {measured['matrices']} matrices" in out
    named = cli(hard, "--json", "--algorithm", "hkdw", "--initializer", "none", "--threads", 1)
    assert named.json["explain"]["decisions"].keys() == {"decomposition"}


def test_options_reach_the_algorithm(cli, hard):
    """Without the option fairness, pothen-fan visits other entries but finds the same rank."""
    words = (hard, "--json", "--algorithm", "pothen-fan")
    fair, unfair = cli(*words).json, cli(*words, "--option", "fairness=0").json
    assert fair["structural_rank"] == unfair["structural_rank"]
    assert fair["counters"] != unfair["counters"]


def test_deterministic_gives_the_same_file_for_each_number_of_threads(cli, hard, tmp_path):
    files = []
    for threads in (1, 2, 3, 4):
        files.append(tmp_path / f"{threads}.npz")
        ended = cli(hard, "--deterministic", "--threads", threads, "-o", files[-1])
        assert ended.code == 0
    first, *others = map(btfperm.load, files)
    for other in others:
        np.testing.assert_array_equal(other.row_match, first.row_match)
        np.testing.assert_array_equal(other.row_perm, first.row_perm)
    cli("rank", hard, "--deterministic", "--algorithm", "g-pr-shr").failed(2, "g-pr-shr")


def test_options_of_initializer_and_algorithm_and_the_last_one_counts(cli, hard):
    words = ("--initializer", "two-sided", "--algorithm", "pothen-fan", "--seed", 7)
    options = ("--option", "sweeps=1", "--option", "fairness=1", "--option", "fairness=0")
    found = cli("rank", hard, "--json", *words, *options, "--threads", 2).json
    assert found["initializer"] == "two-sided" and found["maximum"]


def test_an_option_that_no_algorithm_of_the_run_has(cli, matrix):
    cli(matrix("blocks"), "--option", "bogus=1").failed(2, "bogus")
    words = ("--algorithm", "ms-bfs-graft", "--option", "sweeps=1")
    cli(matrix("blocks"), *words).failed(2, "sweeps", "alpha of ms-bfs-graft")


def test_an_option_may_be_a_number_or_a_word(cli, matrix):
    """The option `relabel` is a number for one algorithm and a word for others."""
    words = ("--algorithm", "push-relabel", "--initializer", "none", "--option")
    assert cli(matrix("blocks"), "--json", *words, "relabel=1").json["maximum"]
    cli(matrix("blocks"), *words, "relabel=adaptive:1").failed(2, "relabel")
    start = ("--algorithm", "ss-bfs", "--initializer", "hem", "--option")
    assert cli(matrix("blocks"), "--json", *start, "order=random").json["initializer"] == "hem"
    cli(matrix("blocks"), *start, "order=1").failed(2, "order of hem must be one of")
    gpu = ("--algorithm", "g-pr-shr", "--option")
    for value in ("adaptive:-1", "adaptive:nan", "adaptive:inf", "fixed:x", "adaptive:k", ":k"):
        cli(matrix("blocks"), *gpu, f"relabel={value}").failed(2, "relabel")


# tests/mpi runs those over ranks.
ROWS = [row for row in btfperm.algorithms(package="transversal") if row.backend != "mpi"]


@looped("row", ROWS, ids=lambda row: row.name)
def test_every_registered_name_runs(cli, matrix, row):
    option = "--initializer" if row.is_initializer else "--algorithm"
    where = ["--backend", row.backend] if row.backend == "gpu" else []
    ended = cli(matrix("singular"), "--json", option, row.name, *where)
    found = ended.json
    if row.backend == "gpu" and why_not() is not None:
        assert ended.code == 4 and "gpu" in found["error"]
        return
    assert found["structural_rank"] == 2
    assert found["initializer" if row.is_initializer else "algorithm"] == row.name


def test_the_matrix_is_not_overwritten(cli, matrix, tmp_path):
    path = matrix("blocks").rename(matrix("blocks").with_suffix(".txt"))
    before = path.read_bytes()
    cli(path, "-o", path).failed(2, "is an input")
    p, q = tmp_path / "p.npz", tmp_path / "q.npz"
    for outputs in ((path, p, q), (p, path, q), (p, q, path)):
        words = [word for output in outputs for word in ("-o", output)]
        cli(path, *words).failed(2, "is an input")
        assert not p.exists() and not q.exists()
    assert path.read_bytes() == before


def test_a_directory_that_is_missing(cli, matrix, tmp_path):
    cli(matrix("blocks"), "-o", tmp_path / "no" / "perm.npz").failed(4, "there is no directory")


def test_a_full_disk(cli, matrix):
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("this system has no /dev/full")
    cli(matrix("blocks"), "-o", "/dev/full", "--format", "txt").failed(4, "/dev/full")


def test_a_failed_write_leaves_the_old_file(cli, matrix, tmp_path):
    path = tmp_path / "perm.npz"
    path.write_bytes(b"old")
    cli(matrix("blocks"), "-o", path, "-o", "/dev/full/x", "--format", "npz").failed(4)
    assert path.read_bytes() == b"old"


def test_a_file_that_is_replaced_is_reported(cli, matrix, tmp_path):
    perm, other = tmp_path / "perm.npz", tmp_path / "perm.txt"
    assert "(replaced)" not in cli(matrix("blocks"), "-o", perm).out
    ended = cli(matrix("blocks"), "-o", perm, "-o", other)
    assert f"{perm} (replaced)\n" in ended.out and f"{other}\n" in ended.out
    found = cli(matrix("blocks"), "-o", perm, "--json").json
    assert found["replaced"] == found["written"] == [str(perm)]
    null = cli(matrix("blocks"), "-o", "/dev/null", "--format", "txt", "--json").json
    assert null["replaced"] == []


def test_no_clobber(cli, matrix, tmp_path, monkeypatch):
    """An existing file is detected before the work, and one that appears later before the
    rename."""
    perm = tmp_path / "perm.npz"
    assert cli(matrix("blocks"), "-o", perm, "--no-clobber", "--json").json["replaced"] == []
    before = perm.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("btfperm.io.read", None)
        cli(matrix("blocks"), "-o", perm, "--no-clobber").failed(4, str(perm), "exists already")
    monkeypatch.setattr(order, "is_replaced", lambda *_, **__: False)
    cli(matrix("wide"), "-o", perm, "--no-clobber").failed(4, str(perm), "exists already")
    assert perm.read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.iterdir() if entry.suffix != ".mtx") == [
        "perm.npz"
    ]
    assert cli(matrix("blocks"), "-o", "/dev/null", "--format", "txt", "--no-clobber").code == 0


@pytest.mark.parametrize(
    ("option", "value", "field"), [("--max-work", 5, "max_work"), ("--time-limit", 1e-9, "time")]
)
def test_a_limit_gives_bounds_and_writes_nothing(cli, hard, tmp_path, option, value, field):
    target = tmp_path / "perm.npz"
    limited = (option, value, "--initializer", "none", "--threads", 1)
    ended = cli(hard, *limited)
    ended.failed(1, str(hard), f"{option} stopped the search", "lies between")
    assert cli(hard, "-q", *limited) == ended  # -q does not hide a failure
    ended = cli(hard, "-o", target, *limited)
    assert ended.code == 1 and "not written" in ended.err and not target.exists()
    found = cli(hard, "--json", "-o", target, *limited).json
    assert set(found) == set(SCHEMA)
    lower, upper = found["rank_bounds"]
    assert lower <= btfperm.structural_rank(hard) <= upper
    assert found["exit_code"] == 1 and found["written"] == [] and "not written" in found["error"]
    assert field in found["stopped_by"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs /dev/stdin")
def test_the_same_answer_from_a_file_and_from_a_pipe(shell, matrix):
    text = matrix("singular").read_bytes()
    from_pipe = shell("-", "--json", stdin=text).json
    from_file = shell(matrix("singular"), "--json").json
    for key in ("structural_rank", "coarse", "fine_blocks", "largest_block"):
        assert from_pipe[key] == from_file[key]
    assert from_pipe["matrix"]["sha256"] == from_file["matrix"]["sha256"]


@pytest.mark.parametrize("k", range(1, 9))
def test_no_memory(cli, matrix, k):
    """If the k-th allocation of the core fails, there is one sentence, and the next run is
    right."""
    from btfperm import _core

    _core.backends.fail_allocation_at(k)
    try:
        ended = cli(matrix("singular"))
    finally:
        _core.backends.fail_allocation_at(0)
    if ended.code:  # a run with fewer than k allocations does not fail
        ended.failed(4, "memory")
    else:
        assert k > 1
    assert cli(matrix("singular")).code == 0


@pytest.mark.parametrize("words", [("--format", "npz"), ("--convention", "klu"), ("--no-clobber",)])
def test_options_of_an_output_need_an_output(cli, matrix, words):
    cli(matrix("blocks"), *words).failed(2, f"{words[0]} goes with -o")


@pytest.mark.parametrize("spelt", [("-o", "-"), ("-o-",), ("--output", "-"), ("--output=-",)])
def test_the_json_goes_to_stderr_if_stdout_holds_a_file(cli, matrix, spelt):
    words = (*spelt, "--format", "txt", "--json")
    ended = cli(matrix("blocks"), *words)
    assert ended.out.startswith("btfperm-permutation")
    assert json.loads(ended.err)["structural_rank"] == 4
    ended = cli(matrix("blocks").parent / "no.mtx", *words)
    assert ended.out == "" and json.loads(ended.err)["exit_code"] == 3


def test_an_empty_matrix_gets_no_advice(cli, matrix):
    assert "BTF does not help: the matrix is empty" in cli(matrix("empty")).out
