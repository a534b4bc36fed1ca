# SPDX-License-Identifier: BSD-3-Clause
"""Parts of the engine over ranks that need no MPI: ranges of files and indices, lists, labels."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import btfperm
from btfperm import _core
from btfperm.backends.mpi import launch
from btfperm.backends.mpi.file_ranges import FileRange, line_range, lines_before
from btfperm.backends.mpi.slices import bucket_width, even_slices, weighted_slices
from btfperm.pattern.owned_lists import owned_lists


@pytest.mark.parametrize("text", [b"", b"a\n", b"ab\ncd\n\ne", b"\n\n\n", b"x" * 50 + b"\n1\n2\n"])
@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_ranges_cover_each_line_once(tmp_path, text, parts):
    file = tmp_path / "a.txt"
    file.write_bytes(b"head\n" + text)
    found = b""
    for part in range(parts):
        begin, end = line_range(file, 5, 5 + len(text), part, parts)
        with FileRange.buffered(file, begin, end) as stream:
            piece = stream.read()
        found += piece
        assert begin == 5 or file.read_bytes()[begin - 1 : begin] == b"\n" or not piece
        assert lines_before(file, begin) == file.read_bytes()[:begin].count(b"\n")
    assert found == text


def test_slices_share_the_weight():
    rng = np.random.default_rng()
    for count, ranks in ((0, 3), (2, 5), (1000, 4), (5000, 7)):
        weights = rng.integers(0, 50, count)
        width = bucket_width(count, ranks)
        sums = np.add.reduceat(weights, np.arange(0, count, width)) if count else weights
        parts = [weighted_slices(count, sums, ranks, rank) for rank in range(ranks)]
        assert parts[0].first == 0 and parts[-1].last == count
        assert all(a.last == b.first for a, b in pairwise(parts))
        numbers = np.arange(count)
        owners = parts[0].owners(numbers)
        for rank, part in enumerate(parts):
            assert np.array_equal(np.flatnonzero(owners == rank), numbers[part.first : part.last])
        if count >= 1000:
            shares = [int((weights[p.first : p.last] + 1).sum()) for p in parts]
            assert max(shares) < 1.1 * sum(shares) / ranks
    assert [even_slices(5, 3, rank).size for rank in range(3)] == [1, 2, 2]


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_owned_lists_are_sorted_without_duplicates(width):
    rng = np.random.default_rng()
    lists = rng.integers(10, 20, 300).astype(width)
    items = rng.integers(0, 30, 300).astype(width)
    expected = [np.unique(items[lists == k]).tolist() for k in range(10, 20)]
    made = owned_lists(10, 10, lists.copy(), items.copy())
    assert [made.of(np.array([k]))[0].tolist() for k in range(10)] == expected
    with pytest.raises(ValueError, match="out of range"):
        _core.pattern.owned_lists(11, lists, items, np.empty(11, dtype=np.int64))


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_labels_and_heights_of_the_vertices_of_a_rank(width):
    """Vertices 0 to 3 of 0 -> 1 -> 2 -> 5 and 1 -> 3, where 5 belongs to another rank."""
    indptr, targets = np.array([0, 1, 3, 4, 4]), np.array([1, 2, 3, 5], dtype=width)
    active, none = np.ones(4, dtype=np.uint8), np.empty(0, dtype=width)
    label = np.full(4, -1, dtype=width)
    seeds, values = np.array([0], dtype=width), np.array([7], dtype=width)
    spread, peel = _core.dulmage_mendelsohn.spread, _core.dulmage_mendelsohn.peel_owned
    sent = spread(0, indptr, targets, active, none, label, seeds, values)
    assert label.tolist() == [7, 7, 7, 7] and [part.tolist() for part in sent] == [[5], [7]]
    active[1] = 0
    label.fill(-1)
    spread(0, indptr, targets, active, none, label, seeds, values)
    assert label.tolist() == [7, -1, -1, -1]
    active[1] = 1
    within = np.array([7, 7, 6, 7], dtype=width)
    label.fill(-1)
    spread(0, indptr, targets, active, within, label, seeds, values)
    assert label.tolist() == [7, 7, -1, 7]
    degree, height = np.array([0, 1, 1, 1], dtype=width), np.zeros(4, dtype=width)
    sent = peel(0, indptr, targets, active, degree, height, np.array([0], dtype=width))
    assert degree.tolist() == [-1] * 4 and height.tolist() == [0, 1, 2, 2]
    assert [part.tolist() for part in sent] == [[5], [3]]
    with pytest.raises(ValueError, match="out of range"):
        spread(0, indptr, targets, active, none, label, np.array([4], dtype=width), values)


def test_without_mpi(monkeypatch):
    """The backend reports what is missing, and nothing of MPI is imported without need."""
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(btfperm.BackendUnavailableError, match=r"install btfperm\[mpi\]"):
        launch.require_mpi()
    program = (
        "import sys, btfperm, numpy; btfperm.dulmage_mendelsohn(numpy.eye(3)); "
        "print('mpi4py' in sys.modules, 'btfperm.backends.mpi.exchange' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"]


def test_ranks_that_launchers_report(monkeypatch):
    for name in (*launch._RANKS_SET_BY_LAUNCHERS, *launch._RANK_SET_BY_LAUNCHERS):
        monkeypatch.delenv(name, raising=False)
    assert launch.communicator("auto") is None and launch.rank_by_launcher() == 0
    monkeypatch.setenv("PMI_SIZE", "4")
    monkeypatch.setenv("PMI_RANK", "3")
    assert (launch.launched_ranks(), launch.rank_by_launcher()) == (4, 3)
    assert launch.communicator("cpu") is None
    monkeypatch.setenv("BTFPERM_MPI", "0")
    assert (launch.launched_ranks(), launch.rank_by_launcher()) == (0, 0)
