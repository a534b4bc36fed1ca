# SPDX-License-Identifier: BSD-3-Clause
"""The aims of this project for matchings in graphs, in addition to the paper on local max."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.papers.claims import Claim, Item, counted, mean_text, yes_or_no
from benchmarks.papers.claims_graphs_gpu import speeds_over
from benchmarks.papers.paper_004 import HEM, LOCAL_MAX
from benchmarks.report import Row, digits, milliseconds

LARGE = 1 << 20  # vertices; the speed of the GPU is judged on graphs with at least as many


def aims(rows: list[Row], others: list[Row]) -> Item:
    """The aims of this project in addition to the paper; `others`: rows of the section graphs."""
    large = [row for row in rows if row["n"] >= LARGE]

    def at_least_20(name: str, base: str) -> Claim:
        speeds = speeds_over(large, name, base)
        words = f"{base} on the GPU is 20 times faster from 2^20 vertices on"
        return _with_mean(counted(words, [speed >= 20 for speed in speeds], "graphs"), speeds)

    codes: dict[str, Row] = {row["matrix"]: row["codes"] for row in others}
    over_hem = [row["median"][LOCAL_MAX] / row["median"][HEM] for row in rows]
    stars = [row for row in large if row["matrix"].startswith("star")]
    stars = stars or [_as_in_paper_004(row) for row in others if row["matrix"] == STAR]
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
    path = codes.get(PATH, {})
    claims += _path_claims(path)
    parts = (_of_star(codes.get(STAR, {})), _WHY_PATH if path else "", _TRIED)
    why = " ".join(filter(None, parts))
    return Item("Aims of this project", "the graphs above, a star, and a path", claims, why=why)


def _as_in_paper_004(row: Row) -> Row:
    """A row of the section graphs in the form of those of the section paper-004."""
    return {**row, "median": {name: code["seconds"] for name, code in row["codes"].items()}}


def _path_claims(path: dict[str, Row]) -> list[Claim]:
    """The same aims on a path of 10^6 edges, which has slightly fewer than 2^20 vertices."""
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
    "round matches one edge, and rounds alone would take quadratic time. In sequence, a round here "
    "visits only the neighbours of the vertices matched last. On a GPU, each round visits all "
    "edges that are left; after eight visits of each edge (option `limit`), the remaining edges "
    "are matched along chains of edges by pointer jumping, which the paper does not have: the "
    "whole path is one chain, and its length has no effect but on the logarithmic number of steps. "
    "HEM visits each vertex once."
)
_TRIED = (
    "What was tried for the aims that are missed is listed in [benchmarks/README.md]"
    "(../../benchmarks/README.md#what-was-tried-for-the-aims-that-are-missed)."
)


def _with_mean(claim: Claim, ratios: list[float]) -> Claim:
    return Claim(claim.words, claim.held, f"{claim.ours}: {mean_text(ratios)}" if ratios else "-")


def _of_star(star: Row) -> str:
    """Sentences on why local-max takes longer than HEM, and on the time of red-blue on a large
    star. `star` has the times of the codes on that star in the section graphs."""
    text = (
        "HEM visits the list of a vertex only if the vertex is unmatched, which is true for about "
        "half of the vertices. The first round of local-max visits every list; later rounds visit "
        "a list again if its heaviest edge was removed. On Delaunay graphs, half of the edges are "
        "left after the first round."
    )
    if "red-blue, GPU" not in star:
        return text
    on_gpu, in_sequence = (star[name]["seconds"] for name in ("red-blue, GPU", "red-blue"))
    return (
        f"{text} On a star of 10^7 edges (section `graphs`), red-blue on the GPU takes "
        f"{milliseconds(on_gpu)} ms, and the sequential red-blue {milliseconds(in_sequence)} ms. "
        "All warps share the list of the centre, which one thread visits in the paper."
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


__all__ = ["aims"]
