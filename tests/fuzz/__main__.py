# SPDX-License-Identifier: BSD-3-Clause
"""The command line of the fuzzer.

A campaign over 16 cores::

    python -m tests.fuzz --reader all --count 1000000 --jobs 16 --seconds 500 --keep found

To repeat a failing input, from its number or from the saved file::

    python -m tests.fuzz --reader npz --seed 7 --first 1234 --count 1
    python -m tests.fuzz --replay found/npz-7-1234-crash.json
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the parent of a fork must have one thread

from tests.fuzz import campaign, worker
from tests.fuzz.draw import Case
from tests.fuzz.readers import READERS

_EXIT_FAILED = 1


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Feed mutated files to the readers of btfperm."
    )
    parser.add_argument(
        "--reader", action="append", choices=("all", *READERS), help="may be given several times"
    )
    parser.add_argument("--count", type=int, default=1000, help="inputs for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument(
        "--seconds",
        type=float,
        default=float("inf"),
        help="limit for all readers together, without the reduction of failing inputs",
    )
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--keep", type=Path, help="folder in which failing inputs are saved")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument("--replay", type=Path, help="run the inputs of a saved .json file again")
    return parser.parse_args(words)


def _replay(record: Path) -> int:
    """Runs the saved input and the smaller one, and prints the failures."""
    saved = json.loads(record.read_text(encoding="utf-8"))
    failed = False
    for infix in ("", "-min"):
        data = record.with_name(f"{record.stem}{infix}-{saved['name']}").read_bytes()
        case = Case(saved["reader"], data, saved["name"], saved["pipe"], saved["block"])
        with tempfile.TemporaryDirectory() as folder:
            failures = worker.run_apart(case, folder, 2 * campaign.HANG_SECONDS)
        failed = failed or bool(failures)
        sentences = "; ".join(f"{kind}: {what}" for kind, what in failures) or "nothing fails"
        print(f"{len(data):,} bytes{infix.replace('-', ', ')}: {sentences}")
    return _EXIT_FAILED if failed else 0


def main(words: list[str] | None = None) -> int:
    """Runs the readers one after the other. Returns the exit code."""
    options = _arguments(words)
    if options.replay:
        return _replay(options.replay)
    chosen = options.reader or ["all"]
    readers = list(READERS) if "all" in chosen else list(dict.fromkeys(chosen))
    reports: list[campaign.Report] = []
    if not options.json:
        print(f"seed {options.seed}, {options.jobs} jobs", flush=True)
    for number, reader in enumerate(readers):
        left = options.seconds - sum(report.seconds for report in reports)
        report = campaign.run(
            reader,
            options.seed,
            options.count,
            first=options.first,
            seconds=left / (len(readers) - number),
            jobs=options.jobs,
            keep=options.keep,
            say=(lambda text: None) if options.json else print,
        )
        reports.append(report)
        if not options.json:
            print(report.line(), flush=True)
    failed = any(report.failures for report in reports)
    if options.json:
        # `asdict` would make a Counter of the (key, count) pairs of a Counter.
        rows = [vars(report) | {"failures": dict(report.failures)} for report in reports]
        content = {"seed": options.seed, "readers": rows}
        print(json.dumps(content | {"passed": not failed}, indent=1))
    return _EXIT_FAILED if failed else 0


if __name__ == "__main__":
    sys.exit(main())
