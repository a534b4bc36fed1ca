# SPDX-License-Identifier: BSD-3-Clause
"""The fuzzer runs 60 mutated inputs for each reader. `.ci/run fuzz` runs mutated inputs for one
minute."""

from __future__ import annotations

import os

import pytest

from tests.fuzz import campaign, oracles, properties, worker
from tests.fuzz.draw import LARGE_EVERY, Case
from tests.fuzz.readers import READERS, case_of

COUNT = 60
WITHOUT_MUTATIONS = frozenset(range(100))
each_reader = pytest.mark.parametrize("reader", READERS)

limits_memory = worker.can_measure()

SEED = 1


@each_reader
def test_mutated_inputs(reader):
    """The seed is fixed; `python -m tests.fuzz --seed` runs other inputs."""
    report = campaign.run(reader, SEED, COUNT)
    assert report.tried == COUNT
    assert not report.failures, report.findings
    assert 0 < report.accepted < COUNT


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer takes several times as long")
@each_reader
def test_large_inputs(reader):
    first = LARGE_EVERY // 5
    case = case_of(reader, SEED, first)
    assert "large" in case.log[-1]
    report = campaign.run(reader, SEED, 1, first=first)
    assert report.tried == 1 and not report.failures, report.findings


@each_reader
def test_most_inputs_without_mutations_are_accepted(reader, tmp_path):
    """If most were refused, the mutations would not reach the inner layers."""
    count = 60
    outcomes = [
        properties.check(
            case_of(reader, 5, index, WITHOUT_MUTATIONS), str(tmp_path), measured=False
        )
        for index in range(count)
    ]
    assert not [outcome.failures for outcome in outcomes if outcome.failures]
    assert sum(outcome.accepted for outcome in outcomes) > 0.6 * count


def test_an_entry_at_another_place_is_found(tmp_path):
    """The plain readers find the right position. So the fuzzer detects a wrong one even if `read`
    and `read_matrix` agree on it."""
    text = b"%%MatrixMarket matrix coordinate real general\n3 3 1\n2 1 7\n"
    right = Case("matrix_market", text, "a.mtx")
    assert properties.check(right, str(tmp_path), measured=False).failures == []
    assert oracles.places(text) == {(1, 0)}
    with pytest.raises(ValueError, match="no entry"):
        oracles.places(text.replace(b"2 1 7", b"2 1.5 3"))
