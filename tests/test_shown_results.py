# SPDX-License-Identifier: BSD-3-Clause
"""What each class of results shows, as one line and as a table, for the matrices of
`tests/uneven.py`; results are equal if and only if the fields that `==` compares are; and times are
plausible."""

from __future__ import annotations

import copy
import operator
import pickle
import time
from dataclasses import FrozenInstanceError, fields, replace
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from tests.loops import looped
from tests.uneven import cycle_with_tail, three_blocks, uneven

D = btfperm.dulmage_mendelsohn(uneven())
DIAGNOSIS = btfperm.diagnose(D)
FORM = btfperm.block_triangular_form(three_blocks())
ORDER = btfperm.preorder(three_blocks(), solver="superlu")
STOPPED = btfperm.maximum_transversal(
    uneven(), initializer="none", algorithm="hopcroft-karp", max_work=1
)
STARTED = btfperm.maximum_transversal(sp.eye_array(2000), initializer="greedy", max_work=1)
SHAPE = {"shape": "10 x 9"}
RANK = {**SHAPE, "structural rank": "7"}

# what a result shows as text, the title of its table, and the rows of the table
SHOWN = [
    (
        btfperm.as_pattern(uneven()),
        "<Pattern 10 x 9, 22 entries>",
        "Pattern",
        SHAPE | {"entries": "22"},
    ),
    (
        D,
        "<DulmageMendelsohn of a 10 x 9 matrix: structural rank 7, horizontal 2 x 4, "
        "square 3 x 3, vertical 5 x 2, 4 fine blocks>",
        "DulmageMendelsohn",
        RANK
        | {"horizontal part": "2 x 4", "square part": "3 x 3", "vertical part": "5 x 2"}
        | {"fine blocks": "4"},
    ),
    (
        D.block(0),
        "<Block 0, horizontal: 2 x 4>",
        "Block 0",
        {"part": "horizontal", "rows": "2", "columns": "4"},
    ),
    (
        D.block(3),
        "<Block 3, vertical: 5 x 2>",
        "Block 3",
        {"part": "vertical", "rows": "5", "columns": "2"},
    ),
    (
        D.horizontal,
        "<CoarsePart horizontal: 2 x 4, 1 fine block>",
        "horizontal part",
        {"rows": "2", "columns": "4", "fine blocks": "1"},
    ),
    (
        D.square,
        "<CoarsePart square: 3 x 3, 2 fine blocks>",
        "square part",
        {"rows": "3", "columns": "3", "fine blocks": "2"},
    ),
    (
        D.vertical,
        "<CoarsePart vertical: 5 x 2, 1 fine block>",
        "vertical part",
        {"rows": "5", "columns": "2", "fine blocks": "1"},
    ),
    (
        D.transversal,
        "<Transversal of a 10 x 9 matrix: structural rank 7, maximum, verified, by ss-bfs>",
        "Transversal",
        RANK
        | {"maximum": "True", "verified": "True", "algorithm": "ss-bfs", "initializer": "none"}
        | {"device": "cpu"},
    ),
    (
        STOPPED,
        "<Transversal of a 10 x 9 matrix: 0 matched, rank at most 9, stopped by max_work, "
        "verified, by hopcroft-karp>",
        "Transversal",
        SHAPE
        | {"matched": "0", "at most": "9", "maximum": "False", "verified": "True"}
        | {"algorithm": "hopcroft-karp", "initializer": "none", "device": "cpu"},
    ),
    (
        D.transversal.cover(),
        "Cover(rows=array([2, 4]), cols=array([1, 2, 5, 7, 8]))",
        "Cover",
        {"rows": "2", "columns": "5"},
    ),
    (
        FORM.block_graph(),
        "<BlockGraph: 3 blocks, 2 arcs, 3 levels>",
        "BlockGraph",
        {"blocks": "3", "arcs": "2", "levels": "3"},
    ),
    (
        DIAGNOSIS,
        "<Diagnosis of a 10 x 9 matrix: structural rank 7, 1 overdetermined group, "
        "1 underdetermined group>",
        "Diagnosis",
        RANK
        | {"overdetermined groups": "1", "underdetermined groups": "1", "entries in none": "4"}
        | {"entries in every maximum transversal": "1"},
    ),
    (
        DIAGNOSIS.overdetermined,
        "<Groups: 1 overdetermined group, excess 3>",
        "overdetermined groups",
        {"groups": "1", "excess": "3"},
    ),
    (
        DIAGNOSIS.overdetermined[0],
        "<Group overdetermined: 5 rows, 2 columns>",
        "overdetermined group",
        {"rows": "5", "columns": "2", "excess": "3", "explanation": "2 rows, 1 column"},
    ),
    (
        DIAGNOSIS.underdetermined[0],
        "<Group underdetermined: 2 rows, 4 columns>",
        "underdetermined group",
        {"rows": "2", "columns": "4", "excess": "2", "explanation": "2 rows, 3 columns"},
    ),
    (
        FORM,
        "<BlockTriangularForm of a 5 x 5 matrix: 3 blocks, the largest of 2 rows>",
        "BlockTriangularForm",
        {"shape": "5 x 5", "structural rank": "5", "blocks": "3", "rows of the largest": "2"}
        | {"completed pairs": "0"},
    ),
    (
        ORDER,
        "<Preordering of a 5 x 5 matrix for superlu: 3 blocks, the largest of 2 rows, natural "
        "inside>",
        "Preordering",
        {"shape": "5 x 5", "solver": "superlu", "blocks": "3", "rows of the largest": "2"}
        | {"order inside the blocks": "natural"},
    ),
    (
        btfperm.weighted_transversal(uneven()),
        "<WeightedTransversal of a 10 x 9 matrix: structural rank 7, largest product, objective "
        "12.36, gap 0.0e+00>",
        "WeightedTransversal",
        RANK | {"kind": "product", "objective": "12.36", "gap": "0.0e+00"},
    ),
    (
        btfperm.match(cycle_with_tail(), algorithm="local-max"),
        "<GraphMatching of 9 vertices, 8 edges: 4 matched, weight 21, at most 21, maximal, by "
        "local-max>",
        "GraphMatching",
        {"vertices": "9", "edges": "8", "matched edges": "4", "weight": "21", "at most": "21"}
        | {"rounds": "2", "state": "maximal", "algorithm": "local-max"},
    ),
]
NAMES = [text.split(">")[0][:40] for _, text, *_ in SHOWN]


@looped(("result", "text", "title", "rows"), SHOWN, ids=NAMES)
def test_the_text_and_the_table(result, text, title, rows):
    assert repr(result) == text
    table = ElementTree.fromstring(result._repr_html_())
    assert table.find("caption").text == title
    assert {row.find("th").text: row.find("td").text for row in table.iter("tr")} == rows


def test_the_initializer_is_named_if_nothing_ran_after_it():
    assert (STARTED.algorithm, STARTED.initializer) == ("none", "greedy")
    assert repr(STARTED).endswith("verified, by greedy>")


@looped("result", [row[0] for row in SHOWN], ids=NAMES)
def test_a_copy_is_equal_and_cannot_be_changed(result):
    for other in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert operator.eq(other, result) and not operator.ne(other, result)
        assert repr(other) == repr(result)
        if getattr(type(result), "__hash__", None) is not None and not isinstance(result, tuple):
            assert hash(other) == hash(result)
    assert result != 3 and result != "x"
    if not isinstance(result, tuple):
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            setattr(result, fields(result)[0].name, None)


@pytest.mark.parametrize(
    "pair",
    [
        (DIAGNOSIS, btfperm.diagnose(uneven().T)),
        (DIAGNOSIS.overdetermined, DIAGNOSIS.underdetermined),
        (DIAGNOSIS.overdetermined[0], DIAGNOSIS.underdetermined[0]),
        (D.horizontal, D.vertical),
        (D.block(0), D.block(1)),
        (FORM, btfperm.block_triangular_form(np.eye(5))),
        (FORM.block_graph(), D.block_graph()),
        (ORDER, btfperm.preorder(np.eye(5), solver="superlu")),
        (D.transversal, STOPPED),
        (btfperm.as_pattern(np.ones((2, 3))), btfperm.as_pattern(np.ones((3, 2)))),
    ],
    ids=lambda pair: type(pair[0]).__name__,
)
def test_other_results_are_not_equal(pair):
    one, other = pair
    assert operator.ne(one, other) and not operator.eq(one, other)


def test_a_diagnosis_of_other_lists_is_not_equal():
    """The groups have the same numbers of rows and columns, but other members."""
    A = np.zeros((4, 2))
    A[[0, 1], 0] = A[[2, 3], 1] = 1
    one, other = btfperm.diagnose(A), btfperm.diagnose(A[[0, 2, 1, 3]])
    assert one.overdetermined != other.overdetermined
    assert one.overdetermined[0] != other.overdetermined[0]
    assert one.overdetermined[0].rows.tolist() == [0, 1]
    assert other.overdetermined[0].rows.tolist() == [0, 2]
    assert (
        one == btfperm.diagnose(A)
        and one.overdetermined[0] == btfperm.diagnose(A).overdetermined[0]
    )
    assert [group.rows.tolist() for group in one.overdetermined[-2:]] == [[0, 1], [2, 3]]
    assert one.overdetermined[-1] == one.overdetermined[1]


def test_numbers_of_parts_that_do_not_exist():
    """Lists take negative numbers, as Python's do; numbers of blocks and levels count from 0."""
    for parts in (DIAGNOSIS.overdetermined, DIAGNOSIS.identical_rows):
        count = len(parts)
        assert count and [parts[k - count] is not None for k in range(count)] == [True] * count
        for k in (count, count + 1, -count - 1, 99):
            with pytest.raises(IndexError, match=r"there (is|are) "):
                parts[k]
        with pytest.raises(btfperm.InvalidArgumentError, match="must be a whole number"):
            DIAGNOSIS.overdetermined[0.5]
    graph = D.block_graph()
    for call, count in ((D.block, D.n_blocks), (graph.blocks_at, graph.n_levels)):
        assert [call(k) is not None for k in range(count)] == [True] * count
        for k in (count, count + 1, -1, -count):
            with pytest.raises(btfperm.InvalidArgumentError, match=f"from 0 to {count - 1}"):
                call(k)


def test_the_properties_of_shapes():
    wide = btfperm.diagnose(np.eye(3, 5))
    assert wide.is_full and not wide.is_nonsingular
    assert not btfperm.diagnose(np.eye(5, 3)).is_nonsingular
    square = btfperm.diagnose(np.eye(3))
    assert square.is_full and square.is_nonsingular
    assert not DIAGNOSIS.is_full and not DIAGNOSIS.is_nonsingular
    assert ORDER.structural_rank == 5 and ORDER.n_blocks == 3
    assert DIAGNOSIS.shape == (10, 9) and DIAGNOSIS.n_entries == 22


@pytest.mark.parametrize("power", [3, 600, -600, 1022])
def test_scalings_are_balanced(power):
    """The extreme exponents of rows and columns are the same on both sides of zero."""
    A = np.diag([2.0**power, 1.0, 8.0]) + np.triu(np.ones((3, 3)), 1)
    w = btfperm.weighted_transversal(A)
    r, c = w.scales()
    scaled = np.abs(r[:, None] * A * c)
    assert scaled.max() <= 1 + 1e-9 and np.allclose(scaled[np.arange(3), w.row_match], 1)
    exponents = np.concatenate((np.log(r), -np.log(c)))
    assert exponents.max() == pytest.approx(-exponents.min(), abs=1e-9 * abs(power))


def test_scalings_of_another_kind_or_beyond_the_numbers():
    with pytest.raises(btfperm.InvalidArgumentError, match="has no scalings"):
        btfperm.weighted_transversal(np.eye(3), objective="sum").scales()
    w = btfperm.weighted_transversal(np.eye(2))
    for size in (708.0, -708.0):
        r, c = replace(w, row_dual=np.array([size, -size]), col_dual=np.zeros(2)).scales()
        assert np.isfinite([*r, *c]).all() and (np.array([*r, *c]) > 0).all()
    for duals in ([1500.0, 0.0], [0.0, -1500.0]):
        far = np.array(duals)
        for wrong in (
            {"row_dual": far, "col_dual": np.zeros(2)},
            {"row_dual": np.zeros(2), "col_dual": far},
        ):
            with pytest.raises(btfperm.InvalidArgumentError, match="beyond double precision"):
                replace(w, **wrong).scales()


TIMED = {
    "transversal": lambda A: btfperm.maximum_transversal(A).seconds,
    "product": lambda A: btfperm.weighted_transversal(A).seconds,
    "bottleneck": lambda A: btfperm.weighted_transversal(A, objective="bottleneck").seconds,
    "heavy": lambda A: btfperm.weighted_transversal(A, algorithm="heavy-perfect").seconds,
    "match": lambda A: btfperm.match(A + A.T).seconds,
    "solve": lambda A: btfperm.solve(A, np.ones(A.shape[0])).seconds,
}


@pytest.mark.parametrize("name", TIMED)
def test_the_seconds_of_the_steps_fit_the_call(name):
    """A step takes no negative time, and all steps together take no longer than the call."""
    A = sp.csc_array(three_blocks() + 8 * np.eye(5))
    begin = time.perf_counter()
    seconds = TIMED[name](A)
    whole = time.perf_counter() - begin
    assert seconds and all(taken >= 0 for taken in seconds.values())
    assert sum(seconds.values()) <= whole
