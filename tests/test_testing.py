# SPDX-License-Identifier: BSD-3-Clause
"""The assertions of btfperm.testing: they fail when they should, and the blame is true."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm.errors import StructurallySingularError
from btfperm.testing import assert_blocks_at_most, assert_structurally_nonsingular
from tests import families, strategies
from tests.known_answers import known_answers, parametrized, read
from tests.oracles.plain_matching import structural_rank
from tests.oracles.plain_pattern import column_lists, row_lists


def named(text, noun):
    """Indices that a message lists after `noun`; None when it does not list them all."""
    found = re.search(rf"\b{noun}s? ((?:\d+, )*\d+)( and \d+ more)?", text)
    if found is None:
        return set() if text.endswith("empty") else None
    return None if found[2] else {int(k) for k in re.findall(r"\d+", found[1])}


@given(strategies.any_matrix())
def test_the_blame_is_true(A):
    """Passes exactly at full rank; else it names too many lines that touch too few."""
    m, n = A.shape
    if structural_rank(A) == min(m, n):
        assert_structurally_nonsingular(A)
        return
    with pytest.raises(StructurallySingularError) as caught:
        assert_structurally_nonsingular(A)
    blame = str(caught.value).split(";")[-1]
    rows, cols = named(blame, "row"), named(blame, "column")
    if rows is None or cols is None:
        return
    lists, few, many = (row_lists(A), cols, rows) if m <= n else (column_lists(A), rows, cols)
    assert set().union(*(lists[k] for k in many)) == few
    assert len(many) > len(few)


@parametrized(known_answers())
def test_real_matrices(known):
    A = read(known.name)
    if known.structural_rank == min(known.shape):
        assert_structurally_nonsingular(A)
    else:
        with pytest.raises(AssertionError, match=f"rank {known.structural_rank} of"):
            assert_structurally_nonsingular(A)


@pytest.mark.parametrize(
    ("A", "blame"),
    [
        (np.array([[0, 0], [1, 1]]), "row 0 is empty"),
        (np.array([[0, 1], [0, 1], [0, 1]]), "column 0 is empty"),
        (np.array([[0, 1], [0, 1]]), "rows 0, 1 touch only column 1"),
    ],
)
def test_the_blame_in_words(A, blame):
    with pytest.raises(StructurallySingularError, match=f"; {blame}$"):
        assert_structurally_nonsingular(A)


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
        with pytest.raises(AssertionError, match=f"more than {largest - 1}") as caught:
            assert_blocks_at_most(A, largest - 1)
        assert isinstance(caught.value, btfperm.CheckFailedError)
        assert not isinstance(caught.value, StructurallySingularError)
