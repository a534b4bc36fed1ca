# SPDX-License-Identifier: BSD-3-Clause
"""The rule table of `auto`. Every rule names existing choices and holds where it should; no choice
gives a wrong result; `explain` reports the decisions that were made."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm import registry
from btfperm.backends.gpu.backend import GPU
from btfperm.path import failure, run
from btfperm.path.rules import Condition, Rule, first_rule, place_over_ranks
from btfperm.pattern import as_pattern
from btfperm.pattern.features import Features
from btfperm.transversal.auto import measured
from btfperm.transversal.auto_table import DEFAULT, TABLE
from tests import families, strategies
from tests.checks.check_transversal import check_transversal
from tests.loops import looped
from tests.oracles.plain_matching import structural_rank
from tests.transversal.methods import ALGORITHMS, INITIALIZERS, ROWS

RULES = [(what, rule) for what, rules in TABLE.items() for rule in rules]
ON_GPU = [row.name for row in btfperm.algorithms(package="transversal") if row.backend == "gpu"]
CHOICES = {
    "place": ["cpu", "gpu"],
    "start on gpu": ["none", *ON_GPU],
    "algorithm on gpu": ON_GPU,
    "start": INITIALIZERS,
    "algorithm": ALGORITHMS,
    "side": ["rows", "columns"],
    "threads": ["one", "all"],
    "place over ranks": ["cpu", "mpi"],
    "start on mpi": ["greedy", "karp-sipser", "none", "own-blocks"],
    "algorithm on mpi": ["first-rank", "ms-bfs"],
    "published": [row.name for row in ROWS if row.reference != "btfperm"],
    "published on gpu": ["apfb-wr", "g-pr-shr"],
}


def random(m, n, per_col, seed=1):
    rng = np.random.default_rng(seed)
    size = int(per_col * n)
    return sp.csc_array((np.ones(size), (rng.integers(m, size=size), rng.integers(n, size=size))))


# A matrix for each rule that a test can reach on a CPU (see test_every_rule_has_an_example).
EXAMPLES = {
    ("place", "small"): random(50, 50, 3),
    ("start", "tiny"): random(50, 50, 3),
    ("start", "chains"): sp.diags_array([1.0, 1.0], offsets=[0, 1], shape=(3_000, 3_000)),
    ("start", "the rest"): random(3_000, 3_000, 5),
    ("published", "small"): random(300, 300, 3),
    ("published", "dense"): random(300, 300, 60),
    ("published", "the rest"): random(8_000, 8_000, 3),
    ("side", "wide"): random(2_000, 3_000, 1.5),
    ("side", "as stored"): random(3_000, 2_900, 3),
    ("algorithm", "dense"): random(300, 300, 90),
    ("algorithm", "small"): random(50, 50, 3),
    ("algorithm", "the rest"): random(6_000, 6_000, 3),
    ("threads", "one thread"): random(50, 50, 3),
}


@looped(("what", "rule"), RULES, ids=lambda x: getattr(x, "name", x))
def test_each_rule_is_sound(what, rule):
    assert rule.choice in CHOICES[what]
    assert {condition.feature for condition in rule.when} <= set(Features._fields)
    assert rule.because and rule.name
    assert sum(other.name == rule.name for other in TABLE[what]) == 1
    assert (rule is TABLE[what][-1]) == (not rule.when), (
        "the last rule, and only that, always holds"
    )
    unbounded = what.endswith("on gpu") or (what == "algorithm" and rule.choice != DEFAULT)
    unbounded &= rule.choice != "none" and what != "published on gpu"
    assert (rule.within is not None) == unbounded, "only these rules have a bound on their time"


def test_the_figures_belong_to_the_rules():
    for what, found in measured()["rules"].items():
        rules = {rule.name: rule.choice for rule in TABLE[what]}
        for name, figures in found.items():
            assert figures["choice"] == rules[name], "measure again: benchmarks, section regret"
            assert figures["behind"] >= 1 and figures["matrices"] >= 1


@pytest.mark.parametrize(("what", "rule"), EXAMPLES, ids=str)
def test_each_rule_holds_somewhere(what, rule):
    A = EXAMPLES[what, rule]
    t = btfperm.maximum_transversal(A, algorithm="published" if what == "published" else "auto")
    decision = t.explain()["decisions"][what]
    assert decision["rule"] == rule
    check_transversal(A, t, rank=sp.csgraph.structural_rank(A))
    if what == "place":
        assert t.backend == decision["choice"]
    if what == "published":
        assert t.algorithm == decision["choice"] and rule in t.choice
    if what == "algorithm":
        assert t.algorithm in (decision["choice"], DEFAULT) and rule in t.choice
    if what == "start":
        assert t.initializer == decision["choice"]
    if what == "side":
        assert ("searched from the rows" in t.choice) == (decision["choice"] == "rows")


def test_every_rule_has_an_example():
    missing = {(what, rule.name) for what, rule in RULES} - set(EXAMPLES)
    pretended = {  # tested below with invented features
        ("threads", "large, many cores"),
        ("threads", "very large, two cores"),
    }
    pretended |= {("place", rule.name) for rule in TABLE["place"][1:]}
    pretended |= {item for item in missing if "threads" in item[1]}  # in test_published.py
    gpu = {(what, rule) for what, rule in missing if what.endswith("on gpu")}  # in test_gpu_auto.py
    ranks = {(what, rule) for what, rule in missing if what.endswith((" mpi", " ranks"))}
    assert missing == pretended | gpu | ranks  # the last are in tests/mpi/cases.py


def first(what, known):
    """The first rule that holds, given the features `known`. Fails if a rule needs another
    feature."""
    rules = TABLE.ruled(known["entries"]).left_open[what]
    return first_rule(rules, known, lambda feature: pytest.fail(feature))


def test_matrices_over_ranks():
    """A matrix stays distributed only if it is large and there are several ranks; otherwise each
    rank analyses the whole matrix."""
    for entries, rows, cols, ranks, choice in (
        (10**8, 10**7, 10**7, 1, "cpu"),
        (10**5, 10**5, 10**5, 8, "cpu"),
        (10**7, 10**5, 10**5, 2, "mpi"),
        (10**5, 10**7, 10**5, 2, "mpi"),
        (10**5, 10**5, 10**7, 2, "mpi"),
    ):
        known = {"entries": entries, "rows": rows, "cols": cols, "ranks": ranks}
        assert first("place over ranks", known).choice == choice
        assert place_over_ranks((rows, cols), entries, ranks) == choice


@pytest.mark.parametrize(
    ("cores", "memory", "choice"),
    [(16, 1.0, "first-rank"), (16, 0.99, "ms-bfs"), (1, 2.0, "ms-bfs"), (0, 2.0, "ms-bfs")],
)
def test_the_first_rank_needs_several_cores_and_memory(cores, memory, choice):
    known = {"entries": 10**8, "first_cores": cores, "first_memory": memory}
    known |= {"first_gpu": 0.0, "diagonal": 0.0, "alone": 0.0}
    assert first("algorithm on mpi", known).choice == choice
    assert (first("start on mpi", known).choice == "none") == (choice == "first-rank")
    known |= {"first_cores": 0, "first_gpu": 1.0}
    assert (first("algorithm on mpi", known).choice == "first-rank") == (memory >= 1)


def test_ranks_with_gpus_start_on_them():
    """No rule chooses their initializer: one of those over ranks does all of its search there."""
    found = registry.find_on_devices("mpi", "transversal")
    assert found is not None and found.name == "own-blocks" and found.is_initializer
    assert registry.find_on_devices("gpu", "transversal") is None, "its own rules choose"


LARGE = {
    "entries": 20_000_000,
    "density": 1e-6,
    "skew": 0.4,
    "wide": 1.0,
    "diagonal": 0.0,
    "near": 0.1,
    "degree": 5.0,
    "single": 0.1,
    "hidden": 0.05,
    "threads": 16,
    "warm": 1,
    "gpus": 1,
}


BOUNDS = {c.bound for _, rule in RULES for c in rule.when if c.feature == "entries"}


def conditions(rule, of_entries):
    return [c for c in rule.when if (c.feature == "entries") == of_entries]


@pytest.mark.parametrize("what", TABLE)
def test_the_number_of_entries_settles_what_the_rules_state(what):
    """`left_open` has the rules that may hold for a number of entries, up to the first that
    certainly holds. This is the `settled` rule if no rule before it may hold."""
    for entries in sorted({0, 10**12} | {b + off for b in BOUNDS for off in (-1, 0, 1)}):
        ruled, rules = TABLE.ruled(entries), TABLE[what]
        may = [rule for rule in rules if all(c.holds(entries) for c in conditions(rule, True))]
        certain = [not conditions(rule, False) for rule in may]
        left_open = [rule for rule, _ in ruled.left_open[what]]
        assert left_open == may[: certain.index(True) + 1], entries
        assert ruled.settled.get(what) == (may[0] if certain[0] else None), entries
        for rule, asks in ruled.left_open[what]:
            asked = [(c.feature, c.bound) for c in conditions(rule, False)]
            assert [(feature, bound) for feature, _, bound in asks] == asked, entries


def test_a_changed_rule_counts_at_once(monkeypatch):
    assert TABLE.ruled(100).settled["start"] in TABLE["start"]
    monkeypatch.setitem(TABLE, "start", (Rule("other", (), "greedy", "so"),))
    assert TABLE.ruled(100).settled["start"].name == "other"


@pytest.mark.parametrize(
    ("rule", "choice", "other"),
    [
        ("the rest", "gpu", {}),
        ("small", "cpu", {"entries": 199_999, "warm": 0}),
        ("cold", "cpu", {"warm": 0}),
        ("cold", "cpu", {"warm": 0, "threads": 2, "gpus": 0}),
        ("the rest", "gpu", {"warm": 0, "entries": 65_000_000}),
        ("no gpu", "cpu", {"gpus": 0}),
        ("dense", "cpu", {"density": 0.3, "diagonal": 1.0}),
        ("diagonal", "cpu", {"diagonal": 1.0, "threads": 1}),
        ("the rest", "gpu", {"diagonal": 0.9}),
        ("even strip", "cpu", {"near": 1.0, "skew": 0.3}),
        ("the rest", "gpu", {"near": 1.0, "skew": 0.5}),
        ("the rest", "gpu", {"near": 0.0, "skew": 0.0, "degree": 2.0}),
    ],
)
def test_where_to_search(rule, choice, other):
    taken = first("place", LARGE | other)
    assert (taken.name, taken.choice) == (rule, choice)


def test_which_start_on_a_gpu():
    def rule(**known):
        taken = first("start on gpu", known)
        return taken.name, taken.choice

    assert rule(itself=0, entries=20_000_000) == ("for another search", "greedy")
    assert rule(itself=1, entries=20_000) == ("small", "greedy")
    assert rule(itself=1, entries=20_000_000) == ("the rest", "none")
    for on_gpu in TABLE["algorithm on gpu"]:
        assert btfperm.registry.find(on_gpu.choice, initializer=False).starts_itself


def test_the_driver_is_called_only_for_large_matrices(monkeypatch):
    monkeypatch.setattr(GPU, "measure", lambda feature, pattern: pytest.fail(feature))
    assert btfperm.maximum_transversal(random(300, 300, 3)).backend == "cpu"


def test_gpus_are_not_counted_if_the_rule_cold_holds(monkeypatch):
    asked = []

    def of_gpus(feature, pattern):
        asked.append(feature)
        return 0

    monkeypatch.setattr(GPU, "measure", of_gpus)
    monkeypatch.setitem(TABLE, "place", TABLE["place"][1:])
    t = btfperm.maximum_transversal(random(300, 300, 3), threads=1)
    place = t.explain()["decisions"]["place"]
    assert (t.backend, place["rule"], asked) == ("cpu", "cold", ["warm"])


def test_named_options_leave_no_choice_of_the_place(monkeypatch):
    monkeypatch.setitem(TABLE, "place", (Rule("never", (), "no such place", "so"),))
    A = random(300, 300, 3)
    some = btfperm.maximum_transversal(A, backend="cpu")
    for more in (
        {"backend": "cpu"},
        {"algorithm": "pothen-fan"},
        {"initializer": "karp-sipser"},
        {"options": {"alpha": 5}, "algorithm": "ms-bfs-graft"},
        {"initial": some},
    ):
        t = btfperm.maximum_transversal(A, **more)
        assert t.backend == "cpu" and "place" not in t.explain()["decisions"]


def test_a_failing_gpu_is_reported_once_and_the_cpu_continues(monkeypatch):
    monkeypatch.setitem(TABLE, "place", (Rule("always", (), "gpu", "so"),))
    monkeypatch.setattr(failure, "_reported", set())

    def fails(*_):
        raise btfperm.BackendUnavailableError("device 0 failed (so it was planned)")

    monkeypatch.setattr(GPU, "adopt", fails)
    A = random(300, 300, 3)
    with pytest.warns(btfperm.BackendWarning, match="so it was planned"):
        t = btfperm.maximum_transversal(A)
    assert t.backend == "cpu"
    check_transversal(A, t, rank=sp.csgraph.structural_rank(A))


@given(strategies.any_matrix())
def test_explain_reports_the_choices_that_were_made(A):
    t = btfperm.maximum_transversal(A)
    explained = json.loads(json.dumps(t.explain()))
    decisions, features = explained["decisions"], explained["features"]
    assert decisions["start"]["choice"] == t.initializer
    assert decisions.get("algorithm", {"choice": "none"})["choice"] == t.algorithm
    P = as_pattern(A)
    assert (features["rows"], features["cols"], features["entries"]) == (*P.shape, P.nnz)
    for what, decision in decisions.items():
        names = [rule.name for rule in TABLE[what]]
        passed = [rule["rule"] for rule in decision["passed_over"]]
        assert passed == names[: names.index(decision["rule"])]
    meta = btfperm.dulmage_mendelsohn(A).meta
    assert meta["explain"]["decisions"].keys() == {*decisions, "decomposition"}


def test_rules_that_were_passed_over_do_not_hold():
    t = btfperm.maximum_transversal(EXAMPLES["algorithm", "the rest"])
    explained = t.explain()
    passed = {
        rule["rule"]: rule["fails"] for rule in explained["decisions"]["algorithm"]["passed_over"]
    }
    assert passed["small"].startswith("entries < 16,000, it is 17,9")
    assert passed["dense"].startswith("density >= 0.1, it is 0.000")


@pytest.mark.parametrize("transposed", [False, True])
def test_the_deficiency_of_the_start_is_a_share_of_full_rank(transposed):
    A = random(40_000, 20_000, 2.5)
    features = btfperm.maximum_transversal(A.T if transposed else A).explain()["features"]
    assert features["missing"] > 0
    assert features["free"] == features["missing"] / min(A.shape)


def test_named_choices_are_not_explained():
    A = EXAMPLES["algorithm", "the rest"]
    t = btfperm.maximum_transversal(A, algorithm="hkdw", initializer="none", threads=1)
    assert t.explain()["decisions"] == {} and t.choice == ""


# -- any rule table gives a right result -----------------------------------------------------------


@given(
    A=strategies.any_matrix(),
    start=st.sampled_from(INITIALIZERS),
    algorithm=st.sampled_from(ALGORITHMS),
    side=st.sampled_from(["rows", "columns"]),
    within=st.sampled_from([None, 0.01, 1.0]),
)
def test_no_choice_is_wrong(A, start, algorithm, side, within):
    rules = {
        "start": Rule("s", (), start, "so"),
        "algorithm": Rule("a", (), algorithm, "so", within),
        "side": Rule("r", (), side, "so"),
    }
    with pytest.MonkeyPatch.context() as patch:
        for what, rule in rules.items():
            patch.setitem(TABLE, what, (rule,))
        t = btfperm.maximum_transversal(A)
    assert t.maximum
    check_transversal(A, t, rank=structural_rank(A))


@pytest.fixture
def rash(monkeypatch):
    """A rule that abandons a search too early."""
    rule = Rule("rash", (Condition("rows", ">", 0),), "ss-dfs", "to be abandoned", within=0.1)
    monkeypatch.setitem(TABLE, "algorithm", (rule, TABLE["algorithm"][-1]))


def test_a_search_that_takes_too_long_is_abandoned(rash):
    hard = families.renumbered(families.chain(20_000), "mixed", seed=3)
    t = btfperm.maximum_transversal(hard.A)
    check_transversal(hard.A, t, rank=hard.rank)
    assert t.algorithm == DEFAULT and "abandoned after 0.1 passes" in t.choice
    assert 0 < t.counters["given_up_edges"] <= 0.2 * hard.A.nnz
    assert t.counters["edges"] > 0


def test_the_default_algorithm_continues_from_the_matching_of_the_abandoned_one(rash, monkeypatch):
    sizes = {}  # for each algorithm, the size of the matching from which it starts

    def recorded(row, problem, *rest, **more):
        sizes[row.name] = problem.size
        return run_algorithm(row, problem, *rest, **more)

    run_algorithm = run.run_algorithm
    monkeypatch.setattr(run, "run_algorithm", recorded)
    hard = families.renumbered(families.chain(20_000), "mixed", seed=3)
    t = btfperm.maximum_transversal(hard.A)
    assert t.algorithm == DEFAULT and t.counters["given_up_edges"] > 0
    assert 0 < sizes["ss-dfs"] <= sizes[DEFAULT] < hard.rank


def test_the_callers_limit_is_not_taken_for_the_rules(rash):
    hard = families.renumbered(families.chain(20_000), "mixed", seed=3)
    t = btfperm.maximum_transversal(hard.A, initializer="none", max_work=500)
    assert not t.maximum and t.stopped_by == "max_work" and t.algorithm == "ss-dfs"
    check_transversal(hard.A, t, rank=hard.rank)
    more = btfperm.maximum_transversal(hard.A, initializer="none", max_work=30_000)
    assert not more.maximum and more.stopped_by == "max_work" and more.algorithm == DEFAULT
    check_transversal(hard.A, more, rank=hard.rank)
