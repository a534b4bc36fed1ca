# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on skipped tests, and the choice that `--sample` makes."""

from __future__ import annotations

import itertools
from collections import Counter
from types import SimpleNamespace

import pytest

from tests.sampling import EVERY_VALUE, sampled
from tests.skips import PERMITTED, excess, reason_of


def test_a_reason_that_nobody_permitted_is_an_error():
    (sentence,) = excess(Counter({"no time": 2}))
    assert sentence == "2 tests skipped for a reason that is not permitted: no time"


@pytest.mark.parametrize(
    ("reason", "most"),
    [("root reads everything", 3), ("libbtf is not installed", 0), ("square only", 40)],
)
def test_each_reason_has_a_bound(reason, most):
    assert excess(Counter({reason: most})) == []
    assert len(excess(Counter({reason: most + 1}))) == 1


def test_reasons_of_one_row_are_counted_together():
    assert excess(Counter({"square only": 20, "nonsingular only": 20})) == []
    assert len(excess(Counter({"square only": 20, "nonsingular only": 21}))) == 1


def test_rows_are_told_apart():
    assert len({pattern for pattern, _ in PERMITTED}) == len(PERMITTED)


def test_the_reason_is_what_was_given_to_skip():
    skipped = SimpleNamespace(longrepr=("file.py", 3, "Skipped: no GPU: none"))
    assert reason_of(skipped) == "no GPU: none"


def items(**parameters):
    """Stand-ins for the items of one test function, one for each combination."""
    found = []
    for values in itertools.product(*(range(count) for count in parameters.values())):
        indices = dict(zip(parameters, values, strict=True))
        item = SimpleNamespace(nodeid=f"f[{values}]", callspec=SimpleNamespace(indices=indices))
        found.append(_Hashable(item))
    return found


class _Hashable(SimpleNamespace):
    def __init__(self, item):
        super().__init__(**vars(item))

    __hash__ = object.__hash__
    __eq__ = object.__eq__


@pytest.mark.parametrize("seed", range(5))
def test_a_sample_holds_each_value_of_each_parameter(seed):
    every = items(algorithm=7, family=5, numbering=3)
    chosen, left_out = sampled(every, EVERY_VALUE, seed)
    for name, count in (("algorithm", 7), ("family", 5), ("numbering", 3)):
        assert {item.callspec.indices[name] for item in chosen} == set(range(count))
    assert len(chosen) <= 7 + 5 + 3 < len(every)
    assert sorted(map(id, chosen + left_out)) == sorted(map(id, every))


def test_a_sample_has_a_bound_and_depends_on_the_seed():
    every = items(algorithm=7, family=5)
    assert len(sampled(every, 2, 0)[0]) == 2
    drawn = {tuple(item.nodeid for item in sampled(every, 2, seed)[0]) for seed in range(9)}
    assert len(drawn) > 1
    plain = [_Hashable(SimpleNamespace(nodeid=f"test_{k}")) for k in range(3)]
    assert sampled(plain, 1, 0) == (plain, [])
