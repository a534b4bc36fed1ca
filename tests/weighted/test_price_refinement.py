# SPDX-License-Identifier: BSD-3-Clause
"""Refinement of prices after an auction."""

from __future__ import annotations

from pathlib import Path

from tests.programs import built


def test_preferences_as_large_as_rounding_errors_end(tmp_path):
    """If the test that queues a column and the one that lowers a price round differently, a column
    is queued in each pass over the columns until the limit on visits ends the run."""
    refined = built(Path(__file__).with_name("price_refinement.cpp"), tmp_path)
    found, visited, entries = map(int, refined())
    assert found
    assert visited <= 3 * entries
