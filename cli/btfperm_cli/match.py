# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm match GRAPH -o OUT``: a matching of large weight in a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from btfperm_cli.help import GroupedCommand
from btfperm_cli.json_keys import JSON_KEYS, finite
from btfperm_cli.option_types import (
    FileName,
    RegistryName,
    Seconds,
    WholeNumber,
    known_options,
    named_values,
)
from btfperm_cli.options import (
    RegistryOption,
    bipartite_option,
    matrix_argument,
    no_clobber_option,
    output_options,
    target_option,
    threads_option,
    weights_option,
)
from btfperm_cli.output import Output, complain
from btfperm_cli.output_files import check_output, is_replaced, open_to_reader
from btfperm_cli.progress import Clock, stage
from btfperm_cli.summary import count, explanation_lines, line, seconds_line

if TYPE_CHECKING:
    from btfperm.results import GraphMatching

__all__ = ["match"]

ROUNDS_SHOWN = 8
PLACES = {"gpu": ", on a GPU", "mpi": ", over MPI ranks"}


@click.command(
    cls=GroupedCommand,
    short_help="Find a matching of large weight in a graph.",
    examples=(
        "btfperm match graph.mtx -o mate.npz  # a matching of large weight",
        "btfperm match graph.metis --algorithm gpa  # by a named algorithm",
        "btfperm match A.mtx --bipartite --weights moduli  # rows matched to columns",
    ),
)
@matrix_argument
@target_option(
    "Write mate (the vertex matched to each vertex, from 0 on, or -1), dual, weight and "
    "upper_bound as .npz; - is stdout."
)
@click.option(
    "--algorithm",
    cls=RegistryOption,
    type=RegistryName(of_graphs=True),
    default="auto",
    help="The algorithm; auto is local-max.",
)
@click.option(
    "--backend",
    type=click.Choice(["auto", "cpu", "gpu", "mpi"]),
    default="auto",
    help="gpu runs local-max and red-blue on a GPU, mpi (under mpiexec) local-max over ranks, with "
    "the same matching; auto is mpi under mpiexec, else the CPU.",
)
@weights_option("values")
@bipartite_option
@click.option(
    "--option",
    "options",
    metavar="NAME=VALUE",
    multiple=True,
    callback=named_values,
    shell_complete=known_options,
    help="A number or word for the algorithm, such as p=0.5; may be repeated. `btfperm "
    "algorithms` lists them.",
)
@threads_option(
    "Threads; the matching does not depend on them.  [default: all cores this process may "
    "use, and one for a small graph]"
)
@click.option(
    "--seed",
    type=WholeNumber(0),
    metavar="N",
    help="Seed of the algorithms that draw at random.  [default: 0]",
)
@click.option(
    "--time-limit",
    type=Seconds(),
    metavar="SECONDS",
    help="Stop the algorithm after this time; the matching may then be smaller.",
)
@click.option(
    "--max-work",
    type=WholeNumber(1),
    metavar="N",
    help="Stop the algorithm after visiting this number of edges.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    help="Memory for local-max-external, such as 512M; the edges may need more memory than that.  "
    "[default: 1G]",
)
@click.option(
    "--temporary",
    type=FileName(file_okay=False),
    metavar="FOLDER",
    help="Folder for the temporary files of local-max-external.  [default: that of the system]",
)
@no_clobber_option
@click.option("--explain", is_flag=True, help="Explain the choices of `auto`.")
@output_options
def match(
    out: Output,
    matrix: str,
    target: str | None,
    no_clobber: bool,
    edge_weights: str,
    explain: bool,
    **how: Any,
) -> int:
    """Find a matching of large weight in the graph of MATRIX, which must be symmetric unless
    --bipartite is given.

    Its entries are the weights of the edges; the diagonal is ignored. Files without values have
    the weight 1 for each edge. The summary has the weight, a proven upper bound on the weight of
    every matching, and the share of the edges left after each of the first eight rounds. If a
    limit stops the algorithm, its matching is still printed and written, and the exit code is 1.
    """
    if no_clobber and target is None:
        raise click.UsageError("--no-clobber goes with -o.")
    if target is not None:
        from btfperm.io.save_matching import check_name

        check_output(target, (matrix,), no_clobber=no_clobber)
        check_name(target)
    out.to_stderr = target == "-"

    from btfperm.backends.mpi.launch import communicator
    from btfperm.pattern.input import over_ranks

    comm = communicator(how["backend"])
    with over_ranks(None, comm):
        m, origin, read = matched(out, matrix, edge_weights, how, comm)
        facts = dict.fromkeys(JSON_KEYS["match"]) | graph_facts(m) | {"options": how["options"]}
        facts |= {"matrix": origin, "written": target}
        if comm is None or comm.rank == 0:
            facts["replaced"] = write(m, target, out, no_clobber=no_clobber)
        elif target is not None:
            m.save(target, replace=not no_clobber)
    facts["seconds"] = {name: round(taken, 6) for name, taken in {**m.seconds, **read}.items()}
    failure = stopped_sentence(m, matrix)
    if failure:
        facts |= {"error": failure, "exit_code": 1}
    for text in report_lines(m, facts, matrix, explain=explain):
        out.say(text)
    out.answer(facts)
    if failure and not out.as_json:
        complain(failure)
    return 1 if failure else 0


def stopped_sentence(m: GraphMatching, matrix: str) -> str:
    """The limit that stopped the algorithm; empty if none did."""
    if not m.stopped_by:
        return ""
    limit = m.stopped_by.replace("_", "-")
    left = "maximal" if m.maximal else "not maximal"
    return f"{matrix}: --{limit} stopped {m.algorithm}; its matching is legal, and {left}"


def matched(
    out: Output, matrix: str, weights: str, how: dict[str, Any], comm: Any
) -> tuple[GraphMatching, dict[str, Any], dict[str, float]]:
    """The matching, the origin of the file, and the time of reading it if that was a step of its
    own."""
    from btfperm.weighted.bipartite import refuse_sides
    from btfperm.weighted.external import EXTERNAL, match_external
    from btfperm.weighted.match import match as match_in_memory

    if comm is not None:
        from pathlib import PurePath

        out.subject = matrix
        with stage("matching", quiet=out.quiet):
            m = match_in_memory(
                matrix,
                weights=weights,  # type: ignore[arg-type]
                comm=comm,
                gather=False,
                **how,
            )
        return m, {"file": PurePath(matrix).name}, {}
    if how["algorithm"] == EXTERNAL:
        out.subject = matrix
        with stage("matching", quiet=out.quiet):
            if how["bipartite"]:
                refuse_sides(EXTERNAL)
            named = {key: how[key] for key in how.keys() - {"algorithm", "bipartite"}}
            m, origin = match_external(matrix, weights=weights, **named)
        return m, origin, {}
    from btfperm.io import values_or_ones

    clock = Clock()
    with stage(f"reading {matrix}", quiet=out.quiet):
        valued = values_or_ones(matrix, weights == "moduli")
    clock.stop("read")
    out.subject = matrix
    with stage("matching", quiet=out.quiet):
        m = match_in_memory(valued, weights=weights, **how)  # type: ignore[arg-type]
    return m, dict(valued.pattern.source), clock.seconds


def write(m: GraphMatching, target: str | None, out: Output, *, no_clobber: bool) -> bool | None:
    """Writes the matching, and returns whether an older file was replaced."""
    if target is None:
        return None
    replaced = is_replaced(target, no_clobber=no_clobber)
    with stage(f"writing {target}", quiet=out.quiet), open_to_reader(target):
        m.save(target, replace=not no_clobber)
    return replaced


def graph_facts(m: GraphMatching) -> dict[str, Any]:
    """What the report and the JSON object contain about the matching."""
    return {
        "vertices": m.n,
        "edges": m.edges,
        "algorithm": m.algorithm,
        "backend": m.backend,
        "weight": finite(m.weight),
        "upper_bound": finite(m.upper_bound),
        "size": m.size,
        "maximal": m.maximal,
        "locally_dominant": m.locally_dominant,
        "stopped_by": m.stopped_by,
        "rounds": m.rounds,
        "edges_left": m.edges_left.tolist(),
        "explain": dict(m.explain()),
        "matched_share": [round(share, 6) for share in m.matched_share.tolist()],
        "counters": dict(m.counters),
    }


def report_lines(
    m: GraphMatching, facts: dict[str, Any], matrix: str, *, explain: bool
) -> list[str]:
    """The summary for a person."""
    name = "standard input" if matrix == "-" else matrix
    bound = f"{m.upper_bound:.6g}"
    if 0 < m.upper_bound < float("inf"):
        bound += f"; the weight is {m.weight / m.upper_bound:.1%} of it"
    state = "maximal" if m.maximal else "not maximal"
    if m.stopped_by:
        state = f"stopped by {m.stopped_by}"
    shown = [f"{left / max(m.edges, 1):.2%}" for left in m.edges_left[:ROUNDS_SHOWN].tolist()]
    more = ", ..." if m.rounds > ROUNDS_SHOWN else ""
    covered = 2 * m.size / max(m.n, 1)
    lines = {
        "algorithm": m.algorithm + PLACES.get(m.backend, ""),
        "weight": f"{m.weight:.6g}",
        "upper bound": bound,
        "size": f"{count(m.size, 'edge')}, {covered:.1%} of the vertices; {state}",
        "rounds": f"{m.rounds:,}; edges left: {', '.join(shown) or 'none'}{more}",
    }
    if facts["written"] not in (None, "-"):
        lines["written"] = facts["written"] + (" (replaced)" if facts["replaced"] else "")
    head = f"{name}: {count(m.n, 'vertex', 'vertices')}, {count(m.edges, 'edge')}"
    rows = [line(title, text) for title, text in lines.items()]
    if explain:
        reason = {"choice": facts["explain"]["plan"]["reason"]}
        rows[1:1] = [line("", text) for text in explanation_lines(facts | reason)]
    return [head, *rows, seconds_line(facts["seconds"])]
