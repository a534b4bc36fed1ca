# SPDX-License-Identifier: BSD-3-Clause
"""local-max-external: the matching of local-max in little memory, its input and its files."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import btfperm
from btfperm import _core
from btfperm.weighted import edge_file
from btfperm.weighted.edge_file import EdgeFile
from btfperm.weighted.external import LEAST_MEMORY, number_of_bytes
from tests.weighted.graph.graphs import graph, path, random_graph

NAME = "local-max-external"


def both(A, options=None, memory=LEAST_MEMORY, **how):
    inside = btfperm.match(A, options=options, **how)
    return inside, btfperm.match(A, algorithm=NAME, options=options, memory=memory, **how)


def same(inside, outside):
    assert (inside.mate == outside.mate).all() and inside.rounds == outside.rounds
    assert outside.weight == pytest.approx(inside.weight)
    assert (inside.edges_left == outside.edges_left).all()
    assert outside.matched_share == pytest.approx(inside.matched_share)
    assert outside.maximal and outside.locally_dominant and outside.size == inside.size


@pytest.mark.parametrize("weights", ["uniform", "few", "ones"])
@pytest.mark.parametrize("ties", ["renewed", "fixed"])
def test_the_matching_is_that_of_local_max(weights, ties):
    for seed, memory in ((0, LEAST_MEMORY), (1, 4 * LEAST_MEMORY), (2, "1G")):
        A = random_graph(2000, 12000, seed, weights)
        inside, outside = both(A, {"ties": ties}, memory, seed=seed)
        same(inside, outside)
        assert (outside.counters["external_rounds"] > 0) == (memory != "1G")
        how = {"memory": memory, "seed": seed, "options": {"ties": ties, "model": "candidates"}}
        by_candidates = btfperm.match(A, algorithm=NAME, **how)
        same(inside, by_candidates)
        assert by_candidates.counters["edges"] == outside.counters["edges"]
        if memory != "1G":
            rounds = "external_rounds"
            assert by_candidates.counters[rounds] == outside.counters[rounds]
            read = by_candidates.counters["bytes_read"], outside.counters["bytes_read"]
            assert read[0] < read[1] / 2


def test_candidates_that_do_not_fit_are_sorted():
    """They may take three quarters of the memory."""
    for n, is_sorted in ((3072, False), (3073, True)):
        A = random_graph(n, 15000, 4)
        for limit in (0.1, 8):
            inside, outside = both(A, {"limit": limit})
            how = {"memory": LEAST_MEMORY, "options": {"limit": limit, "model": "candidates"}}
            found = btfperm.match(A, algorithm=NAME, **how)
            same(inside, found)
            assert found.counters.get("sorted", 0) == inside.counters.get("sorted", 0)
            same_volume = found.counters["bytes_read"] == outside.counters["bytes_read"]
            assert same_volume == is_sorted


@pytest.mark.parametrize("entries", [1, 7, 64])
def test_a_matrix_in_memory_is_written_in_parts(monkeypatch, entries):
    """The parts end inside columns."""
    monkeypatch.setattr(edge_file, "_PART", entries)
    same(*both(random_graph(150, 600, 5)))


@pytest.mark.parametrize("options", [{}, {"limit": 0.1}, {"limit": 2}])
def test_long_paths_end_by_sorting(options):
    A = path(20000, np.arange(1, 20000.0))
    inside, outside = both(A, options)
    same(inside, outside)
    assert outside.counters["sorted"] == inside.counters["sorted"] > 0


@pytest.mark.parametrize("ties", ["renewed", "fixed"])
def test_without_a_limit_nothing_is_sorted(ties):
    A = random_graph(2000, 12000, 3, "few")
    inside, outside = both(A, {"limit": 0, "ties": ties})
    same(inside, outside)
    assert outside.counters["external_rounds"] > 1
    assert not inside.counters.get("sorted") and not outside.counters.get("sorted")


def test_few_blocks_merge_the_runs_in_groups():
    A = random_graph(9000, 150_000, 3)
    inside, outside = both(A)
    same(inside, outside)
    assert outside.counters["bytes_written"] > 32 * outside.edges + 32 * outside.edges


def test_small_graphs_and_limits(tmp_path):
    for A in (np.zeros((0, 0)), np.zeros((3, 3)), np.eye(2), path(2, 3.0), path(3, 1.0)):
        same(*both(A))
    stopped = btfperm.match(
        random_graph(2000, 20000, 0), algorithm=NAME, memory=LEAST_MEMORY, max_work=70_000
    )
    assert stopped.stopped_by == "max_work" and stopped.upper_bound == np.inf


@pytest.mark.parametrize("weights", ["values", "moduli", "ones"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_files_are_read_in_parts(tmp_path, weights, symmetry):
    A = random_graph(400, 3000, 1).tocoo()
    target = tmp_path / "g.mtx"
    keep = A.row > A.col if symmetry == "symmetric" else np.ones(A.nnz, bool)
    sign = -1 if weights == "moduli" else 1
    entries = zip(*(array[keep].tolist() for array in (A.row, A.col, A.data)), strict=True)
    lines = [f"{i + 1} {j + 1} {sign * x!r}" for i, j, x in entries]
    head = f"%%MatrixMarket matrix coordinate real {symmetry}\n400 400 {len(lines)}\n"
    target.write_text(head + "\n".join(lines) + "\n")
    inside, outside = both(target, weights=weights)
    same(inside, outside)


@pytest.mark.parametrize("has_weights", [False, True])
def test_metis_files_are_read_in_parts(tmp_path, has_weights):
    A = random_graph(3000, 8000, 1, "few")
    target = tmp_path / "g.graph"
    lines = [f"3000 {A.nnz // 2} {int(has_weights)}"]
    for v in range(3000):
        part = slice(A.indptr[v], A.indptr[v + 1])
        pairs = zip(A.indices[part].tolist(), A.data[part].tolist(), strict=True)
        lines.append(" ".join(f"{u + 1} {x:.0f}" if has_weights else f"{u + 1}" for u, x in pairs))
    target.write_text("\n".join(lines) + "\n")
    same(*both(target))


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("general\n3 3 1\n2 1 1", "below and above the diagonal differ"),
        ("general\n3 3 2\n2 1 1\n1 2 2", "below and above the diagonal differ"),
        ("symmetric\n3 3 2\n2 1 1\n1 2 1", "between 1 and 0 .* is given twice"),
        ("symmetric\n3 3 1\n2 1 -1", r"row 1, column 0 \(counted from 0\) is -1"),
        ("symmetric\n3 3 1\n2 1 inf", "must be positive and finite"),
        ("general\n3 2 1\n2 1 1", "a graph has a square matrix, not one of 3 x 2"),
        ("symmetric\n3 3 2\n2 1 1", "line 3: .* truncated"),
        ("symmetric\n3 3 1\n2 x 1", "line 3: a row and a column number"),
    ],
)
def test_files_that_are_no_graphs(tmp_path, body, what):
    target = tmp_path / "g.mtx"
    target.write_text(f"%%MatrixMarket matrix coordinate real {body}\n")
    with pytest.raises(btfperm.UnreadableInputError, match=what):
        btfperm.match(target, algorithm=NAME)


def test_other_formats_and_arguments_are_refused(tmp_path):
    target = tmp_path / "g.npz"
    btfperm.write_matrix(target, path(3, 1.0))
    with pytest.raises(btfperm.UnreadableInputError, match="Matrix Market and METIS"):
        btfperm.match(target, algorithm=NAME)
    for memory in ("1 KB", 10, "much", True):
        with pytest.raises(btfperm.InvalidArgumentError, match="memory must be"):
            btfperm.match(path(3, 1.0), algorithm=NAME, memory=memory)
    with pytest.raises(btfperm.InvalidArgumentError, match="go with local-max-external"):
        btfperm.match(path(3, 1.0), memory="1G")
    with pytest.raises(btfperm.ResourceMissingError, match="cannot hold temporary files"):
        btfperm.match(path(3, 1.0), algorithm=NAME, temporary=tmp_path / "none")
    assert number_of_bytes("64K") == number_of_bytes(1 << 16) == 1 << 16


def test_the_check_finds_wrong_matchings(tmp_path):
    edges = EdgeFile(str(tmp_path), "values", LEAST_MEMORY)
    with edges.file:
        G = path(5, np.array([1.0, 2.0, 3.0, 4.0]))
        edges.add_matrix(btfperm.as_pattern(G), G.data)

        def checked(mate):
            found = np.empty(5)
            graph = edges.file.fileno(), edges.edges, edges.n
            return _core.weighted.check_matching_in_file(*graph, np.array(mate, np.int32), found)

        wrong, size, weight, maximal, dominant, read = checked([-1, 2, 1, 4, 3])
        assert (wrong, size, weight, maximal, dominant, read) == (-1, 2, 6.0, True, True, 128)
        assert checked([1, 0, 3, 2, -1])[3:5] == (True, False)  # the edge with the weight 4 is free
        assert checked([-1, -1, -1, 4, 3])[3:5] == (False, False)
        assert checked([2, -1, 0, -1, -1])[0] in (0, 2)  # no edge
        assert checked([1, 2, 1, -1, -1])[0] == 0  # the mate of 1 is 2
        assert checked([9, -1, -1, -1, -1])[0] == 0


FULL = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)); "
COMMAND = "from btfperm_cli.__main__ import main; main()"


def test_a_full_disk_is_exit_code_4_without_leftovers(tmp_path):
    """A limit on the size of a file simulates a full disk."""
    target, folder = tmp_path / "g.mtx", tmp_path / "temporary"
    folder.mkdir()
    btfperm.write_matrix(target, random_graph(2000, 20000, 0))
    signals = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    arguments = ["match", target, "--algorithm", NAME, "--memory", "64K", "--temporary", folder]
    ended = subprocess.run(
        [sys.executable, "-c", FULL + signals + COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 4, ended.stderr
    assert "is full: name another folder with --temporary" in ended.stderr
    assert "Traceback" not in ended.stderr and not list(folder.iterdir())


def open_files(descriptors):
    """The files that a process has open. It may close some after they were listed."""
    for entry in descriptors.iterdir():
        with contextlib.suppress(FileNotFoundError):
            yield str(entry.readlink())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signals_leave_no_files(tmp_path, number):
    target, folder = tmp_path / "g.mtx", tmp_path / "temporary"
    folder.mkdir()
    A = path(30_000, np.arange(1, 30_000.0))
    btfperm.write_matrix(target, A)
    words = ["match", target, "--algorithm", NAME, "--memory", "64K", "--temporary", folder]
    words += ["--option", "limit=0"]  # thousands of rounds
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *map(str, words)], stderr=subprocess.PIPE, text=True
    )
    descriptors = Path(f"/proc/{process.pid}/fd")
    until = time.monotonic() + 20
    while time.monotonic() < until and process.poll() is None:
        if any(str(folder) in name for name in open_files(descriptors)):
            break
        time.sleep(0.02)
    assert process.poll() is None, process.stderr.read()
    process.send_signal(number)
    process.wait(20)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("limit", [0.1, 8])
def test_a_mate_with_the_number_0_is_a_mate(limit):
    """Vertex 0 is matched to the last vertex in the second round, after a star has left the file.
    The lighter edges of the last vertex must then be left out: in memory (limit 8), or after the
    remaining edges are sorted (limit 0.1)."""
    n, pairs, weight = 1063, [(2, 1), (2, 0), (1062, 0)], [10.0, 9.0, 8.0]
    pairs += [(1062, k) for k in range(3, 53)] + [(1061, k) for k in range(53, 1061)]
    weight += [1.0] * 50 + list(np.linspace(20, 30, 1008))
    inside, outside = both(graph(n, pairs, weight), {"limit": limit})
    same(inside, outside)
    assert outside.mate[0] == n - 1 and outside.counters["external_rounds"] == 1 + (limit > 1)


def test_candidates_find_a_matched_edge_that_is_given_twice(tmp_path):
    lines = [f"{k + 2} {k} {k % 97 + 1}" for k in range(1, 1998)]
    target = tmp_path / "g.mtx"
    how = {"algorithm": NAME, "memory": LEAST_MEMORY, "options": {"model": "candidates"}}
    for more in ([], ["99 97 98"]):
        head = f"%%MatrixMarket matrix coordinate real symmetric\n2000 2000 {1997 + len(more)}\n"
        target.write_text(head + "\n".join(lines + more) + "\n")
        if more:
            with pytest.raises(btfperm.UnreadableInputError, match="is given twice"):
                btfperm.match(target, **how)
        else:
            assert btfperm.match(target, **how).counters["external_rounds"] > 0


def test_an_edge_given_twice_is_found_on_the_disk(tmp_path):
    lines = [f"{k + 1} {k} {k}" for k in range(1, 1500)]
    target = tmp_path / "g.mtx"
    for more in ([], ["900 899 3"]):
        head = f"%%MatrixMarket matrix coordinate real symmetric\n1500 1500 {1499 + len(more)}\n"
        target.write_text(head + "\n".join(lines + more) + "\n")
        if more:
            with pytest.raises(btfperm.UnreadableInputError, match=r"89[89] .* is given twice"):
                btfperm.match(target, algorithm=NAME, memory=LEAST_MEMORY)
        else:
            m = btfperm.match(target, algorithm=NAME, memory=LEAST_MEMORY)
            assert m.counters["external_rounds"] > 0
