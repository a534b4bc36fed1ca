# SPDX-License-Identifier: BSD-3-Clause
"""The model of the time over ranks finds the coefficients of times that follow it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.mpi.model import (
    TERMS,
    fit,
    fit_counts,
    layout,
    predict_counts,
    seconds_of_terms,
)

COEFFICIENTS = dict(zip(TERMS, (1e-7, 2e-8, 3e-5, 5e-6, 2e-9), strict=True))


def row(rng, ranks, scale):
    return {
        "ranks": ranks,
        "largest": scale * 1e6 / ranks,
        "visited": scale * rng.uniform(1e6, 9e6),
        "operations": rng.uniform(50, 500),
        "messages": rng.uniform(100, 9000) * (ranks - 1),
        "bytes_sent": scale * rng.uniform(1e6, 1e8) * (ranks > 1),
        "all_to_alls": rng.uniform(20, 200),
        "all_to_all_bytes": scale * rng.uniform(1e5, 1e7) * (ranks > 1),
    }


def test_the_fit_finds_the_coefficients_and_predicts_other_points():
    rng = np.random.default_rng(1)
    rows = [row(rng, ranks, scale) for ranks in (1, 2, 4, 8) for scale in (1, 3, 5)]
    for each in rows:
        each["seconds"] = sum(seconds_of_terms(list(COEFFICIENTS.values()), each, 4).values())
    found = fit(rows, 4)
    assert found == pytest.approx(list(COEFFICIENTS.values()), rel=1e-6)
    other = row(rng, 64, 7)
    parts = seconds_of_terms(found, other, np.inf)
    assert parts["work"] == pytest.approx(COEFFICIENTS["work"] * other["largest"])
    shared = seconds_of_terms(found, other, 16)
    assert sum(shared.values()) == pytest.approx(4 * sum(parts.values()))


def test_the_layout_is_that_of_the_ranks():
    """Two blocks of equal size, each on one rank, and one entry that makes a ghost."""
    A = sp.block_diag([np.ones((4, 4)), np.ones((4, 4))], format="lil")
    A[0, 7] = 1
    found = layout(sp.csc_array(A), 2)
    assert found == {"largest": 17, "ghosts": 1}
    assert layout(sp.csc_array(A), 1) == {"largest": 33, "ghosts": 0}
    assert layout(sp.csc_array(A), 8)["ghosts"] <= 33


def test_counts_on_other_numbers_of_ranks():
    rows = [
        {
            "ranks": ranks,
            "rows": 100,
            "cols": 100,
            "ghosts": 40 * ranks,
            "operations": 10 + 6 * k,
            "exchanges": 5 + 3 * k,
            "messages": (5 + 3 * k) * ranks * (ranks - 1) // 2,
            "bytes_sent": 8000 * ranks,
            "all_to_alls": 2 * (5 + 3 * k),
            "all_to_all_bytes": 2 * (5 + 3 * k) * ranks * (ranks - 1) * (8 + 20 * 256 // ranks),
            "visited": 7,
        }
        for k, ranks in enumerate((2, 4, 8), 1)
    ]
    fitted = fit_counts(rows[:2])
    counted = predict_counts(fitted, {k: rows[2][k] for k in ("ranks", "rows", "cols", "ghosts")})
    for name in ("operations", "messages", "bytes_sent", "all_to_all_bytes"):
        assert counted[name] == pytest.approx(rows[2][name]), name
    many = predict_counts(fitted, {"ranks": 1024, "rows": 100, "cols": 100, "ghosts": 500})
    assert many["messages"] == many["bytes_sent"] / 8  # a message has at least one item
