# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that describe no matrix give an error of one sentence and never reach the core."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import (
    BtfpermError,
    InvalidArgumentError,
    InvalidMatrixError,
    ResourceMissingError,
)
from btfperm.pattern import Pattern, as_pattern
from tests.loops import looped

HUGE = 2**40


@looped(
    ("indptr", "indices", "shape"),
    [
        pytest.param([0, 2, 1, 3], [0, 1, 2], (3, 3), id="indptr falls"),
        pytest.param([1, 2, 3, 3], [0, 1, 2], (3, 3), id="indptr starts at 1"),
        pytest.param([0, 1, 2, 4], [0, 1, 2], (3, 3), id="indptr ends beyond the indices"),
        pytest.param([0, 1, 3], [0, 1, 2], (3, 3), id="indptr too short"),
        pytest.param([0, 1, 2, 3, 3], [0, 1, 2], (3, 3), id="indptr too long"),
        pytest.param([0, -1, 2, 3], [0, 1, 2], (3, 3), id="indptr negative"),
        pytest.param([0, HUGE, 2, 3], [0, 1, 2], (3, 3), id="indptr huge inside"),
        pytest.param([], [], (3, 0), id="indptr empty"),
        pytest.param([0, 1, 2, 3], [0, 1, 3], (3, 3), id="index m"),
        pytest.param([0, 1, 2, 3], [0, -1, 2], (3, 3), id="index negative"),
        pytest.param([0, 1, 2, 3], [0, HUGE, 2], (3, 3), id="index huge"),
        pytest.param([0, 1, 2, 3], [0, 2**32, 2], (3, 3), id="index that is 0 in 32 bits"),
        pytest.param([0, 1, 2, 3], [0, -(2**32), 2], (3, 3), id="negative index, 0 in 32 bits"),
        pytest.param([0, 1 - 2**32, 2, 3], [0, 1, 2], (3, 3), id="negative indptr, 1 in 32 bits"),
        pytest.param([0, 1, 2, 3], [0.5, 1, 2], (3, 3), id="index broken"),
        pytest.param([0, 1, 2, 3], [0, 1, np.nan], (3, 3), id="index nan"),
        pytest.param([0, 1, 2, 3], [[0, 1, 2]], (3, 3), id="indices of two dimensions"),
        pytest.param([0, 1, 2, 3], ["a", "b", "c"], (3, 3), id="indices are text"),
        pytest.param([0, 1, 2, 3], [0, 1, 2], (-3, 3), id="shape negative"),
        pytest.param([0, 1, 2, 3], [0, 1, 2], (3,), id="shape of one"),
        pytest.param([0, 1, 2, 3], [0, 1, 2], (3, 3, 3), id="shape of three"),
        pytest.param([0, 1, 2, 3], [0, 1, 2], ("3", None), id="shape no numbers"),
        pytest.param([0, 1, 2, 3], [0, 1, 2], (3.7, 3), id="shape with a fraction"),
    ],
)
def test_compressed_arrays(indptr, indices, shape):
    with pytest.raises(InvalidMatrixError):
        Pattern.from_csc(np.array(indptr), np.array(indices), shape)
    with pytest.raises(InvalidMatrixError):
        Pattern.from_csr(np.array(indptr), np.array(indices), shape[::-1])


@pytest.mark.parametrize(
    ("rows", "cols", "shape"),
    [
        pytest.param([0, 1], [0], (2, 2), id="lengths differ"),
        pytest.param([0, 2], [0, 1], (2, 2), id="row m"),
        pytest.param([0, 1], [0, 2], (2, 2), id="column n"),
        pytest.param([0, -1], [0, 1], (2, 2), id="row negative"),
        pytest.param([0, 1], [0, -1], (2, 2), id="column negative"),
        pytest.param([0], [0], (0, 0), id="entry in an empty matrix"),
        pytest.param([0, 1.5], [0, 1], (2, 2), id="row broken"),
        pytest.param([[0, 1]], [[0, 1]], (2, 2), id="two dimensions"),
        pytest.param([0, 1], [0, 1], (2, -2), id="shape negative"),
        pytest.param([0, 1], [0, 1], (2**63, 2), id="shape beyond 64 bits"),
        pytest.param([2**32, 0], [0, 1], (2, 2), id="row that is 0 in 32 bits"),
        pytest.param([-(2**32), 0], [0, 1], (2, 2), id="negative row, 0 in 32 bits"),
        pytest.param([0, 1], [0, 1 - 2**32], (2, 2), id="negative column, 1 in 32 bits"),
    ],
)
def test_coordinate_arrays(rows, cols, shape):
    with pytest.raises(InvalidMatrixError):
        Pattern.from_coo(np.array(rows), np.array(cols), shape)


@pytest.mark.parametrize("shape", [3, None, {}, "ab", (2.7, 3), (3.0, 3)], ids=repr)
def test_things_that_are_no_shape(shape):
    with pytest.raises(InvalidMatrixError, match="two whole numbers"):
        Pattern.from_coo([0], [0], shape)


@pytest.mark.parametrize("shape", [(2**62, 1), (1, 2**62)])
def test_a_shape_beyond_any_memory(shape):
    for function in (btfperm.structural_rank, btfperm.dulmage_mendelsohn):
        with pytest.raises(ResourceMissingError, match="memory") as caught:
            function(Pattern.from_coo([0], [0], shape))
        assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    "indices",
    [[[0], [1, 2]], [object()], {"a": 1}, None],
    ids=["uneven", "objects", "a mapping", "nothing"],
)
def test_lists_that_are_no_indices(indices):
    with pytest.raises(InvalidMatrixError, match="rows must be"):
        Pattern.from_coo(indices, [0, 1], (3, 3))


@pytest.mark.parametrize(
    "given",
    [
        {"zero_mask": [True]},
        {"zero_mask": True},
        {"zero_mask": [0.5, 1.5]},
        {"zero_mask": ["a", "b"]},
        {"values": [1.0]},
        {"values": 1.0},
        {"values": [[1.0], [1.0, 2.0]]},
    ],
    ids=str,
)
def test_values_that_do_not_fit(given):
    with pytest.raises(InvalidMatrixError):
        Pattern.from_coo([0, 1], [0, 1], (2, 2), **given)


def test_unsigned_rows_beyond_int64():
    with pytest.raises(InvalidMatrixError):
        Pattern.from_coo(np.array([2**64 - 1], dtype=np.uint64), np.array([0]), (2, 2))


@pytest.mark.parametrize("container", [sp.csc_array, sp.csr_array])
def test_scipy_containers_that_were_tampered_with(container):
    A = container(np.eye(4))
    A.indices[2] = 9
    with pytest.raises(InvalidMatrixError):
        as_pattern(A)
    A = container(np.eye(4))
    A.indptr[2] = 3
    A.indptr[3] = 1
    with pytest.raises(InvalidMatrixError):
        btfperm.structural_rank(A)


@pytest.mark.parametrize(
    "thing",
    [
        pytest.param(None, id="None"),
        pytest.param(3.0, id="a number"),
        pytest.param(np.zeros(3), id="one dimension"),
        pytest.param(np.zeros((2, 2, 2)), id="three dimensions"),
        pytest.param(np.array([["a", "b"]]), id="text"),
        pytest.param(np.array([[object()]]), id="objects"),
        pytest.param([[1, 2], [3]], id="ragged"),
        pytest.param(object(), id="an object"),
        pytest.param({"a": 1}, id="a dict"),
    ],
)
def test_things_that_are_no_matrix(thing):
    with pytest.raises((BtfpermError, TypeError)) as caught:
        as_pattern(thing)
    assert str(caught.value), "the error has no text"


def test_a_triple_without_a_shape_is_an_error():
    with pytest.raises(BtfpermError, match="shape"):
        as_pattern((np.ones(1), np.zeros(1, int), np.array([0, 1])))


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises((BtfpermError, FileNotFoundError), match="missing"):
        as_pattern(tmp_path / "missing.mtx")


@pytest.mark.parametrize("A", [np.eye(2), sp.csc_array(np.eye(2)), as_pattern(np.eye(2))], ids=type)
def test_a_shape_that_contradicts_the_matrix(A):
    assert as_pattern(A, shape=(2, 2)).shape == (2, 2)
    with pytest.raises(InvalidArgumentError, match="leave it out"):
        as_pattern(A, shape=(5, 5))


FACES = [
    btfperm.structural_rank,
    btfperm.maximum_transversal,
    btfperm.dulmage_mendelsohn,
    btfperm.block_triangular_form,
    btfperm.preorder,
]


@pytest.mark.parametrize("function", FACES)
def test_each_function_takes_a_triple_with_its_shape(function):
    triple = (None, [0, 1, 1], [0, 1, 3])
    found = function(triple, shape=(2, 2))
    assert found == 2 if function is btfperm.structural_rank else found.shape == (2, 2)
    with pytest.raises(InvalidArgumentError, match="leave it out"):
        function(np.eye(2), shape=(5, 5))


def test_block_graph_takes_a_triple():
    triple = (None, [0, 1, 1], [0, 1, 3])
    assert btfperm.dulmage_mendelsohn(triple, shape=(2, 2)).block_graph(triple).n_blocks == 2


def test_masked_arrays_are_refused():
    masked = np.ma.masked_array(np.eye(2), mask=[[True, False], [False, False]])
    for call in (
        lambda: as_pattern(masked),
        lambda: as_pattern((masked[0], [0, 1], [0, 1, 2]), shape=(2, 2)),
        lambda: Pattern.from_coo(np.ma.masked_array([0, 1]), [0, 1], (2, 2)),
        lambda: btfperm.preorder(np.eye(2)).apply(masked),
        lambda: btfperm.preorder(np.eye(2)).factor(masked),
    ):
        with pytest.raises(InvalidMatrixError, match=r"filled\(0\)"):
            call()


@pytest.mark.parametrize("shape", [(3 * 10**9, 1), (1, 3 * 10**9)])
def test_more_rows_than_free_memory(shape, monkeypatch, tmp_path):
    monkeypatch.setattr("btfperm.backends.select.memory", lambda: (16 * 10**9, 8 * 10**9))
    path = tmp_path / "tall.mtx"
    head = "%%MatrixMarket matrix coordinate pattern general"
    path.write_text(f"{head}\n{shape[0]} {shape[1]} 1\n1 1\n")
    for A in (path, sp.coo_array(([1.0], ([0], [0])), shape=shape)):
        with pytest.raises(ResourceMissingError, match=r"8\.0 GB are free") as caught:
            btfperm.structural_rank(A)
        assert ("tall.mtx" in str(caught.value)) == (A is path)


@pytest.mark.filterwarnings("ignore::btfperm.LargeMatrixWarning")
def test_a_matrix_that_fits_is_not_refused(monkeypatch):
    """The rank of a matrix needs less memory than its decomposition."""
    monkeypatch.setattr("btfperm.backends.select.memory", lambda: (10**9, 2 * 10**8))
    A = Pattern.from_coo([0], [0], (2 * 10**7 - 1, 1))
    assert btfperm.structural_rank(A) == 1
    with pytest.raises(ResourceMissingError, match="needs at least"):
        btfperm.dulmage_mendelsohn(A)
