# SPDX-License-Identifier: BSD-3-Clause
"""The statements of the paper on APsB and APFB, compared with a result of its section."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.papers import causes, gpu_tables
from benchmarks.papers.claims import Claim, Data, Item, counted, mean_text, yes_or_no
from benchmarks.papers.claims_gpu import (
    BFS,
    gains,
    is_fastest,
    of_sets,
    seconds_of,
    sequential,
    share_within,
    times,
    unknown,
)
from benchmarks.report import Row, digits, geometric_mean, milliseconds, table

# Table 1 of the paper, in seconds. Columns: APFB with GPUBFS (mt, ct), APFB with GPUBFS-WR (mt,
# ct), then APsB with the same four.
TABLE_1 = {
    "O_S1": "2.96 1.89 2.12 1.34 3.68 2.88 2.98 2.27",
    "O_Hardest20": "4.28 2.70 3.21 1.93 5.23 4.14 4.20 3.13",
    "RCP_S1": "3.66 3.24 1.13 1.05 3.52 3.33 2.22 2.14",
    "RCP_Hardest20": "7.27 5.79 3.37 2.85 12.06 10.75 8.17 7.41",
}
ALGORITHMS = ("apfb", "apfb-wr", "apsb", "apsb-wr")
VARIANTS = [f"{a} {t}" for a in ALGORITHMS for t in ("mt", "ct")]
MULTICORE, SEQUENTIAL = ("p-dbfs", "pothen-fan"), ("pothen-fan", "hopcroft-karp")
# The shares and speed-ups that the paper states for the graphs in their own and in a random order.
FASTER = {"natural": 0.86, "permuted": 0.76}  # than the best sequential code
BEST = {"natural": 0.61, "permuted": 0.74}  # of the parallel codes
GAIN = {"natural": 3.61, "permuted": 3.54}
HARDEST_GAIN = {"natural": 3.96, "permuted": 9.29}
BEST_SEQUENTIAL = {"natural": "hopcroft-karp", "permuted": "pothen-fan"}
# Of 20 graphs: on how many the GPU is faster than the sequential codes, and than the multicore ones
OF_20 = {"natural": (14, 15), "permuted": (18, 20)}
MUCH_FEWER = 10  # a search with at most this part of the levels of another one has much fewer
# Figure 4: the GPU is above the multicore codes up to this time over the best time.
RATIOS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)


def items_000(data: Data) -> list[Item]:
    """Table 1, figures 2 to 5 and table 2."""
    rows = data["rows"]
    return [_variants(rows, data["limit"]), _levels(rows), *_contest(rows, data["limit"])]


def _variants(rows: list[Row], limit: float) -> Item:
    groups = [(k, each) for k, each in gpu_tables.sets(rows) if not k.startswith("all")]
    mean_time = gpu_tables.mean_time
    means = {name: {v: mean_time(each, v, limit) for v in VARIANTS} for name, each in groups}
    # Whether a set has a search that finished: without one, its means are the limit.
    known = [each for each in means.values() if any(mean < limit for mean, _ in each.values())]
    compared = [(each, name) for each in known for name in VARIANTS]
    ours = [
        [
            f"{name}, ms",
            *(f"{'' if whole else '>'}{milliseconds(mean)}" for mean, whole in m.values()),
        ]
        for name, m in means.items()
    ]
    paper = [[f"paper, {name}, s", *words.split()] for name, words in TABLE_1.items()]

    def faster(first: str, second: str) -> list[bool]:
        return [
            each[name][0] < each[name.replace(first, second)][0]
            for each, name in compared
            if first in name.split() or (first == "apfb" and name.startswith("apfb"))
        ]

    wr = [
        each[name][0] < each[name.replace("-wr", "")][0] for each, name in compared if "-wr" in name
    ]
    best = [row["median"].get(BFS) == min(row["median"].values()) for row in rows if row["median"]]
    return Item(
        "Table 1. The eight variants",
        "geometric mean of the running time by set",
        [
            counted("ct is faster than mt", faster("ct", "mt"), "means"),
            counted("GPUBFS-WR is faster than GPUBFS", wr, "means"),
            counted("APFB is faster than APsB", faster("apfb", "apsb"), "means"),
            counted(f"{BFS} is almost always the fastest variant", best, "graphs"),
        ],
        table(["geometric mean", *VARIANTS], [*paper, *ours]),
        why="APFB is faster on permuted graphs, as in the paper. On meshes in natural order, APsB "
        "is faster: the cheap matching leaves few columns, with short augmenting paths. APsB ends "
        "each search at the first level with a path, and APFB executes its kernel for many more "
        "levels (see the table of phases and levels in the result). "
        f"{causes.of_ct_and_mt(rows, ALGORITHMS)}Each time is that of one run. The time of a "
        "search that was stopped is the limit. On permuted meshes, often all variants were "
        "stopped, so that the means of `permuted` hide differences"
        f"{_of_unknown(means, limit)}.",
    )


def _of_unknown(means: dict[str, dict[str, tuple[float, bool]]], limit: float) -> str:
    """The end of a sentence that names the sets on which every search was stopped."""
    lost = [k for k, each in means.items() if min(mean for mean, _ in each.values()) >= limit]
    names = " and ".join(f"`{name}`" for name in lost)
    return f"; every search on {names} was stopped, so these means are not judged" if lost else ""


def _levels(rows: list[Row]) -> Item:
    pairs = [
        (row, one, one.replace("apfb", "apsb"))
        for row in rows
        for one in VARIANTS
        if one.startswith("apfb") and one in row["counters"]
        and not {one, one.replace("apfb", "apsb")} & set(row["stopped"])
    ]  # fmt: skip

    def counters(row: Row, name: str) -> tuple[int, int]:
        return row["counters"][name]["phases"], row["counters"][name]["levels"]

    fewer = [counters(row, one)[0] < counters(row, other)[0] for row, one, other in pairs]
    kernels = [counters(row, one)[1] < counters(row, other)[1] for row, one, other in pairs]
    short = [
        row["median"][other] < row["median"][one]
        for row, one, other in pairs
        if MUCH_FEWER * _by_search(*counters(row, other)) <= _by_search(*counters(row, one))
    ]
    return Item(
        "Figure 2. Levels of each search",
        "the number of the search, and the levels of its BFS",
        [
            counted("APFB needs fewer searches than APsB", fewer, "pairs of variants"),
            yes_or_no("APFB executes fewer kernels on most graphs", 2 * sum(kernels) > len(kernels),
                      f"in {sum(kernels)} of {len(kernels)} pairs of variants"),
            counted(f"where the searches of APsB have much fewer levels (at most 1/{MUCH_FEWER}), "
                    "APsB is faster", short, "pairs of variants"),
        ],
        figure="levels",
        why="A pair is APFB and APsB with the same kernel and threads on one graph on which both "
        "finished. Our figure shows the two graphs on which the variants differ most and least.",
    )  # fmt: skip


def _by_search(phases: int, levels: int) -> float:
    return levels / phases


def _contest(rows: list[Row], limit: float) -> list[Item]:
    sets = of_sets(rows)
    return [
        _speed_ups(rows, sets, limit),
        _profiles(rows, sets),
        _over_peers(rows, sets, limit),
        _graph_by_graph(rows, sets, limit),
    ]


def _mean(rows: list[Row], name: str, limit: float, *, alone: bool = False) -> float:
    """The geometric mean time of a parallel code, or of a sequential one with `alone`."""
    if alone:
        return geometric_mean([sequential(row, limit, name) for row in rows])
    return geometric_mean([min(seconds_of(row, name), limit) for row in rows])


def _ranked(rows: list[Row], names: Sequence[str], limit: float, *, alone: bool = False) -> str:
    """The codes and their geometric mean times in milliseconds, as text."""
    each = (f"{n} {milliseconds(_mean(rows, n, limit, alone=alone))}" for n in names)
    return f"{', '.join(each)} ms"


def _speed_ups(rows: list[Row], sets: dict[str, list[Row]], limit: float) -> Item:
    claims = []
    for k, each in sets.items():
        over = sum(gain > 1 for gain in gains(each, BFS, limit))
        words = (
            f"{BFS} is faster than the best sequential code on {FASTER[k]:.0%} of the {k} graphs"
        )
        claims.append(yes_or_no(words, over >= FASTER[k] * len(each), f"{over} of {len(each)}"))
    for k, each in sets.items():
        first = BEST_SEQUENTIAL[k]
        (other,) = set(SEQUENTIAL) - {first}
        holds = _mean(each, first, limit, alone=True) < _mean(each, other, limit, alone=True)
        ours = _ranked(each, SEQUENTIAL, limit, alone=True)
        claims.append(yes_or_no(f"{first} is the faster sequential code, {k} graphs", holds, ours))
    for k, each in sets.items():
        codes = (BFS, *MULTICORE)
        best = min((_mean(each, name, limit), name) for name in codes)[1]
        ours = _ranked(each, codes, limit)
        claims.append(
            yes_or_no(f"{BFS} has the best overall speed-up, {k} graphs", best == BFS, ours)
        )
        holds = _mean(each, "p-dbfs", limit) < _mean(each, "pothen-fan", limit)
        claims.append(yes_or_no(f"P-DBFS is the best multicore code, {k} graphs", holds, ours))
    claims += _of_orders(sets, limit)
    claims.append(Claim("P-HK is slower than the other multicore codes", None, "not implemented"))
    return Item(
        "Figure 3. Speed-up profiles",
        "speed-up over the best sequential algorithm, and the share of the graphs with at least "
        "this speed-up",
        claims,
        figure="gpu-speed-up",
        why=f"All codes have the same limit of {limit:g} s here. The time of a code that was "
        f"stopped is the limit. {unknown(rows, BFS)}",
    )


def _of_orders(sets: dict[str, list[Row]], limit: float) -> list[Claim]:
    """The statements on how the multicore codes react to a random order. They are judged on the
    graphs that were measured in both orders."""
    if "permuted" not in sets:
        return []
    own = {row["matrix"]: row for row in sets.get("natural", [])}
    pairs = [
        (own[base], row)
        for row in sets["permuted"]
        if (base := row["matrix"].removesuffix("+rcp")) in own
    ]
    if not pairs:
        return []
    speed = {
        name: [geometric_mean(gains([pair[k] for pair in pairs], name, limit)) for k in (0, 1)]
        for name in MULTICORE
    }
    kept = {name: after / before for name, (before, after) in speed.items()}
    dbfs, pfp = (kept[name] for name in MULTICORE)
    ours = f"speed-up {' and '.join(digits(s) for s in speed['p-dbfs'])} on {len(pairs)} graphs"
    return [
        yes_or_no("the speed-up of P-DBFS is lower on permuted graphs", dbfs < 1, ours),
        yes_or_no("P-PFP keeps more of its speed-up on permuted graphs than P-DBFS", pfp > dbfs,
                  f"{digits(pfp)} and {digits(dbfs)} of it"),
    ]  # fmt: skip


def _profiles(rows: list[Row], sets: dict[str, list[Row]]) -> Item:
    claims = []
    for k, each in sets.items():
        share = share_within(each, BFS)
        words = f"the GPU is the fastest parallel code on {BEST[k]:.0%} of the {k} graphs"
        claims.append(yes_or_no(words, share >= BEST[k], f"{share:.0%}"))
    for k, each in sets.items():
        until = "everywhere" if k == "natural" else "up to 7 times the best time"
        above = [
            share_within(each, BFS, (), factor)
            > max(share_within(each, name, (BFS,), factor) for name in MULTICORE)
            for factor in RATIOS
        ]
        claims.append(
            counted(f"the GPU's profile is above those of the multicore codes {until}, {k} graphs",
                    above, f"ratios from {RATIOS[0]:g} to {RATIOS[-1]:g}")
        )  # fmt: skip
    return Item(
        "Figure 4. Performance profiles",
        "time over the best time of the parallel codes, and the share of the graphs",
        claims,
        figure="performance-profile",
        why=unknown(rows, BFS),
    )


def _over_peers(rows: list[Row], sets: dict[str, list[Row]], limit: float) -> Item:
    groups = dict(gpu_tables.sets(rows))
    claims = []
    for words, paper, label in (
        ("graphs", GAIN, "{}"),
        ("graphs, hardest", HARDEST_GAIN, "{}, hardest"),
    ):
        for k in sets:
            for peer in SEQUENTIAL if label.format(k) in groups else ():
                group = groups[label.format(k)]
                each = gains(group, BFS, limit, peer)
                text = f"at least {paper[k]} times faster than {peer} on the {k} {words}"
                if any(BFS in row["median"] or peer in row["sequential"] for row in group):
                    claims.append(
                        yes_or_no(text, geometric_mean(each) >= paper[k], mean_text(each))
                    )
                else:
                    claims.append(Claim(text, None, "both were stopped on every graph"))
    return Item(
        "Figure 5. Speed-up over PFP and HK",
        "speed-up by set of graphs",
        claims,
        figure="individual-speed-up",
        why="PFP and HK were stopped on most graphs, so most ratios are lower bounds. If the "
        "search on the GPU was also stopped, the ratio is 1.",
    )


def _graph_by_graph(rows: list[Row], sets: dict[str, list[Row]], limit: float) -> Item:
    claims = []
    for k, each in sets.items():
        for which, number in zip(("sequential", "multicore"), OF_20[k], strict=True):
            faster = sum(_beats(row, which) for row in each)
            claims.append(
                yes_or_no(f"the GPU is faster than the {which} codes on {number} of 20 {k} graphs",
                          20 * faster >= number * len(each), f"{faster} of {len(each)}")
            )  # fmt: skip
    fastest = sum(any(is_fastest(row, name) for name in VARIANTS) for row in rows)
    claims.append(
        yes_or_no("a GPU code is faster than all sequential and multicore codes on most graphs",
                  2 * fastest > len(rows), f"{fastest} of {len(rows)}")
    )  # fmt: skip
    return Item(
        "Table 2. Times graph by graph",
        "seconds of each code; here milliseconds, > where stopped",
        claims,
        times(rows, limit, BFS, MULTICORE, SEQUENTIAL),
        why=f"The paper's table has its 20 hardest graphs in each order. {unknown(rows, BFS)} "
        "There is one run of each code.",
    )


def _beats(row: Row, which: str) -> bool:
    own = seconds_of(row, BFS)
    return own < math.inf and own <= min(row[which].values(), default=math.inf)


__all__ = ["items_000"]
