# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of few entries and many rows or columns: memory, Ctrl-C, and lists in any order."""

from __future__ import annotations

import re
import signal
import warnings

import numpy as np
import pytest
from btfperm_cli.main import main
from click.testing import CliRunner

from btfperm import _core
from btfperm.backends import select
from btfperm.errors import LargeMatrixWarning, ResourceMissingError
from btfperm.pattern import Pattern, refuse_beyond_memory


@pytest.mark.filterwarnings("ignore::btfperm.LargeMatrixWarning")
@pytest.mark.parametrize(("total", "margin"), [(10**9, 10**8), (10**12, 2**30)])
def test_a_margin_of_memory_stays_free(monkeypatch, total, margin):
    """A tenth of a small machine's memory, a gigabyte of a large one's."""
    monkeypatch.setattr(select, "memory", lambda: (total, margin + 4 * 2**24))
    refuse_beyond_memory((2**24, 1), 2**24, "a.mtx")
    with pytest.raises(ResourceMissingError, match=r"a\.mtx: .* btfperm leaves .* to others"):
        refuse_beyond_memory((2**24 + 1, 1), 2**24 + 1, "a.mtx")


def test_a_large_requirement_is_reported(monkeypatch):
    monkeypatch.setattr(select, "memory", lambda: (10**9, 4 * 4 * 2**24))
    with pytest.warns(LargeMatrixWarning, match=r"^a: .* needs at least 0\.1 GB .* are free$"):
        refuse_beyond_memory((2**24 + 1, 1), 2**24 + 1, "a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refuse_beyond_memory((2**24, 1), 2**24, "a")


def test_a_large_requirement_is_reported_at_the_shell(monkeypatch, tmp_path):
    monkeypatch.setattr(select, "memory", lambda: (10**9, 25 * 10**7))
    file = tmp_path / "wide.mtx"
    head = "%%MatrixMarket matrix coordinate pattern general"
    file.write_text(f"{head}\n1 {2**24} 1\n1 1\n")
    done = CliRunner().invoke(main, ["rank", str(file)])
    assert done.exit_code == 0
    assert re.search(r"warning: .*wide\.mtx: .* needs at least 0\.1 GB", done.stderr)


def test_empty_rows_need_no_memory(run_seed):
    """A list in any order, of which most rows are empty, is sorted without an array of rows."""
    rng = np.random.default_rng(run_seed)
    places = rng.integers(0, 2**58, 40)
    rows, cols = places[rng.integers(0, 40, 90)], rng.integers(0, 7, 90)
    pattern = Pattern.from_coo(rows, cols, (2**58, 7))
    expected = sorted(set(zip(cols.tolist(), rows.tolist(), strict=True)))
    assert [*zip(pattern.cols().tolist(), pattern.indices.tolist(), strict=True)] == expected


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
def test_a_signal_is_answered_while_columns_are_cleared():
    """An array of a gigabyte, of which only that part is touched that a twentieth of a second
    allows."""

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
            _core.columns_of_triplets(1, np.zeros(1, np.int64), np.zeros(1, np.int64), indptr)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert indptr[-1] == -7


def listed(rng, order, n):
    """Positions of one half of a symmetric matrix, some of them twice."""
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


def test_free_memory_of_a_container(tmp_path):
    """What the container uses is not free, apart from files that the system may forget."""
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
