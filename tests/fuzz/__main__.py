# SPDX-License-Identifier: BSD-3-Clause
"""The command line of the fuzzer.

This command runs a million inputs of each reader on 32 cores. The record holds the inputs that have
been run; if the command ends early for any reason, the same command continues after them::

    python -m tests.fuzz --reader all --count 1000000 --jobs 32 --record fuzz.json --keep found

To repeat a failing input, from its number or from the saved file::

    python -m tests.fuzz --reader npz --seed 7 --first 1234 --count 1
    python -m tests.fuzz --replay found/npz-7-1234-crash.json
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the parent of a fork must have one thread

from tests.fuzz import campaign, worker
from tests.fuzz.draw import Case
from tests.fuzz.readers import READERS
from tests.fuzz.record import Record

_EXIT_FAILED = 1
_EXIT_USAGE = 2
_EXIT_INTERRUPTED = 130
_SLICE = 5000  # inputs of a job between two records


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Feed mutated files to the readers of btfperm."
    )
    parser.add_argument(
        "--reader", action="append", choices=("all", *READERS), help="may be given several times"
    )
    parser.add_argument("--count", type=int, default=1000, help="inputs for each reader")
    parser.add_argument("--seed", type=int, help="1, or that of the record")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument(
        "--seconds",
        type=float,
        default=float("inf"),
        help="limit for all readers together, without the reduction of failing inputs",
    )
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--keep", type=Path, help="folder in which failing inputs are saved")
    parser.add_argument(
        "--record", type=Path, help="JSON file to continue and to add to, with a Markdown file"
    )
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


def _continue(options: argparse.Namespace, readers: list[str]) -> int:
    """Runs the next slices of all readers in turn, up to `count` inputs of each."""
    try:
        record = Record(options.record, options.seed)
    except ValueError as error:
        print(error, file=sys.stderr)
        return _EXIT_USAGE
    print(f"seed {record.seed}, {options.jobs} jobs", flush=True)
    deadline = time.monotonic() + options.seconds
    while True:
        left = {reader: options.count - record.tried(reader) for reader in readers}
        reader = max(readers, key=lambda name: left[name])
        if left[reader] <= 0 or time.monotonic() > deadline:
            break
        record.add(
            campaign.run(
                reader,
                record.seed,
                min(left[reader], _SLICE * options.jobs),
                first=record.tried(reader),
                jobs=options.jobs,
                keep=options.keep,
                say=lambda text: print(text, flush=True),
            )
        )
        print(record.reports[reader].line(), flush=True)
    print(record.markdown())
    reports = record.reports
    failed = _nothing_was_tried([name for name in readers if not record.tried(name)])
    failed |= any(reports[name].failures for name in reports)
    return _EXIT_FAILED if failed else 0


def _nothing_was_tried(readers: list[str]) -> bool:
    """Whether there are readers without an input, which a sentence on stderr names."""
    if readers:
        print(
            f"no input was tried of {', '.join(readers)}: give more --seconds, or a --count above "
            "0",
            file=sys.stderr,
        )
    return bool(readers)


def main(words: list[str] | None = None) -> int:
    """Runs the readers one after the other. Returns the exit code."""
    options = _arguments(words)
    if options.replay:
        return _replay(options.replay)
    if options.record and (options.first or options.json):
        print("--record numbers the inputs itself, and prints no JSON", file=sys.stderr)
        return _EXIT_USAGE
    chosen = options.reader or ["all"]
    readers = list(READERS) if "all" in chosen else list(dict.fromkeys(chosen))
    reports: list[campaign.Report] = []
    if options.record:
        return _continue(options, readers)
    options.seed = 1 if options.seed is None else options.seed
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
    failed = _nothing_was_tried([report.reader for report in reports if not report.tried])
    failed |= any(report.failures for report in reports)
    if options.json:
        # `asdict` would make a Counter of the (key, count) pairs of a Counter.
        rows = [vars(report) | {"failures": dict(report.failures)} for report in reports]
        content = {"seed": options.seed, "readers": rows}
        print(json.dumps(content | {"passed": not failed}, indent=1))
    return _EXIT_FAILED if failed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `campaign.run` stops its workers
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted: the same command continues if it has a --record", file=sys.stderr)
        sys.exit(_EXIT_INTERRUPTED)
