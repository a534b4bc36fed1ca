# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's npz, MATLAB and Harwell-Boeing files, with SciPy's own readers as oracles."""

from __future__ import annotations

import hashlib
import io
import sys
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from btfperm.errors import InvalidArgumentError, UnreadableInputError
from btfperm.io import matlab, peek, read, read_matrix, write_matrix
from btfperm.io.mat5_elements import SPARSE, variables
from tests.loops import looped


@pytest.fixture
def A(run_seed):
    rng = np.random.default_rng(run_seed)
    A = scipy.sparse.random_array((8, 12), density=0.3, rng=rng, format="csc")
    A.data[rng.random(A.nnz) < 0.2] = 0
    return A


def same_pattern(pattern, A):
    """Whether the pattern has the entries of A, including stored zeros."""
    ones = A.tocoo(copy=True)
    ones.data = np.ones(ones.nnz)
    ones = ones.tocsc()
    return np.array_equal(pattern.to_scipy().toarray() != 0, ones.toarray() != 0)


# -- npz ---------------------------------------------------------------------------------------


@looped("layout", ["csc", "csr", "coo", "bsr", "dia"])
@looped("kind", ["array", "matrix"])
@looped("compressed", [True, False])
def test_npz(tmp_path, A, layout, kind, compressed):
    matrix = getattr(scipy.sparse, f"{layout}_{kind}")(A)
    file = tmp_path / "a.npz"
    scipy.sparse.save_npz(file, matrix, compressed=compressed)
    pattern = read(file)
    assert same_pattern(pattern, matrix)
    assert pattern.source["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    dropped = read(file, drop_zeros=True)
    assert np.array_equal(dropped.to_scipy().toarray() != 0, A.toarray() != 0)
    assert np.array_equal(read_matrix(file).toarray(), A.toarray())
    header = peek(file)
    assert (header.format, header.layout, header.shape) == ("npz", layout, A.shape)
    assert header.entries in (None, matrix.nnz)


@pytest.mark.parametrize("block", [(1, 1), (2, 3), (4, 1)])
def test_entries_of_blocks_are_announced(tmp_path, block):
    matrix = scipy.sparse.bsr_array(np.kron(np.eye(3), np.ones(block)), blocksize=block)
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
    assert peek(tmp_path / "a.npz").entries == read(tmp_path / "a.npz").nnz == matrix.nnz


def test_npz_from_standard_input(monkeypatch, A):
    file = io.BytesIO()
    scipy.sparse.save_npz(file, A)

    class Standard:
        buffer = io.BytesIO(file.getvalue())

    monkeypatch.setattr(sys, "stdin", Standard)
    pattern = read("-")
    assert same_pattern(pattern, A)
    assert pattern.source["sha256"] == hashlib.sha256(file.getvalue()).hexdigest()


ARRAYS = {
    "format": np.array(b"csc"),
    "shape": np.array([2, 2]),
    "data": np.array([1.0, 2.0]),
    "indices": np.array([0, 1]),
    "indptr": np.array([0, 1, 2]),
}


def test_blocks_of_a_declared_size_take_no_memory(tmp_path):
    """The matrix has no rows and no columns, so blocks of any size divide it."""
    arrays = {**ARRAYS, "format": b"bsr", "shape": [0, 0], "indices": np.zeros(0, int)}
    blocks = np.zeros((0, 2**29, 2**29), np.int8)
    np.savez(tmp_path / "a.npz", **{**arrays, "data": blocks, "indptr": np.zeros(1, int)})
    tracemalloc.start()
    try:
        pattern = read(tmp_path / "a.npz")
        assert tracemalloc.get_traced_memory()[1] < 5 << 20
    finally:
        tracemalloc.stop()
    assert (pattern.shape, pattern.nnz) == ((0, 0), 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indices": None}, "damaged .*indices"),
        ({"data": None}, "no file of scipy.sparse.save_npz"),
        ({"format": np.array(b"csx")}, "layout 'csx' is none of"),
        ({"shape": np.array([2, 2, 2])}, "not two numbers"),
        ({"shape": np.array([2.5, 2])}, "not two numbers"),
        ({"shape": np.array([-2, 2])}, "not two numbers"),
        ({"shape": np.array([1, 2])}, "row index 1"),
        ({"indices": np.array([0, 2])}, "row index 2"),
        ({"indices": np.array([0, -1])}, "row index -1"),
        ({"indices": np.array([0.0, 1.0])}, "array of integers"),
        ({"indices": np.array([0])}, "a.npz"),
        ({"indptr": np.array([0, 2, 1])}, "indptr falls"),
        ({"indptr": np.array([0, 1])}, "indptr has 2 places"),
        ({"indptr": np.array([0, 1, 9])}, "only 2 indices"),
        ({"indices": np.array([0, None])}, "damaged .*Python objects"),
        ({"row_perm": np.array([0, 1])}, "it is a result"),
    ],
)
def test_npz_refused(tmp_path, changes, message):
    arrays = {key: value for key, value in (ARRAYS | changes).items() if value is not None}
    file = tmp_path / "a.npz"
    np.savez(file, **arrays)
    with pytest.raises(UnreadableInputError, match=message) as error:
        read(file)
    assert str(file) in str(error.value)


def test_npz_with_a_false_header(tmp_path):
    """The header of an array declares a terabyte; only the existing bytes count."""
    file = tmp_path / "a.npz"
    with zipfile.ZipFile(file, "w") as archive:
        for key, array in ARRAYS.items():
            content = io.BytesIO()
            np.save(content, array)
            text = content.getvalue()
            if key == "indices":
                text = text.replace(b"(2,), }" + b" " * 12, b"(125000000000,), } ")
            archive.writestr(f"{key}.npy", text)
    with pytest.raises(UnreadableInputError, match="length differs from the length in its header"):
        read(file)


# -- MATLAB ------------------------------------------------------------------------------------


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("dtype", [float, complex, bool, np.int32, np.float32])
def test_mat(tmp_path, A, compressed, dtype):
    A = (100 * A).astype(dtype)
    file = tmp_path / "a.mat"
    scipy.io.savemat(file, {"other": np.eye(2), "K": A}, do_compression=compressed)
    oracle = scipy.sparse.csc_array(scipy.io.loadmat(file)["K"])
    assert same_pattern(read(file), oracle)
    assert np.array_equal(read(file, drop_zeros=True).to_scipy().toarray() != 0, A.toarray() != 0)
    assert np.array_equal(read_matrix(file).toarray(), A.toarray())
    assert peek(file).shape == A.shape
    assert read(file).source["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_mat_struct_of_the_collection(tmp_path, A):
    file = tmp_path / "name.mat"
    scipy.io.savemat(file, {"Problem": {"name": "HB/name", "A": A, "b": np.ones(8)}})
    assert same_pattern(read(file), A)
    assert same_pattern(read(f"{file}:Problem"), A)


def test_mat_variable_by_name(tmp_path, A):
    file = tmp_path / "two.mat"
    scipy.io.savemat(file, {"K": A, "M": A.T.tocsc(), "D": np.array([[1.0, 0], [2, 3]])})
    with pytest.raises(UnreadableInputError, match=r"more than one sparse matrix \(K, M\)"):
        read(file)
    pattern = read(f"{file}:M")
    assert pattern.shape == (12, 8)
    assert pattern.source["member"] == "M"
    assert read(f"{file}:D").nnz == 3
    with pytest.raises(UnreadableInputError, match="no variable X"):
        read(f"{file}:X")


def test_mat_of_an_empty_matrix(tmp_path):
    file = tmp_path / "a.mat"
    scipy.io.savemat(file, {"A": scipy.sparse.csc_array((3, 4))})
    assert (read(file).shape, read(file).nnz) == ((3, 4), 0)


def test_mat_of_version_4(tmp_path, A):
    file = tmp_path / "a.mat"
    scipy.io.savemat(file, {"A": A}, format="4")
    with pytest.raises(UnreadableInputError, match="no MATLAB file of version 5 to 7: save it"):
        read(file)


def test_mat_of_the_other_order_of_bytes(tmp_path):
    """A file from a big-endian machine: sparse [1 0; 0 2] called A."""
    body = np.array([6, 8, 5, 2, 5, 8, 2, 2, 0x00010001, 0x41000000], ">u4").tobytes()
    body += np.array([5, 8, 0, 1, 5, 12, 0, 1, 2, 0, 9, 16], ">u4").tobytes()
    body += np.array([1.0, 2.0], ">f8").tobytes()
    file = tmp_path / "a.mat"
    start = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI"
    file.write_bytes(start + np.array([14, len(body)], ">u4").tobytes() + body)
    assert np.array_equal(scipy.io.loadmat(file)["A"].toarray(), np.diag([1.0, 2.0]))
    assert np.array_equal(read_matrix(file).toarray(), np.diag([1.0, 2.0]))


def test_mat_without_a_sparse_matrix(tmp_path):
    file = tmp_path / "dense.mat"
    scipy.io.savemat(file, {"D": np.eye(2), "text": "abc"})
    with pytest.raises(UnreadableInputError, match="no sparse matrix"):
        read(file)
    with pytest.raises(UnreadableInputError, match="text is no matrix"):
        read(f"{file}:text")


@pytest.mark.parametrize("shape", [(3, 4), (4, 5), (1, 13), (13, 1), (5, 2), (7, 7)])
@pytest.mark.parametrize("block", [1, 4, 5, 1 << 16])
def test_dense_mat_in_blocks(tmp_path, monkeypatch, shape, block):
    """Blocks end inside a column, and after one."""
    monkeypatch.setattr(matlab, "_BLOCK", block)
    D = np.arange(1.0, 1 + shape[0] * shape[1]).reshape(shape)
    for dense in (D, D * (D % 3 > 0), D * (D % 2) * 1j, np.zeros(shape)):
        scipy.io.savemat(tmp_path / "a.mat", {"D": dense})
        assert np.array_equal(read_matrix(f"{tmp_path}/a.mat:D").toarray(), dense)
        assert np.array_equal(read(f"{tmp_path}/a.mat:D").to_scipy().toarray(), dense != 0)


def test_mat_names_in_a_message_are_cut(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {letter * 31: np.eye(2) for letter in "abcdefghijk"})
    with pytest.raises(UnreadableInputError, match="it holds no sparse matrix") as error:
        read(tmp_path / "a.mat")
    assert len(str(error.value)) < len(str(tmp_path)) + 350
    assert "dddd, ...): name the one that is meant" in str(error.value)


# -- Harwell-Boeing ----------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".rua", ".rb", ".hb"])
@pytest.mark.parametrize("dtype", [float, int])
def test_harwell_boeing(tmp_path, A, suffix, dtype):
    A = (100 * A).astype(dtype)
    A.data[0] = -7
    file = tmp_path / f"a{suffix}"
    write_matrix(file, A)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns that the default of `spmatrix` will change
        oracle = scipy.io.hb_read(file)
    pattern = read(file)
    assert same_pattern(pattern, oracle)
    B = read_matrix(file)
    assert B.dtype == np.dtype(dtype)
    assert np.array_equal(B.toarray(), oracle.toarray())
    assert np.array_equal(read(file, drop_zeros=True).to_scipy().toarray() != 0, A.toarray() != 0)
    header = peek(file)
    assert (header.format, header.shape, header.entries) == ("harwell-boeing", A.shape, A.nnz)


def test_harwell_boeing_values_of_every_kind(tmp_path):
    """Features that SciPy's reader lacks: complex, symmetric, D exponents, fields without a gap."""
    text = (
        f"{'skew':<72}{'KEY':<8}\n"
        "             4             1             1             2             0\n"
        "CZA                        3             3             2             0\n"
        "(4I2)           (4I1)           (2D11.3)            \n"
        " 1 2 3 3\n23\n  1.500D+00 -2.500D-01\n-1.000D+00  0.000D+00\n"
    )
    file = tmp_path / "a.cza"
    file.write_text(text)
    dense = np.zeros((3, 3), dtype=complex)
    dense[1, 0], dense[2, 1] = 1.5 - 0.25j, -1
    assert np.array_equal(read_matrix(file).toarray(), dense - dense.T)
    assert read(file).nnz == 4


# -- writers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".mtx", ".npz", ".mat"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint8, np.complex128, bool])
def test_writers_keep_values(tmp_path, A, suffix, dtype):
    A = (100 * A).astype(dtype)
    file = tmp_path / f"a{suffix}"
    write_matrix(file, A)
    assert np.array_equal(read_matrix(file).toarray(), A.toarray())
    assert same_pattern(read(file), A)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64, np.float32])
def test_mat_holds_doubles(tmp_path, dtype):
    """Octave does not load sparse matrices of other types."""
    A = scipy.sparse.coo_array((np.array([3, 2**7 - 1], dtype=dtype), ([0, 1], [1, 0])))
    write_matrix(tmp_path / "a.mat", A)
    with (tmp_path / "a.mat").open("rb") as file:
        (variable,) = variables(file)
        elements, kinds = variable.elements(file), []
        while elements.left:
            kinds.append(elements.next().kind)
    assert variable.array_class == SPARSE and kinds == [5, 5, 9]  # int32, int32, double
    assert np.array_equal(scipy.io.loadmat(tmp_path / "a.mat")["A"].toarray(), A.toarray())


@pytest.mark.parametrize(
    ("value", "dtype"), [(2**53 + 1, np.int64), (-(2**53) - 1, np.int64), (2**64 - 1, np.uint64)]
)
def test_mat_refuses_whole_numbers_that_no_double_holds(tmp_path, value, dtype):
    def matrix(number):
        return scipy.sparse.coo_array((np.array([number], dtype=dtype), ([0], [0])))

    with pytest.raises(InvalidArgumentError, match=rf"value {value} .*\.mtx or \.npz"):
        write_matrix(tmp_path / "a.mat", matrix(value))
    assert not list(tmp_path.iterdir())
    write_matrix(tmp_path / "a.mat", matrix(value // 2**11 * 2**11))
    assert read_matrix(tmp_path / "a.mat").toarray()[0, 0] == value // 2**11 * 2**11


@pytest.mark.parametrize("shape", [(2**31, 1), (1, 2**31)])
def test_mat_refuses_what_its_indices_cannot_count(tmp_path, monkeypatch, shape):
    monkeypatch.setattr("btfperm.backends.select.memory", lambda: (2**40, 2**40))
    A = scipy.sparse.coo_array(([1.0], ([shape[0] - 1], [shape[1] - 1])), shape=shape)
    with pytest.raises(InvalidArgumentError, match="too large for a MATLAB file"):
        write_matrix(tmp_path / "a.mat", A)


@pytest.mark.parametrize("suffix", ["mtx", "npz"])
def test_whole_numbers_without_a_sign_keep_their_value(tmp_path, suffix):
    """2**63 + 5 does not fit in int64, and must not become negative."""
    values = np.array([2**63 + 5, 3], dtype=np.uint64)
    write_matrix(tmp_path / f"a.{suffix}", scipy.sparse.coo_array((values, ([0, 1], [1, 0]))))
    if suffix == "mtx":
        assert "1 2 9223372036854775813" in (tmp_path / "a.mtx").read_text()
    else:
        assert read_matrix(tmp_path / f"a.{suffix}").toarray()[0, 1] > 0


def test_same_matrix_same_bytes(tmp_path, A):
    for suffix in (".mtx", ".mtx.gz"):
        write_matrix(tmp_path / f"a{suffix}", A)
        write_matrix(tmp_path / f"b{suffix}", A)
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


@pytest.mark.parametrize("name", ["a", "a.txt", "a.npz.gz", "a.gz"])
def test_writer_unknown_suffix(tmp_path, A, name):
    with pytest.raises(InvalidArgumentError, match="choose one of these suffixes"):
        write_matrix(tmp_path / name, A)
    assert not list(tmp_path.iterdir())


HOSTILE = [0.0, -0.0, -1.5, 1e-300, -1.7976931348623157e308, 5e-324, np.inf, -np.inf, 1 / 3, 12.0]


@pytest.mark.parametrize("dtype", [float, complex, np.int64, bool])
@given(data=st.data())
def test_harwell_boeing_of_every_field(tmp_path, dtype, data):
    """Every value is read back exactly, at any position of a line."""
    m, n = shape = data.draw(st.sampled_from([(7, 4), (1, 30), (12, 3)]))
    places = data.draw(st.lists(st.integers(0, m * n - 1), unique=True))
    count = len(places)
    if dtype is np.int64:
        number = st.integers(-(2**63), 2**63 - 1)
    elif dtype is bool:
        number = st.just(True)
    else:
        number = st.sampled_from(HOSTILE) | st.floats(allow_nan=False)
    parts = [data.draw(st.lists(number, min_size=count, max_size=count)) for _ in range(2)]
    values = np.array(parts[0], dtype=dtype)
    if dtype is complex:
        values.imag = parts[1]
    rows, cols = np.divmod(np.array(places, dtype=int), n)
    A = scipy.sparse.csc_array((values, (rows, cols)), shape=shape)
    file = tmp_path / "a.rb"
    write_matrix(file, A)
    assert max(map(len, file.read_text().splitlines())) <= 80
    B = read_matrix(file).tocsc()
    assert B.shape == shape and np.array_equal(B.indptr, A.indptr)
    assert np.array_equal(B.indices, A.indices) and np.array_equal(B.data, A.data)
    field = {float: "real", complex: "complex", np.int64: "integer", bool: "pattern"}[dtype]
    assert peek(file).field == field or not count


@pytest.mark.parametrize("layout", ["csc", "csr", "coo"])
@pytest.mark.parametrize("surplus", [1, -1])
def test_npz_with_values_that_do_not_go_with_the_indices(tmp_path, A, layout, surplus):
    file = tmp_path / "a.npz"
    scipy.sparse.save_npz(file, A.asformat(layout))
    arrays = dict(np.load(file))
    arrays["data"] = np.ones(arrays["data"].size + surplus)
    np.savez(file, **arrays)
    with pytest.raises(UnreadableInputError, match=r"a\.npz: "):
        read(file)
