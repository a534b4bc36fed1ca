# SPDX-License-Identifier: BSD-3-Clause
"""Files of results that are damaged or contradictory are refused with a reason. Every loaded result
can be used."""

from __future__ import annotations

import copy
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.conventions import as_csparse
from btfperm.errors import UnreadableInputError
from btfperm.io import load, save
from btfperm.results import DulmageMendelsohn
from tests import strategies
from tests.io.mixed import MIXED
from tests.loops import looped
from tests.reports.answers import KEYS


def content() -> dict[str, object]:
    file = io.BytesIO()
    from btfperm.conventions.btfperm import write_btfperm
    from btfperm.io import perm_json

    # A search returns an initial matching that is maximum, whatever algorithm `auto` chooses.
    result = btfperm.dulmage_mendelsohn(MIXED, initial=[-1, 0, -1, 1, 2, 3])
    perm_json.write(file, write_btfperm(result), dict(result.meta))
    return json.loads(file.getvalue())


def changed(key, value):
    def change(fields):
        fields[key] = value(fields[key]) if callable(value) else value

    return change


def changed_meta(key, value):
    return lambda fields: fields["meta"].update({key: value})


CORRUPTIONS = [
    (lambda fields: fields.pop("row_perm"), "holds no row_perm"),
    (lambda fields: fields.pop("meta"), "no format_version"),
    (changed("meta", [1]), "no format_version"),
    (changed_meta("format_version", "1"), "format_version '1' is no whole number"),
    (changed_meta("kind", ["x"]), r"kind \['x'\]"),
    (changed_meta("kind", {}), "kind {}"),
    (changed_meta("format_version", 2), "newer than the 1 that this btfperm reads: upgrade"),
    (changed_meta("kind", "magic"), "kind 'magic'"),
    (changed_meta("convention", "klu"), "convention 'klu'"),
    (changed("shape", [6]), "shape in it is not two numbers"),
    (changed("shape", [6, -6]), "shape in it is not two numbers"),
    (changed("shape", [6, 6.5]), "shape in it is not two numbers"),
    (changed("shape", [5, 6]), "row_perm is not a list of 5 whole numbers"),
    (changed("row_perm", lambda p: p[:-1]), "row_perm is not a list of 6 whole numbers"),
    (changed("row_perm", lambda p: [*p[:-1], 0.5]), "row_perm is not a list of 6 whole numbers"),
    (changed("row_perm", lambda p: [p]), "row_perm is not a list of 6 whole numbers"),
    (changed("row_perm", "abc"), "row_perm is not a list of 6 whole numbers"),
    (changed("row_perm", lambda p: [p[1], *p[1:]]), "row_perm is no permutation"),
    (changed("col_perm", lambda p: [-1, *p[1:]]), "col_perm is no permutation"),
    (changed("col_perm", lambda p: [10**30, *p[1:]]), "col_perm is not a list of 6 whole"),
    (changed("col_perm", lambda p: [2**40, *p[1:]]), "col_perm has a number outside -1 to 6"),
    (changed("row_blocks", lambda b: b[::-1]), "row_blocks does not rise from 0 to 6"),
    (changed("col_blocks", lambda b: [*b[:-1], 5]), "col_blocks does not rise from 0 to 6"),
    (changed("col_blocks", lambda b: [*b, 6]), "row_blocks is not a list of"),
    (changed("coarse_rows", [0, 0, 6, 6]), "coarse_rows is not a list of 5 whole numbers"),
    (changed("coarse_cols", [0, 7, 6, 6, 6]), "coarse_cols has a number outside"),
    (changed("coarse_cols", [0, 3, 2, 6, 6]), "coarse_cols does not rise from 0 to 6"),
    (changed("row_match", [-1] * 6), "contradict each other"),
    (changed("row_match", [6] * 6), "points outside the matrix"),
    (changed("structural_rank", 0), "structural_rank is 0, but"),
    (changed("structural_rank", [1, 2]), "structural_rank is not a list of 1"),
]


def unmatched_in_the_square_part(fields):
    """Row 2 and column 4 become unmatched."""
    fields["row_match"][2] = fields["col_match"][4] = -1
    fields["structural_rank"] -= 1


def row_taken_from_the_square_part(fields):
    """Column 0 (horizontal) is matched to row 2 (square), and column 4 becomes unmatched."""
    j = fields["row_match"][2]
    fields["row_match"][2], fields["col_match"][j], fields["col_match"][0] = 0, -1, 2


def unmatched_in_the_horizontal_part(fields):
    fields["col_match"][fields["row_match"][0]] = fields["row_match"][0] = -1
    fields["structural_rank"] -= 1


APART = [
    (changed("coarse_rows", lambda c: [*c[:2], c[2] + 1, *c[3:]]), "boundary at row 4, column 5,"),
    (changed("coarse_cols", lambda c: [*c[:2], c[2] - 1, *c[3:]]), "boundary at row 2, column 3,"),
    (unmatched_in_the_square_part, "column 4 is unmatched, but lies outside the horizontal part"),
    (row_taken_from_the_square_part, "column 0 and row 2 are matched, but lie in different blocks"),
    (unmatched_in_the_horizontal_part, "row 0 is unmatched, but lies outside the vertical part"),
    (changed("coarse_cols", lambda c: [c[0], c[1] - 1, *c[2:]]), "count 1 unmatched columns"),
    (changed("coarse_rows", lambda c: [*c[:3], c[3] - 1, c[4]]), "3 unmatched rows, but there are"),
]


def check_refused(folder, change, message):
    fields = copy.deepcopy(content())
    change(fields)
    file = folder / "perm.json"
    file.write_text(json.dumps(fields))
    with pytest.raises(UnreadableInputError, match=message) as error:
        load(file)
    assert str(error.value).startswith(str(file))


@looped(("change", "message"), CORRUPTIONS, ids=[m for _, m in CORRUPTIONS])
def test_corrupted(tmp_path, change, message):
    check_refused(tmp_path, change, message)


@pytest.mark.parametrize(("change", "message"), APART, ids=[m for _, m in APART])
def test_parts_that_contradict_each_other(tmp_path, change, message):
    """Each array is valid, but together they would lead to accesses outside the matrix."""
    check_refused(tmp_path, change, message)


def test_a_block_triangular_form_is_all_square(tmp_path):
    file = tmp_path / "perm.json"
    save(btfperm.block_triangular_form(np.eye(3)), file)
    fields = json.loads(file.read_text())
    fields["coarse_rows"], fields["coarse_cols"] = [0, 1, 3, 3, 3], [0, 0, 1, 3, 3]
    file.write_text(json.dumps(fields))
    with pytest.raises(UnreadableInputError, match="all square, but its coarse parts are not"):
        load(file)


def test_the_pairs_of_a_block_triangular_form_are_in_its_blocks(tmp_path):
    """Each pair of a row and a column at the same position lies in one diagonal block, also a pair
    of an unmatched row and an unmatched column."""
    A = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0]])
    file = tmp_path / "perm.json"
    save(btfperm.block_triangular_form(A), file)
    right = json.loads(file.read_text())
    load(file)
    for key in ("row_perm", "col_perm"):
        for k in range(3):
            fields = copy.deepcopy(right)
            fields[key][k : k + 2] = fields[key][k : k + 2][::-1]
            blocks = np.searchsorted(fields["row_blocks"], [k, k + 1], "right")
            file.write_text(json.dumps(fields))
            if blocks[0] == blocks[1]:
                load(file)
            else:
                with pytest.raises(UnreadableInputError, match="lie in different blocks"):
                    load(file)


@given(A=strategies.any_matrix(), data=st.data())
def test_every_loaded_result_can_be_used(tmp_path, A, data):
    """After one number is changed, the file is refused, or every use of it stays inside the
    matrix."""
    file = tmp_path / "perm.json"
    save(btfperm.dulmage_mendelsohn(A), file)
    fields = json.loads(file.read_text())
    key = data.draw(st.sampled_from([key for key in KEYS if fields[key]]))
    place = data.draw(st.integers(0, len(fields[key]) - 1))
    fields[key][place] = data.draw(st.integers(-1, max(A.shape)))
    file.write_text(json.dumps(fields))
    try:
        result = load(file)
    except UnreadableInputError:
        return
    for perm in (result.row_perm, result.matched_row_perm, as_csparse(result).p):
        assert sorted(perm.tolist()) == list(range(A.shape[0]))
    assert sorted(as_csparse(result).q.tolist()) == list(range(A.shape[1]))


def test_uncorrupted(tmp_path):
    file = tmp_path / "perm.json"
    file.write_text(json.dumps(content()))
    assert isinstance(load(file), DulmageMendelsohn)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", b"{", "no JSON that can be read"),
        ("a.json", b"{" + b'"a":[' * 100_000, "no JSON that can be read"),
        ("a.txt", b"btfperm-permutation 1", "line 1: the first line has not the four words"),
        ("a.txt", b"btfperm-permutation 1 btfperm x\n", "line 1: the first line has not"),
        ("a.txt", b"btfperm-permutation 1 btfperm 1\nshape two\n", "line 2: a name and a length"),
        ("a.txt", b"btfperm-permutation 1 btfperm 1\nshape 2\n6\n", "line 3: the file ends in"),
        ("a.txt", b"btfperm-permutation 1 btfperm 1\nshape 2\n6 6 6\n", "shape has 3 numbers"),
        ("a.txt", b"btfperm-permutation 1 btfperm 1\nshape 2\n6 x\n", "something else than whole"),
        (
            "a.txt",
            b"btfperm-permutation 1 btfperm 1\nshape 9999999999999999999\n6 6\n",
            "line 3: the file ends in shape",
        ),
        ("a.txt", b"btfperm-permutation 1 btfperm 0\n", "meta at the end is no JSON"),
        ("a.npz", b"PK\x03\x04 nonsense", "damaged"),
        ("a.mtx", b"%%MatrixMarket matrix", "no permutation file that can be read"),
        ("a.npz", b"", "no permutation file that can be read"),
    ],
)
def test_damaged(tmp_path, name, text, message):
    file = tmp_path / name
    file.write_bytes(text)
    with pytest.raises(UnreadableInputError, match=message):
        load(file)


def test_another_npz(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    with pytest.raises(UnreadableInputError, match="holds no permutations of btfperm"):
        load(tmp_path / "a.npz")
