# SPDX-License-Identifier: BSD-3-Clause
"""Orders for solvers in files: what a program reads has a fill-reducing order inside the blocks."""

from __future__ import annotations

import dataclasses
import json
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import splu

import btfperm
from tests.known_answers import MATRICES, known_answers, parametrized, read
from tests.oracles import suitesparse

FILE = MATRICES / "west0479.mtx.gz"
FULL = [k for k in known_answers() if k.shape == (k.structural_rank, k.structural_rank)]
each_format = pytest.mark.parametrize("format", ["npz", "json", "txt", "mat"])


def arrays_of(path):
    if path.suffix == ".npz":
        with np.load(path) as content:
            return {name: content[name] for name in content.files}
    if path.suffix == ".json":
        return json.loads(path.read_text())
    if path.suffix == ".mat":
        from scipy.io import loadmat

        return {name: value.ravel() for name, value in loadmat(path).items() if name[0] != "_"}
    words = iter(path.read_text().split("meta {")[0].split()[4:])
    return {name: [int(next(words)) for _ in range(int(next(words)))] for name in words}


@pytest.mark.parametrize("weights", ["auto", "none"])
@each_format
def test_a_program_gets_the_order_of_preorder(cli, tmp_path, format, weights):
    path = tmp_path / f"p.{format}"
    ended = cli(
        FILE, "-o", path, "--solver", "klu", *(["--weights", "none"][: 2 * (weights == "none")])
    )
    assert ended.code == 0
    p = btfperm.preorder(FILE, solver="klu", weights=weights)
    assert p.weights == ("product" if weights == "auto" else "none")
    assert ("weights  " in ended.out) == (weights == "auto")
    assert f"{p.block_ordering} inside the blocks, for klu" in ended.out
    found = arrays_of(path)
    for name, array in p.klu._asdict().items():
        assert np.array_equal(found[name], array), name
    assert ("log_row_scale" in found) == (weights == "auto" and format != "txt")
    assert cli("check", FILE, path).code == 0


@pytest.mark.parametrize("option", ["--solver", "--convention"])
@parametrized(FULL)
def test_the_file_for_klu_keeps_the_fill_small(cli, tmp_path, known, option):
    """In the order of the file, KLU stores at most 1.2 times as many numbers as in its own order,
    plus 50."""
    path = tmp_path / "p.npz"
    assert cli(MATRICES / known.path.name, "-o", path, option, "klu").code == 0
    found = arrays_of(path)
    A = sp.csc_array(read(known.name))
    A.data = np.random.default_rng(1).uniform(1, 2, A.nnz)
    own, given = suitesparse.klu_fill(A), suitesparse.klu_fill(A, found["P"], found["Q"])
    assert given <= 1.2 * own + 50


def test_files_without_finite_values_have_the_order_of_their_pattern(cli, tmp_path):
    pattern, infinite = tmp_path / "a.mtx", tmp_path / "b.mtx"
    head = "%%MatrixMarket matrix coordinate"
    pattern.write_text(f"{head} pattern general\n2 2 3\n1 1\n1 2\n2 1\n")
    infinite.write_text(f"{head} real general\n2 2 3\n1 1 inf\n1 2 1\n2 1 1\n")
    for file in (pattern, infinite):
        done = btfperm.order.order_file(file, solver="klu")
        assert done.solver_order.weights == "none" and done.weighted is None
        assert cli(file, "-o", tmp_path / "p.npz", "--solver", "klu").code == 0
        assert cli("check", file, tmp_path / "p.npz").code == 0


def test_stored_zeros_stay_entries_of_the_order(cli, tmp_path):
    file, out = tmp_path / "a.mtx", tmp_path / "p.npz"
    head = "%%MatrixMarket matrix coordinate real general\n3 3 7\n"
    file.write_text(head + "1 1 1e-9\n2 2 1e-9\n3 3 2\n1 2 3\n2 1 4\n2 3 1\n3 1 0\n")
    for options in ((), ("--drop-zeros",)):
        ended = cli(file, "-o", out, "--solver", "klu", *options)
        assert ended.code == 0 and "largest product" in ended.out
        assert cli("check", file, out, *options).code == 0


def test_splu_keeps_the_fill_small(tmp_path):
    A = sp.csc_array(read("pfjac_case_ACTIVSg2000"))
    p = btfperm.preorder(A, solver="superlu")
    p.save(tmp_path / "p.npz")
    found = arrays_of(tmp_path / "p.npz")
    assert np.array_equal(found["perm_r"], p.superlu.perm_r)
    rows, cols = np.argsort(found["perm_r"]), np.argsort(found["perm_c"])
    options = {"permc_spec": "NATURAL", "diag_pivot_thresh": 0.1}
    given = splu(sp.csc_array(A[rows][:, cols]), **options)
    assert given.L.nnz + given.U.nnz < 1.5 * (splu(A).L.nnz + splu(A).U.nnz)


def test_adapters_and_conventions(tmp_path):
    p = btfperm.preorder(FILE, solver="klu")
    assert btfperm.as_klu(p) == p.klu and btfperm.as_superlu(p) == p.superlu
    order = btfperm.as_btf(p)
    assert order.nblocks == p.n_blocks and np.array_equal(order.P, p.row_perm)
    assert np.array_equal(order.Match[order.P], order.Q)
    for convention in ("klu", "superlu", "btf", "casadi", "petsc", "umfpack"):
        path = tmp_path / f"{convention}.json"
        btfperm.save(p, path, convention=convention)
        assert arrays_of(path)["meta"]["block_ordering"] == p.block_ordering
    for convention in ("matlab", "csparse", "btfperm", "scipy"):
        with pytest.raises(btfperm.InvalidArgumentError, match="no place for an order inside"):
            p.save(tmp_path / "p.npz", convention=convention)
    with pytest.raises(btfperm.InvalidArgumentError, match="Klu is no decomposition"):
        btfperm.save(p.klu, tmp_path / "p.npz")
    with pytest.raises(btfperm.UnreadableInputError, match="only 'btfperm' can be read"):
        btfperm.load(tmp_path / "klu.json")


def test_a_decomposition_has_the_order_of_preorder_without_values(tmp_path):
    """If a decomposition holds its matrix, the adapter of each solver computes an order inside the
    blocks: the one that `preorder` computes without values. A decomposition from a file has no
    matrix, so the adapter keeps the order of the file."""
    form = btfperm.block_triangular_form(FILE)
    for name, solver in {
        **dict.fromkeys(("klu", "btf", "petsc"), "klu"),
        "superlu": "superlu",
    }.items():
        adapter = getattr(btfperm, f"as_{name}")
        assert adapter(form) == adapter(btfperm.preorder(FILE, solver=solver, weights="none"))
    form.save(tmp_path / "form.npz")
    with pytest.warns(btfperm.UnorderedBlocksWarning):
        stored = btfperm.as_klu(btfperm.load(tmp_path / "form.npz"))
    assert np.array_equal(stored.Q, form.col_perm) and stored != btfperm.as_klu(form)


FOR_SOLVERS = ("klu", "superlu", "btf", "umfpack", "petsc")


@pytest.mark.parametrize("convention", FOR_SOLVERS)
def test_a_decomposition_from_a_file_warns_of_its_fill(tmp_path, convention):
    """The adapters and `save` warn of the fill of a decomposition that was loaded from a file. The
    warning of `save` names the line of the caller. There is no warning for the result of `preorder`
    and for a decomposition that holds its matrix."""
    form = btfperm.block_triangular_form(FILE)
    form.save(tmp_path / "form.npz")
    loaded = btfperm.load(tmp_path / "form.npz")
    adapter = getattr(btfperm, f"as_{convention}")
    largest = int(np.diff(form.row_blocks).max())
    text = rf"the largest of {largest} rows, .*; give preorder\(A\) instead$"
    for use in (adapter, lambda d: d.save(tmp_path / "other.npz", convention=convention)):
        with pytest.warns(btfperm.UnorderedBlocksWarning, match=text) as caught:
            use(loaded)
        assert len(caught) == 1
        if use is not adapter:
            assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", btfperm.UnorderedBlocksWarning)
        for known in (form, btfperm.preorder(FILE), btfperm.preorder(FILE, solver="superlu")):
            adapter(known)
            known.save(tmp_path / "other.npz", convention=convention)
        loaded.save(tmp_path / "other.npz")
        btfperm.as_scipy(loaded), btfperm.as_csparse(btfperm.dulmage_mendelsohn(FILE))


@pytest.mark.parametrize(("size", "warns"), [(1, 0), (2, 0), (3, 1)])
def test_blocks_of_two_rows_need_no_order(tmp_path, size, warns):
    """Both orders of two rows have the same fill."""
    A = np.kron(np.eye(4), np.ones((size, size)))
    btfperm.dulmage_mendelsohn(A).save(tmp_path / "d.npz")
    loaded = btfperm.load(tmp_path / "d.npz")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        btfperm.as_klu(loaded)
    assert [one.category for one in caught] == warns * [btfperm.UnorderedBlocksWarning]


@pytest.mark.parametrize("convention", FOR_SOLVERS)
def test_the_command_orders_inside_the_blocks(cli, tmp_path, convention):
    """The command has the matrix, so it computes orders inside the blocks and has no reason to
    warn."""
    ended = cli(FILE, "-o", tmp_path / "p.npz", "--convention", convention)
    assert ended.code == 0 and "warning" not in ended.err


def test_the_command_prints_the_warning(cli, tmp_path, monkeypatch):
    """In this test, as over MPI ranks, the decomposition does not hold the matrix, so `save`
    warns."""
    save = btfperm.DulmageMendelsohn.save

    def without_the_matrix(self, *args, **how):
        save(dataclasses.replace(self, pattern=None), *args, **how)

    monkeypatch.setattr(btfperm.DulmageMendelsohn, "save", without_the_matrix)
    ended = cli(FILE, "-o", tmp_path / "p.npz", "--convention", "klu")
    assert ended.code == 0 and ended.err.count("warning: ") == 1
    assert "no fill-reducing order" in ended.err
    assert ended.err.endswith("; use --solver in one process instead\n")
    found = cli(FILE, "-o", tmp_path / "p.npz", "--convention", "klu", "--json").json
    assert ["no fill-reducing order" in text for text in found["warnings"]] == [True]


@pytest.mark.parametrize("convention", ["casadi", "petsc", "umfpack", "klu", "superlu", "btf"])
def test_every_convention_with_the_order_for_a_solver_is_verified(cli, tmp_path, convention):
    path = tmp_path / "p.npz"
    assert cli(FILE, "-o", path, "--solver", "superlu", "--convention", convention).code == 0
    checked = cli("check", FILE, path, "--json")
    assert (checked.code, checked.json["convention"]) == (0, convention)


@pytest.mark.parametrize("convention", ["casadi", "scipy"])
@pytest.mark.parametrize(
    "rows", [[[1, 1, 0], [0, 1, 0]], [[1, 0], [1, 0], [1, 1]], [[1, 0], [1, 0]]]
)
def test_any_matrix_in_the_conventions_that_accept_it(cli, tmp_path, convention, rows):
    matrix, path = tmp_path / "a.mtx", tmp_path / "p.npz"
    btfperm.write_matrix(matrix, np.array(rows))
    assert cli(matrix, "-o", path, "--convention", convention, "--drop-zeros").code == 0
    assert cli("check", matrix, path).code == 0
    with np.load(path) as content:
        wrong = {name: content[name] for name in content.files}
    name = "colperm" if convention == "casadi" else "row"
    wrong[name] = wrong[name][::-1]
    np.savez(path, **wrong)
    assert cli("check", matrix, path).code == 1


@pytest.mark.parametrize("convention", ["petsc", "umfpack"])
def test_a_rectangular_matrix_is_refused_by_name(cli, tmp_path, convention):
    matrix, path = tmp_path / "a.mtx", tmp_path / "p.npz"
    btfperm.write_matrix(matrix, np.ones((2, 3)))
    ended = cli(matrix, "-o", path, "--convention", convention)
    ended.failed(2, f"the convention {convention} takes square matrices", "2 x 3", "--convention")
    assert not path.exists()


def test_the_shell(cli, tmp_path):
    cli(FILE, "--solver", "klu").failed(2, "--solver goes with -o")
    cli(FILE, "-o", tmp_path / "p.txt", "--solver", "pardiso").failed(2, "pardiso")
    found = cli(FILE, "-o", tmp_path / "p.txt", "--solver", "superlu", "--json").json
    assert (found["solver"], found["block_ordering"]) == ("superlu", "amd")
    assert list(found["seconds"])[:4] == ["read", "search", "decompose", "order"]


def test_a_singular_matrix_is_completed(cli, tmp_path):
    """In all conventions of solvers, the command line completes the permutation as Python does.
    With --solver it refuses the matrix."""
    file = tmp_path / "singular.mtx"
    head = "%%MatrixMarket matrix coordinate pattern general\n"
    file.write_text(head + "3 3 4\n1 1\n1 2\n2 1\n3 1\n")
    fields = {"klu": "P", "btf": "P", "petsc": "rperm", "umfpack": "P", "superlu": "perm_r"}
    for convention, field in fields.items():
        path = tmp_path / f"{convention}.npz"
        assert cli(file, "-o", path, "--convention", convention).code == 0
        found = arrays_of(path)
        f = btfperm.block_triangular_form(file)
        rows = found["P"][found["Qinit"]] if convention == "umfpack" else found[field]
        if convention == "superlu":  # it scatters
            rows = np.argsort(rows)
        assert np.array_equal(rows, f.matched_row_perm)
        assert cli("check", file, path).code == 0
    ended = cli(file, "-o", tmp_path / "p.npz", "--solver", "klu")
    ended.failed(1, "singular.mtx", "structurally singular", "rank 2 of 3")
    assert not (tmp_path / "p.npz").exists()


@pytest.mark.parametrize("convention", ["btfperm", "matlab", "csparse", "scipy"])
def test_conventions_without_an_order_inside_the_blocks(cli, tmp_path, convention):
    path = tmp_path / "perm.txt"
    ended = cli(FILE, "-o", path, "--solver", "klu", "--convention", convention)
    ended.failed(2, f"the convention '{convention}' has no place", "klu", "leave out the solver")
    assert not path.exists()
