# SPDX-License-Identifier: BSD-3-Clause
"""The record of diagnoses that were checked: `python -m tests.diagnosis.record FILE.json`.

It covers the matrices of ``../shared/matrices`` that are rectangular or deficient, and those whose
rank is smaller without their stored zeros, without these. SciPy reads the files, and the check in
``tests/checks/check_diagnosis.py`` shares no code with btfperm. FILE.json is written after each
matrix; a run with the same file continues there. ``--within SECONDS`` starts no further matrix,
``--largest ENTRIES`` omits larger ones. The exit status is 1 if a diagnosis is wrong. A Markdown
file is written beside the JSON file.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import scipy.io
import scipy.sparse as sp

import btfperm
from benchmarks import machine
from benchmarks.report import describe, table
from btfperm.results.counted import counted
from tests.checks.check_diagnosis import check_diagnosis
from tests.known_answers import KnownAnswer, shared_answers

SIDES = (("overdetermined", "rows", "columns"), ("underdetermined", "columns", "rows"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.diagnosis.record")
    parser.add_argument("file", type=Path, help="the JSON file to write, or to continue")
    parser.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--largest", type=int, default=10**9, metavar="ENTRIES")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    end = time.monotonic() + options.within
    words = [str(options.file)]  # a run in several parts has the result of one run
    head = machine.describe(words, module="tests.diagnosis.record")
    rows = json.loads(options.file.read_text())["matrices"] if options.file.exists() else []
    done = {(row["matrix"], row["stored zeros"]) for row in rows}
    for known, has_zeros in cases(options.largest):
        if (known.name, has_zeros) in done:
            continue
        if time.monotonic() > end:
            print("more matrices are left", file=sys.stderr)
            break
        rows.append(checked(known, has_zeros))
        print(rows[-1], file=sys.stderr, flush=True)
        options.file.write_text(json.dumps({**head, "matrices": rows}, indent=1) + "\n")
        options.file.with_suffix(".md").write_text(markdown(head, rows), encoding="utf-8")
    print(sentence(rows))
    return int(any(row["wrong"] for row in rows))


def cases(largest: int) -> Iterator[tuple[KnownAnswer, bool]]:
    """The matrices, smallest first, and whether their stored zeros count as entries."""
    for known in sorted(shared_answers(), key=lambda known: known.entries):
        if known.entries > largest:
            return
        if known.structural_rank < max(known.shape):
            yield known, True
        if known.rank_without_zeros < known.structural_rank:
            yield known, False


def checked(known: KnownAnswer, has_zeros: bool) -> dict[str, Any]:
    """The row of the record; ``wrong`` holds what the check found, or null."""
    found = btfperm.diagnose(known.path, drop_zeros=not has_zeros).to_dict(limit=None)
    A = sp.csc_array(scipy.io.mmread(known.path, spmatrix=False))
    if not has_zeros:
        A.eliminate_zeros()
    rank = known.structural_rank if has_zeros else known.rank_without_zeros
    wrong = None
    try:
        check_diagnosis(A, found, rank)
        assert found["repair"]["cover_rows"] is not None, "there is no cover"
    except AssertionError as error:
        wrong = str(error) or "wrong"
    row = {
        "matrix": known.name,
        "stored zeros": has_zeros,
        "rows": A.shape[0],
        "columns": A.shape[1],
        "entries": A.nnz,
        "rank": rank,
        "wrong": wrong,
    }
    for side, many, few in SIDES:
        groups = found[side]
        explained = [group["explanation"] for group in groups]
        largest = max(explained, key=lambda part: len(part[many]), default=None)
        row[side] = {
            "groups": len(groups),
            "excess": sum(group["excess"] for group in groups),
            "largest group": max((len(group[many]) for group in groups), default=0),
            "largest explanation": [len(largest[many]), len(largest[few])] if largest else [0, 0],
        }
    return row


def sentence(rows: list[dict[str, Any]]) -> str:
    groups = sum(row[side]["groups"] for row in rows for side, *_ in SIDES)
    wrong = [row for row in rows if row["wrong"]]
    matrices = len({row["matrix"] for row in rows})
    return (
        f"{len(rows)} diagnoses of {matrices} matrices with {groups:,} groups, each with an "
        f"explanation that is correct and minimal; {len(wrong)} diagnoses are wrong."
    )


def markdown(head: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    titles = ["matrix", "rows", "columns", "entries", "rank"]
    for side in ("over", "under"):
        titles += [f"{side}: groups", "excess", "largest explanation"]
    lines = []
    for row in rows:
        zeros = "" if row["stored zeros"] else " without its stored zeros"
        sizes = (row[name] for name in ("rows", "columns", "entries", "rank"))
        line = [f"`{row['matrix']}`{zeros}", *(f"{size:,}" for size in sizes)]
        for side, many, few in SIDES:
            part = row[side]
            more, fewer = part["largest explanation"]
            words = counted(more, many[:-1]), counted(fewer, few[:-1])
            text = ", ".join(words) if more else "-"
            line += [f"{part['groups']:,}", f"{part['excess']:,}", text]
        lines.append([*line, row["wrong"] or "yes"])
    parts = [
        f"# Diagnoses and their check, {head['date']}",
        f"`{head['command']}`",
        describe(head),
        "Each diagnosis of `btfperm.diagnose` is compared with the matrix as SciPy reads it, by a "
        "check that shares no code with btfperm (`tests/checks/check_diagnosis.py`). The rows of "
        "an overdetermined group have entries in its columns only; no row or column is in two "
        "groups; the groups are connected; all excess is in them. An explanation has one row more "
        "than columns, its rows have entries in its columns only, and without any one of its rows "
        "all others can be matched, which a matching of SciPy proves: so it is minimal. For "
        "underdetermined groups, rows and columns change places. The check also covers the "
        "repair, the cover that proves it, the entries in every and in no maximum transversal, "
        "and the identical rows.",
        sentence(rows),
        table([*titles, "correct"], lines),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
