# SPDX-License-Identifier: BSD-3-Clause
"""Values of files from every format, in the order of the pattern."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from btfperm import as_valued, read_valued
from btfperm.errors import UnreadableInputError
from btfperm.io import read, read_matrix, write_matrix
from tests.io.test_cases import CASES
from tests.loops import looped
from tests.oracles.plain_values import assert_is, same_pattern, summed, wide

READABLE = [file for file in CASES if file.parent.name != "rejected"]
SUFFIXES = [".mtx", ".mtx.gz", ".mtx.bz2", ".mtx.xz", ".npz", ".mat", ".rb"]


@looped("drop", [False, True])
@looped("file", READABLE, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_files_of_the_reader(file, drop):
    """The values are those of `read_matrix` with duplicates added up, in the pattern of `read`. A
    file without values, or with values that only `read` accepts because it skips them, gives an
    error with the file's name."""
    try:
        A = read_matrix(file)
    except UnreadableInputError as error:
        with pytest.raises(UnreadableInputError) as caught:
            read_valued(file)
        assert str(caught.value) == str(error)
        return
    if A.dtype == bool:
        with pytest.raises(UnreadableInputError, match="it holds no values") as caught:
            read_valued(file)
        assert str(caught.value).startswith(str(file))
        return
    V, P = read_valued(file, drop_zeros=drop), read(file, drop_zeros=drop)
    same_pattern(V, P)
    assert (V.pattern.name, V.pattern.source) == (P.name, P.source)
    if not drop:
        assert_is(V, summed(A))


def test_symmetric_files_get_their_sign_and_conjugate(tmp_path):
    wanted = {
        ("real", "symmetric", "2"): [2, 2],
        ("integer", "skew-symmetric", "2"): [2, -2],
        ("complex", "symmetric", "2 3"): [2 + 3j, 2 + 3j],
        ("complex", "hermitian", "2 3"): [2 + 3j, 2 - 3j],
        ("complex", "skew-symmetric", "2 3"): [2 + 3j, -2 - 3j],
    }
    for (field, symmetry, value), values in wanted.items():
        file = tmp_path / "a.mtx"
        head = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n"
        file.write_text(f"{head}2 2 1\n2 1 {value}\n")
        V = read_valued(file)
        assert V.pattern.indices.tolist() == [1, 0] and V.values.tolist() == values
        assert V.field == field


@looped("dtype", [np.float64, np.complex128, np.int64])
@looped("suffix", [".mtx", ".mtx.gz", ".mtx.bz2", ".mtx.xz", ".npz", ".mat", ".rb"])
@looped("empty", [False, True])
def test_files_that_are_written(tmp_path, suffix, dtype, empty):
    D = np.array([[0, -1, 0], [2, 0, 3]]) * (0 if empty else 1)
    A = sp.csc_array(D.astype(dtype) * (1j if dtype is np.complex128 else 1))
    write_matrix(tmp_path / f"a{suffix}", A)
    V = read_valued(tmp_path / f"a{suffix}")
    if suffix == ".mat":  # this format holds only double and complex double
        dtype = np.result_type(dtype, np.float64)
    # A MATLAB file without entries states no field.
    assert V.values.dtype == dtype or (empty and suffix == ".mat")
    np.testing.assert_array_equal(V.to_scipy().toarray(), A.toarray())


@pytest.mark.parametrize("layout", ["csc", "csr", "coo", "bsr", "dia"])
@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int16])
def test_every_layout_of_npz(tmp_path, layout, dtype):
    A = sp.coo_array(np.array([[0, 1, 0, 2], [3, 0, 0, 4]], dtype=dtype))
    sp.save_npz(tmp_path / "a.npz", A.asformat(layout))
    V = read_valued(tmp_path / "a.npz", drop_zeros=True)
    assert_is(V, summed(A))
    same_pattern(read_valued(tmp_path / "a.npz"), read(tmp_path / "a.npz"))


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int16])
def test_dense_variables_of_matlab(tmp_path, dtype):
    D = np.array([[0, 1, 0], [2, 0, 3]], dtype=dtype)
    scipy.io.savemat(tmp_path / "a.mat", {"D": D, "L": sp.csc_array(D != 0)})
    V = read_valued(f"{tmp_path / 'a.mat'}:D")
    assert V.values.dtype == wide(dtype) and V.values.tolist() == [2, 1, 3]
    with pytest.raises(UnreadableInputError, match="it holds no values"):
        read_valued(f"{tmp_path / 'a.mat'}:L")


def test_archives(tmp_path):
    text = b"%%MatrixMarket matrix coordinate real general\n2 2 2\n2 2 7\n1 1 5\n"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("a/a.mtx")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    file = tmp_path / "a.tar.gz"
    file.write_bytes(gzip.compress(packed.getvalue()))
    V = read_valued(file)
    assert V.values.tolist() == [5, 7] and V.pattern.source == read(file).source
    (tmp_path / "a.mtx.bz2").write_bytes(bz2.compress(text))
    assert as_valued(tmp_path / "a.mtx.bz2").values.tolist() == [5, 7]


@pytest.mark.parametrize(
    ("letters", "layout", "numbers", "values"),
    [
        ("IUA", "(2I20)", [2**63 - 1, -(2**63)], [2**63 - 1, -(2**63)]),
        ("IUA", "(2F20.1)", ["3.0", "-4."], [3, -4]),
        ("RUA", "(2I20)", [3, -4], [3.0, -4.0]),
        ("IUA", "(2F20.1)", ["3.0", "0.5"], "the value 0.5 is not a whole number"),
        ("IUA", "(2F20.1)", ["nan", "1."], "the value nan is not a whole number"),
        ("IUA", "(2F20.1)", ["1e300", "1."], "the value 1e\\+300 is not a whole number"),
    ],
)
def test_integers_of_harwell_boeing(tmp_path, letters, layout, numbers, values):
    cards = (
        "title",
        "".join(f"{count:14d}" for count in (3, 1, 1, 1, 0)),
        f"{letters:<14}" + "".join(f"{count:14d}" for count in (2, 2, 2, 0)),
        f"{'(16I5)':<16}{'(16I5)':<16}{layout:<20}",
        f"{1:5}{2:5}{3:5}",
        f"{1:5}{2:5}",
        "".join(f"{number:>20}" for number in numbers),
    )
    (tmp_path / "a.rb").write_text("\n".join(cards) + "\n")
    if isinstance(values, list):
        V = read_valued(tmp_path / "a.rb")
        assert V.values.tolist() == values and V.field == ("real", "integer")[letters == "IUA"]
        return
    with pytest.raises(UnreadableInputError, match=values):
        read_valued(tmp_path / "a.rb")
    assert read(tmp_path / "a.rb").nnz == 2
