# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm solve``: solutions in files, the summary, the table of solvers, and refused input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from btfperm_cli.json_keys import JSON_KEYS
from scipy.sparse.linalg import spsolve

import btfperm
from btfperm.preorder import compare, klu_libraries, preordering, routes, system
from tests.cli.test_hostile import HOSTILE
from tests.known_answers import MATRICES
from tests.loops import looped

FILE = MATRICES / "west0067.mtx.gz"
A = sp.csc_array(btfperm.read_matrix(FILE)).astype(float)
N = A.shape[0]
HEAD = "%%MatrixMarket matrix {} general\n"
KEYS = {"exit_code", "error", "warnings", *JSON_KEYS["solve"]}
RUN_KEYS = [
    *("solver", "ordering", "library", "order_seconds", "factor_seconds", "solve_seconds"),
    *("refactor_seconds", "total_seconds", "runs", "fill", "nnz", "off_diagonal_pivots"),
    *("backward_error", "refined_error", "forward_error", "error"),
]


@pytest.fixture
def sides(tmp_path):
    """`sides(b, "b.mtx")` writes right-hand sides."""

    def write(b, name="b.mtx"):
        path = tmp_path / name
        if path.suffix == ".npy":
            np.save(path, b)
        else:
            b = np.asarray(b)
            scipy.io.mmwrite(path, b if b.ndim == 2 else b[:, None])
        return path

    return write


@pytest.fixture
def system_of(tmp_path):
    """`system_of(rows)` writes a small matrix."""

    def write(rows, name="A.mtx"):
        path = tmp_path / name
        btfperm.write_matrix(path, np.array(rows))
        return path

    return write


@pytest.mark.parametrize("solver", ["auto", "klu", "superlu"])
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("name", ["x.mtx", "x.mtx.gz", "x.npy"])
def test_the_solution_is_that_of_scipy(cli, sides, tmp_path, solver, transpose, name):
    b = np.random.default_rng(1).uniform(1, 2, (N, 2))
    x = tmp_path / name
    more = ["--transpose"] if transpose else []
    ended = cli("solve", FILE, sides(b), "-o", x, "--solver", solver, *more)
    assert ended.code == 0 and "67 x 67, 294 entries, 2 right-hand sides" in ended.out
    found = np.load(x) if x.suffix == ".npy" else scipy.io.mmread(x)
    assert isinstance(found, np.ndarray)  # array format, not coordinates
    expected = spsolve((A.T if transpose else A).tocsc(), b)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("form", ["array", "coordinate", "npy", "npy column"])
def test_each_kind_of_right_hand_side(cli, sides, tmp_path, form):
    b = A @ np.ones(N)
    if form == "coordinate":
        path = tmp_path / "b.mtx"
        btfperm.write_matrix(path, b[:, None])
    elif form == "array":
        path = sides(b)
    else:
        path = sides(b if form == "npy" else b[:, None], "b.npy")
    found = cli("solve", FILE, path, "-o", tmp_path / "x.npy", "--json").json
    assert found["right_hand_sides"] == 1
    np.testing.assert_allclose(np.load(tmp_path / "x.npy").ravel(), 1, rtol=1e-9)


@pytest.mark.parametrize("where", ["matrix", "side", "both"])
def test_complex_values(cli, sides, system_of, tmp_path, where):
    rng = np.random.default_rng(2)
    M, b = rng.uniform(1, 2, (5, 5)) + 5 * np.eye(5), rng.uniform(1, 2, (5, 1))
    M = M + 1j * rng.uniform(1, 2, (5, 5)) if where != "side" else M
    b = b * (1 - 2j) if where != "matrix" else b
    x = tmp_path / "x.mtx"
    assert cli("solve", system_of(M), sides(b), "-o", x).code == 0
    np.testing.assert_allclose(scipy.io.mmread(x), np.linalg.solve(M, b), rtol=1e-12)
    assert cli("solve", system_of(M), sides(b), "-o", x, "--transpose").code == 0
    np.testing.assert_allclose(scipy.io.mmread(x), np.linalg.solve(M.T, b), rtol=1e-12)


def test_the_summary_and_the_object_agree(cli, sides):
    b = sides(np.ones(N))
    text, found = cli("solve", FILE, b).out, cli("solve", FILE, b, "--json").json
    assert set(found) == KEYS
    assert found["backward_error"]["componentwise"] < 1e-15
    assert 0 <= found["backward_error"]["normwise"] <= found["backward_error"]["componentwise"]
    assert 0 < found["rcond"] <= 1 and list(found["seconds"]) == ["order", "factor", "solve"]
    assert found["comparison"] is None and found["written"] is None
    p = btfperm.preorder(FILE, solver=found["solver"])
    F = p.factor(FILE)
    facts = ("fill", F.fill), ("nnz", F.nnz), ("off_diagonal_pivots", F.off_diagonal_pivots)
    for key, value in (*facts, ("blocks", p.n_blocks), ("weights", p.weights)):
        assert found[key] == value
    for word in (found["solver"], f"{F.fill:,} entries in L + U", "componentwise", "rcond"):
        assert word in text
    assert cli("solve", FILE, b, "-q").out == ""


def test_standard_streams(shell, sides, tmp_path):
    b = sides(A @ np.ones(N))
    ended = shell("solve", "-", b, "-o", "-", stdin=FILE.read_bytes())
    assert ended.code == 0 and "standard input: 67 x 67" in ended.err
    assert ended.out.startswith(HEAD.format("array real") + "67 1\n")
    ended = shell("solve", FILE, "-", "-o", "-", "--json", stdin=b.read_bytes())
    numbers = np.array(ended.out.split("67 1\n")[1].split(), dtype=float)
    np.testing.assert_allclose(numbers, 1, rtol=1e-9)
    assert '"written": "-"' in ended.err


def test_an_older_file(cli, sides, tmp_path):
    b, x = sides(np.ones(N)), tmp_path / "x.mtx"
    x.write_text("old")
    cli("solve", FILE, b, "-o", x, "--no-clobber").failed(4, "x.mtx", "--no-clobber")
    assert x.read_text() == "old"
    assert cli("solve", FILE, b, "-o", x, "--json").json["replaced"] is True
    assert x.read_text() != "old"


# -- refused input -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("A", "b", "-o", "x.txt"), ".mtx or .npy"),
        (("A", "b", "-o", "-", "--format", "mat"), "mat"),
        (("A", "b", "--format", "npy"), "--format goes with -o"),
        (("A", "b", "--no-clobber"), "--no-clobber goes with -o"),
        (("A",), "give the right-hand side after the matrix, or --compare"),
        (("-", "-"), "standard input"),
        (("A", "b", "--repeats", "3"), "--repeats goes with --compare"),
        (("A", "--compare", "--budget", "0"), "positive"),
        (("A", "--compare", "--repeats", "0"), "between 1"),
        (("A", "--compare", "-o", "x.mtx"), "-o does not go with --compare"),
        (("A", "--compare", "--solver", "klu"), "--solver does not go with --compare"),
        (("A", "--compare", "--block-ordering", "amd"), "--block-ordering does not go"),
        (("A", "b", "--solver", "pardiso"), "pardiso"),
        (("A", "b", "-o", "A.mtx"), "is an input"),
        (("A", "b", "-o", "b.mtx"), "is an input"),
    ],
)
def test_wrong_usage(cli, sides, system_of, tmp_path, monkeypatch, words, part):
    monkeypatch.chdir(tmp_path)
    system_of(np.eye(2)), sides(np.ones(2))
    cli("solve", *(f"{w}.mtx" if w in "Ab" else w for w in words)).failed(2, part)


@pytest.mark.parametrize("compare", [(), ("--compare",)])
def test_sizes_that_do_not_fit(cli, sides, system_of, compare):
    b = sides(np.ones(3))
    ended = cli("solve", FILE, b, *compare)
    ended.failed(2, "b.mtx has 3 rows", "west0067.mtx.gz has 67")
    cli("solve", FILE, sides(np.ones((1, N))), *compare).failed(2, "1 row, but", "67")
    cli("solve", FILE, sides(np.ones(3), "b.npy"), *compare).failed(2, "3 rows", "67")
    wide = system_of([[1.0, 0, 2], [0, 1, 0]])
    cli("solve", wide, b, *compare).failed(2, "A.mtx is 2 x 3", "square")


def test_singular_matrices(cli, sides, system_of):
    b = sides(np.ones(3))
    ended = cli("solve", system_of([[1.0, 1, 0], [0, 1, 0], [2, 3, 0]]), b)
    ended.failed(1, "A.mtx", "structurally singular", "rank 2 of 3", "column")
    for solver in ("auto", "superlu"):
        ended = cli("solve", system_of([[1.0, 2, 0], [2, 4, 0], [0, 0, 5]]), b, "--solver", solver)
        ended.failed(1, "A.mtx: the matrix is numerically singular", "row", "column")
    ended = cli("solve", system_of([[1.0, 2, 0], [2, 4, 0], [0, 0, 5]]), b, "--json")
    assert set(ended.json) == KEYS and ended.json["exit_code"] == 1


def test_stored_zeros(cli, sides, matrix):
    """The entry in row 1, column 1 is stored with the value zero."""
    b = sides(np.ones(2))
    ended = cli("solve", matrix("zeros"), b, "-q")
    ended.failed(1, "zeros.mtx: the matrix is numerically singular", "column 1", "row 1")
    ended = cli("solve", matrix("zeros"), b, "-q", "--drop-zeros")
    ended.failed(1, "zeros.mtx is structurally singular: rank 1 of 2")


def test_a_nearly_singular_matrix_is_a_warning(cli, sides, system_of):
    nearly = system_of([[1.0, 1, 0], [1, 1 + 2e-16, 0], [0, 0, 1]])
    found = cli("solve", nearly, sides(np.array([1.0, 2, 3])), "--json").json
    assert found["exit_code"] == 0 and found["rcond"] < 1e-15


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_numbers_that_are_not_finite(cli, sides, tmp_path, value):
    b = np.ones((N, 2))
    b[4, 1] = float(value)
    cli("solve", FILE, sides(b, "b.npy")).failed(3, "b.npy", "row 4, column 1", value)
    path = tmp_path / "A.mtx"
    path.write_text(HEAD.format("coordinate real") + f"2 2 2\n1 1 1\n2 2 {value}\n")
    cli("solve", path, sides(np.ones(2))).failed(3, "A.mtx", "row 1, column 1", value)


def test_files_without_values(cli, sides, matrix):
    cli("solve", matrix("blocks"), sides(np.ones(4))).failed(3, "blocks.mtx", "no values")
    cli("solve", FILE, matrix("blocks")).failed(3, "blocks.mtx", "no values")
    cli("solve", matrix("blocks"), "--compare").failed(3, "blocks.mtx", "no values")


NPY = {
    "objects": b"{'descr': '|O', 'fortran_order': False, 'shape': (67,), }",
    "texts": b"{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }",
    "cubes": b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1), }",
    "a number": b"{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
    "huge": b"{'descr': '<f8', 'fortran_order': False, 'shape': (67, 99999999999), }",
    "code": b"{'descr': __import__('os').getcwd(), 'fortran_order': False, 'shape': (1,)}",
    "long": b"{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }",
}


@looped("name", [*HOSTILE, *NPY])
def test_hostile_right_hand_sides(cli, tmp_path, name):
    path = tmp_path / "b.any"
    head = NPY.get(name, b"")
    length = len(head).to_bytes(2, "little")
    path.write_bytes(HOSTILE.get(name) or b"\x93NUMPY\x01\x00" + length + head + bytes(8))
    if name == "empty":
        path.write_bytes(b"")
    ended = cli("solve", FILE, path)
    assert ended.code in (2, 3), ended  # 2: another number of rows
    ended.failed(ended.code, "b.any")
    found = cli("solve", FILE, path, "--json").json
    assert set(found) == KEYS and found["exit_code"] == ended.code


def test_a_missing_solver(cli, sides, monkeypatch):
    for module in (system, preordering):
        monkeypatch.setattr(module, "find_klu", lambda: None)
    monkeypatch.setattr(routes, "libraries", lambda: ())
    b = sides(np.ones(N))
    found = cli("solve", FILE, b, "--json").json
    assert found["solver"] == "superlu" and not any("KLU" in text for text in found["warnings"])
    found = cli("solve", FILE, b, "--solver", "klu", "--json").json
    assert found["solver"] == "superlu" and "KLU is not installed" in found["warnings"][-1]
    ended = cli("solve", FILE, "--compare", "--repeats", "1")
    assert ended.code == 0 and "KLU, btfperm: KLU is not installed" in ended.out


# -- the comparison ----------------------------------------------------------------------------


def test_the_table(cli):
    ended = cli("solve", FILE, "--compare", "--repeats", "2")
    assert ended.code == 0
    for text in ("SuperLU, alone", "SuperLU, btfperm", "KLU, alone", "medians of 2 runs"):
        assert text in ended.out
    assert ended.out.isascii() and max(map(len, ended.out.splitlines())) < 200
    assert "made from a known solution" in ended.out and "scipy" in ended.out


def test_the_budget_of_a_comparison(cli):
    words = ("solve", FILE, "--compare", "--repeats", "1000000", "--budget", "1e-9")
    found = cli(*words, "--json").json
    assert found["measured"]["budget"] == 1e-9
    assert {row["runs"] for row in found["comparison"] if row["error"] is None} == {1}


def test_the_object_of_a_comparison(cli, sides):
    found = cli("solve", FILE, sides(np.ones((N, 2))), "--compare", "--repeats", "1", "--json").json
    assert set(found) == KEYS
    assert found["measured"] == {"repeats": 1, "budget": 10.0, "known_solution": False}
    assert found["right_hand_sides"] == 2 and found["solver"] is None
    names = [(row["solver"], row["ordering"]) for row in found["comparison"]]
    orders = ("own", "btfperm")
    solvers = (*("klu",) * max(1, len(klu_libraries.libraries())), "superlu")
    assert names == [(solver, order) for solver in solvers for order in orders]
    for row in found["comparison"]:
        assert list(row) == RUN_KEYS and row["forward_error"] is None
        assert row["error"] is not None or row["refined_error"]["componentwise"] < 1e-14


@pytest.mark.parametrize("rows", [[[1.0, 2], [2, 4]], [[1.0, 2, 0], [3, 4, 0], [0, 0, 0]]])
def test_no_solver_solves(cli, system_of, rows):
    """One line for each solver and order, and neither times nor escaped line ends."""
    path = system_of(rows)
    ended = cli("solve", path, "--compare", "--repeats", "1")
    lines = [line for line in ended.out.splitlines() if line.startswith(("KLU, ", "SuperLU, "))]
    n_libraries = max(1, len(klu_libraries.libraries()))
    assert ended.code == 1 and len(lines) == 2 * n_libraries + 2
    assert all("singular: " in line for line in lines if "is not" not in line)
    assert "runs" not in ended.out and "\\n" not in ended.out + ended.err
    assert ended.err.count("\n") == 1 and "no solver solved this system" in ended.err
    found = cli("solve", path, "--compare", "--json").json
    assert found["exit_code"] == 1 and "singular" in found["error"] and set(found) == KEYS
    assert all(row["error"] and row["runs"] == 0 for row in found["comparison"])


def test_one_solver_that_fails_has_a_row(cli, monkeypatch):
    def fails(*_):
        raise MemoryError

    monkeypatch.setattr(routes._SuperLU, "factor", fails)
    ended = cli("solve", FILE, "--compare", "--repeats", "1")
    assert ended.code == 0
    assert "SuperLU, alone: not enough memory for the factors" in ended.out


def test_a_message_that_is_a_line_of_another_source(cli, monkeypatch):
    from scipy.sparse.linalg import splu

    def fails(A, **how):
        if how:  # the call with the order of btfperm
            return splu(A, **how)
        raise RuntimeError("failed to factorize matrix at line 110 in file ../scipy/x.c")

    monkeypatch.setattr("scipy.sparse.linalg.splu", fails)
    ended = cli("solve", FILE, "--compare", "--repeats", "1")
    assert ended.code == 0 and "scipy/x" not in ended.out
    assert "SuperLU, alone: SuperLU fails on this matrix" in ended.out


def test_an_interrupt_ends_a_comparison(cli, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(compare, "_measured", interrupted)
    assert cli("solve", FILE, "--compare").code == 130
