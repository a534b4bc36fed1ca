# SPDX-License-Identifier: BSD-3-Clause
"""The summary of a decomposition in plain words, from the facts that ``--json`` prints; and the
numbers, lines and facts that other commands share with `order`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from btfperm.pattern import Pattern
    from btfperm.results import Decomposition, Transversal

__all__ = [
    "LABEL",
    "count",
    "duration",
    "explanation_lines",
    "line",
    "plan_line",
    "report_lines",
    "search_facts",
    "seconds_line",
    "source_of",
    "stopped_sentence",
    "zeros_of",
]

WIDTH = 18  # of the first column
LABEL = WIDTH + 2  # characters before the text of a line


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 entry`, `2,000 entries`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def duration(seconds: float) -> str:
    """A time with its unit: `0.4 ms`, `12 ms`, `3.21 s`, `4 min 10 s`."""
    if seconds < 0.01:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 1:
        return f"{seconds * 1e3:.0f} ms"
    if seconds < 120:
        return f"{seconds:.2f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def line(label: str, text: str) -> str:
    return f"  {label:<{WIDTH}}{text}"


def seconds_line(seconds: Mapping[str, float]) -> str:
    stages = ", ".join(f"{stage} {duration(taken)}" for stage, taken in seconds.items())
    return line("time", f"{duration(sum(seconds.values()))} ({stages})")


def report_lines(facts: Mapping[str, Any], *, name: str, explain: bool) -> Iterator[str]:
    """The lines of the summary; `facts` as `order` collects them."""
    m, n, rank = facts["rows"], facts["cols"], facts["structural_rank"]
    yield f"{name}: {m:,} x {n:,}, {count(facts['entries'], 'entry', 'entries')}"
    full = " (full)" if rank == min(m, n) else f" of {min(m, n):,}: structurally deficient"
    yield line("structural rank", f"{rank:,}{full}")
    short = facts["deficiency"]
    yield line("unmatched", f"{count(short['rows'], 'row')}, {count(short['cols'], 'column')}")
    yield line("coarse parts", ", ".join(_parts(facts["coarse"])) or "none: the matrix is empty")
    yield line("fine blocks", _blocks(facts))
    helps, reason = facts["advice"]["btf_helps"], facts["advice"]["reason"]
    yield line("for a solver", f"BTF {'helps' if helps else 'does not help'}: {reason}")
    if facts.get("stored_zeros"):
        yield line("stored zeros", facts["stored_zeros"]["note"])
    ran = [facts["initializer"], facts["algorithm"]]
    steps = ", then ".join(name for name in ran if name != "none") or "nothing to do"
    yield line("search", f"{steps} ({facts['backend']} backend)")
    if explain:
        for text in explanation_lines(facts):
            yield line("", text)
    proof = f"checked: a cover of {count(rank, 'row or column', 'rows and columns')} touches"
    yield line("proof", f"{proof} every entry" if facts["verified"] else "NOT checked")
    yield from _weights(facts["weights"] or {})
    if facts["solver"]:
        inside = f"{facts['block_ordering']} inside the blocks, for {facts['solver']}"
        yield line("order", inside)
    yield seconds_line(facts["seconds"])
    for path in facts["written"]:
        yield line("written", f"{path} (replaced)" if path in facts["replaced"] else path)
    if not facts["written"]:
        yield line("written", "nothing; -o perm.npz writes the permutations")


_WEIGHTS = {
    "product": "largest product: objective {}, its logarithm",
    "sum": "largest sum: objective {}",
    "bottleneck": "largest smallest modulus: objective {}",
}
_DIAGONALS = {"before": "as stored", "after": "permuted", "scaled": "permuted and scaled"}


def _weights(weights: Mapping[str, Any]) -> Iterator[str]:
    """The lines about the objective, and about the diagonal as stored, permuted, and scaled."""
    if not weights:
        return
    value, gap = _number(weights["value"]), _number(weights["gap"], digits=2)
    yield line("weights", f"{_WEIGHTS[weights['objective']].format(value)}, gap {gap}")
    for key, moduli in weights["diagonal"].items():
        if moduli is not None:
            smallest, median = _number(moduli["smallest"]), _number(moduli["median"])
            label = "diagonal" if key == "before" else ""
            yield line(label, f"{_DIAGONALS[key]}: smallest {smallest}, median {median}")


def _number(value: float | None, digits: int = 6) -> str:
    return "none" if value is None else f"{value:.{digits}g}"


def _parts(coarse: Mapping[str, list[int]]) -> Iterator[str]:
    for name, (rows, cols) in coarse.items():
        if rows or cols:
            yield f"{name} {rows:,} x {cols:,}"


def _blocks(facts: Mapping[str, Any]) -> str:
    if not facts["fine_blocks"]:
        return "none"
    largest, single = facts["largest_block"], facts["singletons"]
    singles = f" ({single:,} of them 1 x 1)" if single else ""
    return (
        f"{facts['fine_blocks']:,}{singles}, the largest {largest['rows']:,} x "
        f"{largest['cols']:,}, {largest['share']:.1%} of all rows and columns"
    )


def search_facts(
    transversal: Transversal, decomposition: Decomposition | None = None
) -> dict[str, Any]:
    """The algorithms that ran, what they counted, and how far the rank is known; for the JSON
    object. `decomposition` is the one by this transversal, if the command computed it."""
    return {
        "maximum": transversal.maximum,
        "stopped_by": transversal.stopped_by,
        "rank_bounds": list(transversal.rank_bounds),
        "verified": transversal.verified,
        "algorithm": transversal.algorithm,
        "initializer": transversal.initializer,
        "backend": transversal.backend,
        "choice": transversal.choice,
        "explain": explanation(transversal, decomposition),
        "counters": dict(transversal.counters),
    }


def source_of(pattern: Pattern) -> dict[str, Any]:
    """The file of a pattern. All ranks of a pattern over MPI ranks must make this call: if the
    first one, which hashes the file, cannot read it any more, the call fails on all of them."""
    from btfperm.pattern.input import over_ranks

    with over_ranks(pattern, None):
        return dict(pattern.source)


def zeros_of(pattern: Pattern, warned: dict[str, Any]) -> dict[str, Any] | None:
    """The number of entries stored as zero, and the library's warning about them; None if there are
    none, or the values are unknown."""
    if pattern.stored_zeros is None:
        return None
    note = str(warned.get("note", "")).removeprefix(f"{pattern.name}: ")
    return {
        "count": pattern.stored_zeros.nnz,
        "dropped": pattern.zeros_dropped,
        "other_rank": warned.get("other_rank"),
        "note": note,
    }


def explanation(
    transversal: Transversal, decomposition: Decomposition | None = None
) -> dict[str, Any]:
    """The plan, the rules behind the algorithms that ran, with their measurements, and the place of
    the decomposition, which is decided after the search; for the JSON object."""
    from btfperm.transversal.auto import measured

    explain = dict(transversal.explain())
    decisions, found = dict(explain["decisions"]), measured()["rules"]
    if decomposition is not None:
        place = decomposition.meta["explain"]["decisions"]["decomposition"]
        decisions["decomposition"] = dict(place)
    for what, decision in decisions.items():
        decision["measured"] = found.get(what, {}).get(decision["rule"])
    return explain | {"decisions": decisions}


def explanation_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The reasons for the chosen algorithms, line by line; `facts` as `search_facts` gives them."""
    if facts["choice"]:
        yield str(facts["choice"])
    elif facts["algorithm"] == "none":
        yield "a limit stopped the initializer, so no search was chosen"
    else:
        yield "the algorithm was asked for by name, so `auto` chose none"
    yield plan_line(facts["explain"]["plan"])
    if weighted := facts["explain"].get("weighted_plan"):
        yield f"weighted {plan_line(weighted)}"
    for what, decision in facts["explain"]["decisions"].items():
        yield f"{what}: {decision['choice']} ({decision['rule']}: {decision['because']})"
        if decision.get("measured"):
            yield f"    measured: {_figures(decision)}"
        for rule in decision["passed_over"]:
            yield f"    not {rule['choice']} ({rule['rule']}): {rule['fails']}"
    from btfperm.path.rules import number

    known = facts["explain"]["features"].items()
    features = (f"{name} {number(value)}" for name, value in known if value is not None)
    yield f"features: {', '.join(features)}"


def plan_line(plan: Mapping[str, Any]) -> str:
    """The line about a plan: `plan: greedy, then ss-bfs, on cpu, 1 thread; bounds: ss-bfs 20; no
    limit`. The threads are those of the CPU."""
    first, then = plan["initializer"], plan["algorithm"]
    steps = ", then ".join(name for name in (first, then) if name) or "no search"
    threads = f", {count(plan['threads'], 'thread')}" if plan["uses_threads"] else ""
    if threads and first and plan["initializer_threads"] != plan["threads"]:
        threads += f", {plan['initializer_threads']} for {first}"
    bounds = {first: plan["initializer_within"], then: plan["within"]}
    shown = ", ".join(f"{name} {bound:g}" for name, bound in bounds.items() if name and bound)
    seconds, work = plan["time_limit"], plan["max_work"]
    limits = [] if seconds is None else [f"{seconds:g} s"]
    limits += [] if work is None else [count(work, "entry", "entries")]
    limited = f"limits: {', '.join(limits)}" if limits else "no limit"
    return "; ".join(
        [f"plan: {steps}, on {plan['backend']}{threads}"]
        + ([f"bounds: {shown}"] if shown else [])
        + [limited]
    )


def _figures(decision: Mapping[str, Any]) -> str:
    """The figures of a decision: `1.03 times the best on 80 matrices; karp-sipser 1.91`."""
    found = decision["measured"]
    own = (
        f"{found['behind']:.2f} times the best on {count(found['matrices'], 'matrix', 'matrices')}"
    )
    others = (f"{name} {behind:.2f}" for name, behind in found["others"].items())
    return "; ".join([own, ", ".join(others)]) if found["others"] else own


def stopped_sentence(transversal: Transversal) -> str:
    """Why the rank is unknown, and its bounds."""
    lower, upper = transversal.rank_bounds
    limit = str(transversal.stopped_by).replace("_", "-")
    return (
        f"--{limit} stopped the search with {count(lower, 'entry', 'entries')} matched, so the "
        f"structural rank lies between {lower:,} and {upper:,}"
    )
