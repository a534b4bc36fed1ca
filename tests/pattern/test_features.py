# SPDX-License-Identifier: BSD-3-Clause
"""Features from a sample of columns, compared with those of the dense matrix."""

from __future__ import annotations

import mmap

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

from btfperm import _core
from btfperm.pattern import Pattern, as_pattern
from btfperm.pattern.arrays import LARGEST_INT32
from btfperm.pattern.features import Features, ratios, sample, sample_degrees, size
from tests import strategies
from tests.oracles.plain_pattern import pattern


def plain(A):
    """Every feature of a matrix that is small enough for the sample to hold all its columns."""
    B = A.toarray() != 0
    m, n = B.shape
    degrees = B.sum(axis=0)
    near = [abs(i - j * m / n) < m / 64 for i, j in np.argwhere(B)]
    return {
        "longest": degrees.max(initial=0),
        "skew": degrees.std() / degrees.mean() if B.any() else 0,
        "empty": np.mean(degrees == 0) if n else 0,
        "single": np.mean(degrees == 1) if n else 0,
        "hidden": 0,
        "diagonal": np.mean([j < m and B[j, j] for j in range(n)]) if n else 0,
        "near": np.mean(near) if near else 0,
    }


@given(strategies.any_matrix())
def test_a_sample_of_a_small_matrix_is_exact(A):
    dense = pattern(A)
    assert sample(as_pattern(A)) == pytest.approx(plain(dense), abs=1e-9)
    of_degrees = {
        name: value for name, value in plain(dense).items() if name not in ("diagonal", "near")
    }
    assert sample_degrees(as_pattern(A)) == pytest.approx(of_degrees, abs=1e-9)


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (5, 2)])
def test_no_entries(shape, width):
    P = as_pattern(sp.csc_array(shape))
    P = Pattern(P.shape, P.indptr.astype(width), P.indices.astype(width))
    features_of_sample = sample(P)
    assert features_of_sample["empty"] == (1 if shape[1] else 0)
    assert all(value == 0 for name, value in features_of_sample.items() if name != "empty")
    assert all(np.isfinite(list(ratios(*shape, 0).values())))


def test_a_large_matrix_is_sampled():
    """A tridiagonal matrix with one long column, which a sample may miss."""
    n = 100_000
    A = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(n, n)).tolil()
    A[::3, 1] = 1.0
    features_of_sample = sample(as_pattern(sp.csc_array(A)))
    assert (
        features_of_sample["longest"] == 3
        and features_of_sample["near"] == 1
        and features_of_sample["diagonal"] == 1
    )
    assert features_of_sample["empty"] == 0 and features_of_sample["skew"] < 0.1
    assert features_of_sample["hidden"] == pytest.approx(0.1, abs=0.01), (
        "a tenth of the entries is in a column outside the sample"
    )


def test_long_columns_are_sampled():
    """The sample does not read all entries of a full matrix, but its shares are right."""
    m, n = 6_000, 200
    features_of_sample = sample(as_pattern(np.ones((m, n))))
    assert features_of_sample["longest"] == m and features_of_sample["skew"] == 0
    assert features_of_sample["near"] == pytest.approx(2 / 64, abs=0.02)


def zeros_without_memory(count):
    """int32 zeros that can only be read, so that the system provides no memory for them."""
    pages = mmap.mmap(-1, 4 * count, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
    return np.frombuffer(pages, np.int32)


def test_samples_end_with_the_last_32_bit_index():
    """The index of the next sample would exceed 32 bits."""
    zeros = zeros_without_memory(LARGEST_INT32 + 1)
    n, degree = LARGEST_INT32, LARGEST_INT32 - 1
    assert n // (n // 128) == 128 and n % (n // 128), "a column follows the last sample"
    assert degree % (degree // 8), "an entry follows the last sample"
    _, _, empty, *_ = _core.pattern.sample(1, zeros, zeros[:0], False)
    assert empty == 1
    column = np.array([0, degree], np.int32)
    longest, _, _, _, _, diagonal, near = _core.pattern.sample(degree, column, zeros[:degree])
    assert (longest, diagonal, near) == (degree, 1, 1)


def test_features_are_documented():
    described = str(Features.__doc__)
    for name in Features._fields:
        assert name in described, f"{name} has no line"
    P = as_pattern(np.ones((2, 3)))
    known = size(P.shape, P.nnz)
    known |= ratios(*known.values())
    assert Features(**known, **sample(P)).wide == 1.5
