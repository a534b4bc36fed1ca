# SPDX-License-Identifier: BSD-3-Clause
"""Damaged npz and MATLAB files are refused with a sentence that names the file and the array."""

from __future__ import annotations

import json
import warnings
import zipfile

import numpy as np
import pytest

from btfperm.errors import UnreadableInputError
from btfperm.io import load, peek, read, read_matrix
from btfperm.reports.perm_arrays import read_arrays
from tests.io.hostile_binary import (
    compressed,
    element,
    mat,
    npy,
    npy_of,
    npy_with_head,
    npz,
    numbers,
    sparse,
    variable,
    with_field,
)
from tests.loops import looped

GOOD = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
TWO = np.array([1.0, 2.0]).tobytes()

# Arrays that replace `data`, and the text of the error.
ARRAYS = {
    "brace not closed": (npy_with_head(GOOD[:-1], TWO), "not the head of an array"),
    "parenthesis not closed": (npy_with_head(GOOD.replace("(2,)", "(2,"), TWO), "not the head"),
    "string not closed": (npy_with_head(GOOD.replace("'<f8'", "'<f8"), TWO), "not the head"),
    "nested parentheses": (npy_of("'<f8'", "(" * 4000 + "2" + ")" * 4000, TWO), "not the head"),
    "nested signs": (npy_of("'<f8'", "(" + "-" * 9000 + "2,)", TWO), "not the head"),
    "nested lists": (npy_of("[" * 2000 + "]" * 2000, "(2,)", TWO), "type that is not read"),
    "bytes that are no text": (npy_with_head(b"\xff\xfe" + GOOD.encode(), TWO), "not the head"),
    "letters of no ASCII": (npy_with_head(GOOD.replace("f8", "f\u0668"), TWO), "not read"),
    "a call": (npy_of("__import__('os')", "(2,)", TWO), "not the head"),
    "a key twice missing": (npy_with_head(GOOD.replace("descr", "type"), TWO), "not the head"),
    "no head": (npy_with_head("", TWO), "not the head"),
    "a line end in the padding": (npy_with_head(GOOD + "  \n  \n", TWO), "not the head"),
    "a shape that is a number": (npy_of("'<f8'", "( 2 )", TWO), "not the head"),
    "text behind the head": (npy_with_head(GOOD + "1", TWO), "not the head"),
    "a long head": (npy_with_head(GOOD + " " * 20_000, TWO), "its head has 20057 bytes"),
    "a head that is declared": (b"\x93NUMPY\2\0\xff\xff\xff\xff{", "its head has 4294967295"),
    "a head that ends early": (b"\x93NUMPY\1\0\xff\0{", "ends in its head"),
    "another version": (npy_with_head(GOOD, TWO, b"\4\0"), "does not begin like an array"),
    "nothing": (b"", "does not begin like an array"),
    "negative shape": (npy_of("'<f8'", "(-2,)", TWO), "not the head"),
    "a shape of thirty digits": (npy_of("'<f8'", f"({10**29},)", TWO), "not the head"),
    "a shape beyond 64 bits": (npy_of("'<f8'", f"(2, {2**62})", TWO), "larger than any array"),
    "nothing times a huge size": (npy_of("'<f8'", f"(0, {2**62})"), "larger than any array"),
    "a shape of truth values": (npy_of("'<f8'", "(True,)", TWO), "not the head"),
    "a shape of a fraction": (npy_of("'<f8'", "(2.0,)", TWO), "not the head"),
    "a shape that is a text": (npy_of("'<f8'", "'2'", TWO), "no shape"),
    "an order that is a text": (npy_with_head(GOOD.replace("False", "'x'"), TWO), "no order"),
    "items of no bytes": (npy_of("'|V0'", f"({2**62},)"), "have no bytes"),
    "texts of no bytes": (npy_of("'|S0'", f"({2**62},)"), "have no bytes"),
    "wide texts of no bytes": (npy_of("'<U0'", "(3,)"), "have no bytes"),
    "Python objects": (npy_of("'|O'", "(2,)", TWO), "Python objects, which are not read"),
    "a record": (npy_of("[('a', '<i8'), ('b', '<i8')]", "(1,)", TWO), "type that is not read"),
    "two types": (npy_of("'<i8, <i8'", "(1,)", TWO), "type that is not read"),
    "an array of arrays": (npy_of("'(2,)i8'", "(1,)", TWO), "type that is not read"),
    "an unknown type": (npy_of("'<i3'", "(2,)", b"\0" * 6), "data"),
    "a wide type": (npy_of("'|V2147483647'", "(2,)", TWO), "2147483647 bytes each"),
    "no items of a wide type": (npy_of("'|V2147483647'", "(0,)"), "2147483647 bytes each"),
}

ARCHIVES = {
    "encrypted": (with_field(npz({}), "data", "flags", 1), "encrypted, or compressed"),
    "unknown compression": (with_field(npz({}), "data", "method", 99), "encrypted, or compressed"),
    "bzip2": (npz({}, zipfile.ZIP_BZIP2), "encrypted, or compressed"),
    "lzma": (npz({}, zipfile.ZIP_LZMA), "encrypted, or compressed"),
    "patched": (with_field(npz({}), "data", "flags", 1 << 5), "compressed patched data"),
    "size too large": (
        with_field(npz({}), "data", "size", 1 << 30),
        "its length differs from the length in its header",
    ),
    "size too small": (with_field(npz({}), "data", "size", 90), "Bad CRC-32"),
    "packed size too small": (
        with_field(npz({}, zipfile.ZIP_DEFLATED), "data", "packed", 20),
        "the array 'data' is damaged",
    ),
    "stream of another kind": (
        with_field(npz({}), "data", "method", 8),
        "the array 'data' is damaged",
    ),
    "no directory": (npz({})[:-60], "not a zip file"),
    "damaged directory": (npz({}).replace(b"PK\1\2", b"PK\1\3"), "central directory"),
    "version of the future": (npz({}).replace(b"\x14\x03\x14\0", b"\x14\x03\xff\0"), "version"),
    "a name that is no text": (
        with_field(npz({}), "data", "flags", 1 << 11).replace(b"data.npy", b"\xffata.npy"),
        "no UTF-8 text",
    ),
}

EMPTY = element(14, b"")
PROBLEM = (numbers([2, 0], "<u4"), numbers([1, 1]), element(1, b"Problem"))


def struct_of(width: bytes, names: bytes, *fields: bytes) -> bytes:
    return mat(variable(b"".join((*PROBLEM, width, element(1, names), *fields))))


def shape_of(*sizes: float, dtype: str = "<f8") -> bytes:
    return mat(variable(sparse(shape=numbers(sizes, dtype))))


NO_ROWS = mat(variable(sparse(shape=numbers([0, 2]), starts=numbers([0, 1, 1]))))
MATLAB = {
    "sizes infinite": (shape_of(np.inf, 2), "dimensions of a variable"),
    "sizes not a number": (shape_of(np.nan, 2), "dimensions of a variable"),
    "sizes of a fraction": (shape_of(2.5, 2), "dimensions of a variable"),
    "sizes negative": (shape_of(-2, 2, dtype="<i4"), "no legal dimensions"),
    "sizes huge": (shape_of(2**64 - 1, 2**64 - 1, dtype="<u8"), "3 column pointers"),
    "one size": (shape_of(2, dtype="<i4"), "no legal dimensions"),
    "three sizes": (shape_of(2, 2, 1, dtype="<i4"), "not two dimensions"),
    "no sizes": (shape_of(dtype="<i4"), "dimensions of a variable"),
    "thousands of sizes": (shape_of(*[1] * 999, dtype="<i4"), "dimensions of a variable"),
    "flags of doubles": (mat(variable(sparse(flags=numbers([np.inf], "<f8")))), "the flags"),
    "flags missing": (mat(variable(element(6, b"") + sparse())), "the flags"),
    "pointers of doubles": (mat(variable(sparse(starts=numbers([0, 1, 2], "<f8")))), "3 column"),
    "pointers too few": (mat(variable(sparse(starts=numbers([0, 2])))), "2 column pointers for 2"),
    "pointers negative": (mat(variable(sparse(starts=numbers([0, 1, -2])))), "-2 entries"),
    "pointers too far": (mat(variable(sparse(starts=numbers([0, 1, 9])))), "entries where 9"),
    "entries without rows": (NO_ROWS, "0 entries where 1"),
    "rows of letters": (mat(variable(sparse(rows=element(16, b"ab")))), "type 16 holds no numbers"),
    "rows that are cut": (mat(variable(sparse(rows=element(5, b"abcde")))), "numbers is cut"),
    "values missing": (mat(variable(sparse(values=b""))), "elements are missing"),
    "imaginary parts missing": (
        mat(variable(sparse(flags=numbers([5 | 0x800, 2], "<u4")))),
        "elements are missing",
    ),
    "a long name": (mat(variable(sparse(name=b"A" * 20_000))), "a name has 20000 bytes"),
    "longer than the file": (mat(variable(sparse(), 1 << 20)), "it ends early"),
    "longer inside": (mat(variable(sparse(rows=element(5, b"", 999)))), "longer than what holds"),
    "an element of another type": (mat(variable(sparse()), element(0, b"")), "type 0 with 0 bytes"),
    "an empty variable": (mat(variable(sparse()), EMPTY), "type 14 with 0 bytes"),
    "a stream cut": (mat(compressed(variable(sparse()), cut=9)), "ends early"),
    "a stream without its checksum": (mat(compressed(variable(sparse()), cut=4)), "ends early"),
    "no stream": (mat(element(15, b"x" * 16)), "incorrect header check"),
    "an empty stream": (mat(compressed(b"")), "ends early"),
    "a stream in a stream": (mat(compressed(compressed(variable(sparse())))), "type 15 is in the"),
    "a length in a stream": (mat(compressed(variable(sparse(), 1 << 30)[:-48])), "ends early"),
    "a struct without names": (struct_of(numbers([0]), b""), "names without letters"),
    "a struct with infinite names": (struct_of(numbers([np.inf], "<f8"), b"A"), "field names"),
    "a struct with negative names": (struct_of(numbers([-4]), b"A"), "names without letters"),
    "a struct without its field": (struct_of(numbers([4]), b"A\0\0\0"), "elements are missing"),
    "a field that is no variable": (struct_of(numbers([4]), b"A\0\0\0", numbers([1])), "type 5"),
}


def refused(file, content: bytes, message: str, *readers) -> None:
    file.write_bytes(content)
    for reader in readers:
        with warnings.catch_warnings(), pytest.raises(UnreadableInputError) as error:
            warnings.simplefilter("error")
            reader(file)
        text = str(error.value)
        assert text.startswith(f"{file}: ") and message in text and len(text) < 300 + len(str(file))


@looped("name", ARRAYS)
def test_array(tmp_path, name):
    content, message = ARRAYS[name]
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        archive = npz({"data": content}, method)
        refused(tmp_path / "a.npz", archive, message, read, read_matrix)
        assert "the array 'data' is damaged" in error_of(read, tmp_path / "a.npz")


@looped("name", ARRAYS)
def test_array_of_a_permutation(tmp_path, name):
    content, message = ARRAYS[name]
    meta = npy(np.array(json.dumps({"format_version": 1, "kind": "dulmage_mendelsohn"})))
    archive = npz({"meta": meta, "row_perm": content})
    refused(tmp_path / "perm.npz", archive, message.replace("data", "row_perm"), load)
    assert "the array 'row_perm' is damaged" in error_of(load, tmp_path / "perm.npz")
    archive = archive.replace(b"format.npy", b"fromat.npy")  # `check` then sees no matrix
    refused(tmp_path / "perm.npz", archive, message.replace("data", "row_perm"), read_arrays)


def error_of(reader, file) -> str:
    with pytest.raises(UnreadableInputError) as error:
        reader(file)
    return str(error.value)


@pytest.mark.parametrize("name", ARCHIVES)
def test_archive(tmp_path, name):
    content, message = ARCHIVES[name]
    refused(tmp_path / "a.npz", content, message, read, read_matrix, peek)


@looped("name", MATLAB)
def test_matlab(tmp_path, name):
    content, message = MATLAB[name]
    refused(tmp_path / "a.mat", content, message, read, read_matrix, peek)


@pytest.mark.parametrize("changed", [{"indices": np.zeros(9, int)}, {"indptr": np.zeros(9, int)}])
def test_lengths_that_differ_are_refused_before_an_array_is_read(tmp_path, changed, monkeypatch):
    from btfperm.io import npy_members

    monkeypatch.setattr(npy_members, "array_of", limited(npy_members.array_of))
    archive = npz({key: npy(array) for key, array in changed.items()})
    refused(tmp_path / "a.npz", archive, "9 ", read, read_matrix)


def limited(array_of):
    """Allows only reads of at most 16 bytes, as for `format` and `shape`."""

    def read_short(read, size, dtype):
        assert size <= 16
        return array_of(read, size, dtype)

    return read_short


@pytest.mark.parametrize("layout", ["csc", "bsr", "dia"])
def test_a_shape_of_many_sizes_is_shortened_in_the_message(tmp_path, layout):
    many = npy_of("'<f8'", f"({'1, ' * 3000})", bytes(8))
    archive = npz({"format": npy(np.array(layout.encode())), "data": many, "offsets": many})
    refused(tmp_path / "a.npz", archive, "of shape (1, 1, 1, ", read, read_matrix, peek)


def test_a_layout_of_many_words_is_shortened_in_the_message(tmp_path):
    archive = npz({"format": npy(np.array(b"a b " * 200))})
    refused(tmp_path / "a.npz", archive, "the layout 'a b a b ", read, read_matrix, peek)


def test_heads_that_other_writers_give_an_array(tmp_path):
    """Another order of the keys, other quotes, no comma at the end, and the L of Python 2."""
    heads = (
        b'{"shape": (2L,),"fortran_order":False , "descr":"<f8"}\n',
        b"{'fortran_order': True, 'descr': '=f8', 'shape': ( 2 , )}",
        b"   {'descr': '<f8', 'fortran_order': False, 'shape': (2,), }   \n",
    )
    file = tmp_path / "a.npz"
    for head in heads:
        file.write_bytes(npz({"data": npy_with_head(head, TWO)}))
        assert read_matrix(file).toarray().tolist() == [[1, 0], [0, 2]]


def test_the_longest_head(tmp_path):
    """10,000 bytes, as in NumPy."""
    longest = npy_with_head(GOOD.ljust(10_000), TWO)
    (tmp_path / "a.npz").write_bytes(npz({"data": longest}))
    assert read(tmp_path / "a.npz").nnz == 2
    longer = npy_with_head(GOOD.ljust(10_001), TWO)
    refused(tmp_path / "b.npz", npz({"data": longer}), "its head has 10001 bytes", read)


def test_a_damaged_variable_beside_the_matrix(tmp_path):
    """The headers of all variables decide which one is the matrix, so their checksums count."""
    other = sparse(name=b"B", flags=numbers([6, 0], "<u4"), rows=numbers([1, 2, 3, 4]))
    file = tmp_path / "a.mat"
    good, cut = compressed(variable(other)), compressed(variable(other), cut=4)
    file.write_bytes(mat(compressed(variable(sparse())), good))
    assert read(file).nnz == 2
    file.write_bytes(mat(compressed(variable(sparse())), cut))
    with pytest.raises(UnreadableInputError, match="ends early"):
        read(file)
    assert read(f"{file}:A").nnz == 2


def test_the_number_of_variables_is_limited(tmp_path):
    """The heads of all variables are read, so a file of many small ones would take long."""
    other = variable(sparse(name=b"B", flags=numbers([6, 0], "<u4"), rows=numbers([1, 2, 3, 4])))
    file = tmp_path / "a.mat"
    file.write_bytes(mat(variable(sparse()), other * (2**13 - 1)))
    assert read(file).nnz == 2
    refused(file, mat(variable(sparse()), other * 2**13), "more than 8192 variables", read, peek)


def test_an_object_beside_the_matrix(tmp_path):
    """A variable of the class that MATLAB uses for tables and strings has no dimensions."""
    table = numbers([17, 0], "<u4") + element(1, b"t") + element(1, b"MCOS") + element(1, b"table")
    file = tmp_path / "a.mat"
    file.write_bytes(mat(variable(table), variable(sparse())))
    assert read(file).nnz == 2


def test_peek_counts_the_entries_that_are_used(tmp_path):
    """The pointers may refer to fewer indices than there are."""
    file = tmp_path / "a.npz"
    file.write_bytes(npz({"indptr": npy(np.array([0, 1, 1]))}))
    assert peek(file).entries == read(file).nnz == 1


def test_an_array_that_no_permutation_file_has_is_not_read(tmp_path):
    from btfperm import dulmage_mendelsohn

    result = dulmage_mendelsohn(np.eye(3))
    result.save(tmp_path / "perm.npz")
    with zipfile.ZipFile(tmp_path / "perm.npz", "a") as archive:
        archive.writestr("other.npy", b"")
    assert load(tmp_path / "perm.npz") == result
    content = (tmp_path / "perm.npz").read_bytes()
    content = content.replace(b"<U7", b"<U8")
    refused(tmp_path / "perm.npz", content, "the array 'convention' is damaged", load)
