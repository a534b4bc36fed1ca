# SPDX-License-Identifier: BSD-3-Clause
"""Decompositions by a weighted transversal: their matching and scalings, applied and in files."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.io.real_numbers import list_of_reals
from tests.known_answers import read
from tests.weighted.test_weighted_transversal import valued

RNG = np.random.default_rng(11)
WIDE = np.array([[1e-300, 0, 0], [1e300, 1e-300, 0], [0, 1e300, 1e-300]])
functions = pytest.mark.parametrize(
    "function", [btfperm.dulmage_mendelsohn, btfperm.block_triangular_form, btfperm.preorder]
)


def full(A):
    return A.toarray() if sp.issparse(A) else np.asarray(A)


@pytest.fixture(scope="module")
def west():
    A = sp.csc_array(read("west0479"))
    A.eliminate_zeros()
    return A, btfperm.weighted_transversal(A)


@functions
def test_the_matching_and_the_scalings_are_those_of_the_weighted_transversal(west, function):
    A, w = west
    d = function(A, transversal=w)
    assert np.array_equal(d.row_match, w.row_match) and np.array_equal(d.col_match, w.col_match)
    assert np.array_equal(d.log_row_scale, w.log_row_scale)
    assert np.array_equal(d.log_col_scale, w.log_col_scale)
    weights = {"objective": "product", "value": w.objective, "gap": w.gap, "algorithm": "mc64"}
    assert d.meta["weights"] == weights
    diagonal = np.abs(A.toarray()[d.matched_row_perm, d.col_perm])
    assert np.log(diagonal).sum() == pytest.approx(w.objective)
    for other in (copy.copy(d), copy.deepcopy(d), pickle.loads(pickle.dumps(d))):
        assert other == d and not other.log_row_scale.flags.writeable


@functions
def test_without_weights_there_are_no_scalings(west, function):
    A, _ = west
    plain = function(A)
    assert plain.log_row_scale is None and plain.log_col_scale is None
    assert "weights" not in plain.meta
    for kind in ("sum", "bottleneck"):
        d = function(A, transversal=btfperm.weighted_transversal(A, objective=kind))
        assert d.log_row_scale is None and d.meta["weights"]["objective"] == kind


def test_scalings_are_compared(west):
    A, w = west
    d = btfperm.dulmage_mendelsohn(A, transversal=w)
    again = btfperm.dulmage_mendelsohn(A, initial=w.col_match)
    assert np.array_equal(again.col_match, d.col_match) and again != d
    assert btfperm.dulmage_mendelsohn(A, transversal=w.transversal) == d


def test_stored_zeros_need_a_decision():
    A = sp.csc_array(([1.0, 0.0, 5.0], ([0, 1, 0], [0, 1, 1])), shape=(2, 2))
    with pytest.warns(btfperm.StoredZerosWarning):
        w = btfperm.weighted_transversal(A)
    for function in (btfperm.dulmage_mendelsohn, btfperm.block_triangular_form):
        with pytest.raises(btfperm.InvalidArgumentError, match="give drop_zeros=True, because"):
            function(A, transversal=w)
        assert function(A, transversal=w, drop_zeros=True).structural_rank == 1
    with pytest.raises(btfperm.InvalidArgumentError, match="leave it out, or give the one"):
        btfperm.dulmage_mendelsohn(np.ones((2, 2)), transversal=w)


@given(A=valued(), data=st.data())
def test_apply_scales_the_permuted_matrix(A, data):
    """Each scaled value is at most 1 in modulus, and the product of the value and both scalings."""
    kind = data.draw(st.sampled_from([sp.csc_array, sp.csr_matrix, sp.coo_array, np.asarray]))
    M = kind(A)
    w = btfperm.weighted_transversal(M)
    d = btfperm.dulmage_mendelsohn(M, transversal=w)
    B = d.apply(M, scale=True)
    P, Q = d.row_perm, d.col_perm
    plain = A[np.ix_(P, Q)]
    logs = d.log_row_scale[P][:, None] + d.log_col_scale[Q]
    with np.errstate(divide="ignore"):
        expected = np.exp(np.log(np.abs(plain)) + logs)
    found = full(B)
    assert sp.issparse(B) == sp.issparse(M) and found.shape == A.shape
    assert np.allclose(np.abs(found), expected, rtol=1e-9, atol=1e-300)
    assert np.abs(found).max(initial=0) <= 1 + 1e-9
    where = (plain != 0) & (found != 0)
    assert np.allclose(np.sign(found[where]), np.sign(plain[where]))
    assert np.array_equal(full(d.apply(M)), plain)


def test_apply_scales_what_no_exponential_can():
    """The scalings alone overflow, but the scaled values do not."""
    w = btfperm.weighted_transversal(WIDE)
    with pytest.raises(btfperm.InvalidArgumentError, match="beyond double precision"):
        w.scales()
    d = btfperm.dulmage_mendelsohn(WIDE, transversal=w)
    assert np.allclose(np.abs(d.apply(WIDE, scale=True)).max(axis=0), 1)
    least = np.array([[5e-324]])
    d = btfperm.dulmage_mendelsohn(least, transversal=btfperm.weighted_transversal(least))
    assert d.apply(least, scale=True) == pytest.approx(1)
    d = btfperm.dulmage_mendelsohn(WIDE, transversal=w)
    far = np.full((3, 3), 1e300)
    with pytest.raises(btfperm.InvalidArgumentError, match="must be used as logarithms: log_row"):
        d.apply(far, scale=True)


def test_apply_scales_integers_paths_and_triples(tmp_path):
    A = sp.csc_array(np.array([[0, 3, 0], [2, 4, 5], [0, 1, 6]]))
    btfperm.write_matrix(tmp_path / "a.mtx", A)
    d = btfperm.dulmage_mendelsohn(A, transversal=btfperm.weighted_transversal(A))
    expected = d.apply(A, scale=True).toarray()
    assert np.allclose(expected.max(axis=0), 1)
    for other in (tmp_path / "a.mtx", (A.data, A.indices, A.indptr), btfperm.as_valued(A)):
        assert np.array_equal(d.apply(other, scale=True).toarray(), expected)
    assert A.dtype.kind == "i" and A.max() == 6  # not modified


def test_what_apply_refuses(west):
    A, w = west
    d = btfperm.dulmage_mendelsohn(A, transversal=w)
    with pytest.raises(btfperm.InvalidMatrixError, match="a Pattern has no values"):
        d.apply(btfperm.as_pattern(A), scale=True)
    with pytest.raises(btfperm.InvalidArgumentError, match="has no scalings"):
        btfperm.dulmage_mendelsohn(A).apply(A, scale=True)
    with pytest.raises(btfperm.InvalidArgumentError, match="do not fit a matrix of shape"):
        d.apply(np.eye(3), scale=True)
    with pytest.raises(btfperm.InvalidArgumentError, match="scale"):
        d.apply(A, scale="yes")


@pytest.mark.parametrize("suffix", ["npz", "json", "txt"])
@given(A=valued())
def test_files_give_the_same_scalings_back(tmp_path, A, suffix):
    d = btfperm.dulmage_mendelsohn(A, transversal=btfperm.weighted_transversal(A))
    path = tmp_path / f"p.{suffix}"
    d.save(path)
    again = btfperm.load(path)
    assert again == d and again.log_row_scale.dtype == np.float64
    assert again.log_row_scale.tobytes() == d.log_row_scale.tobytes()


@pytest.mark.parametrize("suffix", ["npz", "json", "txt"])
def test_large_files_give_the_same_scalings_back(tmp_path, suffix):
    """The text of the file is longer than 1 MB and is read in several pieces."""
    n = 60_000
    A = sp.dia_array((np.exp(20 * RNG.normal(size=(1, n))), [0]), shape=(n, n)).tocsc()
    d = btfperm.dulmage_mendelsohn(A, transversal=btfperm.weighted_transversal(A))
    path = tmp_path / f"p.{suffix}"
    d.save(path)
    assert btfperm.load(path) == d


# -- lists of real numbers in text ---------------------------------------------------------------


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)), st.booleans())
def test_every_double_is_read_exactly(numbers, commas):
    text = (", " if commas else " \n").join(map(repr, numbers)).encode()
    found, fault = list_of_reals(text, 0, len(text), commas=commas)
    assert fault == -1 and found.tobytes() == np.array(numbers, dtype=float).tobytes()


@pytest.mark.parametrize("commas", [True, False])
@pytest.mark.parametrize(
    "word", ["nan", "inf", "1_0", "0x1", "1e", "e5", ".", "1.5.2", "--1", "\u0661", "1" * 41, "1d5"]
)
def test_other_words_are_refused(word, commas):
    for before in (0, 30_000):  # in the first piece, and in a later one
        text = (("," if commas else " ").join(["1.5"] * before + [word])).encode()
        found, fault = list_of_reals(text, 0, len(text), commas=commas)
        assert fault >= 0 and not found.size, text[-50:]


@pytest.mark.parametrize(
    "text",
    [b"1,", b"1," * 32_769, b",1", b"1,,2", b"1 2", b"+1", b".5", b"5.", b"01", b","],
    ids=lambda text: repr(text[:9]),
)
def test_lists_that_are_no_json(text):
    assert list_of_reals(text, 0, len(text), commas=True)[1] >= 0


DAMAGED = {
    "nan": (lambda t: t.replace("log_row_scale 3\n", "log_row_scale 3\nnan "), "else than real"),
    "one too many": (lambda t: t.replace("scale 3\n", "scale 3\n1.5 ", 1), "has 4 numbers, not 3"),
    "too few": (lambda t: t.rstrip().rpartition(" ")[0], "log_col_scale has 2 numbers, not 3"),
    "one array": (lambda t: t.replace("reals 2", "reals 1"), "more arrays follow than"),
    "three arrays": (lambda t: t.replace("reals 2", "reals 3"), "a name and a length"),
    "no count": (lambda t: t.replace("reals 2", "reals x"), "a number of arrays is expected"),
    "many arrays": (lambda t: t.replace("reals 2", "reals 99"), "a number of arrays is expected"),
    "no length": (lambda t: t.replace("log_row_scale 3", "log_row_scale"), "a name and a length"),
    "another name": (lambda t: t.replace("log_row_scale 3", "other 3"), "holds no log_row_scale"),
    "beyond a double": (lambda t: t.replace("scale 3\n", "scale 3\n1e999 ", 1), "4 numbers"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_text_files_are_refused(tmp_path, name):
    d = btfperm.dulmage_mendelsohn(np.eye(3), transversal=btfperm.weighted_transversal(np.eye(3)))
    path = tmp_path / "p.txt"
    d.save(path)
    change, message = DAMAGED[name]
    text = path.read_text()
    path.write_text(change(text))
    assert path.read_text() != text
    with pytest.raises(btfperm.UnreadableInputError, match=message):
        btfperm.load(path)
