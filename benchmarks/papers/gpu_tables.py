# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the sections about searches on a GPU, and the sets of graphs over which they take
means."""

from __future__ import annotations

from typing import Any

from benchmarks.report import (
    Row,
    by_matrix,
    digits,
    geometric_mean,
    milliseconds,
    paragraphs,
    table,
)

HARDEST = 20  # graphs; half of the graphs if a set has fewer than twice as many


def markdown(data: dict[str, Any]) -> str:
    """The tables: times, geometric means for each set, the peers on the CPU, phases and
    launches."""
    rows, names, limit = data["rows"], data["variants"], data["limit"]

    def times(row: Row) -> list[str]:
        facts = [f"{row['n']:,}", f"{row['nnz']:,}", f"{row['start'] / row['n']:.1%}"]
        return [*facts, *(_time(row, name) for name in names)]

    by_set = [
        (label, [n for n in names if all(n in row["counters"] for row in group)], group)
        for label, group in sets(rows)
    ]
    return paragraphs(
        f"{data['gpu']}. Columns and row lists are on the device before the search, because the "
        "papers' graphs come with both. A search is not repeated once its runs have taken "
        f"{limit:g} s in all.",
        "### Search after the cheap matching, ms",
        f"`>`: stopped after {limit:g} s. The number states how many matched entries fewer the "
        "search had than the largest matching.",
        by_matrix(["n", "nnz", "start", *names], rows, times),
        "### Geometric means, ms",
        f"The time of a search that was stopped is the limit (`>`). *Hardest* are the {HARDEST} "
        "graphs on which the best variant is slowest, or half of the graphs if there are fewer "
        f"than {2 * HARDEST}.",
        table(
            ["set", "matrices", *names],
            [
                _means(label, group, names, measured_on, limit)
                for label, measured_on, group in by_set
            ],
        ),
        *_peers(rows, limit),
        "### Phases / levels of the searches; with pushes, relabellings / levels of these",
        by_matrix(names, rows, lambda row: [_phases(row["counters"].get(n, {})) for n in names]),
        *work(rows, names),
    )


def _peers(rows: list[Row], limit: float) -> list[str]:
    """The tables of the searches on the CPU."""
    parts = []
    for key, title in (("sequential", "on one core"), ("multicore", "on all cores")):
        ran = list(
            dict.fromkeys(name for row in rows for name in row.get("peers", {}).get(key, ()))
        )
        if ran:
            parts += [
                f"### Searches {title} of the host, ms",
                f"After the same initial matching, within {limit:g} s.",
                by_matrix([*ran, "best variant over the best of them"], rows, _cells(key, ran)),
            ]
    return parts


def _cells(key: str, ran: list[str]) -> Any:
    def cells(row: Row) -> list[str]:
        spent = row[key]
        gain = ""
        if spent and row["median"]:
            gain = f"{min(spent.values()) / min(row['median'].values()):.1f}"
        return [*(milliseconds(spent[n]) if n in spent else ">" for n in ran), gain]

    return cells


def work(rows: list[Row], names: list[str]) -> list[str]:
    """Returns tables of augmenting paths, and of the pushes of push-relabel searches."""
    kinds = (
        ("Augmenting paths / their mean length / the longest, in edges:", "path_edges", _paths),
        ("Pushes / executions of the kernel / relabels / levels of these:", "pushes", _pushes),
    )
    parts = []
    for title, key, cell in kinds:
        measured = [
            name for name in names if any(key in row["counters"].get(name, {}) for row in rows)
        ]

        def cells(
            row: Row, measured: list[str] = measured, key: str = key, cell: Any = cell
        ) -> list[str]:
            each = [row["counters"].get(name, {}) for name in measured]
            return [cell(counters) if key in counters else "" for counters in each]

        parts += [title, by_matrix(measured, rows, cells)] if measured else []
    if not parts:
        return []
    where = (
        "The counters are of the last run of each search. The counters of a search that was "
        "stopped end at that time."
    )
    return ["### Pushes, relabels, levels, path lengths", where, *parts]


def _time(row: Row, name: str) -> str:
    if name not in row["counters"]:
        return ""
    if name in row["median"]:
        return milliseconds(row["median"][name])
    best = row["rank"] or max(row["stopped"].values())
    return f"> {best - row['stopped'][name]:,}"


def _phases(counters: Row) -> str:
    phases = counters.get("phases", counters.get("relabels", "-"))
    return f"{phases} / {counters.get('levels', '-')}"


def _paths(counters: Row) -> str:
    paths = counters["paths_walked"]
    mean = digits(counters["path_edges"] / paths) if paths else "-"
    return f"{paths:,} / {mean} / {counters['longest_path']:,}"


def _pushes(counters: Row) -> str:
    return " / ".join(f"{counters[key]:,}" for key in ("pushes", "loops", "relabels", "levels"))


def sets(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    """Divides the graphs into the sets of the papers' tables: natural, permuted, all, and the
    hardest graphs of each set."""
    permuted = [row for row in rows if row["matrix"].endswith(("+rcp", "_rcp"))]
    natural = [row for row in rows if row not in permuted]
    groups = {"natural": natural, "permuted": permuted, "all": rows}
    for name, group in list(groups.items()):
        count = min(HARDEST, len(group) // 2)
        if count:
            by_best = sorted(group, key=lambda row: min(row["median"].values(), default=1e9))
            groups[f"{name}, hardest"] = by_best[-count:]
    return [(name, group) for name, group in groups.items() if group]


def mean_time(rows: list[Row], name: str, limit: float) -> tuple[float, bool]:
    """Returns the geometric mean of a variant in seconds, in which a stopped search counts at the
    limit, and whether no search of the variant was stopped."""
    times = [row["median"].get(name, limit) for row in rows]
    return geometric_mean(times), all(name in row["median"] for row in rows)


def _means(
    label: str, rows: list[Row], names: list[str], measured_on: list[str], limit: float
) -> list[str]:
    cells = []
    for name in names:
        mean, whole = mean_time(rows, name, limit)
        text = f"{'' if whole else '>'}{milliseconds(mean)}"
        cells.append(text if name in measured_on else "")
    return [label, str(len(rows)), *cells]
