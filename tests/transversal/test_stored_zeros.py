# SPDX-License-Identifier: BSD-3-Clause
"""Stored zeros are entries unless dropped. A warning reports their number and their effect on the
rank, unless the caller decides with `drop_zeros`."""

from __future__ import annotations

import re
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm import _core, testing
from btfperm.errors import StoredZerosWarning
from btfperm.path import request
from btfperm.transversal.auto_table import TABLE
from tests import strategies
from tests.known_answers import read
from tests.oracles.plain_matching import structural_rank
from tests.oracles.plain_pattern import pattern


def warning_texts(A, **options):
    """Texts of the warnings of one search."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        btfperm.maximum_transversal(A, **options)
    return [str(w.message) for w in caught if issubclass(w.category, StoredZerosWarning)]


@given(strategies.stored_zeros())
def test_the_warning_is_right(A):
    count = int((A.data == 0).sum())
    with_zeros = structural_rank(A)
    without = structural_rank(pattern(A, drop_zeros=True))
    for drop_zeros in (False, True):
        texts = warning_texts(btfperm.as_pattern(A, drop_zeros=drop_zeros))
        assert len(texts) == (count > 0)
        for text in texts:
            assert re.match(rf"{count} stored", text)
            assert ("does not change the structural rank" in text) == (with_zeros == without)
            if with_zeros != without:
                assert {with_zeros, without} <= {int(k) for k in re.findall(r"\d+", text)}


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "1 stored entry is zero, kept as an entry;"),
        (2, "2 stored entries are zero, kept as en"),
    ],
)
def test_one_entry_or_several(count, words):
    (text,) = warning_texts(
        sp.coo_array((np.zeros(count), (range(count), range(count))), shape=(3, 3))
    )
    assert text.startswith(words)


@pytest.mark.parametrize("drop_zeros", [False, True])
@pytest.mark.parametrize(
    ("algorithm", "initializer", "options"),
    [
        ("pothen-fan", "none", {"fairness": 0}),
        ("push-relabel", "greedy", {"relabel": 2}),
        ("auto", "two-sided", {"sweeps": 3}),
    ],
)
def test_the_second_search_has_options_of_its_own(algorithm, initializer, options, drop_zeros):
    """A second search by `auto` finds the effect of the zeros. The options of the first search
    would mean nothing to it."""
    A = sp.csc_array((np.array([0.0, 1.0, 1.0]), ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    pattern = btfperm.as_pattern(A, drop_zeros=drop_zeros)
    how = {"algorithm": algorithm, "initializer": initializer, "options": options}
    (text,) = warning_texts(pattern, **how)
    assert ("is 1, and 2 when they are kept" if drop_zeros else "is 2, but 1 without them") in text


def test_no_warning_without_zeros():
    assert warning_texts(sp.eye_array(3)) == []
    assert warning_texts(np.array([[1, 0], [0, 1]])) == []  # zeros of a dense array are no entries


def test_a_zero_that_is_also_stored_as_something_else_is_no_zero():
    A = sp.coo_array(([0.0, 5.0, 1.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    assert warning_texts(A) == []
    assert btfperm.structural_rank(A, drop_zeros=True) == 2


def test_no_second_search_where_the_cover_touches_the_zeros(monkeypatch):
    A = sp.coo_array(([1.0, 1.0, 1.0, 0.0], ([0, 0, 1, 2], [0, 1, 0, 0])), shape=(3, 3))
    monkeypatch.setattr("btfperm.transversal.stored_zeros.match", None)  # a second search fails
    (text,) = warning_texts(btfperm.as_pattern(A, drop_zeros=True))
    assert "does not change the structural rank" in text


def test_the_second_search_gets_the_rest_of_the_limits(monkeypatch):
    """A clock that advances only in an algorithm, by 4 of 10 seconds each time."""
    now = [0.0]
    given = []

    def slow(honest, *arguments):
        given.append((arguments[6], arguments[7]))
        now[0] += 4.0
        return honest(*arguments)

    clock = SimpleNamespace(perf_counter=lambda: now[0])
    monkeypatch.setattr(request, "time", clock)
    monkeypatch.setitem(TABLE, "start", TABLE["start"][-1:])  # no rule for tiny matrices
    for name in ("hopcroft_karp", "greedy"):  # the first search, and the start of the second
        monkeypatch.setattr(
            _core.transversal, name, partial(slow, getattr(_core.transversal, name))
        )
    A = sp.csc_array(np.array([[1.0, 1, 0], [0, 2, 1], [1, 0, 2]]))
    A.data[A.indices == 1] = 0.0
    texts = warning_texts(
        A, algorithm="hopcroft-karp", initializer="none", time_limit=10.0, max_work=1_000_000
    )
    assert len(texts) == 1 and len(given) == 2
    assert [seconds for seconds, _ in given] == [10.0, 6.0]
    assert given[0][1] == 1_000_000 > given[1][1]


def test_zenios():
    """25,877 of 27,191 entries are stored zeros. Without them the rank is 266 instead of 2,873."""
    with pytest.warns(StoredZerosWarning, match=r"2,873.* 266 "):
        assert btfperm.structural_rank(read("zenios")) == 2873
    dropped = btfperm.as_pattern(read("zenios"), drop_zeros=True)
    with pytest.warns(StoredZerosWarning, match=r"266.* 2,873 "):
        assert btfperm.structural_rank(dropped) == 266


ZEROS = sp.csc_array((np.array([1.0, 0.0, 2.0]), ([0, 1, 1], [0, 1, 0])), shape=(2, 2))
TAKERS = {
    "structural_rank": btfperm.structural_rank,
    "maximum_transversal": btfperm.maximum_transversal,
    "dulmage_mendelsohn": btfperm.dulmage_mendelsohn,
    "block_triangular_form": btfperm.block_triangular_form,
    "preorder": btfperm.preorder,
    "assert_structurally_nonsingular": testing.assert_structurally_nonsingular,
    "assert_blocks_at_most": lambda A, **options: testing.assert_blocks_at_most(A, 2, **options),
}


@pytest.mark.parametrize("name", TAKERS)
def test_no_warning_where_the_caller_decided(name, monkeypatch):
    take = TAKERS[name]
    with pytest.warns(StoredZerosWarning) as caught:
        take(ZEROS)
    assert len(caught) == 1
    monkeypatch.setattr("btfperm.transversal.stored_zeros.match", None)  # no second search
    with warnings.catch_warnings():
        warnings.simplefilter("error", StoredZerosWarning)
        take(ZEROS, drop_zeros=False)
        if name in ("preorder", "assert_structurally_nonsingular"):
            monkeypatch.undo()  # the error holds a diagnosis, which searches a second time
            with pytest.raises(btfperm.StructurallySingularError):
                take(ZEROS, drop_zeros=True)
        else:
            take(ZEROS, drop_zeros=True)


@pytest.mark.parametrize("name", TAKERS)
def test_the_warning_points_at_the_line_of_the_caller(name):
    with pytest.warns(StoredZerosWarning) as caught:
        TAKERS[name](ZEROS)
    assert [w.filename for w in caught] == [__file__]
