# SPDX-License-Identifier: BSD-3-Clause
"""Text from files in messages has no terminal escapes and no line ends, and it is short."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from btfperm import errors
from btfperm.io import read
from btfperm.printable import (
    LONGEST_SENTENCE,
    LONGEST_WORD,
    cause_text,
    listed_names,
    one_line,
    printable,
    shortened,
)

FAMILY = [
    kind
    for kind in map(errors.__dict__.get, errors.__all__)
    if issubclass(kind, errors.BtfpermError) and kind is not errors.LimitReachedError
]


@given(st.text(st.characters(), max_size=3000))
def test_any_text_becomes_one_short_printable_line(text):
    line = one_line(text)
    assert line.isprintable() and len(line) <= LONGEST_SENTENCE
    assert max(map(len, line.split()), default=0) <= LONGEST_WORD


@given(st.text(st.characters(exclude_categories=["C", "Z"]), max_size=LONGEST_WORD))
def test_plain_text_is_not_changed(text):
    assert one_line(text) == printable(text) == text


@given(st.text(), st.integers(7, 50))
def test_a_cut_text_shows_its_start_and_its_end(text, limit):
    cut = shortened(text, limit)
    assert len(cut) <= limit and cut[:2] == text[:2] and cut[-2:] == text[-2:]
    assert (cut == text) == (len(text) <= limit or "..." in text)


@given(st.lists(st.text(st.characters(), max_size=400), max_size=20), st.integers(1, 10))
def test_a_list_of_any_names_is_short_and_printable(names, most):
    text = listed_names(names, most)
    assert text.isprintable() and len(text) < 160
    if names:
        assert text.startswith(printable(names[0])[:20])
    shown = [name for name in names[:most] if name.isprintable() and len(name) < 10]
    if shown == names:
        assert text == ", ".join(names)


@pytest.mark.parametrize("kind", FAMILY)
def test_every_error_of_the_family_is_printable(kind):
    error = kind("no variable \x1b[2Jx\u202e\x07\x9b in " + "y" * 10**6)
    again = copy.copy(error)
    for text in (str(error), str(again), f"{again}"):
        assert text.isprintable() and text.startswith(r"no variable \x1b[2Jx\u202e\x07\x9b in yy")
        assert len(text) < 300


def test_an_error_with_bounds_is_printable():
    assert str(errors.LimitReachedError("a\x1bb", (0, 1))) == r"a\x1bb"


def test_a_line_end_in_a_file_name_does_not_begin_a_line():
    with pytest.raises(errors.UnreadableInputError) as caught:
        read("no\nsuch\x1b[31m.mtx")
    assert str(caught.value) == r"no\nsuch\x1b[31m.mtx: there is no such file"


def test_a_cause_without_a_sentence_is_named_by_its_type():
    assert cause_text(KeyError()) == "KeyError"
    assert cause_text(ValueError("a\n\n  b")) == "a b"
