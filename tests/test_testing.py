# SPDX-License-Identifier: BSD-3-Clause
"""The assertions of btfperm.testing fail if they should, and their explanations are true."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm.diagnosis import System
from btfperm.errors import StructurallySingularError
from btfperm.testing import assert_blocks_at_most, assert_structurally_nonsingular
from tests import families, strategies
from tests.known_answers import known_answers, parametrized, read
from tests.oracles.plain_matching import structural_rank
from tests.oracles.plain_pattern import column_lists, row_lists


def message_of(assertion, *args, **options):
    with pytest.raises(AssertionError) as caught:
        assertion(*args, **options)
    return str(caught.value)


def members(text, noun):
    """The numbers listed after `noun` in one line of a message, and their count."""
    found = re.search(rf"(\d[\d,]*)? ?\b{noun}s? \(?(\d+(?:, \d+)*)(, \.\.\.\))?", text)
    if found is None:
        return set(), 0
    numbers = {int(k) for k in found[2].split(", ")}
    return numbers, int(found[1].replace(",", "")) if found[3] else len(numbers)


def sections(text):
    """The sections of a message, by "row" and "column": the excess, the number of groups, and the
    lines about them."""
    found, nested = {}, False
    for line in text.splitlines()[1:]:
        if head := re.match(
            r"  (?:over|under)determined: (\S+) (row|column)s? too many, in (\S+) independent gr",
            line,
        ):
            excess, noun, groups = head.groups()
            found[noun] = int(excess.replace(",", "")), int(groups.replace(",", "")), []
        elif line.startswith("  stored zeros"):  # then the groups of A without its stored zeros
            nested = True
        elif nested and line.startswith("    "):
            continue
        elif line.startswith("      "):  # the explanation of the group above
            assert re.match(
                r"      of these, (\d[\d,]* )?(rows|columns?) .* have entries only in ", line
            )
        elif line.startswith("    ") and not line.startswith("    or "):
            found[noun][2].append(line.strip())
        else:
            assert re.match("  (repair|  or|proof|diagonal|identical patterns)", line)
    return found


@pytest.mark.parametrize("square", [True, False])
@given(A=strategies.any_matrix())
def test_the_blame_is_true_and_complete(A, square):
    """The assertion passes exactly if it should. Otherwise the excess of all groups of rows is m
    minus the rank, that of all groups of columns n minus the rank, and the rows (columns) of each
    group have entries in too few columns (rows)."""
    (m, n), rank = A.shape, structural_rank(A)
    if rank == min(m, n) and (m == n or not square):
        assert_structurally_nonsingular(A, square=square)
        return
    text = message_of(assert_structurally_nonsingular, A, square=square)
    assert f"rank {rank} of {m} x {n}" in text
    expected = {"row": m - rank, "column": n - rank}
    blamed = sections(text)
    assert {noun: found[0] for noun, found in blamed.items()} == {
        k: v for k, v in expected.items() if v
    }
    for noun, (excess, groups, lines) in blamed.items():
        other, lists = ("column", row_lists(A)) if noun == "row" else ("row", column_lists(A))
        counted = described = 0
        for line in lines:
            if more := re.fullmatch(r"and (\d+) groups? more, with (\d+) \w+ too many", line):
                described += int(more[1])
                counted += int(more[2])
            elif line.endswith("empty"):
                numbers, count = members(line, noun)
                described += count
                counted += count
                assert not any(lists[k] for k in numbers)
            else:
                (numbers, count), (others, n_others) = members(line, noun), members(line, other)
                described += 1
                counted += count - n_others
                assert count > n_others
                reached = set().union(*(lists[k] for k in numbers))
                assert reached <= others or n_others > len(others)
                assert reached == others or count > len(numbers)
        assert (counted, described) == (excess, groups)


@parametrized(known_answers())
def test_real_matrices(known):
    A = read(known.name)
    if known.structural_rank == min(known.shape):
        assert_structurally_nonsingular(A, square=False)
    else:
        text = message_of(assert_structurally_nonsingular, A, square=False)
        assert f"rank {known.structural_rank} of" in text
        assert len(text.splitlines()) <= 35 and max(map(len, text.splitlines())) < 200


@pytest.mark.parametrize(
    ("A", "lines"),
    [
        (
            np.array([[0, 0], [1, 1]]),
            ["row 0 is empty", "columns 0, 1 have entries only in row 1"],
        ),
        (
            np.array([[0, 1], [0, 1], [0, 1]]),
            ["rows 0, 1, 2 have entries only in column 1 (2 too many)", "column 0 is empty"],
        ),
        (
            np.diag([1] * 3 + [0] * 37),
            ["37 rows (3, 4, 5, 6, 7, ...) are empty", "37 columns (3, 4, 5, 6, 7, ...) are empty"],
        ),
    ],
    ids=["an empty row", "tall", "many empty"],
)
def test_the_blame_in_words(A, lines):
    text = message_of(assert_structurally_nonsingular, A)
    blamed = sections(text)
    assert [line for noun in ("row", "column") for line in blamed[noun][2]] == lines


def test_every_group_is_named_and_long_lists_end_with_a_count():
    pair = np.array([[0, 1], [0, 1]])
    for count, shown in ((3, 3), (30, 10)):
        text = message_of(assert_structurally_nonsingular, np.kron(np.eye(count), pair))
        excess, groups, lines = sections(text)["row"]
        assert excess == groups == count
        assert lines[:2] == [
            "rows 0, 1 have entries only in column 1",
            "rows 2, 3 have entries only in column 3",
        ]
        assert sum("have entries only in" in line for line in lines) == shown
    assert lines[-1] == "and 20 groups more, with 20 rows too many"
    worst = message_of(
        assert_structurally_nonsingular, sp.block_diag([pair, np.ones((5, 1)), pair]).toarray()
    )
    assert sections(worst)["row"][2][-1].endswith("(4 too many)")  # the largest is the last


def test_a_rectangular_matrix_is_refused_unless_full_rank_is_all_that_counts():
    for A in (np.eye(29, 30), np.eye(30, 29)):
        text = message_of(assert_structurally_nonsingular, A)
        assert text.startswith(f"not square: rank 29 of {A.shape[0]} x {A.shape[1]} (square=False")
        assert_structurally_nonsingular(A, square=False)
    text = message_of(assert_structurally_nonsingular, np.zeros((2, 3)), square=False)
    assert text.startswith("not of full structural rank: rank 0 of 2 x 3\n")


def test_the_error_holds_the_diagnosis_and_names_rows_and_columns():
    with pytest.raises(StructurallySingularError) as caught:
        assert_structurally_nonsingular(
            [[1, 0], [1, 0]], row_names=["f", "g"], col_names=["x", "y"]
        )
    assert "rows f, g have entries only in column x" in str(caught.value)
    assert caught.value.diagnosis == btfperm.diagnose([[1, 0], [1, 0]])
    with pytest.raises(btfperm.InvalidArgumentError, match="row_names has 1 name, but"):
        assert_structurally_nonsingular(np.eye(2), row_names=["f"])


@pytest.mark.parametrize("kind", [list, np.array], ids=["list", "array"])
def test_given_names_replace_those_of_a_model(kind):
    """Names may have any form that `diagnose` accepts. A list of the wrong length is refused, also
    an empty one."""
    model = System(btfperm.as_pattern([[1, 0], [1, 0]]), ("f", "g"), ("x", "y"))
    text = message_of(assert_structurally_nonsingular, model)
    assert "rows f, g have entries only in column x" in text
    names = {"row_names": kind(["a", "b"]), "col_names": kind(["c", "d"])}
    text = message_of(assert_structurally_nonsingular, model, **names)
    assert "rows a, b have entries only in column c" in text
    with pytest.raises(btfperm.InvalidArgumentError, match="row_names has 0 names, but"):
        assert_structurally_nonsingular(model, row_names=kind([]))


@pytest.mark.parametrize(
    ("assertion", "args"),
    [(assert_structurally_nonsingular, ()), (assert_blocks_at_most, (1,))],
    ids=["nonsingular", "blocks"],
)
def test_pytest_hides_the_frames_of_the_library(assertion, args):
    A = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 0]])
    with pytest.raises(AssertionError) as caught:
        assertion(A, *args)
    shown = caught.traceback.filter(caught)
    assert {entry.path.name for entry in caught.traceback} == {"testing.py", "test_testing.py"}
    assert {entry.path.name for entry in shown} == {"test_testing.py"}


def test_triples_come_with_their_shape():
    triple = (np.ones(2), [0, 1], [0, 1, 2])
    assert_structurally_nonsingular(triple, shape=(2, 2))
    assert_blocks_at_most(triple, 1, shape=(2, 2))


def test_dropped_zeros_count_as_missing():
    A = sp.coo_array(([1.0, 0.0], ([0, 1], [0, 1])), shape=(2, 2))
    assert_structurally_nonsingular(A)
    with pytest.raises(StructurallySingularError):
        assert_structurally_nonsingular(A, drop_zeros=True)


def test_a_limit_is_no_verdict():
    hard = families.renumbered(families.chain(50_000), "mixed", 1)
    with pytest.raises(btfperm.BtfpermError, match="max_work") as caught:
        assert_structurally_nonsingular(hard.A, initializer="none", max_work=100)
    assert not isinstance(caught.value, AssertionError)


@given(strategies.any_matrix())
def test_blocks_at_most(A):
    d = btfperm.dulmage_mendelsohn(A)
    sizes = np.maximum(np.diff(d.row_blocks), np.diff(d.col_blocks))
    largest = int(sizes.max(initial=0))
    assert_blocks_at_most(A, largest)
    if largest:
        with pytest.raises(AssertionError, match=f"more than {largest - 1} ") as caught:
            assert_blocks_at_most(A, largest - 1)
        assert isinstance(caught.value, btfperm.CheckFailedError)
        assert not isinstance(caught.value, StructurallySingularError)


def test_every_large_block_is_counted_and_the_largest_are_described():
    A = sp.block_diag([np.ones((k, k)) for k in (2, 4, 1, 3)] + [np.ones((2, 2))] * 9)
    text = message_of(assert_blocks_at_most, A, 1)
    lines = text.splitlines()
    assert lines[0] == "12 fine blocks have more than 1 row or column:"
    assert "4 x 4, square: rows 2, 3, 4, 5, columns 2, 3, 4, 5" in lines[1]
    assert "3 x 3" in lines[2] and lines[-1] == "  and 2 blocks more" and len(lines) == 12
    text = message_of(assert_blocks_at_most, np.ones((7, 1)), 6)
    assert text.endswith("block 0, 7 x 1, vertical: 7 rows (0, 1, 2, 3, 4, ...), column 0")


def test_large_blocks_of_one_size_are_described_in_their_order():
    blocks = sp.block_diag([np.ones((2 + k % 2, 2 + k % 2)) for k in range(40)])
    text = message_of(assert_blocks_at_most, blocks, 1)
    numbers = [int(number) for number in re.findall(r"^  block (\d+)", text, re.MULTILINE)]
    assert numbers == list(range(1, 20, 2))


@pytest.mark.parametrize("square", ["x", 2, None])
def test_square_is_true_or_false(square):
    with pytest.raises(btfperm.InvalidArgumentError, match="square must be True or False"):
        btfperm.testing.assert_structurally_nonsingular(np.eye(2), square=square)
