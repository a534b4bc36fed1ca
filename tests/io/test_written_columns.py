# SPDX-License-Identifier: BSD-3-Clause
"""Written matrices: the memory that each format needs, and the values of duplicates."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
import scipy.sparse
from btfperm_cli.main import main
from click.testing import CliRunner

from btfperm import _core, as_pattern, as_valued
from btfperm.backends import select
from btfperm.errors import InvalidMatrixError, LargeMatrixWarning, ResourceMissingError
from btfperm.io import read_matrix, write_matrix
from btfperm.pattern import Pattern, arrays
from btfperm.pattern import memory as memory_module
from tests.loops import looped

WIDE = 2**24  # columns, whose pointers take 64 MiB


def wide(n: int = WIDE) -> scipy.sparse.coo_array:
    return scipy.sparse.coo_array(([1.5], ([0], [n - 2])), shape=(1, n))


@pytest.mark.parametrize("pattern", [False, True])
@pytest.mark.parametrize(("suffix", "needed"), [("npz", "0.1"), ("rb", "0.1"), ("mat", "0.2")])
def test_memory_is_checked_before_any_is_allocated(tmp_path, monkeypatch, suffix, needed, pattern):
    """`.mat` needs three arrays of a number for each column, because SciPy copies them."""
    A = Pattern.from_coo([0], [WIDE - 2], (1, WIDE)) if pattern else wide()
    monkeypatch.setattr(select, "memory", lambda: (10**9, 10**8 + 10**7))
    monkeypatch.setattr(_core.pattern, "columns_of_triplets", None)
    with pytest.raises(ResourceMissingError, match=rf"needs at least {re.escape(needed)} GB"):
        write_matrix(tmp_path / f"a.{suffix}", A)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pattern", [False, True])
def test_a_coordinate_file_needs_no_memory_for_columns(tmp_path, monkeypatch, pattern):
    A = Pattern.from_coo([0], [2**25 - 2], (1, 2**25)) if pattern else wide(2**40)
    monkeypatch.setattr(select, "memory", lambda: (10**9, 10**8))
    write_matrix(tmp_path / "a.mtx", A)
    B = read_matrix(tmp_path / "a.mtx")
    assert B.shape == A.shape and B.col.tolist() == [A.shape[1] - 2]


@pytest.fixture
def small_memory(monkeypatch):
    """A quarter of the free memory holds fewer than 2^12 numbers. Small arrays are checked, too."""
    monkeypatch.setattr(memory_module, "_MIN_INDICES_TO_CHECK", 2**10)
    monkeypatch.setattr(arrays, "_MIN_LINES_TO_CHECK", 2**10)
    monkeypatch.setattr(select, "memory", lambda: (10**5, 4 * 4 * 2**12))


@pytest.mark.parametrize(("suffix", "count"), [("mtx", 0), ("npz", 1), ("rb", 1), ("mat", 1)])
def test_convert_reports_a_large_requirement_once(tmp_path, small_memory, suffix, count):
    file = tmp_path / "wide.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n1 4098 1\n1 1 1\n")
    done = CliRunner().invoke(main, ["convert", str(file), str(tmp_path / f"a.{suffix}")])
    assert done.exit_code == 0
    assert done.stderr.count("warning: ") == done.stderr.count("needs at least") == count


@pytest.mark.parametrize("convert", [as_pattern, as_valued])
@pytest.mark.parametrize("layout", ["coo", "csc", "csr", "bsr", "dia", "lil", "dok"])
def test_a_large_matrix_is_reported_once(small_memory, convert, layout):
    A = wide(4098).asformat(layout)
    with pytest.warns(LargeMatrixWarning) as issued:
        convert(A)
    assert len(issued) == 1


def test_columns_without_rows_are_checked_once(tmp_path, small_memory):
    """A dense MATLAB variable of 0 rows needs an array of its columns, though it has no values."""
    import scipy.io

    scipy.io.savemat(tmp_path / "a.mat", {"A": np.zeros((0, 4098))})
    with pytest.warns(LargeMatrixWarning) as issued:
        assert read_matrix(f"{tmp_path / 'a.mat'}:A").shape == (0, 4098)
    assert len(issued) == 1


@pytest.mark.parametrize("suffix", ["npz", "rb", "mat"])
def test_the_core_makes_the_columns(tmp_path, monkeypatch, suffix):
    """A conversion by SciPy does not respond to Ctrl-C."""
    monkeypatch.setattr(scipy.sparse.coo_array, "tocsc", None)
    write_matrix(tmp_path / f"a.{suffix}", wide(20))
    A = read_matrix(tmp_path / f"a.{suffix}")
    assert (A.row.tolist(), A.col.tolist(), A.data.tolist()) == ([0], [18], [1.5])


@looped("suffix", ["npz", "rb", "mat"])
@looped("kind", ["f4", "f8", "c8", "c16", "i1", "i8", "u2", "?"])
@looped("empty", [0, 10_000])
def test_duplicates_are_added_up(tmp_path, run_seed, suffix, kind, empty):
    rng = np.random.default_rng(run_seed)
    rows, cols, values = rng.integers(0, 5, 60), rng.integers(0, 4, 60), rng.integers(0, 3, 60)
    A = scipy.sparse.coo_array((values.astype(kind), (rows, cols)), shape=(5, 4 + empty))
    write_matrix(tmp_path / f"a.{suffix}", A)
    B = read_matrix(tmp_path / f"a.{suffix}")
    expected = np.zeros((5, 4), dtype=kind)
    np.add.at(expected, (rows, cols), values.astype(kind))
    assert B.shape == A.shape and B.nnz == len({*zip(rows, cols, strict=True)})
    assert (B.tocsc()[:, :4].toarray() == expected).all()
    if suffix == "npz":
        assert B.dtype == kind
        loaded = scipy.sparse.load_npz(tmp_path / "a.npz")
        assert loaded.has_canonical_format and (loaded[:, :4].toarray() == expected).all()
        assert isinstance(loaded, scipy.sparse.csc_array)


def test_a_sum_that_overflows(tmp_path):
    A = scipy.sparse.coo_array((np.int8([100, 100]), ([1, 1], [2, 2])), shape=(3, 3))
    with pytest.raises(InvalidMatrixError, match=r"row 1, column 2 .* a sum that int8 cannot hold"):
        write_matrix(tmp_path / "a.npz", A)
    assert not list(tmp_path.iterdir())


def test_large_columns_are_not_reported_where_none_are_made(small_memory):
    """A list of positions needs no array of the columns."""
    from btfperm.pattern.host_matrix import coordinates

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert coordinates([0], [5], [1.0], (1, 4098)).shape == (1, 4098)
