# SPDX-License-Identifier: BSD-3-Clause
"""The matching from which a search begins."""

from __future__ import annotations

import numpy as np
import pytest

from btfperm import as_pattern
from btfperm.backends.cpu import problem
from btfperm.backends.cpu.problem import Problem
from btfperm.backends.gpu import problem as gpu_problem


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("m", "n"),
    [(0, 0), (0, 3), (3, 0), (2, 5), (problem._WORTH_PAGES - 7, 6), (problem._WORTH_PAGES, 6)],
)
def test_nothing_is_matched_and_no_array_is_shared(m, n, width):
    """NumPy allocates the arrays of a small problem, the core those of a problem whose rows and
    columns together number at least `_WORTH_PAGES`."""
    pattern = as_pattern((None, [], np.zeros(n + 1, int)), shape=(m, n))
    object.__setattr__(pattern, "indptr", pattern.indptr.astype(width))
    object.__setattr__(pattern, "indices", pattern.indices.astype(width))
    empty = Problem.empty(pattern)
    for match, size in ((empty.row_match, m), (empty.col_match, n)):
        assert match.dtype == width and match.shape == (size,) and (match == -1).all()
    assert empty.row_in_cover.shape == (m,) and not empty.row_in_cover.any()
    assert empty.col_in_cover.shape == (n,) and empty.col_in_cover.dtype == np.uint8
    arrays = [empty.row_match, empty.col_match, empty.row_in_cover, empty.col_in_cover]
    for k, array in enumerate(arrays):
        assert array.flags.writeable and array.flags.c_contiguous
        assert not any(np.shares_memory(array, other) for other in arrays[k + 1 :])


@pytest.mark.parametrize("lists", [1, 2])
def test_a_gpu_search_checks_for_memory_for_each_list_of_the_entries(monkeypatch, lists):
    """Two lists for a matrix on the host: the copy of the columns, and the row lists. For calls on
    a device, see test_gpu_memory.py."""
    needs = []
    monkeypatch.setattr(gpu_problem, "refuse_beyond_free", lambda needed, _: needs.append(needed))
    pattern = as_pattern(np.ones((30, 40)))
    gpu_problem._refuse_search_beyond_free(pattern, lists)
    assert needs == [4 * (lists * 1_200 + 1_200 // 16 + 17 * (30 + 40))]


@pytest.mark.parametrize("keep_pairs", [True, False])
def test_a_reset_problem_has_no_proof(keep_pairs):
    """The next search adds its marks to those in `row_in_cover`. Marks that an abandoned search
    left there would make the cover wrong."""
    used = Problem.empty(as_pattern(np.eye(3)))
    used.row_match[1] = used.col_match[1] = 1
    used.row_in_cover[:2] = 1
    used.proven = True
    used.reset(keep_matching=keep_pairs)
    assert not used.proven and not used.row_in_cover.any()
    pairs = [-1, 1, -1] if keep_pairs else [-1, -1, -1]
    assert used.row_match.tolist() == used.col_match.tolist() == pairs
