# SPDX-License-Identifier: BSD-3-Clause
"""The verdicts on the paper's statements are computed from the rows and change with them."""

from __future__ import annotations

import math

import pytest

import btfperm
from benchmarks.papers import counters, entrants, ranking
from benchmarks.papers import grafting_tables as tables
from benchmarks.papers.counters import mean_path, searched
from benchmarks.papers.stand_ins import PAPER

LIMIT = 10.0
NAMES = {row.graph: row.names[2] for row in PAPER}
KIND = {row.names[2]: row.kind for row in PAPER}


def row(matrix, algorithm, seconds, threads=1, edges=1000, options=None, **more):
    """A row as `entrants.rows_of` makes it; `seconds=None` means that the search was stopped."""
    times = [] if seconds is None else [seconds] * 3
    return {
        "matrix": matrix,
        "nnz": 100,
        "class": KIND[matrix],
        "algorithm": algorithm,
        "threads": threads,
        "options": options or {},
        "seconds": times,
        "median": seconds,
        "counters": {"edges": edges, **more} if times else {},
        "overran": seconds is None,
        "reason": None,
    }


def three(graft, push, fan, threads=(1, 2), **more):
    """Rows of the three algorithms on every graph of the paper; push-relabel has one thread."""
    return [
        each
        for name in KIND
        for each in (
            *(row(name, "ms-bfs-graft", graft, t, **more) for t in threads),
            row(name, "push-relabel", push),
            *(row(name, "pothen-fan", fan, t) for t in threads),
        )
    ]


def verdicts(rows):
    return {(v["class"], v["threads"]): v for v in ranking.orders(rows, LIMIT)}


def test_orders_as_in_the_paper_hold():
    found = verdicts(three(graft=1.0, push=3.0, fan=5.0))
    assert len(found) == 6
    assert found["scale-free", 1]["holds"]
    assert found["scale-free", 1]["order"] == ["ms-bfs-graft", "push-relabel", "pothen-fan"]
    assert found["networks", 2]["holds"]
    assert not found["networks", 1]["holds"]  # pothen-fan is second there
    assert not found["scientific", 1]["holds"]  # the paper found no difference there
    ours = found["scale-free", 1]["ours"]
    assert ours["push-relabel"]["matrices"] == ours["pothen-fan"]["matrices"] == 4
    assert math.isclose(ours["push-relabel"]["speed_up"], 3.0)
    assert math.isclose(ours["pothen-fan"]["speed_up"], 5.0)
    assert not found["scale-free", 1]["why"]


def test_the_other_way_round_they_do_not():
    found = verdicts(three(graft=5.0, push=3.0, fan=1.0))
    assert not any(v["holds"] for v in found.values())
    first = "ms-bfs-graft takes 1.67 times as long as push-relabel"
    assert found["networks", 2]["why"][0].startswith(first)
    assert len(found["networks", 2]["why"]) == 3  # all three pairs


def test_about_the_same_is_no_difference():
    assert verdicts(three(graft=1.0, push=1.5, fan=0.7))["scientific", 1]["holds"]


def test_a_time_is_edges_over_rate():
    for v in verdicts(three(graft=1.0, push=3.0, fan=5.0, edges=250)).values():
        for rival in v["ours"].values():
            assert math.isclose(rival["fewer_edges"], 4.0)
            assert math.isclose(rival["fewer_edges"] * rival["higher_rate"], rival["speed_up"])


def test_a_stopped_search_counts_at_the_limit():
    for v in verdicts(three(graft=1.0, push=None, fan=5.0)).values():
        push = v["ours"]["push-relabel"]
        assert push["stopped"] == push["matrices"] == 4
        assert math.isclose(push["speed_up"], LIMIT)
        assert push["fewer_edges"] is None


def test_graphs_without_a_search_are_not_compared():
    assert verdicts(three(graft=1.0, push=3.0, fan=5.0, edges=0)) == {}


def test_one_core_has_no_verdict_on_many():
    assert {t for _, t in verdicts(three(1.0, 3.0, 5.0, threads=(1,)))} == {1}


def statements(**edges):
    rows = [
        row(NAMES["cit-Patents"], name.replace("_", "-"), 1.0, edges=count, phases=7)
        for name, count in edges.items()
    ]
    return {s["words"]: s["holds"] for s in counters.statements(rows)}


def test_statements_follow_the_counters():
    agreeing = statements(ss_dfs=90, ss_bfs=10, pothen_fan=40, ms_bfs=50, hopcroft_karp=60)
    assert agreeing["ss-bfs reads the fewest edges"]
    assert agreeing["pothen-fan and ms-bfs read fewer edges than hopcroft-karp"]
    assert not agreeing["multi-source needs fewer phases than single-source"]  # all need 7
    assert agreeing["ms-bfs needs no more phases than pothen-fan"]
    assert agreeing["pothen-fan, ss-bfs and ms-bfs read fewer edges than ss-dfs and hopcroft-karp"]
    contrary = statements(ss_dfs=90, ss_bfs=61, pothen_fan=40, ms_bfs=70, hopcroft_karp=60)
    assert not contrary["ss-bfs reads the fewest edges"]
    assert not contrary["pothen-fan and ms-bfs read fewer edges than hopcroft-karp"]


def test_statements_on_stopped_searches_are_left_out():
    assert "ss-bfs reads the fewest edges" not in statements(ss_bfs=1, pothen_fan=2)


def test_mean_path_and_shares():
    one = row(NAMES["RMAT"], "ms-bfs-graft", 1.0, augmentations=4, path_edges=20, graft_us=30)
    assert mean_path(one) == 5.0
    assert mean_path(row(NAMES["RMAT"], "push-relabel", 1.0)) is None
    assert tables.step_shares(one)["graft"] == 1.0
    one["counters"]["augment_us"] = 10
    assert tables.step_shares(one)["augment"] == 0.25
    assert tables.step_shares(row(NAMES["RMAT"], "ms-bfs-graft", 1.0)) is None
    assert not searched(row(NAMES["RMAT"], "ms-bfs-graft", None))


def test_worth_is_the_speed_up_over_both_switched_off():
    name = NAMES["RMAT"]
    times = dict(
        zip([*map(tuple, map(dict.items, entrants.SWITCHES)), ()], (8, 4, 2, 1), strict=True)
    )
    rows = [
        row(name, "ms-bfs-graft", float(t), threads=2, options=dict(switch))
        for switch, t in times.items()
    ]
    data = {"threads": [1, 2], "rows": rows, "matrices": [{"matrix": name, "class": "scale-free"}]}
    assert tables.worth(data, "scale-free") == pytest.approx([1.0, 2.0, 4.0, 8.0])


@pytest.mark.parametrize("threads", [1, 3])
def test_every_search_of_the_registry_runs(threads):
    field = entrants.entrants(threads)
    names = [entrant.name for entrant in field]
    assert len(names) == len(set(names))
    on_cpu = {row.name for row in btfperm.algorithms(package="transversal") if row.backend == "cpu"}
    for algorithm in btfperm.algorithms(package="transversal"):
        if algorithm.backend != "cpu" and algorithm.name in on_cpu:
            continue  # an algorithm with several rows
        counts = {e.threads for e in field if e.algorithm == algorithm.name}
        if algorithm.backend != "cpu" or (
            algorithm.is_initializer and algorithm.name != entrants.START
        ):
            assert not counts
        else:
            assert counts == ({1, threads} if algorithm.parallel else {1})


def test_the_switches_are_options_of_the_algorithm():
    graft = next(a for a in btfperm.algorithms(package="transversal") if a.name == entrants.GRAFT)
    for switch in entrants.SWITCHES:
        assert graft.checked(switch) == graft.defaults | switch


def test_only_the_algorithms_asked_for():
    field = entrants.entrants(2, ["pothen-fan", "ms-bfs-graft"])
    assert {e.algorithm for e in field} == {entrants.START, "pothen-fan", "ms-bfs-graft"}
    assert not any(e.options for e in field)
    assert {e.algorithm for e in entrants.entrants(1, ["auto", "ss-bfs"])} == {
        *(entrants.START, entrants.AUTO, "ss-bfs")
    }
    with pytest.raises(ValueError, match="similar: pothen-fan; "):
        entrants.entrants(2, ["pothen-fun"])


def test_the_time_of_the_steps_excludes_the_start():
    """The call takes 1 s, and 0.25 s of it in the steps. A rival takes 3 s: the speed-up is 3 for
    the call and 12 for the steps."""
    rows = three(graft=1.0, push=3.0, fan=5.0, top_down_us=200_000, graft_us=50_000)
    for v in verdicts(rows).values():
        assert math.isclose(v["ours"]["push-relabel"]["speed_up"], 3.0)
        assert math.isclose(v["ours"]["push-relabel"]["of_steps"], 12.0)


def test_a_stopped_ms_bfs_graft_is_not_left_out():
    for v in verdicts(three(graft=None, push=2.0, fan=5.0)).values():
        assert math.isclose(v["ours"]["push-relabel"]["speed_up"], 2.0 / LIMIT)


def test_the_reason_counts_edges_rates_and_graphs():
    """pothen-fan reads half the edges at half the rate; on one graph of four it is slower."""
    kinds = [name for name, kind in KIND.items() if kind == "networks"]
    rows = [
        each
        for k, name in enumerate(kinds)
        for each in (
            row(name, "ms-bfs-graft", 8.0 if k else 2.0),
            row(name, "push-relabel", 99.0),
            row(name, "pothen-fan", 4.0, edges=250),
        )
    ]
    (why,) = verdicts(rows)["networks", 1]["why"]
    # (0.5 * 2^3)^(1/4) = 1.41
    assert why.startswith("ms-bfs-graft takes 1.41 times as long as pothen-fan")
    assert "it visits 4.00 times the edges at 2.83 times the rate" in why
    assert f"the largest ratio is 2.00, on `{kinds[1]}`" in why
    assert why.endswith("on 1 of 4 graphs the order is the paper's")
