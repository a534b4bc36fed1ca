# SPDX-License-Identifier: BSD-3-Clause
"""Right-hand sides and solutions in files keep every bit, and other programs read them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from btfperm.errors import InvalidArgumentError, ResourceMissingError, UnreadableInputError
from btfperm.io.vectors import read_vectors, write_vectors, writes

SHAPES = hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=5)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
COMPLEX = st.complex_numbers(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("suffix", ["mtx", "mtx.gz", "npy"])
@given(x=hnp.arrays(float, SHAPES, elements=FINITE) | hnp.arrays(complex, SHAPES, elements=COMPLEX))
def test_written_numbers_are_read_again(tmp_path_factory, suffix, x):
    path = tmp_path_factory.mktemp("vectors") / f"x.{suffix}"
    write_vectors(path, x)
    found = read_vectors(path, rows=x.shape[0], of="A")
    assert np.array_equal(found.reshape(x.shape), x)


def test_long_vectors_are_written_in_pieces(tmp_path):
    x = np.random.default_rng(1).standard_normal((100_000, 2))
    write_vectors(tmp_path / "x.mtx", x)
    assert np.array_equal(scipy.io.mmread(tmp_path / "x.mtx"), x)
    assert (tmp_path / "x.mtx").read_text().count("%") == 2


def test_numpy_reads_what_is_written(tmp_path):
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    write_vectors(tmp_path / "x", x, format="npy")
    assert np.array_equal(np.load(tmp_path / "x"), x)
    np.save(tmp_path / "y.npy", x)  # in Fortran order
    assert np.array_equal(read_vectors(tmp_path / "y.npy", rows=2, of="A"), x)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", [*"bhiqBHIQefdgFDG"])
def test_every_type_of_numbers_is_read(tmp_path, kind, order):
    x = np.arange(2, dtype=np.dtype(kind).newbyteorder(order))
    np.save(tmp_path / "x.npy", x)
    found = read_vectors(tmp_path / "x.npy", rows=2, of="A")
    assert found.dtype == x.dtype and found.tolist() == [0, 1]


@pytest.mark.parametrize("name", ["x.txt", "x.npz", "x.npy.gz", "x", "mtx"])
def test_other_suffixes_are_refused(tmp_path, name):
    assert writes(name) is None
    with pytest.raises(InvalidArgumentError, match="choose one of these suffixes"):
        write_vectors(tmp_path / name, np.ones(2))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones((2, 1, 1)), "one or two dimensions"),
        (np.array(1.0), "one or two dimensions"),
        (np.array([True, False]), "an array of numbers"),
        (np.array(["a", "b"]), "an array of numbers"),
        (np.array([1, 2], dtype="M8[s]"), "an array of numbers"),
    ],
)
def test_arrays_that_are_no_vectors(tmp_path, array, message):
    np.save(tmp_path / "b.npy", array)
    with pytest.raises(UnreadableInputError, match=f"b.npy: .*{message}"):
        read_vectors(tmp_path / "b.npy", rows=2, of="A")


def test_sizes_with_leading_zeros(tmp_path):
    """NumPy parses the header as Python does, which accepts no leading zeros."""
    np.save(tmp_path / "b.npy", np.ones((3, 10)))
    good = (tmp_path / "b.npy").read_bytes()
    (tmp_path / "b.npy").write_bytes(good.replace(b"(3, 10)", b"(3, 01)"))
    with pytest.raises(ValueError, match=r"[Cc]annot parse"):
        np.load(tmp_path / "b.npy")
    with pytest.raises(UnreadableInputError, match="not the head of an array"):
        read_vectors(tmp_path / "b.npy", rows=3, of="A")


def test_damaged_arrays(tmp_path):
    path = tmp_path / "b.npy"
    np.save(path, np.ones(9))
    whole = path.read_bytes()
    for content in (whole[:-1], whole[:20], whole[:8], whole + b"x"):
        path.write_bytes(content)
        with pytest.raises(UnreadableInputError, match=r"b\.npy: it is no \.npy file"):
            read_vectors(path, rows=9, of="A")


def test_many_columns_of_few_entries(tmp_path):
    path = tmp_path / "b.mtx"
    head = "%%MatrixMarket matrix coordinate real general"
    path.write_text(f"{head}\n1000 2000000000 1\n1 1 5\n")
    with pytest.raises(ResourceMissingError, match="GB are free"):
        read_vectors(path, rows=1000, of="A")


def test_the_system_does_not_give_the_memory(tmp_path, monkeypatch):
    def refuse(self):
        raise MemoryError

    monkeypatch.setattr(scipy.sparse.coo_matrix, "toarray", refuse)
    monkeypatch.setattr(scipy.sparse.coo_array, "toarray", refuse)
    path = tmp_path / "b.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n3 2 1\n1 1 5\n")
    sentence = r"b\.mtx: a matrix of shape 3 x 2 needs 0\.0 GB as an array"
    with pytest.raises(ResourceMissingError, match=sentence):
        read_vectors(path, rows=3, of="A")


@pytest.mark.parametrize("pad", ["\r", "\t", "\x0b"])
def test_only_blanks_pad_the_head_of_an_array(tmp_path, pad):
    """NumPy refuses the others, too."""
    file = tmp_path / "b.npy"
    np.save(file, np.array([1.0, 2.0]))
    file.write_bytes(file.read_bytes().replace(b"  \n", pad.encode() + b" \n"))
    with pytest.raises(UnreadableInputError, match="is not the head of an array"):
        read_vectors(file, rows=2, of="the matrix")
