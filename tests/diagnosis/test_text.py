# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of a diagnosis: one and several, lists that are just complete and just cut, names,
and stored zeros."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm


def lines(A, *, limit=10, **how):
    return btfperm.diagnose(A, **how).text(limit=limit).splitlines()


@pytest.mark.parametrize(
    ("A", "verdict"),
    [
        (
            np.eye(3),
            "3 x 3, 3 entries, structural rank 3 of 3: structurally nonsingular",
        ),
        (
            np.eye(2, 3),
            "2 x 3, 2 entries, structural rank 2 of 2: full structural rank",
        ),
        (
            np.eye(3, 2),
            "3 x 2, 2 entries, structural rank 2 of 2: full structural rank",
        ),
        (
            np.diag([1, 0]),
            "2 x 2, 1 entry, structural rank 1 of 2: structurally singular",
        ),
        (
            np.diag([1, 0])[:, [0, 1, 1]],
            "2 x 3, 1 entry, structural rank 1 of 2: not of full structural rank",
        ),
    ],
)
def test_the_verdict(A, verdict):
    assert lines(A)[0] == f"the matrix: {verdict}"


def test_the_name_of_the_file(tmp_path):
    path = tmp_path / "A.mtx"
    btfperm.write_matrix(path, np.eye(2))
    assert lines(path)[0].startswith(f"{path}: 2 x 2, 2 entries")


@pytest.mark.parametrize("noun", ["row", "column"])
@pytest.mark.parametrize(("limit", "most"), [(10, 5), (7, 3), (2, 1), (1, 1), (None, 99)])
def test_a_list_is_cut_behind_its_last_name(noun, limit, most):
    for count in (1, 2, most, most + 1):
        A = np.zeros((count + 1, 1))
        A[0] = 1
        found = lines(A if noun == "row" else A.T, limit=limit)
        numbers = ", ".join(str(k) for k in range(1, count + 1)[: most if limit else None])
        if count > most and limit is not None:
            text = f"{count} {noun}s ({numbers}, ...) are empty"
        else:
            text = f"{noun}{'s' * (count > 1)} {numbers} {'are' if count > 1 else 'is'} empty"
        assert f"    {text}" in found
        many = f"{count} independent group{'s' * (count > 1)}"
        kind = "overdetermined" if noun == "row" else "underdetermined"
        assert f"  {kind}: {count} {noun}{'s' * (count > 1)} too many, in {many}:" in found


@pytest.mark.parametrize("count", [1, 4, 5, 6])
def test_entries_of_a_repair_are_cut(count):
    A = np.zeros((count + 1, count + 1))
    A[0, 0] = 1
    (line,) = (line for line in lines(A) if line.startswith("  repair: "))
    pairs = ", ".join(f"({k}, {k})" for k in range(1, min(count, 5) + 1))
    what = "1 entry" if count == 1 else f"{count} entries"
    assert line == f"  repair: add {what}, such as {pairs}{', ...' * (count > 5)}"


def test_names_take_the_place_of_numbers():
    A = np.zeros((3, 2))
    A[1:, 0] = 1
    rows, cols = ["mass", "heat", "flow"], ["x", "y"]
    assert lines(A, row_names=rows, col_names=cols)[1:] == [
        "  overdetermined: 2 rows too many, in 2 independent groups:",
        "    row mass is empty",
        "    rows heat, flow have entries only in column x",
        "  underdetermined: 1 column too many, in 1 independent group:",
        "    column y is empty",
        "  repair: add 1 entry, such as (mass, y)",
        "    or remove rows mass, heat and fix column y: a square nonsingular matrix remains",
        "  proof: 0 rows and 1 column touch every entry, so nothing smaller suffices",
        "  diagonal: 0 of 2 entries in every maximum transversal, 0 in none",
        "  identical patterns: rows heat, flow",
    ]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.filterwarnings("ignore::btfperm.StoredZerosWarning")
def test_stored_zeros(count):
    """Zeros in the last rows, without which these are empty."""
    A = sp.csc_array(np.eye(4))
    A.data[4 - count :] = 0
    noun, hides = ("1 entry is", "hides") if count == 1 else ("2 entries are", "hide")
    empty = "row 3 is empty" if count == 1 else "rows 2, 3 are empty"
    found = lines(A)
    start = f"  stored zeros: {noun} stored as zero"
    at = found.index(f"{start} and {hides} a deficiency; without them the rank is {4 - count}:")
    assert found[at + 2] == f"      {empty}"
    dropped = lines(A, drop_zeros=True)
    assert f"{start} and left out; with them the rank is 4" in dropped
    B = sp.csc_array(np.eye(4) + np.eye(4, k=1))
    B[0, 1] = 0.0
    assert "  stored zeros: 1 entry is stored as zero; without them the rank is the same" in lines(
        B
    )
    again = "  stored zeros: 1 entry is stored as zero and left out; with them the rank is the same"
    assert again in lines(B, drop_zeros=True)


def test_a_name_cannot_break_a_line_or_control_a_terminal():
    found = btfperm.diagnose([[1, 1], [0, 0]], row_names=["Höhe", "b\nc\x1b[31m"])
    assert str(found).splitlines() == [
        "the matrix: 2 x 2, 2 entries, structural rank 1 of 2: structurally singular",
        "  overdetermined: 1 row too many, in 1 independent group:",
        "    row b\\nc\\x1b[31m is empty",
        "  underdetermined: 1 column too many, in 1 independent group:",
        "    columns 0, 1 have entries only in row Höhe",
        "  repair: add 1 entry, such as (b\\nc\\x1b[31m, 0)",
        "    or remove row b\\nc\\x1b[31m and fix column 0: a square nonsingular matrix remains",
        "  proof: 1 row and 0 columns touch every entry, so nothing smaller suffices",
        "  diagonal: 0 of 2 entries in every maximum transversal, 0 in none",
    ]
    assert found.to_dict()["overdetermined"][0]["row_names"] == ["b\nc\x1b[31m"]


def test_a_long_name_is_shortened(tmp_path):
    """Names of rows come from files, in which a name may have 64 KB."""
    (tmp_path / "names.txt").write_text("\n".join("r" * 20_000 + str(k) for k in range(3)))
    A = np.array([[1, 0, 0]] * 3)
    d = btfperm.diagnose(A, row_names=tmp_path / "names.txt")
    longest = max(map(len, d.text().splitlines()))
    assert "rrr0" in d.text() and "rrr2" in d.text() and longest < 3 * 160 + 100
