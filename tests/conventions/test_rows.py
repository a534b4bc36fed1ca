# SPDX-License-Identifier: BSD-3-Clause
"""Conventions are defined by their rows. The tests use btfperm's rows and one row that
is added from outside, as CONTRIBUTING.md describes."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pytest

import btfperm
from btfperm import conventions
from btfperm.conventions import CONVENTIONS, Convention
from btfperm.conventions.rows import conventions as rows
from btfperm.errors import InvalidArgumentError, UnreadableInputError
from btfperm.reports.perm_arrays import read_arrays
from btfperm.reports.verify import verify
from tests.cli.conftest import cli
from tests.guide_rows import A, registered

__all__ = ["cli"]


@pytest.fixture
def toy_convention(tmp_path):
    with registered("Add a convention", Convention, "toy_convention", tmp_path, conventions) as row:
        yield row


def verdict(file):
    held = read_arrays(file)
    return verify(
        btfperm.as_pattern(A),
        held.arrays,
        kind=held.kind,
        canonical=held.convention == "btfperm",
        names=held.names,
        missing=held.missing,
    )


CHECKED = {"permutations", "matching", "rank"}


@pytest.mark.parametrize("suffix", ["npz", "json", "txt", "mat"])
@pytest.mark.parametrize("name", rows)
def test_each_convention_is_written_and_read_back(tmp_path, name, suffix):
    file = tmp_path / f"perm.{suffix}"
    btfperm.dulmage_mendelsohn(A).save(file, convention=name)
    assert read_arrays(file).convention == name
    found = verdict(file)
    expected = {"matching", "rank"} if rows[name].matching_only else CHECKED
    assert found.ok and expected <= set(found.passed), found


@pytest.mark.parametrize("field", [0, 1])
@pytest.mark.parametrize("name", rows)
def test_a_permutation_with_two_places_exchanged_is_wrong(tmp_path, name, field):
    order = CONVENTIONS[name](btfperm.dulmage_mendelsohn(A))
    changed = np.array(order[field])
    changed[[0, 1]] = changed[[1, 0]]
    about = {"convention": np.array(name), **order._asdict(), order._fields[field]: changed}
    np.savez(tmp_path / "perm.npz", **about)
    wrong = {violation.check for violation in verdict(tmp_path / "perm.npz").violations}
    if (name, field) == ("umfpack", 1):  # every order of the columns is right for a given diagonal
        assert not wrong
    else:
        assert wrong & {"matching", "rank", "triangular"}


@pytest.mark.parametrize("wrong", ["twice", "outside"])
@pytest.mark.parametrize("field", [0, 1])
@pytest.mark.parametrize("name", [row.name for row in rows.values() if not row.matching_only])
def test_a_reader_corrects_no_array_that_is_no_permutation(tmp_path, name, field, wrong):
    """A reader must not turn a wrong array into a permutation, as `numpy.argsort` does: its result
    is a permutation whatever the file holds."""
    order = CONVENTIONS[name](btfperm.dulmage_mendelsohn(A))
    changed = np.array(order[field])
    changed[0] = changed[1] if wrong == "twice" else 9
    about = {"convention": np.array(name), **order._asdict(), order._fields[field]: changed}
    np.savez(tmp_path / "perm.npz", **about)
    found = {violation.check for violation in verdict(tmp_path / "perm.npz").violations}
    assert "permutations" in found, f"read_{name} corrects {order._fields[field]}: use gather_of"


@pytest.mark.parametrize("name", rows)
def test_the_row_describes_the_adapter(name):
    row, order = rows[name], CONVENTIONS[name](btfperm.dulmage_mendelsohn(A))
    assert type(order) is getattr(conventions, row.result)
    assert order._fields == row.arrays
    assert row.base in (0, 1)
    smallest = min(int(np.min(order[k])) for k in range(2))
    assert smallest == row.base
    assert getattr(btfperm, f"as_{row.stem}") is row.adapter
    perms = [np.asarray(order[k]) - row.base for k in range(2)]
    stated = tuple(row.direction.split(", ")) * (1 if ", " in row.direction else 2)
    choices = list(itertools.product(("gather", "scatter"), repeat=2))
    assert stated in choices, "direction is 'gather', 'scatter' or 'scatter, gather'"
    forms = {directions: triangle(perms, directions) for directions in choices}
    assert forms.pop(stated) == row.triangle, f"form of A in the other directions: {forms}"
    assert set(forms.values()) == {"none"}, f"the direction of the row is wrong: {forms}"


def triangle(perms, directions):
    """The block triangular form to which the permutations of the rows and of the columns, which
    gather or scatter as `directions` states, bring `A`: "upper", "lower" or "none"."""
    rows_there, cols_there = (
        np.argsort(perm) if direction == "scatter" else perm
        for perm, direction in zip(perms, directions, strict=True)
    )
    d = btfperm.dulmage_mendelsohn(A)
    block = np.repeat(np.arange(d.n_blocks), np.diff(d.row_blocks))
    i, j = np.nonzero(A.toarray()[rows_there, :][:, cols_there])
    if (block[i] <= block[j]).all():
        return "upper"
    i, j = (block.size - 1 - places for places in (i, j))  # with the blocks in the opposite order
    return "lower" if (block[i] <= block[j]).all() else "none"


@pytest.mark.parametrize("name", [row.name for row in rows.values() if row.recognised_by])
def test_a_file_without_a_convention_is_recognised(tmp_path, name):
    order = CONVENTIONS[name](btfperm.dulmage_mendelsohn(A))._asdict()
    np.savez(tmp_path / "perm.npz", **{key: order[key] for key in rows[name].recognised_by})
    assert read_arrays(tmp_path / "perm.npz").convention == name


@pytest.mark.parametrize("name", ["matlab", "csparse"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"s": None}, "it holds no s, which dmperm returns"),
        ({"p": np.array(list("abcd"))}, "p, q, r, s, cc and rr must be whole numbers"),
        ({"cc": np.arange(4)}, "cc and rr must have 5 elements each"),
    ],
    ids=["missing", "letters", "too short"],
)
def test_arrays_that_dmperm_never_returns(tmp_path, name, change, message):
    order = CONVENTIONS[name](btfperm.dulmage_mendelsohn(A))._asdict() | change
    arrays = {key: array for key, array in order.items() if array is not None}
    np.savez(tmp_path / "perm.npz", convention=np.array(name), **arrays)
    with pytest.raises(UnreadableInputError, match=message):
        read_arrays(tmp_path / "perm.npz")


def test_the_row_of_the_guide_passes_the_tests_of_rows(toy_convention, tmp_path):
    test_the_row_describes_the_adapter(toy_convention.name)
    test_each_convention_is_written_and_read_back(tmp_path, toy_convention.name, "npz")


def test_a_convention_from_outside_in_python(toy_convention, tmp_path):
    d = btfperm.dulmage_mendelsohn(A)
    order = btfperm.as_toy(d)
    assert order == conventions.as_toy(d) == CONVENTIONS["toy"](d)
    # ROWP and COLP gather and count from 1: the matching is on the diagonal.
    assert (A.toarray()[order.ROWP - 1, :][:, order.COLP - 1].diagonal() != 0).all()
    d.save(tmp_path / "perm.npz", convention="toy")
    with np.load(tmp_path / "perm.npz") as held:
        assert held["ROWP"].tolist() == order.ROWP.tolist()
    with pytest.raises(InvalidArgumentError, match="TOY takes square matrices"):
        btfperm.as_toy(btfperm.dulmage_mendelsohn([[1, 1]]))


@pytest.mark.parametrize("suffix", ["npz", "json", "txt", "mat"])
def test_a_convention_from_outside_on_the_command_line(toy_convention, tmp_path, cli, suffix):
    matrix, perm = tmp_path / "a.mtx", tmp_path / f"perm.{suffix}"
    btfperm.write_matrix(matrix, A)
    assert cli(matrix, "-q", "-o", perm, "--convention", "toy") == (0, "", "")
    checked = cli("check", matrix, perm, "--json")
    assert checked.code == 0 and checked.json["convention"] == "toy"
    assert "toy" in cli("--help").out
    btfperm.write_matrix(matrix, A[[1, 0, 3, 2], :])
    wrong = cli("check", matrix, perm, "--json")
    assert wrong.code == 1
    assert wrong.json["violations"]


@pytest.mark.parametrize(
    ("change", "message"),
    [({}, "ROWP is missing"), ({"ROWP": [0, 9, 1, 1]}, "ROWP"), ({"ROWP": list("abcd")}, "toy")],
    ids=["missing", "outside", "letters"],
)
def test_a_damaged_file_of_a_convention_from_outside(
    toy_convention, tmp_path, cli, change, message
):
    btfperm.write_matrix(tmp_path / "a.mtx", A)
    held = {"COLP": [1, 2, 3, 4], "convention": "toy"} | change
    (tmp_path / "perm.json").write_text(json.dumps(held))
    ended = cli("check", tmp_path / "a.mtx", tmp_path / "perm.json")
    assert ended.code in (1, 3) and message in ended.out + ended.err


def test_without_its_row_a_convention_is_unknown(tmp_path, cli):
    (tmp_path / "perm.json").write_text('{"ROWP": [1], "COLP": [1], "convention": "toy"}')
    with pytest.raises(UnreadableInputError, match="'toy' is unknown; there are btfperm, matlab"):
        read_arrays(tmp_path / "perm.json")
    with pytest.raises(InvalidArgumentError, match="there is no convention 'toy'"):
        btfperm.dulmage_mendelsohn(A).save(tmp_path / "p.npz", convention="toy")
    assert not hasattr(btfperm, "as_toy")
    assert "toy" not in cli("--help").out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "klu"}, "there is a convention 'klu' already"),
        ({"name": "two words"}, "'two words' is not a valid name"),
        ({"name": ""}, "'' is not a valid name"),
    ],
)
def test_conventions_that_are_refused(change, message):
    row = dataclasses.replace(rows["superlu"], name="toy")
    with pytest.raises(InvalidArgumentError, match=message):
        conventions.register(dataclasses.replace(row, **change))
    assert "toy" not in rows
