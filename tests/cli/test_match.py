# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm match``: the summary, the file, the JSON object, and refused input."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from tests.weighted.graph.graphs import NAMES, path, random_graph


@pytest.fixture
def file(tmp_path):
    target = tmp_path / "g.mtx"
    btfperm.write_matrix(target, random_graph(60, 200, 0))
    return target


@pytest.mark.parametrize("name", ["auto", *NAMES])
def test_every_algorithm(cli, file, name):
    ended = cli("match", file, "--algorithm", name, "--seed", "3")
    m = btfperm.match(file, algorithm=name, seed=3)
    assert ended.code == 0
    covered = f"{np.count_nonzero(m.mate >= 0) / 60:.1%} of the vertices"
    for text in (m.algorithm, f"{m.weight:.6g}", f"{m.upper_bound:.6g}", "60 vertices", covered):
        assert text in ended.out
    found = cli("match", file, "--algorithm", name, "--seed", "3", "--json").json
    assert found["weight"] == m.weight and found["upper_bound"] == m.upper_bound
    assert found["edges_left"] == m.edges_left.tolist() and found["rounds"] == m.rounds
    assert found["size"] == m.size and found["maximal"] == m.maximal


@pytest.mark.parametrize("name", ["auto", "gpa", "local-max-external"])
def test_explain(cli, file, name):
    """The plan and the decisions are those of `GraphMatching.explain`."""
    words = ("match", file, "--algorithm", name, "--time-limit", 9)
    explained = btfperm.match(file, algorithm=name, time_limit=9).explain()
    assert cli(*words, "--json").json["explain"] == explained
    assert explained["plan"]["time_limit"] == 9 and explained["plan"]["threads"] == 1
    assert ("algorithm" in explained["decisions"]) == (name == "auto")
    out = cli(*words, "--explain").out
    algorithm = "local-max" if name == "auto" else name
    assert f"plan: {algorithm}, on cpu, 1 thread; limits: 9 s\n" in out
    for what, decision in explained["decisions"].items():
        assert f"{what}: {decision['choice']} ({decision['rule']}: " in out
    assert ("asked for by name" in out) == (name != "auto")
    assert "plan: " not in cli(*words).out


def test_the_file(cli, file, tmp_path):
    target = tmp_path / "mate.npz"
    assert cli("match", file, "-o", target, "-q") == (0, "", "")
    m = btfperm.match(file)
    with np.load(target) as held:
        assert (held["mate"] == m.mate).all() and held["weight"] == m.weight
        assert held["upper_bound"] == m.upper_bound and (held["dual"] == m.dual).all()
    assert "(replaced)" in cli("match", file, "-o", target).out
    cli("match", file, "-o", target, "--no-clobber").failed(4, "exists already")
    cli("match", file, "--no-clobber").failed(2, "--no-clobber goes with -o")
    cli("match", file, "-o", file).failed(2, "is an input")
    other = tmp_path / "mate.json"
    cli("match", file, "-o", other).failed(2, "mate.json: a matching of a graph is written as .npz")
    with pytest.raises(btfperm.InvalidArgumentError, match=r"not as \.json"):
        m.save(other)
    assert not other.exists()
    m.save(tmp_path / "mate")  # a name without a suffix
    cli("check", file, target).failed(3, "it is a matching of a graph, which btfperm match has")
    with pytest.raises(btfperm.UnreadableInputError, match=r"open it with numpy\.load"):
        btfperm.load(target)


def test_options_limits_and_weights(cli, file, tmp_path):
    words = ("match", file, "--algorithm", "red-blue", "--option", "select=random")
    assert cli(*words, "--option", "p=0.4", "--json").json["options"] == {
        "select": "random",
        "p": 0.4,
    }
    cli(*words, "--option", "p=2").failed(2, "p of red-blue must be between 2")
    cli("match", file, "--option", "q=2").failed(2, "no algorithm of this run has an option 'q'")
    cli("match", file, "--algorithm", "mc64").failed(2, "there is no 'mc64'")
    negative = tmp_path / "n.mtx"
    btfperm.write_matrix(negative, -path(3, 2.0))
    cli("match", negative).failed(3, "use --weights moduli or --weights ones")
    assert cli("match", negative, "--weights", "moduli", "--json").json["weight"] == 2
    assert cli("match", negative, "--weights", "ones", "--json").json["weight"] == 1
    btfperm.write_matrix(negative, np.array([[0.0, 1.0], [0.0, 0.0]]))
    cli("match", negative).failed(3, "no counterpart")


def test_rows_matched_to_columns(cli, tmp_path):
    file, target = tmp_path / "a.mtx", tmp_path / "mate.npz"
    btfperm.write_matrix(file, np.array([[3.0, 9, 0], [0, 8, 1]]))
    cli("match", file).failed(3, "not one of 2 x 3; --bipartite matches its")
    assert "5 vertices, 4 edges" in cli("match", file, "--bipartite", "-o", target).out
    with np.load(target) as held:
        assert held["mate"].tolist() == [3, 4, -1, 0, 1]
    words = ("match", file, "--bipartite", "--algorithm", "local-max-external")
    cli(*words).failed(2, "--bipartite does not go with local-max-external")


def test_a_limit_is_exit_code_1(cli, file, tmp_path):
    """The matching that was found before the limit is written."""
    target = tmp_path / "mate.npz"
    words = ("match", file, "--max-work", "1", "-o", target)
    reason = f"{file}: --max-work stopped local-max; its matching is legal, and not maximal"
    ended = cli(*words)
    assert ended.code == 1 and reason in ended.err and "stopped by max_work" in ended.out
    with np.load(target) as held:
        assert 0 < np.count_nonzero(held["mate"] >= 0) < 60
    found = cli(*words, "--json")
    assert (found.code, found.json["exit_code"], found.json["error"]) == (1, 1, reason)
    assert found.json["stopped_by"] == "max_work" and found.json["written"] == str(target)
    assert cli("match", file, "--max-work", "1000000", "--json").json["error"] is None
