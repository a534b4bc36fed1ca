# SPDX-License-Identifier: BSD-3-Clause
"""PETSc's index sets and its binary file, compared with PETSc and read by an independent reader."""

from __future__ import annotations

import importlib.util
import os
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm.conventions import as_petsc
from btfperm.conventions.petsc import Petsc
from btfperm.errors import UnreadableInputError
from btfperm.io import write_petsc_is
from btfperm.reports.perm_arrays import read_arrays
from tests import strategies
from tests.cli.conftest import cli
from tests.conventions.permuted import check_gathers, dominant
from tests.known_answers import MATRICES, read
from tests.oracles import petsc_program

__all__ = ["cli"]

FILE = MATRICES / "west0479.mtx.gz"
CYCLE = strategies.coo([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], (4, 4))
SINGULAR = strategies.coo([(0, 0), (1, 0), (2, 1), (2, 2)], (3, 3))


def index_sets(path, letter="i"):
    """The index sets of a file by the definition of the format. "i" is 32 bits, "q" is 64 bits."""
    data, at, found = path.read_bytes(), 0, []
    size = struct.calcsize(letter)
    while at < len(data):
        kind, length = struct.unpack_from(f">2{letter}", data, at)
        assert kind == 1211218
        at += 2 * size
        found.append(list(struct.unpack_from(f">{length}{letter}", data, at)))
        at += length * size
    return found


def petsc_python():
    """A command of Python that has petsc4py, and its environment. Debian installs the package for
    /usr/bin/python3, in a folder of PETSc."""
    folders = [str(path) for path in Path("/usr/lib/petscdir").glob("*/*/lib/python3/*-packages")]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    if importlib.util.find_spec("petsc4py"):
        return sys.executable, None
    if folders and Path("/usr/bin/python3").exists():
        return "/usr/bin/python3", here
    pytest.skip("petsc4py is not installed")


@pytest.fixture(scope="module")
def by_petsc(tmp_path_factory):
    """What PETSc makes of the cases; one process for all, because its start takes a second."""
    python, environment = petsc_python()
    folder = tmp_path_factory.mktemp("petsc")
    for name, (A, order) in cases().items():
        C = sp.csr_array(A, dtype=float)
        b = C @ np.arange(1.0, C.shape[0] + 1)
        arrays = {"indptr": C.indptr, "indices": C.indices, "data": C.data}
        np.savez(folder / f"{name}.npz", **arrays, b=b)
        write_petsc_is(folder / f"{name}.petsc", *order)
    program = [python, petsc_program.__file__, folder]
    done = subprocess.run(program, env=environment, capture_output=True, text=True)
    if "ImportError" in done.stderr or "ModuleNotFoundError" in done.stderr:
        pytest.skip("petsc4py is not installed")
    assert not done.returncode, done.stderr
    found = {}
    for name in cases():
        with np.load(folder / f"{name}.out.npz") as content:
            found[name] = {key: content[key] for key in content.files}
        again = (folder / f"{name}.again.petsc").read_bytes()
        assert again == (folder / f"{name}.petsc").read_bytes()
    return found


@cache
def cases():
    """Matrices, each with the index sets for PETSc. The last index sets have the same blocks as the
    ones before, but no fill-reducing order inside them."""
    f = btfperm.block_triangular_form
    west = sp.csc_array(read("west0479"))
    west.eliminate_zeros()
    p = btfperm.preorder(west, solver="klu")
    west = dominant(west, p.col_match)
    return {
        "cycle": (dominant(CYCLE, f(CYCLE).col_match), as_petsc(f(CYCLE))),
        "singular": (SINGULAR, as_petsc(f(SINGULAR))),
        "ordered": (west, as_petsc(p)),
        "decomposed": (west, as_petsc(p.form)),
        "unordered": (west, Petsc(p.form.col_match[p.form.col_perm], p.form.col_perm)),
    }


@pytest.mark.parametrize("name", ["cycle", "singular", "ordered", "decomposed", "unordered"])
def test_petsc_permutes_with_it(by_petsc, name):
    A, expected = cases()[name]
    found = by_petsc[name]
    np.testing.assert_array_equal(found["rperm"], expected.rperm)
    np.testing.assert_array_equal(found["cperm"], expected.cperm)
    permuted = sp.csr_array((found["data"], found["indices"], found["indptr"]), shape=A.shape)
    wanted = sp.csr_array(A)[expected.rperm, :][:, expected.cperm]
    assert abs(permuted - wanted).max() == 0


@pytest.mark.parametrize("name", ["cycle", "ordered", "decomposed", "unordered"])
def test_petsc_factors_with_it(by_petsc, name):
    """PETSc exchanges no rows: without the matching on the diagonal, a pivot would be zero."""
    x = by_petsc[name]["x"]
    np.testing.assert_allclose(x, np.arange(1.0, x.size + 1), rtol=1e-10)


def test_petsc_reports_the_missing_diagonal_of_a_singular_matrix(by_petsc):
    assert by_petsc["singular"]["error"] == 73  # PETSC_ERR_ARG_WRONGSTATE


def test_the_order_inside_the_blocks_keeps_the_fill_small(by_petsc):
    for name in ("ordered", "decomposed"):
        assert by_petsc[name]["fill"] < 0.5 * by_petsc["unordered"]["fill"]


@given(A=strategies.any_square())
def test_the_index_sets_gather(A):
    f = btfperm.block_triangular_form(A)
    order = as_petsc(f)
    check_gathers(A, order.rperm, order.cperm, f.blocks, f.blocks)


@pytest.mark.parametrize(("index_bits", "letter"), [(None, "i"), (32, "i"), (64, "q")])
def test_the_file_is_as_petsc_defines_it(tmp_path, index_bits, letter):
    order = as_petsc(btfperm.block_triangular_form(CYCLE))
    write_petsc_is(tmp_path / "p", *order, index_bits=index_bits)
    expected = [order.rperm.tolist(), order.cperm.tolist()]
    assert index_sets(tmp_path / "p", letter) == expected
    reader = petsc_binary_io()
    if reader is not None:
        options = {"precision": "double", "complexscalars": False}
        stored = reader.PetscBinaryIO(indices=f"{index_bits or 32}bit", **options)
        sets = stored.readBinaryFile(str(tmp_path / "p"))
        assert [array.tolist() for array in sets] == expected


def petsc_binary_io():
    """PetscBinaryIO.py of PETSc, where it is installed; else only the reader above is used."""
    name = "lib/petsc/bin/PetscBinaryIO.py"
    roots = [Path(os.environ["PETSC_DIR"])] if "PETSC_DIR" in os.environ else []
    for root in (*roots, *Path("/usr/share/petsc").glob("*")):
        if (root / name).exists():
            spec = importlib.util.spec_from_file_location("PetscBinaryIO", root / name)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    return None


@pytest.mark.parametrize("index_bits", [32, 64])
def test_files_of_another_length_are_refused(tmp_path, index_bits):
    file = tmp_path / "perm.petsc"
    write_petsc_is(file, [2, 0, 1], [0, 1, 2], index_bits=index_bits)
    whole = file.read_bytes()
    assert read_arrays(file).arrays["row_perm"].tolist() == [2, 0, 1]
    for other in (*(whole[:k] for k in range(len(whole))), *(whole + bytes(k) for k in (1, 4, 9))):
        file.write_bytes(other)
        with pytest.raises(UnreadableInputError, match=r"perm\.petsc: "):
            read_arrays(file)


def test_numbers_beyond_32_bits(tmp_path):
    large = np.array([2**31, 0])
    with pytest.raises(btfperm.InvalidArgumentError, match="2,147,483,648 does not fit in 32 bits"):
        write_petsc_is(tmp_path / "p", large, index_bits=32)
    assert not (tmp_path / "p").exists()
    write_petsc_is(tmp_path / "p", large)
    assert index_sets(tmp_path / "p", "q") == [[2**31, 0]]
    write_petsc_is(tmp_path / "p", large - np.array([1, 0]))
    assert index_sets(tmp_path / "p") == [[2**31 - 1, 0]]
    with pytest.raises(btfperm.InvalidArgumentError, match="does not fit in 64 bits"):
        write_petsc_is(tmp_path / "p", np.array([2**63], dtype=np.uint64))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5],), "a list of whole numbers, not an array of float64 with 1 dimensions"),
        (([[0]],), "not an array of int64 with 2 dimensions"),
        (([0, -1],), "a number below 0"),
        (([0], 16), "index_bits is 32, 64 or None, not 16"),
    ],
)
def test_what_is_no_index_set(tmp_path, arguments, message):
    numbers, *bits = arguments
    with pytest.raises(btfperm.InvalidArgumentError, match=message):
        write_petsc_is(tmp_path / "p", numbers, index_bits=bits[0] if bits else None)
    assert not (tmp_path / "p").exists()


def test_the_shell_writes_and_verifies_it(cli, tmp_path):
    path = tmp_path / "p.petsc"
    assert cli(FILE, "-o", path, "--solver", "klu").code == 0
    p = btfperm.preorder(FILE, solver="klu")
    assert index_sets(path) == [p.row_perm.tolist(), p.col_perm.tolist()]
    p.save(tmp_path / "q.petsc")
    assert path.read_bytes() == (tmp_path / "q.petsc").read_bytes()
    checked = cli("check", FILE, path, "--json")
    assert (checked.code, checked.json["convention"]) == (0, "petsc")
    assert checked.json["passed"] == ["arrays", "permutations", "matching", "rank"]
    write_petsc_is(path, p.col_perm, p.row_perm)
    assert cli("check", FILE, path).code == 1
    write_petsc_is(path, p.row_perm, p.col_perm, index_bits=64)
    assert cli("check", FILE, path).code == 0


@pytest.mark.parametrize("format", ["petsc", "npz"])
def test_a_singular_matrix_is_completed_and_verified(cli, tmp_path, format):
    matrix, path = tmp_path / "a.mtx", tmp_path / f"p.{format}"
    btfperm.write_matrix(matrix, SINGULAR)
    assert cli(matrix, "-o", path, "--convention", "petsc").code == 0
    assert cli("check", matrix, path).code == 0
    if format == "petsc":
        order = as_petsc(btfperm.block_triangular_form(SINGULAR))
        assert index_sets(path) == [order.rperm.tolist(), order.cperm.tolist()]
        assert cli(matrix, "-o", path).code == 0
        assert index_sets(path) == [order.rperm.tolist(), order.cperm.tolist()]


def test_the_file_has_the_weighted_transversal_without_its_scalings(cli, tmp_path):
    path, other = tmp_path / "p.petsc", tmp_path / "p.npz"
    words = ("-o", path, "-o", other, "--convention", "petsc")
    assert cli(FILE, *words, "--weights", "product", "--drop-zeros").code == 0
    with np.load(other) as content:
        assert index_sets(path) == [content["rperm"].tolist(), content["cperm"].tolist()]
        assert "log_row_scale" in content
    assert cli("check", FILE, path, "--drop-zeros").code == 0


def test_each_of_several_files_gets_its_own_form(cli, tmp_path):
    """The file in btfperm's convention has the Dulmage-Mendelsohn decomposition."""
    matrix, path, other = tmp_path / "a.mtx", tmp_path / "p.petsc", tmp_path / "p.npz"
    btfperm.write_matrix(matrix, SINGULAR)
    assert cli(matrix, "-o", path, "-o", other).code == 0
    assert btfperm.load(other) == btfperm.dulmage_mendelsohn(SINGULAR)
    order = as_petsc(btfperm.block_triangular_form(SINGULAR))
    assert index_sets(path) == [order.rperm.tolist(), order.cperm.tolist()]


def test_other_conventions_and_rectangular_matrices_are_refused(cli, tmp_path):
    path, matrix = tmp_path / "p.petsc", tmp_path / "a.mtx"
    ended = cli(tmp_path / "none.mtx", "-o", path, "--convention", "klu")
    ended.failed(2, "the format petsc holds the convention 'petsc' only, not 'klu'")
    btfperm.write_matrix(matrix, np.ones((2, 3)))
    cli(matrix, "-o", path).failed(2, "a.mtx", "2 x 3")
    assert not path.exists()
    with pytest.raises(btfperm.UnreadableInputError, match="no permutation file"):
        write_petsc_is(path, [0])
        btfperm.load(path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([1211218, 2, 0, 1], "it holds 1 index sets, not one of rows and one of columns"),
        ([1211218, 3, 0, 1], "it seems truncated"),
        ([1211218, 1, 0, 1211218], "it seems truncated"),
        ([1211218, -1, 0, 1], "an index set in it has -1 indices"),
        ([1211218, 1, 0, 1211216, 1, 1], "it holds something else than index sets"),
    ],
)
def test_files_that_are_no_permutation(cli, tmp_path, words, message):
    path = tmp_path / "p.petsc"
    path.write_bytes(struct.pack(f">{len(words)}i", *words))
    cli("check", FILE, path).failed(3, "p.petsc", message)
