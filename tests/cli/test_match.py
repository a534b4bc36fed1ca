# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm match``: the summary, the file, the JSON object, and refused input."""

from __future__ import annotations

import re

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


# -- check -----------------------------------------------------------------------------------------


def test_check_of_a_file_of_match(cli, file, tmp_path):
    target = tmp_path / "mate.npz"
    for name in ("local-max", "gpa", "hem", "local-max-external"):
        cli("match", file, "-o", target, "--algorithm", name)
        m = btfperm.match(file, algorithm=name)
        found = cli("check", file, target, "--json")
        assert found.code == 0 and found.json["ok"] and not found.json["violations"]
        assert found.json["passed"] == ["arrays", "matching", "weight", "bound"]
        assert found.json["weight"] == pytest.approx(m.weight) and found.json["size"] == m.size
        assert found.json["maximal"] == m.maximal
        assert found.json["locally_dominant"] == m.locally_dominant
    np.savez(target, mate=m.mate)  # of another tool
    out = cli("check", file, target).out
    assert "not checked: weight, bound" in out and "arrays, matching checked" in out


PLANTED = [
    ({"mate": [1, 2, 1, -1]}, "the mate of 0 is 1, but the mate of 1 is 2"),
    ({"mate": [2, -1, 0, -1]}, "vertex 0 is matched to vertex 2, but no edge joins them"),
    ({"mate": [4, -1, -1, -1]}, "mate leaves the range -1..3 at place 0"),
    ({"mate": [0, -1, -1, -1]}, "vertex 0 is matched to vertex 0, but no edge"),
    ({"mate": [1.0, 0, 3, 2]}, "mate holds float64, not integers"),
    ({"mate": [1, 0, 3]}, r"mate has the shape \(3,\) instead of \(4,\)"),
    ({"weight": 5.0}, "weight is 5, but the matched edges have 4"),
    ({"weight": np.nan}, "weight is nan"),
    ({"upper_bound": 3.0}, "upper_bound is 3, less than the weight 4"),
    ({"upper_bound": 4.5}, "upper_bound is 4.5, less than the sum of the duals"),
    ({"dual": [2.0, 0.5, 2.0, 0.5]}, "the duals of the vertices 1 and 2 are less than the weight"),
    ({"dual": [2.0, -1.0, 4.0, 0.0]}, "dual is negative or no number at place 1"),
    ({"dual": [2.0, np.nan, 4.0, 0.0]}, "dual is negative or no number at place 1"),
]


@pytest.mark.parametrize(("planted", "text"), PLANTED)
def test_check_finds_wrong_files_of_match(cli, tmp_path, planted, text):
    file, target = tmp_path / "g.mtx", tmp_path / "mate.npz"
    btfperm.write_matrix(file, path(4, [2.0, 3.0, 2.0]))
    right = {"mate": [1, 0, 3, 2], "weight": 4.0, "dual": [1.0, 1.0, 2.0, 1.0], "upper_bound": 5.0}
    np.savez(target, **right)
    assert cli("check", file, target).code == 0
    np.savez(target, **(right | planted))
    ended = cli("check", file, target)
    assert ended.code == 1 and re.search(text, ended.out), ended.out
    assert "is wrong for" in ended.out


def test_check_with_the_options_of_match(cli, tmp_path):
    file, target = tmp_path / "a.mtx", tmp_path / "mate.npz"
    btfperm.write_matrix(file, np.array([[-3.0, 9, 0], [0, 8, 1]]))
    words = ("--bipartite", "--weights", "moduli")
    cli("match", file, "-o", target, *words)
    assert (
        "2 edges of the weight 10; maximal, locally dominant"
        in cli("check", file, target, *words).out
    )
    cli("check", file, target).failed(3, "not one of 2 x 3")
    cli("check", file, target, "--drop-zeros").failed(2, "--drop-zeros does not go with a file of")
    perm = tmp_path / "perm.npz"
    cli(file, "-o", perm)
    cli("check", file, perm, "--weights", "ones").failed(2, "go with a file of btfperm match")
