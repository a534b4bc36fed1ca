# SPDX-License-Identifier: BSD-3-Clause
"""The labels of guided-displacement, compared after every push with distances found by brute force.
Its answers are proofs only while the labels are lower bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm import _core
from btfperm.pattern import as_pattern
from tests import families, strategies
from tests.oracles.plain_matching import structural_rank

HOPELESS = 255


def columns_of(P):
    return [P.indices[P.indptr[j] : P.indptr[j + 1]].tolist() for j in range(P.n)]


def distances(columns, row_match):
    """The smallest number of matched entries on an alternating path from each row to an unmatched
    row, by relaxation."""
    far = [0 if j < 0 else math.inf for j in row_match]
    changed = True
    while changed:
        changed = False
        for i, j in enumerate(row_match):
            if j < 0:
                continue
            others = [far[y] for y in columns[j] if y != i]
            if min(others, default=math.inf) + 1 < far[i]:
                far[i], changed = min(others) + 1, True
    return far


def wrong_labels(columns, row_match, labels):
    """Messages about wrong labels; empty if both invariants hold."""
    value = [math.inf if label == HOPELESS else int(label) for label in labels]
    wrong = [
        f"row {i} has label {value[i]} at distance {distance}"
        for i, distance in enumerate(distances(columns, row_match))
        if value[i] > distance
    ]
    wrong += [
        f"row {x} has label {value[x]}, and row {y} beside it {value[y]}"
        for x, j in enumerate(row_match)
        if j >= 0
        for y in columns[j]
        if y != x and value[x] > value[y] + 1
    ]
    return wrong


def pushed(P, start, steps, gap_every):
    """row_match, col_match and the labels after `steps` pushes from `start`."""
    row_match, col_match = (a.copy() for a in start)
    labels = _core.transversal.push_labels(
        P.m, P.indptr, P.indices, row_match, col_match, steps=steps, gap_every=gap_every
    )
    return row_match, col_match, labels


def started(P):
    row_match, col_match, marks, _ = _core.transversal.unmatched(P.m, P.indptr)
    _core.transversal.greedy(P.m, P.indptr, P.indices, row_match, col_match, marks)
    return row_match, col_match


@given(A=strategies.any_matrix(), gap_every=st.integers(1, 9))
def test_labels_are_valid_after_every_push(A, gap_every):
    P = as_pattern(A)
    columns, start = columns_of(P), started(P)
    before = None
    for steps in range(80):
        row_match, col_match, labels = pushed(P, start, steps, gap_every)
        assert (
            _core.transversal.check_matching(P.m, P.indptr, P.indices, row_match, col_match)[0] == 0
        )
        assert wrong_labels(columns, row_match.tolist(), labels.tolist()) == []
        state = (row_match.tolist(), labels.tolist())
        if state == before and np.count_nonzero(row_match >= 0) == structural_rank(A):
            break
        before = state


@pytest.mark.parametrize("family", ["chain", "deadtree", "hessenberg"])
def test_labels_of_long_and_dead_parts(family, run_seed):
    """Cases with large labels: distant rows, and parts that cannot reach an unmatched row."""
    make = {
        "chain": lambda: families.chain(40),
        "deadtree": lambda: families.deadtree(60, run_seed),
        "hessenberg": lambda: families.hessenberg(20),
    }[family]
    P = as_pattern(families.renumbered(make(), "mixed", run_seed).A)
    columns, start = columns_of(P), started(P)
    for steps in range(0, 400, 7):
        row_match, _, labels = pushed(P, start, steps, 16)
        assert wrong_labels(columns, row_match.tolist(), labels.tolist()) == []


def test_a_wrong_label_is_detected():
    P = as_pattern(families.chain(6).A)
    columns, start = columns_of(P), started(P)
    row_match, _, labels = pushed(P, start, 0, 100)
    assert wrong_labels(columns, row_match.tolist(), labels.tolist()) == []
    for i in range(P.m):
        raised = labels.tolist()
        raised[i] = 200
        assert wrong_labels(columns, row_match.tolist(), raised), i


def far_row():
    """A pattern of two chains of 300 and 20 columns, and its greedy matching. Each column of a
    chain holds its own row and the next row of the chain. The last column, the only one that greedy
    leaves unmatched, holds the first rows of both chains. The last rows of both are unmatched; one
    of them is 300 steps away."""
    n, second = 300, 20
    j, k = np.arange(n), np.arange(n + 1, n + 1 + second)
    last = n + second
    A = families.csc(
        [j, j + 1, k, k + 1, [0, n + 1]],
        [j, j, k - 1, k - 1, [last, last]],
        (n + second + 2, n + second + 1),
    )
    P = as_pattern(A)
    start = started(P)
    assert np.flatnonzero(start[1] < 0).tolist() == [last]
    return P, start


def test_labels_that_outgrow_a_byte_end_the_pushes():
    """The largest label of a byte marks a hopeless row, from which no path leads to an unmatched
    row. A row 300 steps from an unmatched row must not get this label."""
    P, start = far_row()
    row_match, _, labels = pushed(P, start, 10**6, 10**9)
    assert wrong_labels(columns_of(P), row_match.tolist(), labels.tolist()) == []
    assert labels.max() == HOPELESS - 1, "the pushes ended before the labels outgrew a byte"


def test_other_methods_continue_after_labels_that_outgrow_a_byte():
    """The pushes end before every column is matched, and another method continues. A second block
    has 400 columns and 399 rows; only its rows may be marked as hopeless."""
    far, _ = far_row()
    j = np.arange(399)
    rows, cols = [far.indices, j + far.m, j + far.m], [far.cols(), j + far.n, j + far.n + 1]
    P = as_pattern(families.csc(rows, cols, (far.m + 399, far.n + 400)))
    row_match, col_match = started(P)
    assert np.count_nonzero(col_match < 0) == 2
    hopeless = np.zeros(P.m, dtype=np.uint8)
    active = _core.transversal.push_until_stalled(
        P.m, P.indptr, P.indices, row_match, col_match, hopeless
    )
    assert active >= 1
    assert _core.transversal.check_matching(P.m, P.indptr, P.indices, row_match, col_match)[0] == 0
    assert np.flatnonzero(hopeless).min(initial=far.m) >= far.m
    t = btfperm.maximum_transversal(P, algorithm="guided-displacement", threads=1)
    assert t.structural_rank == P.n - 1
