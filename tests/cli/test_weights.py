# SPDX-License-Identifier: BSD-3-Clause
"""``--weights``: the files, the report and the verification of a weighted transversal, against the
dense matrix and an oracle that share no code with btfperm."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from btfperm_cli.order import order

import btfperm
from btfperm.conventions import CONVENTIONS
from tests.cli.test_solver import arrays_of
from tests.known_answers import MATRICES
from tests.oracles.plain_weighted import best_transversal

SCALES = ("log_row_scale", "log_col_scale")
KINDS = ("product", "sum", "bottleneck")
FORMATS = ("npz", "json", "txt", "mat")
WEST = MATRICES / "west0479.mtx.gz"
each_format = pytest.mark.parametrize("format", FORMATS)


def written(tmp_path, A, name="A.mtx"):
    """Writes the nonzeros of a dense matrix to a Matrix Market file, and returns its path."""
    path = tmp_path / name
    btfperm.write_matrix(path, sp.coo_array(A))
    return path


def random_matrix(case):
    """Returns a matrix up to 8 x 8, of any shape and rank, with real or complex values of very
    different sizes."""
    rng = np.random.default_rng(case)
    m, n = rng.integers(1, 9, 2)
    A = np.exp(5 * rng.normal(size=(m, n))) * (rng.random((m, n)) < 0.4)
    if case % 3 == 0:
        A = A * np.exp(1j * rng.random((m, n)))
    A[0, 0] = A[0, 0] or 1.0  # not without entries
    return A


def content(path):
    """Reads the arrays of a file, with the scalings, by other packages or plain parsing."""
    found = arrays_of(path)
    if path.suffix != ".txt":
        return found
    text = path.read_text()
    _, _, reals = text.partition("\nreals ")
    words = iter(reals.split())
    for _ in range(int(next(words, 0))):
        name = next(words)
        found[name] = [float(next(words)) for _ in range(int(next(words)))]
    return found


def check_scalings(A, match, found):
    """Checks that scaled entries have moduli of at most 1, and of 1 where they are matched."""
    rows, cols = np.nonzero(A)
    u, v = (np.asarray(found[name], dtype=float) for name in SCALES)
    scaled = np.log(np.abs(A[rows, cols])) + u[rows] + v[cols]
    assert scaled.max(initial=0) < 1e-9
    on = match[rows] == cols
    assert on.sum() == np.count_nonzero(match >= 0)
    assert np.abs(scaled[on]).max(initial=0) < 1e-9


@pytest.mark.parametrize("case", range(30))
def test_the_file_holds_the_best_matching_and_its_scalings(cli, tmp_path, case):
    A = random_matrix(case)
    kind = KINDS[case % 2 if case % 5 else 2]
    path, perm = written(tmp_path, A), tmp_path / "perm.npz"
    ended = cli(path, "--weights", kind, "-o", perm, "--json")
    assert ended.code == 0
    weights = ended.json["weights"]
    rank, objective = best_transversal(A, kind)
    found = content(perm)
    match = np.asarray(found["row_match"])
    rows = np.flatnonzero(match >= 0)
    moduli = np.abs(A[rows, match[rows]])
    value = {"product": np.log(moduli).sum(), "sum": moduli.sum(), "bottleneck": moduli.min()}
    assert rows.size == rank == ended.json["structural_rank"]
    assert value[kind] == pytest.approx(objective, rel=1e-9, abs=1e-9)
    assert weights["value"] == pytest.approx(objective, rel=1e-9, abs=1e-9)
    assert weights["objective"] == kind and 0 <= weights["gap"] <= 1e-6 * max(1, abs(objective))
    assert json.loads(str(found["meta"]))["weights"] == {
        key: weights[key] for key in ("objective", "value", "gap", "algorithm")
    }
    diagonal = weights["diagonal"]
    stored = np.abs(np.diagonal(A))
    for name, values in (("before", stored), ("after", moduli)):
        assert diagonal[name]["smallest"] == pytest.approx(values.min())
        assert diagonal[name]["median"] == pytest.approx(np.median(values))
    if kind == "product":
        check_scalings(A, match, found)
        for name in ("smallest", "median"):
            assert diagonal["scaled"][name] == pytest.approx(1, rel=1e-9)
    else:
        assert diagonal["scaled"] is None and not found.keys() & set(SCALES)
    assert cli("check", path, perm).code == 0
    d = btfperm.load(perm)
    assert d == btfperm.load(perm) and (d.log_row_scale is None) == (kind != "product")
    check_blocks(A, d)


def check_blocks(A, d):
    """Nothing is stored below the diagonal blocks, and square blocks have the matching on their
    diagonals."""
    B = A[np.ix_(d.matched_row_perm, d.col_perm)]
    for k in range(d.n_blocks):
        assert not B[d.row_blocks[k + 1] :, d.col_blocks[k] : d.col_blocks[k + 1]].any()
    rows, cols = d.matched_row_perm[d.square.row_slice], d.col_perm[d.square.col_slice]
    assert np.array_equal(d.row_match[rows], cols)


@each_format
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_scalings_in_every_format_and_convention(cli, tmp_path, format, convention):
    """Scalings belong to the original rows and columns, whatever the convention permutes."""
    perm = tmp_path / f"perm.{format}"
    words = ("-o", perm, "--convention", convention)
    assert cli(WEST, "--weights", "product", *words).code == 0
    found = content(perm)
    w = btfperm.weighted_transversal(WEST)
    for name in SCALES:
        assert np.array_equal(np.ravel(found[name]), getattr(w, name)), name
    ended = cli("check", WEST, perm)
    assert ended.code == 0 and "scalings" in ended.out


@pytest.mark.parametrize("solver", ["klu", "superlu"])
def test_a_solver_gets_the_weighted_matching_and_the_scalings(cli, tmp_path, solver):
    perm = tmp_path / "perm.npz"
    ended = cli(WEST, "--weights", "product", "--solver", solver, "-o", perm, "--json")
    assert ended.code == 0 and ended.json["solver"] == solver
    found = content(perm)
    A = sp.csc_array(btfperm.read_matrix(WEST)).toarray()
    if solver == "klu":
        P, Q = found["P"], found["Q"]
    else:
        P, Q = np.argsort(found["perm_r"]), np.argsort(found["perm_c"])
    diagonal = np.abs(A[P, Q])
    w = btfperm.weighted_transversal(WEST)
    assert np.log(diagonal).sum() == pytest.approx(w.objective)
    assert diagonal.min() == pytest.approx(ended.json["weights"]["diagonal"]["after"]["smallest"])
    match = np.empty(479, dtype=int)
    match[P] = Q
    check_scalings(A, match, found)
    assert cli("check", WEST, perm).code == 0


def test_a_file_of_a_transversal_that_is_nearly_the_best(cli, tmp_path):
    """`check` reports the gap, and refuses scalings that prove less than the file claims."""
    rng = np.random.default_rng(2)
    A = sp.random(2000, 2000, 5 / 2000, random_state=rng) + sp.eye_array(2000)
    A.data = np.exp(3 * rng.normal(size=A.nnz))
    path, perm = tmp_path / "a.mtx", tmp_path / "p.npz"
    btfperm.write_matrix(path, A)
    w = btfperm.weighted_transversal(path, algorithm="heavy-perfect")
    d = btfperm.dulmage_mendelsohn(path, transversal=w)
    assert w.gap > 1 and d.meta["weights"]["algorithm"] == "heavy-perfect"
    d.save(perm)
    ended = cli("check", path, perm)
    assert ended.code == 0 and f"may be e^{w.gap:.3g} times its product" in ended.out
    assert btfperm.load(perm) == d
    meta = {**d.meta, "weights": {**d.meta["weights"], "gap": 0.9 * w.gap}}
    replace(d, meta=meta).save(perm)
    ended = cli("check", path, perm)
    assert ended.code == 1 and "more than the gap of" in ended.out


def test_a_singular_matrix_is_completed_for_a_solver(cli, tmp_path):
    A = np.array([[3.0, 1, 0], [5, 2, 0], [0, 4, 0]])
    path, perm = written(tmp_path, A), tmp_path / "perm.txt"
    words = ("-o", perm, "--convention", "klu", "--weights", "product")
    assert cli(path, *words).code == 0
    assert cli("check", path, perm).code == 0
    match = np.array([-1, 0, 1])
    check_scalings(A, match, content(perm))


def test_the_report(cli, tmp_path):
    A = np.array([[1e-3, 10.0], [4.0, 0.0]])
    path = written(tmp_path, A)
    out = cli(path, "--weights", "product").out
    assert f"largest product: objective {math.log(40):.6g}, its logarithm, gap " in out
    assert "diagonal          as stored: smallest 0, median 0.0005\n" in out
    assert "permuted: smallest 4, median 7\n" in out
    assert "permuted and scaled: smallest 1, median 1\n" in out
    out = cli(path, "--weights", "sum").out
    assert "largest sum: objective 14, gap " in out and "scaled" not in out
    assert (
        "largest smallest modulus: objective 4, gap 0\n" in cli(path, "--weights", "bottleneck").out
    )
    assert "weights" not in cli(path).out and cli(path, "--json").json["weights"] is None


def test_the_documentation(cli, tmp_path, monkeypatch):
    """The report has the lines of the page, except for the gap, which is a rounding error; and the
    Python blocks of the page run."""
    page = (MATRICES.parent / "docs" / "weights.md").read_text()
    blocks = re.findall(r"```(\w+)\n(.*?)```", page, re.DOTALL)
    out = re.sub(r"gap \S+", "", cli(WEST, "--weights", "product").out)
    shown = next(text for language, text in blocks if language == "text")
    assert {*re.sub(r"gap \S+", "", shown).splitlines()} <= {*out.splitlines()}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "matrices").symlink_to(MATRICES)
    code = "\n".join(text for language, text in blocks if language == "python")
    with pytest.warns(btfperm.StoredZerosWarning):
        exec(code, {})
    assert cli("check", WEST, "perm.npz").code == cli("check", WEST, "perm.txt").code == 0


@pytest.mark.parametrize("kind", KINDS)
def test_no_entry_and_the_largest_values(cli, tmp_path, kind):
    path = tmp_path / "none.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 3 0\n")
    found = cli(path, "--weights", kind, "--json", "-o", tmp_path / "p.npz").json
    assert found["exit_code"] == 0
    assert found["weights"]["diagonal"]["after"] == {"smallest": None, "median": None}
    assert found["weights"]["value"] == (None if kind == "bottleneck" else 0)
    assert cli("check", path, tmp_path / "p.npz").code == 0
    path = written(tmp_path, np.diag([1.7e308, 1.6e308]))
    found = cli(path, "--weights", kind, "--json").json["weights"]
    assert found["diagonal"]["after"]["median"] == pytest.approx(1.65e308)


def test_stored_zeros_are_left_out_and_the_report_names_the_rank(cli, matrix, tmp_path):
    perm = tmp_path / "p.npz"
    for words in ((), ("--drop-zeros",)):
        ended = cli(matrix("zeros"), "--weights", "product", "-o", perm, *words)
        text = "left out; the structural rank is 1, and 2 when they are kept"
        assert ended.code == 0 and text in ended.out
        assert cli("check", matrix("zeros"), perm).code == 0
    assert btfperm.load(perm).structural_rank == 1


def test_duplicates_that_cancel_are_left_out(cli, tmp_path):
    path, perm = tmp_path / "a.mtx", tmp_path / "p.npz"
    head = "%%MatrixMarket matrix coordinate real general\n2 2 5\n"
    path.write_text(head + "1 1 3\n2 2 2\n2 2 -2\n1 2 7\n2 1 0\n")
    ended = cli(path, "--weights", "product", "-o", perm, "--json")
    assert ended.json["structural_rank"] == 1 and ended.json["entries"] == 2
    assert ended.json["stored_zeros"]["count"] == 2
    assert ended.json["stored_zeros"]["other_rank"] == 2
    assert cli("check", path, perm).code == 0


def test_duplicates_that_cancel_may_be_entries(cli, tmp_path):
    """The Python API keeps duplicates whose sum is 0 as entries of the decomposition; the command
    line with ``--weights`` leaves them out. `check` distinguishes the two by the number of entries
    that the permutation file records."""
    path, perm = tmp_path / "a.mtx", tmp_path / "p.npz"
    head = "%%MatrixMarket matrix coordinate real general\n3 3 7\n"
    path.write_text(head + "1 1 3\n2 2 2\n3 3 1\n1 2 7\n2 1 5\n2 1 -5\n3 1 0\n")
    with pytest.warns(btfperm.StoredZerosWarning):
        w = btfperm.weighted_transversal(path)
    d = btfperm.dulmage_mendelsohn(path, transversal=w, drop_zeros=True)
    assert d.n_blocks == 2 and d.meta["matrix"]["zeros_dropped"]
    d.save(perm)
    assert cli("check", path, perm).code == 0
    assert cli(path, "--weights", "product", "-o", perm, "--json").json["fine_blocks"] == 3
    assert cli("check", path, perm).code == 0


def test_what_is_refused(cli, matrix, tmp_path):
    blocks = matrix("blocks")  # of the field pattern
    words = ("--weights", "product", "-o", tmp_path / "p.npz")
    message = "holds no values, only the positions of the entries: give a file with values, or"
    cli(blocks, *words).failed(3, "blocks.mtx: ", message, "leave out --weights\n")
    assert not (tmp_path / "p.npz").exists()
    bad = tmp_path / "nan.mtx"
    bad.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 nan\n")
    cli(bad, *words).failed(3, "nan.mtx", "row 1, column 0")
    for extra in (("--backend", "gpu"), ("--device", 0)):
        message = "runs on the CPU: use --backend cpu or --backend auto, and name no device"
        cli(WEST, *words, *extra).failed(2, message)
    cli(WEST, "--weights", "largest").failed(2, "largest")
    with pytest.raises(btfperm.InvalidArgumentError, match="no weights 'x'; give one of product"):
        btfperm.order.order_file(WEST, weights="x")


def test_the_options_of_the_search_apply(cli):
    words = ("--weights", "product", "--algorithm", "hopcroft-karp", "--initializer", "greedy")
    assert cli(WEST, *words, "--json").json["algorithm"] == "hopcroft-karp"
    ended = cli(WEST, "--weights", "product", "--max-work", 1, "--initializer", "none")
    ended.failed(1, "--max-work stopped the search")


def test_a_limit_on_the_weighted_search(cli, tmp_path):
    rng = np.random.default_rng(1)
    A = sp.random(300, 300, 0.02, random_state=rng) + sp.eye_array(300)
    A.data = np.exp(rng.normal(size=A.nnz))
    path, perm = tmp_path / "a.mtx", tmp_path / "p.npz"
    btfperm.write_matrix(path, A)
    words = ("--weights", "product", "--initializer", "greedy", "-o", perm)
    assert cli(path, *words[2:], "--max-work", 10).code == 0
    perm.unlink()
    ended = cli(path, *words, "--max-work", 10)
    ended.failed(1, "the weighted search was stopped by --max-work: the structural rank is 300")
    assert not perm.exists()


def test_the_choices_are_objectives_of_the_library():
    from typing import get_args

    from btfperm.weighted import Objective

    option = next(option for option in order.params if option.name == "weights")
    assert {*option.type.choices} == {*get_args(Objective), "none"}


def test_order_file():
    done = btfperm.order.order_file(WEST, weights="product")
    w = btfperm.weighted_transversal(WEST)
    assert done.weighted == w and done.decomposition.transversal is done.transversal
    assert np.array_equal(done.transversal.col_match, w.col_match)
    d = btfperm.dulmage_mendelsohn(WEST, transversal=w, drop_zeros=True)
    assert d == done.decomposition and d.meta["weights"] == done.decomposition.meta["weights"]
    assert done.diagonals.scaled.smallest == pytest.approx(1)
    assert list(done.seconds) == ["read", "search", "decompose", "weigh"]


def test_the_approximate_search(cli, tmp_path):
    perm = tmp_path / "p.npz"
    ended = cli(WEST, "--weights", "product", "--algorithm", "heavy-perfect", "-o", perm, "--json")
    assert ended.code == 0
    weights = json.loads(ended.out)["weights"]
    exact = btfperm.weighted_transversal(WEST)
    near = btfperm.weighted_transversal(WEST, algorithm="heavy-perfect")
    assert (weights["algorithm"], weights["value"]) == ("heavy-perfect", near.objective)
    assert near.objective <= exact.objective + 1e-9 <= near.objective + weights["gap"] + 2e-9
    assert cli("check", WEST, perm).code == 0
    cli(WEST, "--algorithm", "mc64").failed(2, "the algorithm mc64 needs --weights")
    words = ("--weights", "bottleneck", "--algorithm", "mc64")
    cli(WEST, *words).failed(2, "'bottleneck' has one algorithm")
    cli("rank", WEST, "--algorithm", "heavy-perfect").failed(2, "heavy-perfect")


def test_explain_names_the_weighted_search(cli, tmp_path):
    path = written(tmp_path, random_matrix(0))
    out = cli(path, "--weights", "product", "--explain").out
    assert "weighted algorithm: mc64 (always: the largest product or sum)" in out
    assert "  weighted plan: mc64, on cpu, 1 thread; no limit\n" in out
    explained = cli(path, "--weights", "sum", "--json").json["explain"]
    decisions, plan = explained["decisions"], explained["weighted_plan"]
    assert (plan["algorithm"], plan["backend"]) == ("mc64", "cpu")
    assert decisions["weighted algorithm"]["choice"] == "mc64" and "algorithm" in decisions
    named = cli(path, "--weights", "product", "--algorithm", "heavy-perfect", "--json")
    assert "weighted algorithm" not in named.json["explain"]["decisions"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_explains_the_weighted_search(cli, tmp_path, kind):
    perm = tmp_path / "p.npz"
    explained = cli(WEST, "--weights", kind, "-o", perm, "--json").json["explain"]
    for decision in explained["decisions"].values():
        del decision["measured"]
    assert ("weighted_plan" in explained) == (kind != "bottleneck")  # which has one algorithm
    assert json.loads(str(content(perm)["meta"]))["explain"] == explained


def test_the_file_of_a_solver_explains_weights_that_its_order_chose(cli, tmp_path):
    perm = tmp_path / "p.npz"
    ended = cli(WEST, "--solver", "klu", "-o", perm, "--json")
    assert ended.json["weights"]["objective"] == "product"
    explained = json.loads(str(content(perm)["meta"]))["explain"]
    assert explained["weighted_plan"]["algorithm"] == "mc64"
    assert {"weighted algorithm", "decomposition"} <= explained["decisions"].keys()
