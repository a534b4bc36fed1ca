# SPDX-License-Identifier: BSD-3-Clause
"""Loops and levels do not overflow near the largest number of their index type. The core needs a
matrix of 2^31 columns for that, so a small program has the same templates for 16-bit indices."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs import built


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    return built(Path(__file__).parent / "narrow_indices.cpp", tmp_path_factory.mktemp("narrow"))


@pytest.mark.parametrize("name", ["columns", "entries", "local", "near"])
def test_a_sample_ends_with_the_last_index(narrow, name):
    """Without a guard, the index of the sampling loop would overflow and become negative."""
    assert narrow(name) == ["1"]


def test_the_levels_of_hopcroft_karp_do_not_overflow(narrow):
    """Each of 500 phases raises the levels by 201, and finds the only augmenting path."""
    assert narrow("phases") == ["500"]
