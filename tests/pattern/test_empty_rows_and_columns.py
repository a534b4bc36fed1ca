# SPDX-License-Identifier: BSD-3-Clause
"""Shapes with few entries and many rows or columns: memory, Ctrl-C, and lists in any order."""

from __future__ import annotations

import re
import signal
import warnings
from pathlib import Path

import numpy as np
import pytest
from btfperm_cli.main import main
from click.testing import CliRunner

import btfperm.testing
from btfperm import _core
from btfperm.backends import select
from btfperm.errors import LargeMatrixWarning, ResourceMissingError
from btfperm.pattern import Pattern, arrays, refuse_beyond_memory
from btfperm.pattern import memory as memory_module


@pytest.mark.filterwarnings("ignore::btfperm.LargeMatrixWarning")
@pytest.mark.parametrize(
    ("total", "margin", "gigabytes"),
    [(10**9, 10**8, "0.1"), (10**12, 2**30, "1.1"), (None, 2**30, "1.1")],
)
def test_a_margin_of_memory_stays_free(monkeypatch, total, margin, gigabytes):
    """The margin is a tenth of the memory of a small machine, and a gigabyte on a large one or if
    the size of the memory is unknown. The message names it only if the free memory would suffice
    without it."""
    monkeypatch.setattr(select, "memory", lambda: (total, margin + 4 * 2**24))
    refuse_beyond_memory((2**24, 1), 2**24, "a.mtx")
    for indices in (2**24 + 1, 2**24 + margin // 4):
        with pytest.raises(ResourceMissingError) as caught:
            refuse_beyond_memory((2**24 + 1, 1), indices, "a.mtx")
        text = str(caught.value)
        assert text.startswith("a.mtx: ")
        assert text.endswith(f" are free, of which btfperm leaves {gigabytes} GB to others")
    with pytest.raises(ResourceMissingError, match=r" are free$"):
        refuse_beyond_memory((2**24 + 1, 1), 2**24 + margin // 4 + 1, "a.mtx")


def test_a_large_requirement_is_reported(monkeypatch):
    monkeypatch.setattr(select, "memory", lambda: (10**9, 4 * 4 * 2**24))
    with pytest.warns(LargeMatrixWarning, match=r"^a: .* needs at least 0\.1 GB .* are free$"):
        refuse_beyond_memory((2**24 + 1, 1), 2**24 + 1, "a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refuse_beyond_memory((2**24, 1), 2**24, "a")


def wide(tmp_path, columns=2**24):
    """A file that declares `columns` columns, by default with 64 MiB of column pointers."""
    file = tmp_path / "wide.mtx"
    file.write_text(f"%%MatrixMarket matrix coordinate pattern general\n1 {columns} 1\n1 1\n")
    return str(file)


@pytest.mark.parametrize("command", [["rank"], []], ids=["rank", "order"])
def test_a_large_requirement_is_reported_once_at_the_shell(monkeypatch, tmp_path, command):
    """There is one warning for all steps of the command. The limits are lowered for a small
    file."""
    monkeypatch.setattr(memory_module, "_MIN_INDICES_TO_CHECK", 2**12)
    monkeypatch.setattr(arrays, "_MIN_LINES_TO_CHECK", 2**12)
    monkeypatch.setattr(select, "memory", lambda: (10**5, 2**12 * 4 * 7))
    done = CliRunner().invoke(main, [*command, wide(tmp_path, 2**12)])
    assert done.exit_code == 0
    assert done.stderr.count("warning: ") == done.stderr.count("needs at least") == 1


@pytest.mark.parametrize(
    ("work", "free", "needed"),
    [
        (btfperm.maximum_transversal, 2 * 10**8, "0.2"),
        (btfperm.dulmage_mendelsohn, 4 * 10**8, "0.4"),
        (btfperm.testing.assert_structurally_nonsingular, 2 * 10**8, "0.2"),
        (lambda file: CliRunner().invoke(main, ["rank", file]), 2 * 10**8, "0.2"),
        (lambda file: CliRunner().invoke(main, [file]), 4 * 10**8, "0.4"),
    ],
)
def test_memory_that_later_steps_need_is_checked_before_any_is_allocated(
    monkeypatch, tmp_path, work, free, needed
):
    """There would be enough memory for the column pointers alone."""
    monkeypatch.setattr(select, "memory", lambda: (10**9, free))
    monkeypatch.setattr(_core.pattern, "columns_of_triplets", None)
    try:
        message = work(wide(tmp_path)).stderr
    except ResourceMissingError as error:
        message = str(error)
    assert re.search(rf"wide\.mtx: .* needs at least {re.escape(needed)} GB", message)


@pytest.mark.parametrize("work", [btfperm.dulmage_mendelsohn, btfperm.block_triangular_form])
def test_a_pattern_is_checked_for_the_whole_work(monkeypatch, work):
    """An existing pattern needs no check of its own. The memory of its decomposition is checked
    before the search."""
    n = 2**22
    pattern = Pattern.from_coo([0], [0], (n, n))
    monkeypatch.setattr(select, "memory", lambda: (10**9, 10**8))
    with pytest.raises(ResourceMissingError, match=r"needs at least 0\.2 GB"):
        work(pattern)


def test_empty_rows_need_no_memory(run_seed):
    """If most rows are empty, a list in any order is sorted without an array with a place for each
    row."""
    rng = np.random.default_rng(run_seed)
    places = rng.integers(0, 2**58, 40)
    rows, cols = places[rng.integers(0, 40, 90)], rng.integers(0, 7, 90)
    pattern = Pattern.from_coo(rows, cols, (2**58, 7))
    expected = sorted(set(zip(cols.tolist(), rows.tolist(), strict=True)))
    assert [*zip(pattern.cols().tolist(), pattern.indices.tolist(), strict=True)] == expected


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
def test_a_signal_ends_the_call_while_columns_are_cleared():
    """The signal comes after 0.01 s. The call then ends before it has cleared the whole array of a
    gigabyte."""

    class AlarmError(Exception):
        pass

    def handler(number, frame):
        raise AlarmError

    indptr = np.empty(2**27 + 1, dtype=np.int64)
    indptr[-1] = -7
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(AlarmError):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            _core.pattern.columns_of_triplets(
                1, np.zeros(1, np.int64), np.zeros(1, np.int64), indptr
            )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert indptr[-1] == -7


def listed(rng, order, n):
    """Random positions in this order, some of them twice; for "one triangle by rows", in the lower
    triangle."""
    rows, cols = rng.integers(0, n, (2, 4 * n))
    if order == "one triangle by rows":
        rows, cols = np.maximum(rows, cols), np.minimum(rows, cols)
    places = {
        "one triangle by rows": np.lexsort((cols, rows)),
        "by rows": np.lexsort((cols, rows)),
        "by columns": np.lexsort((rows, cols)),
        "by columns, rows descending": np.lexsort((-rows, cols)),
        "in any order": rng.permutation(rows.size),
    }[order]
    return rows[places], cols[places]


@pytest.mark.parametrize(
    "order",
    [
        *("one triangle by rows", "by rows", "by columns"),
        *("by columns, rows descending", "in any order"),
    ],
)
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("empty", [0, 10_000])
def test_lists_in_any_order(run_seed, order, symmetric, empty):
    n = 30
    rows, cols = listed(np.random.default_rng(run_seed), order, n)
    shape = (n + empty, n + empty if symmetric else n)
    expected = {*zip(cols.tolist(), rows.tolist(), strict=True)}
    if symmetric:
        expected |= {(row, col) for col, row in expected}
    pattern = Pattern.from_coo(rows, cols, shape, symmetric=symmetric)
    found = [*zip(pattern.cols().tolist(), pattern.indices.tolist(), strict=True)]
    assert found == sorted(expected)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc on this system")
def test_memory_left_below_the_limits_of_a_process(monkeypatch):
    """`memory_left` is the smaller of two numbers: the free memory of the machine, and what the
    process may still allocate below the limit on its address space."""
    import resource

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = resource.RLIM_INFINITY
    monkeypatch.setattr(select, "memory", lambda: (10**12, 10**11))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, resource.RLIM_INFINITY))
    assert select.memory_left() == 10**11
    limit = used + 2**32
    assert 2**32 - 2**30 < select.memory_left() <= 2**32 + 2**30
    limit = used // 2
    assert select.memory_left() == 0
    limit = resource.RLIM_INFINITY
    monkeypatch.setattr(select, "memory", lambda: (None, None))
    assert select.memory_left() is None


def test_free_memory_of_a_container(tmp_path):
    """Free memory excludes what the container uses, except for caches of files that the system may
    discard."""
    assert select._container_memory(tmp_path) is None
    (tmp_path / "memory.max").write_text("1000\n")
    assert select._container_memory(tmp_path) == (1000, 1000)
    (tmp_path / "memory.current").write_text("700\n")
    assert select._container_memory(tmp_path) == (1000, 300)
    (tmp_path / "memory.stat").write_text("anon 600\ninactive_file 50\nactive_file 5\n")
    assert select._container_memory(tmp_path) == (1000, 350)
    (tmp_path / "memory.current").write_text("1200\n")
    assert select._container_memory(tmp_path) == (1000, 0)
    (tmp_path / "memory.max").write_text("max\n")
    assert select._container_memory(tmp_path) is None
