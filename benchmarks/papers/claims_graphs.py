# SPDX-License-Identifier: BSD-3-Clause
"""What the paper on local max states, beside results of its section."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from benchmarks.papers.claims import Claim, Data, Item, counted, mean_text, yes_or_no
from benchmarks.papers.claims_ranks import distributed
from benchmarks.papers.graph_figures import families
from benchmarks.papers.paper_004 import GPA, HEM, HEM_RANDOM, LOCAL_MAX, left_per_round, lighter
from benchmarks.report import Row, by_matrix, digits, milliseconds

LARGE = 1 << 20  # vertices from which on the GPU is compared


def items_004(
    data: Data,
    real: Data | None,
    over_ranks: Data | None,
    others: Data | None = None,
    *,
    busy: bool = False,
) -> list[Item]:
    """Figures 2 to 11, and the aims of this project. `over_ranks`: of the section mpi-local-max,
    whose cores were `busy`; `others`: of the section graphs."""
    groups = families(data)
    items = [
        _quality(groups, "Figure 2. Delaunay graphs", "delaunay", (2, 2, 13, 14)),
        _real(real),
        _on_gpu(groups, "Figure 5. GPU, Delaunay graphs", ("delaunay",), 35),
        _quality(groups, "Figure 6. Random geometric graphs", "rgg", None),
    ]
    for number, alpha in ((7, 4), (8, 16), (9, 64)):
        title = f"Figure {number}. Random graphs, alpha = {alpha}"
        items.append(_quality(groups, title, f"random {alpha}", None))
    items += [
        _on_gpu(groups, "Figure 10. GPU, random geometric graphs", ("rgg",), 24),
        _on_gpu(groups, "Figure 11. GPU, random graphs",
                ("random 4", "random 16", "random 64"), 30),
        _rounds(data["rows"], real),
        distributed(over_ranks, busy=busy),
        _large(data["rows"], others["rows"] if others else []),
    ]  # fmt: skip
    return items


def _mean(rows: list[Row], name: str) -> float:
    return statistics.mean(lighter(row, name) for row in rows)


def _quality(
    groups: dict[str, list[Row]], title: str, kind: str, paper: tuple[int, ...] | None
) -> Item:
    axes = "vertices; weight relative to GPA, and running time"
    rows = groups.get(kind, [])
    if not rows:
        return Item(title, axes)
    names = ("greedy", LOCAL_MAX, HEM, "red-blue")
    claims = []
    if paper:
        claims += [
            yes_or_no(
                f"{name} is {percent} % lighter than GPA",
                abs(_mean(rows, name) - percent) <= 3,
                f"{_mean(rows, name):.1f} %",
            )
            for name, percent in zip(names, paper, strict=True)
        ]  # fmt: skip
    far = [
        min(lighter(row, HEM), lighter(row, "red-blue")) > lighter(row, LOCAL_MAX) for row in rows
    ]
    claims += [
        counted("local max is nearly as heavy as greedy (0.5 %)",
                [abs(lighter(r, LOCAL_MAX) - lighter(r, "greedy")) <= 0.5 for r in rows], "graphs"),
        counted("HEM and red-blue are lighter than local max", far, "graphs"),
        *_orders(rows),
    ]  # fmt: skip
    text = by_matrix(
        [f"{name}, % lighter" for name in names] + [f"{name}, ms" for name in (GPA, *names)],
        rows,
        lambda row: [
            *(f"{lighter(row, name):.2f}" for name in names),
            *(milliseconds(row["median"][name]) for name in (GPA, *names)),
        ],
    )
    return Item(title, axes, claims, text, why=_WHY_TIMES)


_WHY_TIMES = (
    "The weights agree; what differs is the order of the times. Greedy and GPA sort by radix here, "
    "in linear time, where the paper sorts by comparisons. red-blue here is faster beside GPA than "
    "the code of its authors in the paper. The figures of all families are at the end of this page."
)


def _orders(rows: list[Row]) -> list[Claim]:
    def faster(first: str, second: str) -> list[bool]:
        return [row["median"][first] < row["median"][second] for row in rows]

    pairs = ((HEM, LOCAL_MAX), (LOCAL_MAX, "greedy"), ("greedy", GPA), (GPA, "red-blue"))
    return [counted(f"{a} is faster than {b}", faster(a, b), "graphs") for a, b in pairs]


def _real(real: Data | None) -> Item:
    title, axes = "Figure 3. Matrices", "matrices; weight relative to GPA, and running time"
    if real is None:
        return Item(title, axes)
    rows = real["rows"]
    near = [lighter(row, LOCAL_MAX) <= 5 for row in rows]
    spread = statistics.pstdev([lighter(row, HEM) for row in rows])
    own = statistics.pstdev([lighter(row, LOCAL_MAX) for row in rows])
    return Item(
        title,
        axes,
        [
            counted("greedy and local max are very close to GPA (5 %)", near, "matrices"),
            yes_or_no("HEM is erratic", spread > 2 * own,
                      f"standard deviation {spread:.1f} %, of local max {own:.1f} %"),
            counted("some instances have a faster local max, others a faster greedy",
                    [_both_ways(rows)], "sets"),
        ],
        by_matrix(
            ["edges", "greedy", LOCAL_MAX, HEM, "red-blue"],
            sorted(rows, key=lambda row: -row["edges"])[:20],
            lambda row: [
                f"{row['edges']:,}",
                *(f"{lighter(row, n):.2f}" for n in ("greedy", LOCAL_MAX, HEM, "red-blue")),
            ],
        ),
        why="The columns hold by how many percent a matching is lighter than that of GPA, on the "
        f"{min(20, len(rows))} largest of {len(rows)} symmetric matrices with values."
        + _of_minnesota(rows),
    )  # fmt: skip


def _of_minnesota(rows: list[Row]) -> str:
    """Why local-max is far behind GPA on a graph whose weights are nearly all equal."""
    row = next((row for row in rows if row["matrix"] == "minnesota"), None)
    if row is None:
        return ""
    return (
        " `minnesota`, a road network, is the exception: nearly all of its weights are 1 (four are "
        "2), so ties decide. greedy, HEM and GPA take edges of equal weight in the order of the "
        "matrix, which follows the roads and leaves few vertices unmatched. local-max breaks ties "
        "at random, as in the paper, and so does HEM in random order: both are "
        f"{lighter(row, LOCAL_MAX):.2f} % and {lighter(row, HEM_RANDOM):.2f} % lighter."
    )


def _both_ways(rows: list[Row]) -> bool:
    faster = [row["median"][LOCAL_MAX] < row["median"]["greedy"] for row in rows]
    return any(faster) and not all(faster)


def _speeds(rows: list[Row], name: str, base: str) -> list[float]:
    return [row["median"][base] / row["median"][name] for row in rows if name in row["median"]]


def _on_gpu(groups: dict[str, list[Row]], title: str, kinds: tuple[str, ...], best: int) -> Item:
    axes = "vertices, running time"
    rows = [row for kind in kinds for row in groups.get(kind, [])]
    speeds = _speeds(rows, "local-max, GPU", LOCAL_MAX)
    if not speeds:
        return Item(title, axes)
    large = [max(groups[kind], key=lambda row: row["n"]) for kind in kinds if kind in groups]
    beats = [
        row["median"]["local-max, GPU"] < row["median"]["red-blue, GPU"]
        for row in large
        if "red-blue, GPU" in row["median"]
    ]
    return Item(
        title,
        axes,
        [
            yes_or_no(f"up to {best} times faster than sequential local max", max(speeds) >= best,
                      f"up to {digits(max(speeds))}"),
            counted("faster than red-blue on the GPU for the largest graphs", beats, "graphs"),
        ],
        by_matrix(
            ["edges", "gpa, ms", "local-max, ms", "local-max GPU, ms", "red-blue GPU, ms", "gain"],
            rows,
            _gpu_cells,
        ),
        why="" if all(beats) else "On the denser graphs red-blue is faster: local max has more "
        "rounds there, each of which reads all remaining edges. How the time divides among the "
        "rounds was not measured.",
    )  # fmt: skip


def _gpu_cells(row: Row) -> list[str]:
    names = (GPA, LOCAL_MAX, "local-max, GPU", "red-blue, GPU")
    times = [milliseconds(row["median"][n]) if n in row["median"] else "" for n in names]
    gain = _speeds([row], "local-max, GPU", LOCAL_MAX)
    return [f"{row['edges']:,}", *times, digits(gain[0]) if gain else ""]


def _rounds(rows: list[Row], real: Data | None) -> Item:
    every = [*rows, *(real["rows"] if real else [])]
    left = [share for row in every if (share := left_per_round(row)) is not None]
    return Item(
        "Section 3.1. Edges left in each round",
        "the share of the edges that a round leaves, and the number of rounds",
        [
            counted("a round leaves less than 25 % of the edges, nearly always",
                    [share < 0.25 for share in left], "graphs"),
            counted("at most 10 rounds", [row["rounds"][LOCAL_MAX] <= 10 for row in every],
                    "graphs"),
        ],
        why="On generated graphs, the first round leaves less than 25 % except on Delaunay "
        "graphs and the densest small graphs; the share grows in later rounds, and the mean of all "
        "rounds is judged here. Delaunay graphs have distances as weights, and the first round "
        "leaves about half; a likely reason is that weights of edges that share an end are "
        "correlated, so that fewer edges are local maxima. More than 10 rounds occur on random "
        "graphs with alpha = 64, on the largest Delaunay graph, and on some matrices.",
    )  # fmt: skip


def _large(rows: list[Row], others: list[Row]) -> Item:
    """The aims of this project beyond the paper. `others`: of the section graphs."""
    large = [row for row in rows if row["n"] >= LARGE]

    def at_least_20(name: str, base: str) -> Claim:
        speeds = _speeds(large, name, base)
        words = f"{base} on the GPU is 20 times faster from 2^20 vertices on"
        return _with_mean(counted(words, [speed >= 20 for speed in speeds], "graphs"), speeds)

    over_hem = [row["median"][LOCAL_MAX] / row["median"][HEM] for row in rows]
    stars = [row for row in large if row["matrix"].startswith("star")]
    alike = {row["edges"] // 10**6: row for row in large if row["matrix"].startswith("random")}
    claims = [
        at_least_20("local-max, GPU", LOCAL_MAX),
        at_least_20("red-blue, GPU", "red-blue"),
        _with_mean(
            counted("sequential local-max takes at most 3 times as long as HEM",
                    [ratio <= 3 for ratio in over_hem], "graphs"),
            over_hem,
        ),
        *_stars(stars, lambda row: alike.get(row["edges"] // 10**6)),
    ]  # fmt: skip
    codes: dict[str, Row] = {row["matrix"]: row["codes"] for row in others}
    path = codes.get(PATH, {})
    claims += _path_claims(path)
    why = " ".join(filter(None, (_of_star(codes.get(STAR, {})), _WHY_PATH if path else "")))
    return Item("Aims of this project", "the graphs above, a star, and a path", claims, why=why)


def _path_claims(path: dict[str, Row]) -> list[Claim]:
    """The same aims on a path of 10^6 edges, whose vertices are a few less than 2^20."""
    seconds = {name: path[name]["seconds"] for name in ("local-max, GPU", LOCAL_MAX, HEM)
               if name in path}  # fmt: skip
    if len(seconds) < 3:
        return []
    gain = seconds[LOCAL_MAX] / seconds["local-max, GPU"]
    ratio = seconds[LOCAL_MAX] / seconds[HEM]
    words = f"on a path of increasing weights, `{PATH}`"
    return [
        yes_or_no(f"local-max on the GPU is 20 times faster {words}", gain >= 20,
                  f"{digits(gain)} times"),
        yes_or_no(f"sequential local-max takes at most 3 times as long as HEM {words}", ratio <= 3,
                  f"{digits(ratio)} times"),
    ]  # fmt: skip


PATH, STAR = "path_1000000", "star_10000000"
_WHY_PATH = (
    "The path is the worst case of local-max: only its heaviest edge is a local maximum, so each "
    "round matches one edge. After eight visits of each edge (option `limit`), the remaining edges "
    "are sorted and matched in one pass, by the CPU also after rounds on a GPU. A round over as "
    "many edges takes less than a millisecond on a GPU (the star of 10^6 edges), so nearly all of "
    "the time there is that of the CPU and of the copies. HEM visits each vertex once. Rounds "
    "alone would take quadratic time."
)


def _with_mean(claim: Claim, ratios: list[float]) -> Claim:
    return Claim(claim.words, claim.held, f"{claim.ours}: {mean_text(ratios)}" if ratios else "-")


def _of_star(star: Row) -> str:
    """The limit of local-max beside HEM, and the time of red-blue on a large star. `star`: the
    codes of that star in the section graphs."""
    text = (
        "HEM visits the list of a vertex only if the vertex is unmatched, of about half of them; "
        "the first round of local-max visits every list, and later rounds visit lists again whose "
        "heaviest edge has gone. On Delaunay graphs half of the edges are left after the first "
        "round."
    )
    if "red-blue, GPU" not in star:
        return text
    on_gpu, in_sequence = (star[name]["seconds"] for name in ("red-blue, GPU", "red-blue"))
    return (
        f"{text} On a star of 10^7 edges (section `graphs`), red-blue on the GPU takes "
        f"{milliseconds(on_gpu)} ms, and {milliseconds(in_sequence)} ms in sequence: all warps "
        "share the list of the centre, which one thread visits in the paper."
    )


def _stars(stars: list[Row], like: Callable[[Row], Row | None]) -> list[Claim]:
    name = "local-max, GPU"
    pairs = [(row, like(row)) for row in stars]
    ratios = [
        row["median"][name] / other["median"][name]
        for row, other in pairs
        if other and name in row["median"] and name in other["median"]
    ]
    if not ratios:
        return []
    words = "a star takes no longer than a random graph with as many edges on the GPU"
    return [yes_or_no(words, max(ratios) <= 1, f"{digits(max(ratios))} times as long")]


__all__ = ["items_004"]
