# SPDX-License-Identifier: BSD-3-Clause
"""The statements of the paper on tree grafting about gains and classes, judged on made-up rows."""

from __future__ import annotations

import pytest

from benchmarks.papers import claims_grafting_gains as gains
from benchmarks.papers import claims_grafting_parts, counters
from benchmarks.report import digits

RIVALS = ("push-relabel", "pothen-fan")


def order(threads, over_push, over_fan, kind="networks", paper=(11.3, 5.5)):
    """A verdict of `ranking.orders`, whose order of the searches is the paper's."""
    return {
        "class": kind,
        "threads": threads,
        "paper": dict(zip(RIVALS, paper, strict=True)),
        "paper_order": ["ms-bfs-graft", "pothen-fan", "push-relabel"],
        "order": ["ms-bfs-graft", "pothen-fan", "push-relabel"],
        "holds": True,
        "ours": {
            name: {"speed_up": gain}
            for name, gain in zip(RIVALS, (over_push, over_fan), strict=True)
        },
    }


def test_the_order_of_the_searches_does_not_suffice_for_the_gains():
    claims = gains.of_class(order(1, 12.0, 2.0))
    assert [claim.held for claim in claims] == [1, 1, 0]
    assert claims[2].words == "networks, one thread: 5.50 times faster than pothen-fan"
    same = {**order(1, 1.1, 1.6), "paper_order": []}
    (claim,) = gains.of_class(same, ", own order")
    assert claim.words == "networks, one thread, own order: no improvement" and claim.held == 1


def test_means_of_the_classes_are_those_of_the_paper_or_more():
    orders = [order(1, 4.0, 4.0), order(1, 8.0, 5.0), order(16, 7.0, 20.0)]
    found = gains.of_means(orders)
    assert [claim.held for claim in found] == [1, 0, 0, 1, 1, 1]
    assert found[0].words == "mean of the classes, one thread: 5.70 over push-relabel"
    assert found[0].ours == digits(6.0)
    assert gains.of_means([]) == []


def test_gains_of_two_classes_are_compared_with_those_of_the_first():
    orders = [
        order(1, 2.0, 2.0, "scientific"),
        order(1, 3.0, 1.0),
        order(1, 2.5, 2.5, "scale-free"),
    ]
    (claim,) = gains._by_class(orders, "one")
    assert claim.ours == "3 of 4 gains"
    assert gains._by_class(orders[1:], "one") == []


@pytest.mark.parametrize(("many", "held"), [(0.1, 1), (0.5, 0)])
def test_pothen_fan_on_copurchases(many, held):
    times = {
        1: {"ms-bfs-graft": 1.0, "push-relabel": 2.0, "pothen-fan": 3.0},
        16: {"ms-bfs-graft": 0.2, "push-relabel": 0.3, "pothen-fan": many},
    }
    rows = [
        {
            "matrix": "copurchase_300",
            "algorithm": name,
            "threads": threads,
            "options": {},
            "median": seconds,
            "overran": False,
        }
        for threads, each in times.items()
        for name, seconds in each.items()
    ]
    facts = [{"matrix": "copurchase_300", "stands_for": "amazon0312"}]
    data = {"threads": [1, 16], "limit": 4.0, "matrices": facts, "rows": rows}
    (claim,) = gains.of_copurchases(data)
    assert claim.held == held
    assert gains.of_copurchases({**data, "matrices": []}) == []
    assert gains.of_copurchases({**data, "threads": [1]}) == []


def test_rates_are_compared_by_matching_number():
    pairs = [
        ({"matrix": "wiki_300", "class": "networks"}, 13.0),
        ({"matrix": "webgraph_300", "class": "networks"}, 2.0),
        ({"matrix": "opf_300", "class": "scientific"}, 3.0),
    ]
    larger, wikipedia, google = gains.of_rates(pairs)
    assert (larger.held, wikipedia.held, google.held) == (1, 1, 0)


def searched(name, graph, threads, seconds, **more):
    return {
        "matrix": graph,
        "algorithm": name,
        "threads": threads,
        "options": {},
        "seconds": [seconds],
        "median": seconds,
        "overran": False,
        "nnz": 9,
        "class": "networks",
        "counters": {"edges": 9},
        **more,
    }


def test_the_least_speed_up_and_those_of_the_rivals():
    rows = [
        searched(name, graph, threads, seconds)
        for name, speeds in (("ms-bfs-graft", (2.0, 8.0)), ("pothen-fan", (6.0, 3.0)))
        for graph, speed in zip("ab", speeds, strict=True)
        for threads, seconds in ((1, 1.0), (16, 1 / speed))
    ]
    data = {"threads": [1, 16], "rows": rows}
    assert gains.speed_ups(data) == [2.0, 8.0]
    least, fan, second = gains.of_scaling(data)
    assert least.held == 0 and least.ours == "at least 2.00, so 0.125 for each core"
    assert fan.held == 1 and fan.words.endswith("pothen-fan")
    assert second.held is None


def test_the_time_of_the_steps_by_matching_number():
    def row(kind, down, augment):
        steps = dict.fromkeys(counters.STEPS.values(), 0)
        steps |= {"top_down_us": down, "augment_us": augment, "edges": 9}
        found = searched("ms-bfs-graft", kind, 16, 1.0)
        return {**found, "class": kind, "counters": steps}

    rows = [row("scientific", 90, 10), row("networks", 70, 30)]
    high, low = gains.of_steps({"threads": [1, 16], "rows": rows})
    assert high.held == low.held == 1
    assert low.ours == "networks 30%, scientific 10%"
    assert gains.of_steps({"threads": [1, 16], "rows": rows[:1]}) == []


def test_path_lengths_of_the_paper_s_options_count():
    def row(name, length, **options):
        count = {"edges": 9, "path_edges": length, "augmentations": 1}
        return searched(name, "a", 1, 1.0, counters=count, options=options)

    rows = [row("ss-dfs", 40, close=1.0), row("ss-dfs", 4), row("pothen-fan", 10)]
    rows += [row("ss-bfs", 6), row("ms-bfs", 3)]
    (claim,) = gains.of_path_lengths(rows, "a")
    assert claim.held == 1 and claim.ours == "4.00 and 2.00 times"
    assert gains.of_path_lengths(rows[:3], "a") == []


@pytest.mark.parametrize(
    ("direction", "grafting", "held"), [(1.6, 2.5, [1, 1]), (1.5, 2.4, [0, 0])]
)
def test_gains_of_the_parts_are_rounded_to_the_digits_of_the_paper(direction, grafting, held):
    claims = claims_grafting_parts._gain_claims(direction, grafting, "here")
    assert [claim.held for claim in claims] == held
