# SPDX-License-Identifier: BSD-3-Clause
"""The *support* of each rule of ``auto`` and ``published``: the matrices that show its effect.

This section measures nothing. It reads the newest results with the names in `SOURCES`, and applies
the conditions of the present rules to the features in these results. A matrix supports a rule if
the conditions of the rule hold on it, and if the choice of the rule and the *other choice* were
timed. The other choice is the choice of the last rule of the decision; for the last rule, it is the
fastest of all other choices. For the search on one thread and for the rules over ranks, the result
itself names the rule that was applied.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.cases import Case
from benchmarks.mpi.one_rank import MESSAGES, OVER_RANKS
from benchmarks.regret.cpu import times_of
from benchmarks.report import Options, Row, Section, digits, geometric_mean, paragraphs, table
from btfperm.path.rules import Rule
from btfperm.pattern.features import ratios
from btfperm.transversal.auto_table import TABLE

__all__ = ["cases", "run"]

RESULTS = Path(__file__).parents[1] / "results"
SOURCES = {
    "cpu": ("regret-all", "regret-dense"),
    "gpu": ("regret-gpu-all",),
    "threads": (
        "scaling-large",
        "scaling-quick",
        "paper-001-large",
        "published-16-threads",
        "published-16-threads-more",
    ),
    "published on gpu": (
        "published-choice-fit",
        "published-choice-large",
        "published-choice-field",
    ),
    "paper-003": ("paper-003-large",),
    "ranks": tuple(f"mpi-rules-{which}" for which in ("field", "large", "quick")),
    "ranks with gpus": ("mpi-gpu-large",),
    "one rank": ("mpi-one-rank-real", "mpi-one-rank-field"),
}
RATIOS = "published-ms-bfs"
NEEDED = 5  # matrices
# The bound of one rule was set with these graphs of the set `large` of `published-choice`.
SEEN = ("er:22:5", "road:3500")
# Rules without a second choice that could be measured, and the reason.
NECESSARY = {
    ("place", "no gpu"): "without a GPU, only the CPU can search",
    ("algorithm on mpi", "always"): "ms-bfs is the only search by messages",
    ("place over ranks", "the rest"): "the copy on each rank would need memory for all entries",
    (
        "start on gpu",
        "for another search",
    ): "as in the papers, whose searches start from a cheap matching",
}


class Timed(NamedTuple):
    """The seconds of a rule's choice and of the other choice on a matrix; None if a choice did not
    finish."""

    decision: str
    rule: str
    matrix: str
    chosen: float | None
    other: float | None


def cases(which: str, folder: Path) -> list[Case]:
    """No matrix is measured."""
    return []


def run(cases: list[Case], options: Options) -> Section:
    """One row for each rule. The matrices of the command line are not used."""
    timed: dict[tuple[str, str], dict[str, Timed]] = {}
    files: dict[tuple[str, str], set[str]] = {}
    for kind, names in SOURCES.items():
        for name in names:
            for each in _READERS[kind](_section_of(name)):
                if each.chosen is not None or each.other is not None:
                    timed.setdefault(each[:2], {})[each.matrix] = each
                    files.setdefault(each[:2], set()).add(_newest(name).stem)
    counted = _counted(_section_of(SOURCES["cpu"][0]))
    rows = [
        _row(decision, rule, list(timed.get((decision, rule.name), {}).values()))
        | {"files": sorted(files.get((decision, rule.name), ()))}
        | counted.get((decision, rule.name), {})
        for decision, rules in TABLE.items()
        for rule in rules
    ]
    few = [
        f"{row['decision']}, {row['rule']}: {row['matrices']} matrices"
        for row in rows
        if row["matrices"] < NEEDED and row["necessary"] is None
    ]
    unseen = _unseen(_section_of(SOURCES["published on gpu"][1]))
    data = {"rows": rows, "published on unseen graphs": unseen}
    return Section("Support of each rule", _markdown(rows, unseen), data, few)


def _newest(name: str) -> Path:
    """The newest result of this name; each begins with its date."""
    return max(RESULTS.glob(f"????-??-??-{name}.json"))


def _section_of(name: str) -> Any:
    (section,) = json.loads(_newest(name).read_text())["sections"].values()
    return section


# -- readers: one for each kind of result --------------------------------------------------------


def _of_cpu(section: Any) -> Iterator[Timed]:
    """The rules of the initial matching, of the search on one thread, and of the published
    search."""
    for row in section["rows"]:
        matrix, applied = row["matrix"], row["rules"]
        yield _beside("start", applied["start"][0], matrix, times_of("start", row))
        searches = times_of("algorithm", row)
        if "algorithm" in applied:  # else the initial matching left nothing to do
            yield _beside("algorithm", applied["algorithm"][0], matrix, searches)
            m, n = row["shape"]
            known = {"entries": row["nnz"], "threads": 1.0, **ratios(m, n, row["nnz"])}
            choices = {rule.choice for rule in TABLE["published"]}
            times = {name: searches[name] for name in choices & searches.keys()}
            yield _beside("published", _first("published", known).name, matrix, times)


def _counted(section: Any) -> dict[tuple[str, str], Row]:
    """The rules of `side`: this result has no times of each matrix, but their numbers and means, on
    the half on which the rules were set."""
    return {
        ("side", name): {
            "matrices": found["matrices"],
            "faster": None,
            "gains": {"mean": min(found["others"].values()) / found["behind"]},
        }
        for name, found in section["rules"]["side"].items()
    }


def _of_gpu(section: Any) -> Iterator[Timed]:
    """The rules of the device for matrices in host memory, with a warm GPU and in a process that
    must start CUDA; and the rules of initial matchings and searches on a GPU."""
    for row in section["rows"]:
        takes, known = row["takes"], row["features"]
        small = known["entries"] < 1_000_000
        gpu = takes.get("meeting-trees, greedy" if small else "meeting-trees")
        place = known | {"warm": 1.0, "gpus": 1.0}
        first = _first("place", place)
        times = {"cpu": takes.get("cpu"), "gpu": gpu}
        for rule in TABLE["place"]:
            if rule is first or (first.name != "small" and rule.when and _holds(rule, place)):
                yield _beside("place", rule.name, row["matrix"], times)
        if _first("place", place | {"warm": 0.0}).name == "cold":
            cold = times | {"gpu": None if gpu is None else gpu + section["start_up"]}
            yield _beside("place", "cold", row["matrix"], cold)
        there, applied = row["resident"]["takes"], row["resident"]["rules"]
        starts = {"greedy": there.get("meeting-trees, greedy"), "none": there.get("meeting-trees")}
        if "start on gpu" in applied and None not in starts.values():
            yield _beside("start on gpu", applied["start on gpu"][0], row["matrix"], starts)
        searches = {name: there.get(name) for name in ("meeting-trees", "apfb-wr", "g-pr-shr")}
        yield _beside("algorithm on gpu", "always", row["matrix"], searches)


def _of_threads(section: Any) -> Iterator[Timed]:
    """The rules that choose between one thread and all, and between published searches, of
    which ms-bfs uses one thread. If the result lacks ms-bfs, its time is estimated: the time of
    ms-bfs-graft on one thread is multiplied by the ratio of the two in `RATIOS`."""
    ratios_there = _ms_bfs_over_graft()
    seconds: dict[str, dict[tuple[str, int], float]] = {}
    entries_of = {row["matrix"]: row["nnz"] for row in section["rows"]}
    features = {
        each["matrix"]: {"degree": each["degree"], "free": _unmatched(each)}
        for each in section.get("matrices", [])
        if "maximal" in each
    }
    for row in section["rows"]:
        if row.get("medians") or row.get("median"):
            best = min(row["medians"]) if "medians" in row else row["median"]
            seconds.setdefault(row["matrix"], {})[row["algorithm"], row["threads"]] = best
    for matrix, times in seconds.items():
        entries = entries_of[matrix]
        for threads in (2, 16):
            rule = _first("threads", {"entries": entries, "cores": threads})
            if ("auto", threads) in times and ("auto", 1) in times:
                both = times["auto", threads], times["auto", 1]
                both = both if rule.choice == "all" else both[::-1]
                yield Timed("threads", rule.name, matrix, *both)
        if ("ms-bfs", 1) not in times and ("ms-bfs-graft", 1) in times and matrix in ratios_there:
            times["ms-bfs", 1] = times["ms-bfs-graft", 1] * ratios_there[matrix]
        if ("ms-bfs", 1) in times and ("ms-bfs-graft", 4) in times:
            both = times["ms-bfs-graft", 4], times["ms-bfs", 1]
            yield Timed("published", "large, many threads", matrix, *both)
        if matrix in features:
            known = {"entries": entries, "threads": 16.0, "density": 0.0} | features[matrix]
            applied = _first("published", known)
            if applied.name.endswith("sixteen threads"):
                is_default = applied.choice == "p-dbfs"
                chosen, other = (
                    times.get((name, 16), times.get((name, 1)))
                    for name in (applied.choice, "ms-bfs" if is_default else "p-dbfs")
                )
                if chosen is not None and other is not None:
                    yield Timed("published", applied.name, matrix, chosen, other)


def _unmatched(facts: Row) -> float:
    """The feature `free` after Karp-Sipser: `maximal` is the percentage of all vertices that its
    matching covers."""
    m, n = facts["shape"]
    return float(1 - facts["maximal"] / 100 * (m + n) / 2 / min(m, n))


def _ms_bfs_over_graft() -> dict[str, float]:
    rows = _section_of(RATIOS)["rows"]
    times = {(row["matrix"], row["algorithm"]): row["median"] for row in rows}
    names = {row["matrix"] for row in rows}
    return {name: times[name, "ms-bfs"] / times[name, "ms-bfs-graft"] for name in names}


def _of_published(section: Any) -> Iterator[Timed]:
    for row in section["rows"]:
        known = row["features"] | {"depth": row.get("depth") or 0}
        for rule in TABLE["published on gpu"]:
            is_last = rule is TABLE["published on gpu"][-1]
            if _holds(rule, known) and not (is_last and row["rule"] != rule.name):
                times = {name: row["seconds"].get(name) for name in ("apfb-wr", "g-pr-shr")}
                yield _beside("published on gpu", rule.name, row["matrix"], times)


def _unseen(section: Any) -> tuple[int, float]:
    """How `published` does on the graphs that were not used to set the bound of a rule.

    Only graphs with times of `published` and of a search count. Returns their number, and the
    geometric mean of the time of `published` over that of the faster search.
    """
    rows = [row["seconds"] for row in section["rows"] if row["matrix"] not in SEEN]
    both = [row for row in rows if "published" in row and len(row) > 1]
    behind = [
        row["published"] / min(time for name, time in row.items() if name != "published")
        for row in both
    ]
    return len(behind), geometric_mean(behind)


def _of_paper_003(section: Any) -> Iterator[Timed]:
    """The rules that choose between the same two searches. This result does not have the features
    variation of the columns and depth, so it supports only rules without these features."""
    last = TABLE["published on gpu"][-1]
    for row in section["rows"]:
        degree, free = row["nnz"] / row["n"], 1 - row["start"] / row["n"]
        known = {"entries": row["nnz"], "degree": degree, "free": free}
        times = {"apfb-wr": row["median"].get("apfb-wr ct")}
        times["g-pr-shr"] = row["median"].get("g-pr-shr adaptive:0.7")
        for rule in TABLE["published on gpu"]:
            if rule is not last and _holds(rule, known):
                yield _beside("published on gpu", rule.name, row["matrix"], times)


def _of_ranks(section: Any) -> Iterator[Timed]:
    for row in section["rows"]:
        yield Timed(row["decision"], row["rule"], row["matrix"], *row["seconds"])


def _of_ranks_with_gpus(section: Any) -> Iterator[Timed]:
    """The rule that gathers the matrix on one GPU, beside the search by messages."""
    ways = {"2 GPUs, auto": "chosen", "2 GPUs, NCCL": "other"}
    found: dict[str, Row] = {}
    for row in section["rows"]:
        if row["way"] in ways and "cap" not in row:
            found.setdefault(row["matrix"], {})[ways[row["way"]]] = row
    for matrix, pair in found.items():
        if "rules" in pair.get("chosen", ()) and "other" in pair:
            rule = pair["chosen"]["rules"]["algorithm on mpi"]
            both = pair["chosen"]["seconds"], pair["other"].get("seconds")
            yield Timed("algorithm on mpi", rule, matrix, *both)


def _of_one_rank(section: Any) -> Iterator[Timed]:
    """The rules for one rank with ``--backend mpi``, beside the engine that exchanges messages.
    Both times are of the whole command, which follows both rules."""
    for row in section["rows"]:
        seconds = {name: statistics.median(times) for name, times in row["seconds"].items()}
        both = seconds[OVER_RANKS], seconds[MESSAGES]
        for decision in ("start on mpi", "algorithm on mpi"):
            yield Timed(decision, "one rank", row["matrix"], *both)


_READERS = {
    "cpu": _of_cpu,
    "gpu": _of_gpu,
    "threads": _of_threads,
    "published on gpu": _of_published,
    "paper-003": _of_paper_003,
    "ranks": _of_ranks,
    "ranks with gpus": _of_ranks_with_gpus,
    "one rank": _of_one_rank,
}


def _first(decision: str, known: Mapping[str, float]) -> Rule:
    return next(rule for rule in TABLE[decision] if _holds(rule, known))


def _holds(rule: Rule, known: Mapping[str, float]) -> bool:
    return all(each.feature in known and each.holds(known[each.feature]) for each in rule.when)


def _beside(decision: str, rule: str, matrix: str, seconds: Mapping[str, float | None]) -> Timed:
    """The times of a rule's choice and of the other choice; without times if the table has no such
    rule."""
    rules = {each.name: each for each in TABLE[decision]}
    if rule not in rules:
        return Timed(decision, rule, matrix, None, None)
    chosen, last = rules[rule].choice, TABLE[decision][-1].choice
    others = [last] if chosen != last else [name for name in seconds if name != chosen]
    ended = [time for name in others if (time := seconds.get(name)) is not None]
    return Timed(decision, rule, matrix, seconds.get(chosen), min(ended, default=None))


# -- tables --------------------------------------------------------------------------------------


def _row(decision: str, rule: Rule, timed: list[Timed]) -> Row:
    both = {t.matrix: t.other / t.chosen for t in timed if t.chosen and t.other}
    return {
        "decision": decision,
        "rule": rule.name,
        "choice": rule.choice,
        "matrices": len(timed),
        "faster": sum(gain > 1 for gain in both.values()),
        "only_it_ended": sorted(t.matrix for t in timed if t.other is None),
        "only_the_other_ended": sorted(t.matrix for t in timed if t.chosen is None),
        "gains": both,
        "necessary": NECESSARY.get((decision, rule.name)),
    }


def _markdown(rows: list[Row], unseen: tuple[int, float]) -> str:
    head = ["decision", "rule", "choice", "matrices", "faster", "only it ended"]
    head += ["only the other ended", "gain", "least"]
    body = []
    for row in rows:
        gains = list(row["gains"].values())
        faster = "-" if row["faster"] is None else str(row["faster"])
        ended = [str(len(row[f"only_{which}_ended"])) for which in ("it", "the_other")]
        cells = [str(row["matrices"]), faster, *ended]
        means = [digits(geometric_mean(gains)), digits(min(gains))] if gains else ["-", "-"]
        body.append([row["decision"], row["rule"], row["choice"], *cells, *means])
    necessary = "; ".join(
        f"{row['decision']}, {row['rule']}: {row['necessary']}" for row in rows if row["necessary"]
    )
    return paragraphs(
        "A matrix supports a rule if the conditions of the rule hold on it, and if the choice of "
        "the rule and the other choice were timed. *gain* is the time of the other choice over the "
        "time of the rule's choice, in the geometric mean of the matrices on which both finished; "
        "*least* is the smallest gain. *only it ended*: the other choice did not finish within the "
        "limit of the result, or was abandoned.",
        table(head, body),
        f"Rules that prefer nothing which could be measured: {necessary}.",
        f"On the {unseen[0]} graphs of `published-choice-large` that were not used for the bound of"
        f" a rule, `published` takes {digits(unseen[1])} times as long as the better search.",
    )
