# SPDX-License-Identifier: BSD-3-Clause
"""`check` of damaged permutation files: one sentence with the file, and bounded memory. `check`
refuses every file that `load` refuses."""

from __future__ import annotations

import json
import struct
import tracemalloc

import pytest

from btfperm.errors import UnreadableInputError
from btfperm.io import load
from btfperm.reports.perm_arrays import read_arrays

HEAD = b"btfperm-permutation 1 btfperm 1\n"
META = b'meta {"format_version": 1}\n'
DAMAGED = {
    "cut.txt": HEAD + b"row_perm 3\n0 1",
    "no_meta.txt": HEAD + b"row_perm 2\n0 1\n",
    "underscore.txt": HEAD + b"row_perm 2\n0_0 1\n" + META,
    "other_digits.txt": HEAD + "row_perm 1\n\u0663\n".encode() + META,
    "negative_length.txt": HEAD + b"row_perm -5\n" + META,
    "length_beyond_63_bits.txt": HEAD + b"row_perm 99999999999999999999\n0\n" + META,
    "length_no_number.txt": HEAD + b"row_perm 1e0\n0\n" + META,
    "number_beyond_64_bits.txt": HEAD + b"row_perm 1\n" + b"9" * 22 + b"\n" + META,
    "long_token.txt": HEAD + b"row_perm 1\n" + b"9" * 100_000 + b"\n" + META,
    "version.txt": HEAD.replace(b" 1 ", b" x ", 1) + b"row_perm 1\n0\n" + META,
    "cut.json": b'{"row_perm": [0, 1',
    "list.json": b"[]",
    "mark.json": b'{"row_perm": [' + b"1, " * 2_000 + b'1], "col_perm": "\\u00000"}',
    "archive_behind_two_bytes.npz": b"PKPK\5\6" + bytes(18),
    "deep.json": b'{"row_perm": ' + b"[" * 100_000,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(DAMAGED[name])
    for reader in (read_arrays, load):
        with pytest.raises(UnreadableInputError) as error:
            reader(file)
        message = str(error.value)
        assert message.startswith(str(file)) and "\n" not in message
        assert "StopIteration" not in message and "islice" not in message
        assert "set_int_max_str_digits" not in message and len(message) < len(str(file)) + 300


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("objects.json", b'{"row_perm": [' + b"{}," * 1_000_000 + b"{}]}"),
        ("fractions.json", b'{"row_perm": [' + b"1.5," * 150_000 + b"1]}"),
        ("texts.json", b'{"row_perm": ["' + b"x" * 300_000 + b'"' + b',"y"' * 9_000 + b"]}"),
        ("numbers.txt", HEAD + b"row_perm 300000\n" + b"1 " * 300_000 + b"\n" + META),
        ("numbers.json", b'{"row_perm": [' + b"1," * 300_000 + b'1], "meta": {}}'),
    ],
    ids=["objects", "fractions", "texts", "numbers in text", "numbers"],
)
def test_memory_follows_the_bytes_read(tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content)
    tracemalloc.start()
    try:
        read_arrays(file)
    except UnreadableInputError as error:
        assert str(error).startswith(str(file))
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak <= 8 * len(content) + (8 << 20)


@pytest.mark.parametrize("convention", ["[1, 2]", "[]", "3", "{}", '["btf", "klu"]'])
def test_a_convention_that_is_no_text(tmp_path, convention):
    file = tmp_path / "perm.json"
    file.write_text(f'{{"row_perm": [0], "convention": {convention}, "meta": {{}}}}')
    with pytest.raises(UnreadableInputError, match=r"perm\.json: its convention is no text$"):
        read_arrays(file)


@pytest.mark.parametrize("code", ["i", "q"])
def test_an_index_set_of_negative_length(tmp_path, code):
    file = tmp_path / "perm.petsc"
    file.write_bytes(struct.pack(f">5{code}", 1211218, -1, 1211218, 1, 0))
    with pytest.raises(UnreadableInputError, match=r"an index set in it has -1 indices"):
        read_arrays(file)
    file.write_bytes(struct.pack(f">6{code}", 1211218, 1, 0, 1211218, 1, 0))
    assert read_arrays(file).arrays["row_perm"].tolist() == [0]


@pytest.mark.parametrize("meta", [{"kind": "x y " * 900}, {"format_version": "x y " * 900}])
def test_long_texts_in_meta_are_quoted_in_part(tmp_path, meta):
    file = tmp_path / "perm.json"
    about = {"format_version": 1, "kind": "dulmage_mendelsohn", **meta}
    file.write_text(json.dumps({"row_perm": [0], "meta": about}))
    for reader in (read_arrays, load):
        with pytest.raises(UnreadableInputError, match=r"'x y .*\.\.\..* x y '") as error:
            reader(file)
        assert len(str(error.value)) < len(str(file)) + 250


@pytest.mark.parametrize(
    ("convention", "quoted"), [("x" * 3000, "x" * 37 + "..."), ("\u00e9", r"\\xe9")]
)
def test_an_unknown_convention_is_quoted_in_part(tmp_path, convention, quoted):
    file = tmp_path / "perm.json"
    file.write_text(json.dumps({"row_perm": [0], "convention": convention, "meta": {}}))
    with pytest.raises(UnreadableInputError, match=f"the convention '{quoted}' is unknown; there"):
        read_arrays(file)
