# SPDX-License-Identifier: BSD-3-Clause
"""A model of the time over ranks (`model.py`), its checks, and a prediction for 1,024 ranks.

Each matrix of the set is measured on each number of ranks (`options.counts`) by the engine over
ranks. One rank runs as one process does: its time is measured, not predicted, and no fit uses it.
Three checks predict measured values that the fit did not use: the messages
on the largest number of ranks, from the messages on fewer ranks; the time of a matrix, from all
other matrices; and the time on the largest number of ranks, from the times and the messages on
fewer ranks.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.mpi.launcher import launcher
from benchmarks.mpi.model import (
    TERMS,
    all_bytes,
    all_messages,
    fit,
    fit_counts,
    layout,
    predict_counts,
    seconds_of_terms,
)
from benchmarks.mpi.scaling import measured
from benchmarks.regret import rows as stored
from benchmarks.report import Options, Row, Section, paragraphs, table
from btfperm.backends.threads import usable_cores

__all__ = ["run"]

MANY = 1024  # ranks of the prediction
CURVE = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, MANY)


def run(matrices: list[Case], options: Options) -> Section:
    """The section: the measured rows, the fits, their checks and the prediction. Each matrix is
    added to `options.store`."""
    counts = sorted(set(options.counts)) or [1, 2, 4, 8]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "matrix.mtx")
        measure = partial(_on_each_count, file=file, counts=counts, options=options)
        found, complaints = stored.checked(matrices, options, measure, _outcome)
    rows = [row for each in found for row in each["rows"]]
    layouts = {each["matrix"]: each["layouts"] for each in found}
    return _section(rows, layouts, complaints)


def _on_each_count(
    case: Case, file: Path, counts: list[int], options: Options
) -> tuple[Row, list[str]]:
    """The layouts of a matrix, its measurement on each number of ranks, and complaints."""
    start, complaints = launcher(), []
    A = case.written(file)
    known = {"matrix": case.name, "rows": A.shape[0], "cols": A.shape[1], "entries": A.nnz}
    layouts = [known | {"ranks": ranks} | layout(A, ranks) for ranks in sorted({*CURVE, *counts})]
    rows: list[Row] = []
    for where in layouts:
        ranks = where["ranks"]
        if ranks not in counts:
            continue
        try:
            found = measured([*start, "-n", str(ranks)], file, options, "mpi")
        except (subprocess.SubprocessError, OSError, ValueError) as error:
            complaints.append(f"{ranks} ranks: {error}")
            continue
        found["operations"] = found["exchanges"] + found["collectives"]
        found["visited"] = found.get("edges", 0) + found.get("start_edges", 0)
        rows.append(where | found)
    return {"matrix": case.name, "layouts": layouts, "rows": rows}, complaints


def _outcome(row: Row) -> str:
    seconds = ", ".join(f"{each['seconds']:.2f} s" for each in row["rows"])
    return f"{row['matrix']}: {seconds}"


def _section(rows: list[Row], layouts: dict[str, list[Row]], complaints: list[str]) -> Section:
    cores = usable_cores()
    data: dict[str, Any] = {"rows": rows, "cores": cores}
    several = [row for row in rows if row["ranks"] > 1]
    names = list(dict.fromkeys(row["matrix"] for row in several))
    most = max((row["ranks"] for row in several), default=0)
    if len(names) < 3 or len({row["ranks"] for row in several}) < 3:
        complaints.append("a model needs three matrices on three numbers of ranks above one")
        return Section("A model of MPI ranks", "Too few measurements.", data, complaints)
    data["coefficients"] = dict(zip(TERMS, fit(several, cores), strict=True))
    data["checks"] = _checks(several, names, most, cores)
    alone = {row["matrix"]: row["seconds"] for row in rows if row["ranks"] == 1}
    data["curves"] = [
        _predicted(data["coefficients"], [row for row in several if row["matrix"] == name], where)
        | ({"seconds": alone[name]} if where["ranks"] == 1 and name in alone else {})
        for name in names
        for where in layouts[name]
    ]
    text = paragraphs(
        "Times are from the file to `perm.npz`, by the engine over ranks; one rank runs as one "
        "process does, and no fit uses its time. *predicted* is the time according to the fit to "
        "all other rows. *messages* and *MB sent* do not include the all-to-alls, in each of which "
        "every pair of ranks exchanges a small message.",
        _measured_table(rows, data["coefficients"], cores),
        _fit_text(data, most, cores),
        f"Predicted over measured. *operations*, *bytes*, *messages*: on {most} ranks, from fewer "
        "ranks. *others*: the time of the matrix from all other matrices, with its measured "
        f"messages; least, median and most over the ranks. *{most} ranks*: the time there, from "
        "the times and the messages on fewer ranks.",
        _check_table(data["checks"], most),
        f"Prediction for {MANY:,} ranks with a core each, on a network that is like this machine's "
        "memory. *best* is the number of ranks, of the powers of two, with the shortest predicted "
        "time, or 1 if the measured time of one rank is shorter.",
        _many_table(data["curves"], names),
    )
    return Section("A model of MPI ranks", text, data, complaints)


def _predicted(coefficients: dict[str, float], own: list[Row], where: Row) -> Row:
    counted = predict_counts(fit_counts(own), where)
    parts = seconds_of_terms(list(coefficients.values()), counted, np.inf)
    return counted | {"parts": parts, "seconds": sum(parts.values())}


def _checks(several: list[Row], names: list[str], most: int, cores: int) -> list[Row]:
    fewer = fit([row for row in several if row["ranks"] < most], cores)
    found = []
    for name in names:
        own = [row for row in several if row["matrix"] == name]
        last = max(own, key=lambda row: int(row["ranks"]))
        others = fit([row for row in several if row["matrix"] != name], cores)
        ratios = [
            sum(seconds_of_terms(others, row, cores).values()) / row["seconds"] for row in own
        ]
        check: Row = {
            "matrix": name,
            "others": [min(ratios), statistics.median(ratios), max(ratios)],
        }
        if last["ranks"] == most and len(own) > 2:
            counted = predict_counts(fit_counts([row for row in own if row is not last]), last)
            check |= {
                "operations": counted["operations"] / max(last["operations"], 1),
                "bytes": all_bytes(counted) / max(all_bytes(last), 1),
                "messages": all_messages(counted) / max(all_messages(last), 1),
                "seconds": sum(seconds_of_terms(fewer, counted, cores).values()) / last["seconds"],
            }
        found.append(check)
    return found


def _measured_table(rows: list[Row], coefficients: dict[str, float], cores: int) -> str:
    head = ["matrix", "ranks", "s", "predicted", "operations", "messages", "MB sent"]
    head += ["all-to-alls", "MB in them", "ghosts"]
    lines = []
    for row in rows:
        predicted = sum(seconds_of_terms(list(coefficients.values()), row, cores).values())
        lines.append(
            [
                f"`{row['matrix']}`",
                str(row["ranks"]),
                f"{row['seconds']:.2f}",
                f"{predicted:.2f}" if row["ranks"] > 1 else "-",
                f"{row['operations']:,}",
                f"{row['messages']:,}",
                f"{row['bytes_sent'] / 1e6:.1f}",
                f"{row['all_to_alls']:,}",
                f"{row['all_to_all_bytes'] / 1e6:.1f}",
                f"{row['ghosts']:,}",
            ]
        )
    return table(head, lines)


def _fit_text(data: dict[str, Any], most: int, cores: int) -> str:
    found = data["coefficients"]
    ratios = [ratio for check in data["checks"] for ratio in check["others"][1:2]]
    last = [check["seconds"] for check in data["checks"] if "seconds" in check]
    text = (
        f"Fit on {cores} cores: {found['work'] * 1e9:.0f} ns for each entry of the largest rank, "
        f"{found['search'] * 1e9:.0f} ns for each entry that a search visits, "
        f"{found['latency'] * 1e6:.0f} us for each operation and doubling of the ranks, "
        f"{found['overhead'] * 1e6:.1f} us for each message of a rank, "
        f"{found['transfer'] * 1e9:.1f} ns for each byte of a rank. The fit to all other matrices "
        f"predicts {statistics.median(ratios):.2f} of the time of a matrix (median; from "
        f"{min(ratios):.2f} to {max(ratios):.2f})"
    )
    if not last:
        return text + "."
    return text + (
        f"; the fit to fewer ranks predicts {statistics.median(last):.2f} of the time on {most} "
        f"ranks (from {min(last):.2f} to {max(last):.2f})."
    )


def _check_table(checks: list[Row], most: int) -> str:
    head = ["matrix", "operations", "bytes", "messages", "others", f"{most} ranks"]
    return table(
        head,
        [
            [
                f"`{check['matrix']}`",
                *(f"{check[k]:.2f}" if k in check else "-" for k in ("operations", "bytes")),
                f"{check['messages']:.2f}" if "messages" in check else "-",
                " ".join(f"{ratio:.2f}" for ratio in check["others"]),
                f"{check['seconds']:.2f}" if "seconds" in check else "-",
            ]
            for check in checks
        ],
    )


def _many_table(curves: list[Row], names: list[str]) -> str:
    head = ["matrix", "operations", "MB", "s", "work and search", "latency", "messages", "bytes"]
    head += ["best", "s there"]
    lines = []
    for name in names:
        own = [row for row in curves if row["matrix"] == name]
        many = next(row for row in own if row["ranks"] == MANY)
        best = min(own, key=lambda row: float(row["seconds"]))
        parts = many["parts"]
        lines.append(
            [
                f"`{name}`",
                f"{many['operations']:,.0f}",
                f"{all_bytes(many) / 1e6:.0f}",
                f"{many['seconds']:.2f}",
                f"{parts['work'] + parts['search']:.3f}",
                f"{parts['latency']:.2f}",
                f"{parts['overhead']:.3f}",
                f"{parts['transfer']:.3f}",
                str(best["ranks"]),
                f"{best['seconds']:.2f}",
            ]
        )
    return table(head, lines)
