# SPDX-License-Identifier: BSD-3-Clause
"""The statements of the paper on local max about the GPU (figures 5, 10 and 11), compared with
results of its section."""

from __future__ import annotations

from benchmarks.papers import causes
from benchmarks.papers.claims import Claim, Item, counted, mean_text, yes_or_no
from benchmarks.papers.paper_004 import GPA, LOCAL_MAX, RBM_THREADS
from benchmarks.report import Row, by_matrix, digits, geometric_mean, milliseconds

ON_GPU, RED_BLUE = "local-max, GPU", "red-blue, GPU"
FOUR_CORES = f"red-blue, {RBM_THREADS} threads"


def speeds_over(rows: list[Row], name: str, base: str) -> list[float]:
    return [row["median"][base] / row["median"][name] for row in rows if name in row["median"]]


def on_gpu(groups: dict[str, list[Row]], title: str, kinds: tuple[str, ...], best: int) -> Item:
    axes = "vertices, running time"
    rows = [row for kind in kinds for row in groups.get(kind, [])]
    speeds = speeds_over(rows, ON_GPU, LOCAL_MAX)
    if not speeds:
        return Item(title, axes)
    both = {kind: [row for row in groups.get(kind, []) if _over_red_blue(row)] for kind in kinds}
    large = [max(found, key=lambda row: row["n"]) for found in both.values() if found]
    beats = [_over_red_blue(row) > 1 for row in large]
    return Item(
        title,
        axes,
        [
            yes_or_no(f"local max is up to {best} times faster than on one core",
                      max(speeds) >= best, f"up to {digits(max(speeds))}"),
            counted("local max is faster than red-blue on the largest graphs", beats, "graphs"),
            *_beside_red_blue(rows, both),
            *(_by_density(groups, kinds) if len(kinds) > 1 else []),
            *(_denser(list(both.values())) if len(kinds) > 1 else []),
            *(of_rgg(groups) if kinds == ("rgg",) else []),
        ],
        by_matrix(
            ["edges", *(f"{name.replace(', GPU', ' GPU')}, ms" for name in _SHOWN), "gain"],
            rows,
            _gpu_cells,
        ),
        why=_of_cores(rows) + (_OF_EDGES if kinds == ("rgg",) else "")
        + ("" if all(beats) else " For a fixed number of vertices, the advantage of local max over "
           "red-blue decreases with the density of the graph; in the paper, it increases. "
           f"{_why_denser(groups, both)}Graphs without a time of red-blue on the GPU were left "
           "out."),
    )  # fmt: skip


_OF_EDGES = (
    " The speed-up of local max on the GPU grows with the number of edges. With as many vertices, "
    "the largest random geometric graph has about twice as many edges as the largest Delaunay "
    "graph, which is a likely reason for its larger speed-up."
)


def _of_cores(rows: list[Row]) -> str:
    """A sentence on red-blue on several cores on the smallest and on the largest graph."""
    found = {row["edges"]: speeds_over([row], FOUR_CORES, LOCAL_MAX) for row in rows}
    sizes = sorted(edges for edges, speed in found.items() if speed)
    if not sizes:
        return ""
    few, many = (digits(found[edges][0]) for edges in (sizes[0], sizes[-1]))
    return (
        f"Red-blue on 4 cores is {few} times as fast as sequential local max with {sizes[0]:,} "
        f"edges and {many} times with {sizes[-1]:,}; its threads gain little on small graphs."
    )


def _beside_red_blue(rows: list[Row], both: dict[str, list[Row]]) -> list[Claim]:
    """The claims about red-blue on four cores and about small graphs on the GPU."""
    on_cores = speeds_over(rows, FOUR_CORES, LOCAL_MAX)
    small = [min(found, key=lambda row: row["n"]) for found in both.values() if found]
    return [
        yes_or_no("red-blue on 4 cores is slightly faster than sequential local max: up to twice",
                  1 < geometric_mean(on_cores) <= 2, f"{mean_text(on_cores)} times as fast")
        if on_cores
        else Claim("red-blue on 4 cores is slightly faster than local max", None, "-"),
        counted("red-blue is faster than local max on the smallest graphs",
                [_over_red_blue(row) < 1 for row in small], "graphs"),
    ]  # fmt: skip


def of_rgg(groups: dict[str, list[Row]]) -> list[Claim]:
    """The claims that compare the GPU on random geometric graphs with Delaunay graphs."""
    rgg, delaunay = groups.get("rgg", []), groups.get("delaunay", [])
    best = [max(speeds_over(rows, ON_GPU, LOCAL_MAX), default=0.0) for rows in (rgg, delaunay)]
    if not min(best):
        return []
    sizes = sorted((row["n"], _over_red_blue(row) > 1) for row in rgg if _has_both(row))
    ahead = [faster for _, faster in sizes]
    claims = [
        yes_or_no("the speed-up is slightly smaller than on Delaunay graphs", best[0] < best[1],
                  f"up to {digits(best[0])} and {digits(best[1])}")
    ]  # fmt: skip
    if ahead:
        only_last = ahead == sorted(ahead) and 0 < 2 * sum(ahead) < len(ahead)
        words = "local max is faster than red-blue on the very largest graphs only"
        claims.append(yes_or_no(words, only_last, f"on {sum(ahead)} of {len(ahead)} sizes"))
    return claims


def _over_red_blue(row: Row) -> float:
    """How many times faster local max is than red-blue on the GPU; 0 without both times."""
    found = speeds_over([row], ON_GPU, RED_BLUE) if _has_both(row) else []
    return found[0] if found else 0.0


def _has_both(row: Row) -> bool:
    return all(name in row["median"] for name in (ON_GPU, RED_BLUE))


def _denser(kinds: list[list[Row]]) -> list[Claim]:
    """The claims about the advantage over red-blue on the GPU. Each of `kinds` is denser than the
    one before it."""
    by_size = [{row["n"]: _over_red_blue(row) for row in rows} for rows in kinds]
    common = set.intersection(*(set(sizes) for sizes in by_size))
    if not common:
        return []
    n = max(common)
    gains = [sizes[n] for sizes in by_size]
    densest = by_size[-1]
    most = max(densest)
    from_2_15 = [gain > 1 for n, gain in densest.items() if n >= 1 << 15]
    return [
        *([counted("local max is faster than red-blue on the GPU for alpha = 64, from 2^15 "
                   "vertices on", from_2_15, "graphs")] if from_2_15 else []),
        yes_or_no("the denser the graph, the larger the advantage over red-blue on the GPU",
                  gains == sorted(gains) and gains[0] < gains[-1],
                  f"with {n:,} vertices {', '.join(map(digits, gains))} times as fast"),
        yes_or_no("local max is 65 % faster than red-blue on the GPU for alpha = 64 and 2^18 "
        "vertices",
                  densest[most] >= 1.65,
                  f"{digits(densest[most])} times as fast with {most:,} vertices"),
    ]  # fmt: skip


def _by_density(groups: dict[str, list[Row]], kinds: tuple[str, ...]) -> list[Claim]:
    """The claim about the speed-up over sequential local max for each number of vertices that all
    `kinds` have. Each of `kinds` is denser than the one before it."""
    by_size = [
        {
            row["n"]: speeds_over([row], ON_GPU, LOCAL_MAX)[0]
            for row in groups.get(kind, [])
            if ON_GPU in row["median"]
        }
        for kind in kinds
    ]
    common = sorted(set.intersection(*(set(sizes) for sizes in by_size)))
    gains = {n: [sizes[n] for sizes in by_size] for n in common}
    words = "the denser the graph, the larger the speed-up over sequential local max"
    claim = counted(words, [each == sorted(each) for each in gains.values()], "sizes")
    largest = "; ".join(f"{', '.join(map(digits, gains[n]))} with {n:,}" for n in common[-2:])
    return [Claim(words, claim.held, f"{claim.ours}: {largest} vertices")] if common else []


_SHOWN = (GPA, LOCAL_MAX, FOUR_CORES, ON_GPU, RED_BLUE)


def _gpu_cells(row: Row) -> list[str]:
    times = [milliseconds(row["median"][n]) if n in row["median"] else "" for n in _SHOWN]
    gain = speeds_over([row], ON_GPU, LOCAL_MAX)
    return [f"{row['edges']:,}", *times, digits(gain[0]) if gain else ""]


def _why_denser(groups: dict[str, list[Row]], both: dict[str, list[Row]]) -> str:
    """Sentences on a model of the times of both codes, and on their rounds on the largest graphs of
    equal size."""
    common = set.intersection(*({row["n"] for row in found} for found in both.values()))
    if not common:
        return ""
    compared = [row for found in both.values() for row in found if row["n"] == max(common)]
    every = [row for rows in groups.values() for row in rows]
    return causes.of_rounds(every, ((ON_GPU, LOCAL_MAX), (RED_BLUE, "red-blue")), compared)


__all__ = ["on_gpu", "speeds_over"]
