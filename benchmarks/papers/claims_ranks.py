# SPDX-License-Identifier: BSD-3-Clause
"""The statements of the paper on local max about distributed memory, compared with a result of the
section mpi-local-max."""

from __future__ import annotations

from benchmarks.mpi.local_max import SHUFFLED, gains
from benchmarks.papers.claims import Data, Item, counted
from benchmarks.report import digits, milliseconds, table

_BUSY = (
    " Other processes used the cores during the run, and the ranks wait for each other in each "
    "round, so the gains on a quiet machine may be larger."
)


def distributed(data: Data | None, *, busy: bool = False) -> Item:
    """Figure 4, from the section mpi-local-max. With `busy`, other processes used the cores."""
    title = "Figure 4. Distributed memory"
    axes = "processes; time on half as many processes over the time on this number"
    if data is None:
        return Item(
            title,
            axes,
            why="`match` runs over ranks, but there is no result yet of several ranks that have a "
            "core each.",
        )
    names = list(dict.fromkeys(row["matrix"] for row in data["rows"]))
    found = {name: gains(data, name) for name in names}
    beyond = [gain for name in names if SHUFFLED not in name for gain in found[name][2:]]
    random = [gain for name in names if SHUFFLED in name for gain in found[name]]
    first = [gain for name in names if SHUFFLED not in name for gain in found[name][:2]]
    last = max(int(row["ranks"]) for row in data["rows"])
    body = []
    for name in names:
        rows = [row for row in data["rows"] if row["matrix"] == name]
        cells = [f"{milliseconds(row['median'])}" for row in rows]
        total = rows[0]["median"] / rows[-1]["median"]
        steps = [digits(gain) for gain in found[name]]
        body.append([f"`{name}`", f"{rows[0]['edges']:,}", *cells, *steps, digits(total)])
    ranks = [str(row["ranks"]) for row in data["rows"] if row["matrix"] == names[0]]
    how = f"up to {last} processes"
    if last == 2:
        how = "two processes: only the first doubling was measured"
    head = ["graph", "edges", *(f"{count}, ms" for count in ranks)]
    head += [f"to {count}" for count in ranks[1:]] + ["in all"]
    return Item(
        title,
        axes,
        [
            counted("the first two doublings gain slightly less than 2 (1.6 to 2)",
                    [1.6 <= gain <= 2.1 for gain in first], "steps"),
            counted("later doublings gain almost 2 until the instance is too small (1.6)",
                    [gain >= 1.6 for gain in beyond], "steps"),
            counted("also with poor locality, more than 1 for long", [g > 1 for g in random],
                    "steps"),
        ],
        table(head, body),
        why=f"One MPI process runs on each core of one machine, {how}. The paper has up to 1024 on "
        "two clusters, and graphs with 63 and 132 million edges. Here each rank reads the whole "
        "graph, which is not timed. The exchange reduces the gain of two ranks over one, because "
        "one rank exchanges nothing. " + _largest(data, names)
        + (_BUSY if busy else ""),
    )  # fmt: skip


def _largest(data: Data, names: list[str]) -> str:
    """Sentences on the speed-up of all doublings together on the largest graph, and on the bytes
    sent in a random order."""
    rows = {name: [row for row in data["rows"] if row["matrix"] == name] for name in names}
    name = max((n for n in names if SHUFFLED not in n), key=lambda n: rows[n][0]["edges"])
    first, last = rows[name][0], rows[name][-1]
    text = (
        f"On `{name}`, {last['ranks']} processes are {digits(first['median'] / last['median'])} "
        "times as fast as one."
    )
    sent = [
        rows[n][-1]["bytes_sent"] / rows[n.removesuffix(SHUFFLED)][-1]["bytes_sent"]
        for n in names
        if n.endswith(SHUFFLED) and rows.get(n.removesuffix(SHUFFLED), [{}])[-1].get("bytes_sent")
    ]
    if not sent:
        return text
    times = " and ".join(digits(each) for each in sent)
    return f"{text} In a random order, the processes send {times} times as many bytes."
