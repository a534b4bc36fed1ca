# SPDX-License-Identifier: BSD-3-Clause
"""The statements of the two papers on searches on a GPU, compared with results of their
sections."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.papers import causes, gpu_tables
from benchmarks.papers.claims import Data, Item, counted, mean_text, yes_or_no
from benchmarks.papers.paper_003 import BEST, STRATEGIES
from benchmarks.report import Row, by_matrix, geometric_mean, milliseconds, table

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
BFS, PUSHES = "apfb-wr ct", f"g-pr-shr {BEST}"


def items_000(data: Data) -> list[Item]:
    """Table 1, figures 2 to 5 and table 2."""
    rows, limit = data["rows"], data["limit"]
    groups = [(name, each) for name, each in gpu_tables.sets(rows) if not name.startswith("all")]
    means = {
        name: {v: gpu_tables.mean_time(each, v, limit) for v in VARIANTS} for name, each in groups
    }
    compared = [(each, name) for each in means.values() for name in VARIANTS]
    head = ["geometric mean", *VARIANTS]
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
    table_1 = Item(
        "Table 1. The eight variants",
        "geometric mean of the running time by set",
        [
            counted("ct is faster than mt", faster("ct", "mt"), "means"),
            counted("GPUBFS-WR is faster than GPUBFS", wr, "means"),
            counted("APFB is faster than APsB", faster("apfb", "apsb"), "means"),
        ],
        table(head, [*paper, *ours]),
        why="APFB is faster on permuted graphs, as in the paper. On meshes in natural order, APsB "
        "is faster: the cheap matching leaves few columns, with short augmenting paths. APsB ends "
        "each search at the first level with a path, and APFB executes its kernel for many more "
        "levels (see the table of phases and levels in the result). "
        f"{causes.of_ct_and_mt(rows, ALGORITHMS)}Each time is that of one run. The time of a "
        "search that was stopped is the limit. On permuted meshes, often all variants were "
        "stopped, so that the means of `permuted` hide differences.",
    )
    return [table_1, _levels(rows), *_contest_000(data)]


def _levels(rows: list[Row]) -> Item:
    def fewer(key: str) -> list[bool]:
        return [
            row["counters"]["apfb ct"][key] <= row["counters"]["apsb ct"][key]
            for row in rows
            if not {"apfb ct", "apsb ct"} & set(row["stopped"])
        ]

    return Item(
        "Figure 2. Levels of each search",
        "the number of the search, and the levels of its BFS",
        [
            counted("APFB needs fewer searches than APsB", fewer("phases"), "graphs"),
            counted("APFB executes fewer kernels on most graphs", [_most(fewer("levels"))], "sets"),
        ],
        figure="levels",
        why="Our figure shows the two graphs on which the variants differ most and least.",
    )


def _most(cases: Sequence[bool]) -> bool:
    return 2 * sum(cases) > len(cases)


def _of_sets(rows: list[Row]) -> dict[str, list[Row]]:
    groups = dict(gpu_tables.sets(rows))
    return {name: groups[name] for name in ("natural", "permuted") if name in groups}


def _sequential(row: Row, limit: float) -> float:
    return min(row["sequential"].values(), default=limit)


def _best_share(rows: list[Row], name: str, factor: float = 1.0, rival: str = "") -> float:
    """The share of the graphs on which a variant takes at most `factor` times the least time of
    three: its own, the codes on all cores, and `rival`, another variant on the GPU."""
    fast = 0
    for row in rows:
        own = row["median"].get(name, math.inf)
        best = min([own, row["median"].get(rival, math.inf), *row["multicore"].values()])
        fast += own <= factor * best < math.inf
    return fast / max(len(rows), 1)


def _gains(rows: list[Row], name: str, limit: float, peer: str = "") -> list[float]:
    """The speed-up of a variant over the best sequential peer, or over `peer`, on each graph. Peers
    and variants that were stopped count at the limit."""
    return [
        (row["sequential"].get(peer, limit) if peer else _sequential(row, limit))
        / row["median"].get(name, limit)
        for row in rows
    ]


def _contest_000(data: Data) -> list[Item]:
    rows, limit = data["rows"], data["limit"]
    sets = _of_sets(rows)
    paper_share = {"natural": 0.86, "permuted": 0.76}
    paper_best = {"natural": 0.61, "permuted": 0.74}
    paper_gain = {"natural": 3.61, "permuted": 3.54}
    shares = {k: [g > 1 for g in _gains(each, BFS, limit)] for k, each in sets.items()}
    multicore = [_multicore_order(each, limit) for each in sets.values()]
    gains = {
        (k, peer): _gains(each, BFS, limit, peer)
        for k, each in sets.items()
        for peer in ("pothen-fan", "hopcroft-karp")
    }
    beaten = [_sequential(row, limit) > row["median"].get(BFS, math.inf) for row in rows]
    return [
        Item(
            "Figure 3. Speed-up profiles",
            "speed-up over the best sequential algorithm, and the share of the graphs with at "
            "least this speed-up",
            [
                yes_or_no(
                    f"{BFS} is faster on {paper_share[k]:.0%} of the {k} graphs",
                    sum(each) / len(each) >= paper_share[k],
                    f"{sum(each)} of {len(each)}",
                )
                for k, each in shares.items()
            ]
            + [counted("P-DBFS is the best multicore algorithm", multicore, "sets")],
            figure="gpu-speed-up",
            why=f"All codes have the same limit of {limit:g} s here. If every sequential code was "
            f"stopped, their time is the limit. {_unknown(rows, BFS)} P-PFP is faster than P-DBFS "
            "on permuted graphs. P-HK, the slowest multicore code of the paper, is not "
            "implemented.",
        ),
        Item(
            "Figure 4. Performance profiles",
            "time over the best time of the parallel codes, and the share of the graphs",
            [
                yes_or_no(
                    f"the GPU is fastest on {paper_best[k]:.0%} of the {k} graphs",
                    _best_share(each, BFS) >= paper_best[k],
                    f"{_best_share(each, BFS):.0%}",
                )
                for k, each in sets.items()
            ],
            figure="performance-profile",
            why=_unknown(rows, BFS),
        ),
        Item(
            "Figure 5. Speed-up over PFP and HK",
            "speed-up by set of graphs",
            [
                yes_or_no(
                    f"at least {paper_gain[k]} times faster than {peer} on the {k} graphs",
                    geometric_mean(each) >= paper_gain[k],
                    mean_text(each),
                )
                for (k, peer), each in gains.items()
            ],
            figure="individual-speed-up",
            why="PFP and HK were stopped on most graphs, so most ratios are lower bounds. If the "
            "search on the GPU was also stopped, the ratio is 1.",
        ),
        Item(
            "Table 2. Times graph by graph",
            "seconds of each code; here milliseconds, > where stopped",
            [
                yes_or_no(
                    "the GPU is faster than the best sequential code on 32 of 40 graphs",
                    sum(beaten) >= 0.8 * len(beaten),
                    f"{sum(beaten)} of {len(beaten)}",
                )
            ],
            _times(rows, limit, BFS, ("p-dbfs", "pothen-fan"), ("pothen-fan", "hopcroft-karp")),
            why=f"{_unknown(rows, BFS)} There is one run of each code.",
        ),
    ]


def _unknown(rows: list[Row], name: str) -> str:
    """A sentence that names the graphs on which a variant was stopped, and those of them on which a
    search on the CPU finished."""
    lost = [row for row in rows if name not in row["median"]]
    found = [row for row in lost if row["multicore"] or row["sequential"]]
    if not lost:
        return f"`{name}` finished on all graphs."
    text = f"`{name}` was stopped on {_names(lost)}"
    if not found:
        return f"{text}. Every search on the CPU was also stopped there, so the order is unknown."
    rest = len(lost) - len(found)
    unknown = "; on the others no search finished, so the order is unknown" if rest else ""
    return f"{text}. A search on the CPU finished on {_names(found)}{unknown}."


def _names(rows: list[Row]) -> str:
    return ", ".join(f"`{row['matrix']}`" for row in rows)


def _multicore_order(rows: list[Row], limit: float) -> bool:
    p_dbfs, p_pfp = (
        geometric_mean([row["multicore"].get(name, limit) for row in rows])
        for name in ("p-dbfs", "pothen-fan")
    )
    return p_dbfs < p_pfp


def _times(
    rows: list[Row], limit: float, variant: str, multicore: Sequence[str], alone: Sequence[str]
) -> str:
    def text(seconds: float | None) -> str:
        return f">{milliseconds(limit)}" if seconds is None else milliseconds(seconds)

    return by_matrix(
        [variant, *(f"{n}, all cores" for n in multicore), *(f"{n}, one core" for n in alone)],
        rows,
        lambda row: [
            text(row["median"].get(variant)),
            *(text(row["multicore"].get(name)) for name in multicore),
            *(text(row["sequential"].get(name)) for name in alone),
        ],
    )


def items_003(data: Data) -> list[Item]:
    """Figures 1 to 4 and table 1."""
    rows, limit = data["rows"], data["limit"]
    gains = _gains(rows, PUSHES, limit)
    at_least_5 = sum(gain >= 5 for gain in gains) / max(len(gains), 1)
    near, best = (_best_share(rows, PUSHES, factor, BFS) for factor in (1.5, 1.0))
    faster, fastest = sum(gain > 1 for gain in gains), sum(_fastest(row) for row in rows)
    over = [
        row["multicore"].get("p-dbfs", limit) / row["median"].get(PUSHES, limit) for row in rows
    ]
    over_apfb = [row["median"].get(BFS, limit) / row["median"].get(PUSHES, limit) for row in rows]
    return [
        _strategies(rows, limit),
        Item(
            "Figure 2. Speed-up profiles",
            "speed-up over the sequential push-relabel, and the share of the graphs",
            [
                counted("G-PR is faster than sequential push-relabel on 82 %", [_share_over(gains)],
                        "sets"),
                yes_or_no("G-PR is at least 5 times faster on 39 %", at_least_5 >= 0.39,
                          f"{at_least_5:.0%}"),
            ],
            figure="gpu-speed-up",
            why=f"Sequential push-relabel finished within the limit of {limit:g} s on "
            f"{_names([row for row in rows if 'push-relabel' in row['sequential']]) or 'no graph'} "
            f"only. On the other graphs its time is taken as {limit:g} s, so nearly all speed-ups "
            "over it are lower bounds. G-HKDW of the paper is apfb-wr here.",
        ),
        Item(
            "Figure 3. Performance profiles",
            "time over the best time of the parallel codes, and the share of the graphs",
            [
                yes_or_no("at most 1.5 times the best time on 75 %", near >= 0.75, f"{near:.0%}"),
                yes_or_no(
                    "G-PR is the best on 61 %",
                    best >= 0.61,
                    f"{best:.0%}; without apfb-wr, {_best_share(rows, PUSHES):.0%}",
                ),
                yes_or_no("G-PR is 2.82 times faster than P-DBFS", geometric_mean(over) >= 2.82,
                          mean_text(over)),
                yes_or_no("G-PR is 1.30 times faster than G-HKDW",
                          geometric_mean(over_apfb) >= 1.30, mean_text(over_apfb)),
            ],
            figure="performance-profile",
            why="G-HKDW of the paper is apfb-wr here. On small or permuted "
            "meshes, apfb-wr or push-relabel on all cores is faster than G-PR. "
            f"{_unknown(rows, PUSHES)}",
        ),
        Item(
            "Figure 4. Speed-up graph by graph",
            "graphs by size, speed-up over the sequential push-relabel",
            [
                yes_or_no("G-PR is faster on 23 of 28 graphs", faster >= 23 / 28 * len(gains),
                          f"{faster} of {len(gains)}"),
                yes_or_no("speed-up 3.05 on average, 0.31 to 12.60", geometric_mean(gains) >= 3.05,
                          mean_text(gains)),
            ],
            figure="individual-speed-up",
            why="If both codes were stopped, the speed-up is taken as 1. If only the sequential "
            "code was stopped, the speed-up is a lower bound.",
        ),
        Item(
            "Table 1. Times graph by graph",
            "rows, columns, edges, sizes of the matchings, seconds; here milliseconds, > where "
            "stopped",
            [yes_or_no("G-PR is the fastest code on 15 of 28 graphs",
                       fastest >= 15 / 28 * len(rows), f"{fastest} of {len(rows)}")],
            _table_of_003(rows, limit),
            why="The codes include apfb-wr, which is G-HKDW in the paper. A graph on which no code "
            "finished does not count for G-PR. There is one run of each code.",
        ),
    ]  # fmt: skip


def _share_over(gains: list[float]) -> bool:
    return sum(gain > 1 for gain in gains) >= 0.82 * len(gains)


def _fastest(row: Row) -> bool:
    others = [*row["multicore"].values(), *row["sequential"].values()]
    others.append(row["median"].get(BFS, math.inf))
    return bool(row["median"].get(PUSHES, math.inf) <= min(others) < math.inf)


def _strategies(rows: list[Row], limit: float) -> Item:
    versions = ("g-pr-first", "g-pr-noshr", "g-pr-shr")
    words = sorted({*STRATEGIES, BEST, "fixed:10"})
    names = [f"{version} {word}" for version in versions for word in words]
    whole = [row for row in rows if set(names) <= set(row["counters"])]
    if not whole:
        return Item("Figure 1. Relabelling strategies", "strategy, geometric mean of the time")
    mean = {name: gpu_tables.mean_time(whole, name, limit)[0] for name in names}
    pairs = [(a, b) for a in words for b in words if a.startswith("a") and b.startswith("f")]
    adaptive = [mean[f"{v} {a}"] < mean[f"{v} {b}"] for v in versions for a, b in pairs]
    best = min(words, key=lambda word: mean[f"g-pr-shr {word}"])
    lists = [mean[f"g-pr-first {w}"] >= 1.14 * mean[f"g-pr-noshr {w}"] for w in words]
    shrunk = [mean[f"g-pr-noshr {w}"] >= 1.02 * mean[f"g-pr-shr {w}"] for w in words]
    body = [[v, *(milliseconds(mean[f"{v} {w}"]) for w in words)] for v in versions]
    return Item(
        "Figure 1. Relabelling strategies",
        "strategy, geometric mean of the time",
        [
            counted(
                "adaptive is better than fixed for almost all configurations", adaptive, "pairs"
            ),
            yes_or_no(
                "adaptive 0.3 and 0.7 are best", best in ("adaptive:0.3", BEST), f"best: {best}"
            ),
            counted("lists of active columns gain 14 to 84 %", lists, "strategies gain 14 %"),
            counted("shrinking the lists gains 2 to 8 %", shrunk, "strategies gain 2 %"),
        ],
        table([f"ms, {len(whole)} graphs", *words], body),
        figure="relabelling",
        why=f"{_of_part(rows, whole)}The time of a search that was stopped is the limit. Lists of "
        "active columns gain "
        f"{causes.gain(mean, words, 'g-pr-first', 'g-pr-noshr')} % by strategy, and shrinking them "
        f"{causes.gain(mean, words, 'g-pr-noshr', 'g-pr-shr')} %. "
        f"{causes.of_lists(whole, versions, words)}Each time is that of one run.",
    )


def _of_part(rows: list[Row], measured: list[Row]) -> str:
    """The size of the graphs with all strategies, if a result has them only on a part."""
    if len(measured) == len(rows):
        return ""
    return f"Measured on graphs with at most {max(row['n'] for row in measured):,} vertices. "


def _table_of_003(rows: list[Row], limit: float) -> str:
    def text(seconds: float | None) -> str:
        return f">{milliseconds(limit)}" if seconds is None else milliseconds(seconds)

    return by_matrix(
        ["rows (= columns)", "entries", "IM", "MM", PUSHES, "p-dbfs", "push-relabel", "apfb-wr ct"],
        rows,
        lambda row: [
            *(f"{row['n']:,}", f"{row['nnz']:,}", f"{row['start']:,}"),
            f"{row['rank']:,}" if row["rank"] is not None else "-",
            text(row["median"].get(PUSHES)),
            text(row["multicore"].get("p-dbfs")),
            text(row["sequential"].get("push-relabel")),
            text(row["median"].get(BFS)),
        ],
    )


__all__ = ["items_000", "items_003"]
