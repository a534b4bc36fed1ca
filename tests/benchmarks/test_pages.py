# SPDX-License-Identifier: BSD-3-Clause
"""The pages about the papers: generated from results, with verdicts that follow from the rows."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
from pathlib import Path

import pytest

from benchmarks import report
from benchmarks.papers import (
    claims,
    claims_grafting,
    claims_grafting_parts,
    claims_graphs_aims,
    claims_graphs_gpu,
    claims_ranks,
    claims_red_blue,
    counters,
    figures,
    pages,
    paper_001,
    paper_002,
    paper_004,
    serial_codes,
)
from benchmarks.papers.claims import Claim, Item, counted
from benchmarks.papers.figures import phases_of
from benchmarks.papers.grafting_parts import groups
from benchmarks.papers.graph_codes import Code, run, usable
from benchmarks.papers.weighted_graphs import make, matrix_of
from benchmarks.report import Options
from tests.weighted.graph.graphs import path

OPTIONS = Options("tiny", Path(), 1, 5.0, ["auto"], None, lambda _: None)


def test_the_pages_are_those_of_the_results(capsys):
    assert pages.main(["--check"]) == 0, capsys.readouterr().out


def test_every_link_of_the_pages_leads_to_a_file():
    for page in pages.PAGES.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"


@pytest.mark.parametrize(
    ("held", "verdict", "sentence"),
    [
        ((), claims.NOT_MEASURED, "Not measured"),
        ((None,), claims.NOT_MEASURED, "Not measured"),
        ((1.0, 1.0), claims.AGREES, "Agrees with the paper"),
        ((1.0, None, 1.0), claims.IN_PART, "Agrees with the paper in part"),
        ((0.0, None), claims.DISAGREES, "Disagrees with the paper"),
        ((0.0, 0.0), claims.DISAGREES, "Disagrees with the paper"),
        ((1.0, 0.0), claims.IN_PART, "Agrees with the paper in part"),
        ((0.9,), claims.IN_PART, "Agrees with the paper in part"),
    ],
)
def test_a_verdict_follows_from_the_statements(held, verdict, sentence):
    item = Item("Figure 1", "x, y", [Claim("a", share, "b") for share in held])
    assert item.verdict == verdict
    assert f"**{sentence}.**" in item.markdown("x")


def test_cases_are_counted():
    assert counted("a", [True, False, True], "graphs").ours == "2 of 3 graphs"
    assert counted("a", []).held is None


@pytest.mark.parametrize("section", [paper_001, paper_002, paper_004])
def test_a_result_makes_its_page(section, tmp_path, monkeypatch):
    """From a run on tiny graphs to the page and its figures; without a result, the page names what
    is missing. paper_002 draws orders of a graph until its limit, so the limit is short."""
    number = section.__name__[-3:]
    (paper,) = (paper for paper in pages.PAPERS if paper.number == number)
    assert "There is no result" in pages.page(paper, tmp_path)[0]
    cases = section.cases("tiny", Path())
    if section is paper_001:
        cases = cases[1:2]
    limit = 0.3 if section is paper_002 else OPTIONS.limit
    options = dataclasses.replace(OPTIONS, threads=2, limit=limit, store=tmp_path / "s")
    found = section.run(cases, options)
    assert not found.complaints and "|" in found.markdown
    again = section.run(cases, options)
    assert again.data == found.data, "stored rows are not measured again"
    head = {"machine": {"cpu": "", "cores": 2, "memory_gib": 1, "system": "", "quiet": True}}
    head["machine"]["load_at_start"] = 0
    head |= {"date": "2026-01-01", "versions": {"btfperm": "1"}, "command": "c"}
    head |= {"sections": {f"paper-{number}": found.data}}
    (tmp_path / f"2026-01-01-paper-{number}-tiny.json").write_text(json.dumps(head))
    text, items = pages.page(paper, tmp_path)
    assert all(f"## {item.title}" in text for item in items) and len(items) > 3
    assert any(item.verdict != claims.NOT_MEASURED for item in items)
    if section is paper_002 and importlib.util.find_spec("matplotlib"):
        from benchmarks.figures import KINDS, draw

        names = [kind.name for kind in KINDS if kind.section == "paper-002"]
        drawn = [path for _, path in draw(head, tmp_path / "a")]
        assert [path.name for path in drawn] == [f"a-{name}.svg" for name in names]
        assert all(3_000 < path.stat().st_size < 150_000 for path in drawn)


def test_statements_that_were_not_judged_are_named():
    judged = counters.statements([])
    assert judged == []
    every = counters.not_judged(judged)
    assert len(every) == 30 and ("pothen-fan reads the fewest edges", "kkt_power") in every
    one = {"words": every[0][0], "graph": every[0][1], "figures": {}, "holds": True}
    assert counters.not_judged([one]) == every[1:]


def test_graphs_of_the_set_that_were_not_measured_are_named():
    rows = [{"matrix": "grid:12"}]
    result = pages.Result("r", {}, {"rows": rows}, "paper-002", "tiny")
    assert result.left_out == ["random:7:4"]
    assert dataclasses.replace(result, which="real").left_out == []
    named = dataclasses.replace(result, section="paper-000", data={"left_out": ["a"], "rows": []})
    assert named.left_out == ["a"]


@pytest.mark.parametrize(("gpu", "hem", "held"), [(0.005, 0.05, [1, 1]), (0.05, 0.005, [0, 0])])
def test_the_path_has_the_aims_of_the_other_graphs(gpu, hem, held):
    path = {
        "local-max, GPU": {"seconds": gpu},
        "local-max": {"seconds": 0.1},
        "hem": {"seconds": hem},
    }
    found = claims_graphs_aims._path_claims(path)
    assert [claim.held for claim in found] == held
    assert found[0].ours == f"{report.digits(0.1 / gpu)} times"
    assert claims_graphs_aims._path_claims({}) == []


def test_the_variation_is_compared_on_common_graphs():
    """push-relabel has too few runs on one graph, so the comparison with push-relabel leaves out
    this graph."""

    def row(name, matrix, spread, runs=3):
        seconds = [1.0, 1.0 + spread, 1.0][:runs]
        return {"algorithm": name, "matrix": matrix, "threads": 2, "options": {}} | {
            "seconds": seconds
        }

    rows = [
        row(name, "a", spread)
        for name, spread in zip(claims_grafting.PSI, (0.3, 0.2, 0.1), strict=True)
    ]
    rows += [
        row(name, "b", 9.0, 3 if name != "push-relabel" else 1) for name in claims_grafting.PSI
    ]
    item = claims_grafting._variation({"threads": [1, 2], "rows": rows})
    graft, _, pushes, *others = map(paper_001.variation, rows[:5])
    assert [claim.held for claim in item.claims] == [0.0, 0.0, 0.0]
    fan, push, _ = (claim.ours for claim in item.claims)
    assert fan.endswith("on 2 graphs") and push.endswith("on 1 graphs")
    assert fan.startswith(report.digits((graft + others[0]) / 2))
    assert push.startswith(f"{report.digits(graft)} % and {report.digits(pushes)} %")


def of_orders(matrix, orders, over_first, over_second):
    """A row of the section paper-002 with the ratios of weights on the CPU."""
    weights = {
        f"weight: alg. 3, weighted, all cores / alg. {k}, weighted": [ratio, 0.0]
        for k, ratio in ((1, over_first), (2, over_second))
    }
    share = {"alg. 3, random, all cores": [0.6, 0.9, 0.95, 0.96, 0.97, 0.98]}
    row = {"matrix": matrix, "edges": 9, "orders": orders, "ratios": weights, "share": share}
    return row | {"scaling": {"1": 1.0}}


def test_red_blue_on_real_matrices_is_judged_beside_generated_graphs():
    generated = {"rows": [of_orders("grid:12", 32, 0.98, 0.92)]}
    real = {"rows": [of_orders("a", 32, 1.1, 0.8), of_orders("b", 1, 1.2, 0.9)]}
    assert not any(item.of_real for item in claims_red_blue.items_002(generated))
    *_, rounds, ratios = claims_red_blue.items_002(generated, real)
    assert rounds.of_real and rounds.claims[0].ours == "2 of 2 matrices"
    assert ratios.of_real and [claim.held for claim in ratios.claims] == [1, 1]
    assert "over alg. 1 the mean is 1.150 (1.100 to 1.200) on matrices, 0.980 on" in ratios.why
    assert "32, but 1 for `b`" in ratios.why


def test_the_figures_of_a_real_result_are_shown():
    paper = next(paper for paper in pages.PAPERS if paper.number == "002")
    text, _ = pages.page(paper)
    real = pages.newest("paper-002", ("real",))
    for name in ("rounds", "ratios", "threads"):
        assert text.count(f"results/{real.stem}-{name}.svg") == 1


@pytest.mark.parametrize(("gains", "held"), [((1.0, 1.3, 1.7), [1, 1]), ((1.1, 0.9, 0.8), [0, 0])])
def test_the_advantage_over_red_blue_is_compared_with_as_many_vertices(gains, held):
    """The sparsest kind also has a larger graph. The densest kind has none of that size, so the
    comparison leaves it out."""
    rows = [[{"n": 8, "median": {"local-max, GPU": 1.0, "red-blue, GPU": gain}}] for gain in gains]
    rows[0].append({"n": 16, "median": {"local-max, GPU": 1.0, "red-blue, GPU": 0.1}})
    found = claims_graphs_gpu._denser(rows)
    assert [claim.held for claim in found] == held
    assert found[0].ours.startswith("with 8 vertices")


def test_speed_ups_by_density_are_compared_with_as_many_vertices():
    def rows(*gains):
        return [
            {"n": 8 << k, "median": {"local-max": gain, "local-max, GPU": 1.0}}
            for k, gain in enumerate(gains)
        ]

    groups = {"a": rows(1.0, 3.0, 9.0), "b": rows(2.0, 2.5)}
    (claim,) = claims_graphs_gpu._by_density(groups, ("a", "b"))
    assert claim.held == 0.5
    assert claim.ours == "1 of 2 sizes: 1.00, 2.00 with 8; 3.00, 2.50 with 16 vertices"
    assert claims_graphs_gpu._by_density(groups, ("a", "c")) == []


def test_networks_gain_by_grafting():
    line = ["networks, own order", "karp-sipser", "whole", "2", "0.8"]
    (claim,) = claims_grafting_parts._of_networks([[*line, "1.70"], [*line, "7.80"]])
    assert claim.held == 1 and claim.ours.startswith("1.70 to 7.80")
    (claim,) = claims_grafting_parts._of_networks([[*line, "7.70"]])
    assert claim.held == 0
    assert claims_grafting_parts._of_networks([["all", *line[1:], "9"]]) == []


def test_orders_of_all_graphs_are_named():
    generated = {"rows": [of_orders("grid:12", 10, 0.98, 0.92)]}
    ratios = claims_red_blue.items_002(generated)[-2]
    assert ratios.why.endswith(
        "Orders of the vertices: 32, but 10 for `grid:12`, because the time limit was reached."
    )


def test_both_orders_have_their_own_statements(tmp_path):
    """A run on a tiny graph, in its own order and in a random order, gives statements for each of
    the two orders."""
    cases = [case for case in paper_001.cases("tiny", Path()) if "wiki" in case.name]
    found = paper_001.run(cases, dataclasses.replace(OPTIONS, threads=2, store=tmp_path / "s"))
    item = claims_grafting._by_order(found.data, "Why.")
    assert item.title.startswith("Figures 3 to 6 by order, with 0.00")
    assert item.title.endswith(" million entries, on 2 cores")
    words = [claim.words for claim in item.claims]
    for order in ("own order", "random order"):
        assert any(text.startswith("figure 4") and text.endswith(order) for text in words)
        assert any(text.startswith("networks, one thread") and order in text for text in words)
    assert item.why == "Why."


def test_figure_1_has_both_orders(tmp_path):
    """A run on tiny graphs gives the statements of figure 1 for both orders. A statement about a
    search that was stopped counts as not measured."""
    cases = serial_codes.cases("tiny", Path())
    assert [case.name for case in cases[:2]] == ["opf_300", "opf_300_rcp"] and len(cases) == 6
    found = serial_codes.run(cases, dataclasses.replace(OPTIONS, store=tmp_path / "s"))
    assert not found.complaints and "| ss-dfs |" in found.markdown
    item = claims_grafting._serial_codes(found.data)
    every = counters.not_judged([])
    words = {claim.words for claim in item.claims}
    assert {f"{text} ({graph})" for text, graph in every} < words
    assert {f"{text} ({graph}, random order)" for text, graph in every} < words
    others = [text for text in words if not text.startswith("multi-source shortens")]
    assert len(others) == 2 * len(every)
    assert "The counts of visited entries" in item.why
    stopped = [{**row, "overran": True} for row in found.data["rows"][:1]]
    none = {**found.data, "statements": [], "rows": stopped}
    item = claims_grafting._serial_codes(none)
    assert sum(claim.held is None for claim in item.claims) >= len(every)
    assert item.why.startswith("Searches without counts, stopped after 5 s: ss-dfs on `opf_300`. ")
    assert claims_grafting._serial_codes(None).verdict == claims.NOT_MEASURED


def test_ss_dfs_of_the_paper_counts_before_mc21():
    row = {"matrix": "wiki_300", "threads": 1, "seconds": [1.0], "nnz": 1}
    count = {"edges": 4, "phases": 9, "augmentations": 1}
    names = ("ss-bfs", "pothen-fan", "ms-bfs", "hopcroft-karp")
    rows = [{**row, "algorithm": name, "options": {}, "counters": count} for name in names]
    for options, edges in (({}, 3), ({"close": 1.0}, 5), ({}, 3), ({"close": 0.5}, 2)):
        more = {"options": options, "counters": {**count, "edges": edges}}
        rows.append({**row, "algorithm": "ss-dfs"} | more)
    (judged,) = (s for s in counters.statements(rows) if s["words"].startswith("ss-bfs"))
    assert judged["figures"]["ss-dfs"] == 5


@pytest.mark.parametrize(
    ("times", "held"), [([4, 2.1], [1, None, 1]), ([8, 4.2, 2.2, 1.2], [1, 1, 1])]
)
def test_local_max_over_ranks_beyond_the_first_two_doublings(times, held):
    rows = [
        {"matrix": name, "edges": 5, "ranks": 1 << k, "median": seconds}
        for name in ("a", "a+shuffled")
        for k, seconds in enumerate(times)
    ]
    item = claims_ranks.distributed({"rows": rows})
    assert [claim.held for claim in item.claims] == held
    assert ("only the first doubling" in item.why) == (len(times) == 2)
    assert (
        f"On `a`, {1 << len(times) - 1} processes are {report.digits(times[0] / times[-1])} times"
        in item.why
    )


def test_runs_of_codes_are_checked():
    A = path(4, [2.0, 3.0, 2.0])
    found = run(A, Code("", "gpa"))
    assert (found.weight, found.size) == (4.0, 2) and found.share[-1] == 1
    assert all(code.backend == "cpu" or usable([code]) for code in usable(paper_004.CODES))


def test_graphs_are_simple_and_permuted():
    graph = make("random:7:4")
    A = matrix_of(graph)
    assert (A != A.T).nnz == 0 and A.nnz == 2 * graph.edges and A.diagonal().sum() == 0
    order = paper_002.np.random.default_rng(0).permutation(graph.n)
    B = matrix_of(graph, order)
    assert (B[order][:, order] != A).nnz == 0
    assert make("star:50").edges == 50 and make("grid:3").edges == 12
    assert make("opf_300").n == 302


def test_equation_2_is_largest_at_the_default_of_p():
    best = max((k / 1000 for k in range(1, 1000)), key=paper_002.first_share)
    assert abs(best - 0.53406) < 1e-3


def test_frontiers_are_divided_by_phase():
    assert phases_of([5, 2, 0, 3, 0]) == [[5, 2], [3]]
    assert paper_001.variation({"seconds": [1.0, 1.0, 4.0]}) == pytest.approx(70.71, abs=0.01)


def test_graphs_have_the_class_of_the_paper_and_stand_together():
    names = ("wiki_1e6_rcp", "copapers_2e5", "wiki_1e6", "other")
    rows = [{"matrix": name, "class": "web"} for name in names]
    own, other = "networks, own order", "web, own order"
    assert list(groups(rows)) == [
        "networks, random order",
        "scale-free, own order",
        own,
        other,
        "all",
    ]
    facts = [
        {"matrix": name, "class": kind}
        for name, kind in (("a_rcp", "networks"), ("b", "scientific"), ("c", "networks"))
    ]
    assert [each["matrix"] for each in figures._by_class({"matrices": facts})] == [
        "b",
        "c",
        "a_rcp",
    ]


def test_statements_take_one_order_of_a_graph():
    """hopcroft-karp was stopped in the graph's own order and ran only in another order, so it is
    not compared with a search in the own order."""

    def row(matrix, algorithm, phases):
        counts = {"phases": phases, "edges": 9, "augmentations": 1, "path_edges": 3}
        return {"matrix": matrix, "algorithm": algorithm, "threads": 1, "options": {}, "nnz": 3} | {
            "seconds": [1.0] if phases else [], "counters": counts if phases else {}
        }  # fmt: skip

    rows = [row("wiki_1e6", "ms-bfs", 3), row("wiki_1e6", "hopcroft-karp", 0)]
    assert not counters.statements([*rows, row("wiki_1e6_rcp", "hopcroft-karp", 4)])
    judged = counters.statements([*rows, row("wiki_1e6", "hopcroft-karp", 4)])
    assert [each["words"] for each in judged] == ["ms-bfs needs fewer phases than hopcroft-karp"]


def test_gains_on_one_thread_are_beside_those_on_many():
    def search(seconds, edges):
        return {
            "seconds": [seconds, 3 * seconds], "median": seconds,
            "counters": {"edges": edges},
        }  # fmt: skip

    def data(threads, gain):
        found = {"neither": search(gain, 40), "direction": search(1.0, 20), "both": search(0.5, 10)}
        starts = {"karp-sipser": {"searches": found}}
        return {"threads": threads, "rows": [{"matrix": "wiki_1e6", "nnz": 9, "starts": starts}]}

    text = claims_grafting_parts._on_one_thread(data(1, 4.0), data(16, 3.0))
    assert "on one thread, direction optimisation gains 4.00, and grafting in addition 2.00" in text
    assert "on 16 threads, direction optimisation gains 3.00" in text
    assert "For 3 of 3 searches" in claims_grafting_parts._of_disturbances(data(16, 3.0))
