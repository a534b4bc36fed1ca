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
from btfperm.pattern.owned_lists import owned_lists, owned_values
from btfperm.transversal.initial.karp_sipser_mpi import choices_of


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


@pytest.mark.parametrize(
    ("parts", "shares"), [(1, [1]), (2, [3, 5]), (4, [1, 5, 5, 5]), (5, [0, 1, 1, 1, 1])]
)
def test_the_first_range_is_shorter(tmp_path, parts, shares):
    file, size = tmp_path / "a.txt", 100 * sum(shares)
    file.write_bytes(b"\n" * size)
    bounds = [line_range(file, 0, size, part, parts) for part in range(parts)]
    assert [end - begin for begin, end in bounds] == [100 * share for share in shares]


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
    assert [each.tolist() for each in np.split(made.items, made.indptr[1:-1])] == expected
    with pytest.raises(ValueError, match="out of range"):
        _core.pattern.owned_lists(11, lists, items, np.empty(11, dtype=np.int64))


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_the_sum_of_duplicates_does_not_depend_on_their_order(width, dtype):
    """Duplicates arrive in an order that depends on the ranks. They are added up from the smallest
    to the largest, complex ones by their real parts first, so that the sums are equal to the last
    bit."""
    rng = np.random.default_rng(1)
    lists = rng.integers(10, 14, 500).astype(width)
    items = rng.integers(0, 5, 500).astype(width)
    values = rng.choice([0.1, -0.7, 1e16, -1e16, 1 / 3], 500).astype(dtype)
    if dtype is np.complex128:
        values.imag = rng.choice([0.1, 0.3, -1e16, 1e16, -0.0], 500)
    expected = []
    for k, i in sorted(set(zip(lists.tolist(), items.tolist(), strict=True))):
        own = values[(lists == k) & (items == i)]
        total = 0
        for value in sorted(own.tolist(), key=lambda x: (x.real, x.imag)):
            total += value
        expected.append((i, total))
    for _ in range(4):
        made, sums = owned_values(10, 4, lists.copy(), items.copy(), values.copy())
        assert list(zip(made.items.tolist(), sums.tolist(), strict=True)) == expected
        order = rng.permutation(500)
        lists, items, values = lists[order], items[order], values[order]


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_labels_and_heights_of_the_vertices_of_a_rank(width):
    """Vertices 0 to 3 of 0 -> 1 -> 2 -> 4 and 1 -> 3, where 4 is a ghost."""
    indptr, targets = np.array([0, 1, 3, 4, 4]), np.array([1, 2, 3, 4], dtype=width)
    active, none = np.ones(4, dtype=np.uint8), np.empty(0, dtype=width)
    label = np.full(5, -1, dtype=width)
    seeds, values = np.array([0], dtype=width), np.array([7], dtype=width)
    spread, peel = _core.dulmage_mendelsohn.spread, _core.dulmage_mendelsohn.peel_owned
    ghosts = spread(indptr, targets, active, none, label, seeds, values)
    assert label.tolist() == [7] * 5 and ghosts.tolist() == [0]
    assert spread(indptr, targets, active, none, label, seeds, values).size == 0, "sent once"
    active[1] = 0
    label.fill(-1)
    spread(indptr, targets, active, none, label, seeds, values)
    assert label.tolist() == [7, -1, -1, -1, -1]
    active[1] = 1
    within = np.array([7, 7, 6, 7, 7], dtype=width)
    label.fill(-1)
    spread(indptr, targets, active, within, label, seeds, values)
    assert label.tolist() == [7, 7, -1, 7, -1]
    degree, height = np.array([0, 1, 1, 1, 0], dtype=width), np.zeros(5, dtype=width)
    ghosts = peel(indptr, targets, active, degree, height, np.array([0], dtype=width))
    assert degree.tolist() == [-1] * 5 and height.tolist() == [0, 1, 2, 2, 3]
    assert ghosts.tolist() == [0]
    active[1] = 0  # it keeps its degree and its height
    degree, height = np.array([0, 1, 1, 1, 0], dtype=width), np.zeros(5, dtype=width)
    assert peel(indptr, targets, active, degree, height, np.array([0], dtype=width)).size == 0
    assert degree.tolist() == [-1, 1, 1, 1, 0] and height.tolist() == [0] * 5
    active[1] = 1
    with pytest.raises(ValueError, match="out of range"):
        spread(indptr, targets, active, none, label, np.array([4], dtype=width), values)
    for wrong in ([1, 2, 3, 5], [1, 2, 3, -1]):  # vertices 0 to 4 exist
        with pytest.raises(ValueError, match="a target is out of range"):
            spread(indptr, np.array(wrong, width), active, none, label, seeds, values)
    with pytest.raises(ValueError, match="places"):
        spread(indptr, targets[:3], active, none, label, seeds, values)


def test_lists_that_are_too_short_are_refused():
    lists, rows, mates = (
        np.array([0, 1, 2]),
        np.array([0, 1], np.int32),
        np.array([1, -1], np.int32),
    )
    listed = _core.dulmage_mendelsohn.list_predecessors
    listed(0, lists, rows, mates)
    for wrong in ((lists[:0], rows, mates), (lists, rows[:1], mates), (lists, rows, mates[:1])):
        with pytest.raises(ValueError, match=r"places|elements|out of range"):
            listed(0, *wrong)
    uncovered = _core.transversal.uncovered
    covers = np.array([0, 1], np.uint8), np.array([0, 1], np.uint8)
    assert uncovered(lists, rows, *covers) == 1
    for wrong in ((lists[:2], rows, *covers), (lists, rows[:1], *covers)):
        with pytest.raises(ValueError, match="places"):
            uncovered(*wrong)


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_ghosts_are_listed_in_ascending_order(width):
    """Vertex 0 has the ghosts 5, 1 and 3, of six."""
    indptr, targets = np.array([0, 3]), np.array([5, 1, 3], dtype=width)
    active, none = np.ones(1, dtype=np.uint8), np.empty(0, dtype=width)
    zero, label = np.zeros(1, dtype=width), np.full(7, -1, dtype=width)
    ghosts = _core.dulmage_mendelsohn.spread(indptr, targets, active, none, label, zero, zero)
    assert ghosts.tolist() == [0, 2, 4] and ghosts.dtype == width


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_edges_are_reversed_piece_by_piece(width):
    """The lists [1, 3], [0, 4], [1] of a rank: vertices 0 to 2 have the numbers 10 to 12, 3 and 4
    are ghosts."""
    indptr, items = np.array([0, 2, 4, 5]), np.array([1, 3, 0, 4, 1], dtype=width)
    begins, reversed_lists = np.array([0, 1, 3]), np.full(4, -1, dtype=width)
    next_place = begins.copy()
    reverse, put = _core.dulmage_mendelsohn.reverse_edges, _core.dulmage_mendelsohn.put_in_lists
    found = [
        [part.tolist() for part in reverse(10, k, k + 1, indptr, items, next_place, reversed_lists)]
        for k in range(3)
    ]
    assert found == [[[0], [10]], [[1], [11]], [[], []]]
    put(np.array([2], dtype=width), np.array([77], dtype=width), next_place, reversed_lists)
    assert reversed_lists.tolist() == [11, 10, 12, 77] and next_place.tolist() == [1, 3, 4]
    with pytest.raises(ValueError, match="too few places"):
        put(np.array([2], dtype=width), np.array([78], dtype=width), next_place, reversed_lists)
    with pytest.raises(ValueError, match="out of range"):
        put(np.array([3], dtype=width), np.array([78], dtype=width), next_place, reversed_lists)


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("count", [1000, 100_000])
def test_local_numbers(width, count):
    """The core marks bits if the range is short, else it sorts; both give the same numbers."""
    rng = np.random.default_rng()
    first, last = sorted(rng.integers(0, count, 2).tolist())
    numbers = rng.integers(0, count, 500).astype(width)
    local = numbers.copy()
    ghosts = _core.ranks.number_ghosts(first, last, count, local)
    outside = numbers[(numbers < first) | (numbers >= last)]
    assert np.array_equal(ghosts, np.unique(outside))
    of_local = np.concatenate((np.arange(first, last), ghosts))
    assert np.array_equal(of_local[local], numbers)


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("gap", [0, 1, 20, 300, 60_000])
def test_ascending_numbers(width, gap):
    """Most blocks have differences of one or two bytes, and some are stored whole."""
    ascending = _core.ranks.Ascending32 if width is np.int32 else _core.ranks.Ascending64
    rng = np.random.default_rng()
    for count in (0, 1, 15, 16, 17, 1000):
        gaps = rng.integers(0, gap + 1, count)
        gaps[count // 2 : count // 2 + 1] += 1_000_000
        numbers = np.cumsum(gaps).astype(width)
        packed = ascending(numbers)
        assert packed.size == count and np.array_equal(packed.part(0, count), numbers)
        begin, end = sorted(rng.integers(0, count + 1, 2).tolist())
        assert np.array_equal(packed.part(begin, end), numbers[begin:end])
        for kind in (np.int32, np.int64):
            places = rng.permutation(count).astype(kind)
            assert np.array_equal(packed.at(places), numbers[places])
        for number in (*numbers[:40].tolist(), 0, 7, 1_000_001):
            assert packed.count_below(number) == np.searchsorted(numbers, number)
    for wrong in ((0, 1001), (-1, 3), (3, 2)):
        with pytest.raises(ValueError, match="out of range"):
            packed.part(*wrong)
    with pytest.raises(ValueError, match="out of range"):
        packed.at(np.array([1000]))
    for wrong in ([1, 0], [-1, 0]):
        with pytest.raises(ValueError, match="ascend"):
            ascending(np.array(wrong, dtype=width))


def test_items_are_sorted_by_owner():
    rng = np.random.default_rng()
    bounds = np.array([0, 4, 4, 9, 20])
    index = rng.integers(0, 20, 200)
    owner = _core.ranks.owners(bounds, index)
    assert np.array_equal(owner, np.searchsorted(bounds, index, side="right") - 1)
    lines, sent, order = _core.ranks.sort_by_owner(owner, 4, [index, -index], index)
    assert np.array_equal(order, np.argsort(owner, kind="stable"))
    assert np.array_equal(lines.reshape(-1, 2), np.stack((index, -index), axis=1)[order])
    assert np.array_equal(sent, np.bincount(owner, minlength=4))


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_indices_are_counted_by_bucket(kind):
    rng = np.random.default_rng()
    for width in (1, 3, 7, 1000, 1 << 20):
        index = rng.integers(0, 5 * width, 300).astype(kind)
        index[:10] = [k * width - d for k in range(1, 6) for d in (0, 1)]
        index[8] = 0
        counts = np.arange(5)
        _core.ranks.count_by_bucket(index, width, counts)
        assert np.array_equal(counts, np.arange(5) + np.bincount(index // width, minlength=5))
        for outside in (-1, 5 * width, np.iinfo(kind).max, np.iinfo(kind).min):
            with pytest.raises(ValueError, match="no bucket"):
                _core.ranks.count_by_bucket(np.array([0, outside], kind), width, counts)
    with pytest.raises(ValueError, match="no index"):
        _core.ranks.count_by_bucket(index, 0, counts)


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("bounds", [[0, 4, 4, 9, 20], [0, 0], [0, 0, 5, 5], [0, 7]])
def test_indices_outside_belong_to_the_first_or_the_last_rank(width, bounds):
    end, last = bounds[-1], len(bounds) - 2
    outside = [-1, end, np.iinfo(width).min, np.iinfo(width).max // 2, -end - 1, end + 1]
    within = [k for k in (0, 4, 5, 8, 19) if k < end]
    index = np.array([*outside, *within, *outside], dtype=width)
    owner = _core.ranks.owners(np.array(bounds), index)
    expected = [0 if k < 0 else last for k in outside]
    assert owner[: len(outside)].tolist() == owner[-len(outside) :].tolist() == expected
    for k, rank in zip(within, owner[len(outside) :].tolist(), strict=False):
        assert bounds[rank] <= k < bounds[rank + 1]


@pytest.mark.parametrize(
    ("left", "ranks", "count"),
    [
        *((0, 1, 1), (1, 1, 1), (700, 1, 700), (0, 2, 64), (1, 2, 64), (64, 2, 64), (512, 2, 64)),
        *((600, 2, 75), (1 << 17, 4, 1 << 14), (1 << 18, 4, 1 << 14), (1 << 20, 4, 1 << 15)),
    ],
)
def test_columns_that_choose_at_the_same_time(left, ranks, count):
    """On one rank, all columns choose at the same time. On several ranks, an eighth of them does,
    but at least 64; if there are more than 2^17 columns, 2^14 or a thirty-second part of them."""
    assert choices_of(left, ranks) == count


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
    monkeypatch.setenv("PMI_SIZE", "1")
    assert launch.communicator("auto") is None  # one rank runs as one process
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "5")  # PMI_SIZE is of the shell's own launcher
    assert launch.launched_ranks() == 5
    monkeypatch.delenv("OMPI_COMM_WORLD_SIZE")
    monkeypatch.setenv("PMI_SIZE", "4")
    monkeypatch.setenv("BTFPERM_MPI", "0")
    assert (launch.launched_ranks(), launch.rank_by_launcher()) == (0, 0)
