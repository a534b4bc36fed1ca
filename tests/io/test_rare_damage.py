# SPDX-License-Identifier: BSD-3-Clause
"""Damage that few files have. In each case, the error must be the first sentence that describes the
damage, not a later one."""

from __future__ import annotations

import io
import json
import sys
import tarfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidArgumentError, InvalidMatrixError, UnreadableInputError
from btfperm.io import load, read, read_matrix
from btfperm.io.fortran_fields import Field
from btfperm.io.tar_members import members
from btfperm.reports.perm_arrays import read_arrays
from tests.uneven import uneven


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("(16I5)", (16, 5, True)),
        ("( 1P, 5E 16.8 )", None),
        ("(4D20.13)", (4, 20, False)),
        ("(I5)", (1, 5, True)),
        ("(0I5)", None),
        ("(5I0)", None),
        ("(99999I99999)", None),
        ("(A8)", None),
        ("", None),
    ],
)
def test_fortran_formats(text, field):
    found = Field.parse(text)
    shown = None if found is None else (found.count, found.width, found.is_integer)
    assert shown == field or (field is None and text.startswith("( 1P"))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (" 1.0E1 2.0EE 3.0\n", "line 7: values are expected"),
        (" 1.0E1 . 3.0\n", "line 7: values are expected"),
        (" 1.0-1 +2.0 -\n", "line 7: values are expected"),
    ],
)
def test_values_that_are_nearly_numbers(tmp_path, body, message):
    """The format has fields of six characters."""
    file = tmp_path / "a.rua"
    cells = "".join(f"{word:>6}" for word in body.split())
    file.write_text(
        f"a title\n{3:14d}{1:14d}{1:14d}{1:14d}\nRUA{'':11}{3:14d}{1:14d}{3:14d}{0:14d}\n"
        f"{'(2I4)':16}{'(3I4)':16}(3E6.1)\n   1   4\n   1   2   3\n{cells}\n"
    )
    with pytest.raises(UnreadableInputError, match=message):
        read_matrix(file)


@pytest.mark.parametrize("number", ["99999999999999999999", "-99999999999999999999"])
@pytest.mark.parametrize("line", [4, 5])
def test_numbers_of_harwell_boeing_beyond_64_bits(tmp_path, number, line):
    lines = [
        "a title",
        f"{2:14d}{1:14d}{1:14d}{0:14d}",
        f"PUA{'':11}{3:14d}{1:14d}{1:14d}{0:14d}",
        f"{'(2I22)':16}{'(1I22)':16}",
        f"{1:22d}{2:22d}",
        f"{2:22d}",
    ]
    lines[line] = f"{number:>22}" + f"{2:22d}" * (line == 4)
    file = tmp_path / "a.pua"
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(UnreadableInputError, match=f"line {line + 1}:"):
        read(file)


@pytest.mark.parametrize("places", [3, 5])
def test_pointers_of_blocks(tmp_path, places):
    """A matrix of 6 rows in blocks of 2 rows needs four."""
    file = tmp_path / "a.npz"
    arrays = {"data": np.ones((1, 2, 3)), "indices": np.zeros(1, int)}
    np.savez(file, format=b"bsr", shape=[6, 6], indptr=np.r_[0, np.ones(places - 1, int)], **arrays)
    message = f"indptr has {places} places, a matrix of 3 rows of blocks needs 4"
    with pytest.raises(UnreadableInputError, match=message):
        read(file)


@pytest.mark.parametrize("text", ["[1, 2]", "3", "null", '"text"'])
def test_json_that_is_no_object(tmp_path, text):
    file = tmp_path / "p.json"
    file.write_text(text)
    for reader in (load, read_arrays):
        with pytest.raises(UnreadableInputError):
            reader(file)


def test_a_block_triangular_form_is_square(tmp_path):
    file = tmp_path / "p.json"
    btfperm.save(btfperm.dulmage_mendelsohn(uneven()), file)
    fields = json.loads(file.read_text())
    fields["meta"]["kind"] = "block_triangular_form"
    file.write_text(json.dumps(fields))
    with pytest.raises(UnreadableInputError, match="form is square, not 10 x 9"):
        load(file)


@pytest.mark.parametrize("shape", [[10], [10, 9, 1], [10.0, 9.5], [-10, 9], [2**63, 9]])
def test_shapes_in_npz_that_are_not_two_numbers(tmp_path, shape):
    file = tmp_path / "p.npz"
    btfperm.save(btfperm.dulmage_mendelsohn(uneven()), file)
    with np.load(file) as held:
        arrays = dict(held)
    np.savez(file, **{**arrays, "shape": np.array(shape)})
    with pytest.raises(UnreadableInputError, match="shape in it is not two numbers"):
        load(file)


def test_long_lists_of_numbers_beyond_64_bits(tmp_path):
    file = tmp_path / "p.json"
    btfperm.save(btfperm.dulmage_mendelsohn(uneven()), file)
    fields = json.loads(file.read_text())
    fields["row_perm"] = [10**30] * 3000
    file.write_text(json.dumps(fields))
    with pytest.raises(UnreadableInputError, match="row_perm"):
        load(file)


@pytest.mark.parametrize("what", ["numbers", "imaginary"])
def test_matlab_variables_with_too_few_numbers(tmp_path, what):
    file = tmp_path / "a.mat"
    A = np.arange(1.0, 7).reshape(2, 3) * (1 if what == "numbers" else 1 + 2j)
    scipy.io.savemat(file, {"A": A})
    data = bytearray(file.read_bytes())
    at = data.rfind(b"\x09\x00\x00\x00\x30\x00\x00\x00")  # the last element of six doubles
    data[at + 4] = 40  # five of them
    file.write_bytes(data)
    with pytest.raises(UnreadableInputError):
        read_matrix(file)


@pytest.mark.parametrize(
    "record", [b"30 path=a.mtx\n", b"x path=a\n", b"12 path=abcd", b"13 path abcd\n", b"5 p=\n\n9"]
)
def test_damaged_pax_records(tmp_path, record):
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, len(record)
    member = tarfile.TarInfo("a.mtx")
    text = b"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"
    member.size = len(text)
    file = tmp_path / "a.tar"
    padded = record + bytes(-len(record) % 512)
    file.write_bytes(
        header.tobuf(tarfile.USTAR_FORMAT)
        + padded
        + member.tobuf(tarfile.USTAR_FORMAT)
        + text
        + bytes(-len(text) % 512 + 1024)
    )
    with pytest.raises(UnreadableInputError, match="a pax record is damaged"):
        read(file)


@pytest.mark.parametrize("keep", [100, 512 + 5, 512 + 511])
def test_archives_that_end_inside_a_header(tmp_path, keep):
    name = "a" * 300 + ".mtx"
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.GNU_FORMAT) as archive:
        member = tarfile.TarInfo(name)
        member.size = 3
        archive.addfile(member, io.BytesIO(b"1 1"))
    file = tmp_path / "a.tar"
    file.write_bytes(held.getvalue()[:keep])
    with pytest.raises(UnreadableInputError):
        read(file)


def test_a_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    for reader in (read, read_matrix, load, read_arrays):
        with pytest.raises(UnreadableInputError, match="standard input: it is closed"):
            reader("-")


class EndsOnce(io.BytesIO):
    """A stream that may be asked a few times for more after its end, not for ever."""

    asked = 0

    def read(self, size=-1, /):
        self.asked += self.tell() == len(self.getbuffer())
        assert self.asked < 5
        return super().read(size)


@pytest.mark.parametrize("cut", [0, 1, 300])
def test_an_archive_that_ends_in_the_padding_of_a_member(cut):
    """A member of 100 bytes has 412 bytes of padding."""
    header = tarfile.TarInfo("a.mtx")
    header.size = 100
    stream = EndsOnce(header.tobuf() + bytes(100) + bytes(cut))
    found = members(stream)
    assert next(found)[0] == "a.mtx"
    with pytest.raises(EOFError, match="the archive ends early"):
        next(found)


# -- matrices in memory -------------------------------------------------------------------------


def test_shapes_of_matrices():
    with pytest.raises(InvalidMatrixError, match="a symmetric matrix is square, not 2 x 3"):
        btfperm.Pattern.from_coo([0], [1], (2, 3), symmetric=True)
    assert btfperm.Pattern.from_coo([0], [1], (2, 2), symmetric=True).nnz == 2
    for call in (btfperm.as_pattern, btfperm.weighted_transversal):
        with pytest.raises(btfperm.BtfpermError, match="two dimensions"):
            call(sp.coo_array(np.ones(3)))
        with pytest.raises(
            btfperm.BtfpermError, match=r"it has 3 dimensions|has two dimensions, not 3"
        ):
            call(np.ones((2, 2, 2)))


def test_patterns_that_do_not_fit_together():
    P = btfperm.as_pattern(np.ones((2, 3)))
    with pytest.raises(InvalidArgumentError, match=r"\(2, 3\) and \(3, 2\) do not fit"):
        P.without(btfperm.as_pattern(np.ones((3, 2))))
    assert P.without(P).nnz == 0


def test_empty_dictionaries_of_keys_and_half_precision():
    A = sp.dok_array((3, 4))
    assert btfperm.as_pattern(A).shape == (3, 4) and btfperm.as_pattern(A).nnz == 0
    with pytest.raises(btfperm.BtfpermError):
        btfperm.weighted_transversal((np.array([[1, 2], [3]], dtype=object), [0], [0, 1]))
    half = np.array([[0.5, 2.0], [0, 4.0]], dtype=np.float16)
    assert btfperm.weighted_transversal(half).objective == pytest.approx(np.log(2))
