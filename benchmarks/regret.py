# SPDX-License-Identifier: BSD-3-Clause
"""How far ``auto`` is behind the best choice: every start with every algorithm, on every matrix.

``python -m benchmarks.run --section regret`` measures and reports. To do it in short turns, as on
a machine that others use, too: ``python -m benchmarks.regret --store FILE --seconds 50``, again and
again; it measures what is not in FILE yet, and reports on what is.

*Regret* is the time of ``auto`` over the least of all candidates (candidates.py) on the same
matrix: an oracle that knows the best for each. One *half* of the matrices was looked at while
the rules of ``auto`` were made, the other was not: a hash of the family (all sizes and orders
together) or, for real matrices, of the name decides.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import machine, rule_worth
from benchmarks.candidates import AUTO, CORES, HOPELESS, LEAST_LIMIT, NEAR, How, Row, measured_apart
from benchmarks.cases import Case, generated, only, real
from benchmarks.contest import Options, Section
from benchmarks.generators import family_of
from benchmarks.report import Report
from benchmarks.tables import geometric_mean, milliseconds, table

HALVES = ("fit", "held out")
LASTING = 2e-4  # seconds: below, most of a call is Python
DOUBLED = 2.0  # regret that no matrix should have
SALT = 855  # families that had been looked at before there were halves are in the first

# Every family, in its own order and permuted where that makes a difference, in sizes from a
# thousand to three million entries.
MATRICES = """
    delaunay_n8 delaunay_n8_rcp delaunay_n10 delaunay_n10_rcp delaunay_n14 delaunay_n14_rcp
    delaunay_n17 delaunay_n17_rcp delaunay_n19 delaunay_n19_rcp
    rgg_n_2_8 rgg_n_2_8_rcp rgg_n_2_10 rgg_n_2_10_rcp rgg_n_2_13 rgg_n_2_13_rcp
    rgg_n_2_16 rgg_n_2_16_rcp
    grid3d_6 grid3d_6_rcp grid3d_12 grid3d_12_rcp grid3d_24 grid3d_24_rcp grid3d_48 grid3d_48_rcp
    grid3d_80 grid3d_80_rcp
    road_16 road_16_rcp road_64 road_64_rcp road_256 road_256_rcp road_512 road_512_rcp
    kron_s8 kron_s10 kron_s13 kron_s16 rmat_s8 rmat_s11 rmat_s14 rmat_s17
    er_1e3_d1.5 er_1e3_d2.7 er_1e3_d5.0 er_3e4_d1.5 er_3e4_d2.7 er_3e4_d5.0
    er_3e5_d1.5 er_3e5_d2.7 er_3e5_d5.0 er_1e6_d2.7
    rect_wide_1e3 rect_wide_2e4 rect_wide_2e5 rect_tall_1e3 rect_tall_2e4 rect_tall_2e5
    circuit_1e3 circuit_2e4 circuit_2e5 circuit_8e5 tri_1e3 tri_2e4 tri_2e5 tri_6e5
    bandtri_1e3 bandtri_2e4 bandtri_2e5 bandtri_6e5
    hessenberg_60 hessenberg_60_rcp hessenberg_400 hessenberg_400_rcp hessenberg_1500
    hessenberg_1500_rcp arrow_1e3 arrow_1e3_rcp arrow_3e4 arrow_3e4_rcp arrow_3e5 arrow_3e5_rcp
    kkt_1e3 kkt_1e3_rcp kkt_2e4 kkt_2e4_rcp kkt_2e5 kkt_2e5_rcp
    kkt_sing_1e3 kkt_sing_1e3_rcp kkt_sing_2e4 kkt_sing_2e4_rcp kkt_sing_2e5 kkt_sing_2e5_rcp
    chain_1e3 chain_1e3_rcp chain_5e4 chain_5e4_rcp chain_5e5 chain_5e5_rcp
    chains_hk_40 chains_hk_40_rcp chains_hk_300 chains_hk_300_rcp chains_hk_1000 chains_hk_1000_rcp
    chains_30x30 chains_30x30_rcp chains_200x200 chains_200x200_rcp chains_500x1000
    chains_500x1000_rcp deadtree_1e3 deadtree_1e4 deadtree_1e5
    ladder_57 ladder_57_rcp ladder_3e3 ladder_3e3_rcp ladder_3e5 ladder_3e5_rcp
    kshard_60_k4 kshard_400_k8 kshard_2000_k8
"""


def run(cases: list[Case], options: Options) -> Section:
    """The section of `benchmarks.run`: regret on the matrices of its set."""
    rows = []
    for case in cases:
        rows.append(measured_apart(case, How(options.repeats, options.threads or CORES)))
        options.say(_outcome(rows[-1]))
    return report(rows)


def every_case(matrices: Path) -> list[Case]:
    """The generated matrices above, and the real ones where the folder is there."""
    return generated(MATRICES.split()) + (
        real(matrices) if (matrices / "index.csv").exists() else []
    )


def half_of(name: str) -> str:
    """``fit`` or ``held out``, by a hash of the family, or of the name where there is none."""
    with contextlib.suppress(ValueError):
        name = family_of(name)[0].name
    return HALVES[hashlib.sha256(f"{SALT} {name}".encode()).digest()[0] % 2]


def _outcome(row: Row) -> str:
    """What may be looked at while rules are made."""
    if half_of(row["matrix"]) != HALVES[0]:
        return f"{row['matrix']}: measured"
    chosen, least = best_of(row)
    auto = f"auto {milliseconds(row['takes'][AUTO])} ms"
    best = f"{chosen} {milliseconds(least)} ms"
    return f"{row['matrix']}: {auto}, {best}, regret {regret_of(row):.2f}"


def best_of(row: Row) -> tuple[str, float]:
    """The candidate that takes least, and how long."""
    candidates = {name: seconds for name, seconds in row["takes"].items() if name != AUTO}
    return min(candidates.items(), key=lambda item: item[1])


def regret_of(row: Row) -> float:
    """How many times slower than the best `auto` is."""
    return float(row["takes"][AUTO] / best_of(row)[1])


def behind(row: Row, name: str) -> float:
    """How many times slower than the best a candidate is; a hopeless one counts as `HOPELESS`."""
    return float(row["takes"].get(name, math.inf) / best_of(row)[1])


def report(rows: Sequence[Row]) -> Section:
    """Regret by half, against the best for each matrix and the best one for all; what is far
    behind; the rules."""
    found = rule_worth.worth([row for row in rows if half_of(row["matrix"]) == HALVES[0]])
    parts = [
        _summary(rows),
        _far_behind(rows),
        f"Rules on the half `{HALVES[0]}`:",
        rule_worth.markdown(found),
        *(f"- {objection}" for objection in rule_worth.objections(found)),
    ]
    return Section(
        "Regret of auto", "\n\n".join(filter(None, parts)), {"rows": list(rows), "rules": found}
    )


def _summary(rows: Sequence[Row]) -> str:
    body = []
    for least in (0.0, LASTING):
        for half in (*HALVES, "all"):
            lasting = [row for row in rows if best_of(row)[1] >= least]
            group = [row for row in lasting if half in (half_of(row["matrix"]), "all")]
            if group:
                what = f"{half}, from {milliseconds(least)} ms on" if least else half
                body.append([what, *_figures(group)])
    head = ["half", "matrices", "regret", "worst", "on", "above 2"]
    head += ["best one for all", "its regret", "auto over it"]
    return table(head, body)


def _far_behind(rows: Sequence[Row]) -> str:
    """What the summary counts as above two, the worst first."""
    body = [
        [
            *(f"`{row['matrix']}`", half_of(row["matrix"]), f"{row['nnz']:,}"),
            *(milliseconds(row["takes"][AUTO]), best_of(row)[0], milliseconds(best_of(row)[1])),
            f"{regret_of(row):.2f}",
        ]
        for row in sorted(rows, key=regret_of, reverse=True)
        if regret_of(row) > DOUBLED
    ]
    head = ["matrix", "half", "entries", "auto, ms", "best", "ms", "regret"]
    return table(head, body) if body else ""


def _figures(rows: Sequence[Row]) -> list[str]:
    regrets = sorted((regret_of(row), row["matrix"]) for row in rows)
    mean = geometric_mean([regret for regret, _ in regrets])
    worst, where = regrets[-1]
    doubled = sum(regret > DOUBLED for regret, _ in regrets)
    single, behind_by = best_single(rows)
    facts = [f"{len(rows)}", f"{mean:.3f}", f"{worst:.2f}", f"`{where}`", f"{doubled}"]
    return [*facts, single, f"{behind_by:.2f}", f"{mean / behind_by:.2f}"]


def best_single(rows: Sequence[Row]) -> tuple[str, float]:
    """The candidate that is least behind in the geometric mean, and by how much."""
    names = {name for row in rows for name in row["takes"] if " + " in name}
    slow = {
        name: geometric_mean([min(behind(row, name), HOPELESS) for row in rows]) for name in names
    }
    return min(slow.items(), key=lambda item: item[1])


def _short(row: Row) -> Row:
    """Without the samples, and of the candidates only those near the best: to be kept."""
    most = NEAR * best_of(row)[1]
    kept = {name: seconds for name, seconds in row["takes"].items() if seconds <= most}
    kept[AUTO] = row["takes"][AUTO]
    rest = {what: value for what, value in row.items() if what not in ("seconds", "takes")}
    return {**rest, "takes": {name: float(f"{seconds:.3g}") for name, seconds in kept.items()}}


def main() -> None:
    """Measure what the store has not, while the time lasts; report on what it has."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regret", description=__doc__)
    parser.add_argument("--store", type=Path, required=True, help="a row of JSON for each matrix")
    parser.add_argument("--seconds", type=float, default=math.inf, help="start no matrix later")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--threads", type=int, default=CORES, help="as many at most")
    parser.add_argument("--matrices", type=Path, default=Path("../shared/matrices"))
    parser.add_argument(
        "--chosen", action="store_true", help="only auto's pair: on how many threads?"
    )
    parser.add_argument("--busy", action="store_true", help="one thread, its processor time")
    parser.add_argument("--keep", action="store_true", help="put the figures beside the rules")
    parser.add_argument("--json", type=Path, metavar="FILE", help="what is near the best")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the tables that are printed")
    parser.add_argument("--only", action="append", metavar="NAME", help="measured (again)")
    options = parser.parse_args()
    threads = 1 if options.busy else options.threads
    how = How(options.repeats, threads, options.chosen, options.busy)
    head = machine.describe(module="benchmarks.regret")
    for warning in machine.warnings(head):
        print(f"warning: {warning}", file=sys.stderr)
    ends = time.monotonic() + options.seconds
    rows = {}
    if options.store.exists():
        stored = map(json.loads, options.store.read_text().splitlines())
        rows = {row["matrix"]: row for row in stored}
    with options.store.open("a") as store:
        cases = every_case(options.matrices)
        if options.only:
            cases = only(options.only, cases)
        for case in cases:
            if (options.only or case.name not in rows) and time.monotonic() < ends:
                rows[case.name] = measured_apart(case, how)
                print(_outcome(rows[case.name]), flush=True)
                print(json.dumps(rows[case.name]), file=store, flush=True)
    done = report(list(rows.values()))
    print(done.markdown)
    about = Options("all", options.matrices, options.repeats, LEAST_LIMIT, [AUTO], threads, print)
    result = Report(head, about)
    short = {**done.data, "rows": [_short(row) for row in done.data["rows"]]}
    result.add("regret", Section(done.title, done.markdown, short))
    result.write(options.json, options.markdown, None)
    if options.keep:
        rule_worth.keep(done.data["rules"], head)


if __name__ == "__main__":
    main()
