# SPDX-License-Identifier: BSD-3-Clause
"""The serial and the shared version of each CPU method that has both, in turns, on one thread.

``python -m benchmarks.serial_shared --set field --out DIR`` compiles ``serial_shared.cpp`` with the
headers of the core, and needs a compiler with OpenMP. A method stays in two versions where the
shared one takes more than 1.03 times as long in the geometric mean, or 1.1 times on a matrix.

The initial matchings start from an empty matching, the searches and the steps of
guided-displacement from that of greedy, and the decomposition from a maximum transversal. A step is
timed on the matrices on which guided-displacement takes it. The shared decomposition asks for two
threads, and OpenMP gives it one. Both orders must be equal; searches must find matchings of the
same size. A method is left out where its first turn takes more than half a second.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import btfperm
from benchmarks import machine
from benchmarks.cases import SETS, Case, kept, of_set, only, real
from benchmarks.report import Options, Report, Row, Section, by_matrix, geometric_mean, table
from btfperm import registry
from btfperm.backends.cpu.problem import Problem
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import Pattern, as_pattern

HERE = Path(__file__).parent
SEARCHES = ("trees", "pothen-fan")
STEPS = ("label pushes", "short searches", "two steps")
METHODS = ("greedy", "karp-sipser", *SEARCHES, *STEPS, "decomposition")
STAGES = ("coarse", "rectangles", "square", "order")
NAMES = (*METHODS[:-1], *(f"{step}, with trees" for step in STEPS), *STAGES)  # of all parts
PARTS = 4  # as in the C++ file
TOO_LONG = -1
LEAST = 2e-5  # seconds; shorter parts are left out
FLAGS = ("-std=c++20", "-O3", "-fopenmp", "-fPIC", "-shared")  # as the core


def main(arguments: list[str] | None = None) -> int:
    """Time all methods on all matrices, and write the result."""
    asked = _parser().parse_args(arguments)
    head = machine.describe(arguments, "benchmarks.serial_shared")
    say = partial(print, file=sys.stderr, flush=True)
    options = Options(asked.set, asked.matrices, asked.rounds, asked.seconds, [], 1, say)
    cases = of_set(asked.set, asked.matrices)
    cases = kept(cases, asked.keep) if asked.keep else cases
    cases += only(asked.real, real(asked.matrices)) if asked.real else []
    report = Report(head, options)
    report.add("serial-shared", measure(cases, options, asked.method or METHODS))
    report.write(None, None, asked.out)
    print(report.markdown())
    return 1 if report.complaints else 0


def measure(cases: list[Case], options: Options, methods: tuple[str, ...]) -> Section:
    """Ratios of the shared version over the serial one."""
    rows: list[Row] = []
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        compare = _compiled(Path(folder))
        for case in cases:
            pattern = as_pattern(case.load())
            parts: dict[str, dict[str, float]] = {}
            for method in methods:
                call = _Call(compare, method, pattern, *_start(method, pattern))
                parts |= call.parts(options.limit, options.repeats)
                complaints += [f"{case.name}, {method}: {what}" for what in call.complaints]
            rows.append({"matrix": case.name, "entries": int(pattern.nnz), "parts": parts})
            options.say(f"{case.name}: {_shown(rows[-1])}")
    names = [name for name in NAMES if any(name in row["parts"] for row in rows)]
    data = {"rows": rows, "summary": [_summary(name, rows) for name in names]}
    return Section("Serial and shared versions", _markdown(names, data), data, complaints)


def _markdown(names: list[str], data: dict[str, Any]) -> str:
    head = "shared over serial", "matrices", "geometric mean", "least", "most", "matrix"
    shown = [
        [
            s["part"],
            str(s["matrices"]),
            *(f"{s[k]:.2f}" for k in ("mean", "least", "most")),
            s["at"],
        ]
        for s in data["summary"]
    ]
    each = by_matrix(
        ["entries", *names],
        data["rows"],
        lambda row: [f"{row['entries']:,}", *(_ratio(row, name) for name in names)],
    )
    return f"{table(head, shown)}\n\n{each}"


def _summary(name: str, rows: list[Row]) -> dict[str, Any]:
    found = [(row["parts"][name]["ratio"], row["matrix"]) for row in rows if name in row["parts"]]
    most, at = max(found)
    ratios = [ratio for ratio, _ in found]
    return {
        "part": name,
        "matrices": len(found),
        "mean": geometric_mean(ratios),
        "least": min(ratios),
        "most": most,
        "at": at,
    }


def _ratio(row: Row, name: str) -> str:
    return f"{row['parts'][name]['ratio']:.2f}" if name in row["parts"] else "-"


def _shown(row: Row) -> str:
    return ", ".join(f"{name} {part['ratio']:.2f}" for name, part in row["parts"].items())


class _Call:
    """One method on one matrix."""

    def __init__(self, compare: Any, method: str, pattern: Pattern, rows: Any, cols: Any) -> None:
        self._compare = compare
        self._method = method
        arrays = (pattern.indptr, pattern.indices, rows, cols)
        self._arrays = [np.ascontiguousarray(array, dtype=np.int32) for array in arrays]
        self._shape = pattern.shape
        self.complaints: list[str] = []

    def parts(self, seconds: float, rounds: int) -> dict[str, dict[str, float]]:
        """Median milliseconds of both versions, and their ratio, for each part of the method."""
        times = np.zeros((rounds, 2, PARTS))
        results = np.zeros((rounds, 2), dtype=np.int64)
        arrays: list[npt.NDArray[Any]] = [*self._arrays, times, results]
        places = [array.ctypes.data for array in arrays]
        done = self._compare(
            self._method.encode(), *self._shape, *places[:4], seconds, 0.5, rounds, *places[4:]
        )
        if done < TOO_LONG:
            raise OSError("OpenMP does not run on one thread")
        if done <= 0:
            return {}
        if len(np.unique(results[:done])) > 1 and self._method not in ("greedy", "karp-sipser"):
            self.complaints.append(f"the results differ: {results[:done].tolist()}")
        medians = np.median(times[:done], axis=0)
        return {
            name: {"serial_ms": 1e3 * serial, "shared_ms": 1e3 * shared, "ratio": shared / serial}
            for name, serial, shared in zip(self._names(), *medians.tolist(), strict=False)
            if serial >= LEAST
        }

    def _names(self) -> Iterator[str]:
        if self._method == "decomposition":
            return iter(STAGES)
        if self._method in STEPS:
            return iter((self._method, f"{self._method}, with trees"))
        return iter((self._method,))


def _start(method: str, pattern: Pattern) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The matching from which a method starts."""
    problem = Problem.empty(pattern)
    if method == "decomposition":
        found = btfperm.maximum_transversal(pattern, threads=1)
        return found.row_match, found.col_match
    if method in (*SEARCHES, *STEPS):
        greedy = registry.find("greedy", initializer=True)
        run_algorithm(greedy, problem, Request(pattern.nnz, threads=1))
    return problem.row_match, problem.col_match


def _compiled(folder: Path) -> Any:
    """The function `compare` of the C++ file."""
    file = folder / "serial_shared.so"
    include = HERE.parent / "btfperm"
    line = ["c++", *FLAGS, f"-I{include}", str(HERE / "serial_shared.cpp"), "-o", str(file)]
    subprocess.run(line, check=True)
    compare = ctypes.CDLL(str(file)).compare
    types: list[Any] = [ctypes.c_char_p, *2 * [ctypes.c_int], *4 * [ctypes.c_void_p]]
    compare.argtypes = [*types, *2 * [ctypes.c_double], ctypes.c_int, *2 * [ctypes.c_void_p]]
    return compare


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serial_shared", description=__doc__)
    add = parser.add_argument
    add("--set", choices=SETS, default="field", help="of generated matrices (field)")
    add("--matrices", type=Path, default=HERE.parent.parent / "shared" / "matrices", metavar="DIR")
    add(
        "--real", nargs="+", default=[], metavar="NAME", help="matrices of that folder, in addition"
    )
    add("--keep", type=Path, metavar="DIR", help="generated matrices are read from here")
    add("--method", action="append", choices=METHODS, help="only these")
    add("--seconds", type=float, default=0.1, help="for a method on a matrix, beyond two rounds")
    add("--rounds", type=int, default=15, help="at most, for a method on a matrix")
    add("--out", type=Path, metavar="DIR", help="a dated result")
    return parser


if __name__ == "__main__":
    sys.exit(main())
