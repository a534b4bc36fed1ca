# SPDX-License-Identifier: BSD-3-Clause
"""This version beside another one: ``--section versions --other PYTHON``.

PYTHON is the interpreter of an environment in which the other version is installed. The two take
turns on each matrix, each in a process of its own, so that a slow minute of the machine affects
both. A ratio above 1 means that this version is slower or needs more memory. With ``--busy``, the
least of the runs counts instead of the median, and processor time instead of elapsed time: of the
calling thread for calls, of the whole process for commands.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io

from benchmarks.cases import Case, generated, names
from benchmarks.generators import make
from benchmarks.launch import measure
from benchmarks.machine import gpu
from benchmarks.report import Options, Row, Section, digits, geometric_mean, paragraphs, table
from benchmarks.timing import PAUSE_SECONDS

WORKER = Path(__file__).with_name("versions_worker.py")
TINY = "er_10_d3.0"


def run(cases: list[Case], options: Options) -> Section:
    """Medians of both versions and their ratios, by subject. Raises OSError if there is no other
    version."""
    if options.other is None or not options.other.exists():
        raise OSError("the section needs --other PYTHON, the interpreter of the other version")
    pythons = [str(options.other), sys.executable]
    for python in pythons:  # tested first, so that a missing command does not cost all other rows
        if not _command(python).exists():
            raise OSError(f"{_command(python)}, the command of one version, is missing")
    rows: list[Row] = []
    complaints: list[str] = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for subject, what, chosen, arguments in _subjects(cases, options):
            workers = [_worker(python) for python in pythons]
            for case in chosen:
                if time.monotonic() - begin > options.within:
                    options.say(f"{subject}, {case.name}: left out, {options.within:g} s are over")
                    continue
                file = str(Path(folder, "matrix.npz"))
                A = case.load()
                np.savez(file, indptr=A.indptr, indices=A.indices, shape=A.shape)
                asked = {"what": what, "file": file, "options": arguments, "busy": options.busy}
                pair, answers = _calls(workers, asked, options.repeats)
                rows.append({"subject": subject, "matrix": case.name, "seconds": pair})
                if len(answers) > 1:
                    complaints.append(f"{subject}, {case.name}: answers {sorted(answers)}")
                options.say(f"{subject}, {case.name}: {digits(_ratio(pair, options))}")
            for worker in workers:
                worker.communicate()
        rows += _commands(pythons, cases[-1], Path(folder), options)
    return Section(
        "This version beside another one", _markdown(rows, options), {"rows": rows}, complaints
    )


def _subjects(cases: list[Case], options: Options) -> list[tuple[str, str, list[Case], Any]]:
    tiny = generated([TINY])
    host: dict[str, Any] = {"backend": "cpu"}
    if options.threads is not None or options.busy:
        host["threads"] = options.threads or 1
    result: list[tuple[str, str, list[Case], Any]] = [
        ("small call: matching", "matching", tiny, host),
        ("small call: decomposition", "decomposition", tiny, host),
        ("matching", "matching", cases, host),
        ("decomposition", "decomposition", cases, host),
    ]
    try:
        gpu()
    except OSError:
        return result
    graphs = generated(names("engine", options.which))
    engine = {"backend": "gpu", "algorithm": "meeting-trees"}
    result.append(("GPU engine", "matching", graphs, engine))
    result.append(("GPU decomposition", "decomposition", graphs, {"backend": "gpu"}))
    return result


def _worker(python: str) -> subprocess.Popen[str]:
    """A process that times the calls of one version."""
    line = [python, "-I", str(WORKER)]
    return subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _calls(
    workers: list[subprocess.Popen[str]], asked: Row, repeats: int
) -> tuple[list[list[float]], set[Any]]:
    """Seconds of each version in turns, and the different answers."""
    pair: list[list[float]] = [[], []]
    answers = set()
    for turn in range(1 + repeats):  # the first is a warm-up
        for which, process in enumerate(workers):
            assert process.stdin is not None and process.stdout is not None
            print(json.dumps({} if turn else asked), file=process.stdin, flush=True)
            line = process.stdout.readline()
            if not line:
                raise OSError(f"one of the versions could not run {asked['what']}")
            reply = json.loads(line)
            answers.add(reply["answer"])
            if turn:
                pair[which].append(reply["seconds"])
            time.sleep(PAUSE_SECONDS)
    return pair, answers


def _command(python: str) -> Path:
    return Path(python).with_name("btfperm")


def _commands(pythons: list[str], case: Case, folder: Path, options: Options) -> list[Row]:
    """Seconds and peak memory of the command on a small file (subject `start-up`) and on the last
    matrix of the set."""
    files = {"tiny": folder / "tiny.mtx", case.name: folder / "large.mtx"}
    scipy.io.mmwrite(files["tiny"], make(TINY).tocoo(), field="pattern")
    scipy.io.mmwrite(files[case.name], case.load().tocoo(), field="pattern")
    rows: list[Row] = []
    for name, file in files.items():
        lines = [
            [str(_command(python)), str(file), "-o", str(folder / "perm.npz")] for python in pythons
        ]
        taken: list[list[dict[str, float]]] = [[], []]
        for turn in range(1 + options.repeats):
            for which, line in enumerate(lines):
                taken[which] += [measure(line, options.limit)][: 1 if turn else 0]
        subject = "start-up" if name == "tiny" else "command"
        seconds = "processor_seconds" if options.busy else "seconds"
        for key, kind, unit in ((seconds, "seconds", ""), ("peak_bytes", "peak_bytes", ", memory")):
            pair = [[run[key] for run in runs] for runs in taken]
            rows.append({"subject": subject + unit, "matrix": name, kind: pair})
    return rows


def _pair(row: Row) -> list[list[float]]:
    found: list[list[float]] = row["seconds"] if "seconds" in row else row["peak_bytes"]
    return found


def _typical(samples: list[float], options: Options) -> float:
    return min(samples) if options.busy else statistics.median(samples)


def _ratio(pair: list[list[float]], options: Options) -> float:
    other, this = (_typical(samples, options) for samples in pair)
    return this / other


def _markdown(rows: list[Row], options: Options) -> str:
    subjects = dict.fromkeys(row["subject"] for row in rows)
    means = []
    for subject in subjects:
        ratios = [_ratio(_pair(row), options) for row in rows if row["subject"] == subject]
        cells = [str(len(ratios)), digits(geometric_mean(ratios)), digits(max(ratios))]
        means.append([subject, *cells])
    body = []
    for row in rows:
        scale = 1e3 if "seconds" in row else 1e-6
        values = [digits(scale * _typical(samples, options)) for samples in _pair(row)]
        ratio = digits(_ratio(_pair(row), options))
        body.append([row["subject"], f"`{row['matrix']}`", *values, ratio])
    what = "The least processor time on one thread" if options.busy else "Medians"
    return paragraphs(
        table(["", "matrices", "geometric mean of the ratios", "largest"], means),
        f"{what} in milliseconds, or megabytes of memory.",
        table(["", "matrix", "other version", "this version", "ratio"], body),
    )
