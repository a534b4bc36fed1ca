# SPDX-License-Identifier: BSD-3-Clause
"""The members of groups on the device are those that NumPy finds."""

from __future__ import annotations

import numpy as np
import pytest

from btfperm.backends.gpu.grouping import members_by_group

pytestmark = pytest.mark.gpu


# Sizes of the groups: a warp sorts groups of up to 1,024 members. Giants are larger; the kernel
# accepts at most sixteen of them.
SIZES = {
    "ones": [1] * 70_000,
    "small": [0, 1, 2, 3, 31, 32, 33, 64] * 900,
    "few": [1023, 1024, 1000] * 5,
    "giants": [1025, 5, 0, 40_000, 1, 100_000] + [1] * 3_000,
    "sixteen giants": [1100 - k for k in range(16)] + [0, 3, 1],
    "many giants": [1025 + k for k in range(17)],
    "one": [5_000],
    "none": [0, 0, 0],
}


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("order", ["mixed", "sorted"])
@pytest.mark.parametrize("case", SIZES)
def test_members_by_group(case, order, width, run_seed):
    import cupy

    sizes = np.array(SIZES[case])
    group = np.repeat(np.arange(sizes.size), sizes)
    if order == "mixed":
        group = np.random.default_rng(run_seed).permutation(group)
    starts, members = members_by_group(cupy.asarray(group.astype(width)), sizes.size)
    assert starts.dtype == width and members.dtype == width
    np.testing.assert_array_equal(starts.get(), np.concatenate([[0], np.cumsum(sizes)]))
    np.testing.assert_array_equal(members.get(), np.argsort(group, kind="stable"))


@pytest.mark.parametrize("case", ["few", "giants", "many giants"])
def test_members_of_two_halves(case):
    """The members of the second half are numbered from 0."""
    import cupy

    sizes = np.array(SIZES[case])
    half = sizes.size // 2
    group = np.repeat(np.arange(sizes.size), sizes)
    first = int(sizes[:half].sum())
    _, members = members_by_group(
        cupy.asarray(group.astype(np.int32)), sizes.size, halves=(half, first)
    )
    np.testing.assert_array_equal(members.get()[:first], np.arange(first))
    np.testing.assert_array_equal(members.get()[first:], np.arange(group.size - first))
